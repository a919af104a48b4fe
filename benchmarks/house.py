"""The size of the house, how many files an item passes through, and how many classes a number.

    python benchmarks/house.py                 the table: lines, files of a walk, classes, options, names (a minute)
    python benchmarks/house.py count           files, lines, small files, modules with a single importer
    python benchmarks/house.py walk            files executed by `build`, `run` and `report` for one item of every suite
    python benchmarks/house.py walk --write    the same, and the list in docs/architecture.md is written anew
    python benchmarks/house.py names           class names that several modules use
    python benchmarks/house.py walk numbers    the classes that a number passes in `report`
    python benchmarks/house.py walk SUITE      the files of one suite, in the order in which they are reached

A file is executed if one of its functions is called by a command; what runs while a module is imported does not count.
Every suite is walked in a process of its own, without worker processes and with an empty cache of answers, so that
nothing is missed. Templates of pages are not counted. A number passes a class if `report` makes an instance of it that
holds a number (a float, an array of floats, or an instance of such a class), in the rooms of scores, cells and tables:
the way of a mean with its interval. Drawings, comparisons and the estimate of a spread are apart.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "proband"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- written by: python benchmarks/house.py walk --write -->\n", "<!-- end of what was written -->\n"
SMALL, SHORT = 30, 60  # lines
NUMBER_ROOMS = (
    "proband.core.metrics",
    "proband.core.suite",
    "proband.core.types",
    "proband.stats.scores",
    "proband.stats.estimators",
    "proband.reporting.numbers",
    "proband.reporting.tables",
)
WALKS = {
    "kinship": ("build kinship --task clean --k 2 --per-k 1", "run -m solver:symbolic"),
    "analogy": ("build analogy --per-relation 1", "run -m embedded:mlm -s pppl --limit 1"),
    "script": ("build script", "run -m embedded:mlm --limit 1"),
    "inference": ("build inference", "run -m embedded:mlm --limit 1"),
}


def modules() -> dict[str, Path]:
    return {".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in sorted(SOURCE.rglob("*.py"))}


def importers(known: dict[str, Path]) -> dict[str, set[str]]:
    """Module -> the modules that import it or a name of it, inside functions too."""
    of: defaultdict[str, set[str]] = defaultdict(set)
    for module, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                if name in known and name != module:
                    of[name].add(module)
    return of


def count() -> dict[str, int]:
    known = modules()
    lines = {module: path.read_text(encoding="utf-8").count("\n") for module, path in known.items()}
    of = importers(known)
    single = [module for module in known if len(of[module]) == 1 and not module.endswith("__init__")]
    return {
        "source files": len(known),
        "lines": sum(lines.values()),
        f"files under {SMALL} lines": sum(size < SMALL for size in lines.values()),
        "modules with a single importer": len(single),
        f"of these under {SHORT} lines": sum(lines[module] < SHORT for module in single),
    }


def definitions() -> Iterator[tuple[str, ast.AST]]:
    for module, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield module, node


def untyped_functions() -> int:
    """Functions whose result is a dictionary of anything."""
    functions = (node for _, node in definitions() if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(each.returns is not None and ast.unparse(each.returns) == "dict[str, Any]" for each in functions)


def shared_names() -> dict[str, list[str]]:
    """Names of classes that several modules define: name -> modules."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(module.removeprefix("proband."))
    return {name: sorted(set(each)) for name, each in sorted(places.items()) if len(set(each)) > 1}


def options(verb: str) -> int:
    """Options of a verb, as its page in docs/cli.md lists them."""
    pages = re.split(r"^#+ ", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    page = next(each for each in pages if each.partition("\n")[0] == f"proband {verb}")
    listed = set(re.findall(r"^ *\*? *(--[a-z-]+)", page, re.MULTILINE))
    return len({each for each in listed if f"--{each.removeprefix('--no-')}" not in listed - {each}})


def table() -> dict[str, str]:
    """What the house is measured by."""
    walks = {suite: len(walk_alone(suite)) for suite in WALKS}
    return {
        "lines of src/proband": f"{count()['lines']:,}",
        f"files an item passes ({' / '.join(walks)})": " / ".join(map(str, walks.values())),
        "classes a number passes from answers to a page": str(len(walk_alone("numbers"))),
        "functions that return dict[str, Any]": str(untyped_functions()),
        "options of run, of build kinship": f"{options('run')}, {options('build kinship')}",
        "class names used for several things": str(len(shared_names())),
    }


# ---- walks: what is executed -----------------------------------------------------------------------------------------


def number_classes() -> list[str]:
    """The classes whose instances carry a number through `report`, in the order in which they are reached."""
    import numpy as np

    from proband.cli import main

    carriers: dict[type, None] = {}

    def is_number(value: Any) -> bool:
        floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return floats or isinstance(value, float) or type(value) in carriers

    def note(frame: FrameType, event: str, _: Any) -> None:
        if frame.f_code.co_filename != "<string>":  # where dataclasses and named tuples are made
            return
        values = dict(frame.f_locals)
        kind = values.pop("_cls", None) or type(values.pop("self", None))
        if kind.__module__.startswith(NUMBER_ROOMS) and any(map(is_number, values.values())):
            carriers[kind] = None

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.environ["PROBAND_CACHE"] = folder
        sys.modules["matplotlib"] = None  # type: ignore[assignment]
        items, runs, report = (str(Path(folder) / name) for name in ("items", "runs", "report"))
        codes = [main(["build", "kinship", "--k", "2,3", "--per-k", "22", "-o", items])]
        codes.append(main(["run", items, "-m", "baseline:random", "-o", runs]))
        sys.settrace(note)
        try:
            codes.append(main(["report", runs, "-o", report]))
        finally:
            sys.settrace(None)
    assert codes == [0, 0, 0], codes
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in carriers]


