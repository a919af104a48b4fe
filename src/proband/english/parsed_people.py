"""The second reader of stories about people: a relation word and its two arguments over the arcs of a dependency parse.

One arc leads from a relation noun to its owner (a possessive, *of*, the subject of *have*), another to its holder (an
apposition, the subject of its copula, a predicate noun). Names, pronouns and the list of words that retract a statement
are shared with the other reader; phrases are not used. A noun without an owner is unread.

>>> from proband.english.domain import load
>>> reading = ParsedPeople(load("kinship")).read("Helen is the mother of Karen's husband David.", ())
>>> sorted(fact[:3] for fact in reading.facts)
[('David', 'spouse', 'Karen'), ('Helen', 'parent', 'David')]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from proband.english.domain import Domain, Word
from proband.english.extraction.factuality import asserted
from proband.english.extraction.plain_text import our_parser
from proband.english.extraction.trees import Tree
from proband.english.mentions import PeopleGrammar
from proband.english.people import PRONOUNS, THEY, People
from proband.english.people_facts import MORE, PeopleFacts, linked
from proband.english.phrases import Grammar
from proband.english.reading import Reading, Unread, with_reasons
from proband.english.tokens import NotRead, foreign_letter, sentences
from proband.english.unreal import FAMILY, UNREAL, listed

IN_LAW: Final = re.compile(r"\b(\w+)-in-law\b")  # one word, for the parser
SUBJECTS: Final = ("nsubj", "nsubj:pass")
HAVING: Final = listed("has have had got")
QUALIFYING: Final = listed("nmod obl obl:mod obl:tmod obl:npmod advmod advcl")  # dependents of a predicate noun
NAMING: Final = listed("called named")
MARRYING: Final = listed("married marries wed weds")
HANDLED: Final = MARRYING | NAMING | listed("elder eldest oldest youngest baby twin kid kids name")
STAND_INS: Final = ("Adam", "Bella", "Cyril", "Daphne", "Edgar", "Fiona", "Gregory", "Harriet", "Ivan", "Judith")


class ParsedPeople:
    """Reads stories of a domain about people. Questions are read by the phrases, because they have fixed forms."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.grammar = domain, PeopleGrammar(domain)

    @with_reasons
    def __call__(self, text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
        asked = self.grammar.question(question, People(text, question, genders))
        names = [name for name in asked.pair if name]
        return replace(linked(self.read(text, names, genders), names), question=asked)

    def read(self, text: str, names: Collection[str], genders: Mapping[str, str | None] | None = None) -> Reading:
        """The facts of a story."""
        parser, now = our_parser(), ""
        if isinstance(parser, str):
            return Reading(unread=Unread(parser))
        parts = sentences(text)
        try:
            if letter := foreign_letter(text):
                raise NotRead(f"{letter!r} is not an English letter")
            people = People(text, " ".join(names), {**dict.fromkeys(names), **(genders or {})})
            story = _Story(self.grammar, people)
            parsed = parser.by_paragraph(IN_LAW.sub(r"\1inlaw", story.stood_in(each)) for each in parts)
            for number, trees in enumerate(parsed):
                now, story.number = parts[number], number
                for words, tree in trees:
                    story.sentence(words, tree)
            now = ""
            facts = story.settled()
        except NotRead as error:
            return Reading(sentences=tuple(parts), unread=Unread(str(error), now))
        known = {story.name[one]: gender for one, gender in story.discourse.genders.items() if one in story.name}
        return Reading(facts=facts, genders=known, sentences=tuple(parts))


class _Story(PeopleFacts):
    def __init__(self, grammar: Grammar, people: People) -> None:
        super().__init__(grammar.domain, people)
        self.grammar = grammar
        firsts = [name.split()[0] for name in people.names]
        free = [name for name in STAND_INS if name not in firsts]
        self.stand_in = [
            first
            if firsts.count(first) == 1 and first.isalpha()
            else free[place % len(free)] + "o" * (place // len(free))
            for place, first in enumerate(firsts)
        ]
        self.person = {name: place for place, name in enumerate(self.stand_in)}

    def stood_in(self, sentence: str) -> str:
        """The sentence for the parser, with one word in place of each person."""
        return re.sub(r"@(\d+)", lambda m: self.stand_in[int(m[1])], self.people.mask(sentence))

    # ---- a sentence --------------------------------------------------------------------------------------------------

    def sentence(self, words: Sequence[str], tree: Tree) -> None:
        self.words, self.tree = [word.lower() for word in words], tree
        self.written = words
        self.holders_of: dict[int, list[int]] = {}
        self.mentioned: list[int] = []
        kin = [at for at in range(len(words)) if self._kin(at)]
        verbs = [at for at, word in enumerate(self.words) if word in MARRYING]
        if "?" in self.words or '"' in self.words:
            raise NotRead("questions and quotations within a story are not read")
        self._check_words()
        if not kin and not verbs:
            raise NotRead(MORE)
        for at in range(len(words)):  # in order, so that a pronoun can refer to earlier people
            if at in kin:
                self._holders(at)
            elif words[at] in self.person:
                self._hear([self.person[words[at]]])
        for at in verbs:
            self._marriage(at)
        self.discourse.end_sentence(self.mentioned)

    def _check_words(self) -> None:
        for word, written in zip(self.words, self.written):
            changes = word in UNREAL or (word in FAMILY and word not in HANDLED) or word == "-"
            if changes and written not in self.person:
                raise NotRead(f"{word!r} may change the statement")

    def _kin(self, at: int) -> Word | None:
        can_be = self.tree.tokens[at].pos in ("NOUN", "NOUNS", "PROPN", "ADJ", "QUANTITY")
        return self.grammar.word(self.words[at].replace("inlaw", "-in-law")) if can_be else None

    def _hear(self, people: Sequence[int]) -> list[int]:
        self.mentioned += people
        return list(people)

    # ---- people ------------------------------------------------------------------------------------------------------

    def _people(self, at: int, *, joined: bool = True) -> list[int]:
        """The people that a word refers to, with coordinated ones."""
        word = self.words[at]
        if self.written[at] in self.person:
            people = self._hear([self.person[self.written[at]]])
        elif self._kin(at):
            people = self._holders(at)
        elif word in PRONOUNS or word in THEY:
            people = self._hear(self.discourse.refer(word, [self.one(one) for one in self.mentioned], self.name))
        elif word in ("who", "whose", "that"):
            people = self._people(self._relative(at), joined=False)
        else:
            raise NotRead(f"it is unclear who {self.written[at]!r} is")
        for other in self.tree.under(at, "conj") if joined else ():
            people += self._people(other)
        return people

    def _relative(self, at: int) -> int:
        """The noun that a relative clause modifies."""
        while self.tree.tokens[at].dep != "acl:relcl":
            at = self.tree.tokens[at].head
            if at < 0:
                raise NotRead("'who' has no clear antecedent")
        return self.tree.tokens[at].head

    def _is_person(self, at: int) -> bool:
        return self.written[at] in self.person

    # ---- relation nouns ----------------------------------------------------------------------------------------------

    def _holders(self, at: int) -> list[int]:
        """The people that a relation noun refers to; its fact is recorded once."""
        if at in self.holders_of:
            return self.holders_of[at]
        word = self._kin(at)
        assert word is not None
        self._check_clause(at)
        self._check_modifiers(at)
        self.holders_of[at] = []
        if (both := self._each_other(at, word)) is not None:
            return both
        owners = self._owners(at)
        named = list(dict.fromkeys(self._named(at)))
        if (len(owners) > 1 or self.words[at] in self.domain.plurals) and not named:
            raise NotRead(f"it is unclear which {self.words[at]} is meant")
        people = named or [self.described(owners[0], word)]
        self.holders_of[at] = people
        self.facts += [(one, word, of, self.number) for one in named for of in owners]
        return self._hear(people)

    def _each_other(self, at: int, word: Word) -> list[int] | None:
        """*Ann and Bo are siblings*: a symmetric relation between two coordinated people."""
        subjects = self.tree.under(at, *SUBJECTS) if self.tree.under(at, "cop") else []
        symmetric = self.domain.inverse[word.relation] == word.relation
        if not symmetric or len(subjects) != 1 or self.words[at] not in self.domain.plurals:
            return None
        if self.tree.under(at, "nmod:poss", "nmod", "conj") or not self.tree.under(subjects[0], "conj"):
            return None
        people = self._people(subjects[0])
        if len(people) != 2:
            raise NotRead(f"it is unclear whose {self.words[at]} are meant")
        self.facts += [(one, word, of, self.number) for one, of in (people, people[::-1])]
        return people

    def _owners(self, at: int) -> list[int]:
        tree = self.tree
        holder = tree.tokens[at].head if tree.tokens[at].dep in ("compound", "flat", "appos", "nmod") else -1
        of = [each for each in tree.under(at, "nmod", "obl") if self._cases(each) & {"of", "to"}]
        places = tree.under(at, "nmod:poss") or of
        if not places and holder >= 0 and self._is_person(holder):
            places = tree.under(holder, "nmod:poss")
        verb = tree.tokens[at].head
        if not places and tree.tokens[at].dep in ("obj", "conj", "nsubj"):
            while tree.tokens[verb].dep == "conj" and self._kin(verb):
                verb = tree.tokens[verb].head
            if verb >= 0 and self._kin(verb) and self._owners(verb):
                verb = tree.tokens[verb].head
            if verb >= 0 and self.words[verb] in HAVING:
                places = tree.under(verb, *SUBJECTS)
        if len(places) != 1:
            raise NotRead(f"it is unclear whose {self.words[at].replace('inlaw', '-in-law')} is meant")
        if not (people := list(dict.fromkeys(self._people(places[0])))):
            raise NotRead(f"it is unclear whose {self.words[at]} is meant")
        return people

    def _cases(self, at: int) -> set[str]:
        return {self.words[case] for case in self.tree.under(at, "case")}

    def _named(self, at: int) -> Iterator[int]:
        """The people that arcs connect to a relation noun as its holders."""
        tree, one = self.tree, self.tree.tokens[at]
        for near in tree.under(at, "appos", "flat", "compound", "dep"):
            if self._is_person(near) and near > at:
                if self.words[near - 1] == "," and one.dep == "nmod" and self._kin(one.head):
                    raise NotRead(f"it is unclear whether the {self.words[one.head]} or the {self.words[at]} is named")
                yield from self._people(near)
        if one.dep in ("compound", "flat", "appos") and one.head >= 0 and self._is_person(one.head):
            yield from self._people(one.head, joined=one.dep == "appos")
        for clause in tree.under(at, "acl", "acl:relcl") if one.dep in ("obj", "conj") else ():
            if self.words[clause] in NAMING:  # she has a brother called Carl; her brother called Carl a fool
                yield from (x for near in tree.under(clause, "obj", "xcomp", "obl") for x in self._people(near))
        if tree.under(at, "cop"):
            yield from (x for subject in tree.under(at, *SUBJECTS) for x in self._people(subject))
        named = one.dep in SUBJECTS and one.head >= 0 and (self._is_person(one.head) or self._kin(one.head))
        if named and tree.under(one.head, "cop"):
            yield from self._people(one.head)
        if one.dep == "nsubj:pass" and self.words[one.head] in NAMING:
            yield from (x for near in tree.under(one.head, "obj", "xcomp") for x in self._people(near))

    def _check_clause(self, at: int) -> None:
        """Check that every clause above a relation noun is asserted."""
        seen: set[int] = set()
        while at >= 0 and at not in seen:
            seen.add(at)
            if (self.tree.is_verb(at) or self.tree.under(at, "cop")) and not asserted(self.tree, at):
                raise NotRead(f"{self.written[at]!r} is not plainly stated")
            at = self.tree.tokens[at].head

    def _check_modifiers(self, at: int) -> None:
        """Check that nothing qualifies a relation noun: *soul sister*, *mother figure*, *sister in name*."""
        tree = self.tree
        near = [*tree.under(at, "amod", "compound"), *(tree.under(at, *QUALIFYING) if tree.under(at, "cop") else ())]
        for each in near:
            word = self.words[each]
            owner = not tree.under(at, "nmod:poss") and self._cases(each) & {"of", "to"}
            if not (owner or self._is_person(each) or self._kin(each) or self.grammar.age.fullmatch(f"{word} ")):
                raise NotRead(f"{word!r} may change the statement")

    def _marriage(self, at: int) -> None:
        self._check_clause(at)
        tree = self.tree
        subjects = [x for each in tree.under(at, *SUBJECTS) for x in self._people(each)]
        to = [each for each in tree.under(at, "obl", "nmod") if self._cases(each) & {"to", "with"}]
        others = [x for each in tree.under(at, "obj") or to for x in self._people(each)]
        couple = list(dict.fromkeys([*subjects, *others]))
        if len(couple) != 2:
            raise NotRead("the marriage is unclear")
        self.facts.append((couple[0], Word("spouse"), couple[1], self.number))
