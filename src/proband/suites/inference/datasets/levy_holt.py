"""Levy/Holt (Hosseini et al.'s splits): `q-triple<TAB>p-triple<TAB>True|False`, True where p (RIGHT) entails q (LEFT).

`X.txt` has the type in one argument of the question, `X_s.txt` the same rows with both arguments filled in; the texts
come from the second and the question from the first. `X_dir.txt` lists the rows of pairs that hold in one direction
only: they are rows of `X.txt` and become a tag. dev is the validation split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.inference.datasets.rows import triple_rows
from proband.suites.inference.triples import BACKWARD, FORWARD, Example, Triple, likeness, pair_name

SPLITS: dict[str, Split] = {"train": "train", "dev": "valid", "test": "test"}
Row = tuple[Triple, Triple, bool]


def read(path: Path) -> Iterator[Example]:
    """A folder with train, dev and test files, or one file of them."""
    if path.is_dir():
        found = [name for name in ("test", "dev", "train") if (path / f"{name}.txt").exists()]
        if not found:
            raise ProbandError("contains no dev.txt and no test.txt", file=path)
        for name in found:
            yield from read_file(path / f"{name}.txt")
    else:
        yield from read_file(path)


def read_file(path: Path) -> Iterator[Example]:
    """X.txt beside X_s.txt, or one of them alone."""
    stem = path.stem.removesuffix("_s")
    typed, filled = path.with_name(f"{stem}.txt"), path.with_name(f"{stem}_s.txt")
    texts = rows(filled if filled.exists() else path)
    originals = rows(typed) if typed.exists() else texts
    if len(texts) != len(originals):
        raise ProbandError(f"has {len(texts)} rows, {typed.name} has {len(originals)}", file=filled)
    beside = path.with_name(f"{stem}_dir.txt")
    one_way = set(rows(beside)) if beside.exists() else set()
    used = Counter(triple for left, right, _ in originals for triple in (left, right))
    for (left, right, entailed), (typed_left, typed_right, _) in zip(texts, originals, strict=True):
        hypothesis, premise = (same_case(each) for each in (left, right))
        asks = is_question(typed_left, hypothesis, typed_right, premise, used)
        yield Example(
            premise=premise,
            hypothesis=hypothesis,
            entailed=entailed,
            straight=is_straight(premise, hypothesis),
            question=", ".join(typed_left if asks else typed_right),
            pair=pair_name(premise, hypothesis),
            direction=FORWARD if asks else BACKWARD,
            source="levy-holt",
            split=SPLITS.get(stem.removesuffix("_dir"), "test"),
            directional=stem.endswith("_dir") or (typed_left, typed_right, entailed) in one_way,
        )


def rows(path: Path) -> list[Row]:
    return [(left, right, entailed) for _, left, right, entailed in triple_rows(path)]


def same_case(triple: Triple) -> Triple:
    """The readable files write arguments with a capital, alone or in both triples."""
    return Triple(*(each.lower() for each in triple))


def is_straight(premise: Triple, hypothesis: Triple) -> bool:
    straight = likeness(premise.subject, hypothesis.subject) + likeness(premise.object, hypothesis.object)
    swapped = likeness(premise.subject, hypothesis.object) + likeness(premise.object, hypothesis.subject)
    return straight >= swapped


def is_question(left: Triple, left_text: Triple, right: Triple, right_text: Triple, used: Counter[Triple]) -> bool:
    """Whether the left triple is the question: its argument was filled in; else the one that stands in more rows."""
    changed = [same_case(typed) != text for typed, text in ((left, left_text), (right, right_text))]
    return changed[0] if changed[0] != changed[1] else used[left] >= used[right]
