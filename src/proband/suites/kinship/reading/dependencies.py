"""A second reader, of another kind: rules over a dependency parse (proband-english, Universal Dependencies).

It shares the list of kin words with the grammar of `clauses.py` and nothing else: its people are the proper nouns of
the parse, its relations are arcs. A kin noun has its owner by an arc (`nmod:poss`, `nmod` with *of*, the subject of
*have*) and its person by another (`appos`, the subject of its copula, a predicate noun). Every kin noun must have both,
every clause that tells kin must stand by itself, and no arc from it may lead to a word that could take it back.

>>> from proband.suites.kinship.reading.dependencies import read_parsed_story
>>> [str(fact) for fact in read_parsed_story("Helen is the mother of Karen's husband David.").facts]
['David is the husband of Karen', 'Helen is the mother of David']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from proband.core.errors import ProbandError, not_installed
from proband.suites.kinship.reading.first_names import gender_of_name
from proband.suites.kinship.reading.lexicon import STORY_KIN, Kin, word_set
from proband.suites.kinship.reading.story import Fact, Story, Unread
from proband.suites.kinship.world.relations import FEMALE, MALE, word

LAST_LATIN: Final = 0x24F  # letters beyond are of other scripts
PIPELINE: Final = "proband_english"


HE_SHE: Final = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE, "hers": FEMALE}
CLAUSES: Final = word_set("ROOT conj acl:relcl appos parataxis")  # where a clause stands by itself
# words that turn a statement into something else wherever they stand in its sentence
DOUBT: Final = word_set(
    """
    if whether unless not n't never no nor neither maybe perhaps probably possibly may might could would should must
    shall will cannot can almost nearly hardly allegedly supposedly apparently reportedly presumably seemingly likely
    once formerly former ex future soon-to-be or either except otherwise instead unlike like than as used
    """
)
NEVER: Final = word_set(
    """
    pretend pretends pretended pretending dream dreams dreamed dreamt imagine imagines imagined film movie novel story
    tale fiction joke joking kidding claim claims claimed rumour rumor rumours rumors gossip alleged supposed so-called
    believe believes believed deny denies denied doubt doubts lie lied lies wish wishes wished suppose assume assumed
    otherwise sorry mistaken mistake wrong false true untrue real divorced divorce ex-husband ex-wife separated
    engaged adopted adopt foster step stepmother stepfather half-brother half-sister godfather godmother cousin cousins
    fiancé fiancée fiance fiancee partner honorary surrogate biological according except thought thinks say says
    """
)
AGES: Final = word_set(
    """
    older younger elder eldest oldest youngest big little small baby twin only other own dear beloved favorite favourite
    new young old late one two three four five six first second third grown adult infant lovely proud kind
    """
)
IN_LAW: Final = re.compile(r"(?i)\b(\w+)[ -]in[ -]law\b")  # one word for the parser
NAMING: Final = word_set("called named")
MARRYING: Final = word_set("married wed weds marries wedded")
YOUTH: Final = {"girl": Kin("child", FEMALE), "boy": Kin("child", MALE), "baby": Kin("child", None)} | {
    "girls": Kin("child", FEMALE, True),
    "boys": Kin("child", MALE, True),
}
GETTING: Final = word_set("has have had got fathered sired bore welcomed")
BEARING: Final = {"fathered": MALE, "sired": MALE, "bore": FEMALE}


class NotParsed(Exception):
    """What the parse does not tell."""


@cache
def _pipeline() -> Any:
    try:
        import spacy
    except ModuleNotFoundError as error:
        raise not_installed(error, "the second reader") from None
    try:
        return spacy.load(PIPELINE)
    except OSError:
        raise ProbandError(
            "the second reader needs our English pipeline: pip install ./weights/proband-english"
        ) from None


@dataclass(eq=False)
class Human:
    """A person of the story: with a name, or as kin of another."""

    name: str = ""
    gender: str | None = None
    kin: tuple[str, str | None] | None = None
    owners: tuple[Human, ...] = ()
    same: Human | None = None  # who it turned out to be

    @property
    def one(self) -> Human:
        return self.same.one if self.same else self

    @property
    def known(self) -> str | None:
        return self.gender or (gender_of_name(self.name) if self.name else None)

    def may_be(self, gender: str) -> bool:
        certain = self.gender or (gender_of_name(self.name, certain=True) if self.name else None)
        return certain in (None, gender)


Statement = tuple[Human, str, str | None, Human, int]  # owner, relation, gender, person, sentence


@dataclass
class _Parse:
    """The story so far."""

    named: dict[str, Human] = field(default_factory=dict)
    of_token: dict[int, list[Human]] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    mentioned: list[list[Human]] = field(default_factory=list)  # by sentence, in order
    number: int = 0


def read_parsed_story(text: str, *, genders: Mapping[str, str | None] | None = None) -> Story:
    """The facts of a story, by its parse."""
    if any(mark in text for mark in '"“”«»[]') or not text.isprintable():
        return Story(unread=Unread("quotations and brackets are not parsed"))
    if any(ord(letter) > LAST_LATIN and letter.isalpha() for letter in text):
        return Story(unread=Unread("a letter of another script"))
    parse = _Parse({name: Human(name, gender) for name, gender in (genders or {}).items()})
    sentence: Any = None
    try:
        for parse.number, sentence in enumerate(
            _pipeline()(IN_LAW.sub(r"\1inlaw", " ".join(text.replace("’", "'").split()))).sents
        ):
            _Sentence(sentence, parse).read()
        facts = _facts(parse)
    except NotParsed as error:
        return Story(unread=Unread(str(error), sentence.text if sentence is not None else ""))
    people = {one.name: one for statement in parse.statements for one in (statement[0], statement[3]) if one.name}
    return Story(
        facts=facts,
        genders={name: one.known for name, one in people.items()},
        by_name=frozenset(name for name, one in people.items() if one.known and not one.gender),
    )


class _Sentence:
    def __init__(self, sentence: Any, parse: _Parse) -> None:
        self.tokens: list[Any] = list(sentence)
        self.parse = parse
        self.heard: list[Human] = []
        self.used: set[int] = set()  # kin nouns that told something
        self.lower = {token.i: token.text.lower() for token in self.tokens}

    def kin(self, token: Any) -> Kin | None:
        if token.pos_ not in ("NOUN", "PROPN", "ADJ"):
            return None
        lower = self.lower.get(token.i, token.text.lower())
        if lower in YOUTH and self._is_child(token):
            return YOUTH[lower]
        return STORY_KIN.get(lower.replace("inlaw", "-in-law"))

    def _is_child(self, token: Any) -> bool:
        """Is a boy or a girl somebody's child: `has a boy`, `his little girl`?"""
        if token.dep_ == "obj" and token.head.text.lower() in GETTING:
            return True
        owned = self.children(token, "nmod:poss")
        return bool(owned) and bool({c.text.lower() for c in self.children(token, "amod", "nummod")} & AGES)

    def children(self, token: Any, *labels: str) -> list[Any]:
        return [child for child in token.children if child.dep_ in labels and child.i in self.lower]

    def read(self) -> None:
        words = set(self.lower.values())
        kin = [token for token in self.tokens if self.kin(token)]
        marriage = [token for token in self.tokens if self.lower[token.i] in MARRYING or self.lower[token.i] in BEARING]
        if never := words & NEVER:
            raise NotParsed(f"{min(never)!r} may change what is said")
        if "?" in words and (kin or any(token.pos_ == "PROPN" for token in self.tokens)):
            raise NotParsed("a question")
        for token in self.tokens:  # in order, so that a pronoun finds who came before
            if token.pos_ == "PROPN" and token.dep_ not in ("flat", "compound") and not self._is_place(token):
                self.mention(self.who(token))
            elif self.kin(token):
                self.mention(self._kin_noun(token))
        for token in (*marriage, *self.tokens):
            self._verb(token)
            self._name(token)
        self._birth()
        for token in kin:
            if token.i not in self.used:
                raise NotParsed(f"{token.text!r} is told of nobody")
        self.parse.mentioned.append(self.heard)

    def _is_place(self, token: Any) -> bool:
        """`in Galway`, `on Sunday`: no person."""
        cases = {c.text.lower() for c in self.children(token, "case")}
        return bool(cases & {"in", "on"}) or (
            bool(cases & {"at", "from", "near"}) and gender_of_name(token.text) is None
        )

    def mention(self, people: Iterable[Human]) -> None:
        for one in people:
            if one in self.heard:
                self.heard.remove(one)
            self.heard.append(one)

    # ---- people ------------------------------------------------------------------------------------------------------

    def who(self, token: Any) -> list[Human]:
        """Whom a token refers to."""
        known = self.parse.of_token.get(token.i)
        if known is None:
            known = self.parse.of_token[token.i] = self._who(token)
        return known

    def _who(self, token: Any) -> list[Human]:
        lower = self.lower.get(token.i, token.text.lower())
        if lower in ("who", "that", "whose", "whom"):
            clause = token
            while clause.dep_ not in ("acl:relcl", "ROOT"):
                clause = clause.head
            if clause.dep_ == "ROOT":
                raise NotParsed(f"{lower!r} refers to nobody")
            return self.who(clause.head)
        if self.kin(token):
            return self._kin_noun(token)
        if token.pos_ == "PRON":
            return self._pronoun(token, lower)
        if token.pos_ == "PROPN":
            parts = [token, *self.children(token, "flat", "compound")]
            parts = sorted((p for p in parts if p.pos_ == "PROPN" and not self.kin(p)), key=lambda p: p.i)
            name = " ".join(part.text for part in parts)
            return [self.parse.named.setdefault(name, Human(name))]
        if named := [c for c in self.children(token, "appos") if c.pos_ == "PROPN"]:
            return self.who(named[0])
        return [Human(kin=("somebody", None))]

    def everyone(self, token: Any) -> list[Human]:
        """The token's people with those joined to it."""
        people = list(self.who(token))
        for other in self.children(token, "conj"):
            if other.pos_ in ("PROPN", "PRON") or self.kin(other):
                people += [one for one in self.everyone(other) if one not in people]
        return people

    def _pronoun(self, token: Any, lower: str) -> list[Human]:
        if lower in ("they", "their", "them"):
            return self._they(token)
        gender = HE_SHE.get(lower)
        if lower == "it":
            return [Human(kin=("somebody", None))]
        if gender is None:
            raise NotParsed(f"whom {token.text!r} means")
        places = [self._before(token), *reversed(self.parse.mentioned[-3:])]
        if token.dep_ == "nmod:poss" and (subject := self._subject_over(token)):
            fitting = [one for one in subject if one.may_be(gender)]
            if len(subject) == 1 and fitting and not self._rival(fitting[0], gender, places[0]):
                places.insert(0, fitting)
        for place in places:
            fitting = list(dict.fromkeys(one for one in place if one.may_be(gender)))
            if len(fitting) > 1:
                raise NotParsed(f"{token.text!r} may mean {fitting[0].name} or {fitting[1].name}")
            if fitting:
                fitting[0].gender = fitting[0].gender or gender
                return fitting
        raise NotParsed(f"{token.text!r} means nobody")

    def _rival(self, one: Human, gender: str, others: Iterable[Human]) -> bool:
        return any(other is not one and other.may_be(gender) for other in others)

    def _subject_over(self, token: Any) -> list[Human]:
        """The subject of the clause a token stands in."""
        at = token.head
        while at.dep_ != "ROOT":
            at = at.head
            for subject in self.children(at, "nsubj", "nsubj:pass"):
                if subject.i < token.i and not self._contains(subject, token):
                    return self.everyone(subject)
        return []

    def _contains(self, top: Any, token: Any) -> bool:
        at = token
        while at.dep_ != "ROOT":
            if at.i == top.i:
                return True
            at = at.head
        return bool(at.i == top.i)

    def _before(self, token: Any) -> list[Human]:
        return [
            one
            for other in self.tokens
            if other.i < token.i
            and other.i in self.parse.of_token
            and (other.pos_ == "PROPN" or self.kin(other))
            and not self._is_place(other)
            for one in self.parse.of_token[other.i]
        ]

    def _they(self, token: Any) -> list[Human]:
        for place in (self._before(token), *reversed(self.parse.mentioned[-1:])):
            people = list(dict.fromkeys(place))
            if len(people) == 2:
                return people
            if people:
                break
        raise NotParsed("whom 'they' means")

    # ---- kin nouns ---------------------------------------------------------------------------------------------------

    def _kin_noun(self, token: Any) -> list[Human]:
        """Whom a kin noun names; what it tells is noted once."""
        if token.i in self.parse.of_token:
            return self.parse.of_token[token.i]
        kin = self.kin(token)
        assert kin is not None
        self._check_noun(token)
        self.parse.of_token[token.i] = []  # while its owners are looked for
        if (people := self._each_other(token, kin)) is not None:
            self.parse.of_token[token.i] = people
            return people
        owners = self._owners(token)
        if not owners:
            raise NotParsed(f"whose {token.text}?")
        people = self._names(token, kin) or [self._unnamed(token, kin, owners)]
        self.parse.of_token[token.i] = people
        if not kin.plural or people[0].name:
            self._state(owners, kin, people)
        self.used.add(token.i)
        return people

    def _unnamed(self, token: Any, kin: Kin, owners: Sequence[Human]) -> Human:
        """Somebody known by kin alone; not where a name stands beside that no arc leads to."""
        places = [each.i for each in token.subtree if each.dep_ != "punct"]
        around = {n: other for other in self.tokens for n in [other.i]}
        for comma, name in (
            (max(places) + 1, max(places) + 2),
            (min(places) - 1, min(places) - 2),
            (token.i, token.i + 1),
        ):
            beside = comma in around and name in around and around[name].pos_ == "PROPN"
            if beside and around[comma].text in (",", "(", "-", ":", token.text):
                raise NotParsed(f"a name beside {token.text!r}")
        return Human(gender=kin.gender, kin=(kin.neutral, kin.gender), owners=tuple(owners))

    def _check_noun(self, token: Any) -> None:
        """Nothing at the noun that makes it something else."""
        for child in token.children:
            lower = child.text.lower()
            if child.dep_ in ("amod", "nummod") and lower not in AGES and not lower.endswith("-old"):
                raise NotParsed(f"a {lower} {token.text}")
            if child.dep_ in ("compound", "advmod", "discourse") and not self.kin(child) and child.pos_ != "PROPN":
                raise NotParsed(f"{child.text} {token.text}")
            if child.dep_ in ("nmod", "obl") and {c.text.lower() for c in child.children if c.dep_ == "case"} - {
                "of",
                "to",
            }:
                raise NotParsed(f"{token.text} ... {child.text}")
            if child.dep_ == "case" and lower in DOUBT:
                raise NotParsed(f"{lower} {token.text}")
        if token.dep_ == "compound" and token.head.pos_ != "PROPN":
            raise NotParsed(f"{token.text} {token.head.text}")

    def _state(self, owners: Sequence[Human], kin: Kin, people: Sequence[Human]) -> None:
        if any(owner.kin and owner.kin[0] == "somebody" for owner in owners):
            raise NotParsed("kin of nobody known")
        for person in people:
            if kin.gender and person.gender not in (None, kin.gender):
                raise NotParsed(f"{person.name} is called {person.gender} and {kin.gender}")
            person.gender = person.gender or kin.gender
            for owner in owners:
                if owner is person:
                    raise NotParsed(f"{owner.name} would be kin of himself or herself")
                self.parse.statements.append((owner, kin.neutral, kin.gender, person, self.parse.number))

    def _owners(self, token: Any) -> list[Human]:
        chain = sorted(self.children(token, "nmod:poss"), key=lambda child: child.i)
        if len(chain) > 1 and not all(self.kin(each) for each in chain[1:]):
            raise NotParsed("a chain of possessives")
        if chain:
            return self.everyone(chain[-1])
        for child in self.children(token, "nmod", "obl"):
            case = {c.text.lower() for c in self.children(child, "case")}
            if case & {"of", "to"}:
                return self.everyone(child)
        if token.dep_ == "nmod:poss":
            earlier = [c for c in self.children(token.head, "nmod:poss") if c.i < token.i]
            if earlier:
                return self.everyone(max(earlier, key=lambda child: child.i))
        if token.dep_ == "obj" and token.head.text.lower() in GETTING:
            self._check_clause(token.head)
            return self._subjects(token.head)
        determined = {c.text.lower() for c in self.children(token, "det", "nummod")}
        if token.dep_ == "conj" and self.kin(token.head) and (determined & {"a", "an", "one", "two"} or not determined):
            return self._owners(token.head)
        return []

    def _subjects(self, verb: Any) -> list[Human]:
        subjects = self.children(verb, "nsubj", "nsubj:pass")
        if not subjects and verb.dep_ == "conj":
            return self._subjects(verb.head)
        if len(subjects) != 1:
            raise NotParsed(f"who {verb.text}?")
        people = self.everyone(subjects[0])
        copulas = {c.text.lower() for c in self.children(verb, "cop", "aux")} | {verb.text.lower()}
        if len(people) > 1 and copulas & {"is", "was", "has", "'s"} and self.kin(subjects[0]) is None:
            raise NotParsed("one or several?")
        return people

    def _names(self, token: Any, kin: Kin) -> list[Human]:
        """Whom the noun names: by apposition, by `called`, as the subject or the predicate of a copula."""
        if self.children(token, "cop"):
            self._check_clause(token)
            people = self._subjects(token)
            if kin.plural != (len(people) > 1):
                raise NotParsed("one or several?")
            if named := [c for c in self.children(token, "appos", "flat") if c.pos_ == "PROPN"]:
                self._give_name(people, self.who(named[0]))
                return self.who(named[0])
            return people
        if (
            token.dep_ == "conj"
            and self.kin(token.head)
            and token.head.dep_ in ("appos", "ROOT", "acl:relcl")
            and token.head.i in self.parse.of_token
            and self.children(token, "nmod", "nmod:poss")
            and not self.children(token, "appos", "conj")
        ):
            return self.parse.of_token[token.head.i]
        if beside := self._beside_a_name(token):
            return beside
        if token.dep_ == "appos" and (token.head.pos_ == "PROPN"):
            return self.who(token.head)
        if token.dep_ in ("flat", "compound") and token.head.pos_ == "PROPN":
            return self.who(token.head)
        named = [c for c in self.children(token, "appos", "flat") if c.pos_ == "PROPN"]
        if kin.plural or (not named and self._next_is_name(token)):
            named += [c for c in self.children(token, "conj") if c.pos_ == "PROPN"]
        for clause in self.children(token, "acl"):
            if clause.text.lower() in NAMING:
                named += [c for c in self.children(clause, "xcomp", "obj", "obl", "ccomp") if c.pos_ == "PROPN"]
        predicate = token.head if token.dep_ == "nsubj" else None
        if not named and predicate is not None and predicate.pos_ == "PROPN" and self.children(predicate, "cop"):
            self._check_clause(predicate)
            named = [predicate]
        if not named and token.dep_ in ("nsubj", "nsubj:pass") and token.head.text.lower() in NAMING:
            self._check_clause(token.head)
            named = [c for c in self.children(token.head, "xcomp", "obj") if c.pos_ == "PROPN"]
        people = [one for each in named for one in (self.everyone(each) if kin.plural else self.who(each))]
        people = list(dict.fromkeys(people))
        count = next((n for c in self.children(token, "nummod") if (n := NUMBERS.get(c.text.lower()))), 0)
        if people and (kin.plural != (len(people) > 1) or (count and count != len(people))):
            raise NotParsed("one or several?")
        return people

    def _beside_a_name(self, token: Any) -> list[Human]:
        """`Ewan, Morag's son, and ...`: right behind a name and between commas, whatever the arc is called."""
        left = min(each.i for each in token.subtree)
        before = [other for other in self.tokens if other.i in (left - 2, left - 1)]
        if len(before) < 2 or before[1].text != "," or before[0].pos_ != "PROPN" or self.children(token, "cc", "appos"):
            return []
        after = [
            other for other in self.tokens if other.i > max(each.i for each in token.subtree if each.dep_ != "punct")
        ]
        closed = not after or after[0].text in (",", ".")
        return self.who(before[0]) if closed and token.dep_ in ("conj", "appos") else []

    def _give_name(self, people: Sequence[Human], named: Sequence[Human]) -> None:
        """Whoever is known by kin alone has this name."""
        if len(people) != 1 or len(named) != 1 or people[0].name:
            raise NotParsed("two names for one")
        people[0].same = named[0]
        named[0].gender = named[0].gender or people[0].gender

    def _next_is_name(self, token: Any) -> bool:
        """`a son, Barry, and ...`: a conjunct that stands right behind an indefinite noun is its name."""
        after = [other for other in self.tokens if other.i in (token.i + 1, token.i + 2)]
        return len(after) == 2 and after[0].text == "," and after[1].pos_ == "PROPN" and after[1].head.i == token.i

    def _each_other(self, token: Any, kin: Kin) -> list[Human] | None:
        """`Ann and Bea are sisters`, `Tom and Ann are husband and wife`."""
        if kin.neutral not in ("sibling", "spouse") or self.children(token, "nmod:poss"):
            return None
        other = [c for c in self.children(token, "conj") if (k := self.kin(c)) and k.neutral == kin.neutral]
        if (
            token.dep_ == "conj"
            and (k := self.kin(token.head))
            and k.neutral == kin.neutral
            and not self.children(token, "appos")
        ):
            people = self.parse.of_token.get(token.head.i)
            self.used.add(token.i)
            return people
        if not self.children(token, "cop") or not (kin.plural or other) or self.children(token, "nmod"):
            return None
        self._check_clause(token)
        people = self._subjects(token)
        if len(people) < 2:
            raise NotParsed("one or several?")
        gender = kin.gender if kin.plural else None
        for n, one in enumerate(people):
            one.gender = one.gender or gender
            for two in people[n + 1 :]:
                self.parse.statements.append((one, kin.neutral, gender, two, self.parse.number))
        self.used |= {token.i, *(c.i for c in other)}
        return people

    # ---- clauses -----------------------------------------------------------------------------------------------------

    def _check_clause(self, top: Any) -> None:
        """A clause that tells kin stands by itself, and nothing in it takes it back."""
        at = top
        while at.dep_ != "ROOT":
            if at.dep_ not in CLAUSES:
                raise NotParsed(f"what {top.text!r} says is not said to be so ({at.dep_})")
            if at.dep_ == "acl:relcl":  # what it says of a noun, it says by itself
                break
            at = at.head
        for child in top.children:
            lower = child.text.lower()
            if lower in DOUBT:
                raise NotParsed(f"{lower!r} may change what is said")
            if child.dep_ in ("aux", "mark", "ccomp", "csubj", "discourse", "vocative") and lower not in (
                *("is", "was", "are", "were", "has", "have", "had", "been", "'s"),
            ):
                raise NotParsed(f"{lower!r} may change what is said")
            if child.dep_ in ("advmod", "obl", "advcl") and self.children(top, "cop") and not self._is_time(child):
                raise NotParsed(f"{lower!r} may change what is said")
        if at.i != top.i and {c.text.lower() for c in at.children} & DOUBT:
            raise NotParsed("a doubt in the main clause")

    def _is_time(self, token: Any) -> bool:
        lower = token.text.lower()
        return lower in ("also", "still", "now", "too", "years") or lower.isdigit() or lower in ("when", "while")

    def _verb(self, token: Any) -> None:
        lower = self.lower[token.i]
        if token.i in self.used or (lower not in MARRYING and lower not in BEARING):
            return
        if token.pos_ not in ("VERB", "ADJ"):
            raise NotParsed(f"{token.text!r}")
        self.used.add(token.i)
        self._check_clause(token)
        subjects = self._subjects(token)
        objects = self.children(token, "obj") or [
            c
            for c in self.children(token, "obl")
            if {"to", "with"} & {k.text.lower() for k in self.children(c, "case")}
        ]
        if lower in BEARING:
            if len(objects) != 1 or self.kin(objects[0]):
                return
            people = self.everyone(objects[0])
            self._state(subjects, Kin("child", None), people)
            subjects[0].gender = subjects[0].gender or BEARING[lower]
            return
        couple = [*subjects, *(one for each in objects[:1] for one in self.everyone(each))]
        if len(couple) != 2 or any(one.kin and one.kin[0] == "somebody" for one in couple):
            raise NotParsed("who married whom?")
        self.parse.statements.append((couple[0], "spouse", None, couple[1], self.parse.number))

    def _name(self, token: Any) -> None:
        """`Her name is Paloma`; `He is called Ben`."""
        lower = self.lower[token.i]
        if lower in ("knot", "vows", "marriage"):
            raise NotParsed(f"{token.text!r}")
        if lower == "name" and (owner := self.children(token, "nmod:poss")) and token.dep_ == "nsubj":
            if token.head.pos_ != "PROPN":
                raise NotParsed("a name")
            people = self.who(owner[-1])
            if not people[0].name:
                self._give_name(people, self.who(token.head))
        elif lower in NAMING and token.dep_ in CLAUSES:
            subject = self.children(token, "nsubj", "nsubj:pass")
            named = [c for c in self.children(token, "xcomp", "obj") if c.pos_ == "PROPN"]
            if subject and named and subject[0].pos_ == "PRON":
                self._give_name(self.who(subject[0]), self.who(named[0]))

    def _birth(self) -> None:
        """`Maria gave birth to Leo`, `Hannah was born to Miriam and Eli`."""
        for token in self.tokens:
            lower = self.lower[token.i]
            born = [
                c
                for c in token.children
                if c.dep_ in ("obl", "nmod") and "to" in {k.text.lower() for k in self.children(c, "case")}
            ]
            if lower == "born" and born:
                self._check_clause(token)
                self._state(self.everyone(born[0]), Kin("child", None), self._subjects(token))
            elif lower == "birth":
                verb = token.head
                born = born or [
                    c for c in self.children(verb, "obl") if "to" in {k.text.lower() for k in self.children(c, "case")}
                ]
                if verb.text.lower() not in ("gave", "given", "gives") or len(born) != 1 or self.kin(born[0]):
                    raise NotParsed("who was born?")
                self._check_clause(verb)
                mother = self._subjects(verb)
                mother[0].gender = mother[0].gender or FEMALE
                self._state(mother, Kin("child", None), self.everyone(born[0]))


NUMBERS: Final = {w: n for n, w in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), start=1)}


def _facts(parse: _Parse) -> tuple[Fact, ...]:
    """The statements with names; who has none is the one who is named as the same kin of the same person, or is called
    so."""
    statements = [(o.one, relation, gender, p.one, n) for o, relation, gender, p, n in parse.statements]
    named: dict[tuple[int, str, str | None], set[str]] = {}
    for owner, relation, _, person, _ in statements:
        if person.name:
            named.setdefault((id(owner), relation, person.known), set()).add(person.name)
    for owner, relation, _, person, _ in statements:
        if not person.name:
            same = named.get((id(owner), relation, person.known), set())
            if len(same) > 1:
                raise NotParsed(f"which {relation}?")
            kin = word(relation, person.gender) if person.gender else relation
            person.name = same.pop() if same else f"{owner.name or 'somebody'}'s {kin}"
    for owner, *_ in statements:
        owner.name = owner.name or "somebody"
    facts = [Fact(o.name, relation, p.name, gender or p.gender, False, n) for o, relation, gender, p, n in statements]
    if any(fact.owner == fact.person for fact in facts):
        raise NotParsed("kin of himself or herself")
    return tuple(dict.fromkeys(facts))
