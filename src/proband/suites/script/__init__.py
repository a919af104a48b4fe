"""Suite `script`: the tools and steps that an abstract instruction leaves out (Bisk et al. 2019, KidsCook).

corpus.py   an abstract line and its concrete steps: files, tokens, running text, counts
build.py    chooses the blanks and makes the items; items.py: one item as text and as a picture
solvers.py  the solvers, and two baselines; filling.py: language models fill in the blanks; replies.py: reads the
            replies of an endpoint; finetune.py: a language model trained further
nets/       the paper's five networks
metrics.py  the measures, and the kinds of blanks
paper/      tables.py: tables 1, 4 and 5, ours next to the published figures; claims.py: the findings of section 4.2;
            aligned_phrases.py: table 3 and figure 2; seeds.py: every training seed. The study that
            makes the runs is studies/script.toml.
"""

from __future__ import annotations

from proband.core.suite import Claim, Contrast, Demo, Suite
from proband.suites.script.build import BuildOptions, build
from proband.suites.script.finetune import FINETUNE
from proband.suites.script.items import check, draw_item, show
from proband.suites.script.metrics import BREAKDOWN, METRICS
from proband.suites.script.nets import NETS
from proband.suites.script.paper.aligned_phrases import ALIGNMENTS, PHRASE_TABLE
from proband.suites.script.paper.claims import CLAIMS
from proband.suites.script.paper.seeds import SEEDS
from proband.suites.script.paper.tables import BY_BLANK, CORPUS, GREEDY, TABLE4, TABLES, published
from proband.suites.script.solvers import SOLVERS, Chance, Frequent

SUITE = Suite(
    name="script",
    question='Does it know the tools and steps that "drain the pasta" leaves out?',
    cites="Bisk, Buys, Pichotta and Choi 2019, Benchmarking Hierarchical Script Knowledge",
    build=build,
    options=BuildOptions,
    solvers=SOLVERS,
    metrics=(*METRICS, *BREAKDOWN),
    tables=(*TABLES, CORPUS, TABLE4, BY_BLANK, PHRASE_TABLE, GREEDY, ALIGNMENTS, SEEDS),
    check=check,
    show=show,
    tag_titles={"blanks": "number of blanks", "asked": "asked (not a training text)"},
    demo=(
        Demo(
            options={"splits": "train,test"},
            runs=(
                ("embedded:mlm", None),
                ("solver:frequent", None),
                ("solver:chance", None),
            ),
            limit=12,
            findings=(
                Claim(
                    statement="In five guesses, the masked language model finds more of the missing words than word "
                    "frequency in the training texts does.",
                    source="It sees the text before and after the blank; word frequency sees neither.",
                    contrasts=(
                        Contrast(
                            above={"run.model": "embedded:mlm"},
                            below={"run.model": "solver:frequent"},
                            where={"asked": True},
                            metric="top5_oracle",
                            pair="item",
                        ),
                    ),
                    per=(),
                ),
            ),
        ),
    ),
    draw=draw_item,
    published=published,
    claims=CLAIMS,
    nets=(*NETS, FINETUNE),
    own_models={"frequent": Frequent, "chance": Chance},
    tasks={"simplify": "proband_annotate.kinds.simplify:SIMPLIFY"},
)
