"""A trained net as a folder, stored without pickles.

FOLDER/net.json                 suite, net, seed, options, what its task notes, the learning curve
FOLDER/model.safetensors        the weights
FOLDER/checkpoint.safetensors   while training: where an interrupted run goes on
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_json, sha256_text, write_json
from proband.core.progress import Progress
from proband.training.task import CHECKPOINT, SelfFitting, Task

NOTE = "net.json"


def train_into(
    folder: Path, task: Task | SelfFitting, *, seed: int, note: Mapping[str, Any], versions: Mapping[str, str]
) -> dict[str, Any]:
    """Fit a net into a folder; returns the content of net.json.

    `note` determines the net: training continues in a folder of the same run, a finished one is left as it is, and a
    folder of another run is refused.
    """
    identity, began = sha256_text(dumps(note)), time.monotonic()
    if (folder / NOTE).exists():
        ended = read_json(folder / NOTE)
        if ended.get("identity") != identity:
            raise ProbandError("contains a net trained with other settings; choose another folder", file=folder)
        return ended
    if isinstance(task, Task):
        trained = _fit_in_the_loop(task, folder, seed=seed, of=identity)
    else:
        task.fit(seed=seed)
        task.save_into(folder)
        trained = {"seconds": time.monotonic() - began}
    trained |= {"versions": versions, "identity": identity}
    write_json(folder / NOTE, {**note, **task.note(), **trained})
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return read_json(folder / NOTE)


def _fit_in_the_loop(task: Task, folder: Path, *, seed: int, of: str) -> dict[str, Any]:
    from proband.training.fit import fit

    with Progress("training, epochs", total=task.recipe.length(task.size)[0]) as bar:
        best = fit(task, seed=seed, folder=folder, of=of, on_epoch=lambda line: bar.advance())
    task.save(best.net, folder)
    note = {"epochs": len(best.curve), "kept": best.kept, "valid": best.valid, "curve": best.curve}
    return {**note, "seconds": max((line["seconds"] for line in best.curve), default=0.0)}
