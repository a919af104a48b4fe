r"""Zero-shot with embeddings (section 3.1): the option whose relation embedding is nearest to the query's.

    r(h, t) = RelBERT(h, t)      or, for static vectors,      r(h, t) = v(t) - v(h)

and the classical combinations of the four words (Levy & Goldberg 2014), here used to compare options:

    3CosAdd        cos(d, b - a + c)
    PairDirection  cos(d - c, b - a), which is the difference above
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.metrics import best_choices
from proband.core.plugins import NoOptions
from proband.core.protocols import EmbedsPairs, EmbedsSentences, HasVectors
from proband.core.types import Answer, Item
from proband.suites.analogy.relations import Pair, query_and_options

Rows = NDArray[np.floating]  # one vector per row


def cosine(a: Rows, b: Rows) -> Rows:
    """Row by row; 0 where one of the two is the zero vector (a word the model does not know).

    >>> cosine(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])).round(4).tolist()
    [0.7071, 0.0]
    """
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    product: Rows = np.einsum("...d,...d->...", a, b)
    shares: Rows = np.divide(product, size, out=np.zeros_like(product), where=size > 0)
    return shares


def unit(v: Rows) -> Rows:
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    scaled: Rows = np.divide(v, size, out=np.zeros_like(v), where=size > 0)
    return scaled


def difference(a: Rows, b: Rows, c: Rows, d: Rows) -> Rows:
    """cos(b - a, d - c)"""
    return cosine(b - a, d - c)


def cos_add(a: Rows, b: Rows, c: Rows, d: Rows) -> Rows:
    """cos(d, b - a + c), the words taken at length 1"""
    return cosine(d, unit(b) - unit(a) + unit(c))


Combination = Callable[[Rows, Rows, Rows, Rows], Rows]


def lookup(model: HasVectors, words: Sequence[str]) -> dict[str, Rows]:
    """The vector of each text: the model's own, or that of the text with `_` or `-` for spaces. Otherwise it is the
    mean of the known words, unless the model was loaded with phrases=none.

    A word that is not found at all has the zero vector.
    """
    mean = getattr(model, "phrases", "mean") == "mean"
    whole = {word: [word.replace(" ", gap) for gap in (" _-" if " " in word else " ")] for word in words}
    parts = {word: word.lower().split() if mean else [] for word in whole}
    forms = list(dict.fromkeys(form for word in whole for form in (*whole[word], *parts[word])))
    rows, known = model.vectors(forms)
    row_of = {form: row for form, row, there in zip(forms, rows, known, strict=True) if there}
    nothing = np.zeros(rows.shape[1], dtype=np.float32)
    vectors: dict[str, Rows] = {}
    for word in whole:
        vector = next((row_of[form] for form in whole[word] if form in row_of), None)
        if vector is None:
            pieces = [row_of[part] for part in parts[word] if part in row_of]
            vector = np.mean(pieces, axis=0) if pieces else nothing
        vectors[word] = vector
    return vectors


def uncovered(answer: Answer, pairs: Sequence[Pair], vectors: Mapping[str, Rows]) -> Answer:
    """Mark an answer as not covered if a pair has no direction, because neither of its words has a vector; or if the
    best options tie only because the words in which they differ have none.

    >>> vectors = {"a": np.ones(2), "b": np.zeros(2), "c": np.zeros(2)}
    >>> one, tie = Answer(item_id="i", scores=(0.5, 0.1)), Answer(item_id="i", scores=(0.5, 0.5))
    >>> uncovered(one, [("a", "b"), ("a", "c")], vectors) == one, uncovered(one, [("b", "c")], vectors).status
    (True, 'not covered')
    >>> uncovered(tie, [("a", "b"), ("a", "c")], vectors).text
    "no vector for 'b', 'c'"
    """
    unknown = {word: None for pair in pairs for word in pair if not vectors[word].any()}
    lost = any(head in unknown and tail in unknown for head, tail in pairs)
    if not unknown or not (lost or len(best_choices(answer)) > 1):
        return answer
    return Answer(item_id=answer.item_id, text=f"no vector for {', '.join(map(repr, unknown))}", status="not covered")


def by_vectors(combine: Combination) -> Callable[..., list[Answer]]:
    """Make a solver for static vectors from a combination of the four words' vectors."""

    def solve(items: Sequence[Item], model: HasVectors, *, seed: int, options: NoOptions) -> list[Answer]:
        vectors: dict[str, Rows] = {}

        def embed(words: Sequence[str]) -> Rows:
            vectors.update(lookup(model, words))
            return np.stack([vectors[word] for word in words])

        answers = _scored(items, lambda query, option: (*query, *option), embed, combine)
        pairs = ((query, *choices) for query, choices in map(query_and_options, items))
        return [uncovered(answer, of, vectors) for answer, of in zip(answers, pairs, strict=True)]

    return solve


def by_relation(items: Sequence[Item], model: EmbedsPairs, *, seed: int, options: NoOptions) -> list[Answer]:
    """Cosine of relation embeddings; each distinct pair is embedded once."""
    return _scored(items, lambda query, option: (query, option), model.embed_pairs, cosine)


def by_sentences(items: Sequence[Item], model: EmbedsSentences, *, seed: int, options: NoOptions) -> list[Answer]:
    """Cosine of the sentence embeddings of "h1 is to t1" and "h2 is to t2"."""
    return _scored(
        items, lambda *pairs: tuple(f"{head} is to {tail}" for head, tail in pairs), model.embed_sentences, cosine
    )


def _scored(
    items: Sequence[Item],
    parts: Callable[[Pair, Pair], tuple[Any, ...]],
    embed: Callable[[list[Any]], Rows],
    combine: Callable[..., Rows],
) -> list[Answer]:
    """Score options by a combination of the embeddings of their parts and the query's; each distinct part is embedded
    once."""
    questions = [query_and_options(item) for item in items]
    number: dict[Any, int] = {}
    rows = np.array(
        [
            [number.setdefault(part, len(number)) for part in parts(query, option)]
            for query, choices in questions
            for option in choices
        ]
    )
    table = embed(list(number))
    scores = combine(*(table[column] for column in rows.T))
    ends = np.cumsum([len(choices) for _, choices in questions])
    shares = np.split(scores.astype(np.float64), ends[:-1])
    return [Answer(item_id=item.id, scores=tuple(share.tolist())) for item, share in zip(items, shares, strict=True)]
