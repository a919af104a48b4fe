"""Are the intervals and tests calibrated? Simulates the designs of all suites and writes benchmarks/calibration.md.

    python benchmarks/calibration.py --workers 8         twenty minutes of processor time
    python benchmarks/calibration.py --repetitions 50    a quick look, printed only
    python benchmarks/calibration.py --keep FILE         designs that FILE has are not simulated again

Which designs: calibration_designs.py; which methods: calibration_methods.py; how answers are simulated:
calibration_simulation.py; sentences, plans: calibration_reports.py; designs at the edges: calibration_edges.py; rules
that are no intervals, and what any rule has to pay: calibration_rules.py; variations: calibration_variations.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import calibration_edges
import calibration_reports
import calibration_rules
import numpy as np
from calibration_designs import Layout, layouts
from calibration_methods import OURS
from calibration_rules import BOUNDS, bound
from calibration_simulation import (
    BLIND,
    CORRELATIONS,
    EFFECT,
    MEANS,
    SET_METRICS,
    Line,
    real_values,
    set_metric,
    shares,
    training_seeds,
)
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import nct

# ---- all of them ---------------------------------------------------------------------------------------------------


def designs() -> Iterator[tuple[str, Callable[[int], Line]]]:
    """A name for each design, and what simulates it with so many repetitions."""
    every = layouts()
    for layout in every:
        for p in MEANS:
            for r in CORRELATIONS if layout.member.shape[1] > 1 or layout.clusters < layout.items else (0.0,):
                yield f"{layout.name}: mean {p}, r {r}", partial(shares, layout, p, r)
        for skewed in (False, True):
            yield f"{layout.name}: skewed {skewed}", partial(real_values, layout, 0.2, skewed=skewed)
    chosen: list[Layout] = [every[2], every[8], every[12]]
    for layout in chosen:
        for name in SET_METRICS if layout is not every[2] else list(SET_METRICS)[:2]:
            yield f"{layout.name}: {name}", partial(set_metric, layout, name, 0.3)
        for seeds in () if layout is every[12] else ((2, 2), (3, 3), (5, 5), (5, 2), (2, 1), (3, 1), (5, 1), (10, 1)):
            for sd in (0.0, 0.03, 0.06, 0.1):
                yield f"{layout.name}: seeds {seeds}, {sd}", partial(training_seeds, layout, seeds, sd)


Task = Callable[[int], Any]  # something for JSON, of so many repetitions


def line(of: Callable[[int], Line], repetitions: int) -> dict[str, Any]:
    """More repetitions tell whether a design that shows more than the limits is within them."""
    found = of(repetitions)
    if found.near_limits and repetitions >= 100:
        found = of(8 * repetitions)
    return asdict(found)


@cache
def tasks() -> dict[str, dict[str, Task]]:
    """Everything that the page has, part by part: those that broke earlier versions come first."""
    return {
        "edges": {f"edge {n}": task for n, task in enumerate(calibration_edges.tasks())},
        "rules": {f"rule {n}": task for n, task in enumerate(calibration_rules.tasks())},
        "told": {f"told {n}": task for n, task in enumerate(calibration_reports.tasks())},
        "bounds": {f"bound {n}": partial(bound, *each) for n, each in enumerate(BOUNDS)},
        "lines": {name: partial(line, of) for name, of in designs()},
    }


def done(part: str, name: str, repetitions: int) -> Any:
    """In a process of its own: by name, since not every task can be sent there."""
    return tasks()[part][name](repetitions)


def simulate(repetitions: int, keep: Path | None = None, workers: int = 1) -> dict[str, list[Any]]:
    """All of them; those that `keep` has from an earlier time are read there, and new ones are added to it."""
    known: dict[str, Any] = {}
    if keep is not None and keep.exists():
        known = dict(json.loads(each) for each in keep.read_text(encoding="utf-8").splitlines())
    every = tasks()
    keys = {(part, name): f"{name} ({repetitions})" for part, named in every.items() for name in named}
    with ProcessPoolExecutor(workers) as pool:
        running = {pool.submit(done, *at, repetitions): key for at, key in keys.items() if key not in known}
        for each in as_completed(running):
            known[running[each]] = each.result()
            if keep is not None:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([running[each], each.result()]) + "\n")
    return {part: [known[f"{name} ({repetitions})"] for name in named] for part, named in every.items()}


# ---- as a table ----------------------------------------------------------------------------------------------------

Rows = Sequence[Sequence[str]]


def pipe(head: Sequence[str], body: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] + ["---:"] * (len(head) - 1), *body)]
    return "\n".join(lines) + "\n"


def span(values: Sequence[float]) -> str:
    """Lowest, median and highest."""
    if not values:
        return "–"
    return f"{min(values):.3f} – **{np.median(values):.3f}** – {max(values):.3f}"


def by_method(lines: Sequence[Line]) -> str:
    names = list(dict.fromkeys(name for line in lines for name in line.coverage))
    stated = {OURS: span([line.detectable for line in lines if np.isfinite(line.detectable)])}
    body = [
        [
            name,
            *(span([per[name] for line in lines if name in (per := getattr(line, what))]) for what in WHAT),
            stated.get(name, "–"),
        ]
        for name in names
    ]
    head = ("method", "coverage", "width / oracle", "null rejected", "power / oracle", "detectable, stated / true")
    return pipe(head, body)


WHAT = ("coverage", "width", "null", "power")


def by_layout(lines: Sequence[Line]) -> str:
    body = []
    methods = list(dict.fromkeys(name for line in lines for name in line.coverage))
    for name in dict.fromkeys(line.layout for line in lines):
        own = [line for line in lines if line.layout == name]
        others = [_covered([line.coverage[other] for line in own if other in line.coverage]) for other in methods]
        clusters = f"{own[0].clusters:.0f}"
        if own[0].few:
            body.append([f"{own[0].like}: {name}", clusters, "too few to tell", *others[1:], *["–"] * 6])
            continue
        power = [
            [line.power[OURS] for line in own if OURS in line.power and line.extreme is at] for at in (False, True)
        ]
        stated = [line.detectable for line in own if np.isfinite(line.detectable)]
        powers = [f"{np.median(each):.2f}" if each else "–" for each in power]
        width, null = np.median([line.width[OURS] for line in own]), max(line.null[OURS] for line in own)
        last = [f"{width:.2f}", f"{null:.3f}", *powers, f"{power_of_t(own[0].clusters - 1):.2f}"]
        body.append([f"{own[0].like}: {name}", clusters, *others, *last, f"{np.median(stated):.2f}"])
    head = ["design", "effective clusters", *(f"coverage, {name}" for name in methods)]
    powers = ["power / oracle", "near 0 and 1", "t test / oracle"]
    return pipe([*head, "width / oracle", "highest null rate", *powers, "detectable"], body)


def _covered(coverage: Sequence[float]) -> str:
    return f"{min(coverage):.3f} ({np.median(coverage):.3f})" if coverage else "–"


def power_of_t(freedom: float) -> float:
    """Power of Student's t test beside the test that knows the variance, for the planted effect."""
    t, z = stdtrit(freedom, 0.975), ndtri(0.975)
    known = ndtr(EFFECT - z) + ndtr(-EFFECT - z)
    return float((nct.sf(t, freedom, EFFECT) + nct.cdf(-t, freedom, EFFECT)) / known)


