"""Read stories about people by the phrases of a domain: reduce mentions, match clauses, account for every word.

Names are masked (@0), pronouns are replaced by their referents, and each mention of a person by a relation (*@0's
brother @1*, *the mother of @2*) is replaced by that person, with its fact; unnamed people get a mark (#3). The rest of
a sentence must be a phrase of the domain (*@0 is #3*: they are one person), or begin with a person and name a relative
(*@0 phoned @1*).

>>> from proband.english.domain import load
>>> reading = read_people(Grammar(load("kinship")), "Helen is the mother of Karen's husband David.", {"Karen"})
>>> [fact[:3] for fact in reading.facts]
[('David', 'spouse', 'Karen'), ('Helen', 'parent', 'David')]
>>> read_people(Grammar(load("kinship")), "Clive plays the father of Nina in a film.", {"Nina"}).unread.reason
"'plays' may change the statement"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from proband.english.domain import Domain, Word
from proband.english.people import MARK, PRONOUNS, THEY, People
from proband.english.people_facts import MORE, PeopleFacts, linked
from proband.english.phrases import Grammar
from proband.english.reading import Reading, Unread, with_reasons
from proband.english.tokens import NotRead, foreign_letter, sentences
from proband.english.unreal import DENYING, UNREAL

PRONOUN: Final = re.compile(rf"\b(?:{'|'.join([*PRONOUNS, *THEY])})\b")
_TIMES = (
    r"day|week|weekend|month|year|spring|summer|autumn|winter|morning|evening|night|[A-Z][a-z]+day|Christmas|Easter"
)
HARMLESS: Final = re.compile(rf",? \bevery (?:{_TIMES})\b(?! [@#]),?|^every (?:{_TIMES}),? |,? too$|\balso ")
SAID: Final = re.compile(
    rf'"(?P<a>[^"]+?)[,.]?" (?:\w+ (?P<s>{MARK})|(?P<u>{MARK}) \w+)|(?:.*?, )?(?P<t>{MARK}) \w+, "(?P<b>[^"]+?)[.]?"?'
)
TOO: Final = re.compile(r"\b(?:also|too|likewise)\b")
OWNERS: Final = re.compile(rf"{MARK}'s(?:,? (?:and|or|as well as)) {MARK}'s")
NAMED: Final = re.compile(r"\b(?:called|named|name)\b")
IS: Final = re.compile(r"(@\d+) (?:is|was) ")
NOT: Final = re.compile(rf"({MARK}) (?:is|was) not (.+)")
OWNING: Final = ("his", "their")
NOT_OWNED: Final = re.compile(r" (?:is|was|and|to|as|in|at|on|for|with|by|when|while|before|after)\b")
_LAST = rf"(?:{MARK}|(?:his|her|their|{MARK}'s) [a-z-]+)$"  # not separated from its clause by a comma before it
RELATIVE: Final = re.compile(rf"({MARK}), (who|whose) ((?:[^,;]|, (?={_LAST}))+?)(?:,(?= (?!{_LAST}))|$)")
CLAUSES: Final = re.compile(r"(?:;|,)? (?:and|but|while|whereas) |; |, (?=[@#]\d+(?:'s)? )")
# between people these words state identity or possession
LINKED: Final = re.compile(
    rf"\b(?:is|are|was|were|be|been|being|has|have|had|got|of)(?: \w+)? {MARK}|{MARK} {MARK}|{MARK}, {MARK}(?! and)"
)
MOST_STEPS: Final = 60  # most reductions of a sentence


class PeopleGrammar(Grammar):
    """The phrases of a domain about people."""

    @with_reasons
    def __call__(self, text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
        asked = self.question(question, People(text, question, genders))
        names = [name for name in asked.pair if name]
        return replace(linked(read_people(self, text, names, genders), names), question=asked)


def grammar_of(domain: Domain) -> Grammar:
    """The phrases of a domain."""
    return PeopleGrammar(domain) if domain.mentions else Grammar(domain)


def read_people(
    grammar: Grammar,
    text: str,
    names: Collection[str] = (),
    genders: Mapping[str, str | None] | None = None,
    *,
    ours: bool = False,
) -> Reading:
    """The facts of a text about people. `names`: people known to occur; `genders`: from the source. `ours`: our own
    rules wrote the text, so a pronoun means the topic and other words do not concern kin."""
    given = {**dict.fromkeys(names), **(genders or {})}
    parts = sentences(text)
    now = ""
    try:
        if letter := foreign_letter(text):
            raise NotRead(f"{letter!r} is not an English letter")
        people = People(text, " ".join(names), given, nobody_else=ours)
        reader = PeopleReader(grammar, people, ours=ours)
        masked = [people.mask(sentence) for sentence in parts]
        reader.learn_genders(masked)
        for number, sentence in enumerate(masked):
            now = parts[number]
            reader.sentence(sentence, number)
        now = ""
        facts = reader.settled()
    except NotRead as error:
        return Reading(sentences=tuple(parts), unread=Unread(str(error), now))
    known = {reader.name[one]: gender for one, gender in reader.discourse.genders.items() if one in reader.name}
    return Reading(
        facts=facts,
        genders={name: known.get(name) for f in facts for name in (f.who, f.of)},
        sentences=tuple(parts),
        shapes=tuple(re.sub(r"@\d+", "@", sentence.lower()) for sentence in masked),
    )


class PeopleReader(PeopleFacts):
    """The state of reading one text."""

    def __init__(self, grammar: Grammar, people: People, *, ours: bool = False, denials: bool = False) -> None:
        super().__init__(grammar.domain, people, topical=ours)
        self.grammar, self.ours, self.denials = grammar, ours, denials
        self.names_kin = False  # whether the sentence names a relative: *Gail phoned her brother Ross*
        self.within: dict[int, list[int]] = {}  # other people in a mention, besides the person who replaces it

    def learn_genders(self, masked: Collection[str]) -> None:
        """Learn genders from kin words next to names, before pronouns are resolved."""
        for sentence in masked:
            for pattern in self.grammar.gender_hints:
                for match in pattern.finditer(sentence):
                    word, one = self.grammar.word(match["r"].lower()), int(match["a"][1:])
                    if word and word.gender and self.discourse.genders.get(one) is None:
                        self.discourse.genders[one] = word.gender

    # ---- a sentence --------------------------------------------------------------------------------------------------

    def sentence(self, text: str, number: int) -> None:
        self.number, self.within, self.names_kin = number, {}, False
        whole = re.sub(r"^(?![@#])\w", lambda m: m[0].lower(), text.strip().rstrip(".!"))
        plain = HARMLESS.sub("", whole)
        relational = self.grammar.relation_word.search(plain.lower()) or "marri" in plain.lower()
        if not self.ours and (text.endswith("?") or '"' in text):
            raise NotRead("questions and quotations within a story are not read")
        words = re.findall(r"[a-z'-]+", re.sub(r"\b(?:called|named)(?=,? @)", "", plain.lower()))
        if self.denials and (denied := self._denied(plain)):
            self.facts_denied.append(denied)
            return
        denying = DENYING if self.ours else UNREAL
        if relational and (unreal := next((word for word in words if word in denying), "")):
            raise NotRead(f"{unreal!r} may change the statement")
        if TOO.search(whole) and NAMED.search(whole):
            raise NotRead("two people may have the same name")
        if OWNERS.search(plain):
            raise NotRead("a relation to two people at once is not read: 'Ann and Bo's son'")
        if titled := self.grammar.titled.search(plain):
            raise NotRead(f"it is unclear whose {titled[0].split()[0].lower()} is meant")
        if self.ours and not re.search(MARK, plain) and not relational:
            return
        if self.ours and (quoted := SAID.fullmatch(plain)):
            speaker = quoted["s"] or quoted["t"] or quoted["u"]
            plain = re.sub(r"\b[Mm]y\b", f"{speaker}'s", quoted["a"] or quoted["b"])
        parts = list(self._relatives(plain))
        self.discourse.end_sentence([one for part in parts for one in self._part(part)])

    def _denied(self, text: str) -> tuple[int, Word, int, int] | None:
        """The denied fact, if the sentence is only a denial: *Ann is not the aunt of Bo*."""
        match = NOT.fullmatch(text)
        if match is None:
            return None
        for pattern, named in self.grammar.mentions:
            if not named and (kin := pattern.fullmatch(match[2])) and (word := self.grammar.word(kin["r"].lower())):
                return int(match[1][1:]), word, int(kin["b"][1:]), self.number
        return None

    def _relatives(self, text: str) -> Iterator[str]:
        """The main clause, then its relative clauses as separate clauses."""
        found = list(RELATIVE.finditer(text))
        if any(self.grammar.relation_before.search(text[: each.start()].lower()) for each in found):
            raise NotRead("'who' has no clear antecedent")
        if not self.ours and any(self.grammar.whose.search(each[0].lower()) for each in found):
            raise NotRead("it is unclear whether the relative after 'whose' is named: 'whose sister Ann met'")
        yield RELATIVE.sub(r"\1", text)
        for each in found:
            yield f"{each[1]}'s {each[3]}" if each[2] == "whose" else f"{each[1]} {each[3]}"

    def _part(self, text: str) -> list[int]:
        """Read a main or relative clause; returns its people."""
        mentioned = [int(mark[1:]) for mark in re.findall(MARK, text)]
        for _ in range(MOST_STEPS):
            if self._clauses(text):
                return mentioned
            shorter = self._reduced(text) or self._with_referent(text)
            if shorter is None:
                break
            text = shorter
            mentioned += [int(mark[1:]) for mark in re.findall(MARK, text)]
        if left := self.grammar.relation_word.search(text.lower()):
            raise NotRead(f"{left[0]!r} is in a form that no phrase of the domain covers")
        if not self.ours and (not self.names_kin or LINKED.search(text) or not re.match(MARK, text)):
            raise NotRead(MORE)
        return mentioned

    def _named(self, text: str) -> str:
        return re.sub(MARK, lambda m: self.label(int(m[0][1:])), text)

    # ---- clauses -----------------------------------------------------------------------------------------------------

    def _clauses(self, text: str) -> bool:
        """Is the text one or several phrases of the domain? Records their facts."""
        if (facts := self._clause(text)) is not None:
            self._state(facts)
            return True
        for match in CLAUSES.finditer(text):
            left, right = text[: match.start()], text[match.end() :]
            first = self._clause(left)
            if not first:
                continue
            subject = re.match(MARK, left)
            for rest in (right, *((f"{subject[0]} {right}", f"{subject[0]} is {right}") if subject else ())):
                before = len(self.facts)
                self._state(first)
                if self._clauses(rest):
                    return True
                del self.facts[before:]
        return False

    def _clause(self, text: str) -> list[tuple[int, Word, int]] | None:
        shape = text.replace("#", "@")
        for pattern, says in self.grammar.phrases:
            if (facts := self.grammar.facts_of(pattern, says, shape)) is None:
                continue
            if any(word.relation == "same" for _, word, _, _ in facts):
                one, other = facts[0].who, facts[0].of
                if (one in self.name) == (other in self.name):
                    continue
            if any(fact.negated for fact in facts):
                return None
            return [(fact.who, fact.word, fact.of) for fact in facts]
        return None

    def _state(self, facts: Collection[tuple[int, Word, int]]) -> None:
        for who, word, of in facts:
            if word.relation == "same":
                one, other = (who, of) if who in self.name else (of, who)
                self.merge(other, one)
            else:
                self.facts.append((who, word, of, self.number))

    # ---- mentions ----------------------------------------------------------------------------------------------------

    def _reduced(self, text: str) -> str | None:
        """The text with its first mention replaced by the person, or None if there is none."""
        found = [(m.start(), place, m) for place, (p, _) in enumerate(self.grammar.mentions) if (m := p.search(text))]
        if not found:
            return None
        _, place, match = min(found, key=lambda each: (each[1], each[0]))
        named = self.grammar.mentions[place][1]
        groups = match.groupdict()
        kin = groups.get("r") or groups["rs"]
        word, of = self.grammar.word(kin.lower()), int(match["b"][1:])
        if word is None:
            raise NotRead(f"{kin!r} has no single meaning")
        joined = re.search(rf"({MARK}) and $", text[: match.start()])
        if joined and match[0].startswith(match["b"]) and joined[1] != match["b"] and of not in self.groups:
            raise NotRead(f"it is unclear whose {kin} is meant in {self._named(text)!r}")
        if named and "," in match[0] and self.grammar.relation_before.search(text[: match.start()].lower()):
            raise NotRead(f"it is unclear who is named in {self._named(match[0])!r}")
        if named:
            marks = [int(mark[1:]) for mark in re.findall(MARK, groups.get("each") or match["a"])]
            self.facts += [(one, word, of, self.number) for one in marks]
            shown, self.names_kin = groups.get("each") or match["a"], True
        elif (subject := self._one_more(text, match)) and self.has_named(of, word):
            self.facts.append((int(subject[1:]), word, of, self.number))
            return f"{subject}{text[match.end() :]}"
        else:
            marks = [self.described(of, word)]
            shown = f"{'@' if marks[0] in self.name else '#'}{marks[0]}"
        self.within.setdefault(marks[-1], []).append(of)
        tail = " " if match[0].endswith(", ") else ""
        return f"{text[: match.start()]}{shown}{tail}{text[match.end() :]}"

    def _one_more(self, text: str, mention: re.Match[str]) -> str | None:
        """The subject (Ann) of a clause that states only a mention: *Ann is Bo's sister*."""
        whole = mention.end() == len(text) or (self.ours and CLAUSES.match(text, mention.end()))
        subject = IS.fullmatch(text[: mention.start()])
        return subject[1] if whole and subject else None

    def _with_referent(self, text: str) -> str | None:
        """The text with its first pronoun replaced by its referent."""
        match = PRONOUN.search(text)
        if match is None:
            return None
        marks = [int(mark[1:]) for mark in re.findall(MARK, text[: match.start()])]
        if self.ours and not self.grammar.relation_after.match(text.lower(), match.end()):
            if match[0] in ("he", "she") and marks and not any(self.discourse.fits(match[0], one) for one in marks):
                raise NotRead(f"{match[0]!r} has no referent in its sentence")
            return f"{text[: match.start()]}it{text[match.end() :]}"  # the sentence does not concern kin
        here = [self.one(one) for mark in marks for one in (*(() if self.ours else self._all_within(mark)), mark)]
        people = self.discourse.refer(match[0], here, self.name)
        owns = match[0] in OWNING or (
            match[0] == "her"
            and not (match.end() == len(text) or NOT_OWNED.match(text, match.end()) or text[match.end()] in ",;")
        )
        if owns and len(people) > 1:
            group = self.new()
            self.groups[group], people = people, (group,)
        shown = " and ".join(f"{'@' if one in self.name else '#'}{one}" for one in people)
        return f"{text[: match.start()]}{shown}{chr(39) + 's' if owns else ''}{text[match.end() :]}"

    def _all_within(self, mark: int) -> list[int]:
        own = [*self.within.get(mark, []), *self.groups.get(mark, ())]
        return [*(one for each in own if each != mark for one in self._all_within(each)), *own]
