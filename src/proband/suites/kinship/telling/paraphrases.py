"""What tells facts: paraphrases of the template language with menus of them, and the verb phrases of occasions.

Menus: every way a bank has to tell a path of facts. A path 0 - 1 - 2 read backwards is the same facts with the inverse
relations, so a paraphrase of (parent, sibling) also tells (sibling, child): a fact is told from either side.

>>> menu = Menus([Template("a", "{1} is {0}'s {1 of 0}.", (("parent",),))])["female", "son"]
>>> menu.tell(menu.lines[0], ["Ann", "Ben"])
"Ann is Ben's mother."

Occasions: one place, one time and one reason to meet. A story happens at one occasion. A sentence or two of it tell
what the occasion is, and every fact is a verb phrase that belongs to it, about a person and one of his or her kin. A
phrase is written in its base form, with @ for the kin; its tense and aspect follow from where it stands (`joints`: one,
two or three facts together), and a phrase that begins with ! is an event without duration, never told as going on.

>>> phrase = Phrase.parse("carry the lanterns with @", VERBS)
>>> phrase.clause("past", "female", "uncle", "Ben"), phrase.clause("ing", "male", "aunt", "Ann")
('carried the lanterns with her uncle Ben', 'carrying the lanterns with his aunt Ann')
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import product
from operator import itemgetter
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_toml, read_utf8
from proband.suites.kinship.reading.lexicon import SWITCH
from proband.suites.kinship.telling.template_language import frame, genders_told, kin_forms, kin_place
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL

# ---- paraphrases and menus of them ---------------------------------------------------------------------------------

ANY: Final = "*"
LONGEST: Final = 3  # facts in one paraphrase
OWN_WEIGHT: Final = 3  # a paraphrase written for these very relations is drawn this much oftener than a general one
KEPT: Final = 4_000  # menus to keep at most: memory stays flat
ECHO: Final = re.compile(r"\{(\d) of (\d)\} \{\1\} and \{(\d) of \2\} \{\3\}")  # her sister Ann and sister Bea
PLACE: Final = re.compile(r"\{[^}]*\}")
STRIKING: Final = re.compile(r"\b(?!(?:after|before|afterwards|about|later|would|could)\b)[A-Za-z]{5,}")

Row = tuple[str, ...]  # relations along a path, or the genders of its people
Key = tuple[str, ...]  # the gender of the first person of a path, then its relation words


@dataclass(frozen=True)
class Template:
    """A paraphrase: `patterns` are the neutral relations along the path it can tell ("*" is any), `genders` the only
    gender combination it is written for (None: every one, as ours are)."""

    id: str
    text: str
    patterns: tuple[Row, ...]
    genders: Row | None = None

    @property
    def facts(self) -> int:
        return len(self.patterns[0])

    @property
    def general(self) -> bool:
        return ANY in self.patterns[0]

    @cached_property
    def frame(self) -> Callable[[Row], tuple[str, itemgetter[Any]]]:
        """By the genders of its people: a %-format, and what picks its words from names and kin words."""

        def compiled(genders: Row) -> tuple[str, itemgetter[Any]]:
            fmt, places = frame(self.text, genders)
            return fmt, itemgetter(*places)

        return cache(compiled)

    @cached_property
    def scene(self) -> frozenset[str]:
        """What a story should not tell twice: the paraphrase itself and the words that stand out in it.

        >>> sorted(Template("a", "On Sunday {0} took {0 his} {1 of 0} {1} fishing.", (("parent",),)).scene)
        ['a', 'fishing', 'sunday']
        """
        return frozenset({self.id, *(word.lower() for word in STRIKING.findall(PLACE.sub(" ", self.text)))})

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        """The template told along a path, and told against it."""
        return (self, False), (self, True)

    def tells(self, relations: Row) -> bool:
        """Whether it tells these relations, of people of some genders."""
        return any(len(p) == len(relations) and all(a in (ANY, b) for a, b in zip(p, relations)) for p in self.patterns)

    @cached_property
    def echo(self) -> tuple[int, int] | None:
        """Two places among the kin forms whose words must differ: not `her sister Ann and sister Bea`."""
        match = ECHO.search(self.text)
        if match is None:
            return None
        one, owner, other = map(int, match.groups())
        return kin_place(one, owner, self.facts), kin_place(other, owner, self.facts)

    def suits(self, genders: Row, kin: Sequence[str]) -> bool:
        """Whether it can be told of people of these genders, with these kin forms."""
        if self.genders not in (None, genders):
            return False
        return self.echo is None or kin[self.echo[0]] != kin[self.echo[1]]


def template_id(line: str, *, facts: int) -> str:
    """The id of a line of a bank: how many facts it tells, and a digest."""
    return f"{facts}.{hashlib.sha256(line.removeprefix('!').strip().encode()).hexdigest()[:8]}"


Line = tuple[Template, bool]  # and whether its person 0 is the last of the path


class Menu:
    """The lines that tell a path, each as often as it is to be drawn."""

    def __init__(self, lines: list[Line], relations: Row, genders: Row) -> None:
        self.lines = lines
        self.sides = [  # along the path, and against it
            (relations, genders, list(kin_forms(relations, genders))),
            (_back(relations), genders[::-1], list(kin_forms(_back(relations), genders[::-1]))),
        ]
        self.revealing = cache(self._revealing)

    def tell(self, line: Line, names: list[str]) -> str:
        """The line with the names of the path's people."""
        template, turned = line
        _, genders, kin = self.sides[turned]
        fmt, pick = template.frame(genders)
        words: tuple[str, ...] = pick((names[::-1] if turned else names) + kin)
        return fmt % words

    def known(self, line: Line) -> frozenset[int]:
        """The people of the path whose gender the line tells."""
        template, turned = line
        relations, genders, _ = self.sides[turned]
        people = genders_told(template.text, relations, genders)
        return frozenset(len(relations) - i for i in people) if turned else people

    def _revealing(self, person: int) -> list[Line]:
        """The lines that tell the gender of a person of the path, or all if there is none."""
        return [line for line in self.lines if person in self.known(line)] or self.lines


