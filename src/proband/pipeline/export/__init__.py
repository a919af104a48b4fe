"""Items in other tools' formats. Every format keeps the split of the items, and their licence goes along.

source.py has what is exported, results.py the results of runs. What is written around the items (cards, tasks) are the
templates next to this file.
"""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, csv_lines, dumps, render_text, write_text
from proband.core.protocols import Score, Text
from proband.core.suite import Solver
from proband.core.types import Item
from proband.pipeline.asking.setup import choose_solver, suite_of
from proband.pipeline.export.results import write_results
from proband.pipeline.export.source import PACKAGE, ExportSource, survey, write_licence, write_splits
from proband.pipeline.step_labels import write_stepwise
from proband.pipeline.steps import Checkers, replies_of
from proband.solvers import LIKELIHOOD


def write_csv(source: ExportSource, out: Path) -> None:
    """id, suite, split, prompt, one column per choice and per tag, gold (empty for open items), facts as JSON."""
    path = out if out.suffix == ".csv" else out / "items.csv"
    choices, tags = [f"choice_{i}" for i in range(source.width)], [f"tag_{name}" for name in source.tags]

    def rows() -> Iterator[Sequence[Any]]:
        yield ["id", "suite", "split", "prompt", *choices, "gold", *tags, "facts"]
        for item in source.items():
            padded = [*item.choices, *[""] * (source.width - len(item.choices))]
            values = (item.tags.get(name, "") for name in source.tags)
            gold = "" if item.gold is None else item.gold
            yield [item.id, item.suite, item.split, item.prompt, *padded, gold, *values, dumps(item.facts)]

    with atomic(path) as file:
        file.writelines(csv_lines(rows(), guarded=False))  # for programs: the texts as they are


def write_hub(source: ExportSource, out: Path) -> None:
    """A folder that `datasets.load_dataset` reads and the Hugging Face hub shows: a file per split, a card, and
    eval.yaml, which makes the dataset a benchmark of the hub (Community Evals; `inspect eval hf/ORG/NAME` runs it)."""
    write_splits(out / "data", source.splits, ((item.split, hub_row(item, source)) for item in source.items()))
    sizes = {split: (out / "data" / f"{split}.jsonl").stat().st_size for split in source.splits}
    write_text(out / "README.md", render_text(PACKAGE, "hub_card.md", source=source, sizes=sizes))
    if any(split in source.answerable for split in ("valid", "test")):
        question = suites.suite(source.suite).question
        write_text(out / "eval.yaml", render_text(PACKAGE, "hub_eval.yaml", source=source, question=question))


def hub_row(item: Item, source: ExportSource) -> dict[str, Any]:
    """Facts are JSON text, since their fields differ from item to item."""
    return {
        "id": item.id,
        "prompt": item.prompt,
        "choices": item.choices,
        "label": -1 if item.gold is None else item.gold,
        **({"tags": source.tags_of(item)} if source.tags else {}),
        "facts": dumps(item.facts),
    }


# ---- inspect: `inspect eval FOLDER/proband_SUITE.py --model MODEL` -------------------------------------------------


def write_inspect(source: ExportSource, out: Path) -> None:
    splits = source.only_questions("inspect")
    write_splits(out, splits, ((item.split, inspect_row(item)) for item in source.questions()))
    licence = source.licence.replace("\\", "/").replace('"', "'")
    about = {"licence": licence, "metadata": {"license": source.hub_licence, "licence": source.licence}}
    text = render_text(PACKAGE, "inspect_task.py", source=source, splits=tuple(splits), **about)
    write_text(out / f"{source.task}.py", text)


def inspect_row(item: Item) -> dict[str, Any]:
    shared, gold = _clusters(item), item.gold or 0
    return {
        "id": item.id,
        "input": item.prompt,
        "choices": item.choices,
        "target": chr(ord("A") + gold) if gold < 26 else str(gold - 25),  # the choice's name in inspect
        "metadata": {"suite": item.suite, "split": item.split, **item.tags, **({"clusters": shared} if shared else {})},
    }


