"""A net as a folder: trained from a built folder of items, stored without pickles, loaded to answer items.

MODELDIR/config.json         kind, shape, vocabulary, whitelist, how it was trained and from which word vectors
MODELDIR/model.safetensors   weights and word vectors
MODELDIR/checkpoint.safetensors   while training: where an interrupted run goes on
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_items, read_json, sha256_file, sha256_text, write_json
from proband.core.progress import Progress
from proband.core.types import Item
from proband.suites.script.nets.attention import Attention
from proband.suites.script.nets.layers import Shape
from proband.suites.script.nets.lm import LanguageModel
from proband.suites.script.nets.seq2seq import Seq2Seq
from proband.suites.script.nets.train import Recipe, Stage, fit, marginal, viterbi_em
from proband.suites.script.nets.transducer import ShiftingTransducer, Transducer
from proband.suites.script.nets.vocabulary import Vocabulary, random_vectors, vectors_for

KINDS: Mapping[str, type[LanguageModel]] = {
    "lm": LanguageModel,
    "seq2seq": Seq2Seq,
    "attention": Attention,
    "transducer": Transducer,
    "transducer-param": ShiftingTransducer,
}
SHAPE = ("hidden", "layers", "width", "dropout", "input_dropout", "state_dropout", "word_dropout", "bidirectional")


def train(
    items_dir: Path,
    *,
    kind: str,
    out: Path,
    seed: int = 0,
    progress: Callable[..., Any] = Progress,
    vectors: Path | None = None,
    epochs: int,
    schedule: str = "marginal",
    marginal_epochs: int = 0,
    least: int = 5,
    device: str = "auto",
    bridge: bool = False,
    **options: Any,
) -> Mapping[str, Any]:
    """Train on the items tagged `train`, stop early on those tagged `valid`; run again, it goes on where it stopped.

    `options`: further sizes (layers.Shape) and settings of the fitting (train.Recipe).
    """
    items = read_items(items_dir)
    training, held_out = (_texts(items, split) for split in ("train", "valid"))
    vocabulary = Vocabulary.of((text for pair in training for text in pair), least=least)
    table, note = _vectors(vocabulary, vectors)
    shape = Shape(
        learned=vectors is None,
        vocabulary=len(vocabulary),
        dimension=table.shape[1],
        shift=math.log(sum(len(x) for x, _ in training) / sum(len(y) for _, y in training)),
        bridge=bridge,
        **{name: options.pop(name) for name in SHAPE if name in options},
    )
    stages = _stages(kind, schedule, epochs=epochs, first=marginal_epochs)
    recipe = Recipe(stages=stages, **options)
    device = _device(device)
    settings = {"kind": kind, "seed": seed, "shape": dataclasses.asdict(shape), "schedule": schedule, "epochs": epochs}
    settings |= {"vectors": note, "recipe": options, "least": least}
    settings |= {"items": sha256_text("\n".join(" ".join([*x, "|", *y]) for x, y in training))}
    _same_run(out, settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = KINDS[kind](shape, table)
    pairs, valid = ([(vocabulary.numbers(x), vocabulary.numbers(y)) for x, y in part] for part in (training, held_out))
    with progress(f"training {kind}", total=recipe.epochs) as bar:
        history = fit(
            net, pairs, valid, recipe=recipe, seed=seed, device=device, folder=out, told=lambda line: bar.advance()
        )  # fmt: skip
    report = {"epochs": len(history), "valid": min(line["valid"] for line in history), "history": history}
    whitelist = _whitelist(items_dir)
    save(net, out, settings | {"words": vocabulary.words, "whitelist": whitelist, "trained": report})
    return {"net": kind, "device": device, "vectors": note} | {k: report[k] for k in ("epochs", "valid")}


def _vectors(vocabulary: Vocabulary, source: Path | None) -> tuple[Tensor, Mapping[str, Any]]:
    """The table of word vectors and, for config.json, where it comes from."""
    if source is None:
        return torch.from_numpy(random_vectors(len(vocabulary), 100)), {"learned": True}
    table, found = vectors_for(vocabulary, source)
    return torch.from_numpy(table), {"learned": False, "from": source.name, "found": found, "of": len(vocabulary)}


def _texts(items: Sequence[Item], split: str) -> list[tuple[list[str], list[str]]]:
    found = [
        (list(item.facts["abstract"]), list(item.facts["concrete"]))
        for item in items
        if item.tags.get("split") == split and item.facts.get("abstract") and item.facts.get("concrete")
    ]
    if not found:
        raise ProbandError(f"no items with the tag split={split}; a net needs train and valid items")
    return found


def _stages(kind: str, schedule: str, *, epochs: int, first: int) -> tuple[Stage, ...]:
    if not KINDS[kind].latent or schedule == "marginal":
        return (Stage(marginal, epochs),)
    if schedule == "viterbi":
        return (Stage(viterbi_em, epochs),)
    first = min(first, epochs)
    return tuple(stage for stage in (Stage(marginal, first), Stage(viterbi_em, epochs - first)) if stage.epochs)


def _device(name: str) -> str:
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"


def _whitelist(items_dir: Path) -> list[str] | None:
    folder = items_dir if items_dir.is_dir() else items_dir.parent
    path = folder / "whitelist.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else None


def _same_run(out: Path, settings: Mapping[str, Any]) -> None:
    """A checkpoint is gone on with only by the run that left it."""
    note = out / "training.json"
    if note.exists() and (out / "checkpoint.safetensors").exists() and read_json(note) != json.loads(dumps(settings)):
        raise ProbandError("holds a checkpoint of a run with other settings; choose another folder", file=out)
    write_json(note, settings)


# ---- stored and loaded ----------------------------------------------------------------------------------------------


def save(net: Any, folder: Path, config: Mapping[str, Any]) -> None:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous().cpu() for k, v in net.state_dict().items()}, folder / "model.safetensors")
    write_json(folder / "config.json", {"suite": "script", **config})
    for name in ("checkpoint.safetensors", "training.json"):
        (folder / name).unlink(missing_ok=True)


def load(folder: Path, *, device: str = "auto", name: str | None = None) -> Any:
    """The net of a model folder, ready to answer items."""
    from safetensors.torch import load_file

    from proband.suites.script.nets.answers import Trained

    config = read_json(folder / "config.json")
    try:
        shape = Shape(**config["shape"])
        table = torch.zeros(shape.vocabulary, shape.dimension)
        net = KINDS[config["kind"]](shape, table)
        net.load_state_dict(load_file(folder / "model.safetensors"))
        vocabulary = Vocabulary(tuple(config["words"]))
    except (KeyError, TypeError, RuntimeError, OSError) as error:
        raise ProbandError(f"is not the folder of a script net: {error}", file=folder) from error
    return Trained(
        net=net.to(_device(device)).eval(),
        kind=config["kind"],
        vocabulary=vocabulary,
        whitelist=config.get("whitelist"),
        name=name or f"net:{folder}",
        sha=sha256_file(folder / "model.safetensors"),
        device=_device(device),
    )
