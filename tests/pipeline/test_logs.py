"""Logs that lm-eval 0.4 and inspect_ai wrote of nine of our items, plain tables, and logs that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import proband
from proband.core.errors import ProbandError
from proband.pipeline.compare import compare
from proband.pipeline.logs import read_log

DATA = Path(__file__).parent / "data"
LM_EVAL = {name: DATA / "lm-eval" / f"tiny-{name}" for name in ("gpt2", "llama")}
INSPECT = {name: DATA / "inspect" / name for name in ("always-a.json", "by-length.eval", "twice.eval")}


def values(path: Path, **wanted: Any) -> dict[str, float]:
    return {item: entry.value for item, entry in read_log(path, **wanted).entries.items()}


def test_samples_of_lm_eval_are_read_as_the_tool_scored_them() -> None:
    """gpt2 fails the three reverse items; llama two of the type items besides."""
    found = {name: values(path) for name, path in LM_EVAL.items()}
    for name, path in LM_EVAL.items():
        rows = [json.loads(line) for line in next(path.glob("*.jsonl")).read_text("utf-8").splitlines()]
        assert found[name] == {row["doc"]["id"]: row["acc"] for row in rows}
    wrong = {item for item, value in found["gpt2"].items() if not value}
    assert len(wrong) == 3
    assert all(".reverse." in item for item in wrong)
    assert sum(found["llama"].values()) == 4
    entry = next(iter(read_log(LM_EVAL["gpt2"]).entries.values()))
    assert entry.clusters == ("clusters=capital : country/25", "clusters=capital : country/17")
    assert entry.tags["probe"] == "random-head"


def test_samples_without_an_id_or_a_hash_are_known_by_their_place(tmp_path: Path) -> None:
    rows = [{"doc_id": at, "doc": {"q": "?"}, "doc_hash": None, "metrics": ["acc"], "acc": 1.0} for at in range(2)]
    (tmp_path / "samples.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert list(values(tmp_path / "samples.jsonl")) == ["/0", "/1"]


def test_a_folder_of_several_tasks(tmp_path: Path) -> None:
    """One family of tests, a task each, and the tasks' items kept apart; what is ambiguous is refused by name."""
    for name, path in LM_EVAL.items():
        rows = next(path.glob("*.jsonl")).read_text("utf-8")
        for task in ("first", "second_one"):
            file = tmp_path / "logs" / name / "model" / f"samples_{task}_2026-11-16T10-20-30.123456.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            kept = rows if task == "first" else rows.replace('"acc": 0.0', '"acc": 1.0')
            file.write_text(kept, encoding="utf-8")
    a, b = (tmp_path / "logs" / name for name in LM_EVAL)
    result = compare(a, b)
    assert [group["group"] for group in result["groups"]] == ["all items", "first", "second_one"]
    assert [group["n"] for group in result["groups"]] == [18, 9, 9]
    assert [group["difference"] for group in result["groups"]] == pytest.approx([2 / 18, 2 / 9, 0])
    alone = compare(*LM_EVAL.values())["groups"][0]
    first = result["groups"][1]
    assert {k: first[k] for k in ("mean_a", "low", "high", "p")} == {
        k: alone[k] for k in ("mean_a", "low", "high", "p")
    }
    with pytest.raises(ProbandError, match=r"several models: name one of gpt2.model, llama.model"):
        compare(tmp_path / "logs", b)
    again = next(a.rglob("samples_first*"))
    again.with_name("samples_first_2026-11-17T10-20-30.123456.jsonl").write_bytes(again.read_bytes())
    with pytest.raises(ProbandError, match="two logs of first: name samples_first_2026-11-16"):
        compare(a, b)


def test_logs_of_inspect_are_read_as_the_tool_scored_them() -> None:
    written = json.loads(INSPECT["always-a.json"].read_text("utf-8"))
    found = values(INSPECT["always-a.json"])
    assert found == {s["id"]: float(s["scores"]["choice"]["value"] == "C") for s in written["samples"]}
    accuracy = written["results"]["scores"][0]["metrics"]["accuracy"]["value"]
    assert np.mean(list(found.values())) == pytest.approx(accuracy)
    zipped = values(INSPECT["by-length.eval"])
    assert (len(zipped), sum(zipped.values())) == (9, 4.0)
    assert values(INSPECT["twice.eval"]) == dict.fromkeys(
        ("capital-country.random-head.25.17", "capital-country.reverse.25.17"), 1.0
    )  # two epochs of two samples
    (entry, *_) = read_log(INSPECT["by-length.eval"]).entries.values()
    assert entry.clusters[0].startswith("clusters=capital : country/")


