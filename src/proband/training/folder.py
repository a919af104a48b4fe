"""A trained net as a folder, stored without pickles.

FOLDER/net.json                 suite, net, seed, options, what its task notes, the learning curve
FOLDER/model.safetensors        the weights
FOLDER/checkpoint.safetensors   while training: where an interrupted run goes on
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_json, sha256_text, write_json
from proband.core.progress import Progress
from proband.training.task import CHECKPOINT, SelfFitting, Task

NOTE = "net.json"


def train_into(
    folders: Sequence[Path],
    tasks: Sequence[Task | SelfFitting],
    *,
    seeds: Sequence[int],
    notes: Sequence[Mapping[str, Any]],
    versions: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Fit a net into each folder, one after the other; returns what each net.json says.

    `notes` say what decides a net: a folder that was left by the same run is gone on with, or left as it is if that run
    had ended; one left by another run is refused.
    """
    identities = [sha256_text(dumps(note)) for note in notes]
    open_ = [n for n, folder in enumerate(folders) if not _has_ended(folder, identities[n])]
    looped = [task for n in open_ if isinstance(task := tasks[n], Task)]
    with Progress("training, epochs", total=sum(task.recipe.length(task.size)[0] for task in looped)) as bar:
        for n in open_:
            task, folder, began = tasks[n], folders[n], time.monotonic()
            if isinstance(task, Task):
                trained = fit_in_the_loop(task, folder, seed=seeds[n], of=identities[n], bar=bar)
            else:
                task.fit(seed=seeds[n])
                task.save_into(folder)
                trained = {}
            note = {**notes[n], **task.note(), **trained, "seconds": time.monotonic() - began}
            write_json(folder / NOTE, {**note, "versions": versions, "identity": identities[n]})
            (folder / CHECKPOINT).unlink(missing_ok=True)
    return [read_json(folder / NOTE) for folder in folders]


def fit_in_the_loop(task: Task, folder: Path, *, seed: int, of: str, bar: Progress) -> dict[str, Any]:
    """A net that the training loop fits, saved into the folder; what came of it."""
    from proband.training.fit import fit

    fitted = fit(task, seed=seed, folder=folder, of=of, on_epoch=lambda line: bar.advance())
    task.save(fitted.net, folder)
    return {"epochs": len(fitted.curve), "kept": fitted.kept, "valid": fitted.valid, "curve": fitted.curve}


def _has_ended(folder: Path, identity: str) -> bool:
    if not (folder / NOTE).exists():
        return False
    if read_json(folder / NOTE).get("identity") != identity:
        raise ProbandError("contains a net that was trained with other settings; choose another folder", file=folder)
    return True
