"""Net `finetune`: a pre-trained language model trained further on the training split (the paper's GPT row).

The context is the prompt of the solver `cloze`, and the target is the concrete text, so training and evaluation use the
same prompt. It is saved as a plain model folder: `proband run ITEMS -m net:OUT`, which is
`-m hf:OUT/model` with a note of its training.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.plugins import Meta
from proband.core.protocols import FineTunes
from proband.core.suite import Net
from proband.suites.script.corpus import PROMPT, facts_of, prompt, running
from proband.training.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class FineTuneOptions:
    """How a language model is trained further."""

    epochs: Annotated[int, Meta(description="epochs of training; the best on valid texts is kept", ge=1)] = 3
    rate: Annotated[float, Meta(description="learning rate, falling to zero", gt=0)] = 2e-4
    batch: Annotated[int, Meta(description="texts in a batch", ge=1)] = 32
    dropout: Annotated[float, Meta(description="dropout on embeddings and last states", ge=0, lt=1)] = 0.1
    template: Annotated[str, Meta(description="text before the concrete one; {abstract} is the abstract line")] = PROMPT


def examples(items: Path, template: str = PROMPT) -> dict[str, list[tuple[str, str]]]:
    """(context, target) texts of each split."""
    texts: dict[str, list[tuple[str, str]]] = {"train": [], "valid": [], "test": []}
    for item in read_items(items):
        texts[item.split].append((prompt(item, template), running(facts_of(item).concrete)))
    return texts


def task(items: Path, *, options: FineTuneOptions, seed: int, model: FineTunes) -> Any:
    """Train `model` on the training texts; the epoch with the least loss on the valid texts is kept."""
    texts = examples(items, options.template)
    if not texts["train"]:
        raise ProbandError("no items of the split train to train on", file=items)
    fixed: dict[str, Any] = {"schedule": "linear", "decay": 0.01, "decay_vectors": False, "clip": 1.0}
    recipe = Recipe(epochs=options.epochs, rate=options.rate, batch=options.batch, **fixed)
    return model.finetuning(texts["train"], valid=texts["valid"], recipe=recipe, dropout=options.dropout)


def load(folder: Path) -> str:
    """Load a fine-tuned model like any other model."""
    return f"hf:{folder / 'model'}"


FINETUNE = Net(
    name="finetune",
    help="a causal language model (-m MODEL) trained on the training texts",
    options=FineTuneOptions,
    task=task,
    load=load,
    needs=FineTunes,
)
