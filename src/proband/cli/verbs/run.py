"""`proband run`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from proband.cli.arguments_and_output import (
    Count,
    Engine,
    Flag,
    Items,
    Json,
    Loud,
    MaybeCount,
    Out,
    Pairs,
    Seed,
    fields,
    figure,
    give,
    settings,
    table,
    warning,
)
from proband.core.errors import ProbandError


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Asking:
    """How the model is asked."""

    solver: Annotated[
        str | None,
        Parameter(
            name=("--solver", "-s"),
            metavar="SOLVER",
            help="Way of asking; `proband list solvers` names them (default: what the suite lists first for the model; "
            "generate only where it can be asked in no other way, or with an option of generate).",
        ),
    ] = None
    set: Annotated[
        Pairs, Parameter(metavar="NAME=VALUE", help="Option of the solver (`proband list solvers`); repeatable.")
    ] = ()
    split: Annotated[
        str,
        Parameter(
            metavar="SPLIT",
            help="Items to ask and score: train, valid, test, several with commas, or all (default: test; valid where "
            "there is no test; train where there is neither).",
        ),
    ] = ""
    limit: Annotated[
        MaybeCount, Parameter(help="Run on a sample of N of these items, stratified by the suite's tags.")
    ] = None
    too_long: Annotated[
        Literal["fail", "skip", "cut-left"],
        Parameter(
            help="What to do with an item that exceeds the model's context window: stop and name it, leave it out, or "
            "cut off its beginning."
        ),
    ] = "fail"
    repeat: Annotated[
        Count,
        Parameter(
            help="Ask everything N times, each with a seed of its own, in subfolders repeat-1, ...: for models that "
            "sample (--set temperature=0.7). The report has how often answers agree, and pass^k."
        ),
    ] = 1
    label: Annotated[
        str, Parameter(metavar="NAME", help="Name of this run in reports (default: model, solver and what differs).")
    ] = ""
    on_error: Annotated[
        Literal["fail", "record"],
        Parameter(
            help="What to do with an item that the model or its server cannot answer: stop and name it, or record an "
            "error, which counts as wrong, and go on."
        ),
    ] = "fail"
    max_errors: Annotated[
        str, Parameter(metavar="N|P%", help="With --on-error record: stop when more than N items, or P %, have failed.")
    ] = "10%"
    no_cache: Annotated[Flag, Parameter(help="Do not read or write the answer cache.")] = False
    dry_run: Annotated[
        Flag,
        Parameter(
            help="Print the number of items, calls and tokens (with --prices, the cost) and how many answers the cache "
            "has already; ask nothing."
        ),
    ] = False

    def of_the_run(self) -> dict[str, Any]:
        """The options of a run (`RunOptions`) among these."""
        names = ("split", "limit", "too_long", "label", "on_error", "max_errors")
        return {**{name: getattr(self, name) for name in names}, "cache": not self.no_cache}


@Parameter(name="*", group=Group("Prompting (solvers generate, choose)", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Prompting:
    """What a model reads that replies in words."""

    prompt: Annotated[
        Sequence[str],
        Parameter(
            metavar="NAME|FILE",
            help="Jinja template: a shipped one (`proband list prompts`) or a file; repeatable: one run per prompt, in "
            "subfolders of their names; all: the default one and every rewording that ships; FILE.txt: a file of "
            "rewordings, one instruction a line.",
        ),
    ] = ()
    prompts_per_item: Annotated[
        MaybeCount, Parameter(help="Ask each item with N of the prompts, drawn at random and balanced, instead of all.")
    ] = None
    shots: Annotated[
        int | None,
        Parameter(
            metavar="N",
            validator=Number(gte=0),
            help="Put N solved items of the train split before each question, none that shares a cluster with it.",
        ),
    ] = None
    shots_from: Annotated[
        Path | None, Parameter(metavar="DIR", help="Take these examples from the train split of another folder.")
    ] = None
    think: Annotated[Flag, Parameter(help="Ask for step-by-step reasoning with the answer on a last line.")] = False
    system: Annotated[str | None, Parameter(metavar="TEXT", help="System message, sent before the question.")] = None
    max_tokens: Annotated[
        MaybeCount,
        Parameter(
            help="Cut replies at N tokens (default: 256; 4,096 for endpoints and models that reason by themselves; "
            "1,024 for choose)."
        ),
    ] = None

    logprobs: Annotated[
        Flag,
        Parameter(
            help="Keep the mean log-probability of each reply's tokens in answers.jsonl, where an endpoint gives it."
        ),
    ] = False

    def given(self) -> dict[str, Any]:
        """The options of the solver that the user has set, without the prompt."""
        given = {name.replace("_", "-"): value for name, value in dataclasses.asdict(self).items()}
        del given["prompt"], given["prompts-per-item"]
        return {name: value for name, value in given.items() if value}


@Parameter(name="*", group=Group("Loading the model", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class Loading:
    """How the model is loaded."""

    device: Annotated[
        str | None, Parameter(metavar="DEVICE", help="cpu, cuda, cuda:1 (default: a GPU if there is one).")
    ] = None
    dtype: Annotated[
        str | None,
        Parameter(metavar="DTYPE", help="float32, bfloat16, float16 (default: float32 on a CPU, bfloat16 on a GPU)."),
    ] = None
    batch: Annotated[MaybeCount, Parameter(help="Sequences per batch (default: chosen automatically).")] = None
    revision: Annotated[str | None, Parameter(metavar="REV", help="Revision of a Hugging Face model.")] = None
    allow_pickle: Annotated[Flag, Parameter(help="Also load pickled weights, which can run code.")] = False
    prices: Annotated[
        str | None,
        Parameter(metavar="IN,OUT", help="Price of an endpoint per million input and output tokens, as 0.15,0.6."),
    ] = None
    max_cost: Annotated[
        float | None,
        Parameter(
            metavar="COST",
            validator=Number(gt=0),
            help="Stop before the run, all its processes together, costs more than this by --prices.",
        ),
    ] = None
    rpm: Annotated[
        float | None,
        Parameter(metavar="N", validator=Number(gt=0), help="Send an endpoint at most N requests a minute."),
    ] = None
    model_set: Annotated[
        Pairs,
        Parameter(
            metavar="NAME=VALUE",
            help="Option of the kind of model (`proband list models`), such as concurrency=4 of openai: or "
            "phrases=none of vec:; repeatable.",
        ),
    ] = ()

    def given(self) -> dict[str, Any]:
        """What the user said; the rest is the model's default."""
        given = {name: value for name, value in dataclasses.asdict(self).items() if name != "model_set" and value}
        return {**given, **settings(self.model_set, "--model-set")}


