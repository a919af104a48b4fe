"""Criterion 2: the answer is a kind of the question's type, by hypernyms after Lesk's word-sense disambiguation."""

from __future__ import annotations

from proband.lexicon.lesk import Lesk, bag
from proband.lexicon.taxonomy import Sense, Taxonomy
from proband.suites.inference.questions import THING


class Kinds:
    """Whether answers are kinds of types. The sense of an answer is chosen in the context of its assertion. A type may
    be meant in any of its senses, since a question has too few words to choose by; one without an entry of its own has
    that of its head ("US president": president)."""

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
