"""Options of the nets: the hyper-parameters of section 3.4.1 as defaults, and those it does not state.

The section states embeddings of 100, Adam at 0.001, 100 epochs, and the sizes of each net. Batches of 100, gradients of
length 1 at most and a pool of 20 placeholders are those of the released program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from proband.core.plugins import Meta

Epochs = Annotated[int, Meta(description="number of epochs", ge=1)]
Rate = Annotated[float, Meta(description="learning rate", gt=0)]
Batch = Annotated[int, Meta(description="stories in a batch", ge=1)]


@dataclass(frozen=True, kw_only=True)
class NetOptions:
    """Options of every net."""

    width: Annotated[int, Meta(description="dimension of the embeddings", ge=1)] = 100
    classifier: Annotated[int, Meta(description="hidden units of the two-layer classifier", ge=1)] = 200
    pool: Annotated[int, Meta(description="placeholders @entity-k; a story may not have more people", ge=2)] = 20
    genders: Annotated[bool, Meta(description="show genders: men and women have placeholders from separate pools")] = (
        True
    )
    window: Annotated[int, Meta(description="a story may not have more words and marks than this", ge=1)] = 500
    epochs: Epochs = 100
    batch: Batch = 100
    rate: Rate = 1e-3
    clip: Annotated[float, Meta(description="largest gradient norm (0: no clipping)", ge=0)] = 1.0
    held_out: Annotated[
        float, Meta(description="share of the training stories to choose the epoch by, if none are valid", ge=0, lt=1)
    ] = 0.1
    patience: Annotated[int, Meta(description="epochs without progress before stopping; 0: never", ge=0)] = 0
    device: Annotated[str, Meta(description="cpu, cuda or auto")] = "auto"


@dataclass(frozen=True, kw_only=True)
class LstmOptions(NetOptions):
    """Options of the nets with a two-layer LSTM."""

    hidden: Annotated[int, Meta(description="units of an LSTM layer and direction", ge=1)] = 100
    layers: Annotated[int, Meta(description="LSTM layers", ge=1)] = 2


@dataclass(frozen=True, kw_only=True)
class RelationNetworkOptions(LstmOptions):
    g: Annotated[int, Meta(description="units of g_theta", ge=1)] = 64
    f1: Annotated[int, Meta(description="units of the first layer of f_theta", ge=1)] = 256
    f2: Annotated[int, Meta(description="units of the second layer of f_theta", ge=1)] = 64


@dataclass(frozen=True, kw_only=True)
class MacOptions(LstmOptions):
    steps: Annotated[int, Meta(description="reasoning steps", ge=1)] = 6
    dropout: Annotated[float, Meta(description="dropout on memory, read and write", ge=0, lt=1)] = 0.2


@dataclass(frozen=True, kw_only=True)
class RmcOptions(NetOptions):
    slots: Annotated[int, Meta(description="rows of the memory", ge=1)] = 2
    heads: Annotated[int, Meta(description="attention heads", ge=1)] = 4
    head: Annotated[int, Meta(description="units of a head", ge=1)] = 192
    key: Annotated[int, Meta(description="units of a key", ge=1)] = 64
    warmup: Annotated[
        int, Meta(description="steps over which the rate rises, before it falls along a line; 0: constant", ge=0)
    ] = 0


@dataclass(frozen=True, kw_only=True)
class GatOptions(NetOptions):
    """Options of the GAT; node and message dimension are `width`."""

    edge: Annotated[int, Meta(description="dimension of the relations", ge=1)] = 20
    rounds: Annotated[int, Meta(description="rounds of message passing", ge=1)] = 3
    heads: Annotated[int, Meta(description="attention heads of the first layer of a round", ge=1)] = 3
    dropout: Annotated[float, Meta(description="dropout on the states of people", ge=0, lt=1)] = 0.6
    hears: Annotated[
        Literal["first", "both"],
        Meta(description="who receives the message of a fact: the first person, or both"),
    ] = "first"


@dataclass(frozen=True, kw_only=True)
class EdgeTransformerOptions(NetOptions):
    """The settings of the released program of Bergen, O'Donnell and Bahdanau. The weights of the last epoch are kept
    and nothing is held out (they hold out a fifth without using it)."""

    width: Annotated[int, Meta(description="dimension of an edge", ge=1)] = 200
    heads: Annotated[int, Meta(description="attention heads", ge=1)] = 4
    rounds: Annotated[int, Meta(description="times that the one layer is applied", ge=1)] = 8
    dropout: Annotated[float, Meta(description="dropout on attention and on edges", ge=0, lt=1)] = 0.2
    warmup: Annotated[
        int, Meta(description="steps over which the rate rises, before it falls along a line to zero", ge=0)
    ] = 100
    epochs: Epochs = 50
    batch: Batch = 400
    held_out: Annotated[float, Meta(description="share of the training stories to choose the epoch by", ge=0, lt=1)] = 0


@dataclass(frozen=True, kw_only=True)
class ComposerOptions(NetOptions):
    converses: Annotated[
        bool,
        Meta(description="learn what a fact is from its other side; false: every fact is stated from the asker's side"),
    ] = True
    epochs: Epochs = 8
    rate: Rate = 0.05
    batch: Batch = 64
