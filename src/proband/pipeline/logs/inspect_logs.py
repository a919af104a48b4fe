"""Logs of inspect_ai: `.json` (one object) and `.eval` (a zip of header.json and a JSON file per sample and epoch).

A sample's score is that of the first scorer, or of the one named by `--metric`: C, P, I and N count 1, 1/2, 0 and 0, as
in inspect's own accuracy. The epochs of a sample are averaged. What samples share is in their metadata.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.pipeline.logs.record import Entry, Log, Wanted, clusters_in, collect, number, tags_in


class InspectScore(msgspec.Struct):
    value: Any = None


class InspectSample(msgspec.Struct):
    """The fields that are read."""

    id: str | int
    epoch: int = 1
    scores: dict[str, InspectScore] | None = None
    metadata: dict[str, Any] | None = None


class Header(msgspec.Struct):
    eval: dict[str, Any]
    status: str = ""
    samples: list[InspectSample] | None = None


def read_json(path: Path, wanted: Wanted) -> Log:
    header = _decode(path.read_bytes(), Header, path)
    return _log(header, iter(header.samples or ()), path, wanted)


def read_eval(path: Path, wanted: Wanted) -> Log:
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile  # what zipfile is from 3.14 on
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "header.json" not in names:
                raise ProbandError("has no header.json: the evaluation did not end, or this is not a log", file=path)
            header = _decode(archive.read("header.json"), Header, path, "header.json")
            samples = sorted(name for name in names if name.startswith("samples/") and name.endswith(".json"))
            return _log(
                header, (_decode(archive.read(name), InspectSample, path, name) for name in samples), path, wanted
            )
    except NotImplementedError as error:
        raise ProbandError(f"is compressed in a way that cannot be read: {error}", file=path) from None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise ProbandError(f"is not a log of inspect: {error}", file=path) from None


def _decode(raw: bytes, kind: Any, path: Path, member: str = "") -> Any:
    """inspect writes NaN for a metric that has no value; JSON has none."""
    where = f"{member}: " if member else ""
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise ProbandError(f"{where}is not a log of inspect: {error}", file=path) from None
    except msgspec.DecodeError:
        pass
    try:
        return msgspec.convert(json.loads(raw), kind)
    except (ValueError, msgspec.ValidationError) as error:
        raise ProbandError(f"{where}is not a log of inspect: {error}", file=path) from None


def _log(header: Header, samples: Iterator[InspectSample], path: Path, wanted: Wanted) -> Log:
    if header.status not in ("success", ""):
        raise ProbandError(f"the evaluation ended with status {header.status!r}", file=path)
    entries: list[Entry] = []
    scorer = wanted.metric
    for sample in samples:
        where = f"sample {sample.id!r}"
        scores = sample.scores or {}
        scorer = scorer or next(iter(scores), "")
        if scorer not in scores:
            known = ", ".join(scores) or "none"
            raise ProbandError(f"{where}: no score of {scorer!r}; there are {known}", file=path)
        about = sample.metadata or {}
        entries.append(
            Entry(
                item=str(sample.id),
                value=number(scores[scorer].value, file=path, line=None, name=f"{where}, {scorer}"),
                clusters=clusters_in(about, wanted.cluster, file=path, line=None),
                tags=tags_in(about),
            )
        )
    return collect(entries, label=str(header.eval.get("model") or path.stem), metric=scorer, path=path)
