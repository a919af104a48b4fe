"""`proband steps` on runs and on files: what is written, and what is said of what cannot be checked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import proband
from proband import stats
from proband.cli import main
from proband.cli.verbs.layouts import steps_layout
from proband.core.errors import ProbandError
from proband.core.files import asset, read_items
from proband.pipeline.steps import Checkers, check_replies, check_reply
from proband.proof.replies import OUTCOMES
from proband.proof.rows import AuditRow
from proband.rewards import Stream
from proband.stats import clusters_of

QUESTION = "Tom is married to Ann. They have a child called Ben. Ben is married to Cleo.\n\nWhat is Cleo to Ann?"


class Talker:
    """Replies with one text."""

    name = "talker"

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def identity(self) -> dict[str, str]:
        return {"kind": "talker", "reply": self.reply}

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        return [self.reply for _ in prompts]


def rows(path: Path, *given: dict[str, Any] | str) -> Path:
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in given))
    return path


def test_a_question_that_is_no_text_is_told_with_its_line_and_column(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [{}, {"question": None}, {"question": 7}, {"question": [7]}, {"question": ""}]
    replies = rows(tmp_path / "a.jsonl", {"question": QUESTION, "reply": "x"}, *({"reply": "x"} | each for each in odd))
    told = check_replies(replies, out=tmp_path / "out")["not checked"]
    wrong = ["is missing", "is missing", "is not text: '7'", "is not text: '[7]'", "is empty"]
    assert list(told) == [f"a.jsonl line {n}: column 'question' {each}" for n, each in enumerate(wrong, 2)]


def test_a_file_of_replies_loses_nothing(tmp_path: Path) -> None:
    right = "Ben is Ann's son.\nSo Cleo is Ann's <b>daughter-in-law</b>.\nAnswer: daughter-in-law"
    file = rows(
        tmp_path / "replies.jsonl",
        {"question": QUESTION, "reply": right, "model": "m"},
        {"question": QUESTION, "reply": "Cleo is Ann's sister.\nAnswer: sister", "model": "m"},
        {"question": QUESTION, "reply": "", "model": "m"},
        {"question": "How many sisters has Ann?", "reply": "Ann has three sisters.", "model": "m"},
        "{not json",
        {"question": QUESTION, "reply": "Cleo ist die Schwiegertochter von Ann.", "model": "m"},
    )
    result = check_replies(file, out=tmp_path / "out")
    records = [json.loads(line) for line in (tmp_path / "out" / "replies.jsonl").read_text().splitlines()]
    assert [record["outcome"] for record in records] == [
        "right answer, right steps", "wrong answer, wrong step", "not checked", "not checked", "not checked",
        "too much unread",
    ]  # fmt: skip
    assert set(result["not checked"]) >= {"the reply is empty"}
    assert any(why.startswith("the item is unread") for why in result["not checked"])
    assert any(" line 5: not a JSON object" in why for why in result["not checked"])
    (model,) = [each for each in result["models"] if each["model"] == "m"]
    assert model["shares"]["right answer, right steps"][1:] == [None, None]  # too few to tell
    step = records[0]["steps"][1]
    assert records[0]["text"][step["begin"] : step["end"]].startswith("So Cleo")
    assert step["statements"][0]["premises"] == []
    assert step["statements"][0]["proof"]
    page = (tmp_path / "out" / "index.html").read_text()
    assert "&lt;b&gt;daughter-in-law" in page
    assert "<b>daughter-in-law</b>" not in page.replace("Answer: <b>", "")


def test_every_outcome_has_a_colour_on_the_page() -> None:
    style, page = asset("proband.web", "steps/style.css"), asset("proband.web", "steps/replies.html")
    kinds = [name.replace(",", "").replace(" ", "-") for name in OUTCOMES]
    assert all(f".{kind}{{background:" in style for kind in kinds)
    assert 'name | replace(",", "") | replace(" ", "-")' in page


def test_statements_have_one_number_on_the_page(tmp_path: Path) -> None:
    reply = "Cleo is Ann's mother. No, wait. That is wrong. Ben is Ann's son. Cleo is Ann's sister.\nAnswer: sister"
    check_replies(rows(tmp_path / "a.jsonl", {"question": QUESTION, "reply": reply}), out=tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    (first,) = re.findall(r"First wrong step: statement (\d+)", page)
    assert re.search(
        rf"<b class=\"(?:contradicted|possible)\">\w+</b> <small>{first}</small> Cleo is a sister of Ann", page
    )


def test_that_there_is_nothing_to_check_is_said(tmp_path: Path) -> None:
    said = "here is nothing to check: no reply has a statement"
    for reply, nothing in (("Answer: daughter-in-law", True), ("Ben is Ann's son. Answer: daughter-in-law", False)):
        file = rows(tmp_path / "replies.jsonl", {"question": QUESTION, "reply": reply})
        result = check_replies(file, out=tmp_path / "out")
        page = (tmp_path / "out" / "index.html").read_text()
        assert "<p>1 reply, " in page
        assert (said in page) is nothing
        assert any(said in str(line) for line in steps_layout(result)) is nothing


def test_a_run_of_our_items(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=2)
    texts = {item.prompt: "Nobody is told to be anybody's aunt." for item in read_items(tmp_path / "items")}
    script = rows(tmp_path / "script.json", {"texts": texts, "default": 0})
    proband.run(tmp_path / "items", model=f"fake:{script}", out=tmp_path / "run", solver="direct")
    result = check_replies(tmp_path / "run", out=tmp_path / "out")
    assert result["replies"] == 2
    item = next(iter(read_items(tmp_path / "items")))
    names, edges, (i, j) = item.facts["names"], item.facts["edges"], item.facts["query"]
    (tmp_path / "run" / "answers.jsonl").unlink()
    with pytest.raises(ProbandError, match="run: has not finished: the command of the run resumes it"):
        check_replies(tmp_path / "run", out=tmp_path / "out")
    sentences = [f"{names[b]} is the {word} of {names[a]}." for a, word, b in edges]
    target = f"So {names[j]} is {names[i]}'s {item.facts['target']}."
    checked = check_reply(item, "\n".join([*sentences, target]), answer=item.facts["target"])
    assert [s.verdict for s in checked.statements] == ["stated", "stated", "entailed"]
    assert (checked.outcome, checked.follows) == ("right answer, right steps", "steps")


def test_shares_account_for_the_clusters_of_the_items(tmp_path: Path) -> None:
    """Stories of one sequence of relations are no independent items, nor are several replies to one story."""
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=40)
    items = {item.id: item for item in read_items(tmp_path / "items")}
    proband.run(tmp_path / "items", model=Talker("Answer: aunt"), out=tmp_path / "run", solver="generate")
    result = check_replies(tmp_path / "run", out=tmp_path / "out")
    records = [json.loads(line) for line in (tmp_path / "out" / "replies.jsonl").read_text().splitlines()]
    assert [tuple(each["clusters"]) for each in records] == [clusters_of(items[each["item"]]) for each in records]
    no_steps = [float(each["outcome"] == "no steps") for each in records]
    expected = stats.mean(no_steps, clusters=stats.Clusters.of([each["clusters"] for each in records]))
    assert 6 < expected.clusters < len(records)
    assert result["models"][0]["shares"]["no steps"] == [expected.mean, expected.low, expected.high]


def test_show_prints_the_verdicts_of_the_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=1)
    (item,) = read_items(tmp_path / "items")
    names, edges, (i, j) = item.facts["names"], item.facts["edges"], item.facts["query"]
    a, word, b = edges[0]
    reply = (
        f"{names[b]} is the {word} of {names[a]}. So {names[j]} is {names[i]}'s {item.facts['target']}. "
        f"{names[i]} is {names[i]}ish. {names[j]} is the {item.facts['target']} of Zog, and the blue father of."
    )
    proband.run(tmp_path / "items", model=Talker(reply), out=tmp_path / "run", solver="generate")
    capsys.readouterr()
    main(["show", str(tmp_path / "run"), item.id])
    lines = capsys.readouterr().out.splitlines()
    verdicts = [line.split()[0] for line in lines if line.startswith(("  stated ", "  entailed ", "  unread ", "  - "))]
    assert verdicts == ["stated", "entailed", "-", "unread"]
    assert any(line.strip().startswith("entailed: ") and "(since " in line for line in lines)


def test_a_report_links_the_steps_of_its_replies_in_words(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=2)
    first, _ = read_items(tmp_path / "items")
    names, (i, j) = first.facts["names"], first.facts["query"]
    for name, reply in (
        ("long", f"So I say that {names[j]} is {names[i]}'s {first.facts['target']}."),
        ("brief", "aunt"),
    ):
        proband.run(tmp_path / "items", model=Talker(reply), out=tmp_path / name, solver="generate")
        main(["report", str(tmp_path / name), "-o", str(tmp_path / f"report-{name}")])
    page = (tmp_path / "report-long" / "index.html").read_text()
    assert 'href="steps/index.html"' in page
    assert "right answer, right steps 50\u00a0% (too few)" in page
    assert "details" in (tmp_path / "report-long" / "steps" / "index.html").read_text()
    assert not (tmp_path / "report-brief" / "steps").exists()
    main(["report", str(tmp_path / "long"), "-o", str(tmp_path / "report-long")])  # and once more into the same folder


def test_a_proof_opens_by_keyboard(tmp_path: Path, tab: Any) -> None:
    wrong = {"question": QUESTION, "reply": "Cleo is Ann's sister.\nAnswer: sister", "model": "m"}
    check_replies(rows(tmp_path / "replies.jsonl", wrong), out=tmp_path / "out")
    tab.goto((tmp_path / "out" / "index.html").as_uri())
    proof = tab.locator("details.step.contradicted .proof")
    assert not proof.is_visible()
    for _ in range(10):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    tab.keyboard.press("Enter")
    assert proof.is_visible()
    assert "daughter-in-law" in proof.inner_text()
    tab.keyboard.press("Enter")
    assert not proof.is_visible()


def test_what_is_no_reply_is_said_in_one_line(tmp_path: Path) -> None:
    proband.build("analogy", out=tmp_path / "analogy", relations="capital", per_relation=1)
    item = next(iter(read_items(tmp_path / "analogy")))
    assert "has no prover (kinship has one" in check_reply(item, "Paris is a city.").why
    with pytest.raises(ProbandError, match="no column for the reply"):
        check_replies(rows(tmp_path / "a.jsonl", {"question": QUESTION}), out=tmp_path / "out")
    with pytest.raises(ProbandError, match="no column for the question"):
        check_replies(rows(tmp_path / "b.jsonl", {"reply": "x"}), out=tmp_path / "out")
    with pytest.raises(ProbandError, match="no such file"):
        check_replies(tmp_path / "none.jsonl", out=tmp_path / "out")
    with pytest.raises(ProbandError, match="not a file of rows"):
        check_replies(rows(tmp_path / "c.txt", "x"), out=tmp_path / "out")
    with pytest.raises(ProbandError, match="--dry-run needs --reader"):
        check_replies(
            rows(tmp_path / "d.jsonl", {"question": QUESTION, "reply": "x"}), out=tmp_path / "o", dry_run=True
        )
    assert main(["steps", str(tmp_path / "d.jsonl"), "-o", str(tmp_path / "o"), "--dry-run"]) != 0
    assert not (tmp_path / "o").exists()


def test_our_items_about_places_are_judged_in_their_own_world() -> None:
    """In the northeast is not in the north, as our items mean it; a stranger's text may mean the one axis alone."""
    stream = Stream("kinship", rules="grid", k="2", seed=0)
    item, (a, _, b) = next(
        (item, edge)
        for item in map(stream.__getitem__, range(20))
        for edge in item.facts["edges"]
        if edge[1] == "northeast"
    )
    near, far = (item.facts["names"][place] for place in (a, b))
    said = f"{far} is north of {near}."
    (own,) = check_reply(item, said).statements
    text = f"{far} is northeast of {near}."
    row = AuditRow(file="", line=1, key="1", cells={}, text=text, question=f"Where is {near} relative to {far}?")
    (stranger,) = Checkers("grid").of("grid").check(row, said).statements
    assert (own.verdict, stranger.verdict) == ("contradicted", "entailed")


def test_the_domain_of_one_item_is_not_that_of_the_next() -> None:
    """Items about places have no form of their own, so their domain is guessed."""
    verdicts = []
    for stream in (Stream("kinship", rules="grid", k="2", seed=0), Stream("kinship", k="2", seed=0)):
        item = stream[3]
        a, b = (item.facts["names"][each] for each in item.facts["query"])
        (said,) = check_reply(
            item, f"{b} is {'' if stream[3].facts['rules'] == 'grid' else 'the '}{item.facts['target']} of {a}."
        ).statements
        verdicts.append(said.verdict)
    assert verdicts == ["entailed", "entailed"]
