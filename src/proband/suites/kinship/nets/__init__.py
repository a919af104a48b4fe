"""The networks of section 3.4 of the thesis, and four that go beyond it.

sequence_nets.py   bilstm-mean, bilstm-attention, bert, bert-lstm: they read the story as words
reasoning_nets.py  relation-network, rmc, mac: they read it, and reason over its parts
graph/       gat, edge-transformer (as published), edge-transformer-small, composer: they are given the facts
extraction/  extractor, bert-extractor: read facts from the story, then reason with a rule base

stories.py and batches.py make numbers of items, task.py trains, answers.py answers. Nothing here imports torch before a
net is trained or loaded.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from proband.core.protocols import EmbedsWords
from proband.core.suite import Net
from proband.suites.kinship.nets.options import (
    ComposerOptions,
    EdgeTransformerOptions,
    ExtractorOptions,
    GatOptions,
    LstmOptions,
    MacOptions,
    NetOptions,
    RelationNetworkOptions,
    RmcOptions,
    SmallEdgeTransformerOptions,
)


def _task(items: Path, *, options: NetOptions, seed: int, model: Any = None, kind: str) -> Any:
    from proband.suites.kinship.nets.task import task

    return task(items, kind=kind, options=options, seed=seed, model=model)


def _load(folder: Path, *, options: type[NetOptions]) -> Any:
    from proband.suites.kinship.nets.answers import load

    return load(folder, options=options)


def _extraction(items: Path, *, options: ExtractorOptions, seed: int, model: Any = None) -> Any:
    from proband.suites.kinship.nets.extraction.task import task

    return task(items, options=options, seed=seed, model=model)


def _load_extractor(folder: Path) -> Any:
    from proband.suites.kinship.nets.extraction.answers import load

    return load(folder)


def _net(
    name: str, help: str, options: type[NetOptions], *, seconds: float | None = None, needs: type | None = None
) -> Net:
    """`seconds`: of an epoch of 10,000 stories on one H200 (benchmarks/kinship_nets.md; rough for the Edge Transformer
    and the extractors: by runs beside others)."""
    return Net(
        name=name, help=help, options=options, task=partial(_task, kind=name), load=partial(_load, options=options),
        needs=needs, seconds=seconds,
    )  # fmt: skip


def _extractor(name: str, help: str, *, needs: type | None = None) -> Net:
    return Net(
        name=name, help=help, options=ExtractorOptions, task=_extraction, load=_load_extractor, needs=needs, seconds=5.0
    )


NETS = (
    _net("bilstm-mean", "bidirectional LSTM, mean of its states", LstmOptions, seconds=0.24),
    _net("bilstm-attention", "bidirectional LSTM, the query attends to its states", LstmOptions, seconds=0.28),
    _net("relation-network", "Relation Network over pairs of sentences", RelationNetworkOptions, seconds=0.36),
    _net("rmc", "relational memory core, word by word", RmcOptions, seconds=1.85),
    _net("mac", "MAC network: control, read and write over the words", MacOptions, seconds=0.48),
    _net("bert", "a frozen encoder (-m MODEL), mean of its states", NetOptions, seconds=0.06, needs=EmbedsWords),
    _net(
        "bert-lstm",
        "an LSTM over the states of a frozen encoder (-m MODEL)",
        LstmOptions,
        seconds=0.2,
        needs=EmbedsWords,
    ),
    _net("gat", "graph attention over the facts", GatOptions, seconds=0.16),
    _net(
        "edge-transformer",
        "attention over triangles of people, on the facts, as published",
        EdgeTransformerOptions,
        seconds=4.0,
    ),
    _net(
        "edge-transformer-small",
        "the same, smaller, with a round per person and facts read backwards",
        SmallEdgeTransformerOptions,
        seconds=0.26,
    ),
    _net("composer", "a learned composition table over all triangles, on the facts", ComposerOptions, seconds=0.1),
    _extractor("extractor", "reads facts from the story with a trained pair classifier, then reasons with rules"),
    _extractor("bert-extractor", "the extractor over the states of a frozen encoder (-m MODEL)", needs=EmbedsWords),
)
