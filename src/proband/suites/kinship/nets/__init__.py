"""The networks of section 3.4 of the thesis, and four that go beyond it.

sequence_nets.py   bilstm-mean, bilstm-attention, bert, bert-lstm: they read the story as words
reasoning_nets.py  relation-network, rmc, mac: they read it, and reason over its parts
graph_nets.py      gat, edge-transformer (as published), edge-transformer-small, composer: they are given the facts
extractor.py       extractor, bert-extractor: read facts from the story (pair_classifier.py), then reason with rules

stories.py and batches.py make numbers of items, task.py trains, answers.py answers. Nothing here imports torch before a
net is trained or loaded.
"""

from __future__ import annotations

from functools import partial

from proband.core.plugins import call_declared
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


def _net(
    name: str,
    help: str,
    options: type[NetOptions],
    *,
    seconds: float | None = None,
    needs: type | None = None,
    task: str = "task:task",
    load: str = "answers:load",
) -> Net:
    """`seconds`: of an epoch of 10,000 stories on one H200 (benchmarks/kinship_nets.md; rough for the Edge Transformer
    and the extractors: by runs beside others). `task` and `load`: functions of this folder, by file."""
    return Net(
        name=name,
        help=help,
        options=options,
        task=partial(call_declared, f"{__name__}.{task}", kind=name),
        load=partial(call_declared, f"{__name__}.{load}", options=options),
        needs=needs,
        seconds=seconds,
    )


_extractor = partial(_net, options=ExtractorOptions, seconds=5.0, task="extractor:task", load="extractor:load")
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
