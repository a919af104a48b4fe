"""Trains one of a suite's own networks on the training split. The same command resumes, and does not change a finished
net.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError, not_installed
from proband.core.files import items_path, sha256_file
from proband.core.plugins import read_options, settings
from proband.core.protocols import Model
from proband.pipeline.asking.setup import check_ability, load_model, suite_of
from proband.pipeline.build import versions
from proband.pipeline.run import lock_folder
from proband.training.folder import NOTE, train_into
from proband.training.task import CHECKPOINT


def train(
    items: str | Path,
    *,
    net: str,
    out: str | Path,
    seed: int = 0,
    model: str | Model | None = None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Train one of a suite's own networks on its training items.

    The result is the content of OUT/net.json.

    Example: proband train items --net transducer -o nets/transducer

    :param items: Folder of items, or a file.
    :param net: Name of the network; see `proband list nets`.
    :param model: Model to start from (net finetune).
    :param options: Option of the network (`proband list nets`); repeatable.
    """
    folder = Path(out)
    suite = suite_of(items)
    chosen = suite.net(net)
    if (chosen.needs is None) != (model is None):
        starts = "starts from no model" if chosen.needs is None else "starts from a model: name one with -m"
        raise ProbandError(f"net {net} {starts}")
    start: Any = load_model(model, suite=suite) if isinstance(model, str) else model
    if chosen.needs is not None:
        check_ability(start, chosen.needs, of=f"net {net}")
    settled: Any = read_options(chosen.options, options or {}, of=f"net {net}")
    note = {
        "suite": suite.name,
        "net": net,
        "options": settings(settled),
        "items_sha": sha256_file(items_path(Path(items))),
        **({"model": dict(start.identity())} if start is not None else {}),
        "seed": seed,
    }
    if folder.exists() and not folder.is_dir():
        raise ProbandError("already exists and is not a folder", file=folder)
    there = {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.exists() else set()
    if there and not there & {NOTE, CHECKPOINT}:
        raise ProbandError("already exists and is not an empty folder", file=folder)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        try:
            task = chosen.task(Path(items), options=settled, seed=seed, model=start)
            return train_into(folder, task, seed=seed, note=note, versions=versions())
        except ModuleNotFoundError as error:
            raise not_installed(error, f"net {net}") from None
