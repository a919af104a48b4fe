"""Audits by models that read: what must not be said of a row when readings are wrong, and recorded readings of a large
model. `verify`: a varied item whose text, choices or answer was altered is found."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import proband
from proband.cli import main
from proband.core.errors import ProbandError
from proband.pipeline.checking import audit

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "remote"))
if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, chat
else:
    from stub_server import Stub, chat

Facts = Sequence[tuple[str, ...]]
TEXT = "Ann has a son, Bo. Bo's wife is Cleo."
ROW = {"text": TEXT, "question": "What is Ann to Cleo?", "answer": "mother-in-law"}
RIGHT = (("Bo", "son", "Ann"), ("Cleo", "wife", "Bo"), ("Ann", "female"))
ASKED = {"who": "Ann", "of": "Cleo"}


def reading(facts: Facts = RIGHT, asked: Mapping[str, Any] | None = ASKED, unclear: str = "") -> str:
    made = [dict(zip(("who", "is", "of"), fact)) for fact in facts]
    return json.dumps({"facts": made, "asked": asked, "unclear": unclear})


def by_prompt(first: str, second: str) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """A server that gives one reading to each of the two prompts."""
    return lambda path, body: chat(first if body["messages"][0]["content"].startswith("Read") else second)


def verdicts(tmp_path: Path, first: str, second: str, rows: Sequence[Mapping[str, str]], **more: Any) -> list[Any]:
    """The verdicts on rows in one audit, by the two readings of a model."""
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Stub(by_prompt(first, second)) as stub:
        audit(
            source, out=tmp_path / "out", domain="kinship", readers=[f"openai:m@{stub.url}"],
            cache=False, model_options={"first_wait": 0.01}, **more,
        )  # fmt: skip
    return [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text().splitlines()]


def judged(tmp_path: Path, first: str, second: str, row: Mapping[str, str] = ROW, **more: Any) -> dict[str, Any]:
    (line,) = verdicts(tmp_path, first, second, [row], **more)
    return dict(line)


def test_two_readings_that_agree(tmp_path: Path) -> None:
    line, wrong = verdicts(tmp_path, reading(), reading(), [ROW, {**ROW, "answer": "aunt"}], world="strict")
    assert (line["verdict"], line["one_reading"]) == ("entailed", False)
    assert [name.rpartition(" ")[2] for name in line["readers"]] == ["(facts)", "(sentences)"]
    assert (wrong["verdict"], wrong["right"], wrong["one_reading"]) == ("false", "mother-in-law", False)


TURNED = (("Ann", "daughter", "Bo"), ("Cleo", "wife", "Bo"))
OTHER = (("Bo", "son", "Ann"), ("Cleo", "sister", "Bo"), ("Ann", "female"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (reading(TURNED), reading()),  # one wrong: a fact turned round
        (reading(), reading(OTHER)),  # one wrong: another relation
        (reading(TURNED), reading(OTHER)),  # both wrong, differently
        (reading(OTHER), reading((("Bo", "brother", "Ann"), ("Cleo", "wife", "Bo"), ("Ann", "female")))),
        (reading((("Bo", "son", "Ann"), ("Ann", "female"))), reading((("Cleo", "wife", "Bo"),))),  # each leaves one out
        (reading(), reading((("Bo", "son", "Ann"), ("Ann", "female")))),  # one leaves a fact out
        (reading((*RIGHT, ("Dora", "sister", "Ann"))), reading(OTHER)),  # a name that is not in the text
        (reading(), reading((), None, "reported as a rumour")),
        (reading(), "I am sorry, I cannot read this."),
        (reading(RIGHT, {"who": "Cleo", "of": "Ann"}), reading()),  # the question turned round
        (reading(RIGHT, {"who": "Ann", "of": "Dora"}), reading(OTHER)),
    ],
)
def test_readings_that_are_not_wrong_alike_accuse_nobody(tmp_path: Path, first: str, second: str) -> None:
    """Whatever one reading says: a right label is not called wrong, nor a wrong one right, unless both say it."""
    answers = ("mother-in-law", "mother", "sister", "aunt")
    lines = verdicts(tmp_path, first, second, [{**ROW, "answer": answer} for answer in answers])
    for answer, line in zip(answers, lines, strict=True):
        accused = line["verdict"] in ("false", "ambiguous", "inconsistent") and not line["one_reading"]
        assert not accused, (answer, line)
        assert answer == "mother-in-law" or line["verdict"] != "entailed" or line["one_reading"], line


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Cleo", "daughter", "Ann"), ("Ann", "daughter", "Cleo")),
        (("Ann", "sister", "Bo"), ("Cleo", "mother", "Ann")),
        (("Ann", "wife", "Bo"), ("Bo", "son", "Cleo")),
        (("Cleo", "mother", "Ann"), ("Cleo", "father", "Ann")),
        (("Bo's brother", "father", "Ann"), ("Ann", "son", "Bo")),
    ],
)
def test_two_readings_that_contradict_themselves_in_different_ways_accuse_nobody(
    tmp_path: Path, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    line = judged(tmp_path, reading((*RIGHT, first)), reading((*RIGHT, second)))
    assert line["verdict"] not in ("false", "ambiguous", "inconsistent") or line["one_reading"], line


def test_two_readings_that_contradict_themselves_alike(tmp_path: Path) -> None:
    facts = (*RIGHT, ("Ann", "daughter", "Bo"))
    line = judged(tmp_path, reading(facts), reading((*facts[2:], *facts[:2])))
    assert (line["verdict"], line["one_reading"]) == ("inconsistent", False)


def test_only_readings_that_are_wrong_alike_lead_to_a_wrong_accusation(tmp_path: Path) -> None:
    line = judged(tmp_path, reading(OTHER), reading(OTHER), world="strict")
    assert (line["verdict"], line["one_reading"]) == ("false", False)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (reading((("Bo", "son", "Ann"), ("Cleo", "wife", "Dan"))), "names 'Dan', who is not in the text"),
        (reading((("Bo", "butler", "Ann"),)), "'butler', which is not a relation of kinship"),
        (reading((("Bo", "son", "Ann"), ("Bo", "female"))), "makes Bo a man and a woman"),
        (reading((("Ann", "mother", "Ann"),)), "relates Ann to itself"),
        (reading(RIGHT, {"who": "Ann", "of": "Ann"}), "about one thing, not two"),
        (reading(()), "reads no fact"),
        (reading((), None, "it is a dream"), "finds it unclear: it is a dream"),
        ("[1, 2]", "not JSON"),
        ('{"facts": "none"}', "no list of facts"),
    ],
)
def test_a_reading_is_checked_before_the_prover_sees_it(tmp_path: Path, reply: str, reason: str) -> None:
    line = judged(tmp_path, reply, reply)
    assert line["verdict"] == "unread"
    assert reason in line["reason"]


def test_a_reply_that_is_no_json_is_asked_for_once_more(tmp_path: Path) -> None:
    def server(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return chat(reading() if len(body["messages"]) > 1 else "Sure! Here is what I think.")

    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    with Stub(server) as stub:
        result = audit(
            tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", world="strict",
            readers=[f"openai:m@{stub.url}"], cache=False,
        )  # fmt: skip
        assert result["verdicts"]["entailed"] == 1
        assert len(stub.bodies) == 4
        assert stub.bodies[0]["response_format"]["type"] == "json_schema"


def test_a_server_without_schemas_is_asked_without(tmp_path: Path) -> None:
    def trouble(path: str, body: dict[str, Any], before: int) -> str | None:
        return "400 response_format is not supported" if "response_format" in body else None

    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    with Stub(by_prompt(reading(), reading()), trouble) as stub:
        result = audit(
            tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", readers=[f"openai:m@{stub.url}"],
            cache=False,
        )  # fmt: skip
    assert result["verdicts"]["unread"] == 0


def test_a_stopped_audit_resumes_and_asks_nothing_twice(tmp_path: Path) -> None:
    rows = [{**ROW, "text": f"{TEXT} It was day {n}."} for n in range(6)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options: Any = {"cache": False, "model_options": {"first_wait": 0.01, "retries": 0, "concurrency": 1}}

    def broken(path: str, body: dict[str, Any], before: int) -> str | None:
        return "500" if "day 4" in body["messages"][0]["content"] else None

    with Stub(by_prompt(reading(), reading()), broken) as stub:
        what: dict[str, Any] = {"out": tmp_path / "out", "domain": "kinship", "readers": [f"openai:m@{stub.url}"]}
        with pytest.raises(ProbandError, match="--on-error record continues"):
            audit(tmp_path / "rows.jsonl", **options, **what)
        asked = len(stub.bodies)
        stub.trouble = lambda path, body, n: None
        assert audit(tmp_path / "rows.jsonl", **options, **what)["verdicts"]["unread"] == 0
        # two texts of the first reading and one that was given up under way, all of the second
        assert len(stub.bodies) - asked <= 3 + 6


def test_bad_readers_are_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    source = str(tmp_path / "rows.jsonl")
    common = ["audit", source, "-o", str(tmp_path / "out"), "--domain", "kinship", "--no-cache"]
    quick = ["--model-set", "first-wait=0.01", "--model-set", "retries=0"]
    for words, expected in [
        (["--reader", "openai:m@http://127.0.0.1:9/v1", *quick], "cannot connect"),
        (["--reader", "embedded:glove"], "needs a model that generates text"),
        (["--reader", "nothing:x"], "no model 'nothing:x'"),
        (["--reader", "openai:a", "--reader", "openai:a"], "names one model twice"),
        (["--dry-run"], "--dry-run needs --reader"),
    ]:
        assert main([*common, *words]) != 0
        error = capsys.readouterr().err
        assert expected in error
        assert len(error.strip().splitlines()) == 1, error


def test_what_it_would_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    words = ["audit", str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "out"), "--domain", "kinship", "--dry-run"]
    assert main([*words, "--reader", "openai:m@http://127.0.0.1:9/v1", "--prices", "1,2", "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "all 2 runs" in out
    assert "cost" in out
    assert not (tmp_path / "out" / "verdicts.jsonl").exists()


# ---- recorded readings -----------------------------------------------------------------------------------------------


def recorded(data: Path, rows: Mapping[tuple[str, int], Mapping[str, Any]]) -> Stub:
    """A server that gives the recorded readings: the first to one prompt, the second to the other."""
    texts: dict[tuple[str, str], list[str]] = {}
    for number in (1, 2):
        for line in (data / "readings" / f"reading_{number}.jsonl").read_text().splitlines():
            each = json.loads(line)
            row = rows[each["set"], each["row"]]
            texts.setdefault((row["text"], row["question"]), []).append(line)

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        sent = body["messages"][0]["content"]
        pair = next(own for (text, question), own in texts.items() if text in sent and question in sent)
        return chat(pair[0 if sent.startswith("Read") else 1])

    return Stub(reply)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "domains", "least"),
    [
        pytest.param("kinship_fifth_held", ("kinship",), 85, marks=pytest.mark.nightly),
        ("traps_fifth_held", ("kinship",), 0),
        ("grid_temporal_fifth_held", ("grid", "temporal", "sizes"), 45),
    ],
)
def test_recorded_readings(
    root: Path, data: Path, tmp_path: Path, name: str, domains: tuple[str, ...], least: int
) -> None:
    """The figures of the page: rows read, right labels accused, wrong ones entailed, traps read."""
    lines = (root / "benchmarks" / "reading" / f"{name}.jsonl").read_text().splitlines()
    rows = {(name, number): json.loads(line) for number, line in enumerate(lines)}
    others = {
        (other.stem, n): json.loads(line)
        for other in (root / "benchmarks" / "reading").glob("*fifth_held.jsonl")
        for n, line in enumerate(other.read_text().splitlines())
    }
    read = 0
    with recorded(data, others) as stub:
        for domain in domains:
            own = [row for row in rows.values() if row.get("domain", "kinship") == domain]
            cells = [{key: row[key] for key in ("text", "question", "answer")} for row in own]
            source = tmp_path / f"{domain}.jsonl"
            source.write_text("".join(json.dumps(each) + "\n" for each in cells))
            out = tmp_path / f"out-{domain}"
            audit(
                source, out=out, domain=domain, readers=[f"openai:m@{stub.url}"],
                cache=False, model_options={"concurrency": 8},
            )  # fmt: skip
            verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
            for row, line in zip(own, verdicts, strict=True):
                is_read = line["verdict"] != "unread" and not line["one_reading"]
                read += is_read
                if is_read and row["planted"] is False:
                    assert line["verdict"] not in ("false", "ambiguous", "inconsistent"), (row, line)
                if is_read and row["planted"]:
                    assert line["verdict"] != "entailed", (row, line)
    assert read >= least
    assert least or not read, "a trap is read"


# ---- `verify` on variations of every suite beside their sources ------------------------------------------------------


Line = dict[str, Any]
QUESTIONS = "question,A,B,C,answer\nWhich is red?,blood,grass,snow,A\nWhich is cold?,fire,ice,sand,B\n"


def other_prompt(line: Line) -> None:
    line["prompt"] = (
        line["prompt"].replace("?", " in the film?", 1) if "?" in line["prompt"] else "No. " + line["prompt"]
    )


def other_word(line: Line) -> None:
    first, _, rest = line["prompt"].partition(" ")
    line["prompt"] = f"{first} hardly {rest}"


def other_choice(line: Line) -> None:
    line["choices"][0] = line["choices"][0] + "!"


def other_gold(line: Line) -> None:
    line["gold"] = (line["gold"] + 1) % len(line["choices"]) if line["gold"] is not None else 0


def altered(folder: Path, source: Line, line: Line, alter: Callable[[Line], None]) -> int:
    copied = json.loads(json.dumps(line))
    alter(copied)
    text = "".join(json.dumps(each) + "\n" for each in (source, copied))
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    (folder / "manifest.json").write_text(
        json.dumps({"suite": line["suite"], "sha256": {"items.jsonl": hashlib.sha256(text.encode()).hexdigest()}}),
        encoding="utf-8",
    )
    return int(proband.verify(folder)["failed"])


@pytest.mark.parametrize(
    ("suite", "names"),
    [
        ("analogy", "order,template,inverse,twin"),
        pytest.param("inference", "instance,voice,inverse", marks=pytest.mark.nightly),
        ("questions", "reorder"),
    ],
)
def test_an_altered_variation_is_found(suite: str, names: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(QUESTIONS, encoding="utf-8")
    options: dict[str, Any] = {"questions": {"data": rows}, "analogy": {"per_relation": 1}}
    proband.build(suite, out=tmp_path / "items", **options.get(suite, {}))
    proband.vary(tmp_path / "items", out=tmp_path / "varied", as_=names)
    assert proband.verify(tmp_path / "varied")["failed"] == 0
    lines = [json.loads(line) for line in (tmp_path / "varied" / "items.jsonl").read_text("utf-8").splitlines()]
    sources = {line["id"]: line for line in lines}
    done, accepted = 0, list[Any]()
    for name in names.split(","):
        for line in [each for each in lines if each["tags"].get("variation") == name][:3]:
            for alter in (other_prompt, other_word, other_choice, other_gold):
                done += 1
                if not altered(tmp_path / "varied", sources[line["facts"]["source"]], line, alter):
                    accepted.append((name, alter.__name__))
    assert done >= 4 * len(names.split(","))
    # which pair of an analogy's twin is right is known to its relation's list alone, as it is of any analogy
    assert set(accepted) <= {("twin", "other_gold")}