def walk(suite: str) -> list[str]:
    """The files of which a function is called between the first and the last command, in that order."""
    from proband.cli import main

    executed: dict[str, None] = {}
    known: set[CodeType] = set()  # what need not be looked at again

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code in known:
            return
        file = code.co_filename
        if file in executed or not file.startswith(str(SOURCE)) or not file.endswith(".py"):
            known.add(code)
        elif not _importing(frame):
            known.add(code)
            executed[file] = None

    sys.modules["matplotlib"] = None  # type: ignore[assignment]  # painting takes half the time and no other file of ours
    build, run = (command.split() for command in WALKS[suite])
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.environ["PROBAND_CACHE"] = folder
        items, answers, report = (str(Path(folder) / name) for name in ("items", "run", "report"))
        commands = [*build, "-o", items], [run[0], items, *run[1:], "-o", answers], ["report", answers, "-o", report]
        threading.settrace(note)
        sys.settrace(note)
        try:
            codes = [main(command) for command in commands]
        finally:
            sys.settrace(None)
            threading.settrace(None)
    assert codes == [0, 0, 0], codes
    return [str(Path(file).relative_to(PACKAGE)) for file in executed]


def _importing(frame: FrameType | None) -> bool:
    """Whether a module of ours is being imported, or this is the body of one or of a class."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(SOURCE)):
            return True
        frame = frame.f_back
    return False


def walk_alone(suite: str) -> list[str]:
    """The same in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, __file__, "walk", suite]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.split()


def own(suite: str, files: list[str]) -> list[str]:
    return [file for file in files if file.startswith(f"suites/{suite}/")]


# ---- the list in docs/architecture.md ------------------------------------------------------------------------------


def listed(walks: dict[str, list[str]]) -> str:
    """The walks as Markdown: first what all suites share, then what each one has besides."""
    first = next(iter(walks.values()))
    shared = [file for file in first if all(file in files for files in walks.values())]
    parts = [f"**Every suite** ({len(shared)} files):\n", _links(shared)]
    for suite, files in walks.items():
        rest = [file for file in files if file not in shared]
        head = (
            f"**{suite}** ({len(files)} files in all, {len(own(suite, files))} of them the suite's own), in addition:"
        )
        parts += [f"\n{head}\n", _links(rest)]
    return "\n".join(parts) + "\n"


def _links(files: list[str]) -> str:
    return " →\n".join(f"[`{file}`](../src/proband/{file})" for file in files)


def read_list(page: Path = PAGE) -> dict[str, set[str]]:
    """Suite -> its files, as the page lists them."""
    lines = page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].splitlines()
    heads = [line.split("**")[1] for line in lines if line.startswith("**")]
    found: dict[str, set[str]] = {head: set() for head in heads}
    head = ""
    for line in lines:
        head = line.split("**")[1] if line.startswith("**") else head
        if line.startswith("[`"):
            found[head].add(line.split("`")[1])
    shared = found.pop(heads[0])
    return {suite: shared | files for suite, files in found.items()}


def write_list(walks: dict[str, list[str]], page: Path = PAGE) -> None:
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{listed(walks)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", default="all", choices=("all", "count", "walk", "names"))
    parser.add_argument("walked", nargs="?", choices=("numbers", *WALKS), metavar="numbers | SUITE")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.table == "walk" and given.walked == "numbers":
        print("\n".join(number_classes()))
    elif given.table == "walk" and given.walked:
        print("\n".join(walk(given.walked)))
    elif given.table == "walk":
        walks = {suite: walk_alone(suite) for suite in WALKS}
        for suite, files in walks.items():
            print(f"{suite:10} {len(files):4} files, {len(own(suite, files))} of them the suite's own")
        if given.write:
            write_list(walks)
    elif given.table == "count":
        for name, number in count().items():
            print(f"{name:32} {number:7,}")
    elif given.table == "names":
        for name, places in shared_names().items():
            print(f"{name:20} {', '.join(places)}")
    else:
        for name, measured in table().items():
            print(f"{name:75} {measured}")
