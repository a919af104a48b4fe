"""The networks of section 3.4 of the thesis, and two that go beyond it.

sequence_nets.py   bilstm-mean, bilstm-attention, bert, bert-lstm: read the story as words
reasoning_nets.py  relation-network, rmc, mac: read the story and reason over its parts
graph_nets.py      gat, edge-transformer (as published), composer: receive the facts

stories.py and batches.py encode items, layers.py has what several nets share, options.py their options, task.py
trains, answers.py answers. Nothing here imports torch before a net is trained or loaded.
"""

from __future__ import annotations

from functools import partial

from proband.core.plugins import call_declared
from proband.core.protocols import EmbedsWords
from proband.core.suite import Net
from proband.suites.kinship.nets import options


def _net(name: str, help: str, settings: type[options.NetOptions], *, needs: type | None = None) -> Net:
    return Net(
        name=name,
        help=help,
        options=settings,
        task=partial(call_declared, f"{__name__}.task:task", kind=name),
        load=partial(call_declared, f"{__name__}.answers:load", options=settings),
        needs=needs,
    )


NETS = (
    _net("bilstm-mean", "bidirectional LSTM, mean of its states", options.LstmOptions),
    _net("bilstm-attention", "bidirectional LSTM, the query attends to its states", options.LstmOptions),
    _net("relation-network", "Relation Network over pairs of sentences", options.RelationNetworkOptions),
    _net("rmc", "relational memory core, word by word", options.RmcOptions),
    _net("mac", "MAC network: control, read and write over the words", options.MacOptions),
    _net("bert", "a frozen encoder (-m MODEL), mean of its states", options.NetOptions, needs=EmbedsWords),
    _net("bert-lstm", "an LSTM over the states of a frozen encoder (-m MODEL)", options.LstmOptions, needs=EmbedsWords),
    _net("gat", "graph attention over the facts", options.GatOptions),
    _net(
        "edge-transformer",
        "attention over triangles of people, on the facts, as published",
        options.EdgeTransformerOptions,
    ),
    _net("composer", "a learned composition table over all triangles, on the facts", options.ComposerOptions),
)
