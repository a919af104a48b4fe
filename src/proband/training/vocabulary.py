"""Words, their numbers, and their vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.training.vector_files import open_vectors

SPECIAL = ("#UNK#", "<PAD>", "<SEP>", "<S>", "</S>")
UNKNOWN, PADDING, START = 0, 1, 3


@dataclass(frozen=True)
class Vocabulary:
    """
    >>> words = Vocabulary.of([["stir", "the", "pot"], ["stir", "it"]], least=1)
    >>> words.numbers(["stir", "the", "wok"])
    [5, 8, 0]
    """

    words: tuple[str, ...]
    number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[: len(SPECIAL)] != SPECIAL:
            raise ProbandError(f"a vocabulary must begin with {', '.join(SPECIAL)}")
        object.__setattr__(self, "number", {word: i for i, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], *, least: int) -> Vocabulary:
        """Every word that occurs `least` times, the most frequent first."""
        counts = Counter(word for text in texts for word in text)
        kept = sorted((w for w, c in counts.items() if c >= least and w not in SPECIAL), key=lambda w: (-counts[w], w))
        return cls((*SPECIAL, *kept))

    def numbers(self, words: Iterable[str]) -> list[int]:
        return [self.number.get(word, UNKNOWN) for word in words]

    def allowed(self, words: Iterable[str] | None) -> NDArray[np.bool_]:
        """A mask of the words that may fill a slot: those listed, or all but the special ones."""
        mask = np.zeros(len(self), dtype=bool)
        if words is None:
            mask[len(SPECIAL) :] = True
        else:
            mask[[n for word in words if (n := self.number.get(word, 0)) >= len(SPECIAL)]] = True
        return mask


def vectors_for(vocabulary: Vocabulary, source: Path) -> tuple[NDArray[np.float32], int]:
    """A row per word from a file of any format of `vector_files`, or from a folder with vocab.txt and glove*.npy; and
    the number of words found there. A word without a vector gets a small random one, the same in every process."""
    if source.is_dir():
        known = _read_folder(source, vocabulary)
    else:
        with open_vectors(source) as (_, blocks):
            rows = (each for words, rows in blocks for each in zip(words, rows, strict=True))
            known = {word: row.copy() for word, row in rows if word in vocabulary.number}
    if not known:
        raise ProbandError("has no vector for any word of the training texts", file=source)
    width, spread = len(next(iter(known.values()))), float(np.std(np.stack(list(known.values()))))
    table = random_vectors(len(vocabulary), width, spread=spread)
    for word, vector in known.items():
        table[vocabulary.number[word]] = vector
    return table, len(known)


def random_vectors(words: int, dimension: int, *, spread: float = 0.4) -> NDArray[np.float32]:
    """Normally distributed vectors with the given standard deviation (GloVe's is about 0.4); zero for padding.

    >>> random_vectors(7, 3)[PADDING].tolist()
    [0.0, 0.0, 0.0]
    """
    table = np.random.default_rng(0).normal(0, spread, (words, dimension)).astype(np.float32)
    table[PADDING] = 0
    return table


def _read_folder(folder: Path, vocabulary: Vocabulary) -> dict[str, NDArray[np.float32]]:
    tables = sorted(folder.glob("glove*.npy"))
    if not tables or not (folder / "vocab.txt").exists():
        raise ProbandError("contains no vocab.txt with a glove*.npy next to it", file=folder)
    words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    table = np.load(tables[0], allow_pickle=False)
    if len(words) < len(table):
        raise ProbandError(f"{len(table)} vectors for {len(words)} words", file=tables[0])
    return {word: row.astype(np.float32) for word, row in zip(words, table) if word in vocabulary.number}
