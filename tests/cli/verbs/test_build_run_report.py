"""`proband build`, `proband run` and `proband report`."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from proband.cli.commands import model_names
from proband.core.files import read_answers, read_items, write_text
from proband.core.plugins import described, read_options
from proband.pipeline.run_options import RunOptions
from proband.solvers.generate import GenerateOptions

# ---- build -----------------------------------------------------------------------------------------------------------


def test_help_lists_the_options_of_the_suite(proband: Any) -> None:
    text = proband("build", "toy", "--help")
    shared, own = text.split("Options of toy")
    assert "--out -o DIR" in shared
    assert "--seed N" in shared
    assert "--count N" in own
    assert "Number of sums. [default: 12]" in own
    assert "--kind TEXT" in own
    assert "[small | large] [default: small]" in own
    assert "--faithful --no-faithful" in own
    assert "--data PATH" in own
    assert "--per-k" in proband("build", "kinship", "--help")


def test_options_reach_the_builder_and_the_manifest(proband: Any, tmp_path: Path) -> None:
    out = tmp_path / "items"
    made = proband.json(
        "build", "-o", out, "--seed", 3, "toy", "--count=5", "--kind", "large", "--faithful", "--data", "x"
    )
    assert made["options"] == {"count": 5, "kind": "large", "faithful": True, "data": "x"}
    assert (made["seed"], made["items"], made["splits"]) == (3, 5, {"train": 2, "test": 3})
    assert len((out / "items.jsonl").read_text().splitlines()) == 5
    assert proband.json("build", "toy", "-o", out, "--force", "--no-faithful")["options"]["faithful"] is False


def test_people_get_a_table(proband: Any, tmp_path: Path) -> None:
    lines = proband("build", "toy", "-o", tmp_path / "items").splitlines()
    assert lines[0] == "12 items of toy, seed 0"
    assert lines[1].split(maxsplit=1) == ["splits:", "train 4, test 8"]
    assert lines[-2].split() == ["licence:", "CC0-1.0"]
    assert lines[-1].startswith("sha256:")
    assert len(lines[-1].split()[1]) == 64


def test_the_seed_decides(proband: Any, tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        proband("build", "toy", "-o", tmp_path / name, "--seed", seed)
    one, two, three = ((tmp_path / name / "items.jsonl").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


# ---- build and run of lists of one's own, with word vectors that do not know their words -----------------------------


BANDS = {"Angus": "AC/DC", "Freddie": "Queen", "Mick": "The Stones", "Robert": "Led Zeppelin", "Bono": "U2"}
BANDS |= {"Kurt": "Nirvana", "Thom": "Radiohead", "Damon": "Blur"}
KNOWN = ("angus", "ac/dc", "freddie", "queen", "robert", "zeppelin", "mick", "bono", "kurt", "thom", "damon")


def table(path: Path, *, group: str | None, tail: str = "tail") -> Path:
    gap = "," if path.suffix == ".csv" else "\t"
    more = [] if group is None else [group]
    head = ["head", tail, "relation", *([] if group is None else ["group"])]
    rows = [head, *([name, band.replace("/", "\\/" if tail == "tails" else "/"), "plays in", *more]
            for name, band in BANDS.items())]  # fmt: skip
    write_text(path, "".join(gap.join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(("file", "tail"), [("x.tsv", "tail"), ("x.csv", "tail"), ("x.tsv", "tails")])
def test_own_groups_and_slashes(proband: Any, tmp_path: Path, file: str, tail: str) -> None:
    for name, group, shown in (("own", "music", "music"), ("none", None, "ungrouped"), ("es", "ES", "ES")):
        proband("build", "analogy", "--data", table(tmp_path / file, group=group, tail=tail), "-o", tmp_path / name)
        items = list(read_items(tmp_path / name))
        assert {item.tags["group"] for item in items} == {shown}
        words = {word for item in items for option in item.facts["options"] for word in option}
        assert "AC/DC" in words
        assert not {"AC", "DC", "AC\\/DC"} & words


def test_json_lines_take_a_tail_as_it_stands(proband: Any, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"head": name, "tail": band, "relation": "plays in"} for name, band in BANDS.items()]
    rows[0] = {"head": "Angus", "tails": ["AC/DC", "Acca Dacca"], "relation": "plays in"}
    write_text(tmp_path / "x.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    made = proband.json("build", "analogy", "--data", tmp_path / "x.jsonl", "-o", tmp_path / "items")
    assert made["relations"][0]["alternatives"] == 1.12
    write_text(tmp_path / "bad.jsonl", json.dumps({**rows[1], "group": 3}) + "\n")
    text = proband.fails("build", "analogy", "--data", tmp_path / "bad.jsonl", "-o", tmp_path / "bad")
    assert text.endswith("bad.jsonl line 1: column 'group': 3 must be text")


def test_pairs_of_unknown_words_are_not_covered(proband: Any, tmp_path: Path) -> None:
    """They were ties, and counted as half right."""
    items, runs, out = tmp_path / "items", tmp_path / "runs", tmp_path / "report"
    proband("build", "analogy", "--data", table(tmp_path / "x.tsv", group="music"), "-o", items)
    draw = random.Random(0)
    lines = [" ".join([word, *(f"{draw.gauss():.4f}" for _ in range(8))]) for word in KNOWN]
    write_text(tmp_path / "v.txt", f"{len(KNOWN)} 8\n" + "\n".join(lines) + "\n")
    made = proband.json("run", items, "-m", f"vec:{tmp_path / 'v.txt'}", "-o", runs / "vec")

    def known(word: str) -> bool:
        return any(part in KNOWN for part in word.lower().split())

    pairs = {item.id: [item.facts["query"], *item.facts["options"]] for item in read_items(items)}
    apart = {name: {*own[1]} ^ {*own[2]} for name, own in pairs.items()}  # the words in which the options differ
    unknown = {
        name
        for name, own in pairs.items()
        if any(not known(a) and not known(b) for a, b in own) or (apart[name] and not any(map(known, apart[name])))
    }
    assert any(apart[name] and not any(map(known, apart[name])) for name in unknown)
    found = list(read_answers(runs / "vec" / "answers.jsonl"))
    assert 0 < len(unknown) < len(pairs)
    assert {answer.item_id for answer in found if answer.status == "not covered"} == unknown
    assert Counter(answer.status for answer in found)["not covered"] == made["uncovered"] == len(unknown)
    assert made["score"]["n"] == len(pairs) - len(unknown)
    assert all(str(answer.text).startswith("no vector for '") for answer in found if answer.status)
    text = proband("run", items, "-m", f"vec:{tmp_path / 'v.txt'}", "-o", runs / "vec")
    assert f"not covered:  {len(unknown)} (unknown to the model, not counted)" in text
    said = proband("report", runs, "-o", out)
    assert f"v.txt does not cover {len(unknown)} items: left out of its scores." in said
    for file in ("index.html", "analogy.html", "tables/analogy-headline.md"):
        assert f"{len(unknown)} not covered" in (out / file).read_text()
    assert f",{len(unknown)},test items" in (out / "tables" / "analogy-headline.csv").read_text()


# ---- run -------------------------------------------------------------------------------------------------------------


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

    def planned_runs(items: Path, model: str, out: Path, options: RunOptions) -> list[Any]:
        seen.append(options)
        return []

    monkeypatch.setattr("proband.pipeline.run.planned_runs", planned_runs)
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
    proband("run", items, "-m", "hf:x", "-o", "out", "--dry-run", *words)
    profile = tmp_path / "profile.toml"
    tables = {"options": expected.options, "model-options": expected.model_options}
    lines = [f"{field.name} = {_toml(getattr(expected, field.attribute))}" for field in described(RunOptions)
             if field.attribute in changed and field.name not in tables]  # fmt: skip
    for name, table in tables.items():
        lines += [f"[{name}]", *(f'{key} = "{value}"' for key, value in table.items())]
    profile.write_text("\n".join(lines))
    proband("run", items, "-m", "hf:x", "-o", "out", "--dry-run", "--profile", profile)
    assert seen == [expected, expected]
    proband("run", items, "-m", "hf:x", "-o", "out", "--dry-run", "--profile", profile, "--limit", 9, "--set", "a=2")
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


# ---- report ----------------------------------------------------------------------------------------------------------


def test_options_reach_the_report(proband: Any, stage: Any) -> None:
    made = stage("report", {"page": "out/index.html", "items": 2000, "sentences": ["A is best."]})
    words = ["report", "runs/a", "runs/b", "-o", "out", "--title", "Two models", "--items", "items", "--seed", 1]
    text = proband(*words)
    assert made.arguments == ([Path("runs/a"), Path("runs/b")],)
    assert made.given == {
        "out": Path("out"),
        "items": Path("items"),
        "title": "Two models",
        "seed": 1,
    }
    proband(*words, "--claims")
    assert made.given["claims"] is True
    assert text.splitlines() == ["A is best.", "items:  2,000", "open out/index.html"]
    assert proband.json("report", "-o", "out", "runs") == made.result


def test_the_page_is_written(proband: Any, items: Path) -> None:
    runs, out = items.parent / "runs", items.parent / "report"
    proband("run", items, "-m", "solver:adder", "-o", runs / "adder")
    assert proband("report", runs, "-o", out).splitlines()[-1] == f"open {out / 'index.html'}"
    assert "solver:adder" in (out / "index.html").read_text(encoding="utf-8")
    assert "no such folder" in proband.fails("report", "/no/such", "-o", out)
    assert "contains no run" in proband.fails("report", items, "-o", out)


def test_a_folder_of_items_or_of_a_run_is_no_place_for_a_report(proband: Any, items: Path) -> None:
    run = items.parent / "run"
    proband("run", items, "-m", "baseline:random", "-o", run)
    assert "is a folder of items; choose another one for the report" in proband.fails(
        "report", run, "-o", items, "--force"
    )
    assert "is a folder of a run; choose another one for the report" in proband.fails("report", run, "-o", run)
    assert sorted(path.name for path in items.iterdir()) == ["items.jsonl", "manifest.json"]
