"""Damaged files, wrong facts, full disks: every verb either works or says in one line why not."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband import build
from proband.suites.kinship.world import rules


def test_damaged_files_give_one_line_and_no_traceback(proband: Any, items: Path) -> None:
    run = items.parent / "runs" / "random"
    proband("run", items, "-m", "baseline:random", "-o", run)
    original = {path: path.read_bytes() for path in (items / "items.jsonl", run / "answers.jsonl", run / "run.json")}
    rng, refused = random.Random(0), 0
    turns = int(os.environ.get("PROBAND_MUTATIONS", "2000")) // 20
    for turn in range(turns):
        path = rng.choice(list(original))
        path.write_bytes(mutated(original[path], rng))
        words = (["show", items, "sum-0"], ["compare", run, run])[turn % 2]
        code, _, err = proband.run(*words)
        assert code in (0, 2), err
        errors = [line for line in err.splitlines() if not line.startswith(f"{run}: not finished, ")]
        assert len(errors) == (1 if code else 0), err  # a changed number of questions makes a run unfinished
        refused += code == 2
        path.write_bytes(original[path])
    assert refused > turns // 6


def mutated(content: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(content)), rng.choice((1, 1, 2, 5, 50))
    junk = rng.choice((rng.randbytes(size), b"", b'"', b"\n", b"null", b"1e999", b"{", b"\\ud800", b"-1", b"[]"))
    return content[:at] + junk + content[at + rng.choice((0, 1, size)) :]


# ---- items that are JSON and still wrong ---------------------------------------------------------------------------


def changed(items: Path, **facts: Any) -> Path:
    """The items with other facts in the first one; None takes a fact away."""
    path = items / "items.jsonl"
    first, *rest = path.read_text("utf-8").splitlines(keepends=True)
    item = json.loads(first)
    for name, value in facts.items():
        place = item["tags"] if name == "probe" else item["facts"]
        place.pop(name) if value is None else place.update({name: value})
    path.write_text(json.dumps(item) + "\n" + "".join(rest), "utf-8")
    return items


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], Path]:
    """`built("kinship", folder)`: the suite's items in a folder; they are built once."""
    made = tmp_path_factory.mktemp("built")
    options: dict[str, dict[str, Any]] = {
        "kinship": {"task": "clean", "k": "2", "per_k": 3},
        "analogy": {"per_relation": 2, "relations": "capital, plural"},
        "script": {},
    }

    def copy(suite: str, folder: Path) -> Path:
        if not (made / suite).exists():
            build(suite, out=made / suite, **options[suite])
        return Path(shutil.copytree(made / suite, folder / suite))

    return copy


WRONG = [
    ("kinship", {"edges": [[0, "sister", 99]]}, "edge [0, 'sister', 99] is about person 99, and 'names' has 3"),
    ("kinship", {"edges": [[0, "Sister", 1]]}, "a relation that the rules 'sound' do not have: 'Sister'"),
    ("kinship", {"edges": [[0, "sister"]]}, "'facts': 'edges' [0]"),
    ("kinship", {"query": None}, "'facts' has no 'query'"),
    ("kinship", {"query": [0, -1]}, "query [0, -1] is about person -1"),
    ("kinship", {"genders": ["male"]}, "'genders' has 1 entries"),
    ("analogy", {"probe": None}, "'tags' has no 'probe'"),
    ("analogy", {"query": None}, "'facts': field 'query' is missing"),
    ("analogy", {"query": ["one"]}, "'facts': 'query'"),
    ("script", {"blanks": [[0, 999]]}, "blank [0, 999] is not inside"),
    ("script", {"concrete": None}, "field 'concrete' is missing"),
    ("script", {"kinds": []}, "0 'kinds'"),
]


@pytest.mark.parametrize(("suite", "facts", "said"), WRONG)
def test_facts_that_do_not_fit_are_named(
    proband: Any, tmp_path: Path, built: Callable[..., Path], suite: str, facts: dict[str, Any], said: str
) -> None:
    items = built(suite, tmp_path)
    name = json.loads((items / "items.jsonl").read_text("utf-8").splitlines()[0])["id"]
    changed(items, **facts)
    model = "solver:chance" if suite == "script" else "baseline:random"
    run = items.parent / "run"
    for words in (("run", items, "-m", model, "-o", run), ("show", items, name), ("export", items, "--to", "csv")):
        error = proband.fails(*words)
        assert said in error, error
        assert name in error
    assert "contains no run" in proband.fails("report", run, "-o", items.parent / "report")  # nothing was left


def test_a_lone_surrogate_is_named(proband: Any, items: Path, tmp_path: Path) -> None:
    path = items / "items.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"prompt":"', b'"prompt":"\\ud800 ', 1))
    error = proband.fails("run", items, "-m", "baseline:random", "-o", tmp_path / "run")
    assert "items.jsonl line 1" in error
    assert "lone surrogate" in error