def single_lines(lines: Sequence[Line]) -> str:
    body = []
    for line in lines:
        blind = f"{line.coverage[BLIND]:.3f}" if BLIND in line.coverage else "–"
        null = f"{line.null[OURS]:.3f}" if line.null else "no p-value"
        numbers = [f"{line.coverage[OURS]:.3f}", blind, f"{line.width[OURS]:.2f}", null]
        stated = f"{line.detectable:.2f}" if np.isfinite(line.detectable) else "–"
        body.append([f"{line.layout}: {line.kind}", *numbers, stated])
    return pipe(("design", "coverage", BLIND, "width / oracle", "null rejected", "detectable"), body)


def page(found: Mapping[str, Sequence[Any]], repetitions: int) -> str:
    lines = [Line(**each) for each in found["lines"]]
    main = [line for line in lines if OURS in line.power or len(line.coverage) > 2]
    rest = [line for line in lines if line not in main]
    edges, rules, told, bounds = ([row for rows in found[part] for row in rows] for part in list(found)[:4])
    return PAGE.format(
        designs=len(lines),
        printed=sum(not line.few for line in lines),
        edges=pipe(calibration_edges.HEAD, edges),
        rules=pipe(("rule", "formerly", "now"), rules),
        bounds=pipe(("clusters", "any rule, at least", "union of Student's"), bounds),
        repetitions=f"{repetitions:,}",
        plain=repetitions,
        methods=by_method([line for line in main if not line.few]),
        layouts=by_layout(main),
        rest=single_lines(rest),
        told="\n".join(told) + "\n",
    )


