"""`proband run`."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from proband.cli.commands import model_names
from proband.core.plugins import described, read_options
from proband.pipeline.run_options import RunOptions
from proband.solvers.generate import GenerateOptions


def test_the_result_is_a_table(proband: Any, items: Path) -> None:
    text = proband("run", items, "-m", "solver:adder", "-o", items.parent / "run")
    assert "seed:" in text
    assert not [name for name in ("skipped:", "covered:", "withheld:", "errors:") if name in text]  # none is no news
    rows = dict(line.split(": ", maxsplit=1) for line in text.split("\n\n")[0].splitlines())
    rows = {name: value.strip() for name, value in rows.items()}
    assert rows["suite"] == "toy"
    assert rows["model"] == "solver:adder"
    assert rows["solver"] == "direct"
    assert rows["answers"] == "8"
    header, overall, *_ = text.split("\n\n")[1].splitlines()
    assert header.split() == ["accuracy", "score", "95", "%", "interval", "chance", "unread", "n"]
    assert overall.split()[:4] == ["test", "items", "100.0", "%"]
    assert overall.split()[-4:] == ["50.0", "0.0", "%", "8"]
    assert rows["usage"] == "tokens 1,234"


def test_json_is_the_run_with_its_score(proband: Any, items: Path) -> None:
    run = proband.json("run", items, "-m", "baseline:random", "-o", items.parent / "run", "--limit", 5, "--seed", 2)
    assert (run["suite"], run["model"], run["seed"]) == ("toy", "baseline:random", 2)
    assert run["settings"] == {"limit": 5, "split": "test", "asked": 5}
    assert run["answers"] == 5
    assert 0 <= run["score"]["low"] <= run["score"]["mean"] <= run["score"]["high"] <= 1


def test_every_option_reaches_the_pipeline(
    proband: Any, items: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command line, from a profile, and from both, where the command line wins."""
    seen: list[RunOptions] = []

    def run_all(items: Path, *, model: str, out: Path, options: RunOptions) -> list[Any]:
        seen.append(options)
        return []

    monkeypatch.setattr("proband.pipeline.run.run_all", run_all)
    monkeypatch.setattr("proband.cli.commands.give", lambda *_, **__: None)
    words = shlex.split(
        "-s direct --set a=1 --set b=x=y --prompt p --prompt q --split valid --limit 3 --until 2 --repeat 1 --seed 1 "
        "--too-long skip --label mine --on-error record --max-errors 3 --retry-errors --no-cache --engine ray "
        "--device cpu --prices 1,2 --max-cost .5 --model-set bos=never"
    )
    expected = RunOptions(
        solver="direct", options={"a": "1", "b": "x=y"}, prompt=("p", "q"), split="valid", limit=3, until="2",
        seed=1, too_long="skip", label="mine", on_error="record", max_errors="3", retry_errors=True, cache=False,
        engine="ray", device="cpu", prices="1,2", max_cost=0.5, model_options={"bos": "never"},
    )  # fmt: skip
    changed = {field.name for field in fields(RunOptions) if getattr(expected, field.name) != field.default}
    assert {field.name for field in fields(RunOptions)} - changed == {"repeat", "workers"}  # all but these
    proband("run", items, "-m", "hf:x", "-o", "out", *words)
    profile = tmp_path / "profile.toml"
    tables = {"options": expected.options, "model-options": expected.model_options}
    lines = [f"{field.name} = {_toml(getattr(expected, field.attribute))}" for field in described(RunOptions)
             if field.attribute in changed and field.name not in tables]  # fmt: skip
    for name, table in tables.items():
        lines += [f"[{name}]", *(f'{key} = "{value}"' for key, value in table.items())]
    profile.write_text("\n".join(lines))
    proband("run", items, "-m", "hf:x", "-o", "out", "--profile", profile)
    assert seen == [expected, expected]
    proband("run", items, "-m", "hf:x", "-o", "out", "--profile", profile, "--limit", 9, "--set", "a=2")
    assert seen[2] == replace(expected, limit=9, options={"a": "2", "b": "x=y"})


def _toml(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def test_a_profile_that_is_wrong_is_named(proband: Any, items: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    settings = ("run", items, "-m", "baseline:random", "-o", tmp_path / "run", "--profile", profile)
    assert "profile.toml: No such file" in proband.fails(*settings)
    profile.write_text("limit 3")
    assert "profile.toml line 1: not TOML" in proband.fails(*settings)
    profile.write_text("limmit = 3")
    assert "run has no option 'limmit'" in proband.fails(*settings)
    profile.write_text("limit = 'three'")
    assert "'limit' is 'three'; it must be a whole number" in proband.fails(*settings)


def test_the_command_line_has_few_options(proband: Any) -> None:
    for verb, count in ((["run"], 27), (["build", "kinship"], 23)):
        shown = re.findall(r"^ {4,9}(?:\*  )?(--[a-z]\S*)", proband(*verb, "--help"), re.MULTILINE)
        opposites = {f"--no-{name.removeprefix('--')}" for name in shown}
        assert len(set(shown) - opposites) <= count


def test_a_folder_of_another_run_is_refused(proband: Any, items: Path) -> None:
    out = items.parent / "run"
    proband("run", items, "-m", "baseline:random", "-o", out)
    proband("run", items, "-m", "baseline:random", "-o", out)
    assert "'seed' differs" in proband.fails("run", items, "-m", "baseline:random", "-o", out, "--seed", 5)


def test_a_number_may_begin_with_a_point_and_models_complete() -> None:
    assert read_options(RunOptions, {"max_cost": ".5"}, of="run").max_cost == 0.5
    assert read_options(GenerateOptions, {"temperature": ".5"}, of="generate").temperature == 0.5
    assert {"embedded:smollm2", "embedded:glove"} <= set(model_names())
