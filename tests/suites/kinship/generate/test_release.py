"""A release is rebuilt byte for byte or refused; its hidden split has no answers, and its key is the frozen one."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from proband.cli import main
from proband.core.files import decode, encode, read_items, read_json
from proband.core.types import Item
from proband.suites.kinship.generate.build import Rounds
from proband.suites.kinship.generate.hidden import hide, read_key
from proband.suites.kinship.generate.release import Release, load_release
from proband.suites.kinship.verify.items import verify

SMALL = """# a small release
name = "small"
version = 3
seed = 5

[options]
k = "2,3"
test-k = "2..4"
hold-out = "clauses,paraphrases"
avoid = '(?:^|[.] )By '

[[part]]
split = "train"
per-k = 44

[[part]]
split = "valid"
per-k = 22

[[part]]
split = "test"
per-k = 22

[[part]]
split = "test"
slice = "irrelevant"
task = "irrelevant"
k = "3"
per-k = 22

[[part]]
split = "test"
slice = "known-phrases"
per-k = 22
phrases = "train"

[[part]]
split = "test"
slice = "plain"
per-k = 22
options = { form = "facts", hold-out = "clauses" }

[[part]]
split = "test"
slice = "wide"
k = "3"
per-k = 22
options = { rules = "wide", hold-out = "" }
added = true

[[part]]
split = "test"
slice = "distinct"
k = "4"
per-k = 11
options = { max-per-clause = 1 }
after = 22
added = true

