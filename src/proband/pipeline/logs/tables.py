"""Plain tables of answers: CSV with a header, or JSON lines, with the fields item, correct and, if items share
something, cluster (several in CSV by `;`, in JSON as a list). Other fields are tags for `--by`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, raw_lines
from proband.pipeline.logs.record import CLUSTER_FIELDS, Entry, Log, Wanted, clusters_in, collected, number, tags_in


def read_csv(path: Path, wanted: Wanted) -> Log:
    return _log(_csv_rows(path), path, wanted)


def read_jsonl(path: Path, wanted: Wanted) -> Log:
    rows = ((line, decode(dict[str, Any], raw, file=path, line=line)) for line, raw in raw_lines(path))
    return _log(rows, path, wanted)


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        for cells in reader:
            if cells:
                if len(cells) != len(header):
                    raise ProbandError(
                        f"has {len(cells)} cells, the header {len(header)}", file=path, line=reader.line_num
                    )
                yield reader.line_num, dict(zip(header, cells))
    except csv.Error as error:
        raise ProbandError(f"is not CSV: {error}", file=path, line=reader.line_num) from None


def _log(rows: Iterator[tuple[int, Mapping[str, Any]]], path: Path, wanted: Wanted) -> Log:
    metric = wanted.metric or "correct"
    entries, seen = [], set[str]()
    for line, fields in rows:
        for name in ("item", metric):
            if fields.get(name) in (None, ""):
                known = ", ".join(map(str, fields))
                raise ProbandError(f"no {name!r}; there are {known}", file=path, line=line)
        item = str(fields["item"])
        if item in seen:
            raise ProbandError(f"item {item!r} occurs a second time", file=path, line=line)
        seen.add(item)
        rest = {name: value for name, value in fields.items() if name not in ("item", metric, *CLUSTER_FIELDS)}
        entries.append(
            Entry(
                item=item,
                value=number(fields[metric], file=path, line=line, name=metric),
                clusters=clusters_in(fields, wanted.cluster, file=path, line=line),
                tags=tags_in(rest),
            )
        )
    return collected(entries, label=path.stem, metric=metric, path=path)
