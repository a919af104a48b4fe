"""Suite `inference`: relation inference in context (Levy & Dagan 2016).

triples.py, words.py   a relation with two arguments; lemmas, verbs, voice, negation
datasets/              released data sets as examples
controls.py, items.py, build.py   examples as items, and what is taken away to see artefacts
methods/               the lemma baseline and every other method, one file each
"""

from __future__ import annotations

from proband.core.metrics import AUC, AVERAGE_PRECISION, F1
from proband.core.suite import Suite, Table
from proband.solvers import AS_IS, CHOOSE, LIKELIHOOD
from proband.suites.inference.build import BuildOptions, build
from proband.suites.inference.items import show
from proband.suites.inference.methods.lemma import Lemma

SUITE = Suite(
    name="inference",
    question='Does "aspirin eliminates headaches" answer "which drug treats headaches?"',
    cites="Levy and Dagan 2016, Annotating Relation Inference in Context via Question Answering",
    build=build,
    options=BuildOptions,
    solvers=(AS_IS, CHOOSE, LIKELIHOOD),
    metrics=(AVERAGE_PRECISION, AUC, F1),
    tables=(
        Table(
            name="sources", title="Average precision", rows=("source",), columns=("split",), metric="average_precision"
        ),
    ),
    show=show,
    own_models={"lemma": Lemma},
)
