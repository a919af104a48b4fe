"""Two runs on the same items: paired, clustered tests, overall and for each value of a tag, Holm-corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proband import suites
from proband.core import stats
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_run
from proband.core.types import Answer, Item, Suite, numbers
from proband.run_folder import answers_of, items_of, run_folders


def compare(
    run_a: str | Path,
    run_b: str | Path,
    *,
    items: str | Path | None = None,
    by: str | None = None,
    metric: str | None = None,
    seed: int = 0,
    draws: int = 2000,
) -> dict[str, Any]:
    """Paired, clustered tests of two runs on the same items: overall and for each value of the tag `by`."""
    (folder_a,), (folder_b,) = run_folders([run_a])[:1], run_folders([run_b])[:1]
    a, b = read_run(folder_a / "run.json"), read_run(folder_b / "run.json")
    if a.items_sha != b.items_sha:
        raise ProbandError(f"{run_a} and {run_b} answered different items")
    suite = suites.suite(a.suite)
    path = items_of(folder_a, a, items)
    loaded = read_items(path)
    said_a, said_b = answers_of(folder_a, loaded, a), answers_of(folder_b, loaded, b)
    name = metric or next(iter(suite.metrics))
    if name not in suite.metrics:
        raise ProbandError(f"{suite.name} has no metric {name!r}; it has {', '.join(suite.metrics)}")
    split = by or telling_tag(suite, loaded)
    groups: dict[str, list[tuple[float, float, tuple[str, ...]]]] = {"all": []}
    for item, one, other in zip(loaded, said_a, said_b, strict=False):
        for x, y in paired_numbers(suite, name, item, one, other):
            row = (x, y, stats.clusters_of(item))
            groups["all"].append(row)
            if split is not None and split in item.tags:
                groups.setdefault(f"{split}={item.tags[split]}", []).append(row)
    if not groups["all"]:
        raise ProbandError(f"the two runs share no item that {name!r} applies to")
    tests = {group: paired_row(group, rows, seed=seed, draws=draws) for group, rows in groups.items()}
    adjusted = stats.holm([test["p"] for test in tests.values()])
    for test, p in zip(tests.values(), adjusted, strict=True):
        test |= {"p_holm": p, "verdict": verdict(test["difference"], p, a=a.model, b=b.model)}
    return {"a": a.model, "b": b.model, "suite": a.suite, "metric": name, "groups": list(tests.values())}


def telling_tag(suite: Suite, items: Sequence[Item]) -> str | None:
    """The first column tag of the suite's main table that takes more than one value among these items."""
    columns = suite.tables[0].columns if suite.tables else ()
    return next((tag for tag in columns if len({item.tags.get(tag) for item in items}) > 1), None)


def paired_row(
    group: str, rows: Sequence[tuple[float, float, tuple[str, ...]]], *, seed: int, draws: int
) -> dict[str, Any]:
    x, y, clusters = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    test = stats.paired_test(x, y, clusters=clusters, seed=seed, draws=draws)
    return {"group": group, "mean_a": sum(x) / len(x), "mean_b": sum(y) / len(y), **test.__dict__}


def paired_numbers(suite: Suite, metric: str, item: Item, a: Answer, b: Answer) -> Iterator[tuple[float, float]]:
    measure = suite.metrics[metric]
    xs, ys = numbers(measure(item, a)), numbers(measure(item, b))
    if xs and ys:
        yield from zip(xs, ys, strict=True)


def verdict(difference: float, p: float, *, a: str, b: str) -> str:
    """
    >>> verdict(0.02, 0.4, a="x", b="y")
    'inside the noise'
    """
    if p >= 0.05:
        return "inside the noise"
    return f"{a if difference > 0 else b} is higher"
