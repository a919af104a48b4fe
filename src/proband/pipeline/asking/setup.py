"""Sets up a run: the model by name, its solver, worked examples; and adds up its usage.

`net:` and `solver:` are found in the suite, all other kinds of models in `proband.models`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec

from proband import models, suites
from proband.core.errors import ProbandError, not_installed
from proband.core.files import items_path, read_items, read_json, read_manifest, sha256_file
from proband.core.plugins import read_options
from proband.core.protocols import ABILITIES, Generates, Model, ScoresText
from proband.core.suite import Solver, Suite
from proband.core.types import Answer, Item
from proband.pipeline.run_options import RunOptions

MOST_EXAMPLES = 1000  # to choose worked examples from
Usage = dict[str, float | None]
EXAMPLE_SEED = 1_000_003  # added to a build's seed, for examples that it does not contain


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One of the runs of a command."""

    items: Path
    model: str | Any  # its name, or an object
    folder: Path
    options: RunOptions
    name: str = ""  # of its prompt, repetition or item set, where there are several


class RunSetup:
    """Everything that determines the answers of a run: suite, model, solver and options. `silent`: no server is
    contacted; a server is assumed to score texts only if the named solver needs it. `first`: the first item, if
    known."""

    def __init__(
        self, items: Path, model: str | Model, options: RunOptions, *, silent: bool = False, first: Item | None = None
    ) -> None:
        self.first = first or first_item(items)
        self.items, self.run_options, self.suite = items, options, suites.suite(self.first.suite)
        self.spec = model if isinstance(model, str) else None
        setting = str(self.first.tags.get("setting", ""))
        if isinstance(model, str):
            given = loading_of(model, self.suite, options, setting=setting, silent=silent)
            model = load_model(model, given, suite=self.suite, seed=options.seed)
        self.model: Model = models.check_named(model, "model")
        self.solver = choose_solver(self.suite, self.model, options.solver, setting=setting, options=options.options)
        self.options: Any = read_options(self.solver.options, options.options, of=f"solver {self.solver.name}")

    @cached_property
    def solver_arguments(self) -> dict[str, Any]:
        """The solver's further arguments: seed, options and worked examples."""
        given = {"seed": self.run_options.seed, "options": self.options}
        count, folder = self.solver.examples(self.options)
        if not count:
            return given
        source = Path(folder) if folder else self.items
        pool = example_pool(source, suite=self.suite.name, seed=self.run_options.seed)
        return {**given, "examples": pool or built_examples(source, suite=self.suite.name)}

    def solve(self, items: Sequence[Item], *, model: Model) -> Sequence[Answer]:
        return self.solver.solve(items, model=model, **self.solver_arguments)

    def sends(self, items: Sequence[Item]) -> list[list[str]]:
        """Of each item, the texts that would be sent."""
        if self.solver.sends is None:
            raise ProbandError(f"solver {self.solver.name} of {self.suite.name} sends no prompt to {self.model.name}")
        return self.solver.sends(items, self.model, **self.solver_arguments)


def first_item(items: str | Path) -> Item:
    item: Item = next(read_items(Path(items)))
    return item


def suite_of(items: str | Path) -> Suite:
    """The suite that the first item of a folder names."""
    return suites.suite(first_item(items).suite)


def loading(options: RunOptions) -> dict[str, Any]:
    """The loading options of the model: those of its kind, and those of the run that apply to it."""
    own = {"device": options.device, "prices": options.prices, "max_cost": options.max_cost}
    return {**{name: value for name, value in own.items() if value is not None}, **options.model_options}


def loading_of(spec: str, suite: Suite, options: RunOptions, *, setting: str = "", silent: bool) -> dict[str, Any]:
    """The same for a run: a server is not asked whether it scores texts if no solver that may be chosen needs that."""
    kind, _, rest = spec.partition(":")
    known = models.kind_of(kind) if kind not in ("net", "solver") else None
    option = known.asks(rest) if known and known.asks else ""
    if not option or option in options.model_options:
        return loading(options)
    scores: bool | None = None  # whether the solver scores texts; None: if the model can
    if options.solver is not None and "," not in options.solver:
        scores = suite.solver(options.solver).needs is ScoresText
    else:
        solvers = candidates(suite, options.solver, setting=setting, options=options.options)
        needs = (each.needs for each in solvers if each.setting in ("", setting))
        scores = False if next((each for each in needs if each in (Generates, ScoresText)), None) is Generates else None
    return {**({option: scores is True} if silent or scores is False else {}), **loading(options)}


# ---- models and solvers by name --------------------------------------------------------------------------------------