def test_text_that_is_no_utf8_on_the_command_line(proband: Any, items: Path, tmp_path: Path) -> None:
    proband("run", items, "-m", "baseline:random", "-o", tmp_path / "run")
    error = proband.fails("report", tmp_path / "run", "-o", tmp_path / "report", "--title", "a \udcff")
    assert "lone surrogate" in error


def test_a_byte_order_mark_is_ignored(proband: Any, items: Path, tmp_path: Path) -> None:
    path = items / "items.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    code, out, err = proband.run("run", items, "-m", "baseline:random", "-o", tmp_path / "run")
    assert (code, err) == (0, "")
    assert "answers: 8" in " ".join(out.split())
    assert "0 + 2" in proband("show", items, "sum-0")
    proband("report", tmp_path / "run", "-o", tmp_path / "report")


def test_capitalised_words_of_a_rule_base_are_read(proband: Any, tmp_path: Path) -> None:
    shipped = Path(str(rules.__file__)).parents[3] / "data" / "kinship" / "grid.toml"
    words = re.compile(r"\b(north|south|east|west)(east|west)?\b")
    (tmp_path / "rules.toml").write_text(words.sub(lambda m: m[0].title(), shipped.read_text("utf-8")), "utf-8")
    options = ("--rules", tmp_path / "rules.toml", "--task", "clean", "--k", "2,3", "--per-k", "5")
    proband("build", "kinship", "-o", tmp_path / "items", *options)
    score = proband.json("run", tmp_path / "items", "-m", "solver:read", "-o", tmp_path / "run")["score"]
    assert (score["mean"], score["n"]) == (1.0, 10)


# ---- folders and disks ---------------------------------------------------------------------------------------------


def test_symlink_loops(proband: Any, items: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for words in (
        ("run", loop, "-m", "baseline:random", "-o", tmp_path / "run"),
        ("run", items, "-m", "baseline:random", "-o", loop),
        ("run", items, "-m", f"vec:{loop}", "-o", tmp_path / "run"),
        ("report", loop, "-o", tmp_path / "report"),
        ("build", "toy", "-o", loop),
        ("audit", loop, "-o", tmp_path / "audit"),
        ("audit", items, "-o", loop),
        ("export", items, "--to", "csv", "-o", loop / "x.csv"),
    ):
        assert str(loop) in proband.fails(*words), words
    (items / "itself").symlink_to(items)
    proband("run", items, "-m", "baseline:random", "-o", items / "runs" / "random")
    assert proband.json("report", items, "-o", tmp_path / "report")["answers"] == 8


FULL = """
import resource, sys
sys.dont_write_bytecode = True  # half of a file would be left behind
from proband.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("verb", ["build", "run"])
def test_a_disk_that_is_full_is_named(proband: Any, tmp_path: Path, verb: str) -> None:
    """A limit on the size of files stands for the disk: the system says no in the same place."""
    items = tmp_path / "items"
    if verb == "run":
        proband("build", "kinship", "-o", items, "--task", "clean", "--k", "2", "--per-k", "30")
    words = {
        "build": ["build", "kinship", "-o", items, "--task", "clean", "--k", "2", "--per-k", "30"],
        "run": ["run", items, "-m", "baseline:random", "-o", tmp_path / "run", "--no-cache"],
    }[verb]
    done = subprocess.run([sys.executable, "-c", FULL, *map(str, words)], capture_output=True, text=True)
    file = items / "items.jsonl" if verb == "build" else tmp_path / "run" / "answers.arrived.jsonl"
    assert (done.returncode, done.stderr) == (2, f"proband: {file}: File too large\n")


def test_standard_output_that_is_full() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "proband", "list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "proband: standard output: No space left on device\n")


def test_another_build_is_not_written_over(proband: Any, items: Path) -> None:
    before = (items / "items.jsonl").read_bytes()
    assert "--force" in proband.fails("build", "toy", "-o", items, "--seed", "1")
    assert "another 'count'" in proband.fails("build", "toy", "-o", items, "--count", "5")
    proband("build", "toy", "-o", items)  # the same again
    assert (items / "items.jsonl").read_bytes() == before
    proband("build", "toy", "-o", items, "--count", "5", "--force")
    assert (items / "items.jsonl").read_bytes().count(b"\n") == 5
    (items / "manifest.json").unlink()
    assert "without a manifest" in proband.fails("build", "toy", "-o", items)


def test_the_same_run_counts_once(proband: Any, items: Path, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "one"
    proband("run", items, "-m", "baseline:random", "-o", run)
    shutil.copytree(run, tmp_path / "runs" / "copy")
    proband("run", items, "-m", "baseline:random", "-o", tmp_path / "runs" / "other", "--seed", "1")
    code, out, err = proband.run("report", run, run, tmp_path / "runs", "-o", tmp_path / "report", "--json")
    assert code == 0
    assert json.loads(out)["answers"] == 16
    assert "the same run as" in err
