"""Suite `analogy`: probing relational knowledge via word analogies (Rezaee & Camacho-Collados 2022).

Reads in this order: relations, sources, templates, probes, build; zero_shot, cosine, retrieval, supervised; published,
layout, frequency, claims, paper.
"""

from __future__ import annotations

from functools import partial

from proband.core.protocols import (
    AnswersItems,
    Chooses,
    EmbedsPairs,
    EmbedsSentences,
    EmbedsWords,
    HasVectors,
    ScoresText,
)
from proband.core.types import Demo, Option, Solver, Suite, Table, accuracy
from proband.suites.analogy import cosine, retrieval, supervised, zero_shot
from proband.suites.analogy.build import SETTINGS, build
from proband.suites.analogy.paper import paper
from proband.suites.analogy.probes import BASES, PAPER_PROBES, PROBES
from proband.suites.analogy.published import published
from proband.suites.analogy.reading import show
from proband.suites.analogy.relations import GROUPS
from proband.suites.analogy.templates import DEFAULT, TEMPLATES

BUILD_OPTIONS = (
    Option(name="data", help="BATS folder, questions-words.txt, SAT/U2/U4 jsonl, tsv/csv/jsonl list, or wordnet[:DIR]"),
    Option(name="setting", help="zero-shot, supervised or retrieval", default="zero-shot", choices=SETTINGS),
    Option(
        name="per-relation",
        help="positives per relation and probe; 0: all (default: zero-shot and retrieval 100, supervised all)",
        kind=int,
    ),
    Option(
        name="faithful",
        help="the paper's construction: all pairs, no filter of false negatives",
        default=False,
        kind=bool,
    ),
    Option(name="options", help="number of options to choose from", default=2, kind=int),
    Option(
        name="negatives",
        help="hard: the most alike words of the same type",
        default="uniform",
        choices=("uniform", "hard"),
    ),
    Option(
        name="made-from",
        help="the tuple that a negative spoils (default: right, with --faithful other)",
        default="",
        choices=("", *BASES),
    ),
    Option(name="split", help="lexical: halves share no word", default="tuples", choices=("tuples", "lexical")),
    Option(name="relations", help="only relations whose name contains one of these, comma-separated", default=""),
    Option(name="template", help=f"{', '.join(TEMPLATES)}, or text with {{h1}} {{t1}} {{h2}} {{t2}}", default=DEFAULT),
)

TEMPLATE = Option(name="template", help=f"one of {', '.join(TEMPLATES)}, or text", default=DEFAULT)
SCORING = (
    TEMPLATE,
    Option(
        name="norm",
        help="sum as in equation 1, or the mean per token or word",
        default="sum",
        choices=("sum", "token", "word"),
    ),
    Option(
        name="method",
        help="pll, pll-word-l2r, pll-whole-word (masked), ll (causal); the model's first if not given",
        default="",
    ),
    Option(
        name="span", help="option: only the option's tokens count", default="sentence", choices=("sentence", "option")
    ),
)

LEARNING = (
    Option(name="classifier", help="mlp, or linear", default="mlp", choices=("mlp", "linear")),
    Option(name="steps", help="training batches of 128 sentences", default=300, kind=int),
    Option(name="hidden", help="units of the mlp's hidden layer", default=100, kind=int),
)
LAYERS = Option(name="layers", help="hidden states to average: -1, 0,6,12 or all", default="-1")
SEARCH = (
    Option(
        name="method",
        help="3cosadd, 3cosmul, pair-direction, lrcos, similar-to-b",
        default="3cosadd",
        choices=(*retrieval.METHODS, retrieval.LRCOS),
    ),
    Option(name="exclude", help="leave a, b and c out of the answers (yes or no)", default=True, kind=bool),
    Option(name="limit", help="search the first so many words of the table", default=200_000, kind=int),
)