def load_model(spec: str, given: Mapping[str, Any] | None = None, *, suite: Suite | None = None, seed: int = 0) -> Any:
    """Any model by name; `given` are the loading options of its kind (device, dtype, ...). A model that draws at random
    draws by the seed of the run."""
    kind, _, rest = spec.partition(":")
    if kind == "net":
        return load_net(net_folder(rest), spec, given or {})
    if kind == "solver":
        own = own_model(rest, suite)
        return own(seed=seed) if "seed" in signature(own).parameters else own()
    if kind == "baseline" and suite is not None and rest in suite.baselines:
        return suite.baselines[rest]()
    try:
        return models.load(spec, models.with_seed(spec, given or {}, seed=seed))
    except ModuleNotFoundError as error:
        raise not_installed(error, spec) from None


class LoadedModels(dict[tuple[str, str], Any]):
    """Models by name and what else decides them (options; of a suite's own the suite and the seed), each loaded once.
    Objects are known by their names alone. `alone`: the others go before one is loaded."""

    of_one_suite = ("solver:", "baseline:")

    def has(self, spec: str) -> bool:
        return any(name == spec for name, _ in self)

    def of(
        self, spec: str, suite: Suite, given: Mapping[str, Any] | None = None, *, seed: int, alone: bool = False
    ) -> Any:
        given = models.with_seed(spec, given or {}, seed=seed)
        of_suite = (suite.name, seed) if spec.startswith(self.of_one_suite) else ()
        key = spec, "" if (spec, "") in self else repr((given, of_suite))
        if key not in self:
            if alone:
                self.clear()
            self[key] = load_model(spec, given, suite=suite, seed=seed)
        return self[key]


def own_model(name: str, suite: Suite | None) -> Callable[..., Any]:
    """The constructor of a suite's own `solver:NAME`."""
    own = suite.own_models if suite else {}
    if name not in own:
        known = ", ".join(f"solver:{each}" for each in own) or "none"
        raise ProbandError(f"no 'solver:{name}' for {suite.name if suite else 'this'}; there is {known}")
    return own[name]


def check_name(spec: str, suite: Suite) -> None:
    """Check a model's name without loading it: its kind is known, and its file or folder exists."""
    kind, _, rest = spec.partition(":")
    if kind == "solver":
        own_model(rest, suite)
    elif kind == "net":
        net_folder(rest)
    else:
        models.check_name(spec)


