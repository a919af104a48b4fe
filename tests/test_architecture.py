"""docs/architecture.md lists the files that an item passes through; here one item of every suite is walked."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

RENEW = "python benchmarks/house.py walk --write"
MOST = 45  # files that an item passes


@pytest.fixture(scope="module")
def house(root: Path) -> Any:
    spec = importlib.util.spec_from_file_location("house", root / "benchmarks" / "house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite",
    ["kinship", pytest.param("analogy", marks=pytest.mark.wordnet), "script", "inference"],
)
@pytest.mark.nightly
def test_an_item_passes_through_the_files_that_are_listed(house: Any, suite: str) -> None:
    walked, listed = set(house.walk_alone(suite)), house.read_list()[suite]
    assert not walked - listed, f"not listed: {sorted(walked - listed)}; run: {RENEW}"
    assert not listed - walked, f"listed but not reached: {sorted(listed - walked)}; run: {RENEW}"


def test_the_list_has_every_suite_and_only_files_that_are_there(house: Any) -> None:
    listed = house.read_list()
    assert set(listed) == set(house.WALKS)
    assert {suite: len(files) for suite, files in listed.items() if len(files) > MOST} == {}
    missing = {file for files in listed.values() for file in files if not (house.PACKAGE / file).is_file()}
    assert not missing, f"{sorted(missing)}; run: {RENEW}"


def test_a_list_that_is_written_is_read_back(house: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{house.BEGIN}old\n{house.END}after\n")
    walks = {
        "kinship": ["cli/main.py", "core/files.py", "suites/kinship/__init__.py"],
        "script": ["cli/main.py", "suites/script/__init__.py"],
    }
    house.write_list(walks, page)
    assert house.read_list(page) == {suite: set(files) for suite, files in walks.items()}
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "[`cli/main.py`](../src/proband/cli/main.py)" in text
    assert "**kinship** (3 files in all, 1 of them the suite's own), in addition:" in text


BESIDE = ("interop", "plugins", "proofs")  # what they test is not in src/proband; so is what stands in tests/ itself


def test_a_test_lies_where_its_source_lies(root: Path) -> None:
    """`tests/a/test_b_something.py` tests `a/b.py` or the folder `a/b/`, or is about the folder `a`."""
    source, elsewhere = root / "src" / "proband", []
    for path in sorted((root / "tests").rglob("test_*.py")):
        folder = path.relative_to(root / "tests").parent
        if not folder.parts or folder.parts[0] in BESIDE:
            continue
        there = source / folder
        names = {each.stem for each in there.iterdir()} | {folder.name} if there.is_dir() else set()
        name = path.stem.removeprefix("test_")
        if not any(name == each or name.startswith(f"{each}_") for each in names):
            elsewhere.append(str(path.relative_to(root)))
    assert not elsewhere, elsewhere


def test_every_module_has_a_test_file_of_its_name(root: Path) -> None:
    """`a/b.py` has `tests/a/test_b.py`; what is made for another tool may have `test_b.py` in a folder of BESIDE."""
    source, tests = root / "src" / "proband", root / "tests"
    beside = {path.name for folder in BESIDE for path in (tests / folder).rglob("test_*.py")}
    without = []
    for path in sorted(path for path in source.rglob("*.py") if not path.stem.startswith("__")):
        own = tests / path.relative_to(source).with_name(f"test_{path.stem.lstrip('_')}.py")
        if own.name not in beside and not own.is_file():
            without.append(str(path.relative_to(root)))
    assert not without, without


def test_no_browser_test_evaluates_a_string_on_the_page(root: Path) -> None:
    """That wait polls with `eval`, which the pages' own security policy forbids: `expect` waits outside."""
    name = "wait_for_" + "function"
    tests = [path for folder in ("tests", "annotate/tests") for path in sorted((root / folder).rglob("*.py"))]
    assert not [str(path.relative_to(root)) for path in tests if name in path.read_text(encoding="utf-8")]
