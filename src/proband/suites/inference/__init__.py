"""Suite `inference`: relation inference in context (Levy & Dagan 2016).

datasets/              released data sets as examples
items.py, variations.py, controls.py, build.py triples, their words, examples, items; controls that expose artefacts
methods/               the lemma baseline and every other method, one file each
gold.py, expert_audit.py labels from the judgments of several people, our own set; labels checked by experts
curves/                precision and recall, controls, findings, counts; ours next to the published
assertions/, candidates.py, questions.py, questionnaire.py   from text to questionnaires for people
"""

from __future__ import annotations

from functools import partial

from proband.core.suite import Claim, Contrast, Demo, Suite, Verb
from proband.suites.inference.build import BuildOptions, build
from proband.suites.inference.curves.control_scores import CONTROL_SCORES
from proband.suites.inference.curves.figure import CLAIMS, FIGURE2, HIDDEN_CLAIM, HIDDEN_POSITIVES
from proband.suites.inference.curves.measures import METRICS, TABLES
from proband.suites.inference.curves.section3 import SECTION3
from proband.suites.inference.items import show
from proband.suites.inference.methods.baselines import Direction, HypothesisWords
from proband.suites.inference.methods.embeddings.dependency_words import DEPENDENCY_WORDS, WORDS
from proband.suites.inference.methods.embeddings.relations import RELATIONS
from proband.suites.inference.methods.lemma import Lemma
from proband.suites.inference.methods.prompts import DIRECT, PROMPTED, RuleSolver
from proband.suites.inference.methods.sentences import CHOOSE, GENERATE, NLI, SENTENCES

SUITE = Suite(
    name="inference",
    question='Does "aspirin eliminates headaches" answer "which drug treats headaches?"',
    variations="proband.suites.inference.variations:VARIATIONS",
    cites="Levy and Dagan 2016, Annotating Relation Inference in Context via Question Answering",
    build=build,
    options=BuildOptions,
    solvers=(DIRECT, WORDS, NLI, SENTENCES, PROMPTED, GENERATE, CHOOSE),
    metrics=METRICS,
    tables=(*TABLES, SECTION3, FIGURE2, HIDDEN_POSITIVES, CONTROL_SCORES),
    show=show,
    tag_titles={
        "source": "data set",
        "direction": "premise to hypothesis",
        "directional": "holds in one direction only",
        "lemma": "premise and hypothesis share a lemma",
        "control": "what was taken away",
    },
    demo=(
        Demo(
            options={"splits": "test"},
            runs=(
                ("embedded:minilm", None),
                ("embedded:smollm2", "prompts"),
                ("embedded:glove", None),
                ("solver:lemma", None),
            ),
            limit=48,
            of_models={"embedded:smollm2": {"options": {"prompts": "so"}, "limit": 24}},
            findings=(
                Claim(
                    statement="MiniLM, trained on sentences, ranks answers better than shared words do.",
                    source="Its cosine is the same in both directions: see the pairs that hold in one direction only.",
                    contrasts=(
                        Contrast(
                            above={"run.model": "embedded:minilm"}, below={"run.model": "solver:lemma"}, pair="item"
                        ),
                    ),
                    per=(),
                ),
            ),
        ),
    ),
    claims=(*CLAIMS, HIDDEN_CLAIM),
    nets=(RELATIONS, DEPENDENCY_WORDS),
    own_models={
        "lemma": Lemma,
        "lemma-released": partial(Lemma, "released"),
        "rules": RuleSolver,
        "hypothesis-words": HypothesisWords,
        "direction": Direction,
    },
    tasks={"judge": "proband_annotate.kinds.judge:JUDGE"},
    verbs=(
        Verb(
            name="assertions",
            run="proband.suites.inference.assertions.command:assertions",
            layout="proband.suites.inference.assertions.command:layout",
        ),
        Verb(
            name="candidates",
            run="proband.suites.inference.candidates:candidates",
            layout="proband.suites.inference.candidates:layout",
        ),
    ),
)
