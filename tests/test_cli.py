"""The command line as a user meets it."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from proband import models, suites
from proband.cli import main
from proband.core.files import read_items


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few kinship stories, answered by the solver and by a coin."""
    folder = tmp_path_factory.mktemp("bench")
    assert main(["build", "kinship", "-o", f"{folder}/items", "--k", "2,3", "--per-k", "40"]) == 0
    assert main(["run", f"{folder}/items", "-m", "solver:symbolic", "-o", f"{folder}/runs/symbolic"]) == 0
    assert main(["run", f"{folder}/items", "-m", "baseline:random", "-o", f"{folder}/runs/random"]) == 0
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    if code:
        assert err.startswith("proband: ")
        assert err.count("\n") == 1, err
        return str(err)
    return str(out)


def test_lists_are_complete(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "list", "--json"))
    folders = {p.parent.name for p in (root / "src/proband/suites").glob("*/__init__.py")}
    assert {row["name"] for row in found["suites"]} == folders == set(suites.NAMES)
    assert {f"{kind}:" for kind in models.KINDS if kind != "fake"} <= {row["name"] for row in found["models"]}
    for module, _ in models.KINDS.values():
        assert (root / "src" / Path(*module.split("."))).with_suffix(".py").exists()
    for name in suites.NAMES:
        suite = suites.suite(name)
        assert suite.name == name
        assert {s.name for s in suite.solvers} <= {row["name"] for row in found["solvers"]}
        assert {n.name for n in suite.nets} <= {row["name"] for row in found["nets"]}
        for table in suite.tables:
            assert table.metric in suite.metrics


def test_compare_tells_the_solver_from_a_coin(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = json.loads(
        said(capsys, "compare", f"{bench}/runs/symbolic", f"{bench}/runs/random", "--by", "k", "--json")
    )
    assert [row["group"] for row in result["groups"]] == ["all", "k=2", "k=3"]
    assert result["groups"][0]["mean_a"] == 1.0
    assert result["groups"][0]["verdict"] == "solver:symbolic is higher"
    same = json.loads(said(capsys, "compare", f"{bench}/runs/random", f"{bench}/runs/random", "--json"))
    assert {row["verdict"] for row in same["groups"]} == {"inside the noise"}
    assert "95 % interval" in said(capsys, "compare", f"{bench}/runs/symbolic", f"{bench}/runs/random")


def test_show_prints_the_item_and_every_answer(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item = read_items(bench / "items")[0]
    text = said(capsys, "show", f"{bench}/items", item.id)
    assert item.prompt.splitlines()[0] in text
    assert "solver:symbolic" in text
    assert "baseline:random" in text
    assert said(capsys, "show", f"{bench}/runs/symbolic", item.id).count("solver:symbolic") == 1


def test_export_csv_holds_every_item(bench: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said(capsys, "export", f"{bench}/items", "--to", "csv", "-o", f"{tmp_path}/items.csv")
    with open(tmp_path / "items.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    items = read_items(bench / "items")
    assert [row["id"] for row in rows] == [item.id for item in items]
    assert [row["prompt"] for row in rows] == [item.prompt for item in items]
    for to, made in (("hf", "README.md"), ("lm-eval", "proband_kinship.yaml"), ("inspect", "samples.jsonl")):
        said(capsys, "export", f"{bench}/items", "--to", to, "-o", f"{tmp_path}/{to}")
        assert (tmp_path / to / made).exists()


def test_report_writes_the_page(bench: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said(capsys, "report", f"{bench}/runs", "-o", f"{tmp_path}/report")
    assert "solver:symbolic" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_build_repeats_with_its_seed(bench: Path, tmp_path: Path) -> None:
    for name, seed in (("one", "0"), ("two", "0"), ("three", "1")):
        main(["build", "kinship", "-o", f"{tmp_path}/{name}", "--k", "2,3", "--per-k", "40", "--seed", seed])
    one, two, three = ((tmp_path / n / "items.jsonl").read_bytes() for n in ("one", "two", "three"))
    assert one == two == (bench / "items" / "items.jsonl").read_bytes()
    assert one != three


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("build", "required"),
        ("build nothing -o x", "invalid choice"),
        ("build kinship -o x --k two", "'k' is 'two'"),
        ("build kinship -o x --task easy", "no task 'easy'"),
        ("build kinship -o x --colour red", "unrecognized arguments"),
        ("build kinship -o x --seed one", "invalid int value"),
        ("run {bench}/items -m gpt -o x", "a model is named KIND:NAME"),
        ("run {bench}/items -m solver:magic -o x", "solver:symbolic"),
        ("run {bench}/items -m vec:/no/such.vec -o x", "/no/such.vec"),
        ("run {bench}/items -m net:/no/such -o x", "net.json"),
        ("run {bench}/items -m hf:/no/such/folder -o x", "/no/such/folder"),
        ("run {bench}/items -m baseline:random -s likelihood -o x", "needs a model that scores text"),
        ("run {bench}/items -m baseline:random -o x --limit 0", "above 0"),
        ("run {bench}/items -m baseline:random -o x --set a", "NAME=VALUE"),
        ("run {bench}/items -m baseline:random -o x --set a=1", "no option 'a'"),
        ("run /no/such -m baseline:random -o x", "proband build"),
        ("run {bench}/items -m baseline:random -o {bench}/runs/random --seed 5", "'seed' differs"),
        ("report /no/such -o x", "no such folder"),
        ("report {bench}/items -o x", "holds no run"),
        ("compare {bench}/runs/random {bench}/runs/random --metric beauty", "no metric 'beauty'"),
        ("show {bench}/items nobody", "no item 'nobody'"),
        ("export {bench}/items --to docx", "no format 'docx'"),
        ("train {bench}/items --net nothing -o x", "no net 'nothing'"),
        ("audit /no/such -o x", "/no/such"),
        ("frobnicate", "invalid choice"),
    ],
)
def test_mistakes_get_one_line(
    bench: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in said(capsys, *words.format(bench=bench).split(), code=2)


def test_mutated_files_give_one_line_and_no_traceback(
    bench: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Items, answers and run notes with bytes changed, cut out or put in: every verb either works or says why not."""
    rng = random.Random(0)
    original = {
        name: (bench / name).read_bytes()
        for name in ("items/items.jsonl", "runs/random/answers.jsonl", "runs/random/run.json")
    }
    for name, content in original.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    first = read_items(bench / "items")[0].id
    for turn in range(600):
        name = rng.choice(list(original))
        (tmp_path / name).write_bytes(mutated(original[name], rng))
        verb = (["show", f"{tmp_path}/items", first], ["compare", *[f"{tmp_path}/runs/random"] * 2])[turn % 2]
        code = main(verb)
        err = capsys.readouterr().err
        assert code in (0, 2), err
        assert err.count("\n") == (1 if code else 0), err
        (tmp_path / name).write_bytes(original[name])


def mutated(content: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(content)), rng.choice((1, 1, 2, 5, 50))
    junk = rng.choice((rng.randbytes(size), b"", b'"', b"\n", b"null", b"1e999", b"{", b"\\ud800", b"-1", b"[]"))
    return content[:at] + junk + content[at + rng.choice((0, 1, size)) :]
