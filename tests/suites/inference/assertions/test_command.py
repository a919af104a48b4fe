"""`proband inference assertions` and `candidates` as a user runs them: resumed after a kill, on Ray, with errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband.suites.inference.assertions.command import build_store
from proband.suites.inference.assertions.sources import ExtractionOptions
from proband.suites.inference.assertions.store import Store


def ngrams(path: Path, n: int) -> Path:
    lines = (f"saw\tman{k}/NN/nsubj/2 saw/VBD/ROOT/0 dog{k % 7}/NN/dobj/2\t{k % 5 + 1}\t1999,1\n" for k in range(n))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def everything(store: Path) -> list[str]:
    return sorted(map(repr, Store(store).all()))


def test_from_n_grams_to_questionnaires(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "arcs.00"
    source.write_text(
        "invaded\tItaly/NNP/nsubj/2 invaded/VBD/ccomp/0 Ethiopia/NNP/dobj/2\t12\t1936,12\n"
        "left\tItaly/NNP/nsubj/2 left/VBD/ccomp/0 Ethiopia/NNP/dobj/2\t2\t1941,2\n",
        encoding="utf-8",
    )
    store, out = str(tmp_path / "store"), tmp_path / "sheets"
    assert main(["inference", "assertions", str(source), "-o", store, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["assertions"], result["occurrences"], result["units"]) == (2, 14, 1)
    asked = tmp_path / "q.txt"
    asked.write_text("country, borders, Ethiopia\n", encoding="utf-8")
    words = ["inference", "candidates", store, "--questions", str(asked), "-o", str(out), "--taxonomy", "small"]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["written"], result["questionnaires"]) == (2, 1)
    assert json.loads((out / "manifest.json").read_text())["removed"]["wrong-type"] == 0
    first = (out / "questionnaires.jsonl").read_bytes()
    assert main(words) == 0
    assert "2 candidates in 1 questionnaires" in capsys.readouterr().out
    assert (out / "questionnaires.jsonl").read_bytes() == first


TEXT = """Eritrea invaded Ethiopia.
Kenya did not invade Ethiopia.
Did Egypt invade Ethiopia?
If Sudan invades Ethiopia, Egypt will attack Sudan.
Italy left Ethiopia.
"""


def test_from_plain_text_what_is_not_asserted_answers_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("proband_english", reason="weights/proband-english is not installed")
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "q.txt").write_text("country, borders, Ethiopia\n", encoding="utf-8")
    store, out = tmp_path / "store", tmp_path / "sheets"
    assert main(["inference", "assertions", str(tmp_path / "text.txt"), "-o", str(store)]) == 0
    triples = sorted((one.subject, one.relation, one.object, one.negated) for one in Store(store).all())
    assert triples == [
        ("Eritrea", "invaded", "Ethiopia", False),
        ("Italy", "left", "Ethiopia", False),
        ("Kenya", "did not invade", "Ethiopia", True),
    ]
    words = ["inference", "candidates", str(store), "--questions", str(tmp_path / "q.txt"), "-o", str(out)]
    assert main([*words, "--taxonomy", "small"]) == 0
    assert "2 candidates in 1 questionnaires" in capsys.readouterr().out
    assert json.loads((out / "manifest.json").read_text())["removed"]["negated"] == 1


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband.suites.inference.assertions.sources.UNIT_OTHERWISE", 3_000)
    source = ngrams(tmp_path / "arcs", 500)
    one = build_store([source], out=tmp_path / "one")
    two = build_store([source], out=tmp_path / "two", workers=2)
    assert one["units"] == two["units"] > 5
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_tables_with_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars has run in this process before, which would stop it in a forked one."""
    monkeypatch.setattr("proband.suites.inference.assertions.sources.UNIT_OTHERWISE", 40)
    (tmp_path / "a.tsv").write_text("".join(f"man{n}\tsaw\tdogs\n" for n in range(20)), encoding="utf-8")
    ngrams(tmp_path / "arcs", 5)
    for name, workers in (("one", 1), ("two", 2)):
        result = build_store([tmp_path / "a.tsv", tmp_path / "arcs"], out=tmp_path / name, workers=workers)
        assert result["found"] == 25
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


KILLED = """
import os, signal, sys
from proband.cli import main
from proband.suites.inference.assertions import parts, sources
def write_json(path, content, write=parts.write_json):
    if len(list(path.parent.glob("*.done"))) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    write(path, content)
parts.write_json, sources.UNIT_OTHERWISE = write_json, 10_000
main(sys.argv[1:])
"""


