"""`proband build`, `proband run` and `proband report`: the way of an item. `build` has a command per suite, with the
fields of the suite's own dataclass as options; the options of `run` are those of `RunOptions`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter

from proband.cli.arguments_and_output import (
    EVERYDAY,
    OPTIONS,
    Flag,
    Force,
    Items,
    Json,
    Out,
    Profile,
    Scored,
    Seed,
    VerbosityOptions,
    fields,
    give,
    given_options,
    parameters,
    table,
    warning,
)
from proband.core.errors import ProbandError
from proband.core.files import figure

if TYPE_CHECKING:
    from proband.pipeline.run import Forecast

BUILD_HELP = """Build the items of a suite: DIR/items.jsonl and DIR/manifest.json.

Options of a suite: proband build SUITE --help

Example: proband build analogy -o items --seed 1"""


Replace = Annotated[Flag, Parameter(name="--force", help="Replace another build in that folder.")]


def build_commands(names: Sequence[str]) -> App:
    """The verb with these suites."""
    usage = "Usage: proband build SUITE --out DIR [OPTIONS]"
    verb = App(
        name="build",
        help=BUILD_HELP,
        usage=usage,
        group=EVERYDAY,
        group_commands=Group("Suites"),
        group_parameters=OPTIONS,
        sort_key=0.5,
    )
    for name in names:
        from proband import suites

        try:
            suite = suites.suite(name)
        except ProbandError:
            if len(names) == 1:
                raise
            continue  # a plug-in that cannot be imported does not spoil the list
        verb.command(
            build_command(suite), name=name, help=f"{suite.question}\n\nExample: proband build {name} -o items"
        )
    return verb


def build_command(suite: Any) -> Any:
    """`build` with the suite's options as keyword arguments, each as text that `read_options` converts."""

    def build(
        *, out: Out, seed: Seed = 0, force: Replace = False, json: Json = False, profile: Profile = None, **given: Any
    ) -> None:
        from proband.pipeline.build import build

        chosen = given_options(suite.options, given)
        give(build(suite.name, out=out, seed=seed, force=force, profile=profile, **chosen), build_layout, json=json)

    *shared, _ = inspect.signature(build, eval_str=True).parameters.values()
    own = parameters(suite.options, group=Group(f"Options of {suite.name}", sort_key=2), negatives=True)
    build.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    return build


def elsewhere_in_build(suite: str, name: str) -> str:
    """How an option of a suite is set that only a profile file has."""
    from proband import suites
    from proband.core.plugins import described

    rare = suite in suites.names() and any(field.name == name for field in described(suites.suite(suite).options))
    return f"a profile file sets it: {name} = ..., with --profile FILE" if rare else ""


def build_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, seed {manifest['seed']}"
    skip = {"suite", "seed", "options", "items", "licence", "sha256", "versions"}
    rest = {name: value for name, value in manifest.items() if name not in skip}
    yield fields({**rest, "licence": manifest["licence"], "sha256": manifest["sha256"]["items.jsonl"]})


# ---- `proband run` ---------------------------------------------------------------------------------------------------


def run(
    items: Items,
    /,
    *,
    model: Annotated[
        str,
        Parameter(
            name=("--model", "-m"),
            metavar="MODEL",
            help="KIND:NAME; see `proband list models`.",
            completer=lambda _: model_names(),
        ),
    ],
    out: Out,
    dry_run: Annotated[
        Flag,
        Parameter(
            help="Print the number of items, calls and tokens, the time and (with --prices) the cost, and how many "
            "answers the cache has already; ask no server."
        ),
    ] = False,
    profile: Profile = None,
    verbosity: VerbosityOptions = VerbosityOptions(),  # noqa: B008
    json: Json = False,
    **given: Any,
) -> None:
    """Run a model on the items; rerun the command to resume.

    Options of the solver: --set NAME=VALUE; options of the kind of model: --model-set NAME=VALUE.

    Example: proband run items -m embedded:mlm -o runs/mlm
    """
    from proband.core.plugins import read_options, with_profile
    from proband.pipeline.run import forecasts, run_all
    from proband.pipeline.run_options import RunOptions

    verbosity.set()
    how = read_options(RunOptions, with_profile(given_options(RunOptions, given), profile), of="run")
    if dry_run:
        each = forecasts(items, model=model, out=out, options=how)
        give({"runs": each}, lambda made: dry_run_layout(made["runs"]), json=json)
        return
    made = [scored(folder, run, split=how.split) for folder, run in run_all(items, model=model, out=out, options=how)]
    of = "repetition" if how.repeat > 1 else "prompt"
    several = {"runs": made, "of": of, "spread": spread(made)}
    give(made[0] if len(made) == 1 else several, scores_layout, json=json)


