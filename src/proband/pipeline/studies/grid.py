"""From the tables of a study file to its stages: every build, training and run of the grid, each once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from proband import suites
from proband.core.errors import ProbandError
from proband.core.plugins import read_options
from proband.pipeline.asking.setup import first_item
from proband.pipeline.run_options import RunOptions
from proband.pipeline.studies.stages import BuildStage, FolderStage, RunStage, Stage, TrainStage
from proband.pipeline.studies.study_file import BuildPart, RunPart, StudyFile, TrainPart, line_of

S = TypeVar("S", BuildStage, TrainStage, RunStage)


class StageGrid:
    """The stages of a study, in the order in which they are run. Two names for the same content are one stage, that of
    the first name: parts of a study share what they build and train."""

    def __init__(self, study: StudyFile, *, file: Path, out: Path) -> None:
        self.study, self.file, self.out = study, file, out
        self.text = file.read_text(encoding="utf-8")
        self.known: dict[str, Stage] = {}  # by key
        self.builds: dict[str, list[BuildStage]] = {}
        self.nets: dict[str, list[tuple[str, TrainStage]]] = {}  # all trainings that a name means, each with its own
        self.trainings: set[str] = set()  # the names of single ones
        self.sets: set[str] = set()  # keys of builds that are one of several seeds

    def stages(self) -> list[Stage]:
        for at, build in enumerate(self.study.build):
            with self._at("build", at, "name"):
                check_name(build.name, self.builds, "build")
            self.builds[build.name] = [self._once(stage) for stage in self._build(build, at)]
            self.sets |= {stage.key for stage in self.builds[build.name] if len(build.seeds) > 1}
        for at, net in enumerate(self.study.train):
            self._train(net, at)
        for at, part in enumerate(self.study.run):
            for stage in self._run(part, at):
                self._once(stage)
        return list(self.known.values())

    def _once(self, stage: S) -> S:
        return cast(S, self.known.setdefault(stage.key, stage))

    @contextmanager
    def _at(self, *path: str | int) -> Iterator[None]:
        """An error in this block is that of a line of the file."""
        try:
            yield
        except ProbandError as error:
            raise ProbandError(str(error), file=self.file, line=line_of(self.text, path)) from None

    def _build(self, part: BuildPart, at: int) -> Iterator[BuildStage]:
        with self._at("build", at, "suite"):
            suite = suites.suite(part.suite)
        with self._at("build", at, "options"):
            read_options(suite.options, part.options, of=f"build {part.suite}")
        for seed in part.seeds:
            name = part.name if len(part.seeds) == 1 else f"{part.name}-s{seed}"
            line = line_of(self.text, ["build", at, "name"])
            yield BuildStage(name=name, out=self.out, seed=seed, options=part.options, line=line, suite=part.suite)

    def _train(self, part: TrainPart, at: int) -> None:
        """Every training of a [[train]]: `net:NAME` is one of them, or all of its name or of its items."""
        on_each = [part.items] if isinstance(part.items, str) else part.items
        nets = [part.net] if isinstance(part.net, str) else part.net
        for items, net in itertools.product(on_each, nets):
            of_items = "-".join(filter(None, [part.name, "" if part.name and isinstance(part.items, str) else items]))
            name = "-".join(filter(None, [of_items, "" if isinstance(part.net, str) else net, part.label]))
            with self._at("train", at, "name"):
                check_name(name, self.trainings, "train")
            self.trainings.add(name)
            trained = [(name, self._once(stage)) for stage in self._trained(part, at, name, items, net)]
            for whole in dict.fromkeys((name, of_items, part.name or of_items)):
                self.nets.setdefault(whole, []).extend(trained)

    def _trained(self, part: TrainPart, at: int, name: str, on: str, net: str) -> Iterator[TrainStage]:
        if on not in self.builds:
            with self._at("train", at, "items"):
                raise ProbandError(f"no [[build]] is named {on!r}")
        many = len(self.builds[on]) > 1
        for items, seed in itertools.product(self.builds[on], part.seeds):
            with self._at("train", at, "net"):
                kind = suites.suite(items.suite).net(net)
            with self._at("train", at, "options"):
                read_options(kind.options, part.options, of=f"net {net}")
            parts = [name, items.name if many else "", f"s{seed}" if len(part.seeds) > 1 else ""]
            yield TrainStage(
                name="-".join(filter(None, parts)), out=self.out, seed=seed, options=part.options, items=items, net=net,
                model=part.model, line=line_of(self.text, ["train", at, "name"]), optional=part.optional,
            )  # fmt: skip

    def _run(self, part: RunPart, at: int) -> Iterator[RunStage]:
        for name, value in part.run_options.items():
            with self._at("run", at, name):  # the line of the one that is wrong
                read_options(RunOptions, {name: value}, of="[[run]]")
        given = read_options(RunOptions, part.run_options, of="[[run]]")
        grid = [dict(zip(part.grid, values)) for values in itertools.product(*part.grid.values())]
        with self._at("run", at, "items"):
            sets = [stage for name in part.items for stage in self._items(name)]
        with self._at("run", at, "models"):
            asked = [each for model in part.models for each in self._models(model)]
        for (model, trained), items in itertools.product(asked, sets):
            if trained is not None and not self._belong(trained.items, items):
                continue
            for options, seed in itertools.product(grid, part.seeds):
                words = [items.name, trained.name if trained else model, given.solver, *map(str, options.values())]
                yield RunStage(
                    name=" · ".join(filter(None, words)), out=self.out, seed=seed, items=items, model=model,
                    options={**given.options, **options}, trained=trained, run_options=given, optional=part.optional,
                    line=line_of(self.text, ["run", at, "models"]),
                )  # fmt: skip

    def _belong(self, one: BuildStage, other: BuildStage) -> bool:
        """Whether a net trained on one is asked the other: of several sets of items those of the same seed."""
        sets = {one.key, other.key} <= self.sets
        return one.suite == other.suite and (one.seed == other.seed or not sets)

    def _models(self, model: str) -> Sequence[tuple[str, TrainStage | None]]:
        """The trainings behind `net:NAME`; any other model is itself."""
        kind, _, name = model.partition(":")
        if kind == "net" and name in self.nets:
            return [(f"net:{own}", trained) for own, trained in self.nets[name]]
        if kind == "net" and not (self.file.parent / name).exists():
            raise ProbandError(f"no [[train]] is named {name!r}, and there is no such folder")
        return [(model, None)]

    def _items(self, name: str) -> Sequence[BuildStage]:
        place = self.file.parent / name
        if name in self.builds:
            return self.builds[name]
        if not place.exists():
            raise ProbandError(f"no [[build]] is named {name!r}, and there is no such folder")
        suite = first_item(place).suite
        return [FolderStage(name=name, out=self.out, seed=0, options={}, suite=suite, place=place)]


def check_name(name: str, taken: Container[str], kind: str) -> None:
    if not re.fullmatch(r"[\w.-]+", name):
        raise ProbandError(f"'name' {name!r} must be letters, digits, . _ -")
    if name in taken:
        raise ProbandError(f"two [[{kind}]] are named {name!r}")
