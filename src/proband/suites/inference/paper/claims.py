"""The findings of sections 4.1 and 4.2 as tests; the outcomes are those of figure 2 (curves/findings.py)."""

from __future__ import annotations

from proband.core.suite import Claim
from proband.suites.inference.curves import findings

CLAIMS = (
    Claim(
        statement="the method adds little to the lemma baseline (at most 0.05 of normalised area)",
        source="section 4.2: true of PPDB, relation embeddings and word embeddings; asked of later methods too",
        test=findings.ADDS_LITTLE,
    ),
    Claim(
        statement="the entailment graph is better than the lemma baseline alone",
        source="section 4.2: the exception among the methods",
        test=findings.HELPS,
    ),
    Claim(
        statement="the entailment graph with PPDB is better than the graph alone",
        source="section 4.2: slightly",
        test=findings.UNION,
    ),
    Claim(
        statement="rules are a better start for word embeddings than the lemma baseline",
        source="section 4.2: significantly better",
        test=findings.START,
    ),
    Claim(
        statement="the entailment graph is better without its types",
        source="section 4.1",
        test=findings.UNTYPED,
    ),
    Claim(
        statement="arguments add little to relation embeddings (at most 0.05 of normalised area)",
        source="section 4.1: Melamud et al.'s measure did not improve performance",
        test=findings.CONTEXT,
    ),
    Claim(
        statement="without the lemma baseline before it the method is worse",
        source="section 4.2: performance drops dramatically",
        test=findings.NEEDS_LEMMA,
    ),
    Claim(
        statement="recall is under 25 % at 80 % precision",
        source="section 4.2: true of every method of the paper; asked of later methods too",
        test=findings.UNDER,
    ),
)
