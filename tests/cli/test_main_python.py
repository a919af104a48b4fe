"""Every verb of the command line is a function of the package, or dispatches to some with all of its options."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest

import proband
from proband import suites
from proband.cli.main import VERBS, app, summary
from proband.core.plugins import declared, described
from proband.pipeline.run_options import ReaderOptions, RunOptions, SharedRunOptions

FUNCTIONS = {"list": "listing", "steps": "check_replies"}  # `proband.steps` is a package, `list` Python's own
DISPATCHING: dict[
    str, dict[str, str]
] = {  # verbs with a function of their own -> what takes their options in Python; None: what it is for
    "run": {},
}


def options_of(*words: str) -> list[str]:
    command: Any = app(words)
    for word in words:
        command = command[word]
    return [each.name.removeprefix("--") for each in command.assemble_argument_collection()]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_function_of_the_package(verb: str) -> None:
    function = declared(VERBS[verb][0])
    own = getattr(proband, FUNCTIONS.get(verb, verb))
    assert summary(VERBS[verb][0]) == inspect.getdoc(function).partition("\n")[0] != ""  # type: ignore[union-attr]
    if verb not in DISPATCHING:
        assert inspect.unwrap(own) is function
        return
    elsewhere = DISPATCHING[verb]
    for name in inspect.signature(function).parameters:
        if name != "given":
            there = getattr(proband, elsewhere.get(name, verb))
            assert name in ("prompt", "wrong") or name in inspect.signature(there).parameters, name
    assert set(elsewhere) <= {*inspect.signature(function).parameters}


@pytest.mark.parametrize(("verb", "kind"), [("evaluate", SharedRunOptions), ("audit", ReaderOptions)])
def test_options_of_its_runs_are_options_of_a_verb(verb: str, kind: Any) -> None:
    names = [field.on_command_line.name or field.name for field in described(RunOptions)
             if field.attribute in get_type_hints(kind)]  # fmt: skip
    assert {name.removeprefix("--") for name in names} <= set(options_of(verb))
    assert len(names) == len(get_type_hints(kind))


@pytest.mark.parametrize("suite", suites.names())
def test_every_option_of_a_build_is_one_in_python(suite: str) -> None:
    shared = {"out", "seed", "force", "profile", "dry_run"}
    assert shared <= set(inspect.signature(proband.build).parameters)
    own = {field.name for field in described(suites.suite(suite).options)}
    assert {name.replace("-", "_") for name in options_of("build", suite)} - shared - {"json"} == {
        name.replace("-", "_") for name in own
    }


def test_unknown_options_are_named() -> None:
    with pytest.raises(proband.core.errors.ProbandError, match="audit has no option 'solver'"):
        proband.audit("rows.csv", out="x", solver="direct")  # type: ignore[call-arg]
