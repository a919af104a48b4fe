"""`proband build` and `proband run`, and what they and `proband report` print. `build` has a command per suite, with
the fields of the suite's own dataclass as options; the options of `run` are those of `RunOptions`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cyclopts import App, Group

from proband.cli.commands import EVERYDAY, OPTIONS, command, table, warning
from proband.core.errors import ProbandError
from proband.core.files import figure
from proband.core.plugins import described

BUILD_HELP = """Build the items of a suite: DIR/items.jsonl and DIR/manifest.json.

Options of a suite: proband build SUITE --help

Example: proband build analogy -o items --seed 1"""


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
        from proband.pipeline.build import build

        try:
            suite = suites.suite(name)
        except ProbandError:
            if len(names) == 1:
                raise
            continue  # a plug-in that cannot be imported does not spoil the list
        group = Group(f"Options of {name}", sort_key=2)
        made = command(partial(build, name), build_layout, kind=suite.options, group=group)
        verb.command(made, name=name, help=f"{suite.question}\n\nExample: proband build {name} -o items")
    return verb


def build_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, seed {manifest['seed']}"
    if "licence" not in manifest:  # of a dry run
        yield manifest["counts"]
        return
    skip = {"suite", "seed", "options", "items", "licence", "sha256", "versions"}
    rest = {name: value for name, value in manifest.items() if name not in skip}
    yield {**rest, "licence": manifest["licence"], "sha256": manifest["sha256"]["items.jsonl"]}


# ---- `proband run` ---------------------------------------------------------------------------------------------------


def run(
    items: Path, *, model: str, out: Path, dry_run: bool = False, profile: Path | None = None, **given: Any
) -> Mapping[str, Any]:
    """Run a model on the items; rerun the command to resume.

    Options of the solver: --set NAME=VALUE; options of the kind of model: --model-set NAME=VALUE.

    Example: proband run items -m embedded:mlm -o runs/mlm

    :param items: Folder that `proband build` wrote, or a file of items.
    :param dry_run: Print the number of items, calls and tokens, the time and (with --prices) the cost; send no request.
    """
    from proband.pipeline.run import run_all

    options, forecasts, runs = run_all(items, model=model, out=out, profile=profile, dry_run=dry_run, **given)
    if dry_run:
        return {"forecasts": forecasts}
    made = [scored(folder, run, split=options.split) for folder, run in runs]
    several = {"runs": made, "of": "repetition" if options.repeat > 1 else "prompt", "spread": spread(made)}
    return made[0] if len(made) == 1 else several


def setting_hint(name: str) -> str:
    """How an option is set that is one of a solver or of a kind of model."""
    from proband import models, suites

    def has(kind: type) -> bool:
        return any(field.name == name for field in described(kind))

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
    return {"lowest": min(means), "highest": max(means), "sd": statistics.stdev(means)} if len(means) > 1 else {}


# ---- scores: metric, interval, chance and unread replies, in all and per main tag ------------------------------------


LISTED = 10  # items that failed, by name
HEADER = ("", "score", "95 % interval", "chance", "unread", "n")


def scores_layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """One run, or the runs of several prompts and the spread between them."""
    from proband.pipeline.asking.setup import sum_usage

    if "runs" in made:
        for each in made["runs"]:
            yield from scores_layout(each)
            yield ""
        first = made["runs"][0]["score"]
        rows = [(Path(each["folder"]).name, *figures(each["score"], first["unit"])) for each in made["runs"]]
        yield table((made["of"], *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
        between = {name: figure(value, first["unit"]) for name, value in made["spread"].items()}
        shown = "{lowest} to {highest}, standard deviation {sd}".format(**between) if between else "nothing to compare"
        yield f"between {made['of']}s: {shown}"
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
    yield {name: text for name, text in notes.items() if text or name in ("seed", "answers")}
    if until := made.get("until"):
        last = until["looks"][-1]
        end = "stopped" if until["reached"] else "all items used, the interval is still wider"
        ends = f"[{100 * last['low']:.1f}, {100 * last['high']:.1f}]"
        note = "; the intervals below assume a fixed number of items" if until["reached"] else ""
        yield f"{end}: {100 * last['mean']:.1f} {ends} after {last['items']:,} items, valid at every look{note}"
    for item, failure in errors[:LISTED]:
        yield f"error: item {item!r}: {failure}"
    if len(errors) > LISTED:
        yield f"and {len(errors) - LISTED:,} more: `proband show` gives them, status error in answers.jsonl"
    yield ""
    if score["mean"] is None:
        yield f"{score['title']}: does not apply to these answers"
    else:
        rows = [(line["group"], *figures(line, score["unit"])) for line in (score, *score.get("groups", ()))]
        yield table((score["title"], *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
    if others := score.get("others"):
        yield ""
        rows = [(each["title"], *figures(each, each["unit"])) for each in others]
        yield table((f"other metrics, {score['group']}", *HEADER[1:]), rows, numbers=(1, 3, 4, 5))
    yield from warning(score.get("unread", 0.0))
    if legend := score.get("legend"):
        yield legend
    if constant := score.get("constant"):
        yield f"warning: {constant}"


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


USED = {
    "unparsed": "replies without a letter",
    "cut_off": "replies cut off at the limit",
    "given_up": "abandoned requests (counted as paid)",
    "without_usage": "answers without a token count",
}


def usage_in_words(usage: Mapping[str, float | None]) -> str:
    """For people.

    >>> usage_in_words({"requests": 107.0, "retries": 3.0, "answered": 100.0, "prompt_tokens": 12345.0,
    ...           "completion_tokens": 678.0, "cost": 0.0123, "seconds": 84.0, "longest_seconds": 3.2})
    '107 requests (3 retries), 12,345 tokens in, 678 out, cost 0.0123, 0.84 s per answer (longest 3.2 s)'
    >>> usage_in_words({"requests": 2.0, "prompt_tokens": None, "completion_tokens": None, "without_seed": 1.0})
    '2 requests, tokens unknown (the server does not report them), the server does not accept seed'
    """
    rest, parts = dict(usage), list[str]()
    counted = ("requests", "retries", "answered", "seconds", "longest_seconds")
    requests, retries, answered, seconds, longest = (rest.pop(name, None) or 0.0 for name in counted)
    if requests:
        again = f" ({retries:,.0f} retries)" if retries else ""
        parts.append(f"{requests:,.0f} request{'s' * (requests != 1)}{again}")
    if "prompt_tokens" in rest:
        read, written = rest.pop("prompt_tokens"), rest.pop("completion_tokens")
        unknown = read is None or written is None
        tokens = "tokens unknown (the server does not report them)"
        parts.append(tokens if unknown else f"{read:,.0f} tokens in, {written:,.0f} out")
    if "cost" in rest:
        cost = rest.pop("cost")
        parts.append("cost not known" if cost is None else f"cost {cost:,.4f}")
    if seconds and answered:
        parts.append(f"{seconds / answered:.2g} s per answer (longest {longest:.2g} s)")
    for name, value in rest.items():
        if name.startswith("without_") and name not in USED and value:
            parts.append(f"the server does not accept {name.removeprefix('without_')}")
        elif value != 0:
            shown = "not known" if value is None else f"{value:,.10g}"
            parts.append(f"{USED.get(name, name.replace('_', ' '))} {shown}")
    return ", ".join(parts)


def report_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """The main findings, the main metric of each model, the counts and the page."""
    yield from result.get("sentences", ())
    if lines := result.get("scores"):
        named = {"mean": "score", "interval": "95 % interval", "asked": "solver"}
        names = list(dict.fromkeys(name for line in lines for name in line))
        rows = ([f"{100 * line[n]:.1f} %" if n == "unread" else line.get(n, "") for n in names] for line in lines)
        numbers = [at for at, name in enumerate(names) if name in ("mean", "chance", "n", "unread", "shortcut wrong")]
        yield ""
        yield table([named.get(name, name) for name in names], rows, numbers=numbers)
        yield ""
    yield {name: value for name, value in result.items() if name not in ("sentences", "scores", "page")}
    yield f"open {result['page']}"
