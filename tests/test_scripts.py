"""Scripts outside the package import what is there: `mypy` does not read them."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

FOLDERS = ("benchmarks", "experiments", "proofs")
SOURCES = ("src", "annotate/src", "plugins/proband-puzzles/src")
TESTS = ("annotate/tests", "tests", "benchmarks")  # where a script may find another script
# installed to be measured against; `pretrain` is the recipe of the shipped model, whose folder is an option
ELSEWHERE = {
    "lm_eval",
    "clingo",
    "lm_pub_quiz",
    "evalstats",
    "evalci",
    "confseq",
    "duckdb",
    "reasoning_gym",
    "pretrain",
}


@cache
def names(path: Path) -> frozenset[str]:
    """What a module has at its top level."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)


def module(name: str, folders: list[Path]) -> Path | None:
    """The file of a module, or its folder's `__init__.py`."""
    for folder in folders:
        place = folder.joinpath(*name.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def missing(script: Path, root: Path) -> list[str]:
    folders = [script.parent, *(root / each for each in (*SOURCES, *TESTS))]
    wrong = []
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        wanted = [(alias.name, "") for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            wanted = [
                (name, "") if module(name, folders) else (node.module, alias.name)
                for name, alias in zip(inside, node.names, strict=True)
            ]
        for name, attribute in wanted:
            file = module(name, folders)
            if file is None:
                top = name.partition(".")[0]
                if top not in ELSEWHERE and not (importlib.util.find_spec(top) and not top.startswith("proband")):
                    wrong.append(name)
            elif attribute and names(file).isdisjoint({attribute, "__getattr__"}):
                wrong.append(f"{name}.{attribute}")
    return wrong


@pytest.mark.parametrize("folder", FOLDERS)
def test_scripts_import_what_is_there(folder: str, root: Path) -> None:
    scripts = sorted((root / folder).rglob("*.py"))
    found = {str(script.relative_to(root)): missing(script, root) for script in scripts}
    assert scripts
    assert not {script: names for script, names in found.items() if names}


def test_a_name_that_is_gone_is_found(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from proband.core.files import read_items, gone\nimport nowhere_at_all\nimport json\n")
    assert missing(script, root) == ["proband.core.files.gone", "nowhere_at_all"]


def test_scripts_read_their_arguments_with_argparse(root: Path) -> None:
    """So that `--help` and missing arguments answer in a sentence."""
    scripts = [script for folder in FOLDERS for script in sorted((root / folder).rglob("*.py"))]
    nodes = {script: ast.walk(ast.parse(script.read_text("utf-8"))) for script in scripts}
    assert not [script for script in scripts if any(getattr(each, "attr", "") == "argv" for each in nodes[script])]


PYTHON_COMMAND = re.compile(r"python ((?:benchmarks|experiments|proofs)/[\w/]+\.py)([^\n`|>#]*)")


def unknown_options(text: str, root: Path) -> list[str]:
    """Scripts of commands that are gone, and options that their script does not have."""
    wrong = []
    for name, rest in PYTHON_COMMAND.findall(text.replace("\\\n", " ")):
        script = root / name
        code = script.read_text("utf-8") if script.is_file() else ""
        words = rest.strip().partition("  ")[0].split()  # what a script does may be explained behind its command
        options = [word for word in words if word.startswith("--") and word != "--"]
        wrong += [f"{name} {option}" for option in options if f'"{option}"' not in code] if code else [name]
    return wrong


def test_commands_of_pages_name_scripts_and_options_that_are_there(root: Path) -> None:
    pages = [page for folder in (*FOLDERS, "docs") for page in sorted((root / folder).rglob("*.md"))]
    scripts = [script for folder in FOLDERS for script in sorted((root / folder).rglob("*.py"))]
    wrong = {str(page.relative_to(root)): unknown_options(page.read_text("utf-8"), root) for page in (*pages, *scripts)}
    assert not {page: names for page, names in wrong.items() if names}
    assert unknown_options("`python benchmarks/report.py --answers 3 --gone`", root) == ["benchmarks/report.py --gone"]
