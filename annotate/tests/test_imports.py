"""What the web app may import of Proband: records and files, templates, the list of suites, the layout of commands.
Only the kinds of task know a suite, and Proband imports nothing of the web app."""

from __future__ import annotations

import ast
from pathlib import Path

from proband import suites

SOURCE = Path(__file__).resolve().parents[1] / "src" / "proband_annotate"
ALLOWED = ("core", "web", "suites", "stats", "__version__")
OF_THE_COMMAND_LINE = ("proband.cli.commands.",)


def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.startswith(("proband.", "proband_annotate."))]


def allowed(name: str) -> bool:
    if name.startswith("proband_annotate."):
        return not name.startswith("proband_annotate.kinds")
    room, *rest = name.split(".")[1:]
    if room == "suites":
        return not rest or rest[0] not in suites.BUILT_IN
    return room in ALLOWED or name.startswith(OF_THE_COMMAND_LINE)


def test_what_is_imported() -> None:
    files = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent.name != "kinds"]
    assert len(files) > 30
    assert not [f"{path.name} imports {name}" for path in files for name in imported(path) if not allowed(name)]


def test_proband_imports_nothing_of_the_web_app() -> None:
    files = sorted((SOURCE.parents[2] / "src" / "proband").rglob("*.py"))
    assert len(files) > 100
    named = [path for path in files if "proband_annotate" in path.read_text(encoding="utf-8")]  # few are worth parsing
    assert named
    assert not [path.name for path in named for name in imported(path) if name.startswith("proband_annotate")]


def test_what_must_not_be() -> None:
    assert not allowed("proband_annotate.kinds.write")
    assert not allowed("proband.suites.kinship.world.rules")
    assert not allowed("proband.pipeline.run")
    assert not allowed("proband.cli.main.main")
    assert allowed("proband.suites.importable")
