"""Turn sentences into facts by the phrases of a domain. A sentence that no phrase fully covers is unread, not guessed.

A sentence is first masked (things.py); the rest is its shape. Shapes repeat (a data set made from templates has as
many shapes as templates), so each shape is read once. Findings are grouped by shape. A sentence of several clauses is
read if each clause is: "K is above C, and D is left of K", "K is above C but below D", "K is above C, which is above
D".

>>> from proband.english.domain import load
>>> grammar = Grammar(load("grid"))
>>> grammar.shape("Object K is above object C and to the left of it, too.", {"K", "C"}).text
'@0 is above @1 and to the left of it'
>>> grammar.read("K is above C and to the left of it. C is not below D.", set()).facts
(Fact(who='K', relation='upper-left', of='C', gender=None, negated=False, sentence=0), \
Fact(who='C', relation='below', of='D', gender=None, negated=True, sentence=1))
>>> grammar.read("To the left of the lamp is a chair, and above it hangs a mirror.", set()).unread.reason
'no phrase of the domain covers the sentence'
>>> grammar.question("Where is C seen from K?", set()).pair
('C', 'K')
>>> grammar.question("Which thing is left of the lamp?", set())
AskedRelation(who='', of='lamp', word=Word(relation='left', gender=None), adjacent=False, rank=1, among=(), \
kind='', either_way=False, route=False)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.people import MARK as ANYBODY  # named or unnamed
from proband.english.people import People
from proband.english.reading import AskedRelation, Reading, with_reasons
from proband.english.things import NounMasker, Shape, check_new, mask_names, names_in, same_things
from proband.english.tokens import NotRead, sentences

MARK: Final = r"@\d+"
EACH: Final = rf"{MARK}(?:(?:, and then |, and |, then | and | then |, ){MARK})*"
HARMLESS: Final = re.compile(r",? (?:too|as well|in turn|finally)(?=[,;]|$)|^(?:also|finally),? | also(?= )")
CLAUSES: Final = re.compile(r"(?:;|,)? (?:and|but|while|whereas) |[;,:] ")
RANKS: Final = {"second": 2, "third": 3, "fourth": 4}
SHAPES_KEPT: Final = 50_000
MOST_CLAUSES: Final = 8
compile_once = cache(re.compile)  # grammars of one domain have the same 700 patterns; `re` itself keeps 512


class ShapeFact(NamedTuple):
    """A fact of a shape, with numbers of things."""

    who: int
    word: Word
    of: int
    negated: bool


ShapeFacts = tuple[ShapeFact, ...]


class Grammar:
    """The compiled phrases of a domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.phrases = [(self._compile(form), says) for form, says in domain.phrases]
        self.questions = [(kind, self._compile(form)) for kind, forms in domain.questions.items() for form in forms]
        self.kinds = compile_once(rf"(?<!\w){domain.thing or '(?!)'} (?={MARK})")
        either = "|".join(pattern.pattern for pattern in domain.words.values())
        self.relation_word = compile_once(rf"(?<![\w-])(?:{either})(?![\w-])")
        self.relation_after = compile_once(rf" (?:\w+ )?(?:{either})(?![\w-])")
        self.relation_before = compile_once(rf"(?<![\w-])(?:{either}) (?:of|to) $")
        vocabulary = self._vocabulary() - {*domain.raw.get("content", ())}  # *the blue square* is a thing
        of = bool(domain.raw.get("of"))
        self.nouns = NounMasker(vocabulary, domain.thing, self.relation_word, of=of) if domain.nouns else None
        self.known: dict[str, ShapeFacts | None] = {}
        # for domains about people: mentions (and whether they name the person), and patterns that give a gender
        self.mentions = [
            (self._compile(form, marks=ANYBODY), not says.startswith("unnamed")) for form, says in domain.mentions
        ]
        hints = ("{r} {a}", "{a} (?:is|was) (?:the|an?|his|her|their|@\\d+'s) (?:\\w+ )?{r}") if domain.mentions else ()
        self.gender_hints = [self._compile(form, marks=ANYBODY) for form in hints]
        self.whose = compile_once(rf"whose .*(?:{either}) {MARK} (?!is |was |has |had )")  # *whose sister Ann met*
        self.age = compile_once(domain.expand("{age}"))
        titles = "|".join(word.capitalize() for word in either.split("|"))
        self.titled = compile_once(rf"\b(?:{titles}) {MARK}" if domain.mentions else "(?!)")

    def _vocabulary(self) -> frozenset[str]:
        """The words of phrases, questions and relations; none of them can be part of a thing."""
        forms = [form for form, _ in self.domain.phrases]
        forms += [form for own in self.domain.questions.values() for form in own]
        patterns = [self.domain.expand(form) for form in forms] + [p.pattern for p in self.domain.words.values()]
        patterns += [p.pattern for p in self.domain.most.values()]
        plain = " ".join(re.sub(r"\\.|\(\?P<\w+>|\{\w+\}|\[[^\]]*\]", " ", each) for each in patterns)
        words = re.sub(r"([a-z]+)\(\?:([a-z|]+)\)\??", _spelled_out, plain)
        words = re.sub(r"([a-z]+)([a-z])\?", r"\1 \1\2 ", words)
        return frozenset(re.findall(r"[a-z]+(?:'[a-z]+)?|\d+", words)) - {"s"}

    def _compile(self, form: str, *, marks: str = MARK) -> re.Pattern[str]:
        used: set[str] = set()
        each = EACH.replace(MARK, marks)

        def slot(match: re.Match[str]) -> str:
            name = match[1]
            if name in ("a", "b", "c", "d", "each"):
                if name in used:
                    return f"(?P={name})"
                used.add(name)
                return f"(?P<{name}>{each if name == 'each' else marks})"
            if name == "named":
                return f"(?P<b>{MARK})"
            if name == "rs":
                return f"(?P<rs>{'|'.join(map(re.escape, self.domain.plurals))})"
            if name == "kind":
                return rf"(?:{MARK}|thing|one|of them|of the \w+|of {MARK})"
            if name == "most":
                return "(?P<most>" + "|".join(p.pattern for p in self.domain.most.values()) + ")"
            if name in self.domain.slots:
                whole = r"(?![\w-])" if marks == ANYBODY else ""
                meant, words = self.domain.slots[name], self.domain.words.items()
                either = "|".join(f"(?:{pattern.pattern})" for word, pattern in words if word.relation in meant)
                return f"(?P<{name}>{either}){whole}"
            raise ProbandError(f"domain {self.domain.name}: {{{name}}} is neither a slot nor a macro: {form!r}")

        return compile_once(re.sub(r"\{([a-z_]+)\}", slot, self.domain.expand(form)))

    # ---- sentences ---------------------------------------------------------------------------------------------------

    def shape(self, sentence: str, names: Collection[str] | People) -> Shape:
        """`names`: the names in brackets; in domains whose things are names, all of them."""
        if isinstance(names, People):
            return names.shape(sentence)
        if self.nouns and not names:
            masked = self.nouns.mask(sentence)
        else:
            masked = mask_names(sentence, names)
            masked = masked._replace(text=self.kinds.sub("", masked.text))
        return masked._replace(text=HARMLESS.sub("", masked.text))

    def names(self, text: str, question: str) -> Collection[str] | People:
        """The second argument of `shape`: people, names, or what is in brackets; empty if things are nouns."""
        if self.domain.mentions:
            return People(text, question)
        found = names_in(text, question)
        return found if not self.nouns or "[" in text else set()

    @with_reasons
    def read(self, text: str, names: Collection[str]) -> Reading:
        """The facts of a text in which a phrase covers every sentence."""
        facts: list[Fact] = []
        parts = sentences(text)
        shapes = [self.shape(sentence, names) for sentence in parts]
        check_new(shapes)
        for number, shape in enumerate(shapes):
            if (clauses := self.shape_facts(shape.text)) is None:
                raise NotRead("no phrase of the domain covers the sentence", parts[number])
            for who, word, of, negated in clauses:
                facts.append(Fact(shape.things[who], word.relation, shape.things[of], word.gender, negated, number))
        return Reading(facts=tuple(facts), sentences=tuple(parts), shapes=tuple(shape.text for shape in shapes))

    def shape_facts(self, shape: str) -> ShapeFacts | None:
        if shape not in self.known:
            if len(self.known) >= SHAPES_KEPT:
                self.known.clear()
            readings = self._readings(shape, MOST_CLAUSES)
            self.known[shape] = readings[0] if len({frozenset(each) for each in readings}) == 1 else None
        return self.known[shape]

    def _readings(self, shape: str, depth: int) -> list[ShapeFacts]:
        """The readings of a shape: as a whole, or clause by clause."""
        whole = self._whole(shape)
        if whole or not depth:
            return whole
        readings: list[ShapeFacts] = []
        for match in CLAUSES.finditer(shape):
            left, right = shape[: match.start()], shape[match.end() :]
            first = self._whole(left)
            if not any(first):
                continue
            for rest in _continued(left, right, first[0]):
                if following := self._readings(rest, depth - 1):
                    readings += [(*one, *other) for one in first for other in following]
                    break
        return readings

    def _whole(self, shape: str) -> list[ShapeFacts]:
        return [facts for pattern, says in self.phrases if (facts := self.facts_of(pattern, says, shape)) is not None]

    def facts_of(self, pattern: re.Pattern[str], says: str, shape: str) -> ShapeFacts | None:
        """The facts that a phrase states about a shape; None if it does not cover it."""
        match = pattern.fullmatch(shape)
        if match is None:
            return None
        groups, facts = match.groupdict(), []
        for clause in filter(None, says.split(", ")):
            a, relation, b = clause.split(" ")
            word = self._word_of_clause(relation, groups)
            if word is None:
                return None
            marks, negated = _marks(groups[a]), bool(groups.get("no"))
            if b == "next":  # for things in a row, each and its successor
                facts += [ShapeFact(one, word, other, negated) for one, other in pairwise(marks)]
                continue
            facts += [ShapeFact(mark, word, owner, negated) for mark in marks for owner in _marks(groups[b])]
        return tuple(facts)

    def _word_of_clause(self, relation: str, groups: Mapping[str, str | None]) -> Word | None:
        if relation == "r" and groups.get("rs"):
            return self.word(groups["rs"])
        words = [
            self.word(groups[slot]) if slot in groups else self.word(slot) or Word(slot) for slot in relation.split("+")
        ]
        if len(words) == 1:
            return words[0]
        first, second = words
        if first is None or second is None:
            return None
        if first == second:
            return first
        combined = self.domain.combine.get((first.relation, second.relation))
        return Word(combined) if combined else None

    def word(self, text: str | None) -> Word | None:
        """The one relation of a word or its plural."""
        if text and text in self.domain.plurals:
            return self.domain.plurals[text]
        words = [word for word, pattern in self.domain.words.items() if pattern.fullmatch(text or "")]
        return words[0] if len(words) == 1 else None

    # ---- questions ---------------------------------------------------------------------------------------------------

    def question(self, text: str, names: Collection[str] | People) -> AskedRelation:
        return self.place_of_question(sentences(text), names)[1]

    def place_of_question(self, parts: Sequence[str], names: Collection[str] | People) -> tuple[int, AskedRelation]:
        """The position of the question among the sentences, and its meaning."""
        questions: dict[tuple[int, AskedRelation], None] = {}
        for number, sentence in enumerate(parts):
            if number == len(parts) - 1 or "?" in sentence or "___" in sentence:
                try:
                    shape = self.shape(sentence, names)
                except NotRead as error:
                    raise NotRead(str(error), sentence) from None
                questions |= {(number, asked): None for asked in self._asked(shape)}
        if len(questions) != 1:
            last = next((s for s in reversed(parts) if s.endswith("?")), parts[-1] if parts else "")
            form = "the question is in a form that the reader does not know: 'What is A to B?' is one that it does"
            raise NotRead("the text has more than one question" if questions else form, last)
        return next(iter(questions))

    def _asked(self, shape: Shape) -> Iterator[AskedRelation]:
        for kind, pattern in self.questions:
            match = pattern.fullmatch(shape.text)
            if not match or (groups := match.groupdict()).get("no"):
                continue
            a, b = (shape.things[int(groups[slot][1:])] if groups.get(slot) else "" for slot in ("a", "b"))
            if kind in ("forms", "route", "either"):
                yield AskedRelation(a, b, route=kind == "route", either_way=kind == "either")
                continue
            word = self._most(groups["most"]) if "most" in groups else self.word(groups.get("r"))
            if word is None:
                continue
            if kind == "inverse":
                yield AskedRelation("", b, Word(self.domain.inverse[word.relation]))
            elif kind == "between" and a and b:
                yield AskedRelation("", "", word, among=(a, b))
            else:
                rank = RANKS.get(groups.get("rank") or "", 1)
                kind = next((thing for thing in shape.things if thing not in (a, b, "thing", "object", "event")), "")
                yield AskedRelation(a, b, word, adjacent=bool(groups.get("adjacent")), rank=rank, kind=kind)

    def _most(self, text: str | None) -> Word | None:
        words = [word for word, pattern in self.domain.most.items() if pattern.fullmatch(text or "")]
        return words[0] if len(words) == 1 else None

    # ---- a row -------------------------------------------------------------------------------------------------------

    @with_reasons
    def __call__(self, text: str, question: str, _: Mapping[str, str | None], /) -> Reading:
        """Read a story and its question."""
        names = self.names(text, question)
        asked = self.question(question, names)
        reading = self.read(text, () if isinstance(names, People) else names)
        if reading.unread or not self.nouns:
            return replace(reading, question=asked)
        return with_things(replace(reading, question=asked), asked, text, question)


