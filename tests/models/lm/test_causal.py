"""BOS policies, generation and fine-tuning of causal models."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.models import load
from proband.models.lm import continuation_scores
from proband.models.lm.causal import first_token
from proband.training.fit import fit
from proband.training.recipe import Recipe
from proband.training.steps import Steps

Tiny = Callable[[str], Path]


def at_night(*families: str) -> list[Any]:
    """Relatives of families that `make test` reads."""
    return [pytest.param(family, marks=pytest.mark.nightly) for family in families]


@pytest.fixture(scope="module")
def gpt2(tiny: Tiny) -> Any:
    return load(f"hf:{tiny('gpt2')}", {"device": "cpu"})


@pytest.mark.parametrize(
    ("family", "start", "always"),
    [("gpt2", "<|endoftext|>", "none"), ("gemma", "<bos>", "<bos>"), ("qwen2", "none", "none")],
)
def test_bos_follows_the_tokenizer_and_is_recorded(tiny: Tiny, family: str, start: str, always: str) -> None:
    """GPT-2's tokenizer has a BOS and does not add it, Gemma's adds it, Qwen's has none. Only a text without context
    begins with a BOS that the tokenizer does not add."""
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    identity = model.identity()
    assert (identity["bos"], identity["bos_without_context"]) == (always, start)
    own = model.tokenizer("The capital")["input_ids"]
    assert model.read(["The capital"], contexts=[True])[0].ids.tolist() == own
    first = [] if start in {"none", always} else [model.tokenizer.convert_tokens_to_ids(start)]
    assert model.read(["The capital"])[0].ids.tolist() == first + own
    whole, behind = model.score([Text("The capital of Italy"), Text("The capital of Italy", 14)])
    with torch.no_grad():
        ids = model.tokenizer("The capital of Italy")["input_ids"]
        logprobs = model.network.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = sum(logprobs[t - 1, ids[t]].item() for t in range(len(ids) - behind.tokens, len(ids)))
    assert behind.total == pytest.approx(expected, abs=1e-4)
    assert whole.tokens > behind.tokens


def test_a_bos_that_opens_chat_turns_does_not_open_documents(gpt2: Any) -> None:
    """The same file is read alike as `hf:` and as `embedded:`: the rule looks at its tokenizer alone."""
    tokenizer = copy.deepcopy(gpt2.tokenizer)
    tokenizer.add_special_tokens({"bos_token": "<|im_start|>"})
    chat = "{% for message in messages %}{{'<|im_start|>' + message['role'] + message['content']}}{% endfor %}"
    plain = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}"
    for template, expected in ((chat, "<|endoftext|>"), (plain, "<|im_start|>"), (None, "<|im_start|>")):
        tokenizer.chat_template = template
        assert tokenizer.convert_ids_to_tokens(first_token(tokenizer, "auto", "m")) == expected
        assert tokenizer.convert_ids_to_tokens(first_token(tokenizer, "always", "m")) == "<|im_start|>"


def test_bos_policies_change_score_and_identity(tiny: Tiny) -> None:
    folder = tiny("qwen2")
    seen = {}
    for policy in ("auto", "always", "never", "Ġis"):
        model = load(f"hf:{folder}", {"device": "cpu", "bos": policy})
        seen[policy] = (model.score([Text("The capital of Italy")])[0], model.identity()["bos"])
    assert seen["auto"] == seen["never"]  # this tokenizer has no BOS, so its first token does not count
    assert seen["always"][0].tokens == seen["never"][0].tokens + 1
    assert [seen[policy][1] for policy in seen] == ["none", "<|endoftext|>", "none", "Ġis"]
    with pytest.raises(ProbandError, match="none of auto, always, never"):
        load(f"hf:{folder}", {"device": "cpu", "bos": "no such token"})


def test_never_leaves_the_first_token_out(tiny: Tiny) -> None:
    with_bos = load(f"hf:{tiny('gpt2')}", {"device": "cpu"})
    without = load(f"hf:{tiny('gpt2')}", {"device": "cpu", "bos": "never"})
    text = Text("The capital of Italy")
    assert without.score([text])[0].tokens == with_bos.score([text])[0].tokens - 1
    with pytest.raises(ProbandError, match="needs some text before it"):
        without.predict_words([("", "")], ["Italy"])
    with pytest.raises(ProbandError, match="without a BOS"):
        without.generate([""], max_tokens=2, temperature=0, seed=0)


def test_offsets_with_and_without_the_space(tiny: Tiny) -> None:
    """One of these tokenizers reports the space before a word in its offsets, the other does not."""
    spaced = load(f"hf:{tiny('gpt2')}", {"device": "cpu"})
    trimmed = load(f"hf:{tiny('llama')}", {"device": "cpu"})
    text = "The capital of France"
    raw = [m.tokenizer(text, return_offsets_mapping=True)["offset_mapping"][-1][0] for m in (spaced, trimmed)]
    assert raw == [14, 15]
    for model in (spaced, trimmed):
        whole, at_space, at_word = model.score([Text(text), Text(text, 14), Text(text, 15)])
        assert at_space == at_word
        assert (whole.words, at_word.words, at_word.tokens) == (4, 1, 1)


@pytest.mark.parametrize("family", ["gpt2", "gemma2", *at_night("llama", "qwen3")])
def test_a_context_read_once_gives_the_same(family: str, tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    contexts = [
        "The capital of France is Paris, and what Paris is to France Rome is to Italy, so the capital of Italy is",
        "Unbelievable kings and queens were reading by the river, and the unreadable book was",
    ]
    texts = [
        Text(context + ending, len(context))
        for context in contexts
        for ending in (" Rome.", " reading.", " a river in Europe", ",", " unreadable kings and a kingdom.")
    ]
    read: list[int] = []
    honest = continuation_scores._read_trees

    def counted(network: Any, rows: Any, *rest: Any) -> None:
        read.append(len(rows))
        honest(network, rows, *rest)

    monkeypatch.setattr(continuation_scores, "_read_trees", counted)
    found = model.score(texts)
    assert read == [2 if continuation_scores.window(model.network) > 40 else 0]  # none beyond a sliding window
    alone = [model.score([text])[0] for text in texts]
    assert read[1:] == [0] * len(texts)
    assert [s.total for s in found] == pytest.approx([s.total for s in alone], abs=1e-4)
    assert [(s.tokens, s.words) for s in found] == [(s.tokens, s.words) for s in alone]


@pytest.mark.parametrize("family", ["gpt2", "gemma2"])
def test_greedy_generation_is_transformers_own(family: str, tiny: Tiny) -> None:
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    prompts = ["The capital of", "What Paris is to France, Rome is", "A river"]
    found = model.generate(prompts, max_tokens=8, temperature=0, seed=0)
    for prompt, text in zip(prompts, found):
        ids = torch.tensor([model.tokenizer(prompt)["input_ids"]])
        made = model.network.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=8,
            do_sample=False,
            pad_token_id=0,
            eos_token_id=model.tokenizer.eos_token_id,
        )
        assert text == model.tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)


# positions that are learned, and positions that are turned with a window of attention
@pytest.mark.parametrize("family", ["gpt2", "gemma2", *at_night("llama", "gemma", "qwen2", "qwen3")])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_text_does_not_depend_on_its_batch(family: str, temperature: float, tiny: Tiny) -> None:
    """Padding at the left, other lengths, other neighbours: the same text, character for character."""
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    text = "The capital of Italy is Rome and a river runs through it, what Paris is to France"
    prompts = [text[: 5 + 17 * i % len(text)] for i in range(9)]
    how = {"max_tokens": 12, "temperature": temperature, "seed": 4}
    together = model.generate(prompts, **how)
    assert [model.generate([prompt], **how)[0] for prompt in prompts] == together
    assert model.generate(prompts[::-2], **how) == together[::-2]
    assert len(set(together)) > 1


def test_drawing_depends_on_seed_and_prompt_only(gpt2: Any) -> None:
    prompts = ["The capital of", "Rome is to it", "A river"]
    settings = {"max_tokens": 6, "temperature": 1.0}
    first = gpt2.generate(prompts, seed=1, **settings)
    assert gpt2.generate(prompts[::-1], seed=1, **settings)[::-1] == first
    assert gpt2.generate(prompts[1:2], seed=1, **settings) == first[1:2]
    assert gpt2.generate(prompts, seed=2, **settings) != first


def test_draws_follow_the_distribution(gpt2: Any) -> None:
    """The share of each first token over many seeds is its probability."""
    from proband.models.lm.generation import _stream, noise

    logits = torch.tensor([0.0, 1.0, 2.0])
    drawn = [int((logits.numpy() + noise(_stream("p", seed), 3, 2.0)).argmax()) for seed in range(4000)]
    expected = (logits / 2).softmax(-1).tolist()
    for token, share in enumerate(expected):
        assert drawn.count(token) / len(drawn) == pytest.approx(share, abs=0.03)


def test_stop_texts_end_generation(gpt2: Any) -> None:
    whole = gpt2.generate(["The capital of"], max_tokens=8, temperature=0, seed=0)[0]
    assert len(whole) > 3
    stop = whole[2:4]
    assert gpt2.generate(["The capital of"], max_tokens=8, temperature=0, seed=0, stop=[stop]) == [
        whole[: whole.index(stop)]
    ]


def tuned_folder(model: Any, examples: Any, out: Path, *, seed: int = 0, valid: Any = (), **recipe: Any) -> Any:
    """Fit and save; the learning curve."""
    settings = {"schedule": "linear", "decay": 0.01, "decay_vectors": False, "clip": 1.0, **recipe}
    task = model.finetuning(examples, valid=valid, recipe=Recipe(**settings))
    fitted = fit(task, seed=seed)
    out.mkdir()
    task.save(fitted.net, out)
    return fitted


def test_fine_tuning_learns_saves_and_leaves_the_original(gpt2: Any, tmp_path: Path) -> None:
    examples = [("The capital of France is", " Paris."), ("The capital of Italy is", " Rome.")] * 4
    before = gpt2.score([Text("The capital of France is Paris.", 24)])[0].total
    fitted = tuned_folder(gpt2, examples, tmp_path / "tuned", valid=examples[:2], epochs=6, rate=5e-3, batch=4, seed=3)
    losses = [line["valid"] for line in fitted.curve]
    assert losses[fitted.kept] == min(losses) < losses[0]
    assert gpt2.score([Text("The capital of France is Paris.", 24)])[0].total == before
    tuned = load(f"hf:{tmp_path / 'tuned' / 'model'}", {"device": "cpu"})
    # the loss of the curve is the loss of the folder that was saved: two targets, each with its end-of-text token
    ids = [tuned.tokenizer(c + t)["input_ids"] + [tuned.tokenizer.eos_token_id] for c, t in examples[:2]]
    skip = [len(tuned.tokenizer(c)["input_ids"]) for c, _ in examples[:2]]
    total, count = 0.0, 0
    for row, first in zip(ids, skip):
        with torch.no_grad():
            logprobs = tuned.network.model(torch.tensor([row])).logits[0].log_softmax(-1)
        total -= sum(logprobs[t - 1, row[t]].item() for t in range(first, len(row)))
        count += len(row) - first
    assert total / count == pytest.approx(min(losses), abs=1e-4)
    assert tuned.score([Text("The capital of France is Paris.", 24)])[0].total > before


def test_fine_tuning_repeats(gpt2: Any, tmp_path: Path) -> None:
    examples = [("The capital of", " France."), ("A river in", " Europe."), ("What is", " it?")]
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        tuned_folder(gpt2, examples, tmp_path / name, epochs=2, batch=2, rate=5e-5, seed=seed)
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in "abc"]
    assert weights[0] == weights[1] != weights[2]


def test_dropout_falls_on_training_alone(gpt2: Any) -> None:
    examples = [("The capital of", " France."), ("A river in the", " unbelievable Europe.")]
    found: dict[float, list[float]] = {}
    for dropout in (0.0, 0.5):
        task = gpt2.finetuning(examples, recipe=Recipe(batch=2), dropout=dropout)
        torch.manual_seed(0)
        net = task.network()
        for module in net.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0  # the family's own
        with torch.no_grad():
            found[dropout] = [float(task.loss(net.train(mode), task.batch([0, 1]))) for mode in (False, True)]
    assert found[0.0][0] == pytest.approx(found[0.0][1], abs=1e-5)
    assert found[0.5][0] == pytest.approx(found[0.0][0], abs=1e-6)
    assert abs(found[0.5][1] - found[0.0][1]) > 1e-2


def test_fine_tuning_in_parts_when_memory_is_short(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients summed over parts are those of the whole batch."""
    examples = [("The capital of", " France."), ("A river in the", " unbelievable Europe."), ("a", " b")]
    losses, grads = [], []
    for scarce in (False, True):
        task = gpt2.finetuning(examples, recipe=Recipe(batch=3))
        honest = task.loss

        def loss(net: Any, batch: Any, scarce: bool = scarce, honest: Any = honest) -> Any:
            if scarce and len(batch[0]) > 1:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return honest(net, batch)

        steps = Steps(task, task.network().eval(), device="cpu")  # no dropout, so that both ways see the same network
        steps.learn(loss, range(3), rate=1e-3, share=1.0)
        losses.append(steps.loss())
        state = steps.optimiser.state  # after one step the running mean of the gradient is a tenth of it
        grads.append(torch.cat([state[p]["exp_avg"].flatten() for p in steps.weights.values()]))
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    assert torch.allclose(grads[0], grads[1], atol=1e-6)


