"""Solvers of analogies; the default is the first for the items' setting that the model supports."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.protocols import EmbedsPairs, EmbedsSentences, EmbedsWords, HasVectors, ScoresText
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers import DIRECT
from proband.solvers.choose import make_choose_solver
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.replies import Choices, letters_shown, names_of, read_choice
from proband.suites.analogy.relations import query_and_options
from proband.suites.analogy.solvers import cosine, pseudo_perplexity, supervised
from proband.suites.analogy.solvers.pseudo_perplexity import ScoringOptions
from proband.suites.analogy.solvers.supervised import LearningOptions, WordLearningOptions

# ---- reading a reply to an analogy question: the pair that it names, in any notation -------------------------------


JOINED = ("{} : {}", "{}: {}", "{}:{}", "{} is to {}", "{} - {}", "{} -> {}", "{} → {}", "{} and {}", "{}, {}", "{}/{}")
AROUND = ('"{}" is to "{}"', "'{}' is to '{}'", '"{}" and "{}"', "'{}' and '{}'", '"{}" : "{}"', '"{}", "{}"')


@cache
def _choices(choices: tuple[str, ...], pairs: tuple[tuple[str, str], ...], letters: tuple[int, ...]) -> Choices:
    """The pairs in all notations; a single word is not enough, even if only one pair contains it."""
    written = {
        form.format(head, tail).casefold(): choice
        for choice, (head, tail) in zip(choices, pairs, strict=True)
        for form in (*JOINED, *AROUND)
    }
    return Choices(names_of([choice.casefold() for choice in choices], written), letters=letters)


def read_reply(item: Item, reply: str, sent: str) -> Answer:
    """The answer in a reply; `unread` where it names no pair, or both.

    >>> item = Item(id="a", suite="analogy", prompt="?", choices=("Rome : Italy", "Italy : Rome"), gold=0,
    ...     facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"], ["Italy", "Rome"]]})
    >>> read_reply(item, "What Paris is to France, Rome is to Italy.", "").scores
    (1.0, 0.0)
    """
    pairs = tuple(tuple(option) for option in query_and_options(item)[1])
    choices = tuple(choice.casefold() for choice in item.choices)
    return read_choice(item, reply, sent, _choices(choices, pairs, letters_shown(sent, item.choices)))


def has_options(item: Item) -> bool:
    if "options" not in item.facts:
        raise ProbandError(f"{item.id}: `generate` asks for a choice between pairs; build with --setting zero-shot")
    return True


ASKING = Asking(
    prompts=Path(__file__).parents[1] / "prompts",
    default="letters",
    read=read_reply,
    answer=lambda item: item.choices[item.gold or 0],
    asked=has_options,
)
GENERATE, CHOOSE = make_generate_solver(ASKING), make_choose_solver(ASKING)


# ---- the solvers ----------------------------------------------------------------------------------------------------


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

SOLVERS = (*ZERO_SHOT, *SUPERVISED)
