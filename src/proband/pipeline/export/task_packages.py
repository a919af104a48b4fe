"""Tasks that other harnesses run: for inspect_ai, and for EleutherAI's lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import render_text, write_text
from proband.core.protocols import Score, Text
from proband.core.suite import Solver
from proband.core.types import Item
from proband.pipeline.asking.setup import choose_solver
from proband.pipeline.export.source import PACKAGE, ExportSource, write_splits
from proband.solvers import LIKELIHOOD

# ---- inspect: `inspect eval FOLDER/proband_SUITE.py --model MODEL` -------------------------------------------------


def write_inspect(source: ExportSource, out: Path) -> None:
    splits = source.only_questions("inspect")
    write_splits(out, splits, ((item.split, sample(item)) for item in source.questions()))
    licence = source.licence.replace("\\", "/").replace('"', "'")
    about = {"licence": licence, "metadata": {"license": source.hub_licence, "licence": source.licence}}
    text = render_text(PACKAGE, "inspect_task.py", source=source, splits=tuple(splits), **about)
    write_text(out / f"{source.task}.py", text)


def sample(item: Item) -> dict[str, Any]:
    shared = _clusters(item)
    return {
        "id": item.id,
        "input": item.prompt,
        "choices": item.choices,
        "target": letter(item.gold or 0),
        "metadata": {"suite": item.suite, "split": item.split, **item.tags, **({"clusters": shared} if shared else {})},
    }


def _clusters(item: Item) -> list[str]:
    """What the item shares with others, for `proband compare` of logs."""
    return [str(each) for each in item.facts.get("clusters", ())]


def letter(index: int) -> str:
    """The choice's name in inspect's multiple choice: A to Z, then 1, 2, 3, ...

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '1')
    """
    return chr(ord("A") + index) if index < 26 else str(index - 25)


# ---- lm-eval: a multiple-choice task that scores what our own solver scores ----------------------------------------
#
# The harness adds log P over the tokens of `context + continuation` that come after those of `context`, which is our
# score of a choice with `norm=sum`. The texts are those that the suite's own solver has a recorder score. The task runs
# from any folder: `lm_eval --include_path FOLDER --tasks proband_SUITE`.


CHUNK = 256  # items given to the solver at a time


@dataclass(frozen=True, kw_only=True)
class ScoredTexts:
    """What is likelihood-scored for one item: log P(continuations[i] | context) is the score of choice i."""

    context: str
    continuations: tuple[str, ...]


class Recorder:
    """A model that keeps the texts it is asked to score. A text's score is its number, so that the solver's answer
    says which text each choice got."""

    name = "recorder"
    methods = ("ll",)

    def __init__(self) -> None:
        self.texts: list[Text] = []

    def identity(self) -> dict[str, str]:
        return {"kind": "recorder"}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        first = len(self.texts)
        self.texts += texts
        return [Score(float(first + i), 1, 1) for i in range(len(texts))]


def scored_texts(items: Sequence[Item], solver: Solver) -> list[ScoredTexts]:
    """
    >>> story = Item(id="a", suite="kinship", prompt="Ann is the ___ of Ben.", choices=("aunt", "niece"), gold=0)
    >>> scored_texts([story], LIKELIHOOD)
    [ScoredTexts(context='Ann is the', continuations=(' aunt of Ben.', ' niece of Ben.'))]
    """
    recorder, results = Recorder(), []
    answers = solver.solve(items, recorder, seed=0, options=solver.options())
    for item, answer in zip(items, answers, strict=True):
        texts = [recorder.texts[int(score)] for score in answer.scores]
        contexts = {text.text[: text.start] for text in texts}
        if len(contexts) != 1 or len(texts) != len(item.choices):
            raise ProbandError(f"item {item.id!r}: its choices do not all follow the same text")
        continuations = tuple(text.text[text.start :] for text in texts)
        results.append(ScoredTexts(context=contexts.pop(), continuations=continuations))
    return results


def solver_of(source: ExportSource) -> Solver:
    """The suite's first solver that scores text, where it can answer these items; otherwise the shared one."""
    first = list(islice(source.questions(), 1))
    try:
        solver = choose_solver(suites.suite(source.suite), Recorder(), None, setting=source.setting)
        scored_texts(first, solver)
    except ProbandError:
        return LIKELIHOOD
    return solver


def with_texts(source: ExportSource, solver: Solver) -> Iterator[tuple[Item, ScoredTexts]]:
    """Every question of the source with its texts, as a stream."""
    questions = source.questions()
    while chunk := list(islice(questions, CHUNK)):
        yield from zip(chunk, scored_texts(chunk, solver), strict=True)


# what the harness does with a split; training items are for few-shot prompts only
USES = {"train": ("training_split", "fewshot_split"), "valid": ("validation_split",), "test": ("test_split",)}


def write_lm_eval(source: ExportSource, out: Path) -> None:
    splits = source.only_questions("lm-eval")
    solver = solver_of(source)
    write_splits(out, splits, ((item.split, row(item, texts, source)) for item, texts in with_texts(source, solver)))
    uses = [(use, split) for split in splits for use in USES[split]]
    text = render_text(PACKAGE, "lm_eval_task.yaml", source=source, uses=uses, solver=solver.name)
    write_text(out / f"{source.task}.yaml", text)
    loader = render_text(PACKAGE, "lm_eval_data.py", source=source, splits=tuple(splits))
    write_text(out / f"{source.task}_data.py", loader)


def row(item: Item, texts: ScoredTexts, source: ExportSource) -> dict[str, Any]:
    return {
        "id": item.id,
        "context": texts.context,
        "continuations": texts.continuations,
        "choices": item.choices,
        "gold": item.gold,
        "clusters": _clusters(item),
        **({"tags": source.tags_of(item)} if source.tags else {}),
    }
