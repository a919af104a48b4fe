"""The second reader of domains whose things are nouns: rules over dependency parses instead of phrases.

The pipeline of the package `proband-english` parses a sentence. A word for a relation links two things. The first is
the subject of its clause, or what follows the verb if the place comes first. The second, the reference, is the word's
dependent, or the noun of the preposition. Every other word must be of a kind that does not affect relations. The
phrases of the domain are not used, only its words for relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.extraction.plain_text import our_parser
from proband.english.phrases import Grammar, with_things
from proband.english.reading import Reading, with_reasons
from proband.english.things import BRACKETED, DETERMINERS, check_new
from proband.english.tokens import NotRead, sentences
from proband.english.unreal import listed

SUBJECT: Final = ("nsubj", "nsubj:pass", "nsubj:outer", "expl")
PLACE: Final = listed("nmod obl obl:mod advmod amod acl acl:relcl advcl xcomp ccomp conj dep")
OBJECT: Final = ("nmod", "obl", "obl:mod", "obj", "advcl", "ccomp", "nmod:desc", "dep")
PLAIN: Final = listed("""
    is are was were be 's lies lie sits sit stands stand hangs hang rests rest came come comes happened happens took
    takes place occurred occurs held served shown located placed positioned situated sitting standing hanging seated
    directly immediately just straight due slightly also too there to the of than on at in side corner by from and but
    , ; . : both which that hand long shortly even far much a an as well
    """)


class ParsedReader:
    """Reads stories of one domain. Questions are read by the phrases, because they have fixed forms."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.grammar = domain, Grammar(domain)
        self.parsed: dict[str, tuple[Fact, ...] | NotRead] = {}

    @with_reasons
    def __call__(self, text: str, question: str, _: Mapping[str, str | None], /) -> Reading:
        if isinstance(parser := our_parser(), str):
            raise NotRead(parser)
        asked = self.grammar.question(question, set())
        check_new([self.grammar.shape(sentence, set()) for sentence in sentences(text)])
        parts = sentences(BRACKETED.sub(r"\1", text))
        read = [fact._replace(sentence=n) for n, each in enumerate(parts) for fact in self._sentence(each, parser.nlp)]
        return with_things(Reading(facts=tuple(read)), asked, text, question)

    def _sentence(self, sentence: str, parse: Callable[[str], Any]) -> tuple[Fact, ...]:
        if sentence not in self.parsed:
            try:
                self.parsed[sentence] = self._combined(list(self._facts(parse(sentence))))
            except NotRead as error:
                self.parsed[sentence] = NotRead(str(error), sentence)
        read = self.parsed[sentence]
        if isinstance(read, NotRead):
            raise read
        return read

    def _combined(self, facts: list[Fact]) -> tuple[Fact, ...]:
        """Two directions for one pair are one relation: above and left."""
        pairs: dict[tuple[str, str], str] = {}
        for fact in facts:
            known = pairs.get((fact.who, fact.of))
            both = self.domain.combine.get((known, fact.relation)) if known else fact.relation
            if both is None and known != fact.relation:
                raise NotRead(f"{fact.who} is both {known} and {fact.relation}")
            pairs[fact.who, fact.of] = both or fact.relation
        return tuple(Fact(a, relation, b) for (a, b), relation in pairs.items())

    def _facts(self, parse: Any) -> Iterator[Fact]:
        used: set[int] = set()
        found = list(self._relations(parse))
        if not found:
            raise NotRead("the sentence states no known relation")
        spans = {token.i for _, tokens in found for token in tokens}
        for word, tokens in found:
            head = self._head(tokens)
            b = self._object(head, spans)
            a = self._subject(head, b, spans)
            used |= {token.i for thing in (a, b) for token in self._phrase(thing, spans)} | {t.i for t in tokens}
            yield Fact(self._name(a, spans), word.relation, self._name(b, spans))
        for token in parse:
            if token.i not in used and token.lower_ not in PLAIN and token.lower_ not in DETERMINERS:
                raise NotRead(f"{token.text!r} is not accounted for")

    def _relations(self, parse: Any) -> Iterator[tuple[Word, list[Any]]]:
        """Words for relations, the longest first: `upper left` is one, not two."""
        at = 0
        while at < len(parse):
            for end in range(min(len(parse), at + 4), at, -1):
                word = self.domain.word(parse[at:end].text) if parse[at].lower_ not in ("the", "to", "on") else None
                if word:
                    yield word, list(parse[at:end])
                    at = end - 1
                    break
            at += 1

    def _head(self, tokens: list[Any]) -> Any:
        return next((token for token in tokens if token.head not in tokens), tokens[-1])

    def _object(self, head: Any, spans: set[int]) -> Any:
        """The second thing of the relation, its reference: the lamp in "left of the lamp"."""
        if head.dep_ in ("case", "mark") and self._is_thing(head.head, spans):
            return head.head
        below = [child for child in head.children if child.dep_ in OBJECT and child.i > head.i]
        things = [child for child in below if self._is_thing(child, spans)]
        if len(things) != 1:
            raise NotRead(f"it is unclear what {head.text!r} is relative to")
        return things[0]

    def _subject(self, head: Any, b: Any, spans: set[int]) -> Any:
        """The first thing: the subject of its clause or of a coordinated clause, or what follows the verb."""
        here = b if head.dep_ in ("case", "mark") else head
        for _ in range(6):
            own = [child for child in here.children if child.dep_ in SUBJECT and child.i != b.i]
            if own:
                return self._meant(own[0], here, spans)
            behind = [
                c for c in here.children if c.dep_ in ("obj", "parataxis") and self._is_thing(c, spans) and c is not b
            ]
            if behind and here.pos_ in ("VERB", "AUX"):
                return behind[0]
            if here is not b and here is not head and self._is_thing(here, spans):
                return here  # "to the left of the lamp is a chair": the chair is the head
            if here.dep_ not in PLACE:
                break
            here = here.head
        raise NotRead(f"it is unclear what {head.text!r} applies to")

    def _meant(self, subject: Any, here: Any, spans: set[int]) -> Any:
        """The referent of a relative pronoun: the head of its clause."""
        if subject.lower_ in ("which", "that", "who"):
            return here.head
        if not self._is_thing(subject, spans) or any(child.dep_ == "conj" for child in subject.children):
            raise NotRead(f"{subject.text!r} is not one thing")
        return subject

    def _is_thing(self, token: Any, spans: set[int]) -> bool:
        return token.i not in spans and token.pos_ in ("NOUN", "PROPN", "NUM", "ADJ", "X", "SYM")

    def _phrase(self, thing: Any, spans: set[int]) -> list[Any]:
        """The words of a thing: the noun and its modifiers before it."""
        kinds = ("compound", "amod", "nummod", "flat", "det", "nmod:poss", "case", "nmod", "appos")
        own = [
            c for c in thing.children if c.dep_ in kinds and c.i not in spans and (c.i < thing.i or c.dep_ == "flat")
        ]
        near = [c for c in own if abs(c.i - thing.i) < 5 and c.lower_ not in PLAIN]
        return sorted([*near, thing], key=lambda token: token.i)

    def _name(self, thing: Any, spans: set[int]) -> str:
        for child in thing.children:
            if child.dep_ == "det" and child.lower_ not in DETERMINERS:
                raise NotRead(f"'{child.text} {thing.text}' is not one certain thing")
        words = [token.text for token in self._phrase(thing, spans) if token.pos_ not in ("DET", "ADP", "PUNCT")]
        shape = self.grammar.shape(" ".join(words), set())
        if len(shape.things) != 1 or shape.text != "@0":
            raise NotRead(f"{' '.join(words)!r} is not one thing")
        return shape.things[0]