[[part]]
split = "hidden"
per-k = 22
"""


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a frozen definition, its key, and the release built from it."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "small.toml").write_text(SMALL)
    assert main(["kinship", "freeze", str(folder / "small.toml"), "--key", str(folder / "key.json")]) == 0
    assert main(["build", "kinship", "--release", str(folder / "small.toml"), "-o", str(folder / "built")]) == 0
    return folder


def lines_of(folder: Path, split: str) -> bytes:
    return b"".join(
        line for line in (folder / "items.jsonl").read_bytes().splitlines(keepends=True)
        if line.endswith(f'"split":"{split}"}}\n'.encode())
    )  # fmt: skip


def test_a_split_has_the_frozen_hash_which_a_shell_can_compute(frozen: Path) -> None:
    definition, manifest = load_release(str(frozen / "small.toml")), read_json(frozen / "built" / "manifest.json")
    for split in ("train", "valid", "test"):
        lines = lines_of(frozen / "built", split).splitlines(keepends=True)
        if split == "test":  # slices with hashes of their own, behind the others
            for name in ("wide", "distinct"):
                added = [line for line in lines if f'"slice":"{name}"'.encode() in line]
                assert hashlib.sha256(b"".join(added)).hexdigest() == definition.sha256[name]
            lines = lines[: lines.index(next(line for line in lines if b'"slice":"wide"' in line))]
        assert hashlib.sha256(b"".join(lines)).hexdigest() == definition.sha256[split]
    hidden = (frozen / "built" / "hidden" / "items.jsonl").read_bytes()
    assert hashlib.sha256(hidden).hexdigest() == definition.sha256["hidden"]
    assert manifest["splits_sha256"] == definition.sha256
    card = (frozen / "built" / "README.md").read_text()
    assert all(sha in card for sha in (*definition.sha256.values(), definition.key_sha256))


def test_every_visible_story_is_verified(frozen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(frozen / "built")]) == 0
    assert "proved in Coq" in capsys.readouterr().out


def test_slices_differ_in_one_thing(frozen: Path) -> None:
    items = list(read_items(frozen / "built"))
    assert Counter((item.split, item.tags["slice"]) for item in items) == {
        ("train", "clean"): 88, ("valid", "clean"): 44, ("test", "clean"): 66, ("test", "irrelevant"): 22,
        ("test", "known-phrases"): 66, ("test", "plain"): 66, ("test", "wide"): 22,
        ("test", "distinct"): 11,
    }  # fmt: skip
    told = {
        name: [i for i in items if i.split == "test" and i.tags["slice"] == name]
        for name in ("clean", "known-phrases", "plain")
    }
    for name in ("known-phrases", "plain"):  # the same questions, people and answers in other words
        for clean, other in zip(told["clean"], told[name], strict=True):
            assert clean.facts["edges"] == other.facts["edges"]
            assert (clean.facts["names"], clean.gold) == (other.facts["names"], other.gold)
            assert clean.prompt != other.prompt
    phrases = {name: {t for item in told[name] for t in item.facts["templates"]} for name in told}
    train = {t for item in items if item.split == "train" for t in item.facts["templates"]}
    valid = {item.prompt for item in items if item.split == "valid"}
    assert not phrases["clean"] & train
    assert phrases["known-phrases"] & train
    assert not valid & {item.prompt for item in items if item.split == "train"}
    assert not any(". By " in item.prompt for item in items)


def test_a_slice_that_comes_after_another_has_other_stories_and_each_clause_once(frozen: Path) -> None:
    test = [item for item in read_items(frozen / "built") if item.split == "test"]
    distinct = [item for item in test if item.tags["slice"] == "distinct"]
    assert len({item.facts["clusters"][0] for item in distinct}) == 11
    assert not {item.prompt for item in distinct} & {item.prompt for item in test if item.tags["slice"] == "clean"}


def test_the_hidden_split_has_nothing_to_look_the_answer_up_in(frozen: Path) -> None:
    hidden = list(read_items(frozen / "built" / "hidden"))
    assert len(hidden) == 66
    for item in hidden:
        assert item.gold is None
        assert set(item.facts) == {"names", "genders", "query"}
        assert set(item.tags) == {"task", "k", "split", "slice"}
    visible = {item.prompt for item in read_items(frozen / "built")}
    assert not visible & {item.prompt for item in hidden}


def test_the_hidden_stories_need_the_secret(frozen: Path) -> None:
    definition, key = load_release(str(frozen / "small.toml")), read_key(frozen / "key.json")
    shipped = gzip.decompress(definition.questions.read_bytes()).splitlines()
    assert len(key.secret) == 64
    assert hide(definition, key.secret)[0] == shipped
    assert not set(hide(definition, "0" * 64)[0]) & set(shipped)
    assert key.secret not in (frozen / "small.toml").read_text()


def test_answers_are_scored_with_the_key_and_with_no_other(frozen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ["--key", str(frozen / "key.json"), "--release", str(frozen / "small.toml"), "--json"]
    assert main(["run", str(frozen / "built" / "hidden"), "-m", "solver:read", "-o", str(frozen / "run")]) == 0
    capsys.readouterr()
    assert main(["kinship", "score", str(frozen / "run"), *how]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"]["all"]["mean"] == 1.0  # the stories can be proved

    answers = read_key(frozen / "key.json").answers
    rows = [f"{name},{word if place % 2 else 'aunt-in-law'}" for place, (name, word) in enumerate(answers.items())]
    (frozen / "answers.csv").write_text("\n".join(["id,answer", *rows]))
    assert main(["kinship", "score", str(frozen / "answers.csv"), *how]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"]["all"]["mean"] == 0.5
    (frozen / "answers.csv").write_text("\n".join(["id,answer", *rows[1:]]))
    assert main(["kinship", "score", str(frozen / "answers.csv"), *how]) == 2
    assert "has no answer to 'hidden-clean-k2-000000'" in capsys.readouterr().err

    changed = json.loads((frozen / "key.json").read_text())
    changed["answers"]["hidden-clean-k2-000000"] = "son" if answers["hidden-clean-k2-000000"] != "son" else "aunt"
    (frozen / "changed.json").write_text(json.dumps(changed))
    assert main(["kinship", "score", str(frozen / "run"), "--key", str(frozen / "changed.json"), *how[2:]]) == 2
    assert "is not the key that release" in capsys.readouterr().err


def test_other_bytes_are_refused(frozen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (frozen / "small.toml").read_text()
    (tmp_path / "small-hidden.jsonl.gz").write_bytes((frozen / "small-hidden.jsonl.gz").read_bytes())
    (tmp_path / "small.toml").write_text(text.replace("seed = 5", "seed = 6"))
    assert main(["build", "kinship", "--release", str(tmp_path / "small.toml"), "-o", str(tmp_path / "out")]) == 2
    assert "split 'train' is not the frozen one" in capsys.readouterr().err
    assert not (tmp_path / "out" / "items.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "2"], "'k' does not apply to --release"),
        (["--question", "yes-no"], "'question' does not apply to --release"),
        (["--seed", "3"], "'seed' is 3, and --release"),
        (["--data", "rows.csv"], "'release' does not apply to --data"),
    ],
)
def test_options_that_contradict_a_release_are_refused(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "kinship", "--release", "1", "-o", str(tmp_path), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_release_that_is_not_there_or_not_frozen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "kinship", "--release", "77", "-o", str(tmp_path)]) == 2
    assert "no release '77' of kinship; there is 1" in capsys.readouterr().err
    (tmp_path / "new.toml").write_text(SMALL)
    assert main(["build", "kinship", "--release", str(tmp_path / "new.toml"), "-o", str(tmp_path / "out")]) == 2
    assert "is not frozen yet" in capsys.readouterr().err


@pytest.mark.parametrize(("version", "hidden"), [(1, 594), (2, 638)])
def test_a_release_begins_as_it_was_frozen_and_its_hidden_questions_are_whole(version: int, hidden: int) -> None:
    """The first stories of every part; the whole of it is built every night."""
    definition = load_release(version)
    questions = Release(definition).hidden().splitlines()
    assert len(questions) == hidden
    assert all(definition.canary in line for line in questions)
    firsts = {}
    for part in definition.part:
        if part.split in ("train", "test") and f"{part.split} {part.slice}" in FIRSTS[version]:
            plan = definition.plan(part)
            item, _ = next(iter(Rounds(plan).stories(definition.cells(part, plan)[-1], 0)))
            firsts[f"{part.split} {part.slice}"] = hashlib.sha256(encode(item)).hexdigest()[:16]
    assert firsts == FIRSTS[version]


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("version", "piece"), [(n, piece) for n in (1, 2) for piece in load_release(n).pieces])
def test_each_piece_of_a_release_is_rebuilt_and_verified(version: int, piece: str) -> None:
    for item in Release(load_release(version)).items(only=piece):
        checked = verify(decode(Item, encode(item), file="a test"))
        assert not checked.problem, item.id
        assert not checked.uncertified, item.id


FIRSTS = {
    1: {
        "train clean": "9e122a14cfc1b733",
        "test clean": "90c89662a6b39a03",
        "test irrelevant": "d12a77e1f72a43bd",
        "test plain": "2fc2317201d079c3",
    },
    2: {
        "train clean": "ddd543209990b4f3",
        "test clean": "7cc21e70b8736200",
        "test known-constructions": "e24fb5142f14fa08",
        "test plain": "9e8a6575fb63c16c",
        "test long": "210bf5790fd77079",
        "test noise": "c56e93c04d6a3ecb",
        "test wide": "7ce1aa28bfa9fa2a",
    },
}
