"""The findings of section 4.2 as tests; the outcomes are those of figure 2 (curves/figure.py)."""

from __future__ import annotations

from proband.core.suite import Claim
from proband.suites.inference.curves.figure import ADDS_LITTLE, HELPS, UNDER

CLAIMS = (
    Claim(
        statement="the method adds little to the lemma baseline (at most 0.05 of normalised area)",
        source="section 4.2, figure 2: true of most methods, the entailment graph being the exception",
        test=ADDS_LITTLE,
    ),
    Claim(
        statement="the method is better than the lemma baseline alone",
        source="section 4.2, figure 2: the entailment graph helps, and more so with PPDB",
        test=HELPS,
    ),
    Claim(
        statement="recall is under 25 % at 80 % precision",
        source="section 4.2, figure 2: true of every method",
        test=UNDER,
    ),
)
