"""What the nets are made of: word vectors, an LSTM reader, and the layer that predicts a word."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from proband.suites.script.nets.alignment.emission import word_log_probability
from proband.suites.script.nets.batches import Batch

State = tuple[Tensor, Tensor]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sizes and regularisation of a net; stored in its net.json."""

    vocabulary: int
    dimension: int = 100  # of the word vectors
    hidden: int = 128  # of each LSTM layer
    layers: int = 1
    width: int = 100  # of the hidden layer of equation 3
    dropout: float = 0.5  # on that layer
    input_dropout: float = 0.0  # on word vectors
    state_dropout: float = 0.0  # on what the LSTMs put out
    word_dropout: float = 0.0  # chance that the decoder reads "unknown" instead of a word
    bidirectional: bool = False  # the encoder also reads from the right
    bridge: bool = False  # a transducer's decoder starts from the encoder's last state
    learned: bool = False  # the word vectors are learned with the net (where no ready ones were given)
    tied: bool = False  # the output layer starts from the word vectors
    shift: float = 0.0  # fixed log-odds of shift against emit (transducer with fixed transitions)
    anywhere: bool = False  # alignments start at any position, not at the first (transducers)
    lag: bool = False  # a word has the alignment of the word before it (transducers)
    block: int = 0  # rows of equation 3 in memory at a time; 0: as suits the device


class Vectors(nn.Module):
    """Word vectors. Given ones cannot move: they are a buffer, not a parameter, so that no optimiser ever sees them."""

    def __init__(self, table: Tensor, *, drop: float, learned: bool = False) -> None:
        super().__init__()
        self.table: Tensor
        if learned:
            self.register_parameter("table", nn.Parameter(table.clone()))
        else:
            self.register_buffer("table", table.clone())
        self.drop = drop

    def forward(self, words: Tensor) -> Tensor:
        return dropout(self.table[words], self.drop, self.training)


class Reader(nn.Module):
    """An LSTM over word vectors. Padding stands at the right, so what is read before it does not depend on it."""

    def __init__(self, shape: Shape, *, bidirectional: bool = False) -> None:
        super().__init__()
        between = shape.state_dropout if shape.layers > 1 else 0.0
        self.lstm = nn.LSTM(
            shape.dimension, shape.hidden, shape.layers, batch_first=True, bidirectional=bidirectional, dropout=between
        )
        self.collapse = nn.Linear(2 * shape.hidden, shape.hidden) if bidirectional else None
        self.drop = shape.state_dropout

    def forward(self, vectors: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        out, state = self.lstm(vectors, state)
        return dropout(out, self.drop, self.training), state

    def encode(self, vectors: Tensor, batch: Batch, *, final: bool = True) -> tuple[Tensor, State | None]:
        """Hidden states batch × m × hidden and, where `final` is wanted, the state after each sentence's last word."""
        if not final and self.collapse is None:
            return self(vectors)[0], None
        if batch.lengths is None:
            out, state = self.unrolled(vectors, batch.positions)
            return dropout(out, self.drop, self.training), state
        counts = torch.from_numpy(batch.lengths[0])
        packed = nn.utils.rnn.pack_padded_sequence(vectors, counts, batch_first=True, enforce_sorted=False)
        out, state = self.lstm(packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=vectors.shape[1])
        if self.collapse is not None:
            padded = self.collapse(padded)
            halves = [s.view(-1, 2, *s.shape[1:]).mean(1) for s in state]
            state = (halves[0], halves[1])
        return dropout(padded, self.drop, self.training), state

    def unrolled(self, vectors: Tensor, positions: Tensor) -> tuple[Tensor, State]:
        """The same of one layer word by word, every state kept, so that no length need be known to the host."""
        assert self.lstm.num_layers == 1
        assert not self.lstm.bidirectional
        weights = [p for _, p in self.lstm.named_parameters()]
        h = c = vectors.new_zeros(len(vectors), self.lstm.hidden_size)
        found: list[State] = []
        for word in vectors.unbind(1):
            h, c = torch.lstm_cell(word, (h, c), *weights[:4])
            found.append((h, c))
        hs, cs = (torch.stack(each, 1) for each in zip(*found))
        last = (positions - 1)[:, None, None].expand(-1, 1, hs.shape[2])
        return hs, (hs.gather(1, last).transpose(0, 1), cs.gather(1, last).transpose(0, 1))


class Output(nn.Module):
    """softmax(W relu(...) + b): equation 3 after its first layer."""

    def __init__(self, shape: Shape, table: Tensor) -> None:
        super().__init__()
        self.linear = nn.Linear(shape.width, shape.vocabulary)
        if shape.tied and shape.width == shape.dimension:
            with torch.no_grad():
                self.linear.weight.copy_(table)
        self.drop, self.block = shape.dropout, shape.block or None

    def picked(self, hidden: Tensor, words: Tensor) -> Tensor:
        """log p of each row's own word; hidden rows × width before the nonlinearity."""
        h = dropout(hidden.relu(), self.drop, self.training)
        return word_log_probability(h, self.linear.weight, self.linear.bias, words, block=self.block)

    def logits(self, hidden: Tensor) -> Tensor:
        out: Tensor = self.linear(dropout(hidden.relu(), self.drop, self.training))
        return out
