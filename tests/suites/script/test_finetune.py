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
    proband.build("script", out=place / "items", data=place / "c.tsv", min_count=1)
    return place / "items"


@pytest.fixture(scope="module")
def plain(tiny_causal: Path) -> Any:
    return proband.load_model(f"hf:{tiny_causal}", {"device": "cpu"})


def test_context_and_target(items: Path) -> None:
    made = examples(items)["train"]
    assert made[0] == ("stir soup 0.\n", "use a wooden spoon in the pot.")
    assert len(made) == 4


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


def test_a_tuned_model_answers_and_says_what_it_is(items: Path, plain: Any, tmp_path: Path) -> None:
    proband.train(items, net="finetune", out=tmp_path / "tuned", seed=3, model=plain, options={"epochs": 1, "batch": 2})
    run = proband.run(items, model=f"net:{tmp_path / 'tuned'}", out=tmp_path / "run", limit=1).run
    assert (run.solver, run.net["net"], run.net["seed"]) == ("cloze", "finetune", 3)
    assert run.net["model"] == dict(plain.identity())


def test_killed_and_resumed(items: Path, plain: Any, tmp_path: Path) -> None:
    import torch

    def stop(line: Mapping[str, float]) -> None:
        if line["epoch"] == 1:
            raise KeyboardInterrupt

    def task() -> Any:
        return FINETUNE.task(items, options=FineTuneOptions(epochs=3, batch=2), seed=0, model=plain)

    whole = fit(task(), seed=0)
    with pytest.raises(KeyboardInterrupt):
        fit(task(), seed=0, folder=tmp_path, on_epoch=stop)
    again = fit(task(), seed=0, folder=tmp_path)
    assert all(torch.equal(p, q) for p, q in zip(whole.net.parameters(), again.net.parameters(), strict=True))
