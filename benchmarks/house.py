"""The size of the house, and how many files an item passes through.

    python benchmarks/house.py            files, lines, small files, modules with a single importer
    python benchmarks/house.py walk       files executed by `build`, `run` and `report` for one item of every suite

A file is executed if one of its functions is called; bodies of modules and classes, which run when a file is only
imported, do not count. The walk runs in one process, so that nothing is missed.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src"
SMALL, SHORT = 30, 60  # lines
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


def walk(suite: str) -> set[str]:
    """The files of which a function is called between the first and the last command."""
    from proband.cli import main

    executed: set[str] = set()
    source = {str(path) for path in modules().values()}

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED and file in source:
            executed.add(file)

    build, run = (command.split() for command in WALKS[suite])
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        items, answers, report = (str(Path(folder) / name) for name in ("items", "run", "report"))
        commands = [*build, "-o", items], [run[0], items, *run[1:], "-o", answers], ["report", answers, "-o", report]
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            codes = [main(command) for command in commands]
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
    assert codes == [0, 0, 0], codes
    return executed


if __name__ == "__main__":
    if sys.argv[1:] == ["walk"]:
        for suite in WALKS:
            files = walk(suite)
            own = sum(f"/suites/{suite}/" in file for file in files)
            print(f"{suite:10} {len(files):4} files, {own} of them the suite's own")
    else:
        for name, number in count().items():
            print(f"{name:32} {number:7,}")