def model_names() -> list[str]:
    """What may stand behind -m, as far as it has a name: for completion."""
    from proband.pipeline.show import listing

    return [row["name"] for row in listing()["models"]]


@cache
def with_options() -> None:
    """The options of a run among the keywords of the verb."""
    from proband.pipeline.run_options import RunOptions

    items, model, out, *rest, _ = inspect.signature(run, eval_str=True).parameters.values()
    options = parameters(RunOptions, group=OPTIONS)
    run.__signature__ = inspect.Signature([items, model, out, *options, *rest])  # type: ignore[attr-defined]


def elsewhere_in_run(name: str) -> str:
    """How an option is set that is one of a solver or of a kind of model, or that only a profile file has."""
    from proband import models, suites
    from proband.core.plugins import described
    from proband.pipeline.run_options import RunOptions

    def has(kind: type) -> bool:
        return any(field.name == name for field in described(kind))

    if has(RunOptions):
        return f"a profile file sets it: {name} = ..., with --profile FILE"
    if any(has(solver.options) for suite in suites.importable() for solver in suite.solvers):
        return f"an option of a solver: --set {name}=..."
    if any(has(each.options) for kind in models.kinds() if (each := models.kind_of(kind)) is not None):
        return f"an option of a kind of model: --model-set {name}=..."
    return ""


def scored(folder: Path, run: Any, *, split: str) -> dict[str, Any]:
    """A run with its score."""
    from msgspec.structs import asdict

    from proband.core.files import read_json
    from proband.pipeline.report import score

    result = score(folder, split=split)
    names = ("answers", "skipped", "uncovered", "withheld", "errors")
    counts: dict[str, Any] = {name: result.pop(name) for name in names if name in result}
    until = read_json(folder / "until.json") if (folder / "until.json").exists() else {}
    return {**asdict(run), "folder": str(folder), **counts, "score": result, **({"until": until} if until else {})}


