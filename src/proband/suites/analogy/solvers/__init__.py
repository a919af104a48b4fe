"""Ways of asking a model for analogies; of those a model can serve, the first of the items' setting is the default."""

from __future__ import annotations

from functools import partial

from proband.core.protocols import EmbedsPairs, EmbedsSentences, EmbedsWords, HasVectors, ScoresText
from proband.core.suite import Solver
from proband.solvers import DIRECT
from proband.suites.analogy.replies import CHOOSE, GENERATE
from proband.suites.analogy.solvers import cosine, pseudo_perplexity, retrieval, supervised
from proband.suites.analogy.solvers.pseudo_perplexity import ScoringOptions
from proband.suites.analogy.solvers.supervised import LearningOptions, WordLearningOptions

_scoring = partial(Solver, needs=ScoresText, options=ScoringOptions)
_vectors = partial(Solver, needs=HasVectors)
ZERO_SHOT = (
    Solver(name="relation-cosine", help="cosine of relation embeddings", needs=EmbedsPairs, solve=cosine.by_relation),
    _scoring(name="pppl", help="lowest (pseudo-)perplexity", solve=pseudo_perplexity.pppl),
    _vectors(
        name="difference",
        help="cosine of vector differences (PairDirection)",
        solve=cosine.by_vectors(cosine.difference),
    ),
    Solver(
        name="sentence-cosine", help="cosine of sentence embeddings", needs=EmbedsSentences, solve=cosine.by_sentences
    ),
    GENERATE,
    CHOOSE,
    DIRECT,
    _scoring(name="pmi", help="pppl minus the option's prior", solve=pseudo_perplexity.pmi),
    _vectors(name="3cosadd", help="cos(d, b - a + c)", solve=cosine.by_vectors(cosine.cos_add)),
    _vectors(name="3cosmul", help="cos(d,b) cos(d,c) / cos(d,a)", solve=cosine.by_vectors(cosine.cos_mul)),
    _vectors(
        name="similar-to-b",
        help="control: cos(d, c), blind to the query",
        solve=cosine.by_vectors(cosine.similar_to_b),
    ),
)

_supervised = partial(Solver, options=LearningOptions, needs_all_items=True, setting="supervised")
SUPERVISED = (
    _supervised(
        name="supervised-relation",
        help="classifier over the two relation embeddings",
        needs=EmbedsPairs,
        solve=supervised.by_relations,
    ),
    _supervised(
        name="supervised-difference",
        help="classifier over the two vector differences",
        needs=HasVectors,
        solve=supervised.by_differences,
    ),
    _supervised(
        name="supervised",
        help="classifier over the four words' contextual embeddings",
        needs=EmbedsWords,
        solve=supervised.by_words,
        options=WordLearningOptions,
    ),
)

RETRIEVAL = Solver(
    name="retrieval",
    help="a : b :: c : ? over the vocabulary",
    needs=HasVectors,
    solve=retrieval.retrieve,
    options=retrieval.SearchOptions,
    needs_all_items=True,
    setting="retrieval",
)

SOLVERS = (*ZERO_SHOT, *SUPERVISED, RETRIEVAL)
