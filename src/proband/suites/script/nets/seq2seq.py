"""Sequence to sequence (Sutskever et al. 2014): the decoder starts from the encoder's last state."""

from __future__ import annotations

from torch import Tensor

from proband.suites.script.nets.batches import Batch
from proband.suites.script.nets.layers import Reader, Shape
from proband.suites.script.nets.lm import LanguageModel, Source


class Seq2Seq(LanguageModel):
    def __init__(self, shape: Shape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.encoder = Reader(shape, bidirectional=shape.bidirectional)

    def encode(self, batch: Batch) -> Source:
        states, final = self.encoder.encode(self.vectors(batch.x), batch)
        return Source(states, batch.positions, final)
