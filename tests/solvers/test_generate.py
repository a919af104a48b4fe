"""Solver `generate`: what is sent, what comes back, what is read; with scripted models, in every suite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.solvers.conftest import REFUSAL, SUITES, Continues, Talks, started

from proband import suites
from proband.cli import main
from proband.cli.verbs.layouts import compare_layout
from proband.cli.verbs.show import prompt_of
from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items
from proband.core.protocols import Chat, Reply
from proband.core.types import Item
from proband.pipeline.asking.setup import built_examples, choose_solver
from proband.pipeline.build import build
from proband.pipeline.compare import compare
from proband.pipeline.frames import read, run
from proband.pipeline.report import report, score
from proband.pipeline.run import forecast, planned_runs
from proband.pipeline.run_options import RunOptions
from proband.solvers.prompts import pick_shots


@pytest.mark.parametrize("name", SUITES)
def test_who_answers_nothing_scores_nothing(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    run(folders[name], model=Talks(), out=tmp_path / "run", cache=False, limit=12)
    found = score(tmp_path / "run")
    assert (found["mean"], found["unread"]) == (0.0, 1.0)
    assert all(each["mean"] == 0.0 for each in found["groups"])
    assert all(each["mean"] == 0.0 for each in found["others"])
    answers = list(read_answers(tmp_path / "run" / "answers.jsonl"))
    assert {(each.status, each.text) for each in answers} == {("unread", REFUSAL)}


@pytest.mark.parametrize("name", SUITES)
def test_an_oracle_scores_one(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    solver = next(each for each in suites.suite(name).solvers if each.name == "generate")
    asking = solver.solve.keywords["asking"]  # type: ignore[attr-defined]
    items = [item for item in read_items(folders[name]) if item.split != "train"]
    assert solver.sends is not None
    right = {
        solver.sends([item], Talks(), seed=0, options=solver.options())[0][0]: asking.answer(item) for item in items
    }
    model = Talks(lambda message: f"Sure!\n{right[f'<user>{message}</user>']}")
    run(folders[name], model=model, out=tmp_path / "run", cache=False)
    assert (score(tmp_path / "run")["mean"], score(tmp_path / "run")["unread"]) == (1.0, 0.0)


def test_an_item_that_is_not_asked_has_no_prompt(folders: dict[str, Path]) -> None:
    items = list(read_items(folders["script"]))
    solver = choose_solver(suites.suite("script"), Talks(), None)
    assert solver.sends is not None
    sent = solver.sends(items, Talks(), seed=0, options=solver.options())
    Talks.all_seen.clear()
    solver.solve(items, model=(model := Talks()), seed=0, options=solver.options())
    assert [text for each in sent for text in each] == [model.rendered(chat) for chat in model.seen][: len(items)]
    assert [bool(each) for each in sent] == [item.split != "train" and bool(item.facts["blanks"]) for item in items]
    assert {len(each) for each in sent} == {0, 1}


def test_chat_models_are_asked_in_words_and_base_models_are_not() -> None:
    for name in SUITES:
        assert choose_solver(suites.suite(name), Talks(), None).name == "generate"
    from proband.models.fake import ScriptedModel

    assert choose_solver(suites.suite("kinship"), ScriptedModel(default=0.0), None).name == "direct"
    assert (
        choose_solver(suites.suite("kinship"), ScriptedModel(default=0.0), "likelihood,generate").name == "likelihood"
    )


def test_a_base_model_reads_plain_text(folders: dict[str, Path], tmp_path: Path) -> None:
    model = Continues()
    run(folders["kinship"], model=model, out=tmp_path / "run", solver="generate", options={"system": "Be brief."})
    assert all(text.startswith("Be brief.\n\n") and text.endswith("Answer:") for text in model.seen)


def test_examples_come_from_the_train_split_and_no_own_cluster(tmp_path: Path) -> None:
    build("kinship", out=tmp_path / "items", k="2", per_k=44, hold_out="names", test_per_k=8)
    model, again, other = Talks(), Talks(), Talks()
    options = {"shots": 2}
    for each, seed, out in ((model, 0, "a"), (again, 0, "b"), (other, 1, "c")):
        run(tmp_path / "items", model=each, out=tmp_path / out, options=options, seed=seed, cache=False, limit=8)
    assert model.seen == again.seen != other.seen
    items = list(read_items(tmp_path / "items"))
    train = {item.prompt: item for item in items if item.split == "train"}
    asked = [item for item in items if item.split != "train"]
    assert len(model.seen) == 8
    for chat in model.seen:
        assert [role for role, _ in chat] == ["user", "assistant"] * 2 + ["user"]
        (item,) = [each for each in asked if each.prompt in chat[-1][1]]
        for (_, question), (_, reply) in (chat[:2], chat[2:4]):
            (shot,) = [shot for prompt, shot in train.items() if prompt in question]
            assert question.replace(shot.prompt, "") == chat[-1][1].replace(item.prompt, "")  # the very same wording
            assert reply == shot.choices[shot.gold or 0]
            assert not set(shot.facts["clusters"]) & set(item.facts["clusters"])


@pytest.mark.parametrize(
    "name",
    [
        "kinship",
        *(pytest.param(each, marks=pytest.mark.nightly) for each in (*SUITES, "inference") if each != "kinship"),
    ],
)
def test_every_suite_has_examples_to_show(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Default builds, through the command line: turns of a chat in the wording of the question, none of the items."""
    assert main(["build", name, "-o", str(tmp_path / "items")]) == 0
    asked = {(item.prompt, item.choices) for item in read_items(tmp_path / "items")}
    assert not asked & {(item.prompt, item.choices) for item in built_examples(tmp_path / "items", suite=name)}
    model = f"{__name__}:Talks"
    words = ["run", str(tmp_path / "items"), "-m", model, "--limit", "4", "--set", "shots=2", "--no-cache", "--json"]
    Talks.all_seen.clear()
    assert main([*words, "-o", str(tmp_path / "run")]) == 0, capsys.readouterr().err
    assert main([*words, "--set", f"shots-from={tmp_path / 'items'}", "-o", str(tmp_path / "from")]) == 0
    first, again = Talks.all_seen[:4], Talks.all_seen[4:]
    assert first == again
    for chat in first:
        assert [role for role, _ in chat] == ["user", "assistant"] * 2 + ["user"]
        assert len({content for role, content in chat if role == "user"}) == 3


