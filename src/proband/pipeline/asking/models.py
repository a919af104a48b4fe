"""Models by name, and the solver that asks them: `net:` and `solver:` are found in the suite, all other kinds in
`proband.models`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

from proband import models, suites
from proband.core.errors import ProbandError, not_installed
from proband.core.files import read_json
from proband.core.protocols import ABILITIES
from proband.core.suite import Solver, Suite


def load_model(spec: str, given: Mapping[str, Any] | None = None, *, suite: Suite | None = None, seed: int = 0) -> Any:
    """Any model by name; `given` are the loading options of its kind (device, dtype, ...). A model that draws at random
    draws by the seed of the run."""
    kind, _, rest = spec.partition(":")
    given = seeded(spec, given or {}, seed=seed)
    if kind == "net":
        return load_net(Path(rest), spec, given)
    if kind == "solver":
        own = suite.own_models if suite else {}
        if rest not in own:
            known = ", ".join(f"solver:{name}" for name in own) or "none"
            raise ProbandError(f"no {spec!r} for {suite.name if suite else 'this'}; there is {known}")
        return own[rest](seed=seed) if "seed" in signature(own[rest]).parameters else own[rest]()
    try:
        return models.load(spec, given)
    except ModuleNotFoundError as error:
        raise not_installed(error, spec) from None


def seeded(spec: str, given: Mapping[str, Any], *, seed: int) -> Mapping[str, Any]:
    """The loading options with the seed of the run, for kinds of models that have one; a seed that is given stays.

    >>> seeded("baseline:random", {}, seed=3), seeded("embedded:glove", {}, seed=3)
    ({'seed': 3}, {})
    """
    kind = models.kind_of(spec.partition(":")[0])
    has_seed = kind is not None and any(field.name == "seed" for field in fields(kind.options))
    return {"seed": seed, **given} if has_seed else given


def check_name(spec: str, suite: Suite) -> None:
    """Whether a model may be of that name, without loading it: its kind is known, and a file or folder is there."""
    kind, _, rest = spec.partition(":")
    if kind == "solver":
        if rest not in suite.own_models:
            known = ", ".join(f"solver:{name}" for name in suite.own_models) or "none"
            raise ProbandError(f"no {spec!r} for {suite.name}; there is {known}")
    elif kind == "net" or (rest.startswith(("/", "./", "../", "~")) and kind in ("hf", "vec", "relbert")):
        if not Path(rest).expanduser().exists():
            raise ProbandError(f"{spec}: no such file or folder")
    elif models.kind_of(kind) is None and "." not in kind:
        raise ProbandError(f"no kind of model {kind!r} in {spec!r}; there are {', '.join(models.kinds())}, solver, net")


def load_net(folder: Path, spec: str, given: Mapping[str, Any]) -> Any:
    """A network that `proband train` wrote: net.json beside the weights names its suite and kind."""
    note = read_json(folder / "net.json")
    suite = suites.suite(str(note.get("suite")))
    net = next((net for net in suite.nets if net.name == note.get("net")), None)
    if net is None:
        raise ProbandError(f"{suite.name} has no net {note.get('net')!r}", file=folder / "net.json")
    loaded = net.load(folder)
    if isinstance(loaded, str):
        loaded = load_model(loaded, given)
    if getattr(loaded, "needs_model", False):
        loaded.encoder = load_encoder(note.get("model", {}), given, folder=folder)
    loaded.name = spec
    loaded.net_note = {name: note[name] for name in ("net", "seed", "options", "items_sha", "model") if name in note}
    return loaded


def load_encoder(identity: Mapping[str, str], given: Mapping[str, Any], *, folder: Path) -> Any:
    """The frozen model that a net was trained on, which must be the same one (the dtype may differ)."""
    encoder = load_model(str(identity.get("name", "")), given)
    if {**encoder.identity(), "dtype": ""} != {**identity, "dtype": ""}:
        raise ProbandError(f"was trained on another {encoder.name} than the one that is here", file=folder)
    return encoder


def candidates(suite: Suite, name: str | None, *, setting: str, options: Collection[str]) -> list[Solver]:
    """The solvers that a user named (with commas between them), or all of the suite, the fittest first."""
    if name is None:
        return sorted(
            suite.solvers,
            key=lambda solver: (solver.setting != setting, not _has(solver, options), solver.in_words),
        )
    named = [suite.solver(each.strip()) for each in name.split(",")]
    return sorted(named, key=lambda solver: solver.setting != setting)


def choose_solver(
    suite: Suite, model: Any, name: str | None, *, setting: str = "", options: Collection[str] = ()
) -> Solver:
    """The solver a user named (of several, with commas, the first that fits), or the suite's first that the model can
    serve: of those made for the items' setting, if there are any, else of the general ones. A model is asked in words
    only where it cannot be asked in another way (a chat model whose probabilities can be read is not), or where the
    `options` that are given are those of such a solver."""
    if name is not None and "," not in name:
        solver = suite.solver(name)
        if not isinstance(model, solver.needs):
            ability = ABILITIES.get(solver.needs, f"has {solver.needs.__name__}")
            raise ProbandError(f"solver {name} needs a model that {ability}; {model.name} does not")
        return solver
    for solver in candidates(suite, name, setting=setting, options=options):
        if isinstance(model, solver.needs) and solver.setting in ("", setting):
            return solver
    raise ProbandError(f"{model.name} supports none of the solvers {name or 'of ' + suite.name}")


def _has(solver: Solver, options: Collection[str]) -> bool:
    """Whether a solver has all of these options."""
    return {name.replace("-", "_") for name in options} <= {field.name for field in fields(solver.options)}