class Menus:
    """The menus of a bank by key."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._menu = lru_cache(maxsize=KEPT)(self._make_menu)
        self._own: dict[Row, list[Template]] = {}
        self._partly: dict[int, list[Template]] = {}  # some relations are given, others free
        self._general: dict[int, list[Template]] = {}
        for template in templates:
            if template.tells((ANY,) * template.facts):
                self._general.setdefault(template.facts, []).append(template)
            elif any(ANY in pattern for pattern in template.patterns):
                self._partly.setdefault(template.facts, []).append(template)
            else:
                for pattern in template.patterns:
                    self._own.setdefault(pattern, []).append(template)
        self._lines = cache(self._lines_of)

    def __getitem__(self, key: Key) -> Menu:
        return self._menu(key)

    def _make_menu(self, key: Key) -> Menu:
        relations = tuple([NEUTRAL[word] for word in key[1:]])
        genders = (key[0], *[GENDER[word] for word in key[1:]])
        anybody, choosy = self._lines(relations)
        menu = Menu(anybody, relations, genders)
        if choosy:
            menu.lines = anybody + [line for line in choosy if line[0].suits(*menu.sides[line[1]][1:])]
        return menu

    def _lines_of(self, relations: Row) -> tuple[list[Line], list[Line]]:
        """The lines that tell these relations: of people of any gender, and of some only."""
        anybody: list[Line] = []
        choosy: list[Line] = []
        for row, turned in ((relations, False), (_back(relations), True)):
            n = len(row)
            partly = [template for template in self._partly.get(n, ()) if template.tells(row)]
            for template in (*self._own.get(row, ()), *partly, *self._general.get(n, ())):
                lines = anybody if template.genders is None and template.echo is None else choosy
                lines += [template.lines[turned]] * (1 if template.general else OWN_WEIGHT)
        return anybody, choosy


def _back(relations: Row) -> Row:
    """The same facts from the other end of the path."""
    return tuple([INVERSE[relation] for relation in reversed(relations)])


# ---- occasions -----------------------------------------------------------------------------------------------------

KIN_PLACE: Final = "@"
HIS: Final = {MALE: "his ", FEMALE: "her "}
DOUBLED: Final = re.compile(r"(?:qu|[^aeiou])*[aeiou][bdglmnprt]")  # chat, chatting
APPOSITION, COMMA = 0.6, 0.8  # up to here `her uncle Ben`, then `Ben, her uncle`, and then `her uncle, Ben`
CLAUSE_SLOT: Final = re.compile(r"\{(?:(past|ing|done) )?(\d)>(\d)\}")
Verbs = Mapping[str, Sequence[str]]  # base form -> past, participle and, where it is irregular too, the -ing form


def inflect(verb: str, verbs: Verbs) -> dict[str, str]:
    """The forms of a verb.

    >>> inflect("try", {}), inflect("chat", {})["ing"], inflect("write", {"write": ["wrote", "written"]})["done"]
    ({'past': 'tried', 'ing': 'trying', 'done': 'tried'}, 'chatting', 'written')
    """
    stem = verb + verb[-1] if DOUBLED.fullmatch(verb) else verb
    if verb.endswith("e"):
        past, ing = verb + "d", verb + "ing" if verb.endswith(("ee", "oe", "ye")) else verb[:-1] + "ing"
    elif verb.endswith("y") and verb[-2] not in "aeou":
        past, ing = verb[:-1] + "ied", verb + "ing"
    else:
        past, ing = stem + "ed", stem + "ing"
    if verb not in verbs:
        return {"past": past, "ing": ing, "done": past}
    given = verbs[verb]
    return {"past": given[0], "done": given[1], "ing": given[2] if len(given) > 2 else ing}


@dataclass(frozen=True)
class Phrase:
    """A verb phrase that tells a fact: what stands before the kin in each form, and what stands after."""

    id: str
    heads: Mapping[str, str]
    tail: str
    lasting: bool
    plain: bool  # nothing like `after` stands before the kin, which could begin a clause

    @classmethod
    def parse(cls, line: str, verbs: Verbs) -> Phrase:
        text = line.removeprefix("!").strip()
        head, at, tail = text.partition(KIN_PLACE)
        verb, _, rest = head.partition(" ")
        if not at or KIN_PLACE in tail or not rest:
            raise ProbandError(f"a phrase is a verb in its base form, more words and one @, not {line!r}")
        heads = {form: f"{word} {rest}" for form, word in inflect(verb, verbs).items()}
        return cls(template_id(line, facts=1), heads, tail, not line.startswith("!"), rest.split()[-1] not in SWITCH)

    @property
    def final(self) -> bool:
        """Whether the kin stands last, so that `who` may follow."""
        return not self.tail

    @cached_property
    def loose(self) -> bool:
        """Whether a comma may stand beside the name."""
        return self.final and self.plain

    def clause(self, form: str, gender: str, kin: str, name: str, loose: float = 0.0) -> str:
        """Said of somebody of a gender; `loose`, where the kin stands last in the sentence, decides on a comma."""
        if loose > COMMA:
            return f"{self.heads[form]}{HIS[gender]}{kin}, {name}"
        if loose > APPOSITION:
            return f"{self.heads[form]}{name}, {HIS[gender]}{kin}"
        return f"{self.heads[form]}{HIS[gender]}{kin} {name}{self.tail}"

    def pattern(self, form: str, subject: int, kin: int) -> str:
        """The same in the template language."""
        return f"{self.heads[form]}{{{subject} his}} {{{kin} of {subject}}} {{{kin}}}{self.tail}"

    @cached_property
    def template(self) -> Template:
        return Template(self.id, f"{{0}} {self.pattern('past', 0, 1)}.", ((ANY,),))


@dataclass(frozen=True)
class Joint:
    """How the facts of a path are told together: text, and (form, subject, kin, named) for each of its clauses.

    >>> joint = Joint.parse("{0>1}, who was {ing 1>2}.")
    >>> joint.clauses, joint.final, joint.lasting
    ((('past', 0, 1, True), ('ing', 1, 2, False)), frozenset({0}), frozenset({1}))
    """

    literals: tuple[str, ...]
    clauses: tuple[tuple[str, int, int, bool], ...]
    final: frozenset[int] = frozenset()  # clauses that must end with the kin: `who` follows
    lasting: frozenset[int] = frozenset()  # clauses told as going on
    plain: frozenset[int] = frozenset()  # clauses before `before` and `after`: not `after her uncle Ben after ...`

    @classmethod
    def parse(cls, text: str) -> Joint:
        pieces = CLAUSE_SLOT.split(text)  # literal, form, subject, kin, literal, ...
        literals = tuple(pieces[::4])
        clauses = tuple((f or "past", int(a), int(b), f is None) for f, a, b in zip(*(pieces[i::4] for i in (1, 2, 3))))
        final = frozenset(i for i, after in enumerate(literals[1:]) if after.startswith(", who"))
        lasting = frozenset(i for i, before in enumerate(literals[:-1]) if before.endswith(" was "))
        plain = frozenset(i for i, after in enumerate(literals[1:]) if after.strip() in ("before", "after"))
        return cls(literals, clauses, final, lasting, plain)

    def takes(self, place: int, phrase: Phrase) -> bool:
        """Whether a phrase may be the clause at a place."""
        fits = (phrase.final or place not in self.final) and (phrase.lasting or place not in self.lasting)
        return fits and (phrase.plain or place not in self.plain)

    def suits(self, phrases: Sequence[Phrase]) -> bool:
        return all(self.takes(place, phrase) for place, phrase in enumerate(phrases))

    @cached_property
    def free(self) -> bool:
        """Whether any phrases will do."""
        return not (self.final or self.lasting or self.plain)

    def pattern(self, phrases: Sequence[Phrase]) -> str:
        """A template of these phrases, in the template language."""
        text = self.literals[0]
        for phrase, (form, a, b, named), literal in zip(phrases, self.clauses, self.literals[1:]):
            text += (f"{{{a}}} " if named else "") + phrase.pattern(form, a, b) + literal
        return text


@dataclass(frozen=True)
class Occasion:
    """`openings` say what it is, `moments` are its parts in the order of time."""

    name: str
    openings: tuple[str, ...]
    moments: tuple[str, ...]
    phrases: tuple[Phrase, ...] = field(repr=False)


def parse_occasions(text: str, *, name: str, verbs: Verbs) -> list[Occasion]:
    """The occasions of a file."""
    try:
        occasions = [
            Occasion(
                each["name"],
                tuple(each["openings"]),
                tuple(each["moments"]),
                tuple(Phrase.parse(line, verbs) for line in each["phrases"].strip().splitlines()),
            )
            for each in tomllib.loads(text)["occasion"]
        ]
        for occasion in occasions:
            if not occasion.openings or len(occasion.phrases) < len(JOINTS):
                raise ProbandError(f"occasion {occasion.name!r} needs an opening and at least {len(JOINTS)} phrases")
        return occasions
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ProbandError(f"not a file of occasions: {error}", file=name) from None
    except ProbandError as error:
        raise ProbandError(str(error), file=name) from None


def combined(occasions: Sequence[Occasion], n: int) -> int:
    """How many ways of telling n facts together the phrases and the joints give."""
    total = 0
    for occasion in occasions:
        for joint in JOINTS[n]:
            fits = [{p.id for p in occasion.phrases if joint.takes(place, p)} for place in range(n)]
            total += sum(len(set(chosen)) == n for chosen in product(*fits)) if n < 3 else _triples(*fits)
    return total


def _triples(a: set[str], b: set[str], c: set[str]) -> int:
    """Choices of three different elements, one of each set."""
    same = len(a & b) * len(c) + len(a & c) * len(b) + len(b & c) * len(a)
    return len(a) * len(b) * len(c) - same + 2 * len(a & b & c)


GRAMMAR: Final = read_toml(DATA / "kinship" / "joints.toml")
VERBS: Final[Verbs] = {verb: forms for verb, *forms in (line.split() for line in GRAMMAR["verbs"].strip().splitlines())}
JOINTS: Final = {n: tuple(Joint.parse(text) for text in GRAMMAR["joints"][str(n)]) for n in (1, 2, 3)}
FREE: Final = {n: tuple(joint for joint in joints if joint.free) for n, joints in JOINTS.items()}


def load_occasions() -> tuple[Occasion, ...]:
    """Ours, in the order of their files."""
    parts = sorted((DATA / "kinship" / "bank").glob("*.toml"))
    return tuple(each for part in parts for each in parse_occasions(read_utf8(part), name=part.name, verbs=VERBS))