def test_letters_and_thoughts_in_examples(folders: dict[str, Path], tmp_path: Path) -> None:
    model = Talks()
    settings: dict[str, Any] = {"model": model, "cache": False, "limit": 1}
    run(folders["kinship"], out=tmp_path / "a", options={"shots": 1, "prompt": "letters"}, **settings)
    run(folders["kinship"], out=tmp_path / "b", options={"shots": 1, "think": True}, **settings)
    letters, thoughts = (chat[1][1] for chat in model.seen)
    assert len(letters) == 1
    assert letters.isupper()
    assert thoughts.startswith("Answer: ")


def test_without_a_train_split_the_error_says_what_to_do(folders: dict[str, Path], tmp_path: Path) -> None:
    alone = tmp_path / "items.jsonl"
    alone.write_bytes((folders["kinship"] / "items.jsonl").read_bytes())
    with pytest.raises(ProbandError, match="no train split to take shots from: --set shots-from=DIR names other items"):
        run(alone, model=Talks(), out=tmp_path / "run", options={"shots": 1})
    lonely = Item(id="a", suite="s", prompt="?", facts={"clusters": ["c"]})
    with pytest.raises(ProbandError, match="a: only 0 of the 1 examples share no cluster"):
        pick_shots(lonely, [Item(id="b", suite="s", prompt="!", facts={"clusters": ["c"]})], count=1, seed=0)


def test_what_is_shown_is_what_is_sent(folders: dict[str, Path], tmp_path: Path) -> None:
    item, model = started(folders["kinship"]), Talks()
    settings: dict[str, Any] = {"options": {"think": "yes", "system": "You know families."}, "seed": 3}
    (shown,) = prompt_of(folders["kinship"], item.id, model=model, **settings)
    run(folders["kinship"], model=model, out=tmp_path / "run", cache=False, **settings)
    assert shown == model.rendered(next(chat for chat in model.seen if item.prompt in chat[-1][1]))
    assert shown.startswith("<system>You know families.</system><user>")
    assert 'last line of the form "Answer: relation"' in shown


def test_a_dry_run_asks_nothing(folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "PROBAND_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    options = RunOptions(model_options={"prices": "1,2"}, limit=4)
    (planned,) = planned_runs(folders["kinship"], "openai:m", tmp_path, options)
    found = forecast(planned)
    assert (found.items, found.calls, found.solver, found.tokens_counted) == (4, 4, "generate", False)
    assert found.tokens_in is not None
    texts = [prompt_of(folders["kinship"], item.id, model="openai:m")[0] for item in read_items(folders["kinship"])]
    assert json.loads(texts[0])["messages"][0]["role"] == "user"
    assert min(map(len, texts)) <= found.tokens_in <= max(map(len, texts))
    assert found.tokens_out == 4 * 4096
    assert found.cost == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e6)


def test_prompts_side_by_side(folders: dict[str, Path], tmp_path: Path) -> None:
    """Two prompts are two systems of the report, with the spread between them and a warning for what is unread."""
    for prompt, reply in (("choices", REFUSAL), ("open", "aunt")):
        run(folders["kinship"], model=Talks(reply), out=tmp_path / "runs" / prompt, options={"prompt": prompt})
    found = report([tmp_path / "runs"], out=tmp_path / "report")
    warned = [sentence for sentence in found["sentences"] if sentence.startswith("Warning")]
    assert warned == ["Warning: 100.0 % of the replies of talks · prompt=choices are unread and count as wrong."]
    text = (tmp_path / "report" / "tables" / "kinship-prompts.md").read_text()
    assert "choices 0.0" in text
    assert "open " in text
    compared = compare(tmp_path / "runs" / "choices", tmp_path / "runs" / "open")
    assert list(compared["unread"].values()) == [1.0, 0.0]
    (line,) = [line for line in compare_layout(compared) if isinstance(line, str) and line.startswith("warning")]
    assert "prompt=choices: 100.0 % of the replies could not be read" in line


class Weighs(Talks):
    """A chat model that gives log-probabilities with some of its replies."""

    def replies(self, chats: Sequence[Chat], **settings: Any) -> list[Reply]:
        return [Reply("aunt", -0.25 if place % 2 else None) for place, _ in enumerate(chats)]


def test_log_probabilities_stay_with_the_answers(folders: dict[str, Path], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"options": {"logprobs": True}, "cache": False, "limit": 4, "solver": "generate"}
    run(folders["kinship"], model=Weighs(), out=tmp_path / "with", **settings)
    lines = (tmp_path / "with" / "answers.jsonl").read_text().splitlines()
    assert ["logprob" in json.loads(line) for line in lines] == [False, True, False, True]
    assert read(tmp_path / "with").answers()["logprob"].to_list() == [None, -0.25, None, -0.25]
    with pytest.raises(ProbandError, match="talks gives no log-probabilities of its replies"):
        run(folders["kinship"], model=Talks(), out=tmp_path / "without", **settings)
