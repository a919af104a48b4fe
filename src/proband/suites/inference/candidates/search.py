"""From a question to its candidates: look-up, filters, type. What is negated never answers a positive question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from proband.lexicon.inflection import key
from proband.lexicon.taxonomy import Sense
from proband.suites.inference.assertions.store import Assertion, Side, Store
from proband.suites.inference.candidates.filters import Candidate, Filter
from proband.suites.inference.candidates.kinds import Kinds
from proband.suites.inference.questions import Question
from proband.suites.inference.words import phrase

WRONG_TYPE, RARE, REPEATED, NEGATED = "wrong-type", "rare", "repeated", "negated"


class Search:
    """Candidates of questions in one store; `removed` counts what each criterion and filter took away."""

    def __init__(self, store: Store, kinds: Kinds, filters: Mapping[str, Filter], *, least: int = 1) -> None:
        self.store, self.kinds, self.filters, self.least = store, kinds, filters, least
        self.removed: Counter[str] = Counter(dict.fromkeys((RARE, NEGATED, *filters, WRONG_TYPE, REPEATED), 0))
        self.matching = 0
        self.known: dict[str, list[tuple[Side, Assertion]]] = {}

    def prepare(self, questions: Iterable[Question]) -> None:
        """Looks up the arguments of many questions together, which is faster than one after the other."""
        self.known |= self.store.look_up([question.q_arg for question in questions])

    def about(self, question: Question) -> Iterator[Candidate]:
        """Criterion 1: assertions with q_arg on either side, up to stop words and inflection."""
        if question.q_arg not in self.known:
            self.prepare([question])
        for side, found in self.known[question.q_arg]:
            answers = "object" if side == "subject" else "subject"
            yield Candidate(found.subject, found.relation, found.object, found.count, answers, found.negated)

    def candidates(self, question: Question) -> list[Candidate]:
        """What fits, the most frequent first; the same relation with the same answer is one candidate."""
        wanted = self.kinds.wanted(question.q_type)
        kept: dict[tuple[str, str, str], Candidate] = {}
        for one in self.about(question):
            self.matching += 1
            why = self._why_not(one, question, wanted)
            if why:
                self.removed[why] += 1
                continue
            name = (one.side, one.relation, key(one.answer))
            if name in kept:
                self.removed[REPEATED] += 1
                best = max(kept[name], one, key=lambda each: (each.count, each.subject, each.object))
                one = replace(best, count=kept[name].count + one.count)
            kept[name] = one
        return sorted(kept.values(), key=lambda each: (-each.count, each.subject, each.relation, each.object))

    def _why_not(self, one: Candidate, question: Question, wanted: frozenset[Sense] | None) -> str:
        if one.count < self.least:
            return RARE
        if one.negated and not phrase(question.q_rel).negated:
            return NEGATED
        for name, rule in self.filters.items():
            if rule(one, question):
                return name
        fits = self.kinds.fits(one.answer, f"{one.relation} {one.argument}", wanted)
        return "" if fits else WRONG_TYPE