def with_things(reading: Reading, asked: AskedRelation, text: str, question: str) -> Reading:
    """A reading with one phrase for each thing, and the things that the question is about."""
    phrases = [thing for fact in reading.facts for thing in (fact.who, fact.of)]
    meant = same_things(phrases, list(filter(None, (asked.who, asked.of, *asked.among))))
    facts = tuple(fact._replace(who=meant[fact.who], of=meant[fact.of]) for fact in reading.facts)
    asked, mentioned = asked.renamed(meant), dict.fromkeys(meant[phrase] for phrase in phrases)
    own = [each for each in (asked.who, asked.of, *asked.among) if each]
    if not own and (owned := next((each for each in sorted(mentioned) if "'s " in each), "")):
        raise NotRead(f"the question compares everybody in the text, but not {owned!r}", question)
    if facts and (unknown := next((each for each in own if each not in mentioned and each.islower()), "")):
        raise NotRead(f"the story does not mention {unknown!r}", question)
    if asked.kind:
        among = tuple(each for each in mentioned if each.split()[-1] == asked.kind)
        if not among:
            raise NotRead(f"it is unclear which things are of the kind {asked.kind!r}", question)
        asked = asked._replace(among=among, kind="")
    names = [each for each in mentioned if re.search(rf"\b{re.escape(each.title())}\b", text)]
    if question.lower().startswith(("who ", "who's ")) and len(names) < len(mentioned):
        raise NotRead("'who' asks for people, and the text is also about other things", question)
    return replace(reading, facts=facts, question=asked)


def _marks(text: str | None) -> list[int]:
    return [int(mark[1:]) for mark in re.findall(MARK, text or "")]


def _spelled_out(match: re.Match[str]) -> str:
    """
    >>> _spelled_out(re.match(r"([a-z]+)[(][?]:([a-z|]+)[)][?]?", "overlap(?:s|ping)"))
    'overlap overlaps overlapping'
    """
    return " ".join([match[1], *(match[1] + ending for ending in match[2].split("|"))])


def _continued(left: str, right: str, facts: ShapeFacts) -> Iterator[str]:
    """Full forms of the second of two clauses: unchanged, with the subject of the first clause, with the referent of
    `which`, or with the omitted verb."""
    yield right
    marks = re.findall(MARK, left)
    if relative := re.match(r"(?:which|who|that) ", right):
        yield f"{marks[-1]} {right[relative.end() :]}"
    elif not right.startswith("@"):
        yield f"@{facts[0].who} is {right}"
        yield f"@{facts[0].who} {right}"
    else:
        yield re.sub(rf"^({MARK}) ", r"\1 is ", right)
