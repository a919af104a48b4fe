"""Suite `analogy`: probing relational knowledge via word analogies (Rezaee & Camacho-Collados 2022).

Reads in this order: relations, sources, probes, build; solvers/ (pseudo_perplexity with its templates, cosine,
supervised with its classifier); paper/ (tables with the published figures, frequency, findings, claims).
"""

from __future__ import annotations

from proband.core.metrics import ACCURACY
from proband.core.suite import Claim, Contrast, Demo, Suite
from proband.stats.ranking import AUC
from proband.suites.analogy.build import BuildOptions, build, example_options
from proband.suites.analogy.paper.claims import CLAIMS
from proband.suites.analogy.paper.findings import CLAIMS as MORE_CLAIMS
from proband.suites.analogy.paper.findings import FINDINGS
from proband.suites.analogy.paper.frequency import FREQUENCY
from proband.suites.analogy.paper.tables import GROUPS_IN_WORDS, TABLES, derive, published
from proband.suites.analogy.relations import check, show
from proband.suites.analogy.solvers import SOLVERS

SUITE = Suite(
    name="analogy",
    question="Does it know that Paris is to France as Rome is to Italy, and not as Italy is to Rome?",
    variations="proband.suites.analogy.variations:VARIATIONS",
    cites="Rezaee and Camacho-Collados 2022, Probing Relational Knowledge in Language Models via Word Analogies",
    build=build,
    options=BuildOptions,
    examples=example_options,
    solvers=SOLVERS,
    metrics=(ACCURACY, AUC),
    tables=(*TABLES, FREQUENCY, FINDINGS),
    check=check,
    show=show,
    tag_titles={
        "group": "group of relations",
        "probe": "wrong option",
        "paper_probe": "wrong option, as the paper groups them",
        "setting": "setting",
        "symmetric": "symmetric relation",
        "many_valued": "a word has several partners",
    },
    demo=(
        Demo(
            options={"per-relation": 2},
            runs=(
                ("embedded:mlm", None),
                ("embedded:smollm2", "pppl"),
                ("embedded:glove", None),
                ("baseline:random", None),
            ),
            findings=(
                Claim(
                    statement="GloVe's word vectors tell a pair from its reverse more often than both language models.",
                    source="The difference of two vectors changes its sign with the pair: a consistent direction is "
                    "enough for this. Random wrong options show more of what a relation means.",
                    contrasts=tuple(
                        Contrast(
                            above={"run.model": "embedded:glove"},
                            below={"run.model": model},
                            where={"paper_probe": "reverse"},
                            pair="item",
                        )
                        for model in ("embedded:mlm", "embedded:smollm2")
                    ),
                    per=(),
                ),
            ),
        ),
    ),
    derive=derive,
    published=published,
    claims=(*CLAIMS, *MORE_CLAIMS),
    abbreviations=GROUPS_IN_WORDS,
)
