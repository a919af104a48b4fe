"""Models by name: `KIND:REST`, one file or folder per kind of model.

    hf:NAME_OR_PATH  gguf:FILE  vec:PATH  relbert:NAME_OR_PATH  openai:MODEL@BASE_URL  baseline:random|majority
    embedded:NAME  scores:FILE

Other packages add kinds through the entry point `proband.models` (a `ModelKind`), and `package.module:Object` names any
model object for a quick try. (`net:MODELDIR` and `solver:NAME` belong to a suite; the pipeline resolves them.)
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from proband.core import plugins
from proband.core.errors import ProbandError
from proband.core.options import read_options
from proband.core.protocols import ModelKind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["KINDS", "ModelKind", "kind_of", "kinds", "load"]

GROUP = "proband.models"

# built-in kind -> where its `ModelKind` is
KINDS: Mapping[str, str] = {
    "hf": "proband.models.hf:KIND",
    "gguf": "proband.models.gguf:KIND",
    "vec": "proband.models.vectors.word_vectors:KIND",
    "relbert": "proband.models.relbert:KIND",
    "openai": "proband.models.remote.openai:KIND",
    "baseline": "proband.models.baseline:KIND",
    "embedded": "proband.models.hf:EMBEDDED",
    "scores": "proband.models.scores:KIND",
    "fake": "proband.models.fake:KIND",
}


def load(spec: str, given: Mapping[str, Any] | None = None) -> Any:
    """The model a user named. `given` holds loading options of its kind, as text or values; None means not given.

    >>> load("baseline:random", {"seed": "3"}).identity()["seed"]
    '3'
    """
    name, _, rest = spec.partition(":")
    settings = {key: value for key, value in (given or {}).items() if value is not None}
    kind = kind_of(name) if rest else None
    if kind is not None:
        options: Any = read_options(kind.options, settings, of=f"{name}:")
        return kind.load(rest, options=options) if name in KINDS else _from_outside(kind, rest, options)
    if not plugins.is_path(name, rest):
        known = ", ".join(f"{each}:..." for each in (*KINDS, *_outside()) if each != "fake")
        raise ProbandError(
            f"no model {spec!r}: a model is named KIND:NAME with one of {known}, net:DIR, solver:NAME, "
            "or package.module:Object"
        )
    return check_model(_made(plugins.object_at(name, rest), spec, settings), spec)


def kind_of(name: str) -> ModelKind | None:
    """A kind by name, built in or from another package; None where there is none. Nothing else is imported."""
    if name in KINDS:
        module, _, attribute = KINDS[name].partition(":")
        built_in: ModelKind = getattr(import_module(module), attribute)
        return built_in
    point = _outside().get(name)
    return None if point is None else plugins.imported(point, ModelKind)


def kinds() -> Mapping[str, ModelKind]:
    """Every kind there is, the built-in ones first."""
    return {name: kind for name in (*KINDS, *_outside()) if (kind := kind_of(name)) is not None}


def _outside() -> Mapping[str, EntryPoint]:
    return plugins.entry_points_of(GROUP, built_in=KINDS)


def _from_outside(kind: ModelKind, rest: str, options: Any) -> Any:
    spec = f"{kind.name}:{rest}"
    try:
        return check_model(kind.load(rest, options=options), spec)
    except ModuleNotFoundError as error:
        raise ProbandError(f"{spec} needs the package {error.name}, which is not installed") from None


def _made(result: Any, spec: str, settings: Mapping[str, Any]) -> Any:
    """A ready object as it is; a class or a factory is called with the settings."""
    if hasattr(result, "identity") and not isinstance(result, type):
        if settings:
            raise ProbandError(f"{spec} is a ready object and has no option {next(iter(settings))!r}; it has none")
        return result
    if not callable(result):
        raise ProbandError(f"{spec} is of type {type(result).__name__}, not a model or what makes one")
    try:
        return result(**{name.replace("-", "_"): value for name, value in settings.items()})
    except TypeError as error:
        raise ProbandError(f"{spec} cannot be made with the options {sorted(settings)}: {error}") from None


def check_named(model: Any, spec: str) -> Any:
    """The model, if it says what it is."""
    if not isinstance(getattr(model, "name", None), str) or not model.name:
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has no text `name`")
    if not callable(getattr(model, "identity", None)):
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has no method `identity()`")
    return model


def check_model(model: Any, spec: str) -> Any:
    """The model, if it keeps the contract of `core.protocols`."""
    from proband.core import protocols

    check_named(model, spec)
    if not any(protocols.implements(model, each) for each in protocols.ABILITIES):
        names = ", ".join(each.__name__ for each in protocols.ABILITIES)
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has none of the protocols {names}")
    return model
