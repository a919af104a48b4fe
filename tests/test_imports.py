"""Who may import whom: the law of the house, held by reading every import."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

HEAVY = (
    "torch",
    "transformers",
    "polars",
    "scipy",
    "matplotlib",
    "fastapi",
    "ray",
    "httpx",
    "pysat",
    "sklearn",
    "jinja2",
    "sqlalchemy",
    "starlette",
)


SOURCES = ("src", "annotate/src", "plugins/proband-puzzles/src")


def parts(root: Path) -> list[Path]:
    return sorted((root / "src" / "proband").rglob("*.py"))


def area(path: Path, root: Path) -> tuple[str, ...]:
    inside = path.relative_to(root / "src" / "proband").with_suffix("").parts
    return inside[:2] if inside[0] == "suites" and len(inside) > 2 else inside[:1]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name == "proband" or name.startswith("proband.")]


# room -> the rooms it may import (itself always); suites/X may not import suites/Y, and the rooms that serve all suites
# import the list of suites, never one of them: what a suite has it declares
LAW = {
    "core": (),
    "lexicon": ("core",),
    "training": ("core",),
    "english": ("core", "lexicon"),
    "solvers": ("core",),
    "web": ("core",),
    "proof": ("core", "english", "stats"),
    "models": ("core", "training"),
    "suites": ("core", "stats", "english", "proof", "lexicon", "training", "solvers"),
    "reporting": ("core", "stats", "web"),
    "pipeline": (
        "core",
        "stats",
        "english",
        "proof",
        "lexicon",
        "training",
        "solvers",
        "web",
        "models",
        "suites",
        "reporting",
    ),
    "cli": ("core", "solvers", "models", "suites", "reporting", "pipeline"),
    "stats": ("core",),
    "inspect_extension": ("core", "stats", "pipeline"),
    "rewards": ("core", "solvers", "suites", "proof", "pipeline"),
    "testing": ("core", "models", "solvers", "suites"),
    "__main__": ("cli",),
    "__init__": ("core", "pipeline", "cli"),  # the latter two for a type checker alone
}


SUITES = {path.name for path in (Path(__file__).parents[1] / "src" / "proband" / "suites").iterdir() if path.is_dir()}


def allowed(here: tuple[str, ...], target: str) -> bool:
    there = tuple(target.split(".")[1:])
    if here[0] == "suites" and there[:1] == ("suites",):
        return here == ("suites",) or there[: len(here)] == here
    if there[:1] == ("suites",) and len(there) > 1 and there[1] in SUITES:
        return False
    return there[0] == here[0] or there[0] in LAW[here[0]]


def test_the_import_law(root: Path) -> None:
    broken = [
        f"{path.relative_to(root)} imports {name}"
        for path in parts(root)
        for name in imported(path)
        if not allowed(area(path, root), name)
    ]
    assert not broken, "\n".join(broken)


def test_the_law_itself_can_be_broken() -> None:
    assert not allowed(("core",), "proband.models.load")
    assert not allowed(("suites", "kinship"), "proband.suites.analogy.probes")
    assert not allowed(("models",), "proband.suites.suite")
    assert not allowed(("reporting",), "proband.pipeline.run")
    assert not allowed(("pipeline",), "proband.cli.main")
    assert not allowed(("stats",), "proband.suites.suite")
    assert not allowed(("cli",), "proband.suites.kinship.generate.options")
    assert not allowed(("pipeline",), "proband.suites.inference.assertions")
    assert allowed(("cli",), "proband.suites.importable")
    assert allowed(("suites", "kinship"), "proband.suites.kinship.world.rules")
    assert allowed(("suites", "script"), "proband.training.fit")


def test_no_room_that_serves_all_suites_names_one(root: Path) -> None:
    """Neither is a suite's name in its code (`kinship` is also a domain), nor does it make items of a suite by name."""
    named = []
    for path in (each for each in parts(root) if area(each, root)[0] != "suites"):
        for node in ast.walk(parsed(path)):
            given = node.value if isinstance(node, ast.keyword) and node.arg == "suite" else node
            if isinstance(given, ast.Constant):
                known = {"analogy", "kinship", "inference"} if given is node else SUITES
                named += [f"{path.name}: {given.value}"] if given.value in known else []
    assert named == ["domain.py: kinship"]


