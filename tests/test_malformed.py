"""Malformed inputs (two thousand in `make test`): every reader reads or says in one line what is wrong; none hangs."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import proband
from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items, read_json, read_run
from proband.models import load
from proband.pipeline.asking.model_calls import CachedCalls
from proband.suites.analogy import sources
from proband.suites.kinship.clutrr import rows as clutrr
from proband.suites.kinship.world import rules
from proband.suites.script import corpus

JUNK = (
    b"", b'"', b"'", b"\n", b"\r", b"\t", b"\0", b",", b"{", b"}", b"[", b"]", b"null", b"NaN", b"1e999", b"-1", b"0",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", b"true", b"[[[[[[[[", b"9" * 400, b"=", b"#",
    b":", b"/",
)  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, size = rng.randrange(len(content) + 1), rng.choice((0, 1, 1, 3, 20, len(content)))
        junk = rng.randbytes(rng.choice((1, 4, 30))) if rng.random() < 0.3 else rng.choice(JUNK)
        content = content[:at] + junk + content[at + size :]
    return content


def read_pairs(path: Path) -> None:
    sources.read(str(path))


def read_clutrr(path: Path) -> None:
    for _ in clutrr.read_rows(path):
        pass


def read_rules(path: Path) -> None:
    rules.load.cache_clear()
    rules.load(str(path))


def read_vectors(path: Path) -> None:
    load(f"vec:{path}").vectors(["king", "queen"])


def read_cache(path: Path) -> None:
    found = CachedCalls(path.parent.parent, identity={"a": "b"}, settings={})
    assert set(found.answers) <= {"x", "y"}, "a damaged record was served"
    assert all(found.answers[key] == value for key, value in {"x": 1, "y": 2}.items() if key in found.answers)


READERS: dict[str, tuple[Callable[[Path], object], int]] = {
    "items.jsonl": (lambda path: list(read_items(path)), 2000),
    "answers.jsonl": (lambda path: list(read_answers(path)), 1500),
    "run.json": (read_run, 1000),
    "manifest.json": (read_json, 500),
    "answers/cache.log": (read_cache, 500),
    "pairs.tsv": (read_pairs, 700),
    "pairs.jsonl": (read_pairs, 500),
    "clutrr.csv": (read_clutrr, 1000),
    "rules.toml": (read_rules, 700),
    "words.vec": (read_vectors, 300),
    "corpus.tsv": (corpus.read, 500),
    "corpus.jsonl": (corpus.read, 400),
    "train.template.tsv": (corpus.read, 400),
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A good file for every reader, made by the program itself where it writes such files."""
    folder = tmp_path_factory.mktemp("originals")
    proband.build("kinship", out=folder / "items", k="2", per_k=5)
    proband.run(folder / "items", model="solver:symbolic", out=folder / "run", cache=False)
    proband.export(folder / "items", to="clutrr", out=folder / "clutrr.csv")
    cache = CachedCalls(folder, identity={"a": "b"}, settings={})
    cache.put(["x"], [1])
    cache.put(["y"], [2])
    pair = {"head": "king", "tail": "queen", "relation": "male : female", "group": "ES"}
    rows = "".join(f"man{i}\twoman{i}\tmale : female\tES\n" for i in range(6))
    steps = {"abstract": "drain the pasta .", "steps": ["put a strainer in the sink .", "pour the pasta in ."]}
    return {
        "items.jsonl": (folder / "items" / "items.jsonl").read_bytes(),
        "answers.jsonl": (folder / "run" / "answers.jsonl").read_bytes(),
        "run.json": (folder / "run" / "run.json").read_bytes(),
        "manifest.json": (folder / "items" / "manifest.json").read_bytes(),
        "answers/cache.log": next((folder / "answers").glob("*.log")).read_bytes(),
        "pairs.tsv": f"head\ttail\trelation\tgroup\n{rows}".encode(),
        "pairs.jsonl": "".join(json.dumps({**pair, "head": f"king{i}"}) + "\n" for i in range(6)).encode(),
        "clutrr.csv": (folder / "clutrr.csv").read_bytes(),
        "rules.toml": Path(str(rules.__file__)).parents[3].joinpath("data", "kinship", "clutrr.toml").read_bytes(),
        "words.vec": b"4 3\nking 0.1 0.2 0.3\nqueen 0.2 0.1 0.3\nman 1 0 0\nwoman 0 1 0\n",
        "corpus.tsv": b"drain the pasta .\tput a strainer in the sink . pour the pasta in .\ttrain\tcooking\n" * 3,
        "corpus.jsonl": json.dumps(steps).encode() + b"\n",
        "train.template.tsv": b"drain it .\tput a strainer in the sink .\t1 1 0 1 1 0 1\n" * 3,
    }


ALL = sum(count for _, count in READERS.values())
CHOSEN = int(os.environ.get("PROBAND_MUTATIONS", "2000"))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", READERS)
def test_malformed(originals: dict[str, bytes], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    reader, count = READERS[name]
    count = count * CHOSEN // ALL
    path = tmp_path / name
    if name == "answers/cache.log":
        path = CachedCalls(tmp_path, identity={"a": "b"}, settings={}).path or path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(originals[name])
    reader(path)
    rng, refused = random.Random(name), 0
    for _ in range(count):
        path.write_bytes(mutated(originals[name], rng))
        try:
            reader(path)
        except ProbandError as error:
            refused += 1
            assert "\n" not in str(error)
            assert len(str(error)) < 2000
    if name != "answers/cache.log":
        assert refused > count // 20, "mutations that are never refused test nothing"


def test_items_of_every_suite_with_damaged_facts(tmp_path: Path) -> None:
    """A value of one item's facts or tags replaced: the suite's own check says so, or nothing that reads it breaks."""
    rng, refused = random.Random(0), 0
    options: dict[str, dict[str, Any]] = {
        "kinship": {"k": "2", "per_k": 3},
        "analogy": {"per_relation": 2},
        "script": {},
    }
    wrong: tuple[Any, ...] = (None, -1, 99, "", "x", [], [[]], {}, [[0, "sister", 9]], ["a"], True, 1.5)
    for name, given in options.items():
        proband.build(name, out=tmp_path / name, **given)
        suite = suites.suite(name)
        items = list(read_items(tmp_path / name, check=suite.check))
        for _ in range(300):
            item = rng.choice(items)
            place = rng.choice(("tags", "facts"))
            values = dict(getattr(item, place))
            key = rng.choice(sorted(values))
            if rng.random() < 0.3:
                del values[key]
            else:
                values[key] = rng.choice(wrong if place == "facts" else wrong[1:5])
            damaged = msgspec.structs.replace(item, **{place: values})
            said = suite.check(damaged)
            refused += said is not None
            if said is None:
                suite.show(damaged)
                suite.draw(damaged, None)
    assert refused > 200
