r"""Fine-tuning a causal model on (context, target) texts, as a task of the common training loop.

    loss = - (1/N) \sum over the N target tokens t of a batch: log P(w_t | w_<t)

The target ends with the end-of-text token where there is one, so that a tuned model also stops. Weights are fp32, with
bf16 arithmetic on a GPU; a batch that does not fit into memory is split. `dropout` applies to the embeddings and to
the input of the head. With validation examples, the epoch with the lowest loss is kept, else the last epoch.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.models.lm.network import Ints, LocalModel, headless, padded, shorten
from proband.training.recipe import Recipe
from proband.training.task import Task

Example = tuple[Ints, Ints]  # ids, positions of the target tokens


class FineTuning(Task):
    """Trains a copy of the model and saves it as FOLDER/model, which `hf:FOLDER/model` loads."""

    recordable = False  # texts have any length

    def __init__(
        self, model: LocalModel, examples: Sequence[tuple[str, str]], *, valid: Sequence[tuple[str, str]] = (),
        recipe: Recipe, dropout: float = 0.0,
    ) -> None:  # fmt: skip
        if not examples:
            raise ProbandError("nothing to train on: no examples")
        self.model, self.recipe, self.dropout = model, recipe, dropout
        self.train, self.valid = read(model, examples), read(model, valid)
        self.size, self.device = len(self.train), str(model.network.device)
        self.heads: dict[Any, Any] = {}

    def network(self) -> Any:
        # out of inference mode, and separate from the original, which still answers unchanged
        net = copy.deepcopy(self.model.network.model).float()
        for parameter in net.parameters():
            parameter.requires_grad_(True)
        if self.dropout:
            net.get_input_embeddings().register_forward_hook(lambda _, given, made: self._dropped(net, made))
        self.heads[net] = headless(net)
        return net

    def _dropped(self, net: Any, states: Any) -> Any:
        import torch

        return torch.nn.functional.dropout(states, self.dropout, net.training)

    def weight(self, indices: Sequence[int]) -> float:
        return sum(len(self.train[i][1]) for i in indices)

    def batch(self, indices: Sequence[int]) -> Any:
        return batch_of([self.train[i] for i in indices])

    def held_out(self) -> Iterator[Any]:
        for at in range(0, len(self.valid), self.recipe.batch):
            yield batch_of(self.valid[at : at + self.recipe.batch])

    def loss(self, net: Any, batch: Any) -> Any:
        return self._sum(net, batch) / len(batch[1])

    def score(self, net: Any, batch: Any) -> tuple[Any, int]:
        return self._sum(net, batch), len(batch[1])

    def _sum(self, net: Any, batch: Any) -> Any:
        import torch

        (ids, rows, where), head = batch, self.heads[net]
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            if head is None:
                logits = net(ids).logits[rows, where - 1]
            else:
                states = self._dropped(net, net.base_model(ids)[0][rows, where - 1])
                logits = head(inputs_embeds=states[None]).logits[0]
        return torch.nn.functional.cross_entropy(logits.float(), ids[rows, where], reduction="sum")

    def note(self) -> Mapping[str, Any]:
        return {"examples": len(self.train), "from": self.model.name}

    def save(self, net: Any, folder: Path) -> None:
        """Write to a temporary folder, then move it, so that the result is complete or missing."""
        out = folder / "model"
        with tempfile.TemporaryDirectory(dir=folder, prefix=".model-") as made:
            inner = Path(made) / "model"
            net.eval().save_pretrained(inner)
            _with_bos(self.model).save_pretrained(inner)
            if out.exists():  # left by a run that was killed here
                shutil.rmtree(out)
            inner.replace(out)


def batch_of(examples: Sequence[Example]) -> Any:
    """Token ids, and row and position of every target token."""
    import torch

    ids = padded([row for row, _ in examples], 0)
    rows = np.repeat(np.arange(len(examples)), [len(where) for _, where in examples])
    where = np.concatenate([where for _, where in examples])
    return torch.from_numpy(ids), torch.from_numpy(rows), torch.from_numpy(where)


def read(model: LocalModel, examples: Sequence[tuple[str, str]]) -> list[Example]:
    made = []
    end = model.tokenizer.eos_token_id
    contexts = [bool(context.strip()) for context, _ in examples]
    encoded = model.read([context + target for context, target in examples], contexts=contexts)
    for (context, target), tokens in zip(examples, encoded):
        where = tokens.counted(len(context))
        where = where[where > 0]
        if not len(where):
            raise ProbandError(f"the target {shorten(target)} has no separate token after {shorten(context)}")
        ids = tokens.ids
        if end is not None and (model.longest is None or len(ids) < model.longest):
            ids, where = np.append(ids, end), np.append(where, len(ids))
        made.append((ids, where))
    return made


def _with_bos(model: LocalModel) -> Any:
    """A tokenizer that begins texts as in training: its BOS is the one used without context, and it adds the token that
    began every text."""
    from tokenizers import processors

    tokenizer, always = model.tokenizer, model.bos_in_context
    adds = always is not None and tokenizer("a")["input_ids"][:1] == [always]
    if tokenizer.bos_token_id == model.bos and (always is None or adds):
        return tokenizer
    changed = copy.deepcopy(tokenizer)
    if model.bos is not None:
        changed.bos_token = tokenizer.convert_ids_to_tokens(model.bos)
    if always is not None and not adds:
        token = tokenizer.convert_ids_to_tokens(always)
        first = processors.TemplateProcessing(single=f"{token}:0 $A:0", special_tokens=[(token, always)])
        backend = changed.backend_tokenizer
        before = [] if backend.post_processor is None else [backend.post_processor]
        backend.post_processor = processors.Sequence([*before, first])
    return changed
