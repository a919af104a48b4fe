"""Items in other tools' formats. Every format keeps the split of the items, and their licence goes along.

Reads in this order: source; here; task_packages (inspect, lm-eval). What is written around the items (cards, tasks) are
the templates beside this file.
"""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, csv_lines, dumps, items_path, read_items, render_text, write_text
from proband.core.types import Item
from proband.pipeline.export.results import FORMATS as RESULTS
from proband.pipeline.export.results import write_results
from proband.pipeline.export.source import PACKAGE, ExportSource, survey, write_licence, write_splits
from proband.pipeline.export.task_packages import write_inspect, write_lm_eval
from proband.pipeline.run import suite_of
from proband.pipeline.step_labels import write_stepwise
from proband.pipeline.steps import reply_records


def write_csv(source: ExportSource, out: Path) -> Path:
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
    return path if out.suffix == ".csv" else out


def write_hub(source: ExportSource, out: Path) -> Path:
    """A folder that `datasets.load_dataset` reads and the Hugging Face hub shows: a file per split, a card, and
    eval.yaml, which makes the dataset a benchmark of the hub (Community Evals; `inspect eval hf/ORG/NAME` runs it)."""
    write_splits(out / "data", source.splits, ((item.split, hub_row(item, source)) for item in source.items()))
    sizes = {split: (out / "data" / f"{split}.jsonl").stat().st_size for split in source.splits}
    write_text(out / "README.md", render_text(PACKAGE, "hub_card.md", source=source, sizes=sizes))
    if any(split in source.answerable for split in ("valid", "test")):
        question = suites.suite(source.suite).question
        write_text(out / "eval.yaml", render_text(PACKAGE, "hub_eval.yaml", source=source, question=question))
    return out


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


FORMATS: Mapping[str, Callable[[ExportSource, Path], Path]] = {
    "csv": write_csv,
    "hf": write_hub,
    "lm-eval": write_lm_eval,
    "inspect": write_inspect,
}
STEPWISE = "stepwise"  # a run with replies in words
PAIRS, VARIATION = "pairs", "counterfactual"  # a format, and the variation that it is made of
BLANK = "___"
FOR_QUESTIONS = ("lm-eval", "inspect")  # formats that hold only items with choices and a right answer


def export(
    items: str | Path,
    *,
    to: str,
    out: str | Path,
    force: bool = False,
    model_id: str = "",
    dataset: str = "",
    tokenizer: str = "",
) -> dict[str, Any]:
    """Write the items in a format; returns how many of each split, what was left out and why, and the licence. Files
    that are there already, with other content, are only written over with `force`. The formats of results.py take the
    folder of a run, the `model_id` (DEVELOPER/NAME) and the `dataset` on the Hugging Face hub; `pairs` takes the model
    whose `tokenizer` reads them."""
    if to in RESULTS:
        if not (Path(items) / "run.json").exists():
            raise ProbandError(f"--to {to} is for the folder of a run", file=items)
        with staged(Path(out), force=force) as place:
            return {**write_results(Path(items), to=to, out=place, model_id=model_id, dataset=dataset), "out": str(out)}
    if to == STEPWISE:
        with staged(Path(out), force=force) as place:
            return {"format": to, **write_stepwise(reply_records(Path(items)), place), "out": str(out)}
    own = suite_of(items).export
    if to == PAIRS and PAIRS not in own:
        return _pairs(Path(items), Path(out), tokenizer, force=force)
    if to not in {**FORMATS, **own}:
        raise ProbandError(f"no format {to!r}; there are {', '.join([*FORMATS, PAIRS, STEPWISE, *own, *RESULTS])}")
    source = survey(Path(items))
    with staged(Path(out), force=force) as place:
        if to in FORMATS:
            written = FORMATS[to](source, place)
        else:
            own[to](source.items(), place)
            written = place
        splits = source.answerable if to in FOR_QUESTIONS else source.splits
        count = sum(splits.values())
        write_licence(written, source.licence, suite=source.suite, items=count)
    return {
        "format": to,
        "suite": source.suite,
        "items": count,
        "splits": dict(splits),
        "left_out": dict(source.left_out) if to in FOR_QUESTIONS else {},
        "licence": source.licence.text,
        "out": str(out),
    }


