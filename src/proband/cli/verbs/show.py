"""`proband show`, and what it and `proband list` print."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import UNSET

from proband.cli.arguments_and_output import shortened, table, words
from proband.core.errors import ProbandError
from proband.core.types import Item

SHORT = 8  # names of each kind in a list
BEST = 5  # choices shown per answer


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


def show(
    folder: Path,
    item_id: str = "",
    /,
    *,
    wrong: int | None = None,
    runs: Annotated[Sequence[Path], Parameter(consume_multiple=True)] = (),
    prompt: bool = False,
    model: str | None = None,
    solver: str | None = None,
    options: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Any:
    """Show one item: its text, its proof or alignment, and the answer of every run.

    Example: proband show items ITEM_ID

    :param folder: Folder of items or of a run.
    :param item_id: Name of the item (default: list some).
    :param wrong: Of a run: show N items that it got wrong.
    :param runs: Runs to read (default: those next to the items).
    :param prompt: Print exactly what the model of -m would be sent, instead of the item.
    :param options: Option of the solver, such as prompt=FILE or shots=3; repeatable.
    """
    from proband.pipeline.run import prompt_of
    from proband.pipeline.show import show, some_items, wrong_items

    if wrong is not None:
        return [show(folder, name, runs=[folder]) for name in wrong_items(folder, count=wrong)]
    if not item_id:
        return some_items(folder)
    if prompt and model is None:
        raise ProbandError("--prompt needs the model that it is for: -m MODEL")
    if model is not None:
        return prompt_of(folder, item_id, model=model, solver=solver, options=options, seed=seed)
    return show(folder, item_id, runs=runs)


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
            if each["withdrawn"] or each["verdict"] != "told":
                why = f"instead: {each['instead']}; " if each["instead"] else ""
                since = f"since {'; '.join(each['proof'])}" if each["proof"] else ""
                note = "withdrawn; " if each["withdrawn"] else ""
                yield f"  {'':12}    {each['verdict']}: {each['says']} ({note}{why}{since})".replace(" ()", "")
