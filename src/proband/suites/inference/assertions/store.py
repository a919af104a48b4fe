"""A store of assertions on disk: Parquet files that any tool reads, and look-up by argument.

    STORE/store.json               format, counts, every file with its rows and checksum
    STORE/parts/                   what was extracted (parts.py)
    STORE/by_subject/NNN.parquet   each assertion once, in the order of its subject's key
    STORE/by_object/NNN.parquet    the same rows in the order of the object's key

An argument is compared by its key (stop words and inflection removed). A file has the keys of some buckets, so memory
is that of one file whatever the size of the store, and a look-up reads a few row groups of one file per side. For
example in DuckDB: `select relation, sum(count) from 'STORE/by_subject/*.parquet' group by relation`.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, write_json
from proband.core.progress import Progress
from proband.lexicon.inflection import key
from proband.suites.inference.assertions.parts import BUCKETS, FileRecord, bucket, check, checked_parts, write_rows
from proband.suites.inference.items import phrase, words

FORMAT = 3
NEARLY_NOT = frozenset(("barely", "scarcely", "rarely", "seldom"))
ROWS_PER_FILE = 400_000  # about, until there are as many files as buckets
REPAIR = "rerun the command that made the store: its index is made again from the parts"
TRIPLE = ("subject", "relation", "object")
Side = Literal["subject", "object"]
SIDES: tuple[Side, Side] = ("subject", "object")


@dataclass(frozen=True)
class Assertion:
    """
    >>> Assertion("Italy", "did not invade", "Kenya", 1).negated, Assertion("Italy", "invaded", "Ethiopia", 1).negated
    (True, False)
    """

    subject: str
    relation: str
    object: str
    count: int

    @property
    def negated(self) -> bool:
        """Whether the relation is negated: `did not invade`, `hardly knows`."""
        return phrase(self.relation).negated or any(word in NEARLY_NOT for word in words(self.relation))


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """store.json."""

    format: int
    assertions: int
    occurrences: int
    arguments: int
    relations: int
    keys: int
    bytes: int
    parts: int
    by_subject: list[FileRecord]
    by_object: list[FileRecord]


class Store:
    """`Store(path)` opens the output of `build_index`. It first compares every file with its checksum, which takes half
    a second per gigabyte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "store.json"
        if not path.is_file():
            raise ProbandError(
                "is not a store of assertions; make one with `proband inference assertions SOURCE... -o STORE`",
                file=folder,
            )
        self.about: About = decode(About, path.read_bytes(), file=path)
        if self.about.format != FORMAT:
            raise ProbandError(f"has format {self.about.format}, not {FORMAT}; {REPAIR}", file=path)
        self.files: dict[Side, list[Path]] = {
            side: [check(folder / f"by_{side}", each, mend=REPAIR) for each in getattr(self.about, f"by_{side}")]
            for side in SIDES
        }
        rows = {side: sum(each.rows for each in getattr(self.about, f"by_{side}")) for side in SIDES}
        if set(rows.values()) != {self.about.assertions}:
            raise ProbandError(f"counts disagree: {rows} rows, {self.about.assertions} assertions; {REPAIR}", file=path)

    def __len__(self) -> int:
        return self.about.assertions

    def look_up(self, texts: Sequence[str]) -> dict[str, list[tuple[Side, Assertion]]]:
        """For each text, find the assertions with this argument, up to stop words and inflection, and its side.

        An assertion is returned twice if both its arguments are the text.
        """
        wanted: defaultdict[int, set[str]] = defaultdict(set)  # file -> keys
        by_key: dict[str, list[tuple[Side, Assertion]]] = {}
        for text in texts:
            by_key[one := key(text)] = []
            wanted[bucket(one) * len(self.files["subject"]) // BUCKETS].add(one)
        for at, some in sorted(wanted.items()):
            for side in SIDES:
                for *row, name in _matching(self.files[side][at], f"{side}_key", sorted(some)):
                    by_key[name].append((side, Assertion(*row)))
        return {text: by_key[key(text)] for text in texts}

    def about_argument(self, text: str) -> list[Assertion]:
        return [assertion for _, assertion in self.look_up([text])[text]]

    def all(self) -> Iterator[Assertion]:
        """All assertions, to train on."""
        import polars as pl

        for path in self.files["subject"]:
            for row in pl.read_parquet(path, columns=[*TRIPLE, "count"]).iter_rows():
                yield Assertion(*row)


def _matching(path: Path, column: str, wanted: list[str]) -> list[tuple[Any, ...]]:
    import polars as pl

    name = pl.col(column)
    chosen = name == wanted[0] if len(wanted) == 1 else name.is_in(wanted)
    return pl.scan_parquet(path).filter(chosen).select(*TRIPLE, "count", column).collect().rows()


# ---- the index -----------------------------------------------------------------------------------------------------


def build_index(folder: Path) -> About:
    """Write both orders from all finished parts, replacing earlier ones."""
    (paths, total), files = checked_parts(folder), 1
    while files < BUCKETS and total / files > ROWS_PER_FILE:
        files *= 2
    (folder / "store.json").unlink(missing_ok=True)
    for name in ("by_subject", "by_object", "between"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
    with Progress("indexing", total=2 * files) as bar:
        by_subject = [_merge(folder, paths, at, files, bar) for at in range(files)]
        counted = [_turn(folder, at, files, bar) for at in range(files)]
    shutil.rmtree(folder / "between")
    return _written(folder, by_subject, counted, parts=len(paths))


def _of_buckets(paths: Sequence[Path], side: Side, at: int, files: int) -> Any:
    """The rows of parts whose key on that side belongs to file `at`."""
    import polars as pl

    width = BUCKETS // files
    inside = pl.col(f"{side}_bucket").is_between(at * width, (at + 1) * width - 1)
    return pl.scan_parquet(list(paths)).filter(inside)


def _merge(folder: Path, paths: Sequence[Path], at: int, files: int, bar: Progress) -> FileRecord:
    """Merge equal triples of different parts into one row; sort by subject and, for the second pass, by object."""
    import polars as pl

    ordered = _of_buckets(paths, "subject", at, files).collect().sort("subject_key", *TRIPLE)
    first = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in TRIPLE)
    run = first.cast(pl.UInt32).cum_sum()  # equal triples are adjacent: a group is a run of rows
    totals = ordered.select(run=run, count="count").group_by("run", maintain_order=True).agg(pl.col("count").sum())
    rows = ordered.drop("subject_bucket").filter(first).with_columns(totals["count"])
    bar.advance()
    write_rows(folder / "between" / f"{at:03}.parquet", rows.sort("object_bucket", maintain_order=True))
    return write_rows(folder / "by_subject" / f"{at:03}.parquet", rows.drop("object_bucket"))


def _turn(folder: Path, at: int, files: int, bar: Progress) -> tuple[FileRecord, dict[str, Any]]:
    """The rows of all files in the order of objects, and what the two files of these buckets contain."""
    import polars as pl

    between = sorted((folder / "between").glob("*.parquet"))
    rows = (
        _of_buckets(between, "object", at, files)
        .drop("object_bucket")
        .collect()
        .sort("object_key", maintain_order=True)
    )
    record = write_rows(folder / "by_object" / f"{at:03}.parquet", rows)
    bar.advance()
    same = pl.read_parquet(folder / "by_subject" / f"{at:03}.parquet", columns=["subject", "subject_key"])
    return record, {
        "arguments": pl.concat([same["subject"], rows["object"]]).n_unique(),
        "keys": pl.concat([same["subject_key"], rows["object_key"]]).n_unique(),
        "occurrences": int(rows["count"].sum()),
        "relations": rows["relation"].unique(),
    }


def _written(
    folder: Path, by_subject: list[FileRecord], counted: list[tuple[FileRecord, dict[str, Any]]], *, parts: int
) -> About:
    import polars as pl

    by_object, numbers = [record for record, _ in counted], [each for _, each in counted]
    about = About(
        format=FORMAT,
        assertions=sum(record.rows for record in by_subject),
        **{name: sum(each[name] for each in numbers) for name in ("arguments", "keys", "occurrences")},
        relations=pl.concat([each["relations"] for each in numbers]).n_unique(),
        bytes=sum(path.stat().st_size for side in SIDES for path in (folder / f"by_{side}").iterdir()),
        parts=parts,
        by_subject=by_subject,
        by_object=by_object,
    )
    write_json(folder / "store.json", about)
    return about
