r"""Zero-shot with embeddings (section 3.1): the option whose relation embedding is nearest to the query's.

    r(h, t) = RelBERT(h, t)      or, for static vectors,      r(h, t) = v(t) - v(h)

and the classical combinations of the four words (Levy & Goldberg 2014), here used to compare options:

    3CosAdd        cos(d, b - a + c)
    3CosMul        cos(d, b) cos(d, c) / (cos(d, a) + eps), cosines moved to [0, 1]
    PairDirection  cos(d - c, b - a), which is the difference above
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from proband.core.protocols import EmbedsPairs, HasVectors
from proband.core.types import Answer, Item
from proband.suites.analogy.reading import query_and_options

Vector = NDArray[np.floating]
EPS = 1e-3


def cosine(a: Vector, b: Vector) -> float:
    """0 where one of them is the zero vector (a word the model does not know).

    >>> cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])).__round__(4)
    0.7071
    """
    size = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(np.dot(a, b)) / size if size > 0 else 0.0


def difference(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(b - a, d - c)"""
    return cosine(b - a, d - c)


def cos_add(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(d, b - a + c), the words taken at length 1"""
    a, b, c, d = (unit(v) for v in (a, b, c, d))
    return cosine(d, b - a + c)


def cos_mul(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """cos(d, b) cos(d, c) / (cos(d, a) + eps)"""
    near_a, near_b, near_c = ((cosine(d, v) + 1) / 2 for v in (a, b, c))
    return near_b * near_c / (near_a + EPS)


def similar_to_b(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """The control: cos(d, c), blind to the query. (Its name is from a : a' :: b : b', whose b is our c.)"""
    return cosine(d, c)


Combination = Callable[[Vector, Vector, Vector, Vector], float]


def unit(v: Vector) -> Vector:
    size = float(np.linalg.norm(v))
    return v / size if size > 0 else v


def lookup(model: HasVectors, words: Sequence[str]) -> dict[str, Vector]:
    """A vector per word: as it stands, in lower case, joined by `_` or `-`; several words: the mean of those known.

    A word that is not found at all has the zero vector.
    """
    distinct = list(dict.fromkeys(words))
    forms = [spellings(word) for word in distinct]
    flat = list(dict.fromkeys(form for own in forms for form in own))
    parts = list(dict.fromkeys(part for word in distinct for part in word.lower().split()))
    rows, known = model.vectors([*flat, *parts])
    row_of = {form: row for form, row, there in zip([*flat, *parts], rows, known, strict=True) if there}
    nothing = np.zeros(rows.shape[1], dtype=np.float32)
    found: dict[str, Vector] = {}
    for word, own in zip(distinct, forms, strict=True):
        hit = next((row_of[form] for form in own if form in row_of), None)
        if hit is None:
            pieces = [row_of[part] for part in word.lower().split() if part in row_of]
            hit = np.mean(pieces, axis=0) if pieces else nothing
        found[word] = hit
    return found


def spellings(word: str) -> list[str]:
    """
    >>> spellings("New Zealand")
    ['New Zealand', 'new zealand', 'New_Zealand', 'new_zealand', 'New-Zealand', 'new-zealand']
    """
    return list(
        dict.fromkeys(form for gap in " _-" for form in (word.replace(" ", gap), word.lower().replace(" ", gap)))
    )


def by_vectors(combine: Combination) -> Callable[..., list[Answer]]:
    """A solver for static vectors from a combination of the four words' vectors."""

    def solve(items: Sequence[Item], model: HasVectors, *, seed: int) -> list[Answer]:
        pairs = [(item, query_and_options(item)) for item in items]
        vector = lookup(model, [word for _, (query, options) in pairs for pair in (query, *options) for word in pair])
        return [
            Answer(
                item_id=item.id,
                scores=tuple(combine(vector[query[0]], vector[query[1]], vector[h], vector[t]) for h, t in options),
            )
            for item, (query, options) in pairs
        ]

    return solve


def by_relation(items: Sequence[Item], model: EmbedsPairs, *, seed: int) -> list[Answer]:
    """Cosine of relation embeddings; each distinct pair is embedded once."""
    pairs = [(item, query_and_options(item)) for item in items]
    distinct = list(dict.fromkeys(pair for _, (query, options) in pairs for pair in (query, *options)))
    row_of = dict(zip(distinct, model.embed_pairs(distinct), strict=True))
    return [
        Answer(item_id=item.id, scores=tuple(cosine(row_of[query], row_of[option]) for option in options))
        for item, (query, options) in pairs
    ]
