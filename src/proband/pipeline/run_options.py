"""The options of a run, declared once: the command line, profile files, the [[run]] of a study, the keywords of
`proband.run` and what run.json records are made of this dataclass.

An option of the solver or of the kind of model is none of these: they are in `options` (--set) and `model_options`
(--model-set), and their own dataclasses say what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from proband.core.plugins import Meta, OnCommandLine

OnError = Literal["fail", "record"]
TooLongChoice = Literal["fail", "skip", "cut-left"]
Count = Annotated[int, Meta(ge=1)]
PAIRS = OnCommandLine(metavar="NAME=VALUE")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of a run; run.json records those that determine its answers."""

    solver: Annotated[
        str | None,
        Meta(
            description="Solver; see `proband list solvers` (default: the first of the suite that fits the model; "
            "`generate` only if no other fits, or if one of its options is set)."
        ),
        OnCommandLine(short="-s", metavar="SOLVER"),
    ] = None
    options: Annotated[
        Mapping[str, Any],
        Meta(
            description="Option of the solver, such as shots=4 or max-tokens=64 (`proband list solvers`); repeatable."
        ),
        replace(PAIRS, name="--set"),
    ] = field(default_factory=dict)
    prompt: Annotated[
        tuple[str, ...],
        Meta(
            description="Jinja template: a shipped one (`proband list prompts`) or a file; repeatable: one run per "
            "prompt, in subfolders of their names; all: the default one and every rewording that ships; FILE.txt: a "
            "file of rewordings, one instruction per line."
        ),
        OnCommandLine(metavar="NAME|FILE"),
    ] = ()
    split: Annotated[
        str,
        Meta(
            description="Items to run and score: train, valid, test, several with commas, or all (default: test; valid "
            "if there is no test split; train if there is neither)."
        ),
        OnCommandLine(metavar="SPLIT"),
    ] = ""
    limit: Annotated[
        Count | None,
        Meta(
            description="Run on a sample of N of these items, stratified by the suite's tags; a larger N in the same "
            "folder runs only the additional items."
        ),
    ] = None
    until: Annotated[
        str,
        Meta(
            description="Ask whole clusters of items in a random order until the 95 % interval is this narrow (in "
            "points); the interval is valid at every look."
        ),
        OnCommandLine(metavar="POINTS"),
    ] = ""
    where: Annotated[
        Mapping[str, str],
        Meta(description="Only items with this tag, such as k=2,3 (several values with commas); repeatable."),
        PAIRS,
    ] = field(default_factory=dict)
    repeat: Annotated[
        Count,
        Meta(
            description="Run N times with different seeds, in subfolders repeat-1, ..., for models that sample (--set "
            "temperature=0.7). The report has the agreement of the answers, and pass^k."
        ),
    ] = 1
    seed: Annotated[int, Meta(description="Random seed; the same seed gives the same bytes.")] = 0
    label: Annotated[
        str,
        Meta(description="Name of this run in reports (default: the model, and what differs)."),
        OnCommandLine(metavar="NAME"),
    ] = ""
    too_long: Annotated[
        TooLongChoice,
        Meta(
            description="What to do with an item that exceeds the model's context window: stop and name it, leave it "
            "out, or cut off its beginning."
        ),
    ] = "fail"
    on_error: Annotated[
        OnError,
        Meta(
            description="What to do with an item that the model or its server cannot answer: stop and name it, or "
            "record an error, which counts as wrong, and continue."
        ),
    ] = "fail"
    max_errors: Annotated[
        str,
        Meta(description="With --on-error record: stop when more than N items, or P %, have failed."),
        OnCommandLine(metavar="N|P%"),
    ] = "10%"
    retry_errors: Annotated[
        bool, Meta(description="Run the items again that are recorded as errors, and no others.")
    ] = False
    cache: Annotated[
        Path | bool, Meta(description="Do not read or write the answer cache."), OnCommandLine(name="--no-cache")
    ] = True
    engine: Annotated[
        Literal["local", "ray"],
        Meta(
            description="local: this process; ray: the workers of a Ray cluster ($RAY_ADDRESS, or one on this machine)."
        ),
    ] = "local"
    workers: Annotated[
        Count | None,
        Meta(description="Processes of the ray engine (default: one per GPU or core)."),
        OnCommandLine(in_profile=True),
    ] = None
    device: Annotated[
        str | None,
        Meta(description="cpu, cuda, cuda:1 (default: a GPU if there is one)."),
        OnCommandLine(metavar="DEVICE"),
    ] = None
    prices: Annotated[
        str | None,
        Meta(description="Price of an endpoint per million input and output tokens, as 0.15,0.6."),
        OnCommandLine(metavar="IN,OUT"),
    ] = None
    max_cost: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(
            description="Stop before the command, with all its prompts, repetitions and reruns, costs more than this."
        ),
        OnCommandLine(metavar="COST"),
    ] = None
    model_options: Annotated[
        Mapping[str, Any],
        Meta(
            description="Option of the kind of model (`proband list models`), such as dtype=bfloat16 of hf:, "
            "concurrency=4 of openai:, phrases=none of vec:; repeatable."
        ),
        replace(PAIRS, name="--model-set"),
    ] = field(default_factory=dict)


class SharedRunOptions(TypedDict, total=False):
    """The options of `proband evaluate` that are those of its runs."""

    too_long: TooLongChoice
    on_error: OnError
    max_errors: str
    retry_errors: bool
    cache: Path | bool
    device: str | None
    prices: str | None
    max_cost: float | None
    model_options: Mapping[str, Any]
