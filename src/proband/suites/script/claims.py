"""The paper's findings (section 4.2) as statements that the models at hand confirm or refute.

Two models are compared on the same blanks, resampling captions (`core.stats.paired_test`). Several runs of one kind
(other seeds) are averaged blank by blank (`results.Group`). A claim `holds` if the difference has its sign at p < 0.05
for every comparison it makes, `fails` if one has the other sign at p < 0.05, and is `inside the noise` otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proband.core.stats import paired_test
from proband.suites.script.published import value
from proband.suites.script.results import IN_DOMAIN, PLAIN, TUNED, Result, grouped

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


def judge(claim: Claim, results: Sequence[Result], *, split: str, seed: int) -> Verdict:
    groups = {group.row: group for group in grouped(results) if group.row != PLAIN}
    found, told = [], []
    best = groups[claim.above].numbers(claim.metric, split) if claim.above in groups else {}
    for row in claim.below:
        other = groups[row].numbers(claim.metric, split) if row in groups else {}
        shared = [key for key in best if key in other]
        if not shared:
            continue
        a, b = [best[key][0] - claim.margin for key in shared], [other[key][0] for key in shared]
        test = paired_test(a, b, clusters=[best[key][1] for key in shared], seed=seed)
        difference = -test.difference if claim.falling else test.difference
        found.append(NOISE if test.p >= ALPHA else "holds" if difference > 0 else "fails")
        told.append(f"{claim.above} - {row}: {amount(claim.metric, test.difference + claim.margin)} ({chance(test.p)})")
    if not found:
        return Verdict(claim.text, claim.paper, ABSENT, f"needs {claim.above} and one of {', '.join(claim.below)}")
    verdict = "fails" if "fails" in found else NOISE if NOISE in found else "holds"
    return Verdict(claim.text, claim.paper, verdict, "; ".join(told))


def amount(metric: str, difference: float) -> str:
    """
    >>> amount("whole_greedy", 0.0274), amount("surprisal", -0.05), amount("alignment_length", 3)
    ('+2.74 points', '-0.050 nats', '+3.00 words')
    """
    difference = round(difference, 6) + 0.0  # no minus zero
    if metric == "surprisal":
        return f"{difference:+.3f} nats"
    if metric == "alignment_length":
        return f"{difference:+.2f} words"
    return f"{100 * difference:+.2f} points"


def chance(p: float) -> str:
    """
    >>> chance(0.0312), chance(0.0)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


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


def markdown(verdicts: Sequence[Verdict], *, split: str = "test") -> str:
    lines = [f"# The claims of section 4.2 on {split}\n", "| claim | verdict | evidence |", "|---|---|---|"]
    lines += [f"| {v.claim} | **{v.verdict}** | {v.evidence} |" for v in verdicts]
    note = (
        "Differences are of means over the runs of each kind, blank by blank (lengths of alignments: text by text); "
        "p is of a paired test that resamples captions. A claim of several comparisons holds if each does."
    )
    return "\n".join(lines) + f"\n\n{note}\n"