def test_two_tools_and_our_own_run_on_the_same_items(tmp_path: Path) -> None:
    """Paired by item, whoever wrote the log."""
    proband.build("analogy", out=tmp_path / "items", per_relation=3, relations="capital")
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "run", cache=False)
    found = compare(LM_EVAL["gpt2"], INSPECT["by-length.eval"], tmp_path / "run")
    assert found["systems"] == ["tiny-gpt2", "mockllm/model", "baseline:random"]
    assert [(group["a"], group["b"]) for group in found["groups"]] == [
        ("tiny-gpt2", "mockllm/model"),
        ("tiny-gpt2", "baseline:random"),
        ("mockllm/model", "baseline:random"),
    ]
    first = found["groups"][0]
    assert first["n"] == 9
    assert first["difference"] == pytest.approx(6 / 9 - 4 / 9)
    partly = compare(LM_EVAL["gpt2"], INSPECT["always-a.json"])
    assert partly["groups"][0]["n"] == 4
    assert partly["left_out"] == {"tiny-gpt2": 5}


def table(path: Path, right: list[int], **columns: list[Any]) -> Path:
    names = ["item", "correct", *columns]
    rows = [",".join(map(str, cells)) for cells in zip((f"q{i}" for i in range(len(right))), right, *columns.values())]
    path.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    return path


def test_a_small_case_by_hand(tmp_path: Path) -> None:
    """docs/compare.md: nine items only A has right, two only B."""
    a = table(tmp_path / "a.csv", [1] * 16 + [0] * 4)
    b = table(tmp_path / "b.csv", [1] * 7 + [0] * 9 + [1] * 2 + [0] * 2)
    (group,) = compare(a, b)["groups"]
    centre = 0.35
    error = ((11 / 20 - centre**2) / 19) ** 0.5
    assert (group["mean_a"], group["mean_b"], group["n"]) == (0.8, 0.45, 20)
    assert group["p"] == pytest.approx(2 * stats.t.sf(centre / error, 19))
    assert group["low"] == pytest.approx(centre - stats.t.ppf(0.975, 19) * error)