PAGE = """# Calibration of intervals and tests

Written by `python benchmarks/calibration.py --repetitions {plain}`: {designs} simulated designs, of which
{printed} have clusters enough for an interval, {repetitions} repetitions each (metrics over sets half of them, those
that jump with 250 draws of the bootstrap; eight times as many repetitions where these show coverage below 0.925 or more
than 0.065 of nulls rejected). An interval of 95 % should cover the truth in 95 % of repetitions,
a test at 0.05 should reject a true null hypothesis in 5 %. The oracle knows the variance of the mean; an effect of 2.5
of its standard errors was planted to measure power. The method is described in
[docs/statistics.md](../docs/statistics.md). Each entry: lowest – **median** – highest over all designs with zeros and
ones (means 0.05 to 0.95, correlations 0 to 0.5 of the latent variable within clusters) and with real values (normal,
skewed) that have six effective clusters or more. Power can pass the oracle's where a method rejects too often under the
null. Of other tools: statsmodels' cluster-robust errors (of three kinds of clusters by the same formula), inspect_ai's
`ci()` and `ci_wilson()`, sieval's interval (pull request 126); the last three take one cluster per item: the first.
Wilson's intervals are for shares alone and have no paired test.

{methods}
## By design

Coverage: the lowest of all means, correlations and kinds of value, with the median in brackets. With fewer than six
effective clusters of any kind Proband prints no interval but "too few to tell". *Nested* items name a document, a
paragraph and themselves (3 x 30 x 4: 3 documents of 30 paragraphs of 4 items), or a relation and two tuples; *crossed*
ones a template, a relation and a subject. Power: the median over means of 0.2 to 0.8 and
real values, and over means of 0.05 and 0.95 ("–" where no effect of that size exists). "t test / oracle": the power of
Student's t test on that many independent values; no calibrated test that has to estimate the variance from few clusters
has much more.

{layouts}
## Metrics over sets, training seeds

Two fifths of the items are true (*few true*: one fifth) and score 1.5 standard deviations higher (*weak scores*: 0.5
or 0.6). The truth is what to expect of a set of this size: recall at a precision, the best of many thresholds, is
higher on small sets. Metrics that jump have intervals and tests from a bootstrap by cluster.

Training seeds move the accuracy of a whole
run by the standard deviation given; coverage is that of the first system. A net that was trained once borrows the
variance of the other's seeds where these are three or more; otherwise no p-value is given.

{rest}
## Edges

Designs at which a hostile reading broke earlier versions, beside others that were not looked at while the rules were
changed (*held out*). 1,000 repetitions tell a share of 0.95 to about 0.014, a width to about 4 %. *Formerly*: coverage
and width of the version before. "Too few": the share of repetitions in which no interval is printed; coverage and nulls
are of the others.

{edges}
What is no interval, on the same kind of designs:

{rules}
### What kinds of clusters cost

A kind of cluster that means nothing costs width, since nobody knows beforehand that it means nothing. *Any rule*: for
normal scores in a balanced crossed design, no interval that covers 95 % whatever the variances of the clusters has a
smaller mean width, beside an oracle's, where these are 0 (a bound by Neyman and Pearson's lemma: `least_width` in
calibration_rules.py). *Union of Student's*: of the exact intervals by each kind alone, the simplest rule in which a
further kind never makes a result more significant; kinds that matter together are not yet covered by it. *Ours*: the
edges above, zeros and ones at r 0; rare answers cost more, since few clusters of them do not show how alike they are.

{bounds}
## Sentences and plans

{told}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="file of finished designs, to go on after a stop")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    args = parser.parse_args()
    text = page(simulate(args.repetitions, args.keep, args.workers), args.repetitions)
    if args.repetitions >= 100:
        args.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
