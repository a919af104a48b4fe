"""A toy language with a planted alignment, and items of it."""

from __future__ import annotations

import numpy as np

from proband.core.types import Item

TOOLS = {"cut": ["use", "a", "knife"], "mix": ["take", "the", "whisk", "now"], "boil": ["find", "one", "pot"]}
THINGS = {"egg": ["for", "eggs"], "milk": ["with", "milk", "slowly"], "rice": ["and", "rice"]}
WORDS = TOOLS | THINGS


def planted(count: int, seed: int) -> list[tuple[list[str], list[str], list[int]]]:
    """Abstract words in a row, each with its own phrase; the alignment says which word said what."""
    generator = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        abstract: list[str] = []
        for _ in range(int(generator.integers(1, 3))):
            abstract += [str(generator.choice(list(TOOLS))), str(generator.choice(list(THINGS)))]
        concrete = [(word, i) for i, source in enumerate(abstract) for word in WORDS[source]]
        texts.append((abstract, [word for word, _ in concrete], [i for _, i in concrete]))
    return texts


def items(count: int, seed: int = 0) -> list[Item]:
    """Cloze items of the toy language: tools are blank; one in five is held out."""
    found = []
    for number, (abstract, concrete, _) in enumerate(planted(count, seed)):
        blanks = [[i, i + 1] for i, word in enumerate(concrete) if word in {"knife", "whisk", "pot"}]
        text = " ".join("____" if any(s <= i < e for s, e in blanks) else w for i, w in enumerate(concrete))
        found.append(
            Item(
                id=f"toy-{number}",
                suite="script",
                prompt=" ".join(abstract) + "\n" + text,
                tags={"split": "valid" if number % 5 == 0 else "train", "category": "tool"},
                facts={
                    "abstract": abstract,
                    "concrete": concrete,
                    "blanks": blanks,
                    "gold": [concrete[s:e] for s, e in blanks],
                    "clusters": [f"caption-{number // 3}"],
                },
            )
        )
    return found
