"""Every text has a use, and every use a text: nothing that people read stands in code."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

from jinja2 import nodes

from proband.core.files import environment
from proband_annotate.tasks import names, task
from proband_annotate.texts import texts, texts_of


def folder(package: str) -> Path:
    return Path(import_module(package).__path__[0])


SOURCE = folder("proband_annotate")
TASKS = sorted({folder(task(name).page.partition(":")[0]) for name in names()})  # of the suites
PAGES = [path for place in (folder("proband_annotate.web"), *TASKS) for path in sorted(place.glob("*.html"))]


def every_text() -> set[str]:
    return set(texts()).union(*(texts_of(name) for name in names()))


def used_in_pages() -> tuple[set[str], set[str]]:
    """Names in `t("...")`, and the beginnings of names that a template puts together."""
    whole: set[str] = set()
    begun: set[str] = set()
    for path in PAGES:
        tree = environment("proband_annotate.web").parse(path.read_text("utf-8"))
        for call in tree.find_all(nodes.Call):
            if not (isinstance(call.node, nodes.Name) and call.node.name == "t"):
                continue
            first = call.args[0]
            for found in [first, *first.find_all(nodes.Const)]:
                name = found.value if isinstance(found, nodes.Const) else ""
                if isinstance(name, str) and re.match(r"[a-z]+\.", name):
                    (begun if name.endswith((".", "_")) else whole).add(name)
    return whole, begun


def used_in_code() -> tuple[set[str], set[str]]:
    """Every string of the code that looks like a name, and what stands before the value in an f-string."""
    whole: set[str] = set()
    begun: set[str] = set()
    for path in (*SOURCE.rglob("*.py"), *(path for place in TASKS for path in place.glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr) and isinstance(first := node.values[0], ast.Constant):
                begun |= set(re.findall(r"^[a-z]+\..*", str(first.value)))
            elif isinstance(node, ast.Constant):
                whole |= set(re.findall(r"^[a-z_]+(?:\.[a-z_0-9]+)+$", str(node.value)))
    return whole, begun


def test_every_name_in_a_page_has_a_text() -> None:
    whole, begun = used_in_pages()
    assert len(whole) > 100
    assert whole - every_text() == set()
    assert {start for start in begun if not any(name.startswith(start) for name in every_text())} == set()


def test_every_text_is_used() -> None:
    pages, code = used_in_pages(), used_in_code()
    starts = (
        *pages[1],
        *code[1],
        *(
            f"{kind}.{each}"
            for kind in names()
            for each in ("name", "about", "example", "instructions", "part", "figure.")
        ),
    )
    assert {name for name in every_text() if name not in pages[0] | code[0] and not name.startswith(starts)} == set()


def test_every_note_about_a_person_has_a_text() -> None:
    """The log on the page of a person shows them; notes about the study have no person."""
    kinds: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(call, ast.Call)
                and ast.unparse(call.func).rpartition(".")[2] == "note"
                and len(call.args) > 2
            ):
                _, kind, person, *_ = call.args
                if ast.unparse(person) != "None":
                    kinds |= {str(each.value) for each in ast.walk(kind) if isinstance(each, ast.Constant)}
    assert {"consent", "platform", "bonus", "undecided"} <= kinds
    assert {f"event.{kind}" for kind in kinds} - every_text() == set()


def test_pages_hold_no_words_of_their_own() -> None:
    """What stands between tags is punctuation, a number or a template's value."""
    found = {}
    for path in PAGES:
        bare = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", path.read_text("utf-8"), flags=re.DOTALL)
        bare = re.sub(r"<[^>]*>", " ", bare)
        if words := re.findall(r"[A-Za-z]{2,}", bare):
            found[path.name] = words
    assert found == {}