def test_a_killed_command_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the middle of a unit; the second run does only what was left, and the store is that of a run without
    a stop."""
    source = ngrams(tmp_path / "arcs", 2_000)
    words = ["inference", "assertions", str(source), "-o"]
    child = subprocess.run([sys.executable, "-c", KILLED, *words, str(tmp_path / "killed")], stdout=subprocess.DEVNULL)
    assert child.returncode == -signal.SIGKILL
    parts = tmp_path / "killed" / "parts"
    done = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.done")}
    assert len(done) == 3 < len({path.name.split(".")[0] for path in parts.glob("*.parquet")})
    assert not (tmp_path / "killed" / "store.json").exists()
    monkeypatch.setattr("proband.suites.inference.assertions.sources.UNIT_OTHERWISE", 10_000)
    for name in ("killed", "whole"):
        assert main([*words, str(tmp_path / name)]) == 0
    assert {path.name: path.stat().st_mtime_ns for path in parts.glob("*.done") if path.name in done} == done
    assert len(list(parts.glob("*.done"))) > len(done)
    assert everything(tmp_path / "killed") == everything(tmp_path / "whole")


def test_sources_are_added(tmp_path: Path) -> None:
    build_store([ngrams(tmp_path / "arcs1", 10)], out=tmp_path / "s")
    (tmp_path / "more.tsv").write_text("man1\tsaw\tdog1\t100\nRome\tfell to\tAlaric\t1\n", encoding="utf-8")
    result = build_store([tmp_path / "arcs1", tmp_path / "more.tsv"], out=tmp_path / "s")
    assert result["assertions"] == 11
    assert {one.subject: one.count for one in Store(tmp_path / "s").all()}["man1"] == 102


@pytest.mark.nightly
def test_on_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    first, second = ngrams(tmp_path / "arcs1", 50), ngrams(tmp_path / "arcs2", 80)
    build_store([first, second], out=tmp_path / "ray", engine="ray", workers=1)
    build_store([first, second], out=tmp_path / "local")
    assert everything(tmp_path / "ray") == everything(tmp_path / "local")


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inference", "assertions", "-o", str(tmp_path / "s")]) == 2
    assert "needs a source" in capsys.readouterr().err
    assert main(["inference", "assertions", str(tmp_path / "none"), "-o", str(tmp_path / "s")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    source = ngrams(tmp_path / "arcs", 3)
    build_store([source], out=tmp_path / "s")
    with pytest.raises(ProbandError, match="was begun with another format; choose another folder"):
        build_store([source], out=tmp_path / "s", options=ExtractionOptions(format="ngrams"))
    (tmp_path / "arcs.none").write_text("dog\tthe/DT/det/2 dog/NN/pobj/0\t99\t1990,99\n", encoding="utf-8")
    assert main(["inference", "assertions", str(tmp_path / "arcs.none"), "-o", str(tmp_path / "n")]) == 2
    assert "no assertion was found in the sources" in capsys.readouterr().err
    (tmp_path / "q").write_text("Why?\n", encoding="utf-8")
    assert (
        main(
            [
                "inference",
                "candidates",
                str(tmp_path / "s"),
                "--questions",
                str(tmp_path / "q"),
                "-o",
                str(tmp_path / "c"),
            ]
        )
        == 2
    )
    assert "q line 1: must be `type, relation, argument`" in capsys.readouterr().err
    assert os.listdir(tmp_path / "s") != []


def test_parts_of_two_parsers_do_not_mix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of plain text that is resumed with another version of the pipeline or of the rules is refused; triples of
    others, which no parser has read, may be added to it."""
    text, triples, store = tmp_path / "a.txt", tmp_path / "t.tsv", tmp_path / "store"
    text.write_text("Eritrea invaded Ethiopia.\n", encoding="utf-8")
    triples.write_text("aspirin\trelieves\tpain\t3\n", encoding="utf-8")
    words = ["inference", "assertions", "-o", str(store)]
    assert main([*words, str(triples)]) == 0
    assert main([*words, str(text)]) == 0
    settings = json.loads((store / "settings.json").read_text())
    assert settings["parser"].startswith("proband_english ")
    assert main([*words, str(text), str(triples)]) == 0
    monkeypatch.setattr("proband_english.__version__", "9.9")
    capsys.readouterr()
    assert main([*words, str(text)]) == 2
    assert "was begun with another parser; choose another folder" in capsys.readouterr().err
    assert main([*words, str(triples)]) == 0
    monkeypatch.undo()
    del settings["parser"]  # a store from before versions were recorded
    (store / "settings.json").write_text(json.dumps({**settings, "rules": "older"}))
    capsys.readouterr()
    assert main([*words, str(text)]) == 2
    assert "another parser, rules" in capsys.readouterr().err
