"""From the tables of a study file to its stages: every build, training and run of the grid, each once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
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
        self.nets: dict[str, list[TrainStage]] = {}
        self.sets: set[str] = set()  # keys of builds that are one of several seeds

    def stages(self) -> list[Stage]:
        for at, build in enumerate(self.study.build):
            self.builds[build.name] = [self._once(stage) for stage in self._build(build, at)]
            self.sets |= {stage.key for stage in self.builds[build.name] if len(build.seeds) > 1}
        for net in self.study.train:
            self.nets[net.name] = [self._once(stage) for stage in self._train(net)]
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

    def _train(self, part: TrainPart) -> Iterator[TrainStage]:
        assert isinstance(part.net, str)  # `spread` has taken lists apart
        assert isinstance(part.items, str)
        at = part.at
        many = len(self.builds[part.items]) > 1
        for items, seed in itertools.product(self.builds[part.items], part.seeds):
            suite = suites.suite(items.suite)
            with self._at("train", at, "net"):
                net = suite.net(part.net)
            with self._at("train", at, "options"):
                read_options(net.options, part.options, of=f"net {part.net}")
            name = "-".join(
                [part.name, *([items.name] if many else []), *([f"s{seed}"] if len(part.seeds) > 1 else [])]
            )
            yield TrainStage(
                name=name, out=self.out, seed=seed, options=part.options, items=items, net=part.net, model=part.model,
                line=line_of(self.text, ["train", at, "name"]), optional=part.optional,
            )  # fmt: skip

    def _run(self, part: RunPart, at: int) -> Iterator[RunStage]:
        line = line_of(self.text, ["run", at, "models"])
        given = self._options(part, at)
        chosen = [dict(zip(part.grid, values)) for values in itertools.product(*part.grid.values())]
        for model in part.models:
            for trained, items in itertools.product(self._trained(model), self._items(part)):
                if trained is not None and not self._belong(trained.items, items):
                    continue
                for options, seed in itertools.product(chosen, part.seeds):
                    words = [items.name, trained.name if trained else model, given.solver, *map(str, options.values())]
                    yield RunStage(
                        name=" · ".join(word for word in words if word), out=self.out, seed=seed, line=line,
                        options={**given.options, **options}, items=items, model=model, trained=trained,
                        run_options=given, optional=part.optional,
                    )  # fmt: skip

    def _options(self, part: RunPart, at: int) -> RunOptions:
        """The options of its runs; an error has the line of the one that is wrong."""
        for name, value in part.run_options.items():
            with self._at("run", at, name):
                read_options(RunOptions, {name: value}, of="[[run]]")
        return read_options(RunOptions, part.run_options, of="[[run]]")

    def _belong(self, one: BuildStage, other: BuildStage) -> bool:
        """Whether a net trained on one is asked the other: of several sets of items those of the same seed."""
        sets = {one.key, other.key} <= self.sets
        return one.suite == other.suite and (one.seed == other.seed or not sets)

    def _trained(self, model: str) -> Sequence[TrainStage | None]:
        """The trainings behind `net:NAME`; any other model is itself."""
        kind, _, name = model.partition(":")
        return self.nets[name] if kind == "net" and name in self.nets else [None]

    def _items(self, part: RunPart) -> list[BuildStage]:
        build_stages: list[BuildStage] = []
        for name in part.items:
            if name in self.builds:
                build_stages += self.builds[name]
            else:
                place = self.file.parent / name
                suite = first_item(place).suite
                build_stages.append(FolderStage(name=name, out=self.out, seed=0, options={}, suite=suite, place=place))
        return build_stages
