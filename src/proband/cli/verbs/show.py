"""`proband show`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from msgspec import UNSET

from proband.cli.arguments_and_output import (
    Flag,
    Json,
    MaybeCount,
    Pairs,
    Seed,
    give,
    settings,
    shortened,
    table,
    words,
)
from proband.core.errors import ProbandError
from proband.core.types import Item

# ---- `proband list` ------------------------------------------------------------------------------------------------


Kind = Literal["suites", "models", "nets", "solvers", "prompts", "verbs", "tasks", "variations", "studies"]


def list_(what: Kind | None = None, /, *, json: Json = False) -> None:
    """List suites, models, nets, solvers, prompts, studies, and the verbs, tasks and variations of suites; of one kind,
    with descriptions and options.

    Example: proband list solvers

    :param what: List one kind only, with its options.
    """
    from proband.pipeline.show import listing

    outcome = listing()
    if what is None and not json:
        give(outcome, overview, json=False)
    else:
        give(outcome if what is None else {str(what): outcome[what]}, list_layout, json=json)


def overview(result: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[Any]:
    """A line per suite, and of all other kinds their names, as many as fit into a few lines."""
    yield "suites"
    yield table(("", ""), [(f"  {row['name']}", row["what"]) for row in result["suites"]])
    for title, rows in result.items():
        if title != "suites":
            names = list(dict.fromkeys(row["name"] for row in rows))
            more = f", and {len(names) - SHORT} more" if len(names) > SHORT else ""
            yield f"{title} ({len(names)}): {', '.join(names[:SHORT])}{more}"
    yield "with explanations and options: proband list suites, proband list models, ..."


SHORT = 8  # names of each kind


def list_layout(result: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[Any]:
    """Every entry; of one kind alone with the options below it."""
    for title, rows in result.items():
        lines: list[tuple[str, str]] = []
        for row in rows:
            lines.append((f"  {row['name']}", row["what"]))
            options = row.get("options", ()) if len(result) == 1 else ()
            lines += [(f"    {option['name']}", describe_option(option)) for option in options]
        yield title
        yield table(("", ""), lines or [("  none", "")])


def describe_option(option: Mapping[str, Any]) -> str:
    """
    >>> describe_option({"name": "norm", "help": "divide by", "choices": ["sum", "token"], "default": "sum"})
    'divide by [sum | token] (default: sum)'
    """
    choices = f" [{' | '.join(option['choices'])}]" if option["choices"] else ""
    default = "" if option["default"] in (None, "", False) else f" (default: {words(option['default'])})"
    return f"{option['help']}{choices}{default}".strip()


# --------------------------------------------------------------------------------------------------------------------


BEST = 5  # choices shown per answer


def show(
    folder: Path,
    item_id: str = "",
    /,
    *,
    wrong: MaybeCount = None,
    runs: Annotated[Sequence[Path], Parameter(metavar="RUNDIR", consume_multiple=True)] = (),
    prompt: Flag = False,
    model: Annotated[str | None, Parameter(name=("--model", "-m"), metavar="MODEL")] = None,
    solver: Annotated[str | None, Parameter(name=("--solver", "-s"), metavar="SOLVER")] = None,
    set: Pairs = (),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Show one item: its text, its proof or alignment, and the answer of every run.

    Example: proband show items ITEM_ID

    :param folder: Folder of items or of a run.
    :param item_id: Name of the item (default: list some).
    :param wrong: Of a run: show N items that it got wrong.
    :param runs: Runs to read (default: those next to the items).
    :param prompt: Print exactly what the model of -m would be sent, instead of the item.
    :param model: KIND:NAME, as for `proband run`.
    :param solver: Solver, as for `proband run`.
    :param set: Option of the solver, such as prompt=FILE or shots=3; repeatable.
    """
    from proband.pipeline.run import prompt_of
    from proband.pipeline.show import show, some_items, wrong_items

    if wrong is not None:
        items = [show(folder, name, runs=[folder]) for name in wrong_items(folder, count=wrong)]
        give(items, several_layout, json=json)
    elif not item_id:
        give(some_items(folder), some_layout, json=json)
    elif prompt and model is None:
        raise ProbandError("--prompt needs the model that it is for: -m MODEL")
    elif model is not None:
        texts = prompt_of(folder, item_id, model=model, solver=solver, options=settings(set), seed=seed)
        if json:
            give(texts, iter, json=True)
        else:
            sys.stdout.write("\n".join(texts))  # byte for byte, without a line end of our own
    else:
        give(show(folder, item_id, runs=runs), layout, json=json)


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
