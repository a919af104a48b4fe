"""The ways of asking a model cloze items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.options import Meta
from proband.core.protocols import AnswersItems, PredictsWords
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.suites.script.cloze import filling
from proband.suites.script.cloze.filling import ClozeOptions, evaluated
from proband.suites.script.cloze.replies import GENERATE
from proband.suites.script.nets.options import MANNER

Longest = Annotated[
    int, Meta(description="texts are cut after so many words, and blanks beyond left out; 0: whole", ge=0)
]


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """How a net fills the blanks."""

    draws: Annotated[int, Meta(description="texts sampled for the greedy mode (0: the likeliest word)", ge=0)] = 5
    temperature: Annotated[float, Meta(description="of the draws", gt=0)] = 0.1
    pick: Annotated[
        Literal["likeliest", "all"],
        Meta(description="which draws count: the likeliest text, or all, as a mean, the oracle's words drawn too"),
    ] = "likeliest"
    beam: Annotated[int, Meta(description="width of a beam search instead of draws (0: none)", ge=0)] = 0
    ends: Annotated[
        Literal["read", "unread"], Meta(description="whether the decoder that fills slots reads the last word of each")
    ] = "read"
    aligned: Annotated[
        Literal["prefix", "whole"],
        Meta(
            description="what a transducer aligns a slot by for top-5 and surprisal: the text before it, or as the"
            " released program does the end of the whole gold text"
        ),
    ] = "prefix"
    longest: Longest = 0
    unrestricted: Annotated[bool, Meta(description="any word may fill a blank")] = False


@dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """Of the alignments of a transducer."""

    posteriors: Annotated[bool, Meta(description="also p(a_j = i | x, y), for valid and test texts")] = False
    longest: Longest = 0


def answer(items: Sequence[Item], model: AnswersItems, *, seed: int, options: AnswerOptions) -> list[Answer]:
    """Nets take items as they are; texts to train on are not asked. A transducer's answer also has the alignment of
    each whole text, in the record of its first blank (`path`)."""
    net: Any = model
    if hasattr(model, "with_options"):
        manner = {name: getattr(options, name) for name in MANNER}
        net = model.with_options(seed=seed, draws=options.draws, restricted=not options.unrestricted, **manner)
    asked = [item for item in items if evaluated(item, longest=options.longest)]
    results: list[Answer] = list(net.answer(asked)) if asked else []
    if any(not each.blanks for each in results):
        raise ProbandError(f"{net.name} fills no blanks; solver:frequent and solver:chance are baselines that do")
    if asked and getattr(net, "aligns", False):
        for at, (path, _) in enumerate(net.align(asked)):
            first, *others = results[at].blanks
            results[at] = replace(results[at], blanks=({**first, "path": path}, *others))
    return in_order(items, results)


def align(items: Sequence[Item], model: Any, *, seed: int, options: AlignOptions) -> list[Answer]:
    """The Viterbi alignment of every text, training texts included: one record with `path` (the position in the
    abstract line of each concrete word), and nothing filled in."""
    if not getattr(model, "aligns", False):
        raise ProbandError(f"{model.name} has no alignments; train a transducer")
    model = model.with_options(longest=options.longest) if hasattr(model, "with_options") else model
    answers = []
    for item, (path, posteriors) in zip(items, model.align(items), strict=True):
        record: dict[str, Any] = {"path": path}
        if options.posteriors and item.split != "train":
            record["posteriors"] = [[round(p, 4) for p in row] for row in posteriors]
        answers.append(Answer(item_id=item.id, blanks=(record,)))
    return answers


def in_order(items: Sequence[Item], answers: Sequence[Answer]) -> list[Answer]:
    """One answer per item, without records where none was given."""
    known = {each.item_id: each for each in answers}
    return [known.get(item.id, Answer(item_id=item.id)) for item in items]


SOLVERS = (
    Solver(
        name="answer",
        help="nets and baselines read items directly",
        needs=AnswersItems,
        solve=answer,
        options=AnswerOptions,
    ),
    Solver(
        name="align",
        help="the alignment of each text by a transducer, training texts included",
        needs=AnswersItems,
        solve=align,
        options=AlignOptions,
        split="all",
    ),
    Solver(
        name="cloze",
        help="language models fill the blanks from left to right",
        needs=PredictsWords,
        solve=filling.solve,
        options=ClozeOptions,
    ),
    GENERATE,
)
