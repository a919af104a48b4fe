"""Sentences to facts by the phrases of a domain. What no phrase covers whole is not guessed: it is unread.

A sentence is first masked: the things it names become @0, @1, ... and what is left is its shape. Shapes repeat (a data
set made from templates has as many as templates), so each is read once; they are also what findings are grouped by.

>>> from proband.auditing.domain import load
>>> grammar = Grammar(load("grid"))
>>> grammar.shape("Object K is above object C and to the left of it, too.", {"K", "C"}).text
'@0 is above @1 and to the left of it, too'
>>> grammar.read("K is above C and to the left of it. C is not below D.", {"K", "C", "D"}).facts
(Fact(a='K', relation='upper-left', b='C', gender=None, negated=False, sentence=0), \
Fact(a='C', relation='below', b='D', gender=None, negated=True, sentence=1))
>>> grammar.question("Where is C seen from K?", {"C", "K"})
('C', 'K')
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from proband.auditing.domain import Domain, Fact, Word
from proband.auditing.reading import Reading, Unread
from proband.core.errors import ProbandError

MARK: Final = r"@\d+"
EACH: Final = rf"{MARK}(?:(?:, and | and |, ){MARK})*"
SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)")
ABBREVIATED: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|St)\.")
CAPITAL: Final = re.compile(r"(?<![\w'])[A-Z][\w-]*")
BRACKETED: Final = re.compile(r"\[([^\][]{1,80})\]")
_FUNCTION_WORDS = """
    The An They He She It His Her Their Its We You My Our What How Who Whom Whose Where When Which Why In On At To Of
    From By If Object Objects Agent Agents Go Seen There This That These Those One Both Each All And But Or Then So As
    Is Are Was Were Does Do Did Given Answer Question Respond Provide After Before During While Since Because Not No
    Event Task Tasks Yes With For Also Finally First Next Once Here Let Suppose Label Target Solution Hint Note
    Therefore Hence Thus Read Block Blocks Box Boxes Shape Shapes Square Squares Building Place Meeting Job Mr Mrs Ms
    """
NO_NAMES: Final = frozenset(_FUNCTION_WORDS.split())
VERBS: Final = r"(?:is|and|are|was|presents|lies|sits|stands|on|to|has|overlaps?|before|after|during)\b"
ONE_WORD: Final = re.compile(r"(?<![\w@])[A-Za-z][\w-]*")  # a name of one word needs no pattern of its own
SHAPES_KEPT: Final = 50_000


class Shape(NamedTuple):
    """A sentence with its things numbered as they come."""

    text: str
    things: tuple[str, ...]


class ShapeFact(NamedTuple):
    """A fact of a shape: numbers of things, -1 for the pair of the sentence before."""

    a: int
    word: Word
    b: int
    negated: bool


def split(text: str) -> list[str]:
    """
    >>> split("Ann met Mr. Bo.  They left!")
    ['Ann met Mr Bo.', 'They left!']
    """
    plain = ABBREVIATED.sub(r"\1", text.replace("’", "'").replace("‘", "'"))
    return [part.strip() for part in SENTENCE.split(" ".join(plain.split())) if part.strip()]


def names_in(text: str, question: str = "") -> set[str]:
    """What looks like a name: in brackets, or else a word with a capital that is no function word.

    >>> sorted(names_in("The object A is above B. A box fell.", "What is A to B?"))
    ['A', 'B']
    >>> sorted(names_in("[Ann Lee] is [Bo]'s aunt."))
    ['Ann Lee', 'Bo']
    """
    if bracketed := set(BRACKETED.findall(text)):
        return bracketed
    capitals = set(CAPITAL.findall(text)) | set(CAPITAL.findall(question))
    letters = any(len(name) == 1 for name in capitals - {"A", "I"}) or re.search(r"(?<=\w )[AI]\b", question)
    return capitals - NO_NAMES - (set() if letters else {"A", "I"})


class Grammar:
    """The compiled phrases of a domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.phrases = [(self._compile(form), says) for form, says in domain.phrases]
        self.questions = [self._compile(form) for form in domain.questions]
        self.thing = re.compile(rf"(?<!\w){domain.thing} (?={MARK})")
        either = "|".join(pattern.pattern for pattern in domain.words.values())
        self.relation_word = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
        self.known: dict[str, tuple[ShapeFact, ...] | None] = {}

    def _compile(self, form: str) -> re.Pattern[str]:
        seen: set[str] = set()

        def slot(match: re.Match[str]) -> str:
            name = match[1]
            if name in ("a", "b", "each"):
                if name in seen:
                    return f"(?P={name})"
                seen.add(name)
                return f"(?P<{name}>{EACH if name == 'each' else MARK})"
            if name in self.domain.slots:
                return f"(?P<{name}>{self._words(self.domain.slots[name])})"
            raise ProbandError(f"domain {self.domain.name}: {{{name}}} is neither a slot nor a macro: {form!r}")

        return re.compile(re.sub(r"\{([a-z_]+)\}", slot, self.domain.expand(form)))

    def _words(self, relations: Collection[str]) -> str:
        patterns = [p.pattern for word, p in self.domain.words.items() if word.relation in relations]
        return "|".join(f"(?:{pattern})" for pattern in patterns)

    # ---- sentences ---------------------------------------------------------------------------------------------------

    def shape(self, sentence: str, names: Collection[str]) -> Shape:
        things: dict[str, int] = {}

        def mark(match: re.Match[str]) -> str:
            name = match[0]
            if name not in names:
                return name
            if name in ("A", "I") and match.start() == 0 and not re.match(rf"(?:'s)? {VERBS}", sentence[match.end() :]):
                return name  # an article or a pronoun
            return f"@{things.setdefault(name, len(things))}"

        plain_names = all(map(ONE_WORD.fullmatch, names))
        pattern = ONE_WORD if plain_names else _names_pattern(tuple(sorted(names, key=lambda n: (-len(n), n))))
        masked = pattern.sub(mark, sentence)
        plain = re.sub(r"\[(@\d+)\]", r"\1", masked).lower().rstrip(".!? ")
        return Shape(self.thing.sub("", plain), tuple(things))

    def read(self, text: str, names: Collection[str]) -> Reading:
        """The facts of a text; unread if a sentence about its things is covered by no phrase."""
        facts: list[Fact] = []
        sentences = split(text)
        shapes: list[str] = []
        pair: tuple[str, ...] = ()
        for number, sentence in enumerate(sentences):
            shape = self.shape(sentence, names)
            shapes.append(shape.text)
            clauses = self._shape_facts(shape.text)
            if clauses is None and not shape.things and not self.relation_word.search(shape.text):
                continue  # it names nothing and says no relation
            of_pair, problem = any(fact.b < 0 for fact in clauses or ()), ""
            if clauses is None:
                problem = "no phrase of the domain covers the sentence"
            elif of_pair and len(pair) != 2:
                problem = "'they' has no pair of people before it"
            if problem:
                return Reading(
                    facts=tuple(facts),
                    sentences=tuple(sentences),
                    shapes=tuple(shapes),
                    unread=Unread(problem, sentence),
                )
            for a, word, b, negated in clauses or ():
                for owner in pair if b < 0 else (shape.things[b],):
                    facts.append(Fact(shape.things[a], word.relation, owner, word.gender, negated, number))
            pair = pair if of_pair else shape.things
        return Reading(facts=tuple(facts), sentences=tuple(sentences), shapes=tuple(shapes))

    def _shape_facts(self, shape: str) -> tuple[ShapeFact, ...] | None:
        if shape not in self.known:
            if len(self.known) >= SHAPES_KEPT:
                self.known.clear()
            readings = {
                facts for pattern, says in self.phrases if (facts := self._facts(pattern, says, shape)) is not None
            }
            self.known[shape] = readings.pop() if len(readings) == 1 else None
        return self.known[shape]

    def _facts(self, pattern: re.Pattern[str], says: str, shape: str) -> tuple[ShapeFact, ...] | None:
        match = pattern.fullmatch(shape)
        if match is None:
            return None
        groups, facts = match.groupdict(), []
        for clause in filter(None, says.split(", ")):
            a, relation, b = clause.split(" ")
            word = self._word_of_clause(relation, groups)
            if word is None:
                return None
            for mark in re.findall(MARK, groups[a]):
                facts.append(
                    ShapeFact(int(mark[1:]), word, -1 if b == "they" else int(groups[b][1:]), bool(groups.get("no")))
                )
        return tuple(facts)

    def _word_of_clause(self, relation: str, groups: dict[str, str | None]) -> Word | None:
        words = [self._word(groups[slot]) if slot in groups else Word(slot) for slot in relation.split("+")]
        if len(words) == 1:
            return words[0]
        first, second = words
        if first is None or second is None:
            return None
        if first == second:
            return first
        combined = self.domain.combine.get((first.relation, second.relation))
        return Word(combined) if combined else None

    def _word(self, text: str | None) -> Word | None:
        words = [word for word, pattern in self.domain.words.items() if pattern.fullmatch(text or "")]
        return words[0] if len(words) == 1 else None

    # ---- questions ---------------------------------------------------------------------------------------------------

    def question(self, text: str, names: Collection[str]) -> tuple[str, str] | Unread:
        """(a, b) where the answer is what a is to b."""
        question = self.place_of_question(split(text), names)
        return question if isinstance(question, Unread) else question[1]

    def place_of_question(
        self, sentences: Sequence[str], names: Collection[str]
    ) -> tuple[int, tuple[str, str]] | Unread:
        """Which of the sentences is the question, and what it asks."""
        questions: list[tuple[int, tuple[str, str]]] = []
        for number, sentence in enumerate(sentences):
            if "?" not in sentence and "___" not in sentence:
                continue
            shape = self.shape(sentence, names)
            pairs = {(m["a"], m["b"]) for pattern in self.questions if (m := pattern.fullmatch(shape.text))}
            questions += [(number, (shape.things[int(a[1:])], shape.things[int(b[1:])])) for a, b in pairs]
        if len(questions) != 1:
            last = next((s for s in reversed(sentences) if s.endswith("?")), sentences[-1] if sentences else "")
            return Unread("it asks more than one question" if questions else "no form of question covers it", last)
        return questions[0]


@lru_cache(maxsize=4096)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w@])(" + "|".join(map(re.escape, names)) + r")(?![\w])")
