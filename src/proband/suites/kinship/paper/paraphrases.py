"""Table 3.1: the paraphrases that stories are told with, ours beside the crowd's as published."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Analysis, Results, Sheet
from proband.suites.kinship.published import published_values
from proband.suites.kinship.telling.bank_sources import load_bank
from proband.suites.kinship.telling.bank_statistics import statistics


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Of the bank that ships with Proband; items of CLUTRR's own rows have none."""
    if "data" not in results.manifest.get("options", {}) or results.manifest["options"]["data"] is not None:
        return ()
    bank = statistics(load_bank(), seed=seed)
    paper = published_values()
    counts = [
        (f"{kind}, k = {k}", paper[kind][k], own[k])
        for kind, own in (("paraphrases", bank.paraphrases), ("clauses", bank.clauses))
        for k in sorted(own)
    ]
    words = ("unique words", paper["unique_words"][None], bank.vocabulary)
    overlaps = [
        (f"Jaccard overlap, {kind}", paper[f"jaccard_{kind}"][None], round(own.pooled, 4))
        for kind, own in (("unigrams", bank.unigrams), ("bigrams", bank.bigrams))
    ]
    return (
        Sheet(
            name="table3.1",
            title="Table 3.1: the paraphrases",
            header=("what", "published (Sinha 2022, crowd)", "Proband's bank"),
            rows=(*counts, words, *overlaps),
            note="A paraphrase of ours serves every casting of its clause, so that few of them tell many clauses.",
        ),
    )


PARAPHRASES = Analysis(name="table3.1", help="Table 3.1: the paraphrases", of=table)
