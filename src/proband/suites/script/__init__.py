"""Suite `script`: the tools and steps that an abstract instruction leaves unsaid (Bisk et al. 2019, KidsCook).

Reads in this order: corpus, statistics, cloze, categories, compare, build; texts, predict, infill, own, solvers;
nets/, finetune; metrics, breakdown; knowledge, draw; published, claims, paper; show.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.types import Answer, Demo, Item, Option, Suite, Table
from proband.suites.script.breakdown import BREAKDOWN
from proband.suites.script.build import build
from proband.suites.script.categories import CATEGORIES
from proband.suites.script.cloze import MOST, SHARE
from proband.suites.script.finetune import FINETUNE
from proband.suites.script.metrics import METRICS
from proband.suites.script.nets import NETS
from proband.suites.script.own import Chance, Frequent
from proband.suites.script.published import published
from proband.suites.script.show import show
from proband.suites.script.solvers import SOLVERS

BUILD_OPTIONS = (
    Option(name="data", help="a .tsv or .jsonl corpus, or KidsCook's folder (default: our own corpus)", kind=Path),
    Option(name="captions", help="YouCook2's annotations: more abstract lines for the count of new words", kind=Path),
    Option(name="released", help="leave out what the released tags leave out", default=False, kind=bool),
    Option(name="whitelist", help="file of words that may be left out (default: made from the corpus)", kind=Path),
    Option(
        name="share",
        help="least share of a word's occurrences on the concrete side alone; 0.45 is nearest the released whitelist",
        default=SHARE,
        kind=float,
    ),
    Option(name="least", help="fewest occurrences of such a word (default: 5; our own corpus: 2)", kind=int),
    Option(name="most", help="distinct blanks in a text, the longest first (0: all)", default=MOST, kind=int),
    Option(name="splits", help="which splits to write, with commas", default="train,valid,test"),
    Option(
        name="hold-out", help="captions for valid and for test, where a corpus has no splits", default=0.1, kind=float
    ),
)
ORDER: Mapping[str, tuple[str, ...]] = {"split": ("valid", "test")}
TITLES = {
    "whole_greedy": "Whole blanks right, greedy: earlier blanks hold the model's own words",
    "top5_word_greedy": "Words among the five likeliest, greedy",
    "whole_oracle": "Whole blanks right, oracle: earlier blanks hold the right words",
    "top5_word_oracle": "Words among the five likeliest, oracle",
    "match_greedy": "Share of a blank's words right, greedy",
    "match_oracle": "Share of a blank's words right, oracle",
    "surprisal": "Surprisal of the right word, nats",
    "alignment_length": "Concrete words per abstract word they are aligned to",
    "rank": "Mean rank of the right word",
    **{f"match_oracle:{kind}": f"Share of words right, oracle: blanks of kind {kind}" for kind in CATEGORIES},
}
PRINTED = ("whole_greedy", "top5_word_greedy", "whole_oracle", "top5_word_oracle", "surprisal")
TABLES = tuple(
    Table(
        name=metric.replace(":", "_"),
        title=title,
        rows=("category",),
        columns=("split",),
        metric=metric,
        order=ORDER,
        where={"asked": True},
        note="Published rows: table 4 of the paper." if metric in PRINTED else "",
    )
    for metric, title in TITLES.items()
)


def draw(item: Item, answer: Answer | None) -> str | None:
    """The text with its blanks, the words said in them and their ranks."""
    from proband.suites.script.draw import draw_item

    return draw_item(item, answer)


def paper(**settings: Any) -> Mapping[str, Any]:
    """Tables 1, 3, 4, 5 and figure 2, ours beside the published."""
    from proband.suites.script.paper import paper as run

    return run(**settings)


SUITE = Suite(
    name="script",
    question='Does it know the tools and steps that "drain the pasta" leaves unsaid?',
    cites="Bisk, Buys, Pichotta and Choi 2019, Benchmarking Hierarchical Script Knowledge",
    build=build,
    options=BUILD_OPTIONS,
    solvers=SOLVERS,
    metrics={"whole_greedy": METRICS["whole_greedy"], **METRICS, **BREAKDOWN},
    tables=TABLES,
    show=show,
    demo=(
        Demo(
            options={"splits": "train,test"},
            runs=(("embedded:mlm", None), ("solver:frequent", None), ("solver:chance", None)),
        ),
    ),
    draw=draw,
    published=published,
    nets=(*NETS, FINETUNE),
    own_models={"frequent": Frequent, "chance": Chance},
    paper=paper,
)
