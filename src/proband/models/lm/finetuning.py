r"""Training a causal model further on (context, target) texts.

    loss = - (1/N) \sum over the N target tokens t of a batch: log P(w_t | w_<t)

The target ends with the end-of-text token where there is one, so that a tuned model also stops. AdamW, weight decay
0.01, gradients clipped to length 1, the rate falling linearly to zero; fp32, with bf16 arithmetic on a GPU. `dropout`
falls on the embeddings and on the states that the head reads. With validation examples the epoch of least loss is
kept, otherwise the last.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.progress import Progress
from proband.models.lm.batching import Ints, out_of_memory, padded
from proband.models.lm.forward import CausalParts, headless
from proband.models.lm.tokens import shorten

Example = tuple[Ints, Ints]  # ids, positions of the target tokens


def finetune(
    model: CausalParts,
    examples: Sequence[tuple[str, str]],
    *,
    out: Path,
    valid: Sequence[tuple[str, str]] = (),
    epochs: int = 3,
    rate: float = 5e-5,
    batch: int = 32,
    dropout: float = 0.0,
    seed: int = 0,
    progress: Any = None,
) -> Mapping[str, Any]:
    """Train a copy, save it as a folder that `hf:FOLDER` loads, and tell the losses."""
    import torch

    if not examples:
        raise ProbandError("nothing to train on: no examples")
    out = Path(out)
    train, held = _read(model, examples), _read(model, valid)
    devices = [model.network.device] if model.network.device.type == "cuda" else []
    opened = progress if callable(progress) else Progress
    with torch.random.fork_rng(devices=devices), opened("fine-tuning", total=epochs * len(train)) as bar:
        torch.manual_seed(seed)
        # out of inference mode and away from the original, which goes on answering as before
        copied = copy.deepcopy(model.network.model).float()
        net = Trainer(copied, rate=rate, steps=epochs * -(-len(train) // batch), dropout=dropout)
        history: list[dict[str, float]] = []
        best: tuple[float, dict[str, Any]] | None = None
        for epoch in range(epochs):
            order = np.random.default_rng([seed, epoch]).permutation(len(train))
            losses = []
            for at in range(0, len(order), batch):
                losses.append(net.step([train[i] for i in order[at : at + batch]]))
                bar.advance(min(batch, len(order) - at))
            record = {"epoch": float(epoch + 1), "train": float(sum(losses) / len(losses))}
            if held:
                record["valid"] = net.loss(held, batch)
                if best is None or record["valid"] < best[0]:
                    best = (record["valid"], {k: v.detach().clone() for k, v in net.model.state_dict().items()})
            history.append(record)
        if best is not None:
            net.model.load_state_dict(best[1])
    _save(net.model, _with_bos(model.tokenizer, model.bos), out)
    kept = min(range(epochs), key=lambda i: (history[i]["valid"], i)) if held else epochs - 1
    return {"epochs": history, "kept": kept + 1, "steps": net.steps, "examples": len(train), "seed": seed}


class Trainer:
    """One optimiser step at a time; a batch that does not fit into memory is accumulated from smaller parts."""

    def __init__(self, model: Any, *, rate: float, steps: int, dropout: float = 0.0) -> None:
        import torch

        self.model = model.train()
        for parameter in model.parameters():
            parameter.requires_grad_(True)
        self.head = headless(model)
        self.device = next(model.parameters()).device
        self.steps, self.part = steps, 10**9
        decayed = [p for p in model.parameters() if p.ndim > 1]
        plain = [p for p in model.parameters() if p.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=rate, fused=self.device.type == "cuda")
        self.dropout = dropout
        if dropout:
            model.get_input_embeddings().register_forward_hook(lambda _, given, made: self._dropped(made))
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, lambda done: max(0.0, 1 - done / steps))

    def _dropped(self, states: Any) -> Any:
        import torch

        return torch.nn.functional.dropout(states, self.dropout, self.model.training)

    def step(self, examples: Sequence[Example]) -> Any:
        """The loss before the step, left on the device so that nothing waits for it."""
        import torch

        tokens = sum(len(where) for _, where in examples)
        while True:
            self.optimiser.zero_grad(set_to_none=True)
            try:
                total = torch.zeros((), device=self.device)
                for part in _parts(examples, self.part):
                    loss = self._sum(part) / tokens
                    loss.backward()
                    total += loss.detach()
                break
            except Exception as error:
                if not out_of_memory(error) or min(self.part, len(examples)) == 1:
                    raise
                self.part = min(self.part, len(examples)) // 2
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.schedule.step()
        return total

    def loss(self, examples: Sequence[Example], batch: int) -> float:
        """Mean loss per target token, without training."""
        import torch

        self.model.eval()
        with torch.no_grad():
            total = sum(self._sum(part).item() for part in _parts(examples, min(batch, self.part)))
        self.model.train()
        return float(total / sum(len(where) for _, where in examples))

    def _sum(self, examples: Sequence[Example]) -> Any:
        import torch

        ids = torch.from_numpy(padded([row for row, _ in examples], 0)).to(self.device)
        rows = torch.from_numpy(np.repeat(np.arange(len(examples)), [len(where) for _, where in examples]))
        where = torch.from_numpy(np.concatenate([where for _, where in examples]))
        rows, where = rows.to(self.device), where.to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            if self.head is None:
                logits = self.model(ids).logits[rows, where - 1]
            else:
                states = self._dropped(self.model.base_model(ids)[0][rows, where - 1])
                logits = self.head(inputs_embeds=states[None]).logits[0]
        return torch.nn.functional.cross_entropy(logits.float(), ids[rows, where], reduction="sum")


def _read(model: CausalParts, examples: Sequence[tuple[str, str]]) -> list[Example]:
    made = []
    end = model.tokenizer.eos_token_id
    encoded = model.read([context + target for context, target in examples])
    for (context, target), tokens in zip(examples, encoded):
        where = tokens.counted(len(context))
        where = where[where > 0]
        if not len(where):
            raise ProbandError(f"the target {shorten(target)} has no token of its own after {shorten(context)}")
        ids = tokens.ids
        if end is not None and (model.longest is None or len(ids) < model.longest):
            ids, where = np.append(ids, end), np.append(where, len(ids))
        made.append((ids, where))
    return made


def _parts(examples: Sequence[Example], size: int) -> Iterator[Sequence[Example]]:
    for at in range(0, len(examples), size):
        yield examples[at : at + size]


def _with_bos(tokenizer: Any, bos: int | None) -> Any:
    """A tokenizer whose BOS is the one that was trained with, so that the saved folder starts texts the same way."""
    if bos is None or tokenizer.bos_token_id == bos:
        return tokenizer
    changed = copy.deepcopy(tokenizer)
    changed.bos_token = tokenizer.convert_ids_to_tokens(bos)
    return changed


def _save(model: Any, tokenizer: Any, out: Path) -> None:
    """Whole or not at all: written beside its place, then moved there."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ProbandError("exists already and is not an empty folder", file=out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as made:
        inner = Path(made) / "model"
        model.eval().save_pretrained(inner)
        tokenizer.save_pretrained(inner)
        inner.replace(out)
