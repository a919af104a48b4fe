"""Output for people: in a pipe never wrapped, cut or coloured."""

from __future__ import annotations

from typing import Any

import pytest

from proband.cli.commands import fields, give, table


def test_nothing_is_wrapped_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    long = "word " * 100 + "end"
    give(None, lambda _: [table(("name", "n"), [(long, 1234), ("[b]x[/b] :smile:", 2)], numbers=(1,))], json=False)
    assert capsys.readouterr().out.splitlines() == [
        "name" + " " * (len(long) - 4) + "      n",
        f"{long}  1,234",
        "[b]x[/b] :smile:" + " " * (len(long) - 16) + "      2",
    ]


def test_a_terminal_gets_its_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    give(None, lambda _: [table(("", ""), [("name", "word " * 20)])], json=False)
    assert all(len(line) <= 40 for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"by_search": 40}, ["by search:  40"]),
        ({"a": {"b": {"c": 1}, "d": 2}}, ["a:", "  b:  c 1", "  d:  2"]),
        ({"rows": [{"x": 1}, {"x": 2}]}, ["rows:  2 rows"]),
        ({"terms": [1, 2], "ok": False, "none": None}, ["terms:  1, 2", "ok:     no", "none:"]),
    ],
)
def test_fields(capsys: pytest.CaptureFixture[str], values: dict[str, Any], lines: list[str]) -> None:
    give(values, lambda result: [fields(result)], json=False)
    assert capsys.readouterr().out.splitlines() == lines


def test_people_read_a_minus_sign_and_machines_a_hyphen(capsys: pytest.CaptureFixture[str]) -> None:
    give({"change": -1.5}, lambda result: ["by -2 to -.5, gpt-2", fields(result)], json=False)
    assert capsys.readouterr().out.splitlines() == ["by −2 to −.5, gpt-2", "change:  −1.5"]
    give({"change": -1.5}, json=True)
    assert capsys.readouterr().out == '{"change":-1.5}\n'
