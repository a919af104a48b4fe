"""Logs of inspect_ai: `.json` (one object) and `.eval` (a zip of header.json and a JSON file per sample and epoch).

A sample's score is that of the first scorer, or of the one named by `--metric`: C, P, I and N count 1, 1/2, 0 and 0, as
in inspect's own accuracy. The epochs of a sample are averaged. What samples share is in their metadata.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.pipeline.logs.record import Log, Wanted, collect, entry


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
    return _log(header, header.samples or (), path, wanted)


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
            read = (_decode(archive.read(name), InspectSample, path, name) for name in samples)
            return _log(header, read, path, wanted)
    except NotImplementedError as error:
        raise ProbandError(f"is compressed in a way that cannot be read: {error}", file=path) from None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise ProbandError(f"is not a log of inspect: {error}", file=path) from None


def _decode(raw: bytes, kind: Any, path: Path, member: str = "") -> Any:
    """By `json`, since inspect writes NaN for a metric that has no value."""
    try:
        return msgspec.convert(json.loads(raw), kind)
    except (ValueError, msgspec.ValidationError) as error:
        where = f"{member}: " if member else ""
        raise ProbandError(f"{where}is not a log of inspect: {error}", file=path) from None


def _log(header: Header, samples: Iterable[InspectSample], path: Path, wanted: Wanted) -> Log:
    if header.status not in ("success", ""):
        raise ProbandError(f"the evaluation ended with status {header.status!r}", file=path)
    entries, scorer = [], wanted.metric
    for sample in samples:
        where, scores, about = f"sample {sample.id!r}", sample.scores or {}, sample.metadata or {}
        scorer = scorer or next(iter(scores), "")
        if scorer not in scores:
            raise ProbandError(f"{where}: no score of {scorer!r}; there are {', '.join(scores) or 'none'}", file=path)
        name, value = f"{where}, {scorer}", scores[scorer].value
        entries.append(entry(sample.id, value, wanted, name=name, fields=about, tags=about, file=path))
    return collect(entries, label=str(header.eval.get("model") or path.stem), metric=scorer, path=path)
