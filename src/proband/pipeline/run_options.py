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
    """Options of a run; run.json records those that determine its answers.

    :param solver: Solver; see `proband list solvers` (default: the first of the suite that fits the model; `generate`
        only if no other fits, or if one of its options is set).
    :param options: Option of the solver, such as shots=4 or max-tokens=64 (`proband list solvers`); repeatable.
    :param prompt: Jinja template: a shipped one (`proband list prompts`) or a file; repeatable: one run per prompt, in
        subfolders of their names; all: the default one and every rewording that ships; FILE.txt: a file of rewordings,
        one instruction per line.
    :param split: Items to run and score: train, valid, test, several with commas, or all (default: test; valid if there
        is no test split; train if there is neither).
    :param limit: Run on a sample of N of these items, stratified by the suite's tags; a larger N in the same folder
        runs only the additional items.
    :param until: Run whole clusters of items in a random order until the 95 % interval has this half-width (in points);
        the interval is valid although it is checked after every cluster.
    :param where: Only items with this tag, such as k=2,3 (several values with commas); repeatable.
    :param repeat: Run N times with different seeds, in subfolders repeat-1, ..., for models that sample (--set
        temperature=0.7). The report has the agreement of the answers, and pass^k.
    :param seed: Random seed; the same seed gives the same bytes.
    :param label: Name of this run in reports (default: the model, and what differs).
    :param too_long: What to do with an item that exceeds the model's context window: stop and name it, leave it out, or
        cut off its beginning.
    :param on_error: What to do with an item that the model or its server cannot answer: stop and name it, or record an
        error, which counts as wrong, and continue.
    :param max_errors: With --on-error record: stop when more than N items, or P %, have failed.
    :param retry_errors: Run the items again that are recorded as errors, and no others.
    :param cache: Do not read or write the answer cache.
    :param engine: local: this process; ray: the workers of a Ray cluster ($RAY_ADDRESS, or one on this machine).
    :param workers: Processes of the ray engine (default: one per GPU or core).
    :param device: cpu, cuda, cuda:1 (default: a GPU if there is one).
    :param prices: Price of an endpoint per million input and output tokens, as 0.15,0.6.
    :param max_cost: Largest cost of the command, including all prompts, repetitions and reruns; it stops before
        exceeding it.
    :param model_options: Option of the kind of model (`proband list models`), such as dtype=bfloat16 of hf:,
        concurrency=4 of openai:, phrases=none of vec:; repeatable.
    """

    solver: Annotated[str | None, OnCommandLine(short="-s", metavar="SOLVER")] = None
    options: Annotated[Mapping[str, Any], replace(PAIRS, name="--set")] = field(default_factory=dict)
    prompt: Annotated[tuple[str, ...], OnCommandLine(metavar="NAME|FILE")] = ()
    split: Annotated[str, OnCommandLine(metavar="SPLIT")] = ""
    limit: Count | None = None
    until: Annotated[str, OnCommandLine(metavar="POINTS")] = ""
    where: Annotated[Mapping[str, str], PAIRS] = field(default_factory=dict)
    repeat: Count = 1
    seed: int = 0
    label: Annotated[str, OnCommandLine(metavar="NAME")] = ""
    too_long: TooLongChoice = "fail"
    on_error: OnError = "fail"
    max_errors: Annotated[str, OnCommandLine(metavar="N|P%")] = "10%"
    retry_errors: bool = False
    cache: Annotated[Path | bool, OnCommandLine(name="--no-cache")] = True
    engine: Literal["local", "ray"] = "local"
    workers: Annotated[Count | None, OnCommandLine(in_profile=True)] = None
    device: Annotated[str | None, OnCommandLine(metavar="DEVICE")] = None
    prices: Annotated[str | None, OnCommandLine(metavar="IN,OUT")] = None
    max_cost: Annotated[Annotated[float, Meta(gt=0)] | None, OnCommandLine(metavar="COST")] = None
    model_options: Annotated[Mapping[str, Any], replace(PAIRS, name="--model-set")] = field(default_factory=dict)


class ReaderOptions(TypedDict, total=False):
    """The options of the runs by which models read texts (`proband audit`, `proband steps`)."""

    on_error: OnError
    cache: Path | bool
    prices: str | None
    max_cost: float | None
    model_options: Mapping[str, Any]


class SharedRunOptions(ReaderOptions, total=False):
    """The options of `proband evaluate` that are those of its runs."""

    too_long: TooLongChoice
    max_errors: str
    retry_errors: bool
    device: str | None
