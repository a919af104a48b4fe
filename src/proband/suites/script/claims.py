"""The paper's findings (section 4.2) as statements that the models at hand confirm or refute.

Two models are compared on the same blanks, resampling captions (`core.stats.paired_test`). Several runs of one kind
(other seeds) are averaged blank by blank. A claim `holds` if the difference has its sign at p < 0.05 for every
comparison it makes, `fails` if one has the other sign at p < 0.05, and is `inside the noise` otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proband.core.stats import paired_test
from proband.suites.script.published import value
from proband.suites.script.results import IN_DOMAIN, TUNED, Result

ALPHA, NOISE, ABSENT = 0.05, "inside the noise", "not tested"
FAR = 0.05  # "by far": five points


@dataclass(frozen=True, kw_only=True)
class Claim:
    """`above` beats every one of `below` in `metric` by more than `margin` (lower is better: `falling`)."""

    text: str
    paper: str
    metric: str
    above: str
    below: tuple[str, ...]
    falling: bool = False
    margin: float = 0.0


CLAIMS = (
    Claim(
        text="attention beats seq2seq without it",
        paper="section 4.2",
        metric="whole_greedy",
        above="attention",
        below=("lm", "seq2seq"),
    ),
    Claim(
        text="alignment helps: the transducer beats models without alignment",
        paper="section 4.2",
        metric="whole_greedy",
        above="transducer",
        below=("lm", "seq2seq"),
    ),
    Claim(
        text="fixed transitions match best among the in-domain models",
        paper="section 4.2",
        metric="whole_oracle",
        above="transducer",
        below=("lm", "seq2seq", "attention", "transducer-param"),
    ),
    Claim(
        text="fixed transitions align shorter (6.18 against 16.61)",
        paper="section 4.2",
        metric="alignment_length",
        above="transducer",
        below=("transducer-param",),
        falling=True,
    ),
    Claim(
        text="parameterised transitions have the lowest surprisal",
        paper="section 4.2",
        metric="surprisal",
        above="transducer-param",
        below=("lm", "seq2seq", "attention", "transducer"),
        falling=True,
    ),
    Claim(
        text="a fine-tuned language model wins by far (five points or more)",
        paper="section 4.2",
        metric="whole_greedy",
        above=TUNED,
        below=IN_DOMAIN,
        margin=FAR,
    ),
)


@dataclass(frozen=True)
class Verdict:
    """What came of a claim."""

    claim: str
    paper: str
    verdict: str
    evidence: str


Numbers = Mapping[str, tuple[float, tuple[str, ...]]]


def averaged(results: Sequence[Result], row: str, metric: str, split: str) -> Numbers:
    """Blank -> mean over the runs of a row, and its clusters; only blanks that every run has."""
    runs = [
        {key: (number, clusters) for key, number, clusters in result.rows(metric, split)}
        for result in results
        if result.row == row
    ]
    runs = [run for run in runs if run]
    if not runs:
        return {}
    shared = [key for key in runs[0] if all(key in run for run in runs)]
    return {key: (sum(run[key][0] for run in runs) / len(runs), runs[0][key][1]) for key in shared}


def judge(claim: Claim, results: Sequence[Result], *, split: str, seed: int) -> Verdict:
    best = averaged(results, claim.above, claim.metric, split)
    found, told = [], []
    for row in claim.below:
        other = averaged(results, row, claim.metric, split)
        shared = [key for key in best if key in other]
        if not shared:
            continue
        a, b = [best[key][0] - claim.margin for key in shared], [other[key][0] for key in shared]
        test = paired_test(a, b, clusters=[best[key][1] for key in shared], seed=seed)
        difference = -test.difference if claim.falling else test.difference
        found.append(NOISE if test.p >= ALPHA else "holds" if difference > 0 else "fails")
        told.append(f"{claim.above} - {row}: {test.difference + claim.margin:+.4f} (p = {test.p:.3f})")
    if not found:
        return Verdict(claim.text, claim.paper, ABSENT, f"needs {claim.above} and one of {', '.join(claim.below)}")
    verdict = "fails" if "fails" in found else NOISE if NOISE in found else "holds"
    return Verdict(claim.text, claim.paper, verdict, "; ".join(told))


def judged(results: Sequence[Result], *, split: str, seed: int) -> list[Verdict]:
    """Every claim."""
    return [judge(claim, results, split=split, seed=seed) for claim in CLAIMS]


def holds_as_published(claim: Claim) -> bool:
    """Whether the published figures bear a claim out.

    >>> [holds_as_published(claim) for claim in CLAIMS]
    [True, True, True, True, True, True]
    """
    table = "section4.2" if claim.metric == "alignment_length" else "table4"
    best = value(table, claim.above, claim.metric)
    others = [value(table, row, claim.metric) for row in claim.below]
    return all(best < x for x in others) if claim.falling else all(best > x + claim.margin for x in others)


def markdown(verdicts: Sequence[Verdict]) -> str:
    lines = ["| claim | verdict | evidence |", "|---|---|---|"]
    lines += [f"| {v.claim} ({v.paper}) | {v.verdict} | {v.evidence} |" for v in verdicts]
    return "\n".join(lines) + "\n"
