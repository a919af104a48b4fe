"""Where an interrupted fit goes on: all that training has changed, after an epoch, in one file without pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.training.steps import Steps

NAME = "checkpoint.safetensors"
TOGETHER = "checkpoint-together.safetensors"  # of nets side by side, in the folder of the first

Curves = list[list[dict[str, float]]]  # a learning curve for each net


def save(folder: Path, steps: Steps, *, best: Mapping[str, Tensor], curves: Curves, of: str, name: str = NAME) -> None:
    """Whole or not at all. `of` says which fit this is."""
    from safetensors.torch import save_file

    found = {f"weight.{k}": v.detach() for k, v in (steps.weights | steps.buffers).items()}
    found |= {f"mean.{k}": v for k, v in steps.mean.items()} | {f"best.{k}": v for k, v in best.items()}
    for weight, p in steps.weights.items():
        found |= {f"adam.{key}.{weight}": value for key, value in steps.optimiser.state[p].items()}
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{name}"
    note = {"curves": json.dumps(curves), "of": of}
    save_file({k: v.contiguous().cpu().clone() for k, v in found.items()}, fresh, metadata=note)
    fresh.replace(folder / name)


def resume(folder: Path, steps: Steps, best: Mapping[str, Tensor], *, of: str, name: str = NAME) -> Curves:
    """Take up what the folder has; returns the learning curves so far, none if there is no checkpoint."""
    from safetensors import SafetensorError, safe_open

    path = folder / name
    if not path.exists():
        return []
    try:
        with safe_open(path, framework="pt") as file:
            note = file.metadata() or {}
            if note.get("of") != of and name == TOGETHER:
                return []  # other seeds were trained together: their nets begin again
            if note.get("of") != of:
                raise ProbandError("contains a checkpoint of other settings; choose another folder", file=folder)
            with torch.no_grad():
                _copy(file, steps, best)
    except (SafetensorError, RuntimeError) as error:
        raise ProbandError(f"is not a checkpoint of this net: {error}", file=path) from error
    curves: Curves = json.loads(note["curves"]) if "curves" in note else [json.loads(note["curve"])]
    return curves


def _copy(file: Any, steps: Steps, best: Mapping[str, Tensor]) -> None:
    for prefix, tensors in (("weight", steps.weights | steps.buffers), ("mean", steps.mean), ("best", best)):
        for name, tensor in tensors.items():
            tensor.copy_(file.get_tensor(f"{prefix}.{name}"))
    names = set(file.keys())
    for name, p in steps.weights.items():
        keys = [key for key in ("step", "exp_avg", "exp_avg_sq") if f"adam.{key}.{name}" in names]
        if keys:
            where = p.device if steps.recorded or p.is_cuda else "cpu"
            steps.optimiser.state[p] = {key: file.get_tensor(f"adam.{key}.{name}").to(where) for key in keys}
