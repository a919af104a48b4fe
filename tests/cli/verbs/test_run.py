"""`proband run`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any


def test_the_result_is_a_table(proband: Any, items: Path) -> None:
    text = proband("run", items, "-m", "solver:adder", "-o", items.parent / "run")
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


def test_every_option_reaches_the_pipeline(proband: Any, items: Path, stage: Any, monkeypatch: Any) -> None:
    from proband.core.types import Run

    made = stage("run", Run(suite="toy", solver="direct", model="x", seed=1, items_sha=""))
    stage("report", {"metric": "accuracy", "title": "accuracy", "unit": "share", "mean": None, "answers": 0}, "score")
    words = shlex.split(
        "-m hf:x -s direct --set a=1 --set b=x=y --limit 3 --too-long skip --label mine "
        "--on-error record --max-errors 3 --no-cache --seed 1 --engine ray --workers 2"
    )
    more = shlex.split("--device cpu --dtype float16 --batch 4 --revision main --allow-pickle --model-set bos=never")
    proband("run", items, *words, *more, "-o", "out")
    assert made.arguments == (items,)
    assert made.given == {
        "model": "hf:x",
        "out": Path("out"),
        "solver": "direct",
        "seed": 1,
        "limit": 3,
        "split": "",
        "too_long": "skip",
        "label": "mine",
        "on_error": "record",
        "max_errors": "3",
        "cache": False,
        "options": {"a": "1", "b": "x=y"},
        "turn": None,
        "engine": "ray",
        "workers": 2,
        "model_options": {
            "device": "cpu",
            "dtype": "float16",
            "batch": 4,
            "revision": "main",
            "allow_pickle": True,
            "bos": "never",
        },
    }


def test_a_folder_of_another_run_is_refused(proband: Any, items: Path) -> None:
    out = items.parent / "run"
    proband("run", items, "-m", "baseline:random", "-o", out)
    proband("run", items, "-m", "baseline:random", "-o", out)
    assert "'seed' differs" in proband.fails("run", items, "-m", "baseline:random", "-o", out, "--seed", 5)


def test_the_former_name_of_a_solver_is_read_and_said(proband: Any, items: Path) -> None:
    folder = items.parent / "run"
    code, _, err = proband.run("run", items, "-m", "solver:adder", "-s", "as-is", "-o", folder)
    assert (code, err.count("solver as-is is now called direct")) == (0, 1)
    note, text = folder / "run.json", (folder / "run.json").read_text()
    assert '"solver": "direct"' in text
    answers = (folder / "answers.jsonl").read_bytes()
    note.write_text(text.replace('"direct"', '"as-is"'))  # a run of an earlier version is this one
    assert proband.json("run", items, "-m", "solver:adder", "-o", folder)["solver"] == "direct"
    assert (folder / "answers.jsonl").read_bytes() == answers
