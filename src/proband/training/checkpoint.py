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
Curve = list[dict[str, float]]


def save(folder: Path, steps: Steps, *, best: Mapping[str, Tensor], curve: Curve, of: str) -> None:
    """Whole or not at all. `of` says which fit this is."""
    from safetensors.torch import save_file

    results = {f"weight.{k}": v.detach() for k, v in (steps.weights | steps.buffers).items()}
    results |= {f"mean.{k}": v for k, v in steps.mean.items()} | {f"best.{k}": v for k, v in best.items()}
    for weight, p in steps.weights.items():
        results |= {f"adam.{key}.{weight}": value for key, value in steps.optimiser.state[p].items()}
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{NAME}"
    note = {"curve": json.dumps(curve), "of": of}
    save_file({k: v.contiguous().cpu().clone() for k, v in results.items()}, fresh, metadata=note)
    fresh.replace(folder / NAME)


def resume(folder: Path, steps: Steps, best: Mapping[str, Tensor], *, of: str) -> Curve:
    """Take up what the folder has; returns the learning curve so far, empty if there is no checkpoint."""
    from safetensors import SafetensorError, safe_open

    path = folder / NAME
    if not path.exists():
        return []
    try:
        with safe_open(path, framework="pt") as file:
            note = file.metadata() or {}
            if note.get("of") != of:
                raise ProbandError("contains a checkpoint of other settings; choose another folder", file=folder)
            with torch.no_grad():
                _copy(file, steps, best)
    except (SafetensorError, RuntimeError) as error:
        raise ProbandError(f"is not a checkpoint of this net: {error}", file=path) from error
    curve: Curve = json.loads(note["curve"]) if "curve" in note else json.loads(note["curves"])[0]
    return curve


def _copy(file: Any, steps: Steps, best: Mapping[str, Tensor]) -> None:
    for prefix, tensors in (("weight", steps.weights | steps.buffers), ("mean", steps.mean), ("best", best)):
        for name, tensor in tensors.items():
            tensor.copy_(file.get_tensor(f"{prefix}.{name}"))
    names = set(file.keys())
    for name, p in steps.weights.items():
        keys = [key for key in ("step", "exp_avg", "exp_avg_sq") if f"adam.{key}.{name}" in names]
        if keys:
            where = p.device if steps.graphs or p.is_cuda else "cpu"
            steps.optimiser.state[p] = {key: file.get_tensor(f"adam.{key}.{name}").to(where) for key in keys}
