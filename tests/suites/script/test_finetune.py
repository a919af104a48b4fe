"""Fine-tuning through the suite: what is trained on, what comes out, how it is named, killed and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.suites.script.finetune import FINETUNE, FineTuneOptions, examples
from proband.training.fit import fit

CONCRETE = "use a wooden spoon in the pot ."


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tuning")
    rows = [f"stir soup {n} .\t{CONCRETE}\ttrain" for n in range(4)]
    rows += [f"stir tea .\t{CONCRETE}\tvalid", "stir rice .\tuse a wooden spoon .\ttest"]
    (place / "c.tsv").write_text("\n".join(rows) + "\n")
    proband.build("script", out=place / "items", data=place / "c.tsv", least=1)
    return place / "items"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A GPT-2 of two small layers over bytes."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = {letter: n for n, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab={**letters, "<|endoftext|>": len(letters)}, merges=[]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    fast: Any = transformers.PreTrainedTokenizerFast
    sizes = {"n_positions": 128, "n_embd": 16, "n_layer": 2, "n_head": 2}
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=len(letters) + 1, **sizes))
    folder = tmp_path_factory.mktemp("plain")
    model.save_pretrained(folder)
    ends = {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>"}
    fast(tokenizer_object=made, **ends).save_pretrained(folder)
    return proband.load_model(f"hf:{folder}", {"device": "cpu"})


def test_context_and_target(items: Path) -> None:
    made = examples(items)["train"]
    assert made[0] == ("stir soup 0.\n", "use a wooden spoon in the pot.")
    assert len(made) == 4


def test_a_tuned_model_is_named_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text('{"suite": "script", "net": "finetune"}\n')
    with pytest.raises(ProbandError, match=r"name it hf:.*model"):
        proband.load_model(f"net:{tmp_path}")


def test_a_model_to_start_from_is_needed(items: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="starts from a model: name one with -m"):
        proband.train(items, net="finetune", out=tmp_path / "x")


def test_training_lowers_the_loss(items: Path, plain: Any, tmp_path: Path) -> None:
    options = {"epochs": 4, "batch": 2, "rate": 5e-3}
    note = proband.train(items, net="finetune", out=tmp_path / "tuned", model=plain, options=options)
    assert note["examples"] == 4
    assert note["valid"] == min(line["valid"] for line in note["curve"]) < note["curve"][0]["valid"]
    tuned = proband.load_model(f"hf:{tmp_path / 'tuned' / 'model'}", {"device": "cpu"})
    text = Text("stir rice.\nuse a wooden spoon in the pot.", len("stir rice.\n"))
    assert tuned.score([text], method="ll")[0].total > plain.score([text], method="ll")[0].total + 1


def test_killed_and_resumed(items: Path, plain: Any, tmp_path: Path) -> None:
    import torch

    def stop(number: int, line: Mapping[str, float]) -> None:
        if line["epoch"] == 1:
            raise KeyboardInterrupt

    def task() -> Any:
        return FINETUNE.task(items, options=FineTuneOptions(epochs=3, batch=2), seed=0, model=plain)

    whole = fit(task(), seed=0)
    with pytest.raises(KeyboardInterrupt):
        fit(task(), seed=0, folder=tmp_path, told=stop)
    again = fit(task(), seed=0, folder=tmp_path)
    assert all(torch.equal(p, q) for p, q in zip(whole.net.parameters(), again.net.parameters(), strict=True))
