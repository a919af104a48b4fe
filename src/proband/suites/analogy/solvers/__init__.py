"""Ways of asking a model for analogies; of those a model can serve, the first of the items' setting is the default."""

from __future__ import annotations

from proband.core.protocols import EmbedsPairs, EmbedsSentences, EmbedsWords, HasVectors, ScoresText
from proband.core.suite import Solver
from proband.solvers import AS_IS, CHOOSE
from proband.suites.analogy.solvers import cosine, pseudo_perplexity, retrieval, supervised
from proband.suites.analogy.solvers.pseudo_perplexity import ScoringOptions
from proband.suites.analogy.solvers.supervised import LearningOptions, WordLearningOptions

ZERO_SHOT = (
    Solver(name="relation-cosine", help="cosine of relation embeddings", needs=EmbedsPairs, solve=cosine.by_relation),
    Solver(
        name="pppl",
        help="lowest (pseudo-)perplexity",
        needs=ScoresText,
        solve=pseudo_perplexity.pppl,
        options=ScoringOptions,
    ),
    Solver(
        name="difference",
        help="cosine of vector differences (PairDirection)",
        needs=HasVectors,
        solve=cosine.by_vectors(cosine.difference),
    ),
    Solver(
        name="sentence-cosine", help="cosine of sentence embeddings", needs=EmbedsSentences, solve=cosine.by_sentences
    ),
    CHOOSE,
    AS_IS,
    Solver(
        name="pmi",
        help="pppl minus the option's prior",
        needs=ScoresText,
        solve=pseudo_perplexity.pmi,
        options=ScoringOptions,
    ),
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
)

SUPERVISED = (
    Solver(
        name="supervised-relation",
        help="classifier over the two relation embeddings",
        needs=EmbedsPairs,
        solve=supervised.by_relations,
        options=LearningOptions,
        whole=True,
        setting="supervised",
    ),
    Solver(
        name="supervised-difference",
        help="classifier over the two vector differences",
        needs=HasVectors,
        solve=supervised.by_differences,
        options=LearningOptions,
        whole=True,
        setting="supervised",
    ),
    Solver(
        name="supervised",
        help="classifier over the four words' contextual embeddings",
        needs=EmbedsWords,
        solve=supervised.by_words,
        options=WordLearningOptions,
        whole=True,
        setting="supervised",
    ),
)

RETRIEVAL = Solver(
    name="retrieval",
    help="a : b :: c : ? over the vocabulary",
    needs=HasVectors,
    solve=retrieval.retrieve,
    options=retrieval.SearchOptions,
    whole=True,
    setting="retrieval",
)

SOLVERS = (*ZERO_SHOT, *SUPERVISED, RETRIEVAL)