def spread(made: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Lowest and highest score over the prompts or repetitions, and the standard deviation."""
    import statistics

    means = [each["score"]["mean"] for each in made if each["score"]["mean"] is not None]
    if len(means) < 2:
        return {}
    return {"lowest": min(means), "highest": max(means), "sd": statistics.stdev(means)}


def dry_run_layout(forecasts: Sequence[Forecast]) -> Iterable[Any]:
    """What a dry run says: each run in a line, then the command as a whole."""
    from proband.pipeline.run import total_of

    total = total_of(forecasts)
    if len(forecasts) > 1:
        rows = [(each.prompt, each.items, each.calls, each.tokens_in, each.tokens_out, each.cost) for each in forecasts]
        yield table(("run", "items", "calls", "tokens in", "tokens out", "cost"), rows, numbers=(1, 2, 3, 4, 5))
        yield ""
        yield f"all {len(forecasts)} runs:"
    yield fields(forecast_in_words(total))


def forecast_in_words(total: Forecast) -> dict[str, str | int]:
    shown: dict[str, str | int] = {
        "suite": total.suite,
        "model": total.model,
        "solver": total.solver,
        "items": total.items,
    }
    shown |= {"answered": total.answered} if total.answered else {}
    if total.calls is None:
        return {**shown, "calls": "not known for this solver", "tokens in": "not known"}
    cached = f" ({total.cached:,} more are in the cache)" if total.cached else ""
    estimated = "" if total.tokens_counted else " (estimated: 4 characters each)"
    shown |= {"calls": f"{total.calls:,}{cached}", "tokens in": f"{total.tokens_in:,}{estimated}"}
    shown |= {"tokens out": f"{total.tokens_out:,} at most"} if total.tokens_out else {}
    shown |= {"cost": f"{total.cost:,.4f} at most"} if total.cost is not None else {}
    return shown | {"time": duration(total.seconds)}


def duration(seconds: float | None) -> str:
    """
    >>> duration(40.2), duration(600), duration(9000), duration(None)
    ('about 40 s', 'about 10 min', 'about 2.5 h', 'not known before the first answers')
    """
    if seconds is None:
        return "not known before the first answers"
    return (
        f"about {seconds:.0f} s"
        if seconds < 120
        else f"about {seconds / 60:.0f} min"
        if seconds < 7200
        else (f"about {seconds / 3600:.1f} h")
    )


# ---- scores: metric, interval, chance and unread replies, in all and per main tag ------------------------------------


LISTED = 10  # items that failed, by name
HEADER = ("", "score", "95 % interval", "chance", "unread", "n")


def scores_layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """One run, or the runs of several prompts and the spread between them."""
    from proband.pipeline.asking.setup import sum_usage, usage_in_words

    if "runs" in made:
        for each in made["runs"]:
            yield from scores_layout(each)
            yield ""
        first = made["runs"][0]["score"]
        rows = [(Path(each["folder"]).name, *figures(each["score"], first["unit"])) for each in made["runs"]]
        yield table((made["of"], *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
        yield spread_in_words(made["spread"], first["unit"], of=made["of"])
        if usage := usage_in_words(sum_usage([each["usage"] for each in made["runs"]])):
            yield f"all {len(made['runs'])} runs: {usage}"
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
    yield fields({name: text for name, text in notes.items() if text or name in ("seed", "answers")})
    if until := made.get("until"):
        last = until["looks"][-1]
        end = "stopped" if until["reached"] else "all items asked, the interval is wider"
        ends = f"[{100 * last['low']:.1f}, {100 * last['high']:.1f}]"
        yield f"{end}: {100 * last['mean']:.1f} {ends} after {last['items']:,} items, valid at each of the looks"
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
    if legend := score.get("legend"):
        yield legend
    if constant := score.get("constant"):
        yield f"warning: {constant}"


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


def spread_in_words(spread: Mapping[str, float], unit: str, *, of: str = "prompt") -> str:
    """
    >>> spread_in_words({"lowest": 0.2, "highest": 0.3, "sd": 0.05}, "share")
    'between prompts: 20.0 to 30.0, standard deviation 5.0'
    """
    if not spread:
        return f"between {of}s: nothing to compare"
    low, high, sd = (figure(spread[name], unit) for name in ("lowest", "highest", "sd"))
    return f"between {of}s: {low} to {high}, standard deviation {sd}"


# ---- `proband report` ------------------------------------------------------------------------------------------------


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Contents:
    """What the report holds."""

    title: Annotated[str | None, Parameter(metavar="TEXT", help="Title of the report.")] = None
    analyses: Annotated[
        str, Parameter(metavar="NAMES", help="The suite's analyses to write, with commas, or all (default: the usual).")
    ] = ""
    claims: Annotated[Flag, Parameter(help="Test the claims of the suite's paper, with the runs that each needs.")] = (
        False
    )
    leaderboard: Annotated[
        Flag, Parameter(help="One page of models and item sets, with ranks and groups, to be hosted as it is.")
    ] = False

    def given(self) -> dict[str, Any]:
        names = [name.strip() for name in self.analyses.split(",") if name.strip()] or None
        what = {"leaderboard": True} if self.leaderboard else {"analyses": names, "claims": self.claims}
        return {"title": self.title, **what}


def report(
    runs: Annotated[Sequence[Path], Parameter(help="Run folders, or folders that contain them.")],
    /,
    *,
    out: Out,
    contents: Contents = Contents(),
    scored: Scored = Scored(),  # noqa: B008
    force: Force = False,
    json: Json = False,
) -> None:
    """Write index.html, tables (md, tex, csv) and figures for any number of runs; opens from disk, offline.

    Example: proband report runs -o report
    """
    from proband.pipeline.report import report

    made = report(runs, out=out, force=force, **contents.given(), **asdict(scored))
    give(made, board_layout if contents.leaderboard else report_layout, json=json)


def board_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """Every model on every item set, the counts and the page."""
    names = ("items", "model", "metric", "mean", "interval", "group", "rank", "n", "asked")
    head = (*names[:-1], "asked by")
    yield table(head, ([line[name] for name in names] for line in result["scores"]), numbers=(3, 7))
    yield fields({name: value for name, value in result.items() if name not in ("scores", "page")})
    yield f"open {result['page']}"


def report_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What stands out, the main metric of each model, the counts and the page."""
    yield from result.get("sentences", ())
    if lines := result.get("scores"):
        names = ("items", "split", "model", "metric", "mean", "interval", "chance", "n")
        more = ("shortcut wrong",) if any("shortcut wrong" in line for line in lines) else ()
        more = (*more, "asked")
        rows = (
            [*(line[name] for name in names), f"{line['unread']:.1%}", *(line.get(name, "") for name in more)]
            for line in lines
        )
        yield ""
        head = (
            *names[:5],
            "95 % interval",
            *names[6:],
            "unread",
            *("where the best shortcut is wrong" for _ in more[1:]),
            "asked by",
        )
        yield table(head, rows, numbers=(4, *range(6, len(head) - 1)))
        yield ""
    yield fields({name: value for name, value in result.items() if name not in ("sentences", "scores", "page")})
    yield f"open {result['page']}"