def run(
    items: Items,
    /,
    *,
    model: Annotated[
        str, Parameter(name=("--model", "-m"), metavar="MODEL", help="KIND:NAME; see `proband list models`.")
    ],
    out: Out,
    asking: Asking = Asking(),  # noqa: B008
    prompting: Prompting = Prompting(),  # noqa: B008
    seed: Seed = 0,
    engine: Engine = Engine(),  # noqa: B008
    loading: Loading = Loading(),  # noqa: B008
    loud: Loud = Loud(),  # noqa: B008
    json: Json = False,
) -> None:
    """Run a model on the items; rerun the command to resume.

    Options of the solver: --set NAME=VALUE; options of the kind of model: --model-set NAME=VALUE.

    Example: proband run items -m embedded:mlm -o runs/mlm
    """
    loud.set()
    prompts, turns = _prompts(items, prompting)
    given = {**prompting.given(), **settings(asking.set)}
    options = {prompt: {**given, "prompt": prompt} if prompt else given for prompt in prompts}
    how = {
        **asking.of_the_run(),
        **dataclasses.asdict(engine),
        "model": model,
        "solver": asking.solver or ("generate" if prompting.given() or prompting.prompt else None),
        "seed": seed,
        "model_options": loading.given(),
    }
    if asking.dry_run:
        from proband.pipeline.run import dry_run

        folder = out if len(prompts) == 1 else None
        give([dry_run(items, out=folder, **how, options=each) for each in options.values()], dry_run_layout, json=json)
        return
    folders = _folders(prompts, out, asking.repeat)
    made = [
        run_and_score(items, out=folder, **{**how, "seed": seed + number}, turn=turns[prompt], options=options[prompt])
        for (prompt, number), folder in folders.items()
    ]
    give(made[0] if len(made) == 1 else {"runs": made, "spread": spread(made)}, scores_layout, json=json)


def _prompts(items: Path, prompting: Prompting) -> tuple[Mapping[str, str], dict[str, Any]]:
    """The prompts one by one with their short names, and of each its turn where they share the items out."""
    from proband.pipeline.asking.items_and_answers import Turn
    from proband.pipeline.run import prompts_of

    prompts, each = prompts_of(items, prompting.prompt) or {"": ""}, prompting.prompts_per_item
    if each is not None and not each < len(prompts):
        raise ProbandError(
            f"--prompts-per-item {each}: must be fewer than the prompts, of which there are {len(prompts)}"
        )
    turns = {p: None if each is None else Turn(place, len(prompts), each) for place, p in enumerate(prompts)}
    return prompts, turns


def _folders(prompts: Mapping[str, str], out: Path, repeat: int) -> dict[tuple[str, int], Path]:
    """Of each prompt and repetition, the folder of its run."""
    if len(set(prompts.values())) < len(prompts):
        raise ProbandError("two prompts have the same name, and so would have the same folder")
    if repeat == 1:
        return {(prompt, 0): out / name if len(prompts) > 1 else out for prompt, name in prompts.items()}
    if len(prompts) > 1:
        raise ProbandError("--repeat is for one prompt: name one, or ask with several prompts once")
    return {(prompt, number): out / f"repeat-{number + 1}" for prompt in prompts for number in range(repeat)}


def run_and_score(items: Path, *, out: Path, **how: Any) -> dict[str, Any]:
    """A run with its score."""
    from msgspec.structs import asdict

    from proband.pipeline.report import score
    from proband.pipeline.run import run

    made = run(items, out=out, **how)
    result = score(out, split=how["split"])
    names = ("answers", "skipped", "uncovered", "withheld", "errors")
    counts: dict[str, Any] = {name: result.pop(name) for name in names if name in result}
    return {**asdict(made), **counts, "score": result}


