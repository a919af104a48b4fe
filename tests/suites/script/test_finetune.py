"""Fine-tuning through the suite: what is trained on, what comes out, how it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband import workbench
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.protocols import Text
from proband.models.embedded import installed
from proband.suites.script.finetune import examples


def small(tmp_path: Path) -> Path:
    rows = [f"stir soup {n} .\tuse a wooden spoon in the pot .\ttrain" for n in range(4)]
    rows += ["stir tea .\tuse a wooden spoon in the pot .\tvalid", "stir rice .\tuse a wooden spoon .\ttest"]
    (tmp_path / "c.tsv").write_text("\n".join(rows) + "\n")
    workbench.build("script", out=tmp_path / "items", data=tmp_path / "c.tsv", least=1)
    return tmp_path / "items"


def test_context_and_target(tmp_path: Path) -> None:
    made = examples(read_items(small(tmp_path)), "train")
    assert made[0] == ("stir soup 0.\n", "use a wooden spoon in the pot.")
    assert len(made) == 4


def test_a_tuned_model_is_named_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text('{"suite": "script", "net": "finetune"}\n')
    with pytest.raises(ProbandError, match=r"name it hf:.*model"):
        workbench.load_model(f"net:{tmp_path}")


@pytest.mark.slow
@pytest.mark.skipif(not installed("smollm2"), reason="embedded:smollm2 is not installed")
def test_training_lowers_the_loss(tmp_path: Path) -> None:
    items, plain = small(tmp_path), workbench.load_model("embedded:smollm2", device="cpu")
    note = workbench.train(
        items, net="finetune", out=tmp_path / "tuned", model=plain, options={"epochs": 1, "batch": 2}
    )
    assert note["examples"] == 4
    tuned = workbench.load_model(f"hf:{tmp_path / 'tuned' / 'model'}", device="cpu")
    text = Text("stir rice.\nuse a wooden spoon in the pot.", len("stir rice.\n"))
    assert tuned.score([text], method="ll")[0].total > plain.score([text], method="ll")[0].total + 1
