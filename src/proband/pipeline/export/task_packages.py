"""Tasks that other harnesses run: for inspect_ai, and for EleutherAI's lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.core.protocols import Score, Text
from proband.core.suite import Solver
from proband.core.types import Item
from proband.pipeline.asking.setup import choose_solver
from proband.pipeline.export.source import Source, write_splits
from proband.solvers import LIKELIHOOD

# ---- inspect: `inspect eval FOLDER/proband_SUITE.py --model MODEL` -------------------------------------------------


TASK = '''"""{title}

Licence of the items: {licence}
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import accuracy, choice, stderr
from inspect_ai.solver import multiple_choice

try:  # with proband[inspect]: intervals for samples that share material
    from proband.inspect_extension import calibrated_ci, minimum_detectable_difference

    METRICS = [accuracy(), stderr(), calibrated_ci(), minimum_detectable_difference()]
except ImportError:
    METRICS = [accuracy(), stderr()]

SPLITS = {splits}


@task
def {name}(split: str = "{default}") -> Task:
    """Another split: `-T split=NAME`."""
    if split not in SPLITS:
        raise ValueError(f"no split {{split!r}}; there are {{', '.join(SPLITS)}}")
    samples = Path(__file__).resolve().parent / f"{{split}}.jsonl"
    return Task(
        dataset=json_dataset(str(samples), name="{name}"),
        solver=multiple_choice(),
        scorer=choice(),
        metrics=METRICS,
        metadata={metadata},
    )
'''


def write_inspect(source: Source, out: Path) -> Path:
    splits = source.only_questions("inspect")
    name = source.task
    write_splits(out, splits, ((item.split, sample(item)) for item in source.questions()))
    licence = source.licence
    text = TASK.format(
        title=f"Items of Proband's suite {source.suite} as multiple choice.",
        licence=licence.text.replace("\\", "/").replace('"', "'"),
        splits=tuple(splits),
        name=name,
        default="test" if "test" in splits else "valid",
        metadata=repr({"license": licence.name, "licence": licence.text}),
    )
    write_text(out / f"{name}.py", text)
    return out


def sample(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "input": item.prompt,
        "choices": item.choices,
        "target": letter(item.gold or 0),
        "metadata": {"suite": item.suite, "split": item.split, **item.tags, **_clusters(item)},
    }


def _clusters(item: Item) -> dict[str, Any]:
    """What the item shares with others, for `proband compare` of logs."""
    clusters = item.facts.get("clusters")
    return {"clusters": [str(each) for each in clusters]} if clusters else {}


def letter(index: int) -> str:
    """The choice's name in inspect's multiple choice: A to Z, then 1, 2, 3, ...

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '1')
    """
    return chr(ord("A") + index) if index < 26 else str(index - 25)


# ---- lm-eval: a multiple-choice task that scores what our own solver scores ----------------------------------------
#
# The harness adds log P over the tokens of `context + continuation` that come after those of `context`, which is our
# score of a choice with `norm=sum`. It runs from any folder: `lm_eval --include_path FOLDER --tasks proband_SUITE`.


# ---- the texts that a suite's own solver would have a language model score, found by running it on a recorder ------
#
# A format that asks a model for log-likelihoods (lm-eval) so scores what `proband run` scores, for every suite.


CHUNK = 256  # items given to the solver at a time


@dataclass(frozen=True, kw_only=True)
class ScoredTexts:
    """What is likelihood-scored for one item: log P(continuations[i] | context) is the score of choice i."""

    context: str
    continuations: tuple[str, ...]


class Recorder:
    """A model that keeps the texts it is asked to score. A text's score is its number, so that the solver's answer
    tells which text each choice got."""

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
    recorder = Recorder()
    answers = solver.solve(items, recorder, seed=0, options=solver.options())
    return [
        split_text(item, [recorder.texts[int(score)] for score in answer.scores])
        for item, answer in zip(items, answers, strict=True)
    ]


def split_text(item: Item, texts: Sequence[Text]) -> ScoredTexts:
    contexts = {text.text[: text.start] for text in texts}
    if len(contexts) != 1 or len(texts) != len(item.choices):
        raise ProbandError(f"item {item.id!r}: its choices are not scored after one and the same text")
    return ScoredTexts(context=contexts.pop(), continuations=tuple(text.text[text.start :] for text in texts))


def solver_of(source: Source) -> Solver:
    """The suite's first solver that scores text, where it can answer these items; otherwise the shared one."""
    first = list(islice(source.questions(), 1))
    try:
        solver = choose_solver(suites.suite(source.suite), Recorder(), None, setting=source.setting)
        scored_texts(first, solver)
    except ProbandError:
        return LIKELIHOOD
    return solver


def with_texts(source: Source, solver: Solver) -> Iterator[tuple[Item, ScoredTexts]]:
    """Every question of the source with its texts, as a stream."""
    questions = source.questions()
    while chunk := list(islice(questions, CHUNK)):
        yield from zip(chunk, scored_texts(chunk, solver), strict=True)


# ---- the task ------------------------------------------------------------------------------------------------------


LOADER = '''"""The items of the task {name}, from the folder that this file is in."""

from pathlib import Path

SPLITS = {splits}


def load(**_):
    import datasets

    here = Path(__file__).resolve().parent
    return datasets.load_dataset("json", data_files={{split: str(here / f"{{split}}.jsonl") for split in SPLITS}})
'''


def write_lm_eval(source: Source, out: Path) -> Path:
    splits = source.only_questions("lm-eval")
    name, solver = source.task, solver_of(source)
    write_splits(out, splits, ((item.split, row(item, texts, source)) for item, texts in with_texts(source, solver)))
    write_text(out / f"{name}_data.py", LOADER.format(name=name, splits=tuple(splits)))
    write_text(out / f"{name}.yaml", task(source, name, solver))
    return out


def row(item: Item, texts: ScoredTexts, source: Source) -> dict[str, Any]:
    return {
        "id": item.id,
        "context": texts.context,
        "continuations": texts.continuations,
        "choices": item.choices,
        "gold": item.gold,
        "clusters": [str(each) for each in item.facts.get("clusters", ())],  # what it shares, for `proband compare`
        **({"tags": source.tags_of(item)} if source.tags else {}),
    }


def task(source: Source, name: str, solver: Solver) -> str:
    """The task's YAML. Training items are for few-shot prompts only."""
    uses = {"train": ("training_split", "fewshot_split"), "valid": ("validation_split",), "test": ("test_split",)}
    lines = [f"task: {name}", f"custom_dataset: !function {name}_data.load"]
    lines += [f"{use}: {split}" for split in source.answerable for use in uses[split]]
    lines += [
        "output_type: multiple_choice",
        "doc_to_text: context",
        "doc_to_choice: continuations",
        "doc_to_target: gold",
        'target_delimiter: ""',
        "metric_list:",
        "  - metric: acc",
        "    aggregation: mean",
        "    higher_is_better: true",
        "metadata:",
        "  version: 1.0",
        f"  solver: {solver.name}",
        f"  license: {source.licence.name}",
        f"  licence: {dumps(source.licence.text)}",
    ]
    return "\n".join(lines) + "\n"
