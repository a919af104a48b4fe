"""A store of assertions on disk: parts as they are extracted or imported, and an index made of them.

    STORE/store.json     format, counts, how it was made
    STORE/parts/         one or more files per unit of work, with UNIT.done when a unit is finished
    STORE/index/NN/      segments, memory-mapped

Workers on several machines may write parts into one folder; `build_index` brings them together, each triple once.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import decode, write_json
from proband.core.progress import Progress
from proband.lexicon.inflection import key
from proband.suites.inference.assertions.distinct import Ints
from proband.suites.inference.assertions.encoded import BUCKETS, Encoded
from proband.suites.inference.assertions.index import Segment, write_segment
from proband.suites.inference.assertions.merging import Merged

FORMAT = 2
SEGMENT = 6_000_000  # rows of a segment at most, until there are as many segments as buckets


@dataclass(frozen=True)
class Assertion:
    subject: str
    relation: str
    object: str
    count: int


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """store.json."""

    format: int
    assertions: int
    occurrences: int
    arguments: int
    relations: int
    keys: int
    segments: int
    bytes: int
    parts: int


class Store:
    """`Store(path)` opens what `build_index` wrote; nothing is read until it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "store.json"
        if not path.is_file():
            raise ProbandError(
                "is no store of assertions; `proband assertions SOURCE... -o STORE` makes one", file=folder
            )
        self.about: About = decode(About, path.read_bytes(), file=path)
        if self.about.format != FORMAT:
            raise ProbandError(f"'format' is {self.about.format}, this version reads {FORMAT}", file=path)
        self.segments = [Segment(folder / "index" / f"{at:02}") for at in range(self.about.segments)]

    def __len__(self) -> int:
        return self.about.assertions

    def rows(self, text: str) -> Iterator[tuple[Segment, str, Ints]]:
        """Where a text is an argument, up to stop words and inflection: segment, its side, rows."""
        wanted = key(text)
        for segment in self.segments:
            number = segment.key_number(wanted)
            if number is not None:
                yield segment, "subject", segment.of_subject(number)
                yield segment, "object", segment.of_object(number)

    def about_argument(self, text: str) -> Iterator[Assertion]:
        """The assertions with an argument, on either side.

        The same one may come twice where both its arguments are the text.
        """
        for segment, _, rows in self.rows(text):
            for row in rows.tolist():
                yield as_text(segment, row)

    def all(self) -> Iterator[Assertion]:
        """Every assertion, for who trains on them."""
        for segment in self.segments:
            arguments = [text.decode() for text in segment.arguments.all()]
            relations = [text.decode() for text in segment.relations.all()]
            for piece in segment.pieces():
                for subject, relation, thing, count in piece.tolist():
                    yield Assertion(arguments[subject], relations[relation], arguments[thing], count)


def as_text(segment: Segment, row: list[int]) -> Assertion:
    subject, relation, thing, count = row
    return Assertion(segment.arguments[subject], segment.relations[relation], segment.arguments[thing], count)


def build_index(folder: Path) -> About:
    """Segments from all finished parts; what was there before is replaced."""
    paths = finished_parts(folder)
    if not paths:
        done = any((folder / "parts").glob("*.done"))
        raise ProbandError(
            "no assertion was found in the sources" if done else "contains no finished part", file=folder
        )
    total = sum(_rows(path) for path in paths)
    segments = 1
    while segments < BUCKETS and total / segments > SEGMENT:
        segments *= 2
    step = BUCKETS // segments
    (folder / "store.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "index", ignore_errors=True)
    (folder / "index").mkdir(parents=True)
    with Progress("indexing", total=segments) as bar:
        for at in range(segments):
            merged = Merged(map(Encoded.open, paths), first=at * step, last=(at + 1) * step)
            write_segment(folder / "index" / f"{at:02}", merged)
            bar.advance()
    about = _counted(folder, segments, len(paths))
    write_json(folder / "store.json", about)
    return about


def finished_parts(folder: Path) -> list[Path]:
    """The parts of finished units, in the order of their names."""
    parts = folder / "parts"
    return [part for done in sorted(parts.glob("*.done")) for part in sorted(parts.glob(f"{done.stem}.part*"))]


def _rows(path: Path) -> int:
    return int(Encoded.open(path).rows.shape[1])


def _counted(folder: Path, segments: int, parts: int) -> About:
    opened = [Segment(folder / "index" / f"{at:02}") for at in range(segments)]
    totals: dict[str, Any] = {
        "assertions": sum(map(len, opened)),
        "occurrences": sum(int(one.rows[:, 3].sum(dtype=np.uint64)) for one in opened),
        "bytes": sum(path.stat().st_size for path in (folder / "index").rglob("*.npy")),
    }
    for name in ("arguments", "relations", "keys"):
        # distinct in the whole store: of one segment its own number, of several a union of hashes
        if segments == 1:
            totals[name] = len(getattr(opened[0], name))
        else:
            hashes = [getattr(one, name).column().hash().to_numpy() for one in opened]
            totals[name] = len(np.unique(np.concatenate(hashes)))
    return About(format=FORMAT, segments=segments, parts=parts, **totals)
