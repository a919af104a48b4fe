"""Items longer than the model's window (`--too-long`), and chat templates, with tiny real models."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.cli.verbs.show import prompt_of
from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items, read_run
from proband.core.protocols import Chats
from proband.models import load
from proband.models.lm.network import count_words
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import report, score
from proband.solvers.likelihood import completions

Tiny = Callable[[str], Path]
TEMPLATE = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant]"


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stories")
    build("kinship", out=folder / "items", form="graph", k="2,3", per_k=12)
    return folder / "items"


def too_long(items: Path, model: Any) -> set[str]:
    """Counted apart from the run: items with a completion of more than 128 tokens, BOS included."""
    longest = {
        item.id: max(
            len(model.tokenizer(text.text)["input_ids"]) + 1 for text in completions(item.prompt, item.choices)
        )
        for item in read_items(items)
    }
    return {name for name, size in longest.items() if size > 128}


def test_an_item_that_does_not_fit_is_named(items: Path, tiny: Tiny, tmp_path: Path) -> None:
    spec = f"hf:{tiny('gpt2')}"
    long = too_long(items, load(spec, {"device": "cpu"}))
    settings: dict[str, Any] = {"model": spec, "cache": False, "model_options": {"device": "cpu"}}
    with pytest.raises(
        ProbandError, match=r"item '(.+)': a text of \d+ tokens is longer than the model's 128"
    ) as error:
        run(items, out=tmp_path / "fail", **settings)
    assert any(name in str(error.value) for name in long)


@pytest.mark.nightly
def test_likelihoods_of_items_that_do_not_fit(items: Path, tiny: Tiny, tmp_path: Path) -> None:
    spec = f"hf:{tiny('gpt2')}"
    long = too_long(items, load(spec, {"device": "cpu"}))
    assert 2 < len(long) < 22
    settings: dict[str, Any] = {"model": spec, "cache": False, "model_options": {"device": "cpu"}}
    run(items, out=tmp_path / "runs" / "skip", too_long="skip", **settings)
    answers = {each.item_id: each for each in read_answers(tmp_path / "runs" / "skip" / "answers.jsonl")}
    assert {name for name, each in answers.items() if each.status == "skipped"} == long
    found = score(tmp_path / "runs" / "skip")
    assert (found["n"], found["skipped"]) == (24 - len(long), len(long))
    assert read_run(tmp_path / "runs" / "skip" / "run.json").settings["too-long"] == "skip"
    run(items, out=tmp_path / "runs" / "cut", too_long="cut-left", **settings)
    cut = {each.item_id: each for each in read_answers(tmp_path / "runs" / "cut" / "answers.jsonl")}
    assert all(each.status == "" and len(each.scores) == 22 for each in cut.values())
    short = next(name for name in cut if name not in long)
    assert cut[short].scores == pytest.approx(answers[short].scores, abs=1e-4)
    said = report([tmp_path / "runs"], out=tmp_path / "report")["sentences"]
    assert any(f"skipped {len(long)} items" in sentence for sentence in said)


def chat_folder(tiny: Tiny, out: Path) -> Path:
    shutil.copytree(tiny("llama"), out)
    (out / "chat_template.jinja").write_text(TEMPLATE)
    return out


def test_a_chat_model_reads_its_own_template(items: Path, tiny: Tiny, tmp_path: Path) -> None:
    folder = chat_folder(tiny, tmp_path / "model")
    assert not isinstance(load(f"hf:{tiny('llama')}", {"device": "cpu"}), Chats)
    model = load(f"hf:{folder}", {"device": "cpu"})
    assert isinstance(model, Chats)
    tiny_chat: Any = model
    chats = [(("user", "Hi"),), (("system", "Be brief."), ("user", "What is the capital of Italy?")), (("user", "A"),)]
    settings: dict[str, Any] = {"max_tokens": 10, "temperature": 0.0, "seed": 0}
    assert (
        tiny_chat.rendered(chats[1], **settings)
        == "[system] Be brief.\n[user] What is the capital of Italy?\n[assistant]"
    )
    together = tiny_chat.chat(chats, **settings)
    assert together == [tiny_chat.chat([chat], **settings)[0] for chat in chats]
    ids = tiny_chat.tokenizer(tiny_chat.rendered(chats[1]), add_special_tokens=False, return_tensors="pt")["input_ids"]
    made = tiny_chat.network.model.generate(
        ids, attention_mask=ids * 0 + 1, max_new_tokens=10, do_sample=False, pad_token_id=0
    )
    assert together[1] == tiny_chat.tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)


def test_chats_that_do_not_fit(items: Path, tiny: Tiny, tmp_path: Path) -> None:
    folder, plain = chat_folder(tiny, tmp_path / "model"), tmp_path / "plain.jinja"
    plain.write_text("{{ prompt }}")
    settings: dict[str, Any] = {"model": f"hf:{folder}", "cache": False, "model_options": {"device": "cpu"}}
    settings["options"] = {"prompt": str(plain), "max-tokens": 2}
    with pytest.raises(ProbandError, match=r"item '.+': a prompt of \d+ tokens is longer than the model's 128"):
        run(items, out=tmp_path / "fail", **settings)
    run(items, out=tmp_path / "skip", too_long="skip", **settings)
    statuses = [each.status for each in read_answers(tmp_path / "skip" / "answers.jsonl")]
    assert 0 < statuses.count("skipped") < 24
    run(items, out=tmp_path / "cut", too_long="cut-left", **settings)
    assert "skipped" not in {each.status for each in read_answers(tmp_path / "cut" / "answers.jsonl")}
    item = next(iter(read_items(items)))
    (text,) = prompt_of(items, item.id, **settings)
    assert text == f"[user] {item.prompt}\n[assistant]"


def test_words_that_were_cut_off_do_not_divide_a_score(gpt2: Any) -> None:
    (tokens,) = gpt2.read(["The capital of France is Paris"], contexts=[True])
    cut = tokens.last(3)
    assert count_words(cut, cut.counted(0)) == len({len(cut.text[: at + 1].split()) for at in cut.begins})
    assert count_words(cut, cut.counted(0)) < count_words(tokens, tokens.counted(0)) == 6
