r"""Word embeddings (section 4.1): a relation is the mean of the vectors of its content words, and

    s(premise, hypothesis) = cos(mean v(w), mean v(w'))

`words=all` takes function words too. A relation without a known word is at -1, below all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from proband.core.options import Meta
from proband.core.protocols import Floats, HasVectors
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.lexicon.inflection import verb_lemma
from proband.suites.inference.items import asked
from proband.suites.inference.methods.combination import RuleOptions, combined
from proband.suites.inference.words import FUNCTION, words


@dataclass(frozen=True, kw_only=True)
class WordOptions(RuleOptions):
    """Which words of a relation count."""

    words: Annotated[Literal["content", "all"], Meta(description="words of a relation that are averaged")] = "content"
    lemmas: Annotated[bool, Meta(description="look lemmas up instead of words as they stand")] = False


def solve(items: Sequence[Item], model: HasVectors, *, seed: int, options: WordOptions) -> list[Answer]:
    pairs = [asked(item) for item in items]
    relations = list(dict.fromkeys(each for p in pairs for each in (p.premise.relation, p.hypothesis.relation)))
    at = {relation: n for n, relation in enumerate(relations)}
    means, known = mean_vectors(model, [tokens(relation, options) for relation in relations])
    left = [at[pair.premise.relation] for pair in pairs]
    right = [at[pair.hypothesis.relation] for pair in pairs]
    likeness = np.where(known[left] & known[right], (means[left] * means[right]).sum(axis=1), -1.0)
    return combined(items, [float(each) for each in likeness], options)


def tokens(relation: str, options: WordOptions) -> list[str]:
    """The words to average; of a relation of function words alone, those."""
    every = words(relation)
    chosen = [word for word in every if word not in FUNCTION] if options.words == "content" else list(every)
    return [verb_lemma(word) if options.lemmas else word for word in chosen or every]


def mean_vectors(model: HasVectors, texts: Sequence[Sequence[str]]) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean vector of each list of words, scaled to length one, and whether any of the words is known."""
    every = list(dict.fromkeys(word for text in texts for word in text)) or [""]
    vectors, there = model.vectors(every)
    row = {word: n for n, word in enumerate(every)}
    means, known = np.zeros((len(texts), vectors.shape[1]), np.float32), np.zeros(len(texts), bool)
    for n, text in enumerate(texts):
        rows = [row[word] for word in text if there[row[word]]]
        if rows:
            mean = vectors[rows].mean(axis=0)
            length = float(np.linalg.norm(mean))
            means[n], known[n] = (mean / length, True) if length else (mean, False)
    return means, known


WORDS = Solver(
    name="words",
    help="the mean vector of a relation's content words, and the cosine of two",
    needs=HasVectors,
    solve=solve,
    options=WordOptions,
)
