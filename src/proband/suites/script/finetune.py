"""Net `finetune`: a pre-trained language model trained further on the training split (the paper's GPT row).

The context is what the solver `cloze` puts before the text, the target is the concrete text, so the tuned model is
asked in the words it was trained on. It is saved as a plain model folder: `proband run ITEMS -m hf:OUT/model`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.protocols import FineTunes
from proband.core.types import Item, Net, Option
from proband.suites.script.texts import PROMPT, prompt, running

MODEL = "model"  # the folder inside OUT; OUT itself holds the note and the lock


def examples(items: Sequence[Item], split: str, template: str = PROMPT) -> list[tuple[str, str]]:
    """(context, target) texts of a split."""
    return [
        (prompt(item, template), running(item.facts["concrete"])) for item in items if item.tags.get("split") == split
    ]


def train(
    items_dir: Path,
    *,
    model: FineTunes,
    out: Path,
    seed: int = 0,
    progress: Any = None,
    epochs: int = 3,
    rate: float = 2e-4,
    batch: int = 32,
    dropout: float = 0.1,
    template: str = PROMPT,
) -> Mapping[str, Any]:
    """Train `model` on the training texts; the epoch with the least loss on the valid texts is kept."""
    items = read_items(items_dir)
    texts = examples(items, "train", template)
    if not texts:
        raise ProbandError("no items with the tag split=train to train on", file=items_dir)
    told = model.finetune(
        texts,
        out=Path(out) / MODEL,
        valid=examples(items, "valid", template),
        epochs=epochs,
        rate=rate,
        batch=batch,
        dropout=dropout,
        seed=seed,
        progress=progress,
    )
    return {**told, "model": f"hf:{Path(out) / MODEL}"}


def load(folder: Path) -> NoReturn:
    raise ProbandError(f"a fine-tuned model is an ordinary one: name it hf:{folder / MODEL}")


FINETUNE = Net(
    name="finetune",
    help="a causal language model (-m MODEL) trained on the training texts; use it as -m hf:OUT/model",
    train=train,
    load=load,
    options=(
        Option(name="epochs", help="of training; the best on valid texts is kept", default=3, kind=int),
        Option(name="rate", help="learning rate, falling to zero", default=2e-4, kind=float),
        Option(name="batch", help="texts in a batch", default=32, kind=int),
        Option(name="dropout", help="of embeddings and last states", default=0.1, kind=float),
        Option(name="template", help="what stands before the text; {abstract} is the abstract line", default=PROMPT),
    ),
    needs=FineTunes,
)
