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
    """Fit a net into each folder, all at once; returns what each net.json says.

    `notes` say what decides a net: a folder that was left by the same run is gone on with, or left as it is if that run
    had ended; one left by another run is refused.
    """
    identities = [sha256_text(dumps(note)) for note in notes]
    open_ = [n for n, folder in enumerate(folders) if not _has_ended(folder, identities[n])]
    for n in [n for n in open_ if isinstance(tasks[n], SelfFitting)]:
        note = {**notes[n], "identity": identities[n], "versions": versions}
        fit_itself(tasks[n], folders[n], seed=seeds[n], note=note)
    looped = {n: task for n in open_ if isinstance(task := tasks[n], Task)}
    if looped:
        fit_in_the_loop(folders, looped, seeds=seeds, notes=notes, identities=identities, versions=versions)
    return [read_json(folder / NOTE) for folder in folders]


def fit_itself(task: Any, folder: Path, *, seed: int, note: Mapping[str, Any]) -> None:
    began = time.monotonic()
    task.fit(seed=seed)
    task.save_into(folder)
    write_json(folder / NOTE, {**note, **task.note(), "seconds": time.monotonic() - began})


def fit_in_the_loop(
    folders: Sequence[Path],
    tasks: Mapping[int, Task],
    *,
    seeds: Sequence[int],
    notes: Sequence[Mapping[str, Any]],
    identities: Sequence[str],
    versions: Mapping[str, str],
) -> None:
    """The nets that the training loop fits, all at once."""
    from proband.training.fit import fit_many

    open_ = list(tasks)
    began = time.monotonic()
    fitted = fit_many(
        [tasks[n] for n in open_],
        seeds=[seeds[n] for n in open_],
        folders=[folders[n] for n in open_],
        of=[identities[n] for n in open_],
        progress=Progress,
    )
    for n, one in zip(open_, fitted, strict=True):
        tasks[n].save(one.net, folders[n])
        trained: dict[str, Any] = {"epochs": len(one.curve), "kept": one.kept, "valid": one.valid}
        trained |= {"seconds": time.monotonic() - began, "versions": versions}
        note = {**notes[n], **tasks[n].note(), **trained, "curve": one.curve, "identity": identities[n]}
        write_json(folders[n] / NOTE, note)
        (folders[n] / CHECKPOINT).unlink(missing_ok=True)


def _has_ended(folder: Path, identity: str) -> bool:
    if not (folder / NOTE).exists():
        return False
    if read_json(folder / NOTE).get("identity") != identity:
        raise ProbandError("contains a net that was trained with other settings; choose another folder", file=folder)
    return True
