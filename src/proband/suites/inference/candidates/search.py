"""From a question to its candidates: look-up, filters, type. What is negated never answers a positive question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from proband.lexicon.inflection import key
from proband.lexicon.taxonomy import Lesk, Sense, Taxonomy, bag
from proband.suites.inference.assertions.store import Assertion, Side, Store
from proband.suites.inference.candidates.filters import Candidate, Filter
from proband.suites.inference.items import phrase
from proband.suites.inference.questions import THING, Question


class Kinds:
    """Criterion 2: the answer is a kind of the question's type, by hypernyms after Lesk's word-sense disambiguation.
    The sense of an answer is chosen in the context of its assertion. A type may be meant in any of its senses, since a
    question has too few words to choose by; one without an entry of its own has that of its head ("US president":
    president)."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy, self.lesk = taxonomy, Lesk(taxonomy)
        self.known: dict[tuple[str, str], Sense | None] = {}

    def wanted(self, q_type: str) -> frozenset[Sense] | None:
        """The senses of a type; None where everything fits, none of them where the taxonomy does not know the word."""
        return None if q_type == THING else frozenset(self.taxonomy.senses(q_type))

    def fits(self, answer: str, context: str, wanted: frozenset[Sense] | None) -> bool:
        """Whether an answer, in the context of the rest of its assertion, is a kind of what is wanted."""
        if wanted is None:
            return True
        entry = self.taxonomy.entry(answer) if wanted else None
        if entry is None:
            return False
        if not any(wanted & self.taxonomy.above(sense) for sense in self.taxonomy.index[entry]):
            return False  # in no sense, so not in the one that is meant
        if (entry, context) not in self.known:
            self.known[entry, context] = self.lesk.sense(entry, bag(context))
        sense = self.known[entry, context]
        return sense is not None and bool(wanted & self.taxonomy.above(sense))


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
