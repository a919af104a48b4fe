"""Are the intervals and tests calibrated? Simulates the designs of all suites and writes benchmarks/calibration.md.

    python benchmarks/calibration.py                     a minute of processor time
    python benchmarks/calibration.py --repetitions 300   a quick look, printed only

How answers are simulated, and which methods are compared: calibration_simulation.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from calibration_simulation import (
    BLIND,
    CORRELATIONS,
    EFFECT,
    MEANS,
    OURS,
    SET_METRICS,
    Line,
    layouts,
    real_values,
    set_metric,
    shares,
    training_seeds,
)
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import nct

# ---- all of them ---------------------------------------------------------------------------------------------------


def simulate(repetitions: int) -> Iterator[Line]:
    every = layouts()
    for layout in every:
        for p in MEANS:
            for r in CORRELATIONS if layout.member.shape[1] > 1 or layout.clusters < layout.items else (0.0,):
                yield shares(layout, p, r, repetitions)
        for r, skewed in ((0.2, False), (0.2, True)):
            yield real_values(layout, r, repetitions, skewed=skewed)
    for name in SET_METRICS:
        for layout in (every[2], every[8]):
            yield set_metric(layout, name, 0.3, max(100, 3 * repetitions // 10))
    for layout in (every[2], every[8]):
        for seeds in ((2, 2), (3, 3), (5, 5), (5, 2), (2, 1), (3, 1), (5, 1), (10, 1)):
            for sd in (0.0, 0.03, 0.06, 0.1):
                yield training_seeds(layout, seeds, sd, repetitions)


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
    for name in dict.fromkeys(line.layout for line in lines):
        own = [line for line in lines if line.layout == name]
        others = [
            f"{min(line.coverage[other] for line in own):.3f} ({np.median([line.coverage[other] for line in own]):.3f})"
            for other in own[0].coverage
        ]
        null = max(line.null[OURS] for line in own)
        power = [
            [line.power[OURS] for line in own if OURS in line.power and line.extreme is at] for at in (False, True)
        ]
        stated = [line.detectable for line in own if np.isfinite(line.detectable)]
        width = np.median([line.width[OURS] for line in own])
        clusters = own[0].clusters
        powers = [*(f"{np.median(each):.2f}" if each else "–" for each in power), f"{power_of_t(clusters - 1):.2f}"]
        last = [f"{width:.2f}", f"{null:.3f}", *powers, f"{np.median(stated):.2f}"]
        body.append([f"{own[0].like}: {name}", str(clusters), *others, *last])
    methods = list(lines[0].coverage)
    head = ["design", "effective clusters", *(f"coverage, {name}" for name in methods)]
    powers = ("power / oracle", "near 0 and 1", "t test / oracle")
    tail = ("width / oracle", "highest null rate", *powers, "detectable")
    return pipe([*head, *tail], body)


def power_of_t(freedom: int) -> float:
    """Power of Student's t test beside the test that knows the variance, for the planted effect."""
    t, z = stdtrit(freedom, 0.975), ndtri(0.975)
    known = ndtr(EFFECT - z) + ndtr(-EFFECT - z)
    return float((nct.sf(t, freedom, EFFECT) + nct.cdf(-t, freedom, EFFECT)) / known)


def single_lines(lines: Sequence[Line]) -> str:
    body = []
    for line in lines:
        blind = f"{line.coverage[BLIND]:.3f}" if BLIND in line.coverage else "–"
        numbers = [f"{line.coverage[OURS]:.3f}", blind, f"{line.width[OURS]:.2f}", f"{line.null[OURS]:.3f}"]
        body.append([f"{line.layout}: {line.kind}", *numbers, f"{line.detectable:.2f}"])
    return pipe(("design", "coverage", BLIND, "width / oracle", "null rejected", "detectable"), body)


def page(lines: Sequence[Line], repetitions: int) -> str:
    main = [line for line in lines if OURS in line.power or len(line.coverage) > 2]
    rest = [line for line in lines if line not in main]
    return PAGE.format(
        designs=len(lines),
        repetitions=f"{repetitions:,}",
        methods=by_method(main),
        layouts=by_layout(main),
        rest=single_lines(rest),
    )


PAGE = """# Calibration of intervals and tests

Written by `python benchmarks/calibration.py`: {designs} simulated designs, {repetitions} repetitions each (metrics
over sets three tenths of them, training seeds half). An interval of 95 % should cover the truth in 95 % of repetitions,
a test at 0.05 should reject a true null hypothesis in 5 %. The oracle knows the variance of the mean; an effect of 2.5
of its standard errors was planted to measure power. The method is described in
[docs/statistics.md](../docs/statistics.md). Each entry: lowest – **median** – highest over all designs with zeros and
ones (means 0.05 to 0.95, correlations 0 to 0.5 of the latent variable within clusters) and with real values (normal,
skewed). Power can pass the oracle's where a method rejects too often under the null.

{methods}
## By design

Coverage: the lowest of all means, correlations and kinds of value, with the median in brackets. With fewer than six
effective clusters Proband prints no interval but "too few to tell". Power: the median over means of 0.2 to 0.8 and
real values, and over means of 0.05 and 0.95 ("–" where no effect of that size exists). "t test / oracle": the power of
Student's t test on that many independent values; no calibrated test that has to estimate the variance from few clusters
has much more.

{layouts}
## Metrics over sets, training seeds

Two fifths of the items are true and score 1.5 standard deviations higher. Training seeds move the accuracy of a whole
run by the standard deviation given; both systems of a comparison are trained as often.

{rest}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    args = parser.parse_args()
    text = page(list(simulate(args.repetitions)), args.repetitions)
    if args.repetitions >= 1000:
        args.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
