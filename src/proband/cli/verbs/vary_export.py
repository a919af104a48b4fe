"""What `proband vary` and `proband export` print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table


def vary_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, varied with seed {manifest['seed']}"
    rows = [
        (name, each["effect"], each["items"], sum(each["not_varied"].values()), next(iter(each["not_varied"]), ""))
        for name, each in manifest["variations"].items()
    ]
    yield table(("variation", "right answer", "items", "not varied", "most often because"), rows, numbers=(2, 3))


def export_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['items']:,} items as {result['format']} in {result['out']}"
    names = ("splits", "left_out", "licence", "model", "metric", "score", "files")
    rest = {name: result[name] for name in names if result.get(name)}
    if rest:
        yield rest
