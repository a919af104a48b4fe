"""The stages of a study: one build, one training, one run. Each knows whether it is finished. A stage's key is the
sha256 of everything that determines its result: the verb, the settled options, the seed, the version of Proband, the
content of the files it reads (those given, and the suite's that ship with Proband), and the keys of the stages before
it. Its folder ends with the key, so a changed line of the study gives new folders to what depends on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import DATA, count_lines, dumps, items_path, read_run, sha256_file, sha256_files, slug
from proband.core.plugins import read_options
from proband.core.version import __version__
from proband.pipeline.asking.items_and_answers import RunAnswers
from proband.pipeline.asking.setup import LoadedModels, PlannedRun, check_name, loading
from proband.pipeline.build import build
from proband.pipeline.run import run_planned
from proband.pipeline.run_options import RunOptions
from proband.pipeline.train import train

# ---- keys ----------------------------------------------------------------------------------------------------------

PATHS = ("data", "shots-from")  # options that name a folder, also without a slash


def key_of(verb: str, **parts: Any) -> str:
    """
    >>> len(key_of("build", seed=0)), key_of("build", seed=0) == key_of("build", seed=1)
    (64, False)
    """
    return hashlib.sha256(dumps([__version__, verb, sorted(parts.items())]).encode()).hexdigest()


def fingerprint(text: str, *, path: bool = False) -> str:
    """PATH or KIND:PATH with the content of the file or folder in place of the path; any other text as it is. A path
    has a slash or a suffix, unless it is known to be a `path`."""
    kind, colon, rest = text.partition(":")
    for before, place in (("", text), (kind + colon, rest)):
        with suppress(OSError, ValueError, RuntimeError):  # too long for a name, or a home that nobody has
            there = Path(place).expanduser()
            if place and (path or "/" in place or there.suffix) and there.exists():
                return before + (sha256_file(there) if there.is_file() else sha256_files(there, there.rglob("*")))
    return text


def contents(value: Any) -> Any:
    """The same value with every path in it replaced by what is there: a study does not depend on where its data lie.
    Several paths have commas between them."""
    if isinstance(value, Mapping):
        return {name: contents(Path(each) if name in PATHS and each else each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [contents(each) for each in value]
    if isinstance(value, Path):
        return fingerprint(str(value), path=True)
    return ",".join(map(fingerprint, value.split(","))) if isinstance(value, str) else value


def settle_options(kind: type, given: Mapping[str, Any], *, of: str) -> dict[str, Any]:
    """The options of a stage as its key has them: defaults filled in, paths replaced by what is there."""
    options: Any = read_options(kind, given, of=of)
    given = {name.replace("_", "-"): value for name, value in vars(options).items()}
    return dict(contents(given))


@cache
def suite_data(suite: str) -> str:
    """Of what a build of the suite may read: template banks, rules, names, word lists. A .csv file holds printed
    figures of a paper, which reports alone read."""
    return sha256_files(DATA / suite, (path for path in (DATA / suite).rglob("*") if path.suffix != ".csv"))


# ---- stages --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What all stages have."""

    verb = ""
    name: str
    out: Path  # of the study
    seed: int
    options: Mapping[str, Any]  # of the builder, net or solver
    line: int | None = None  # in the study file
    optional: bool = False  # may fail

    @property
    def key(self) -> str:
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        return self.out / "stages" / self.verb / f"{slug(self.name)}-{self.key[:10]}"

    def finished(self) -> bool:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class BuildStage(Stage):
    verb = "build"
    suite: str

    @cached_property
    def key(self) -> str:
        options = settle_options(suites.suite(self.suite).options, self.options, of=f"build {self.suite}")
        return key_of("build", suite=self.suite, options=options, seed=self.seed, shipped=suite_data(self.suite))

    def finished(self) -> bool:
        return all((self.folder / name).exists() for name in ("manifest.json", "items.jsonl"))  # the first written last

    def do(self, models: LoadedModels, among: Sequence[Path] = ()) -> None:
        build(self.suite, out=self.folder, seed=self.seed, force=True, **self.options)


@dataclass(frozen=True, kw_only=True)
class TrainStage(Stage):
    verb = "train"
    items: BuildStage
    net: str
    model: str | None = None  # to start from

    @cached_property
    def key(self) -> str:
        net = suites.suite(self.items.suite).net(self.net)
        options = settle_options(net.options, self.options, of=f"net {self.net}")
        return key_of(
            "train", items=self.items.key, net=self.net, options=options, seed=self.seed,
            model=self.model and fingerprint(self.model, path=True),
        )  # fmt: skip

    def finished(self) -> bool:
        return (self.folder / "net.json").exists()  # written last

    def do(self, models: LoadedModels, among: Sequence[Path] = ()) -> None:
        train(self.items.folder, net=self.net, out=self.folder, seed=self.seed, model=self.model, options=self.options)


DECIDES = ("split", "where", "too_long", "label", "on_error", "device")  # options of a run that its key has, if given


@dataclass(frozen=True, kw_only=True)
class RunStage(Stage):
    verb = "run"
    items: BuildStage
    model: str  # as the study names it
    trained: TrainStage | None = None
    run_options: RunOptions

    @cached_property
    def key(self) -> str:
        given, default = self.run_options, RunOptions()
        further = {name: getattr(given, name) for name in DECIDES if getattr(given, name) != getattr(default, name)}
        return key_of(
            "run", items=self.items.key, model=self.trained.key if self.trained else fingerprint(self.model, path=True),
            solver=given.solver, options=contents(self.options), seed=self.seed,
            limit=given.limit and f"{given.limit} sampled", model_options=contents(given.model_options), **further,
        )  # fmt: skip

    @property
    def spec(self) -> str:
        return f"net:{self.trained.folder}" if self.trained else self.model

    def finished(self) -> bool:
        """An answer for every item; of a run that does not ask all of them, run.json says how many."""
        answers = RunAnswers(self.folder)
        if not (answers.finished.exists() and self.items.finished()):
            return False
        asked = read_run(self.folder / "run.json").settings.get("asked")
        return answers.complete(count_lines(items_path(self.items.folder)) if asked is None else int(asked))

    def check(self) -> None:
        """Refuse errors that are visible without items and model: the solver, its options, the model's name."""
        suite = suites.suite(self.items.suite)
        if self.trained is None:
            check_name(self.model, suite)
        for name in self.run_options.solver.split(",") if self.run_options.solver else ():
            solver = suite.solver(name.strip())
            if "," not in str(self.run_options.solver):
                solver.recorded(read_options(solver.options, self.options, of=f"solver {solver.name}"))

    def do(self, models: LoadedModels, among: Sequence[Path] = ()) -> None:
        """Run it `among` the folders of all runs, which share a `max-cost`. Stages of one model follow each other."""
        if self.trained and not self.trained.finished():
            raise ProbandError(f"net {self.trained.name} was not trained")
        options = replace(self.run_options, seed=self.seed, options=self.options)
        model: Any = self.spec
        if options.engine == "local":  # other workers load the model themselves
            model = models.of(self.spec, suites.suite(self.items.suite), loading(options), seed=self.seed, alone=True)
            if self.trained:  # the folder's name would differ from machine to machine; one net may have several names
                model.name = self.model
        planned = PlannedRun(items=self.items.folder, model=model, folder=self.folder, options=options, name=self.name)
        run_planned(planned, among)