SOLVERS = (
    Solver(name="pppl", help="lowest (pseudo-)perplexity", needs=ScoresText, solve=zero_shot.pppl, options=SCORING),
    Solver(name="relation-cosine", help="cosine of relation embeddings", needs=EmbedsPairs, solve=cosine.by_relation),
    Solver(
        name="difference",
        help="cosine of vector differences (PairDirection)",
        needs=HasVectors,
        solve=cosine.by_vectors(cosine.difference),
    ),
    Solver(
        name="sentence-cosine", help="cosine of sentence embeddings", needs=EmbedsSentences, solve=cosine.by_sentences
    ),
    Solver(name="choose", help="the question put in words", needs=Chooses, solve=zero_shot.choose),
    Solver(name="as-is", help="baselines take items as they are", needs=AnswersItems, solve=zero_shot.as_is),
    Solver(name="pmi", help="pppl less the option's own worth", needs=ScoresText, solve=zero_shot.pmi, options=SCORING),
    Solver(name="3cosadd", help="cos(d, b - a + c)", needs=HasVectors, solve=cosine.by_vectors(cosine.cos_add)),
    Solver(
        name="3cosmul", help="cos(d,b) cos(d,c) / cos(d,a)", needs=HasVectors, solve=cosine.by_vectors(cosine.cos_mul)
    ),
    Solver(
        name="similar-to-b",
        help="control: cos(d, c), blind to the query",
        needs=HasVectors,
        solve=cosine.by_vectors(cosine.similar_to_b),
    ),
    Solver(
        name="supervised",
        help="classifier over the four words' contextual embeddings",
        needs=EmbedsWords,
        solve=supervised.by_words,
        options=(TEMPLATE, LAYERS, *LEARNING),
        whole=True,
        setting="supervised",
    ),
    Solver(
        name="supervised-relation",
        help="classifier over the two relation embeddings",
        needs=EmbedsPairs,
        solve=supervised.by_relations,
        options=LEARNING,
        whole=True,
        setting="supervised",
    ),
    Solver(
        name="supervised-difference",
        help="classifier over the two vector differences",
        needs=HasVectors,
        solve=supervised.by_differences,
        options=LEARNING,
        whole=True,
        setting="supervised",
    ),
    Solver(
        name="retrieval",
        help="a : b :: c : ? over the vocabulary",
        needs=HasVectors,
        solve=retrieval.retrieve,
        options=SEARCH,
        whole=True,
        setting="retrieval",
    ),
)

ORDER = {"group": GROUPS, "paper_probe": PAPER_PROBES, "probe": PROBES, "setting": ("supervised", "zero-shot")}
TABLES = (
    Table(
        name="groups",
        title="Accuracy by group of relations and probe",
        rows=("group",),
        columns=("setting", "paper_probe"),
        order=ORDER,
        note="Published rows are table 1 of the paper, measured on BATS.",
    ),
    Table(
        name="relations",
        title="Accuracy by relation and probe",
        rows=("group", "relation"),
        columns=("setting", "paper_probe"),
        order=ORDER,
    ),
    Table(name="probes", title="Head and tail replaced", rows=("group",), columns=("setting", "probe"), order=ORDER),
    Table(
        name="retrieval",
        title="First answer right, a : b :: c : ?",
        rows=("group",),
        columns=("setting",),
        metric="top1",
        order=ORDER,
        where={"setting": "retrieval"},
    ),
    Table(
        name="cardinality",
        title="By cardinality",
        rows=("cardinality",),
        columns=("setting", "paper_probe"),
        order=ORDER,
    ),
)

SUITE = Suite(
    name="analogy",
    question="Does it know that Paris : France is Rome : Italy, and not France : Paris, Italy : France, Paris : Rome?",
    cites="Rezaee and Camacho-Collados 2022, Probing Relational Knowledge in Language Models via Word Analogies",
    build=build,
    options=BUILD_OPTIONS,
    solvers=SOLVERS,
    metrics={"accuracy": accuracy, "top1": retrieval.top1, "reciprocal rank": retrieval.reciprocal_rank},
    tables=TABLES,
    show=show,
    demo=(
        Demo(
            options={"per_relation": 10},
            runs=(("embedded:mlm", None), ("embedded:smollm2", None), ("embedded:glove", None)),
        ),
    ),
    published=published,
    paper=partial(paper, SOLVERS),
)
