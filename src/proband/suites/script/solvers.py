"""The ways of putting cloze items to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.protocols import AnswersItems, Generates, PredictsWords
from proband.core.types import Answer, Item, Option, Solver
from proband.suites.script import infill, predict
from proband.suites.script.own import LearnsFromItems
from proband.suites.script.predict import evaluated
from proband.suites.script.texts import PROMPT


def answer(
    items: Sequence[Item],
    model: AnswersItems,
    *,
    seed: int = 0,
    splits: str = "valid,test",
    draws: int = 5,
    unrestricted: bool = False,
) -> list[Answer]:
    """Nets and the suite's own models take items as they are; texts to train on are not asked."""
    chosen: Any = model
    if hasattr(model, "with_options"):
        chosen = model.with_options(seed=seed, draws=draws, restricted=not unrestricted)
    asked = [item for item in items if evaluated(item, splits)]
    found = list(chosen.answer(asked)) if asked else []
    if any(not each.blanks for each in found):
        raise ProbandError(f"{chosen.name} fills no blanks; solver:frequent and solver:chance are baselines that do")
    if asked and getattr(getattr(chosen, "net", None), "latent", False):
        found = with_paths(asked, found, chosen)
    said = {each.item_id: each for each in found}
    return [said.get(item.id, Answer(item_id=item.id)) for item in items]


def with_paths(items: Sequence[Item], answers: Sequence[Answer], net: Any) -> list[Answer]:
    """The Viterbi alignment of each whole text, kept in the record of its first blank."""
    aligned = net.align([(item.facts["abstract"], item.facts["concrete"]) for item in items])
    made = []
    for answer, alignment in zip(answers, aligned, strict=True):
        first, *others = answer.blanks
        made.append(replace(answer, blanks=({**first, "path": list(alignment.path)}, *others)))
    return made


def count(items: Sequence[Item], model: LearnsFromItems, *, seed: int = 0, splits: str = "valid,test") -> list[Answer]:
    """The model reads the training items first."""
    return answer(items, model.learn(items), seed=seed, splits=splits)


SPLITS = Option(name="splits", help="which splits to answer, with commas", default="valid,test")
SOLVERS = (
    Solver(
        name="count",
        help="a baseline that counts training items",
        needs=LearnsFromItems,
        solve=count,
        options=(SPLITS,),
        whole=True,
    ),
    Solver(
        name="answer",
        help="nets take items as they are",
        needs=AnswersItems,
        solve=answer,
        options=(
            SPLITS,
            Option(name="draws", help="texts sampled for the greedy mode (0: the likeliest word)", default=5, kind=int),
            Option(name="unrestricted", help="any word may fill a blank", default=False, kind=bool),
        ),
    ),
    Solver(
        name="cloze",
        help="language models fill the blanks from left to right",
        needs=PredictsWords,
        solve=predict.solve,
        options=(
            SPLITS,
            Option(name="words", help="file of candidate words (default: the items' whitelist)", kind=Path),
            Option(
                name="template", help="what stands before the text; {abstract} is the abstract line", default=PROMPT
            ),
            Option(
                name="right",
                help="what a masked model sees behind a blank: up to the next open blank, or all without open words",
                default="stop",
                choices=("stop", "skip"),
            ),
            Option(
                name="samples",
                help="texts drawn for the greedy mode, the likeliest kept; 0: the likeliest word in each blank"
                " (default: 5; 0 for a masked model, which sees both sides)",
                kind=int,
            ),
            Option(name="temperature", help="of the draws", default=0.1, kind=float),
            Option(name="beam", help="instead of draws, a beam of this width (0: none)", default=0, kind=int),
        ),
    ),
    Solver(
        name="infill",
        help="an endpoint writes the missing words",
        needs=Generates,
        solve=infill.solve,
        options=(SPLITS, Option(name="max-tokens", help="of a reply", default=256, kind=int)),
    ),
)