def test_errors_in_one_line(gpt2: Any, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="no method 'pll'; there is ll"):
        gpt2.score([Text("The")], method="pll")
    with pytest.raises(ProbandError, match="a blank after 130 tokens, but it reads 128 at most"):
        gpt2.predict_words([("a " * 127, "")], ["zzz"])
    with pytest.raises(ProbandError, match="no examples"):
        gpt2.finetuning([], recipe=Recipe())
    with pytest.raises(ProbandError, match="no separate token"):
        gpt2.finetuning([("The capital", "")], recipe=Recipe())
    with pytest.raises(ProbandError, match="must not be negative"):
        gpt2.generate(["a"], max_tokens=1, temperature=-1, seed=0)


def test_a_tuned_folder_starts_texts_as_in_training(gpt2: Any, tmp_path: Path) -> None:
    other = next(i for i in range(5, 20) if i != gpt2.bos)
    for always in (None, other):
        started = copy.copy(gpt2)
        started.bos, started.bos_in_context = other, always
        folder = tmp_path / f"tuned-{always}"
        tuned_folder(started, [("What is", " it?")], folder, epochs=1, batch=1)
        tuned = load(f"hf:{folder / 'model'}", {"device": "cpu"})
        assert (tuned.bos, tuned.bos_in_context) == (other, always)


def test_a_text_that_only_repeats_itself_ends_before_its_limit(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from proband.models.lm import generation

    monkeypatch.setattr(generation._Writer, "_chosen", lambda self, live, logits: [5] * len(live))
    text = gpt2.generate(["The capital of"], max_tokens=100, temperature=0, seed=0)[0]
    assert len(gpt2.tokenizer(text)["input_ids"]) < 60