def test_a_circle_through_the_package_itself_is_seen(root: Path, tmp_path: Path) -> None:
    """`from proband import x` imports the package, whose own imports lead on."""
    folder = tmp_path / "src" / "proband" / "pipeline"
    folder.mkdir(parents=True)
    (folder / "build.py").write_text("from proband import VERBS\n")
    (folder.parent / "__init__.py").write_text("from proband.pipeline.build import build\n\nVERBS = {}\n")
    _, arrows = arrows_between_modules(tmp_path)
    assert arrows == {"proband": {"proband.pipeline.build"}, "proband.pipeline.build": {"proband"}}


def arrows_between_modules(root: Path) -> tuple[dict[str, Path], dict[str, set[str]]]:
    """Every module, and what it imports, also inside functions and under TYPE_CHECKING."""
    source = root / "src"
    modules = {".".join(p.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): p for p in parts(root)}

    def module_of(name: str) -> str | None:
        while name and name not in modules:
            name = name.rpartition(".")[0]
        return name or None

    return modules, {
        name: {target for n in imported(path) if (target := module_of(n)) and target != name}
        for name, path in modules.items()
    }


def test_no_import_circle(root: Path) -> None:
    _, arrows = arrows_between_modules(root)
    while free := [name for name, targets in arrows.items() if not targets & arrows.keys()]:
        for name in free:
            del arrows[name]
    assert not arrows, "in or above a circle: " + ", ".join(sorted(arrows))


def test_no_two_folders_import_each_other(root: Path) -> None:
    """Of folders side by side; a folder and one inside it may."""
    modules, arrows = arrows_between_modules(root)
    between: dict[tuple[Path, Path], str] = {}
    for name, targets in arrows.items():
        for target in targets:
            here, there = modules[name].parent, modules[target].parent
            if not here.is_relative_to(there) and not there.is_relative_to(here):
                between[here, there] = f"{name} imports {target}"
    both = [f"{why}, {between[there, here]}" for (here, there), why in between.items() if (there, here) in between]
    assert not both, "\n".join(both)


def test_an_init_file_says_something(root: Path) -> None:
    """Folders are namespaces; an `__init__.py` of one line is a file too many."""
    empty = [str(path.relative_to(root)) for path in parts(root) if path.name == "__init__.py" and lines(path) < 3]
    assert not empty, empty


def test_the_list_of_a_folder_is_complete(root: Path) -> None:
    """If the docstring of an `__init__.py` lists the files of its folder, they are there, and none is left out."""
    wrong = {}
    for path in (path for place in SOURCES for path in sorted((root / place).rglob("__init__.py"))):
        text = ast.get_docstring(parsed(path)) or ""
        listed = {Path(each.strip()) for each in re.findall(r"[\w/]+\.py\b|(?m:^ *\w+/(?= ))", text)}
        here = {each.relative_to(path.parent) for each in path.parent.glob("*.py")} - {Path("__init__.py")}
        gone = {each for each in listed if not any(path.parent.rglob(str(each)))}
        left_out = here - listed if any(each in here for each in listed) else set()
        if gone or left_out:
            wrong[str(path.relative_to(root))] = sorted(map(str, gone | left_out))
    assert not wrong


def test_a_name_that_many_read_has_one_meaning(root: Path) -> None:
    """In all packages there is one class `Fact`, one `Problem` and so on, and one function `read_story`; no other type
    has such a name either."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    paths = [path for place in SOURCES for path in (root / place).rglob("*.py") if "node_modules" not in path.parts]
    nodes = [node for path in paths for node in ast.walk(parsed(path))]
    names = Counter(node.name for node in nodes if isinstance(node, kinds))
    aliases = (target for node in nodes if isinstance(node, ast.Assign) for target in node.targets)
    names.update(target.id for target in aliases if isinstance(target, ast.Name) and target.id[0].isupper())
    once = ("Fact", "Plan", "Problem", "Results", "Solution", "Study", "read_story")
    assert {name: names[name] for name in once} == dict.fromkeys(once, 1)


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_heavy_packages_are_imported_inside_functions(root: Path) -> None:
    broken = []
    for path in parts(root):
        for node in parsed(path).body:
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            broken += [f"{path.relative_to(root)}: {name}" for name in names if name.split(".")[0] in HEAVY]
    inside_nets = [line for line in broken if "/nets/" in line or "/training/" in line]  # loaded when a net is used
    assert sorted(broken) == sorted(inside_nets), "\n".join(broken)
