"""Table 4 and its breakdown as text, ours beside the published one."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from statistics import mean, stdev

from proband.core.types import Estimate
from proband.suites.script.analysis.breakdown import LENGTHS
from proband.suites.script.analysis.metrics import alignment_length
from proband.suites.script.cloze.categories import CATEGORIES
from proband.suites.script.layout import lines_of
from proband.suites.script.published import rows as published_rows
from proband.suites.script.results import IN_DOMAIN, Group, Result, grouped

COLUMNS = ("whole_oracle", "top5_word_oracle", "whole_greedy", "top5_word_greedy", "surprisal")
SHARES = ("match_oracle", "top5_oracle", "match_greedy", "top5_greedy", "surprisal_aligned")
HEAD = ["model", "split", "oracle match", "top-5", "greedy match", "top-5", "surprisal", "runs"]
PLAIN_NUMBERS = ("surprisal", "surprisal_aligned", "rank", "alignment_length")  # the others are shares
SPLITS = ("valid", "test")


def shown(metric: str, found: Estimate | None, means: Sequence[float] = ()) -> str:
    """The mean, its standard deviation over runs, and the interval over captions.

    >>> found = Estimate(metric="whole_greedy", group={}, mean=0.25, low=0.23, high=0.27, n=9)
    >>> shown("whole_greedy", found, [0.24, 0.26])
    '25.00 ± 1.41 [23.0, 27.0]'
    """
    if found is None:
        return "–"
    scale, digits = (1, 3) if metric in PLAIN_NUMBERS else (100, 2)
    spread = f" ± {scale * stdev(means):.{digits}f}" if len(means) > 1 else ""
    interval = f"[{scale * found.low:.{digits - 1}f}, {scale * found.high:.{digits - 1}f}]"
    return f"{scale * found.mean:.{digits}f}{spread} {interval}"


def cells(group: Group, metrics: Sequence[str], split: str, *, seed: int) -> list[str]:
    return [shown(m, group.estimate(m, split, seed=seed), group.means(m, split)) for m in metrics]


def published_line(row: str) -> list[str]:
    found = {r["column"]: float(r["value"]) for r in published_rows() if r["table"] == "table4" and r["row"] == row}
    figures = [f"{found[c]:.3f}" if c == "surprisal" else f"{100 * found[c]:.2f}" for c in COLUMNS]
    return [f"*published: {row}*", "", *figures, ""]


def table4(results: Sequence[Result], *, seed: int) -> str:
    """Match and top-5, oracle and greedy, and surprisal; under each published row ours, in valid and test."""
    groups = grouped(results)
    rows = []
    for row in dict.fromkeys(r["row"] for r in published_rows() if r["table"] == "table4"):
        rows.append(published_line(row))
        rows += [line for group in groups if group.row == row for line in lines_for(group, COLUMNS, seed=seed)]
    known = {r["row"] for r in published_rows() if r["table"] == "table4"}
    rows += [line for group in groups if group.row not in known for line in lines_for(group, COLUMNS, seed=seed)]
    shares = [line for group in groups for line in lines_for(group, SHARES, seed=seed)]
    return (
        "# Table 4\n\n"
        + lines_of(HEAD, rows)
        + "\nPercent with 95 % intervals over captions, ± the standard deviation over runs. Match is of whole blanks "
        "and top-5 of single words, as the released program counts; surprisal is in nats over the whitelist.\n\n"
        "## By each blank's share of right words\n\n"
        + lines_of([*HEAD[:6], "surprisal with transitions", "runs"], shares)
        + "\n## Length of alignments\n\nConcrete words per abstract word that has any.\n\n"
        + lengths(groups)
    )


def lines_for(group: Group, metrics: Sequence[str], *, seed: int) -> list[list[str]]:
    return [
        [group.name, split, *cells(group, metrics, split, seed=seed), str(len(group.runs))]
        for split in SPLITS
        if any(run.rows("match_greedy", split) for run in group.runs)
    ]


def lengths(groups: Sequence[Group]) -> str:
    printed = {r["row"]: r["value"] for r in published_rows() if r["column"] == "alignment_length"}
    rows = []
    for row in (row for row in IN_DOMAIN if row in printed):
        rows.append([f"*published: {row}*", "", printed[row], ""])
        for group in groups:
            for split in SPLITS:
                found = [alignment_length(paths) for run in group.runs if (paths := paths_of(run, split))]
                if group.row == row and found:
                    spread = f" ± {stdev(found):.2f}" if len(found) > 1 else ""
                    rows.append([group.name, split, f"{mean(found):.2f}{spread}", str(len(found))])
    return lines_of(["model", "split", "words", "runs"], rows)


def paths_of(run: Result, split: str) -> list[list[int]]:
    """Every Viterbi alignment that stands in the answers."""
    asked = (answer for item, answer in zip(run.items, run.answers, strict=True) if item.tags["split"] == split)
    return [list(blank["path"]) for answer in asked for blank in answer.blanks if blank.get("path")]


def table4_csv(results: Sequence[Result], *, seed: int) -> str:
    """Every figure of every run."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["model", "row", "split", "metric", "mean", "low", "high", "blanks", "published"])
    printed = {(r["row"], r["column"]): r["value"] for r in published_rows() if r["table"] in ("table4", "section4.2")}
    for result in results:
        for split in SPLITS:
            for metric in (*COLUMNS, *SHARES, "rank", "repeats", "alignment_length"):
                found = result.estimate(metric, split, seed=seed)
                if found is not None:
                    ours = [f"{x:.5f}" for x in (found.mean, found.low, found.high)]
                    beside = printed.get((result.row, metric), "")
                    writer.writerow([result.name, result.row, split, metric, *ours, found.n, beside])
    return file.getvalue()


def breakdown(results: Sequence[Result], *, split: str, seed: int) -> str:
    """Exact match, oracle, by what a blank asks for and by its length."""
    parts = (*CATEGORIES, *LENGTHS)
    metrics = [f"match_oracle:{part}" for part in parts]
    rows = [[group.name, *cells(group, metrics, split, seed=seed)] for group in grouped(results)]
    head = ["model", *(part.replace("-", " ") for part in parts)]
    return f"# Exact match (oracle, share of right words) by kind and length of blank, {split}\n\n" + lines_of(
        head, rows
    )
