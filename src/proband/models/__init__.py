"""Models by name: `KIND:REST`, one file or folder per kind of model.

    hf:NAME_OR_PATH  gguf:FILE  vec:PATH  relbert:NAME_OR_PATH  openai:MODEL@BASE_URL  anthropic:MODEL  gemini:MODEL
    baseline:random|majority  embedded:NAME  scores:FILE

Other packages add kinds through the entry point `proband.models` (a `ModelKind`), and `package.module:Object` names any
model object for a quick try. (`net:MODELDIR` and `solver:NAME` belong to a suite; the pipeline resolves them.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

from proband.core.errors import ProbandError, did_you_mean
from proband.core.plugins import ModelKind, Registry, check_model, check_named, is_path, object_at, read_options

__all__ = ["KINDS", "ModelKind", "check_named", "kind_of", "kinds", "load"]

# built-in kind -> where its `ModelKind` is
KINDS: Mapping[str, str] = {
    "hf": "proband.models.hf:KIND",
    "gguf": "proband.models.hf:GGUF",
    "vec": "proband.models.vectors.word_vectors:KIND",
    "relbert": "proband.models.relbert:KIND",
    "openai": "proband.models.remote.openai:KIND",
    "anthropic": "proband.models.remote.native:ANTHROPIC_KIND",
    "gemini": "proband.models.remote.native:GEMINI_KIND",
    "baseline": "proband.models.baseline:KIND",
    "embedded": "proband.models.hf:EMBEDDED",
    "scores": "proband.models.scores:KIND",
    "fake": "proband.models.fake:KIND",
}
_MODELS = Registry("proband.models", ModelKind, KINDS)
kind_of, kinds = _MODELS.get, _MODELS.all
IN_FILES = ("hf", "gguf", "vec", "relbert")  # kinds whose name may be a file or folder


def load(spec: str, given: Mapping[str, Any] | None = None) -> Any:
    """The model that a user named. `given`: loading options of its kind, as text or values; None means not given."""
    name, _, rest = spec.partition(":")
    settings = {key: value for key, value in (given or {}).items() if value is not None}
    kind = kind_of(name) if rest else None
    if kind is None:
        _check_kind(spec)
        return check_model(_made(object_at(name, rest), spec, settings), spec)
    options: Any = read_options(kind.options, settings, of=f"{name}:...")
    if name in KINDS:
        return kind.load(rest, options=options)
    try:
        return check_model(kind.load(rest, options=options), spec)
    except ModuleNotFoundError as error:
        raise ProbandError(f"{spec} needs the package {error.name}, which is not installed") from None


def _made(result: Any, spec: str, settings: Mapping[str, Any]) -> Any:
    """The object itself if it is a model; a class or factory is called with the settings."""
    if hasattr(result, "identity") and not isinstance(result, type):
        if settings:
            raise ProbandError(f"{spec} is an object, not a class, and takes no option {next(iter(settings))!r}")
        return result
    if not callable(result):
        raise ProbandError(f"{spec} is of type {type(result).__name__}, not a model or a function that returns one")
    try:
        return result(**{name.replace("-", "_"): value for name, value in settings.items()})
    except TypeError as error:
        raise ProbandError(f"{spec} cannot be made with the options {sorted(settings)}: {error}") from None


def with_seed(spec: str, given: Mapping[str, Any], *, seed: int) -> Mapping[str, Any]:
    """The loading options with the seed of the run, for kinds of models that have one, unless a seed is given."""
    kind = kind_of(spec.partition(":")[0])
    has_seed = kind is not None and any(field.name == "seed" for field in fields(kind.options))
    return {"seed": seed, **given} if has_seed else given


# ---- names of models -------------------------------------------------------------------------------------------------


def at_server(model: Any) -> bool:
    """Whether the name is that of a model on a server."""
    kind = kind_of(model.partition(":")[0]) if isinstance(model, str) else None
    return kind is not None and kind.asks is not None


def check_name(spec: str) -> None:
    """Raise an error unless the name can be a model's: its kind is known, and the file or folder in it exists."""
    kind, _, rest = spec.partition(":")
    _check_kind(spec)
    if kind in IN_FILES and rest.startswith(("/", "./", "../", "~")) and not Path(rest).expanduser().exists():
        raise ProbandError(f"{spec}: no such file or folder")


def _check_kind(spec: str) -> None:
    """Raise an error unless the name has a known kind or may be an importable object."""
    name, _, rest = spec.partition(":")
    named = [each for each in _MODELS.names() if each != "fake"]
    if rest and (name in (*named, "fake", "net", "solver") or (is_path(name, rest) and _may_be_module(name))):
        return
    close = did_you_mean(name, [*named, "net", "solver"]) if rest else _with_kind(spec)
    known = ", ".join(f"{each}:..." for each in named)
    raise ProbandError(
        f"no model {spec!r}{close}: a model is named KIND:NAME with one of {known}, net:DIR, solver:NAME, "
        "or package.module:Object"
    )


def _may_be_module(name: str) -> bool:
    first = name.partition(".")[0]
    return "." in name or find_spec(first) is not None or Path(f"{first}.py").exists() or Path(first).is_dir()


def _with_kind(name: str) -> str:
    from proband.models.hf import PACKAGES

    if (kind := name.removesuffix(":")) in _MODELS.names():
        return f" (did you mean {kind}:NAME?)"
    kind = "gguf" if name.lower().endswith(".gguf") else "embedded" if name in PACKAGES else "hf"
    return f" (did you mean {kind}:{name}?)" if name and not name.endswith(":") else ""


def title_of(model: str) -> str:
    """The display name of a model; empty if it equals the model's name.

    >>> title_of("hf:HuggingFaceTB/SmolLM2-135M"), title_of("gguf:/data/qwen-1.5b.gguf"), title_of("baseline:random")
    ('SmolLM2-135M', 'qwen-1.5b', '')
    >>> title_of("embedded:smollm2"), title_of("openai:gpt-4o@http://localhost:8000/v1")
    ('SmolLM2-135M-Instruct', 'gpt-4o')
    """
    from proband.models.hf import PACKAGES

    kind, _, rest = model.partition(":")
    if kind == "embedded" and rest in PACKAGES:
        return PACKAGES[rest][2].partition(",")[0]
    named = kind in IN_FILES or at_server(model)
    return PurePath(rest.partition("@http")[0]).name.removesuffix(".gguf") if named else ""
