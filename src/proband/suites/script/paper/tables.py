"""Table 4, one table per column of the paper, and the tables that go beyond it, as data for the report.

A line is a model, or all training seeds of one net together; published figures stand beside it in the split they are
compared with. Training texts are no questions (`asked`).
"""

from __future__ import annotations

from collections.abc import Mapping

from proband.core.suite import Analysis, Table
from proband.core.types import Tag
from proband.suites.script.analysis.breakdown import LENGTHS
from proband.suites.script.analysis.metrics import METRICS
from proband.suites.script.cloze.categories import CATEGORIES

ORDER: Mapping[str, tuple[Tag, ...]] = {"split": ("valid", "test")}
FIRST = ("whole_greedy", "top5_word_greedy", "whole_oracle", "top5_word_oracle", "surprisal")
BESIDES = (
    "match_greedy",
    "match_oracle",
    "top5_greedy",
    "top5_oracle",
    "surprisal_aligned",
    "surprisal_released",
    "surprisal_full",
    "rank",
    "repeats",
)
OF_ALIGNMENTS = ("alignment_length", "degenerate", "ends_share")
NOTE = (
    "Match is of whole blanks and top-5 of single words, as the released program counts; surprisal is in nats over "
    "the whitelist. The paper does not say which split its figures are of (the released program evaluates valid): they "
    "stand beside both."
)
TITLES = {
    "whole_greedy": "Blanks filled exactly (greedy: earlier blanks hold the model's own words)",
    "whole_oracle": "Blanks filled exactly (oracle: earlier blanks hold the right words)",
    "repeats": "Texts in which the same words fill two neighbouring blanks that should differ",
    "alignment_length": "Concrete words per abstract word that they are aligned to",
    "degenerate": "Texts of which more than half is aligned to the first, or to the last, abstract word",
    "ends_share": "Concrete words that are aligned to the first or the last abstract word",
}
METRIC_TITLES = {metric.name: metric.title for metric in METRICS}


def _table(metric: str, *, title: str = "", published_note: str = "", always: bool = True) -> Table:
    return Table(
        name=metric.replace(":", "_"),
        title=title or TITLES.get(metric) or METRIC_TITLES[metric].capitalize(),
        rows=("category",),
        columns=("split",),
        metric=metric,
        order=ORDER,
        where={"asked": True, "run.solver": "answer"} if metric in OF_ALIGNMENTS else {"asked": True},
        published_note=published_note,
        always=always,
    )


TABLES = (
    *(_table(metric, published_note=NOTE) for metric in FIRST),
    *(_table(metric, always=metric in ("match_greedy", "match_oracle", "rank")) for metric in BESIDES),
    *(_table(metric, always=metric == "alignment_length") for metric in OF_ALIGNMENTS),
    *(
        _table(f"match_oracle:{part}", title=f"Share of right words, oracle: blanks of kind {part}", always=False)
        for part in (*CATEGORIES, *LENGTHS)
    ),
)

TABLE4 = Analysis(
    name="table4",
    help="Table 4: the cloze task",
    tables={
        "oracle match": "whole_oracle",
        "oracle top-5": "top5_word_oracle",
        "greedy match": "whole_greedy",
        "greedy top-5": "top5_word_greedy",
        "surprisal": "surprisal",
    },
    note="Match is of whole blanks, top-5 of single words, as the released program counts; means over runs (seeds). "
    "The paper does not say which split it shows.",
)
BY_BLANK = Analysis(
    name="kinds",
    help="Share of right words (oracle, percent) by kind and length of blank",
    tables={part.replace("-", " "): f"match_oracle_{part}" for part in (*CATEGORIES, *LENGTHS)},
    note="With intervals: the tables match_oracle_KIND.",
)
