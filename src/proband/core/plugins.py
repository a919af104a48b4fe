"""What other packages add to Proband: objects under an entry point, or named as `package.module:Object`.

Entry points are only looked up when somebody asks, and only the one that is asked for is imported.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from proband.core.errors import ProbandError, not_installed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def entry_points_of(group: str, *, built_in: Iterable[str]) -> dict[str, EntryPoint]:
    """The entry points of a group by name, not imported; a name that is taken is an error."""
    points: dict[str, EntryPoint] = {}
    for point in _entry_points(group, tuple(map(_state, sys.path))):
        if point.name in built_in or point.name in points:
            owner = f"one of {_package(points[point.name])}" if point.name in points else "a built-in one"
            raise ProbandError(f"{_package(point)}: its {group} entry point {point.name!r} has the name of {owner}")
        points[point.name] = point
    return points


@lru_cache(maxsize=8)
def _entry_points(group: str, places: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Looked up again when a package was added to one of the places: each time a file of every package is read."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def _state(place: str) -> tuple[str, int]:
    """A place where packages stand, and when it was changed."""
    try:
        return place, os.stat(place or os.curdir).st_mtime_ns
    except OSError:
        return place, 0


def imported(point: EntryPoint, kind: type) -> Any:
    """The object of an entry point, which must be a `kind` with the entry point's name."""
    place = f"{_package(point)}: its {point.group} entry point {point.name!r}"
    try:
        loaded = point.load()
    except Exception as error:  # somebody else's code fails in its own ways
        raise ProbandError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    if not isinstance(loaded, kind):
        raise ProbandError(f"{place} is a {type(loaded).__name__}, not a {kind.__name__}")
    own = getattr(loaded, "name", None)
    if own != point.name:
        raise ProbandError(f"{place} is named {own!r}; the two names must be equal")
    return loaded


def is_path(module: str, attribute: str) -> bool:
    """Whether `module:attribute` could name an object.

    >>> is_path("package.module", "Model"), is_path("openai", "m@http://localhost"), is_path("hf", "owner/name")
    (True, False, False)
    """
    return bool(PATH.fullmatch(module) and PATH.fullmatch(attribute))


def declared(place: str) -> Any:
    """The object that a suite declares as "module:name", so that its module is imported only when it is used.

    >>> declared("proband.core.plugins:is_path") is is_path
    True
    """
    module, _, attribute = place.partition(":")
    if not is_path(module, attribute):
        raise ProbandError(f"{place!r} does not name an object as 'package.module:name'")
    return object_at(module, attribute)


def call_declared(place: str, /, *args: Any, **given: Any) -> Any:
    """Call a function that is declared as "module:name", whose module is then imported (see `functools.partial`).

    >>> call_declared("proband.core.plugins:is_path", "hf", attribute="owner/name")
    False
    """
    return declared(place)(*args, **given)


def object_at(module: str, attribute: str) -> Any:
    """The object `package.module:Object`, from what is installed or from the current folder."""
    here = os.getcwd()
    if here not in sys.path:  # the script `proband` does not look here by itself; installed packages come first
        sys.path.append(here)
    try:
        value = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError):
            if f"{module}.".startswith(f"{error.name}."):
                raise ProbandError(f"no module {module!r} is installed or in this folder") from None
            error = not_installed(error, f"the module {module!r}")
        if isinstance(error, ProbandError):
            raise error from None
        raise ProbandError(f"the module {module!r} cannot be imported: {type(error).__name__}: {error}") from None
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise ProbandError(f"the module {module!r} has no {attribute!r}", file=getattr(value, "__file__", None))
        value = getattr(value, part)
    return value


def _package(point: EntryPoint) -> str:
    return f"package {point.dist.name}" if point.dist is not None else f"module {point.module}"