def test_clusters_of_a_table_widen_the_interval_and_json_lines_say_the_same(tmp_path: Path) -> None:
    right, other = [1] * 24 + [0] * 16, [0] * 6 + [1] * 6 + [0] * 28
    texts = [f"t{i // 4}" for i in range(40)]
    alone = compare(table(tmp_path / "a.csv", right), table(tmp_path / "b.csv", other))["groups"][0]
    shared = compare(table(tmp_path / "c.csv", right, text=texts), tmp_path / "b.csv", cluster="")["groups"][0]
    assert shared["p"] == alone["p"]  # nothing says by what they hang together
    both = [table(tmp_path / f"{n}.csv", r, text=texts) for n, r in (("d", right), ("e", other))]
    clustered = compare(*both, cluster="text")["groups"][0]
    assert clustered["clusters"] == 10
    assert clustered["high"] - clustered["low"] > alone["high"] - alone["low"]
    for name, r in (("d", right), ("e", other)):
        lines = [json.dumps({"item": f"q{i}", "correct": bool(x), "cluster": [texts[i]]}) for i, x in enumerate(r)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    again = compare(tmp_path / "d.jsonl", tmp_path / "e.jsonl")["groups"][0]
    assert (again["p"], again["clusters"]) == (clustered["p"], 10)


def test_naming_paragraphs_beside_documents_changes_no_verdict(tmp_path: Path) -> None:
    """120 items in 24 paragraphs of 3 documents, and of 8: the paragraphs and items are no further evidence."""
    rng = np.random.default_rng(4)
    for documents in (3, 8):
        fields = {
            "document": [f"d{i * documents // 120}" for i in range(120)],
            "paragraph": [f"p{i // 5}" for i in range(120)],
            "number": [f"i{i}" for i in range(120)],
        }
        right, other = ((rng.random(120) < p).astype(int).tolist() for p in (0.75, 0.5))
        both = [table(tmp_path / f"{n}.csv", r, **fields) for n, r in (("f", right), ("g", other))]
        named = ("document", "document;paragraph", "document;paragraph;number")
        found = [compare(*both, cluster=cluster)["groups"][0] for cluster in named]
        assert [each["few"] for each in found] == [documents == 3] * 3
        assert [each["clusters"] for each in found] == [documents] * 3
        assert len({each["verdict"] for each in found}) == 1
        if documents == 3:  # too few for a test
            assert [each["p"] for each in found] == [None] * 3
        else:
            assert found[0]["p"] <= found[1]["p"] <= found[2]["p"]
        assert found[2]["high"] - found[2]["low"] == pytest.approx(found[0]["high"] - found[0]["low"], rel=0.2)


def test_all_pairs_are_corrected_together(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [
        table(tmp_path / f"{name}.csv", (rng.random(300) < skill).astype(int).tolist(), half=["x", "y"] * 150)
        for name, skill in (("a", 0.8), ("b", 0.7), ("c", 0.3))
    ]
    found = compare(*paths)["groups"]
    p = sorted(group["p"] for group in found)
    assert sorted(group["p_holm"] for group in found) == pytest.approx(
        [min(1.0, p[0] * 3), min(1.0, max(p[0] * 3, p[1] * 2)), min(1.0, max(p[0] * 3, p[1] * 2, p[2]))]
    )
    assert [group["verdict"] for group in found][1:] == ["a is better", "b is better"]
    by = compare(*paths, by="half")["groups"]
    assert [group["group"] for group in by[:3]] == ["all items", "x", "y"]
    assert len(by) == 9


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "item,correct\nq,1\nq,0\n", "line 3: item 'q' occurs a second time"),
        ("a.csv", "item,right\nq,1\n", "line 2: no metric 'correct'; there are item, right"),
        ("a.csv", "item,correct\nq,1,2\n", "row 2: has 3 cells but the header names 2"),
        ("a.csv", "item,correct\nq,nan\n", "line 2: 'correct' is 'nan', which is not a score"),
        ("a.csv", "item,correct\n", "contains no scored item"),
        ("a.jsonl", '{"item": "q", "correct": 1}\n{"item": \n', "line 2: "),
        ("a.jsonl", '{"doc_id": 1, "metrics": ["acc"], "doc": 3}\n', "line 1: is not a sample of lm-eval"),
        ("a.jsonl", '{"doc_id": 1, "metrics": ["acc"], "doc": {}}\n', "line 1: 'acc' is 'None', which is not a score"),
        ("a.json", '{"eval": {"model": "m"}, "status": "error"}', "the evaluation ended with status 'error'"),
        ("a.json", '{"eval": {}, "samples": [{"id": 1, "scores": {"f": {"value": {}}}}]}', "item '1': 'f' is '{}'"),
        ("a.json", '{"eval": {}, "samples": [{"id": 1}]}', "item '1': no metric ''; there are none"),
        ("a.json", "[1]", "is not a log of inspect"),
        ("a.json", "{", "is not a log of inspect"),
        ("a.eval", "PK", "is not a log of inspect"),
        ("a.txt", "x", "is not a log: samples"),
    ],
)
def test_a_bad_log_is_one_line_that_names_the_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ProbandError) as error:
        compare(tmp_path / name, tmp_path / name)
    assert says in str(error.value)
    assert str(tmp_path / name) in str(error.value)
    assert "\n" not in str(error.value)


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    one = table(tmp_path / "one.csv", [1, 0])
    (tmp_path / "other.csv").write_text("item,correct\nz,1\n")
    with pytest.raises(ProbandError, match="share no item: one has 'q0', the other 'z'"):
        compare(one, tmp_path / "other.csv")
    with pytest.raises(ProbandError, match="no field 'text' to cluster by; there are correct, item"):
        compare(one, one, cluster="text")
    with pytest.raises(ProbandError, match="no metric 'f1'; there are acc"):
        compare(LM_EVAL["gpt2"], LM_EVAL["llama"], metric="f1")
    with pytest.raises(ProbandError, match="no such file"):
        compare(one, tmp_path / "absent")
    with pytest.raises(ProbandError, match="name two"):
        compare(one)