def spread(made: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Lowest and highest score over the prompts, and the standard deviation."""
    import statistics

    means = [each["score"]["mean"] for each in made if each["score"]["mean"] is not None]
    if len(means) < 2:
        return {}
    return {"lowest": min(means), "highest": max(means), "sd": statistics.stdev(means)}


def dry_run_layout(plans: Sequence[Mapping[str, Any]]) -> Iterable[Any]:
    """What a dry run says."""
    for plan in plans:
        counted = plan.get("counted", True)
        hidden = ("counted", "tokens out", "cost", "cached", "probe")
        shown = {name: value for name, value in plan.items() if name not in hidden}
        if plan["calls"] is None:
            shown |= {"calls": "not known for this solver", "tokens in": "not known"}
        else:
            cached = f" ({plan['cached']:,} more are in the cache)" if plan["cached"] else ""
            probe = ", and one request to see what the server can do" if plan.get("probe") else ""
            shown["calls"] = f"{plan['calls']:,}{cached}{probe}"
        if plan["calls"] is not None and not counted:
            shown["tokens in"] = f"{plan['tokens in']:,} (estimated: 4 characters each)"
        if plan.get("tokens out"):
            shown["tokens out"] = f"{plan['tokens out']:,} at most"
        if "cost" in plan:
            shown["cost"] = f"{plan['cost']:,.4f} at most"
        yield fields(shown)


# ---- scores: metric, interval, chance and unread replies, in all and per main tag ------------------------------------


LISTED = 10  # items that failed, by name
HEADER = ("", "score", "95 % interval", "chance", "unread", "n")


def scores_layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """One run, or the runs of several prompts and the spread between them."""
    from proband.pipeline.asking.engines import usage_in_words

    if "runs" in made:
        for each in made["runs"]:
            yield from scores_layout(each)
            yield ""
        first = made["runs"][0]["score"]
        rows = [(each["settings"].get("prompt", ""), *figures(each["score"], first["unit"])) for each in made["runs"]]
        yield table(("prompt", *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
        yield spread_in_words(made["spread"], first["unit"])
        return
    score, errors = made["score"], made.get("errors") or ()
    notes = {
        **{name: made[name] for name in ("suite", "model", "solver", "seed", "answers")},
        "prompt": made["settings"].get("prompt"),
        "skipped": made.get("skipped") and f"{made['skipped']:,} (not asked, not counted)",
        "not covered": made.get("uncovered") and f"{made['uncovered']:,} (unknown to the model, not counted)",
        "withheld": made.get("withheld") and f"{made['withheld']:,} (by a filter; count as wrong)",
        "errors": errors and f"{len(errors):,} (count as wrong)",
        "summary": made["summary"].get("in_words"),
        "usage": usage_in_words(made["usage"]),
    }
    yield fields({name: text for name, text in notes.items() if text or text == 0})
    for item, how in errors[:LISTED]:
        yield f"error: item {item!r}: {how}"
    if len(errors) > LISTED:
        yield f"and {len(errors) - LISTED:,} more: `proband show` gives them, status error in answers.jsonl"
    yield ""
    if score["mean"] is None:
        yield f"{score['title']}: does not apply to these answers"
    else:
        yield table((score["title"], *HEADER[1:]), rows_of(score), numbers=(1, 3, 4, 5))
    if others := score.get("others"):
        yield ""
        rows = [(each["title"], *figures(each, each["unit"])) for each in others]
        yield table((f"other metrics, {score['group']}", *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
    yield from warning(score.get("unread", 0.0))


def rows_of(score: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for line in (score, *score.get("groups", ())):
        yield (line["group"], *figures(line, score["unit"]))


def figures(line: Mapping[str, Any], unit: str) -> tuple[str, ...]:
    """
    >>> figures({"mean": 0.5, "low": 0.4, "high": 0.6, "few": False, "chance": 0.25, "unread": 0.02, "n": 90}, "share")
    ('50.0 %', '[40.0, 60.0]', '25.0', '2.0 %', '90')
    """
    if line["mean"] is None:
        return ("", "", "", "", "0")
    interval = "too few to tell" if line.get("few") else f"[{figure(line['low'], unit)}, {figure(line['high'], unit)}]"
    chance = "" if line["chance"] is None else figure(line["chance"], unit)
    mean = f"{figure(line['mean'], unit)} {'%' if unit == 'share' else unit}"
    return (mean, interval, chance, f"{100 * line.get('unread', 0.0):.1f} %", f"{line['n']:,}")


def spread_in_words(spread: Mapping[str, float], unit: str) -> str:
    """
    >>> spread_in_words({"lowest": 0.2, "highest": 0.3, "sd": 0.05}, "share")
    'between prompts: 20.0 to 30.0, standard deviation 5.0'
    """
    if not spread:
        return "between prompts: nothing to compare"
    low, high, sd = (figure(spread[name], unit) for name in ("lowest", "highest", "sd"))
    return f"between prompts: {low} to {high}, standard deviation {sd}"
