"""Help, completion and the order of words."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from proband.cli.app import app, as_named_now, suite_first, verbs

VERBS = verbs()
PROGRAM = """
import sys, json, resource, contextlib, io
from proband.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, sorted(sys.modules)]))
"""


def test_help_lists_every_verb(proband: Any) -> None:
    lines = proband("--help").splitlines()
    entries = [line.split()[0] for line in lines if line.startswith("     ") and line[5:6].strip()]
    assert entries == [*VERBS, "--help", "--install-completion", "--version"]
    assert proband() == proband("--help")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(proband: Any, verb: str) -> None:
    text = proband(verb, "--help")
    assert f"Example: proband {verb} " in text
    assert text.isascii()
    assert all(len(line) <= 100 for line in text.splitlines())
    if verb not in ("build", "annotate"):  # their steps have it
        assert "--json" in text
    assert proband(verb, "-h") == text


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["study", "--help"],
        ["inference", "assertions", "--help"],
        ["build", "kinship", "--help"],
        ["list", "suites"],
    ],
)
def test_help_is_quick_and_light(words: list[str]) -> None:
    heavy = {"torch", "transformers", "polars", "scipy", "ray", "httpx", "pysat", "jinja2", "matplotlib", "sklearn"}
    heavy |= {"fastapi", "starlette", "sqlalchemy"}
    for _ in range(4):  # 0.3 to 0.7 seconds when the machine is quiet
        done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True)
        seconds, modules = json.loads(done.stdout)
        if seconds < 2.5:
            break
    assert not heavy & set(modules)
    assert seconds < 2.5
    if words in (["--help"], ["run", "--help"]):
        assert "numpy" not in modules


def test_the_suite_may_stand_anywhere() -> None:
    assert suite_first(["build", "--seed", "1", "-o", "kinship", "analogy"])[1] == "analogy"
    assert suite_first(["run", "kinship"]) == ["run", "kinship"]


def test_completion_knows_verbs_and_the_options_of_suites() -> None:
    script = app(["--install-completion"]).generate_completion(shell="bash")
    for word in ("compare", "kinship", "--per-k", "--allow-pickle"):
        assert word in script


def test_a_former_option_is_understood_and_named(proband: Any, capsys: Any) -> None:
    assert as_named_now(["run", "items", "--on-lemma", "-o", "x"]) == [
        "run",
        "items",
        "--set",
        "on-lemma=yes",
        "-o",
        "x",
    ]
    assert "`--on-lemma` is now `--set on-lemma=yes`" in capsys.readouterr().err
    assert "--on-lemma" not in proband("run", "--help")


def test_a_suite_without_commands_of_its_own_says_so(proband: Any) -> None:
    assert "toy has no commands of its own" in proband.fails("toy", "--help")
