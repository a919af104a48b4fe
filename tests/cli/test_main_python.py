"""Every option of the command line is one of the function in Python, or stands below with the reason why not."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_type_hints

import pytest

import proband
from proband import suites
from proband.cli.main import PACKAGED, app, verbs
from proband.core.plugins import described

FUNCTIONS = {"list": "listing", "steps": "check_replies"}  # `proband.steps` is a package, `list` Python's own
NAMES = {  # where the function has another name for it
    ("run", "set"): "options",
    ("run", "model-set"): "model_options",
    ("run", "no-cache"): "cache",
    ("evaluate", "model-set"): "model_options",
    ("evaluate", "no-cache"): "cache",
    ("train", "set"): "options",
    ("study", "set"): "parameters",
    ("paper", "set"): "parameters",
    ("paper", "model"): "models",
    ("vary", "as"): "as_",
    **{("audit", f"{what}-column"): "columns" for what in ("text", "question", "answer", "facts")},
    ("audit", "pair-columns"): "columns",
    **{("steps", f"{what}-column"): "columns" for what in ("reply", "question")},
    **{(verb, "reader"): "readers" for verb in ("audit", "steps")},
    **{
        (verb, what): "options"
        for verb in ("audit", "steps")
        for what in ("prices", "max-cost", "on-error", "no-cache", "model-set")
    },
    **{("plan", what): "assumed" for what in ("accuracy", "agreement", "within")},
}
OTHER_FUNCTIONS = {  # what is a function of its own in Python
    **{("show", what): "prompt_of" for what in ("prompt", "model", "solver", "set", "seed")},
    ("show", "wrong"): "read",
}
ON_A_TERMINAL: dict[str | tuple[str, str], str] = {  # nothing for Python, and why
    "json": "the function returns what it prints",
    "verbose": "about what is printed on standard error",
    "quiet": "about what is printed on standard error",
    ("audit", "fail-on"): "an exit code; the result has the count of every verdict",
    ("compare", "fail-if-worse"): "an exit code; the result has the difference and its interval",
    ("evaluate", "dry-run"): "the forecasts are those of `EvaluationJob(...).forecasts()`",
    ("list", "what"): "what is printed of the result",
    **{("compare", what): "the function takes any number: *runs" for what in ("run-a", "run-b", "more")},
}
OWN = [verb for verb in verbs() if verb not in PACKAGED]


def options_of(*words: str) -> list[str]:
    command: Any = app(words)
    for word in words:
        command = command[word]
    names = [each.name for each in command.assemble_argument_collection()]
    return [name.removeprefix("--").lower().replace("_", "-") for name in names if name != "*"]


def keywords_of(function: Any) -> set[str]:
    """The names that a call may use; a dictionary of named ones (`Unpack`) is all of its own."""
    names: set[str] = set()
    for each in inspect.signature(function).parameters.values():
        more = each.kind is inspect.Parameter.VAR_KEYWORD
        unpacked = get_args(get_type_hints(function)[each.name]) if more else ()
        names |= set(get_type_hints(unpacked[0])) if unpacked else set() if more else {each.name}
    return names


@pytest.mark.parametrize("verb", [verb for verb in OWN if verb != "build"])
def test_every_option_is_one_in_python(verb: str) -> None:
    given = keywords_of(getattr(proband, FUNCTIONS.get(verb, verb)))
    beside = {key for key in OTHER_FUNCTIONS if key[0] == verb}
    left = [
        name for name in options_of(verb) if (verb, name) not in beside and not {name, (verb, name)} & {*ON_A_TERMINAL}
    ]
    missing = [name for name in left if NAMES.get((verb, name), name.replace("-", "_")) not in given]
    assert not missing, f"proband.{FUNCTIONS.get(verb, verb)} has no {missing}"
    assert beside <= {(verb, name) for name in options_of(verb)}


@pytest.mark.parametrize("suite", suites.names())
def test_every_option_of_a_build_is_one_in_python(suite: str) -> None:
    shared = {"out", "seed", "force", "profile"}
    assert shared <= keywords_of(proband.build)
    own = {field.name for field in described(suites.suite(suite).options)}
    assert {*options_of("build", suite)} - shared - {"json"} <= own


def test_the_exceptions_are_options_and_functions_that_there_are() -> None:
    there = {(verb, name) for verb in OWN if verb != "build" for name in options_of(verb)}
    named = {key for key in (*NAMES, *OTHER_FUNCTIONS, *ON_A_TERMINAL) if isinstance(key, tuple)}
    assert named <= there, named - there
    assert {*FUNCTIONS.values(), *OTHER_FUNCTIONS.values()} <= {*proband.__all__}
    assert {"model", "solver", "options", "seed"} <= keywords_of(proband.prompt_of)
