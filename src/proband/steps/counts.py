"""Replies to puzzles about circles of people (auditing/puzzles/circles.py): statements of how many somebody has.

Read is a clause that says of somebody of the story how many sisters, brothers, friends or colleagues they have, and
nothing else; or who belongs to whom. Every other sentence about them is unread. The people are built one by one, and
counted. A number that a later one about the same person exceeds is a part of the count, and does not count as stated.

>>> story = "Ann has 3 sisters and she also has 2 brothers. How many sisters does Ann's brother have?"
>>> family = CountedPeople.of(read_circles(story))
>>> [(s.fact[:3], s.verdict) for s in family.clause("each of Ann's brothers has 3 sisters")]
[(("Ann's brother", 'sisters', '3'), 'contradicted')]
>>> family.clause("Ann's brother has 3 sisters apart from Ann") is None
True
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from proband.auditing.puzzles.circles import CIRCLES, Circles
from proband.auditing.puzzles.circles import read as read_circles
from proband.core.types import Fact
from proband.english.reading import Unread
from proband.proof import discourse
from proband.proof.discourse import STATED, TAKEN_BACK
from proband.proof.replies import LONGEST_REPLY, NOT_CHECKED, CheckedReply, judged_outcome
from proband.proof.rows import AuditRow
from proband.proof.statements import CONTRADICTED, ENTAILED, TOLD, WRONG, Statement
from proband.steps.sentences import REMARK, Step

WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
KIN: Final = {"sister": "f", "brother": "m", "sibling": ""}
SIDES: Final = {"female": "f", "male": "m", "": ""}
NOUN: Final = r"(?:sister|brother|sibling|friend|colleague)s?"
ITEM: Final = (
    r"(?:exactly |only |just |(?:for )?a total of )?(\d+)(?: ((?:fe)?male)s?)?"
    r"(?: (sister|brother|sibling|friend|colleague)s?)?(?: in total| total)?"
)
JOIN: Final = (
    r"(?:,? and|,? &|,| as well as|,? making|,? totall?ing|,? which makes)(?: (?:she|he))?(?: also)?(?: has)? "
)
COUNTS: Final = re.compile(
    rf"(?P<who>.+?) (?:also |would |will |must |therefore |thus |still |should )*(?:has|have|had)(?: also)? "
    rf"(?P<items>{ITEM}(?:{JOIN}{ITEM})*)(?: (?:from|in|within) (?P<circle>\w+)'s (?:circle|group))?"
)
TERM: Final = (
    rf"(?:(?:the |her |all (?:of )?|\w+'s )*(?:\d+ )?(?:other )?(?:(?:fe)?male )?{NOUN}|\w+(?: herself)?|herself)"
)
SUM: Final = re.compile(rf"(?i)(?: ?\(|: ){TERM}(?:(?: ?\+ ?| plus | and ){TERM})+\)?$")
PARTS: Final = re.compile(
    r"(?i),? so (?:that )?|; |,? (?:therefore|thus|hence|because),? |,? (?:which|this) means (?:that )?|, since |"
    r", and (?=all )"
)
LABEL: Final = re.compile(rf"(?i)^\W*(?:\w+'s )?(?:(?:fe)?male )?(?:circle|group|family|{NOUN})\W*:\W* ")
HEADING: Final = re.compile(
    r"(?i)^\W*(?:understand|determine|calculate|count|list|analy[sz]e|identify|conclu\w+|consider|find|clarify|recogni[sz]e)\b"
)
SPEAKS: Final = re.compile(rf"(?i)\b{NOUN}\b|\d (?:fe)?males?\b")
PART: Final = re.compile(r"(?i)\b(?:from|in|within|among|circles?|group|side|part)\b(?! total)")
EXCEPT: Final = re.compile(
    r"(?i)\b(?:other|not|except\w*|besides|apart|without|minus|exclud\w*|aside|more|less|least|if|no)\b|n't\b"
)
OPEN: Final = "the question is open: he is not told to be her brother"


class CountedPerson(NamedTuple):
    name: str
    side: str  # f or m
    circles: frozenset[str]  # by the names of their centres


class CountedPeople(NamedTuple):
    """The people of a story, built one by one; `noun` is sibling, friend or colleague."""

    said: Circles
    noun: str
    centre: str
    people: tuple[CountedPerson, ...]
    told: tuple[Fact, ...]
    asked: str

    @classmethod
    def of(cls, said: Circles) -> CountedPeople:
        noun = "sibling" if said.kind in ("siblings", "stranger") else said.kind.removesuffix("s")
        centre = said.text.split()[0]
        names = re.search(r"does (\w+)(?:'s brother)?", said.text)
        own, both = frozenset({centre}), frozenset({centre})
        people, told = (
            [CountedPerson(centre, "f", own)],
            [_fact(centre, "f", noun, said.women), _fact(centre, "m", noun, said.men)],
        )
        asked = names[1] if names else ""
        if said.kind == "colleagues":
            him = re.findall(r"circle around (\w+)", said.text)[0]
            both, his = frozenset({centre, him}), frozenset({him})
            people += [CountedPerson(him, "m", his)]
            people += [CountedPerson(f"{him}'s female colleague", "f", his)] * (said.others - 1)
            people += [CountedPerson(f"{him}'s male colleague", "m", his)] * said.other_men
            told += [_fact(him, "f", noun, said.others), _fact(him, "m", noun, said.other_men)]
        women, men = ("sister", "brother") if noun == "sibling" else (f"female {noun}", f"male {noun}")
        first = {"colleagues": (said.women - 1, said.men), "friends": (said.women, said.men - 1)}
        n, m = first.get(said.kind, (said.women, said.men))
        people += [CountedPerson(f"{centre}'s {women}", "f", own)] * n + [
            CountedPerson(f"{centre}'s {men}", "m", own)
        ] * m
        if said.kind in first:
            people.append(CountedPerson(asked, "f" if said.kind == "colleagues" else "m", both))
        else:
            asked = f"{centre}'s brother"
        return cls(said, noun, centre, tuple(people), tuple(told), asked)

    def number(self, who: CountedPerson, side: str, circle: str = "") -> int:
        """How many others share a circle with somebody; of two who are alike the first stands for both."""
        near = [p for p in self.people if p.circles & who.circles and (not circle or circle in p.circles)]
        return sum(not side or p.side == side for p in near) - (who in near and side in ("", who.side))

    def who(self, phrase: str) -> list[CountedPerson]:
        """Those whom a phrase may mean, one of each kind; a pronoun may mean everybody of its gender."""
        kinds = list(dict.fromkeys(self.people))
        plain = re.sub(r"^(?:each|any|every|all|one|either)(?: one)?(?: of)? ", "", phrase.strip().lower())
        plain = re.sub(r"^(?:the|these|those|an?|her) ", "", plain)
        if plain in ("he", "she"):
            return [p for p in kinds if p.side == ("m" if plain == "he" else "f")]
        plain = re.sub(rf"^(.+) of {self.centre.lower()}$", rf"{self.centre.lower()}'s \1", plain)
        plain = re.sub(r"(brother|sister|friend|colleague)s$", r"\1", plain)
        kin = ("brother", "sister", f"male {self.noun}", f"female {self.noun}")
        if plain in kin and self.said.kind != "colleagues":
            plain = f"{self.centre.lower()}'s {plain}"
        return [p for p in kinds if p.name.lower() == plain]

    def clause(self, text: str) -> list[Statement] | None:
        """What a clause states; None where it is not understood whole."""
        if fact := self._belongs(text):
            return [Statement(fact=fact, verdict=ENTAILED if fact.of.startswith("all") else TOLD, proof=self.told)]
        plain = re.sub(
            rf"(?i)\b({'|'.join(WORDS)})(?= (?:fe)?male| {NOUN})", lambda m: str(WORDS.index(m[1].lower())), text
        )
        read = COUNTS.fullmatch(plain)
        people = self.who(read["who"]) if read else []
        items = re.findall(ITEM, read["items"]) if read else []
        nouns = {noun for _, _, noun in items if noun}
        if not read or not people or not nouns or not nouns <= {self.noun, *(KIN if self.noun == "sibling" else ())}:
            return None
        circle = read["circle"] or ""
        if circle and not any(circle in person.circles for person in people):
            return None
        return [self.judged(people, KIN.get(noun) or SIDES[side], int(n), circle) for n, side, noun in items]

    def _belongs(self, text: str) -> Fact | None:
        """Who is told to be in the circle, and that all in it know each other."""
        noun, side, own = self.noun, "female" if self.said.kind == "colleagues" else "male", f"{self.centre}'s"
        if noun == "sibling":
            return None
        everybody = (
            rf"(?:they|every(?:one|body)(?: in (?:this|the) group)?|all(?: (?:of )?(?:{own}|these|those|the|her))?"
            rf"(?: {noun}s| people| individuals|(?: mentioned)? persons)?)"
        )
        him = rf"(?:{self.asked}|he|she)"
        each_other = r"(?:with|of|to) (?:each other|one another|everyone else)"
        forms = {
            rf"{him} is (?:also )?(?:one of|an?) {own} (?:\d+ )?(?:{side} )?{noun}s?": (f"{side} {noun}", self.centre),
            rf"{everybody} (?:all )?(?:are|is) (?:also )?(?:all )?{noun}s? {each_other}": (noun, "everybody else"),
            rf"{him} is (?:also )?(?:a )?{noun}s? (?:with|of) all (?:of )?{own} (?:female |other )?{noun}s": (
                noun, f"all of {own} {noun}s"),
        }  # fmt: skip
        found = (Fact(self.asked, *fact) for form, fact in forms.items() if re.fullmatch(form, text, re.IGNORECASE))
        return next(found, None)

    def judged(self, people: Sequence[CountedPerson], side: str, number: int, circle: str) -> Statement:
        """Right if it is so for one of those whom it may mean, wrong only if for none."""
        meant = next((p for p in people if self.number(p, side, circle) == number), None)
        meant = meant or next((p for p in people if p.name == self.asked), people[0])
        fact, right = _fact(meant.name, side, self.noun, number), self.number(meant, side, circle)
        if right != number:
            return Statement(fact=fact, verdict=CONTRADICTED, proof=self.told, instead=str(right))
        return Statement(
            fact=fact,
            verdict=TOLD if fact in self.told else ENTAILED,
            proof=(fact,) if fact in self.told else self.told,
        )


def _fact(who: str, side: str, noun: str, number: int) -> Fact:
    kin = {"f": "sisters", "m": "brothers", "": "siblings"}
    what = kin[side] if noun == "sibling" else f"{ {'f': 'female ', 'm': 'male ', '': ''}[side] }{noun}s"
    return Fact(who, what, str(number))


class CountChecker:
    """Checks replies to puzzles about circles, as `ReplyChecker` does those of a domain."""

    def case(self, row: AuditRow) -> Circles | Unread:
        return read_circles(f"{row.text} {row.question}".strip()) or Unread("it is no puzzle about circles")

    def check(self, row: AuditRow, reply: str, answer: str = "") -> CheckedReply:
        said = self.case(row)
        if isinstance(said, Unread) or said.kind == "stranger" or not reply.strip():
            why = f"the item is not read: {said.reason}" if isinstance(said, Unread) else OPEN
            return CheckedReply(outcome=NOT_CHECKED, why=why if reply.strip() else "the reply is empty")
        family = CountedPeople.of(said)
        (right,) = CIRCLES.solve(said, "").possible
        text = answer or discourse.answer_in(reply) or reply
        given = CIRCLES.answer(text, said)
        steps = _completed(list(_steps(family, reply[:LONGEST_REPLY])), family.asked, given)
        own = [s for step in steps for s in step.statements if not s.withdrawn]
        missing = tuple(f for f in family.told if "brother" not in f.relation and not f.relation.startswith("male"))
        missing = tuple(f for f in missing if f not in [s.fact for s in own])
        checked = CheckedReply(
            outcome=NOT_CHECKED, steps=tuple(steps), answer=given or text[:40], right_answer=right,
            first_wrong=next((number for number, s in enumerate(own) if s.verdict in WRONG), None),
            answer_verdict="" if given is None else "entailed" if given == right else "false",
            why="" if given else "no answer is marked in the reply",
        )  # fmt: skip
        if given == right and own:
            checked = replace(checked, follows="story" if missing else "steps", missing=missing)
        return replace(checked, outcome=judged_outcome(checked, None if given is None else given == right))


def _steps(family: CountedPeople, reply: str) -> Iterator[Step]:
    for sentence in discourse.sentences(reply):
        step = Step(begin=sentence.begin, end=sentence.end, kind=sentence.kind)
        text = sentence.text
        if sentence.kind not in (STATED, TAKEN_BACK):
            yield step
        elif not SPEAKS.search(text) or text.rstrip("* ").endswith(":") or HEADING.match(text):
            yield replace(step, kind=REMARK)
        else:
            stated = _sentence(family, text)
            yield replace(step, unread="not understood whole") if stated is None else replace(step, statements=stated)


def _sentence(family: CountedPeople, text: str) -> tuple[Statement, ...] | None:
    """The statements of a sentence; None unless every clause of it that speaks of people is read."""
    stated: list[Statement] = []
    for part in PARTS.split(LABEL.sub("", text)):
        if not SPEAKS.search(part):
            continue
        plain = discourse.clause(SUM.sub("", part.rstrip(" .*")))
        found = family.clause(plain)
        known = found and not found[0].fact.of.isdigit()
        if not found or (not known and (EXCEPT.search(plain) or (PART.search(part) and not PART.search(plain)))):
            return None
        stated += found
    return tuple(stated) or None


def _completed(steps: list[Step], asked: str, answer: str | None) -> list[Step]:
    """A number that a later one exceeds, or of the one asked about, that is not the answer, may be a part of the count:
    it is withdrawn."""
    last: dict[tuple[str, str], int] = {}
    for place in range(len(steps) - 1, -1, -1):
        own: list[Statement] = []
        for s in reversed(steps[place].statements):
            if s.fact.of.isdigit():
                part = s.fact.who == asked and s.verdict == CONTRADICTED and s.fact.of != answer
                more = part or last.get(s.fact[:2], 0) > int(s.fact.of)
                last[s.fact[:2]] = max(last.get(s.fact[:2], 0), int(s.fact.of))
                s = replace(s, withdrawn=more)
            own.append(s)
        steps[place] = replace(steps[place], statements=tuple(reversed(own)))
    return steps
