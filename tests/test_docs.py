"""Documentation under test: every `console` and `python` block of README and docs/ runs, page by page.

A `console` line that begins with `$ ` is a command and must succeed; the lines below it must stand in its output
(`...` stands for any lines). A block with a file name after its language (```python my_model.py) is written to that
file. `pip install` goes to a folder of the page's own, and a server that a page starts with `--port` gets a free port
in place of the one that readers see, so that two runs do not collide. Blocks marked `text` are not run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proband.lexicon import wordnet

ROOT = Path(__file__).resolve().parents[1]
SITE = ".site"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python|(?:toml|jinja|json)(?= ))(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)

# a command that needs no shell: `! ` says that it fails, and its output may go to a file
OURS = re.compile(
    r"(?P<fails>! )?(?P<command>proband (?:'[^']*'|[^'|<>&;$*`\\])+?)(?: > (?P<file>\S+)|(?P<either> 2>&1 \|\| true))?"
)

# Pages that load models, evaluate whole panels, train nets or go through what other tests have by day: the shell runs
# them at night.
SUITE_PAGES = ("analogy", "facts", "inference", "kinship", "script")
OTHERS = ("asking", "audit", "compare", "evaluate", "extending", "kinship-nets", "kinship-stories", "quickstart")
BY_NIGHT = tuple(
    f"docs/{page}.md" for page in (*SUITE_PAGES, *OTHERS, "replies", "statistics", "studies", "variations")
)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


PAGES_WITH_BLOCKS = pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT))
)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page) and not str(page).endswith(BY_NIGHT)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_block_runs(page: Path, tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, which has imported everything once; commands with pipes and the like in a shell."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / SITE).mkdir()
    for folder in (tmp_path, tmp_path / SITE):
        monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    check(page, tmp_path, run_here)
    for name in set(sys.modules) - before:  # modules of the page: another page may have one of the same name
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@PAGES_WITH_BLOCKS
def test_every_block_runs_in_a_shell(page: Path, tmp_path: Path, fresh_cache: Path) -> None:
    check(page, tmp_path, run)


def check(page: Path, folder: Path, run: Callable[[list[str], Path, str], str]) -> None:
    if page.name == "README.md" and wordnet.installed() is None:
        pytest.skip("its figures are those of items that were checked with WordNet (Debian: apt install wordnet-base)")
    ports = {port: free_port() for _, _, body in blocks(page) for port in re.findall(r"--port (\d+)", body)}
    for kind, file, body in blocks(page):
        for port, free in ports.items():
            body = body.replace(port, free)
        if file:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(body, encoding="utf-8")
        elif kind == "python":
            run([sys.executable, "-c", body], folder, body)
        else:
            for command, expected in commands(body):
                output = run(["bash", "-euo", "pipefail", "-c", command], folder, command)
                for line in expected:
                    assert " ".join(line.split()) in " ".join(output.split()), f"{command}\n{output}"


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def commands(body: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif line.strip() not in ("", "..."):
            assert found, f"output before any command: {line}"
            found[-1][1].append(line)
    return found


def run_here(words: list[str], folder: Path, what: str) -> str:
    """A block of Python, or a plain command of ours, without a process of its own."""
    from proband.cli import main

    is_python = words[0] == sys.executable
    plain = None if is_python else OURS.fullmatch(what.replace("\\\n", " "))
    if not is_python and plain is None:
        output = run(words, folder, what)
        importlib.invalidate_caches()  # it may have installed something
        return output
    printed, file = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(file if plain and plain["file"] else printed), contextlib.redirect_stderr(printed):
        if plain is None:
            exec(compile(what, "block", "exec"), {"__name__": "__main__"})
        else:
            code = main(shlex.split(plain["command"], comments=True)[1:])
            assert plain["either"] or bool(code) == bool(plain["fails"]), f"{what}\n{printed.getvalue()}"
    if plain and plain["file"]:
        (folder / plain["file"]).write_text(file.getvalue(), encoding="utf-8")
    return printed.getvalue()


def run(words: list[str], folder: Path, what: str) -> str:
    site = folder / SITE  # what a page installs; its dependencies are here already
    environment = {
        **os.environ,
        "PIP_TARGET": str(site),
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # (sic) this is how pip reads the variable
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONPATH": os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{what}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in [*PAGES, *sorted(ROOT.glob("*.md")), *sorted((ROOT / "experiments").rglob("*.md")), ROOT / "llms.txt"]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)} -> {target}")
    assert not broken, broken


def test_cli_pages_are_those_the_program_prints() -> None:
    pages = runpy.run_path(str(ROOT / "tests" / "docs_cli.py"))["pages"]
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == pages(), "run: python tests/docs_cli.py"


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_activations_move_from_the_changed_word_to_the_answer() -> None:
    book = runpy.run_path(str(ROOT / "tests" / "docs_notebook.py"))
    lines = book["outputs"](book["executed"]("patching"))[-1][0].splitlines()
    first, last = ([float(number) for number in line.split()[1:]] for line in (lines[1], lines[-1]))
    assert first[0] > 0.9 > 0.1 > first[1]
    assert last[0] < 0.1 < 0.9 < last[1]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_and_every_cell_shows_something() -> None:
    """Its text is renewed by hand: the stories, and so the figures, change with the template bank."""
    book = runpy.run_path(str(ROOT / "tests" / "docs_notebook.py"))
    now, there = (book["outputs"](each) for each in (book["executed"](), book["read"]()))
    assert all(now)
    assert list(map(len, now)) == list(map(len, there)), "run: python tests/docs_notebook.py"
    assert now[-2] == ["(1.0, 'solver:read is better')"]


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_goes_from_installation_to_a_page() -> None:
    """Its first cell installs packages, and is not run here."""
    book = runpy.run_path(str(ROOT / "tests" / "docs_notebook.py"))
    first = next(cell for cell in book["read"]("first-page").cells if cell.cell_type == "code")
    assert "%pip install" in first.source
    shown = book["outputs"](book["executed"]("first-page"))
    assert all(shown)
    assert "GloVe-6B-50d is better" in shown[2][0]
    assert "written: analogy.html index.html questions.html" in shown[-1][0]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_stranger_adds_a_probe_and_a_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The changes of extending.md apply to the source as it is, and its commands give what it shows."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "src", tmp_path / "src")
    for kind, file, body in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if kind == "python" and file.startswith("src/"):
            (tmp_path / file).write_text(body, encoding="utf-8")
        elif kind == "diff":
            applied = subprocess.run(["patch", "-p1"], cwd=tmp_path, input=body, capture_output=True, text=True)
            assert applied.returncode == 0, applied.stdout
    monkeypatch.chdir(tmp_path)
    shell = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with source_at(tmp_path / "src"):
        for command, expected in (each for body in shell for each in commands(body)):
            output = run_here(["bash", "-c", command], tmp_path, command)
            for line in expected:
                assert " ".join(line.split()) in " ".join(output.split()), output


@contextlib.contextmanager
def source_at(folder: Path) -> Iterator[None]:
    """Our package as it stands in another folder, in this process, which has imported all that it needs."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "proband"}
    for name in before:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        assert Path(str(importlib.import_module("proband").__file__)).is_relative_to(folder)
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "proband"]:
            del sys.modules[name]
        sys.modules.update(before)
