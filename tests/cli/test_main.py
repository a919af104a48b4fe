"""Exit codes and one-line errors; help, completion and the order of words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proband.cli.main import app, main, suite_first, verbs

VERBS = verbs()
PROGRAM = """
import sys, json, resource, contextlib, io
from proband.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, sorted(sys.modules)]))
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "build",
            "needs the name of a suite: analogy, kinship, inference, script, facts, questions, toy (see `proband build",
        ),
        ("build nothing -o x", "no suite 'nothing'"),
        ("build toy", "--out requires an argument. (see `proband build toy --help`)"),
        ("build toy -o x --count two", "build toy: 'count' is 'two'; it must be a whole number"),
        ("build toy -o x --count 0", "at least 1"),
        ("build toy -o x --kind huge", "it must be one of small, large"),
        ("build toy -o x --colour red", "Unknown option: --colour"),
        ("build toy -o x --seed one", "--seed"),
        ("build kinship -o x --k two", "'k' is 'two'"),
        ("build kinship -o x --task easy", "no task 'easy'"),
        ("run items -m gpt -o x", "a model is named KIND:NAME"),
        ("run items -m solver:magic -o x", "solver:adder"),
        ("run items -m vec:/no/such.vec -o x", "/no/such.vec"),
        ("run items -m net:/no/such -o x", "no such folder"),
        ("run items -m solver:adder -s likelihood -o x", "toy has no solver 'likelihood'"),
        ("run items -m baseline:random -o x --limit 0", "'limit' is '0'"),
        ("run items -m baseline:random -o x --limit", "--limit requires an argument"),
        ("run items -m baseline:random -o x --set a", "--set takes NAME=VALUE"),
        ("run items -m baseline:random -o x --model-set a", "--model-set takes NAME=VALUE"),
        ("run items -m baseline:random -o x --set a=1", "no option 'a'"),
        ("run items -m baseline:random -o x --model-set a=1", "no option 'a'"),
        ("run items -m baseline:random -o x --engine spark", "it must be one of local, ray"),
        ("run /no/such -m baseline:random -o x", "proband build"),
        ("run items more -m baseline:random -o x", "more"),
        ("run", "ITEMS"),
        ("report", "RUNS"),
        ("show items nobody", "no item 'nobody'"),
        ("export items --to docx", "no format 'docx'"),
        ("train items --net nothing -o x", "no net 'nothing'"),
        ("train items --net nothing -o x --seeds 0,x", "--seeds"),
        ("paper toy -o x", "--data"),
        ("list things", '"suites"'),
        ("frobnicate", "(see `proband --help`)"),
        ("--frobnicate", "--frobnicate"),
    ],
)
def test_mistakes_get_one_line(
    proband: Any, items: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(items.parent)
    monkeypatch.delenv("PROBAND_DATA", raising=False)
    assert message in proband.fails(*words.split())


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "proband: interrupted; the output may be incomplete"),
        (OSError(28, "No space left on device", "items.jsonl"), 2, "items.jsonl: No space left on device"),
        (MemoryError(), 2, "out of memory"),
        (ModuleNotFoundError("no torch", name="torch"), 2, "pip install 'proband[models]'"),
        (ModuleNotFoundError("no mouse", name="mouse"), 70, "mouse"),
        (ValueError("a\nb"), 70, "internal error: ValueError: a b (PROBAND_DEBUG=1 shows the traceback)"),
    ],
)
def test_what_goes_wrong_inside_is_one_line(
    proband: Any, stage: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    def broken() -> None:
        raise error

    monkeypatch.delenv("PROBAND_DEBUG", raising=False)
    monkeypatch.setattr("proband.cli.verbs.listing.listing", broken)
    assert message in proband.fails("list", code=code)
    if code == 70:
        monkeypatch.setenv("PROBAND_DEBUG", "1")
        with pytest.raises(type(error)):
            proband("list")


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "proband", "--help"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_the_module_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "proband", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("proband ")


# ---- help ----------------------------------------------------------------------------------------------------------


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
        pytest.param(["study", "--help"], marks=pytest.mark.nightly),
        pytest.param(["inference", "assertions", "--help"], marks=pytest.mark.nightly),
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
    assert suite_first(["build", "--data", "facts", "questions"])[1] == "questions"
    assert suite_first(["build", "--force", "kinship"])[1] == "kinship"


def test_completion_knows_verbs_and_the_options_of_suites() -> None:
    script = app(["--install-completion"]).generate_completion(shell="bash")
    for word in ("compare", "kinship", "--per-k", "--retry-errors"):
        assert word in script


def test_a_suite_without_commands_of_its_own_says_so(proband: Any) -> None:
    assert "toy has no commands" in proband.fails("toy", "--help")


def test_a_verb_of_a_package_that_is_absent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says how to install it; the list of verbs has it too, and other verbs do not look for it."""
    looked_up = sys.modules["proband.cli.main"]
    monkeypatch.setattr(looked_up, "entry_points_of", lambda group, built_in: {})
    assert main(["annotate", "status", "study"]) == 2
    assert capsys.readouterr().err == "proband: `proband annotate` is not installed: pip install proband-annotate\n"
    assert main(["--help"]) == 0
    assert "annotate              `proband annotate` is not installed: pip install proband-annotate" in (
        capsys.readouterr().out
    )

    def refuse(*args: object, **given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(looked_up, "entry_points_of", refuse)
    assert main(["list", "suites"]) == 0
