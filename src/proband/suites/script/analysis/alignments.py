"""Alignments of abstract lines with concrete texts, from a net or from the answers it left.

The solvers `align` and `answer` keep the Viterbi alignment of a text in the record of its first blank:
`path`, the position in the abstract line of each concrete word; `align` also gives it for training texts, and on demand
`posteriors`, p(a_j = i | x, y), and `phrases`, what the net would say for each abstract word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proband.core.types import Answer, Item


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """One pair of texts: the position each concrete word is aligned to, and p(a_j = i | x, y) as words × positions.

    >>> one = Alignment(abstract=("drain", "pasta"), concrete=("use", "a", "strainer"), path=(0, 0, 1))
    >>> one.spans()
    [(0, 'use a'), (1, 'strainer')]
    """

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    path: tuple[int, ...]
    posteriors: tuple[tuple[float, ...], ...] = ()

    def spans(self) -> list[tuple[int, str]]:
        """Abstract position and the concrete phrase it generates, for positions that generate any."""
        found = []
        for i in sorted(set(self.path)):
            found.append((i, " ".join(w for w, at in zip(self.concrete, self.path) if at == i)))
        return found


def alignments(answers: Iterable[tuple[Item, Answer]], *, split: str = "train") -> Iterator[Alignment]:
    """The alignments that the answers to the items of a split have.

    >>> item = Item(id="a", suite="script", prompt="", facts={"abstract": ["stir"], "concrete": ["use", "spoon"]})
    >>> answer = Answer(item_id="a", blanks=({"path": [0, 0]},))
    >>> [one.path for one in alignments([(item, answer)], split="test")]
    [(0, 0)]
    """
    for item, answer in answers:
        record = next((blank for blank in answer.blanks if "path" in blank), None)
        if item.split == split and record is not None:
            yield Alignment(
                abstract=tuple(item.facts["abstract"]),
                concrete=tuple(item.facts["concrete"]),
                path=tuple(record["path"]),
                posteriors=tuple(tuple(row) for row in record.get("posteriors", ())),
            )