def net_folder(name: str) -> Path:
    """The folder of a network: as named, or one of the package proband-nets, whose hashes are checked."""
    folder, spec = Path(name), find_spec("proband_nets")
    if folder.exists():
        return folder
    if spec is None or not spec.submodule_search_locations:
        raise ProbandError(f"net:{name}: no such folder; `pip install ./weights/proband-nets` adds nets by name")
    shipped = Path(spec.submodule_search_locations[0])
    known = sorted(each.parent.name for each in shipped.glob("*/net.json"))
    if name not in known:
        raise ProbandError(f"net:{name}: no such folder, and no net of that name; there are {', '.join(known)}")
    for line in (shipped / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, _, file = line.partition("  ")
        if file.startswith(f"{name}/") and sha256_file(shipped / file) != digest:
            raise ProbandError("is not the packaged file (its SHA-256 differs)", file=shipped / file)
    return shipped / name


def load_net(folder: Path, spec: str, given: Mapping[str, Any]) -> Any:
    """A network that `proband train` wrote: net.json, next to the weights, names its suite and kind."""
    note = read_json(folder / "net.json")
    suite = suites.suite(str(note.get("suite")))
    net = next((net for net in suite.nets if net.name == note.get("net")), None)
    if net is None:
        raise ProbandError(f"{suite.name} has no net {note.get('net')!r}", file=folder / "net.json")
    loaded = net.load(folder)
    if isinstance(loaded, str):
        loaded = load_model(loaded, given)
    if getattr(loaded, "needs_model", False):
        identity = note.get("model", {})  # of the frozen model that it was trained on; the dtype may differ
        loaded.encoder = load_model(str(identity.get("name", "")), given)
        if {**loaded.encoder.identity(), "dtype": "", "batch": ""} != {**identity, "dtype": "", "batch": ""}:
            raise ProbandError(f"was trained with another version of {loaded.encoder.name}", file=folder)
    loaded.name = spec
    loaded.net_note = {name: note[name] for name in ("net", "seed", "options", "items_sha", "model") if name in note}
    return loaded


def candidates(suite: Suite, name: str | None, *, setting: str, options: Collection[str]) -> list[Solver]:
    """The solvers that a user named (with commas between them), or all of the suite, the fittest first."""
    if name is not None:
        named = [suite.solver(each.strip()) for each in name.split(",")]
        return sorted(named, key=lambda solver: solver.setting != setting)
    given = {option.replace("-", "_") for option in options}

    def order(solver: Solver) -> tuple[bool, bool, bool]:
        has_options = given <= {field.name for field in fields(solver.options)}
        return solver.setting != setting, not has_options, solver.in_words

    return sorted(suite.solvers, key=order)


def choose_solver(
    suite: Suite, model: Model, name: str | None, *, setting: str = "", options: Collection[str] = ()
) -> Solver:
    """The solver a user named (of several, with commas, the first that fits), or the suite's first that the model can
    serve: of those made for the items' setting, if there are any, else of the general ones. A model is asked in words
    only where it cannot be asked in another way (a chat model whose probabilities can be read is not), or where the
    `options` that are given are those of such a solver."""
    if name is not None and "," not in name:
        solver = suite.solver(name)
        check_ability(model, solver.needs, of=f"solver {name}")
        return solver
    for solver in candidates(suite, name, setting=setting, options=options):
        if isinstance(model, solver.needs) and solver.setting in ("", setting):
            return solver
    raise ProbandError(f"{model.name} supports none of the solvers {name or 'of ' + suite.name}")


def check_ability(model: Model, needs: type, *, of: str) -> None:
    if not isinstance(model, needs):
        ability = ABILITIES.get(needs, f"has {needs.__name__}")
        raise ProbandError(f"{of} needs a model that {ability}; {model.name} does not")


# ---- worked examples -------------------------------------------------------------------------------------------------


def example_pool(folder: Path, *, suite: str, seed: int) -> list[Item]:
    """At most MOST_EXAMPLES items of the train split, drawn by seed from all of them in one pass (reservoir sampling).
    A folder without a train split gives none."""
    kept, seen, draw = list[Item](), 0, random.Random(f"{seed} examples")
    for item in read_items(folder):
        if item.suite != suite:
            raise ProbandError(f"contains items of {item.suite}, not of {suite}", file=items_path(folder))
        if item.split != "train":
            continue
        seen += 1
        if len(kept) < MOST_EXAMPLES:
            kept.append(item)
        elif (place := draw.randrange(seen)) < MOST_EXAMPLES:
            kept[place] = item
    return kept


def built_examples(folder: Path, *, suite: str) -> list[Item]:
    """Worked examples for a build without a train split, where its suite can make some: a small build with the options
    of its manifest and another seed, less what is asked too. `pick_shots` leaves out what shares a cluster with the
    question."""
    manifest = read_manifest(folder) if folder.is_dir() else {}
    if "options" not in manifest or "seed" not in manifest:
        return []
    result = suites.suite(suite)
    options = result.examples(read_options(result.options, manifest["options"], of=f"build {suite}"))
    if options is None:
        return []
    items = list(result.build(options, seed=int(manifest["seed"]) + EXAMPLE_SEED).items)
    own = {hash((item.prompt, item.choices)) for item in read_items(folder)}
    return [
        msgspec.structs.replace(item, id=f"example-{item.id}", split="train")
        for item in items
        if hash((item.prompt, item.choices)) not in own
    ]


# ---- what a run has used: requests, tokens, cost, over all processes that worked on it, as run.json adds it up -------


def usage_of(model: Model) -> Usage:
    """The usage of a model since it was loaded; empty for local models."""
    usage = getattr(model, "usage", None)
    return dict(usage()) if callable(usage) else {}


def sum_usage(parts: Iterable[Mapping[str, float | None]]) -> Usage:
    """A sum with what is not known is what is known, if anything is.

    >>> sum_usage([{"requests": 70.0, "cost": None, "without_seed": 1.0}, {}, {"requests": 37.0, "without_seed": 1.0}])
    {'requests': 107.0, 'cost': None, 'without_seed': 1.0}
    """
    total: Usage = {}
    for part in parts:
        for name, value in part.items():
            known = [each for each in (total.get(name), value) if each is not None]
            total[name] = (max(known) if _is_maximum(name) else sum(known)) if known else None
    return total


def usage_since(now: Mapping[str, float | None], before: Mapping[str, float | None]) -> Usage:
    """What was used between two moments of one model.

    >>> usage_since({"requests": 12.0, "cost": None}, {"requests": 2.0, "cost": None})
    {'requests': 10.0, 'cost': None}
    """
    return {
        name: value if value is None or _is_maximum(name) else value - (before.get(name) or 0.0)
        for name, value in now.items()
    }


def _is_maximum(name: str) -> bool:
    """Kept as the largest: a longest time, and notes that begin with "without_", which are 1 or absent."""
    return name == "longest_seconds" or (name.startswith("without_") and name != "without_usage")
