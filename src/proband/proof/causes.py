"""Causes of wrong rows: a template whose label has another meaning, or a reversed label.

Rows whose answer follows from one sentence show which meaning the author of the labels gave to a template. A template
that often has another meaning than its words is a suspect. A longer row is attributed to one of its suspects if the
author's meaning makes the label right. The remaining rows are grouped by their label and the answer that follows
instead.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

from proband.core.types import Fact
from proband.english.domain import Domain
from proband.english.reading import Label
from proband.proof.answers import outcome, verdict_of
from proband.proof.decisions import ACCUSING, GENDER_OPEN, Cause, RowVerdict
from proband.proof.verdicts import RowJudge

FEWEST: Final = 3  # rows that show a template to be a suspect
SHARE: Final = 0.2  # of the rows that rest on it alone
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Suspect(NamedTuple):
    """A template that states one relation and is labelled as if it stated another."""

    shape: str
    says: str
    meant: str


def readable(shape: str) -> str:
    """
    >>> readable("@0 is above @1")
    'A is above B'
    """
    return re.sub(r"@(\d+)", lambda m: LETTERS[int(m[1]) % 26], shape)


class Causes:
    """Learns suspects from judged rows, then explains rows."""

    def __init__(self, judge: RowJudge) -> None:
        self.judge, self.domain = judge, judge.domain
        self.rests: Counter[str] = Counter()  # shape -> rows that rest on it alone
        self.taken: Counter[Suspect] = Counter()
        self.suspects: dict[str, list[Suspect]] = {}

    def learn(self, row: RowVerdict) -> None:
        fact = row.facts[row.proof[0]] if len(row.proof) == 1 else None
        if fact is None or fact.negated or not (shape := row.shape_of(fact)):
            return
        self.rests[shape] += 1
        if row.verdict == "false" and (meant := self._meant(row, fact)):
            self.taken[Suspect(shape, fact.relation, meant)] += 1

    def _meant(self, row: RowVerdict, fact: Fact) -> str | None:
        """The relation of the one fact that would make the label right."""
        label = self.domain.word(row.label)
        if label is None or row.asked.word or {fact.who, fact.of} != set(row.asked.pair):
            return None
        meant = label.relation if (fact.who, fact.of) == row.asked.pair else self.domain.inverse[label.relation]
        return meant if meant != fact.relation else None

    def settle(self) -> None:
        """Which templates are suspects."""
        for suspect, rows in sorted(self.taken.items()):
            if rows >= FEWEST and rows >= SHARE * self.rests[suspect.shape]:
                self.suspects.setdefault(suspect.shape, []).append(suspect)

    # ---- explaining --------------------------------------------------------------------------------------------------

    def explain(self, row: RowVerdict) -> Cause | None:
        """The cause of a row that is false, inconsistent or ambiguous."""
        if row.verdict == GENDER_OPEN:
            return Cause(key="gender", claim="the relation follows, the gender is not given", kind="open")
        if row.verdict not in ACCUSING:
            return None
        for fact in row.facts:
            if fact.who == fact.of and (shape := row.shape_of(fact)):
                claim = f"the sentence “{readable(shape)}” relates a thing to itself"
                return Cause(key=f"self:{shape}", claim=claim, kind="template")
        if row.verdict in ("false", "inconsistent") and (blamed := self._blamed(row)):
            turned = " (reversed)" if self.domain.inverse[blamed.says] == blamed.meant else ""
            says, meant = self._spoken(blamed.says), self._spoken(blamed.meant)
            claim = f"“{readable(blamed.shape)}” says {says}, labelled as if it said {meant}{turned}"
            return Cause(key=f"template:{blamed.shape}>{blamed.meant}", claim=claim, kind="template")
        return self._label(row)

    def _label(self, row: RowVerdict) -> Cause:
        if row.verdict == "inconsistent":
            return Cause(key="inconsistent", claim="the facts contradict each other: no world fits", kind="facts")
        if row.verdict == "ambiguous":
            answers = ", ".join(row.possible[:4]) + (", ..." if len(row.possible) > 4 else "")
            claim = f"labelled {row.label}, but {len(row.possible)} answers are possible: {answers}"
            return Cause(key=f"open:{row.label}:{answers}", claim=claim, kind="open")
        right = row.right or " or ".join(row.possible[:3])
        turned = " (reversed: the label is what the second is to the first)" if row.reversed else ""
        label, follows = self._neutral(row.label), self._neutral(right)
        if label == follows:  # the gender is wrong
            label, follows = row.label, right
        return Cause(
            key=f"label:{label}>{follows}", claim=f"labelled {label} where {follows} follows{turned}", kind="label"
        )

    def _neutral(self, word: str) -> str:
        meaning = self.domain.word(word)
        return self._spoken(meaning.relation) if meaning else word

    def _spoken(self, relation: str) -> str:
        """A relation in words for either gender: grandchild, nephew or niece."""
        entry = self.domain.raw["relations"].get(relation, {})
        by_gender = [entry[key][0] for key in ("male", "female") if entry.get(key)]
        return relation if entry.get("words") or not by_gender else " or ".join(by_gender)

    def _blamed(self, row: RowVerdict) -> Suspect | None:
        """The most frequent suspect that makes the label right if it has the author's meaning. Facts of one
        sentence change together."""
        label = Label(None if row.asked.word else self.domain.word(row.label), row.label)
        facts = [row.facts[n] for n in row.proof or range(len(row.facts))]
        doubtful = {(each, fact.sentence) for fact in facts for each in self.suspects.get(row.shape_of(fact), ())}
        for suspect, sentence in sorted(doubtful, key=lambda each: (-self.taken[each[0]], each)):
            reread = tuple(_reread(self.domain, f, suspect) if f.sentence == sentence else f for f in row.facts)
            found = outcome(self.judge.prover, row.problem(reread), row.asked, self.judge.world)
            if verdict_of(self.domain, label, row.asked, found) == "entailed":
                return suspect
        return None


def _reread(domain: Domain, fact: Fact, suspect: Suspect) -> Fact:
    if fact.relation == suspect.says:
        return fact._replace(relation=suspect.meant)
    if fact.relation == domain.inverse[suspect.says]:  # the other half of "A is left and B is right"
        return fact._replace(relation=domain.inverse[suspect.meant])
    return fact
