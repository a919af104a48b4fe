"""Strict files: every kind of damage is one line with file, line and field."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proband.core import files
from proband.core.errors import ProbandError
from proband.core.types import Answer, Item, Run

EXAMPLES = 3000 if "PROBAND_MUTATIONS" in os.environ else 300  # `make test-all`, `make test`

GOOD: dict[str, Any] = {
    "id": "a",
    "suite": "analogy",
    "prompt": "?",
    "choices": ["x", "y"],
    "gold": 1,
    "tags": {"k": 2},
    "facts": {},
}


def line(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (line() + line(id="b", extra=1), "line 2: unknown field 'extra'"),
        (line(gold="1"), "line 1: 'gold' must be a whole number, not text"),
        (line(gold=True), "line 1: 'gold' must be a whole number, not a boolean"),
        (line(gold=5), "line 1: 'gold' is 5 but there are 2 choices"),
        (line(gold=-1), "line 1: 'gold' is -1 but there are 2 choices"),
        (line(choices=["x", 3]), "line 1: 'choices' [1] must be text, not a number"),
        (line(choices="xy"), "line 1: 'choices' must be a list, not text"),
        (
            line(tags={"k": [1]}),
            "line 1: 'tags' ['k'] must be a boolean or a whole number or a number or text, not a list",
        ),
        (line(id=" "), "line 1: 'id' is empty"),
        (line(id=None), "line 1: 'id' must be text, not null"),
        (line() + line(), "line 2: 'id' 'a' is already on line 1"),
        (line() + b'{"id": "b"}\n', "line 2: field 'suite' is missing"),
        (line() + b'\xff{"id": "b"}\n', "line 2: not a JSON object: not UTF-8 at byte 1"),
        (line() + b'{"id": "b", "su', "line 2: truncated: the last line is incomplete"),
        (line() + b"\n", "line 2: not a JSON object"),
        (b"[1]\n", "line 1: a JSON array; what is wanted is JSON lines"),
        (line(facts={"x": float("nan")}), "line 1: not a JSON object"),
        (
            b'{"id":"a","suite":"s","prompt":"p","facts":{"x":' + b"[" * 100_000 + b"\n",
            "line 1: not a JSON object: nested too deeply",
        ),
        (line() + line(id="b", suite="kinship"), "line 2: 'suite' is 'kinship' but the first item's is 'analogy'"),
        (b"", "contains no items"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(content)
    with pytest.raises(ProbandError) as caught:
        list(files.read_items(path))
    text = str(caught.value)
    assert text.startswith(str(path))
    assert message in text
    assert "\n" not in text


def test_missing_file_names_the_way_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="proband build"):
        list(files.read_items(tmp_path))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    item=st.builds(
        Item,
        id=st.text(min_size=1).filter(lambda s: bool(s.strip())),
        suite=st.just("s"),
        prompt=st.text(),
        choices=st.lists(st.text(), max_size=3).map(tuple),
        gold=st.none(),
        tags=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.booleans(), max_size=3),
        facts=st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    )
)
def test_items_come_back_as_they_were(tmp_path: Path, item: Item) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(files.encode(item) + b"\n")
    (again,) = files.read_items(path)
    assert again == item
    assert files.encode(again) + b"\n" == path.read_bytes()


def test_infinite_scores_are_no_answer() -> None:
    assert "finite" in str(files.inconsistent(Answer(item_id="a", scores=(float("inf"),))))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    files.write_text(path, "old")
    with pytest.raises(RuntimeError), files.atomic(path) as file:
        file.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]


def test_run_round_trip(tmp_path: Path) -> None:
    run = Run(suite="s", solver="v", model="m", seed=3, items_sha="0", settings={"template": None}, usage={"tokens": 2})
    files.write_json(tmp_path / "run.json", run)
    assert files.read_run(tmp_path / "run.json") == run


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=200), at=st.integers(0, 400), cut=st.integers(0, 5))
def test_no_bytes_give_a_traceback(tmp_path: Path, noise: bytes, at: int, cut: int) -> None:
    content = line() + line(id="b") + line(id="c")
    path = tmp_path / "items.jsonl"
    path.write_bytes(content[:at] + noise + content[at + cut :])
    try:
        list(files.read_items(path))
    except ProbandError as error:
        assert "\n" not in str(error)
