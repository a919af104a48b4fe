"""Sequence to sequence (Sutskever et al. 2014): the decoder starts from the encoder's last state."""

from __future__ import annotations

import torch
from torch import Tensor, nn

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


class Attention(Seq2Seq):
    r"""Global attention (Luong et al. 2015, "general" score), not fed back into the decoder:

        a_j = softmax_i(d_j W e_i),   c_j = Σ_i a_j(i) e_i,   p(y_j) = softmax(MLP(d_j, c_j)).

    Since c_j does not enter the recurrence, all words of a batch attend in one multiplication after the LSTM has run.
    """

    def __init__(self, shape: Shape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.query = nn.Linear(shape.hidden, shape.hidden)
        self.from_context = nn.Linear(shape.hidden, shape.width, bias=False)

    def weights(self, source: Source, top: Tensor) -> Tensor:
        """a_j(i): batch × n × m, zero beyond each abstract line."""
        assert source.states is not None
        scores: Tensor = self.query(top) @ source.states.transpose(1, 2)
        inside = torch.arange(scores.shape[2], device=scores.device) < source.positions[:, None]
        return scores.masked_fill(~inside[:, None], float("-inf")).softmax(2)

    def features(self, source: Source, top: Tensor) -> Tensor:
        assert source.states is not None
        context = self.weights(source, top) @ source.states
        out: Tensor = self.from_decoder(top) + self.from_context(context)
        return out