def _clusters(item: Item) -> list[str]:
    """What the item shares with others, for `proband compare` of logs."""
    return [str(each) for each in item.facts.get("clusters", ())]


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
    write_splits(
        out, splits, ((item.split, lm_eval_row(item, texts, source)) for item, texts in with_texts(source, solver))
    )
    uses = [(use, split) for split in splits for use in USES[split]]
    text = render_text(PACKAGE, "lm_eval_task.yaml", source=source, uses=uses, solver=solver.name)
    write_text(out / f"{source.task}.yaml", text)
    loader = render_text(PACKAGE, "lm_eval_data.py", source=source, splits=tuple(splits))
    write_text(out / f"{source.task}_data.py", loader)


def lm_eval_row(item: Item, texts: ScoredTexts, source: ExportSource) -> dict[str, Any]:
    return {
        "id": item.id,
        "context": texts.context,
        "continuations": texts.continuations,
        "choices": item.choices,
        "gold": item.gold,
        "clusters": _clusters(item),
        **({"tags": source.tags_of(item)} if source.tags else {}),
    }


# ---- the formats by name ---------------------------------------------------------------------------------------------


FORMATS: Mapping[str, Callable[[ExportSource, Path], None]] = {
    "csv": write_csv,
    "hf": write_hub,
    "lm-eval": write_lm_eval,
    "inspect": write_inspect,
}
OF_RUNS: Mapping[str, Callable[[Path, Path, str], Mapping[str, Any]]] = {
    "stepwise": lambda run, out, model_id: write_stepwise(map(Checkers().record, replies_of(run)), out),
    "every-eval-ever": write_results,
}
FOR_QUESTIONS = ("lm-eval", "inspect")  # formats that hold only items with choices and a right answer


def export(
    items: str | Path, *, to: str, out: str | Path = ".", force: bool = False, model_id: str = ""
) -> dict[str, Any]:
    """Write items in the format of another tool, or the results of a run for a public collection.

    Example: proband export items --to csv -o items.csv

    :param items: Folder of items or of a run.
    :param to: csv, hf, lm-eval, inspect, the suite's own; of runs: stepwise, every-eval-ever.
    :param out: File or folder to write; other existing files need --force.
    :param model_id: The model of a run, as the Hugging Face hub names it.
    """
    if to in OF_RUNS:
        with staged(Path(out), force=force) as place:
            return {"format": to, **OF_RUNS[to](Path(items), place, model_id), "out": str(out)}
    own = suite_of(items).export
    if to not in {**FORMATS, **own}:
        raise ProbandError(f"no format {to!r}; there are {', '.join([*FORMATS, *OF_RUNS, *own])}")
    source = survey(Path(items))
    with staged(Path(out), force=force) as place:
        if to in FORMATS:
            FORMATS[to](source, place)
        if to in own:
            own[to](source.items(), place)
        splits = source.answerable if to in FOR_QUESTIONS else source.splits
        count = sum(splits.values())
        write_licence(place, source, items=count)
    return {
        "format": to,
        "suite": source.suite,
        "items": count,
        "splits": dict(splits),
        "left_out": dict(source.left_out) if to in FOR_QUESTIONS else {},
        "licence": source.licence,
        "out": str(out),
    }


@contextmanager
def staged(out: Path, *, force: bool) -> Iterator[Path]:
    """A place of the same name as `out` to write to; at the end everything goes to `out`, or nothing where that would
    write over a file with other content."""
    target = out.resolve()
    parent = target if target.is_dir() else target.parent
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export.", dir=parent) as folder:
        place = Path(folder) / target.name
        if target.is_dir():
            place.mkdir()
        yield place
        files = {path: target.parent / path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()}
        for path, final in sorted(files.items()):
            if not force and final.exists() and not (final.is_file() and filecmp.cmp(path, final, shallow=False)):
                wrong = "already exists with different content; choose another path, or use --force"
                raise ProbandError(wrong, file=final)
        for path, final in sorted(files.items()):
            final.parent.mkdir(parents=True, exist_ok=True)
            path.replace(final)