@contextmanager
def staged(out: Path, *, force: bool) -> Iterator[Path]:
    """A place of the same name as `out` to write to; at the end everything goes to `out`, or nothing where that would
    write over a file with other content."""
    target = out.resolve()
    beside = target if target.is_dir() else target.parent
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export.", dir=beside) as folder:
        place = Path(folder) / target.name
        if target.is_dir():
            place.mkdir()
        yield place
        files = {path: target.parent / path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()}
        for path, final in sorted(files.items()):
            if not force and final.exists() and not (final.is_file() and filecmp.cmp(path, final, shallow=False)):
                raise ProbandError(
                    "is there already, with other content; name another place, or give --force", file=final
                )
        for path, final in sorted(files.items()):
            final.parent.mkdir(parents=True, exist_ok=True)
            path.replace(final)


# ---- counterfactual pairs --------------------------------------------------------------------------------------------
#
# Counterfactual pairs for interpretability work: two prompts that differ in one fact, as the tokens of a model.
#
# One line per pair of a source item and its counterfactual (`proband vary --as counterfactual`):
#
#     source, varied   the ids of the two items
#     texts            both prompts up to the blank
#     answers          both right answers
#     aligned          whether the texts have equally many tokens, so that positions correspond
#     tokens           the token ids of both texts, as the model reads them
#     differ           the positions of the tokens that differ (aligned pairs only)
#     answer_tokens    the first token of each right answer, behind its text


def _pairs(items: Path, out: Path, model: str, *, force: bool) -> dict[str, str | int]:
    """Counterfactual pairs in the tokens of a model."""
    from proband.pipeline.asking.setup import load_model

    if not model:
        raise ProbandError("--to pairs needs --tokenizer MODEL: whose tokens?")
    suite = suite_of(items)
    tokenizer = getattr(load_model(model, {}, suite=suite, seed=0), "tokenizer", None)
    if tokenizer is None:
        raise ProbandError(f"{model} has no tokenizer")
    with staged(out, force=force) as place:
        figures = write_pairs(items, place, tokenizer)
    return {"format": PAIRS, "suite": suite.name, "items": figures.pop("pairs"), **figures, "out": str(out)}


def write_pairs(items: Path, out: Path, tokenizer: Any) -> dict[str, int]:
    """Write OUT (or OUT/pairs.jsonl); returns how many pairs there are, and how many are aligned."""
    path = out if out.suffix == ".jsonl" else out / "pairs.jsonl"
    count = aligned = 0
    with atomic(path) as file:
        for source, varied in pairs_of(items):
            pair = tokens_of(source, varied, tokenizer)
            count, aligned = count + 1, aligned + pair["aligned"]
            file.write(dumps(pair) + "\n")
        if not count:
            raise ProbandError(f"has no pairs: make some with `proband vary --as {VARIATION}`", file=items_path(items))
    return {"pairs": count, "aligned": aligned, "not_aligned": count - aligned}


def pairs_of(items: Path) -> Iterator[tuple[Item, Item]]:
    """Source items with their counterfactuals, which stand behind them."""
    source: Item | None = None
    for item in read_items(items):
        if item.tags.get("variation") == "original":
            source = item
        elif item.tags.get("variation") == VARIATION and source is not None and item.facts["source"] == source.id:
            yield source, item


class PairTokens(TypedDict):
    """A counterfactual pair; `differ`: the places of other tokens, where both texts have as many."""

    source: str
    varied: str
    texts: list[str]
    answers: list[str]
    aligned: bool
    tokens: list[list[int]]
    differ: list[int]
    answer_tokens: list[int]


def tokens_of(source: Item, varied: Item, tokenizer: Any) -> PairTokens:
    texts = [
        item.prompt.rpartition(BLANK)[0].rstrip() if BLANK in item.prompt else item.prompt for item in (source, varied)
    ]
    answers = [item.choices[item.gold] if item.gold is not None else "" for item in (source, varied)]
    tokens = [list(tokenizer(text)["input_ids"]) for text in texts]
    aligned = len(tokens[0]) == len(tokens[1])
    return {
        "source": source.id,
        "varied": varied.id,
        "texts": texts,
        "answers": answers,
        "aligned": aligned,
        "tokens": tokens,
        "differ": [at for at, (a, b) in enumerate(zip(*tokens)) if a != b] if aligned else [],
        "answer_tokens": [
            _first_behind(text, answer, ids, tokenizer)
            for text, answer, ids in zip(texts, answers, tokens, strict=True)
        ],
    }


def _first_behind(text: str, answer: str, ids: list[int], tokenizer: Any) -> int:
    """The token that an answer begins with, read behind its text."""
    longer = list(tokenizer(f"{text} {answer}")["input_ids"])
    at = next((place for place, (a, b) in enumerate(zip(longer, ids)) if a != b), min(len(longer) - 1, len(ids)))
    return int(longer[at])
