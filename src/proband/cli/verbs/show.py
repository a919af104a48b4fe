"""`proband show`: one item with its answers; and what it and `proband list` print."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Unpack

from cyclopts import Parameter
from msgspec import UNSET

from proband import suites
from proband.cli.commands import shortened, table, words
from proband.core.errors import ProbandError
from proband.core.files import items_of, items_path, read_items, read_run, run_folders, sha256_file
from proband.core.metrics import chosen_answer
from proband.core.plugins import read_options
from proband.core.protocols import Model
from proband.core.types import Answer, Item
from proband.pipeline.asking.items_and_answers import RunAnswers
from proband.pipeline.asking.setup import RunSetup
from proband.pipeline.report import item_sets
from proband.pipeline.run_options import RunOptions, SharedRunOptions
from proband.pipeline.steps import LOADED, Checkers, reply_to
from proband.reporting.numbers.formatting import run_labels

SHORT = 8  # names of each kind in a list
BEST = 5  # choices shown per answer
SOME = 10  # items that are listed


def list_layout(result: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[Any]:
    """A line per suite, and of all other kinds their names, as many as fit into a few lines; one kind alone in full."""
    if len(result) == 1:
        yield from one_kind(*result.items())
        return
    yield "suites"
    yield table(("", ""), [(f"  {row['name']}", row["what"]) for row in result["suites"]])
    for title, rows in result.items():
        if title != "suites":
            names = list(dict.fromkeys(row["name"] for row in rows))
            more = f", and {len(names) - SHORT} more" if len(names) > SHORT else ""
            yield f"{title} ({len(names)}): {', '.join(names[:SHORT])}{more}"
    yield "with explanations and options: proband list suites, proband list models, ..."


def one_kind(entry: tuple[str, Sequence[Mapping[str, Any]]]) -> Iterable[Any]:
    """Every entry, with its options below it."""
    lines: list[tuple[str, str]] = []
    for row in entry[1]:
        lines.append((f"  {row['name']}", row["what"]))
        lines += [(f"    {option['name']}", describe_option(option)) for option in row.get("options", ())]
    yield entry[0]
    yield table(("", ""), lines or [("  none", "")])


def describe_option(option: Mapping[str, Any]) -> str:
    """
    >>> describe_option({"name": "norm", "help": "divide by", "choices": ["sum", "token"], "default": "sum"})
    'divide by [sum | token] (default: sum)'
    """
    choices = f" [{' | '.join(option['choices'])}]" if option["choices"] else ""
    default = "" if option["default"] in (None, "", False) else f" (default: {words(option['default'])})"
    return f"{option['help']}{choices}{default}".strip()


# ---- one item --------------------------------------------------------------------------------------------------------


def show(
    folder: str | Path,
    item_id: str = "",
    /,
    *,
    wrong: int | None = None,
    runs: Annotated[Sequence[str | Path], Parameter(consume_multiple=True)] = (),
    prompt: bool = False,
    model: str | None = None,
    solver: str | None = None,
    options: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Any:
    """Show one item: its text, its proof or alignment, and the answer of every run.

    Example: proband show items ITEM_ID

    :param folder: Folder of items or of a run.
    :param item_id: Id of the item (default: list some).
    :param wrong: Of a run: show N items that it got wrong.
    :param runs: Runs to read (default: those next to the items).
    :param prompt: Print the exact text that the model of -m gets, instead of the item.
    :param options: Option of the solver, such as prompt=FILE or shots=3; repeatable.
    """
    if wrong is not None and wrong < 1:
        raise ProbandError(f"--wrong is {wrong}; it must be 1 or more")
    if model is None and (
        of_model := [name for name, given in (("--prompt", prompt), ("--solver", solver), ("--set", options)) if given]
    ):
        raise ProbandError(f"{of_model[0]} needs the model that it is for: -m MODEL")
    if item_id and wrong is not None:
        raise ProbandError(f"--wrong chooses the items of a run itself; leave out {item_id!r}, or --wrong")
    if model is not None and not item_id:
        raise ProbandError("-m shows what a model gets for one item: name the item")
    if wrong is not None:
        return [_shown(folder, name, runs=[folder]) for name in islice(wrong_items(Path(folder)), wrong)]
    if not item_id:
        return list(islice(read_items(answered_items_path(Path(folder))), SOME))
    if model is not None:
        return prompt_of(folder, item_id, model=model, solver=solver, options=options, seed=seed)
    return _shown(folder, item_id, runs=runs)


def prompt_of(
    items: str | Path, item_id: str, *, model: str | Model, solver: str | None = None,
    options: Mapping[str, Any] | None = None, seed: int = 0, **more: Unpack[SharedRunOptions],
) -> list[str]:  # fmt: skip
    """The exact text that a run with these options would send for one item."""
    given = read_options(RunOptions, {"solver": solver, "options": options or {}, "seed": seed, **more}, of="run")
    runner = RunSetup(Path(items), model, given, silent=True)
    for item in read_items(Path(items)):
        if item.id == item_id:
            return runner.sends([item])[0]
    raise ProbandError(f"has no item {item_id!r}", file=items_path(Path(items)))


def _shown(folder: str | Path, item_id: str, *, runs: Sequence[str | Path]) -> dict[str, Any]:
    """The item, its text, and the answer of every run given (or found next to the items)."""
    path, of_run = answered_items_path(Path(folder)), (Path(folder) / "run.json").exists()
    runs = [folder, *runs] if of_run else runs
    item = next((each for each in read_items(path) if each.id == item_id), None)
    if item is None:
        raise ProbandError(f"has no item {item_id!r}", file=path)
    suite = suites.suite(item.suite)
    if wrong := suite.check(item):
        raise ProbandError(f"item {item.id!r}: {wrong}", file=path)
    around = run_folders(runs) if runs else [note.parent for note in sorted(path.parent.parent.glob("**/run.json"))]
    sha = sha256_file(path) if around else ""
    read = [(each, run) for each in around if (run := read_run(each / "run.json")).items_sha == sha]
    answers = []
    for (place, run), label in zip(read, run_labels([run for _, run in read])):
        if (answer := RunAnswers(place).so_far().get(item_id)) is not None:
            whose = {"label": label, "model": run.model, "solver": run.solver, "run": str(place)}
            right, steps = suite.metric().value(item, answer), steps_of(item, answer)
            answers.append({**whose, "answer": answer, "right": right, **({"steps": steps} if steps else {})})
    return {"item": item, "text": suite.show(item), "answers": answers}


def steps_of(item: Item, answer: Answer) -> dict[str, Any] | None:
    """The sentences of a reply with their verdicts; None where it has none that could be checked."""
    if not answer.text or not suites.suite(item.suite).audit:
        return None
    record = Checkers(known=LOADED).record(reply_to(item, answer.text, given=chosen_answer(item, answer)))
    return record if any(step["verdict"] or step["statements"] for step in record["steps"]) else None


def answered_items_path(folder: Path) -> Path:
    """The items of a folder, or those that its run answered."""
    note = folder / "run.json"
    return items_path(items_of(folder, read_run(note)) if note.exists() else folder)


def wrong_items(folder: Path) -> Iterator[str]:
    """The items that a run got wrong, by name; of items that are right by degrees, those below a half."""
    if not (folder / "run.json").exists():
        raise ProbandError("is not a run; --wrong needs the folder of a run", file=folder)
    (answered,) = item_sets([folder])
    metric = answered.suite.metric()
    values = ((item.id, metric.value(item, answer)) for item, answer in answered.answers(0))
    return (name for name, value in values if value is not None and (value < 0.5) == (metric.better == "high"))


def show_layout(result: Any) -> Iterable[Any]:
    """One item, or several, or the names of some; a prompt byte for byte, without a line end of our own."""
    if isinstance(result, Mapping):
        yield from layout(result)
    elif result and isinstance(result[0], str):
        sys.stdout.write("\n".join(result))
    else:
        yield from some_layout(result) if result and isinstance(result[0], Item) else several_layout(result)


def several_layout(results: Sequence[Mapping[str, Any]]) -> Iterable[Any]:
    for result in results:
        yield f"---- {result['item'].id}"
        yield from layout(result)
        yield ""
    if not results:
        yield "no item is wrong"


def some_layout(items: Sequence[Item]) -> Iterable[Any]:
    rows = [(each.id, each.split, shortened(" ".join(each.prompt.split()), 80)) for each in items]
    yield table(("item", "split", "question"), rows)
    yield "one of them: proband show FOLDER ITEM"


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield result["text"]
    for given in result["answers"]:
        answer = given["answer"]
        score = "" if given["right"] is None else f"  score {given['right']:.2f}"
        score += f"  {answer.status}" if answer.status else ""
        label, solver = given["label"], given["solver"]
        yield f"\n{label if solver in label.split(' · ') else f'{label} ({solver})'}{score}"
        ranked = sorted(zip(answer.scores, result["item"].choices, strict=False), reverse=True)[:BEST]
        if ranked:
            yield table(("", ""), ((f"  {score:10.4f}", choice) for score, choice in ranked))
        for blank in answer.blanks:
            yield f"  {words(blank)}"
        if answer.logprob is not UNSET:
            yield f"  log-probability per token: {answer.logprob:.4f}"
        if "steps" in given:
            yield from steps_layout(given["steps"])
        elif answer.text:
            yield f"  text: {shortened(answer.text, 500)}"


def steps_layout(record: Mapping[str, Any]) -> Iterable[str]:
    """A reply sentence by sentence, each with its verdict and what it states."""
    yield f"  steps: {record['outcome']}"
    for step in record["steps"]:
        sentence = " ".join(record["text"][step["begin"] : step["end"]].split())
        yield f"  {step['verdict'] or '-':12}  {shortened(sentence, 200)}"
        for each in step["statements"]:
            if each["withdrawn"] or each["verdict"] != "stated":
                why = f"instead: {each['instead']}; " if each["instead"] else ""
                since = f"since {'; '.join(each['proof'])}" if each["proof"] else ""
                note = "withdrawn; " if each["withdrawn"] else ""
                yield f"  {'':12}    {each['verdict']}: {each['says']} ({note}{why}{since})".replace(" ()", "")
