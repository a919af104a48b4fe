r"""The nets without alignments: language model, sequence to sequence, and with attention.

The other nets and the transducers extend the first: they define how the decoder starts (`encode`) and which features
predict a word (`features`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from proband.suites.script.nets.batches import ScriptBatch
from proband.suites.script.nets.layers import NetShape, Output, State, TokenReader, Vectors


@dataclass(frozen=True)
class SourceStates:
    """The encoded abstract line: hidden states, their number, the initial state of the decoder, and one linear map of
    the states per MLP of a transducer."""

    states: Tensor | None
    positions: Tensor
    begin: State | None
    joins: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class Prefix:
    """A concrete text read so far: enough to predict its next word and to go on reading."""

    source: SourceStates
    state: State | None
    top: Tensor  # the decoder's last hidden state, batch × hidden
    log_p: Tensor  # log p of what was read (a transducer's is in its row)
    aligned: Tensor | None = None  # the transducer's row α(j), batch × m
    transitions: tuple[Tensor, Tensor] | None = None  # its log p(shift) and log p(emit) now, batch × 1 × m
    slot: Tensor | None = None  # the position its current slot is aligned to
    before_last: Tensor | None = None  # the position before the last one of its best alignment, where that is asked for
    whole: Tensor | None = None  # where the best alignment of the whole text ends, if slots are aligned to that
    slot_decoder: tuple[State | None, Tensor] | None = None  # state and top of a decoder that skips slot ends

    def only(self, rows: Tensor) -> Prefix:
        """Some of the texts, in any order and number."""

        def pick(x: Tensor | None) -> Any:
            return None if x is None else x[rows]

        source = SourceStates(
            pick(self.source.states), self.source.positions[rows], None, tuple(x[rows] for x in self.source.joins)
        )
        return Prefix(
            source=source,
            state=_rows(self.state, rows),
            top=self.top[rows],
            log_p=self.log_p[rows],
            aligned=pick(self.aligned),
            transitions=self.transitions and (self.transitions[0][rows], self.transitions[1][rows]),
            slot=pick(self.slot),
            before_last=pick(self.before_last),
            whole=pick(self.whole),
            slot_decoder=self.slot_decoder and (_rows(self.slot_decoder[0], rows), self.slot_decoder[1][rows]),
        )


def _rows(state: State | None, rows: Tensor) -> State | None:
    return state and (state[0][:, rows], state[1][:, rows])


class LanguageModel(nn.Module):
    """The unconditional model: p(y) = Π_j p(y_j | y_1:j-1), blind to the abstract line."""

    latent = False

    def __init__(self, shape: NetShape, table: Tensor) -> None:
        super().__init__()
        self.shape = shape
        self.vectors = Vectors(table, drop=shape.input_dropout, learned=shape.learned)
        self.decoder = TokenReader(shape)
        self.from_decoder = nn.Linear(shape.hidden, shape.width)
        self.output = Output(shape)

    def encode(self, batch: ScriptBatch) -> SourceStates:
        return SourceStates(None, batch.positions, None)

    def features(self, source: SourceStates, top: Tensor) -> Tensor:
        """The features that predict a word: batch × n × hidden -> batch × n × width."""
        out: Tensor = self.from_decoder(top)
        return out

    def decode(self, source: SourceStates, before: Tensor) -> Tensor:
        """The decoder's states over a whole text (teacher forcing), batch × n × hidden."""
        top: Tensor = self.decoder(self.vectors(before), source.begin)[0]
        return top

    def log_likelihood(self, batch: ScriptBatch) -> Tensor:
        """log p(y | x) of every pair."""
        source = self.encode(batch)
        features = self.features(source, self.decode(source, batch.before))
        return self.word_log_p(features, batch.y, batch.real()).sum(1)

    def word_log_p(self, features: Tensor, words: Tensor, where: Tensor) -> Tensor:
        """log p(word) at the places `where` (indices into `words` laid flat, or a mask), zero elsewhere."""
        rows, numbers = features.reshape(-1, features.shape[-1]), words.reshape(-1)
        if where.dtype == torch.bool:
            every = self.output.word_log_p(rows, numbers).view(words.shape)
            return torch.where(where, every, 0.0)
        log_p = features.new_zeros(words.numel())
        if len(where):
            log_p = log_p.index_put((where,), self.output.word_log_p(rows[where], numbers[where]))
        return log_p.view(words.shape)

    def ends(self, batch: ScriptBatch) -> Tensor | None:
        """Where the best alignment of each whole text ends; only for nets that align."""
        return None

    # ---- one word at a time -----------------------------------------------------------------------------------------

    def begin(self, batch: ScriptBatch) -> Prefix:
        """The prefix before the first word; the start symbol has been read."""
        source = self.encode(batch)
        top, state = self.decoder(self.vectors(batch.before[:, :1]), source.begin)
        return Prefix(source, state, top[:, 0], top.new_zeros(len(top)))

    def read(self, prefix: Prefix, words: Tensor) -> Prefix:
        features = self.features(prefix.source, prefix.top[:, None])[:, 0]
        return replace(self.onward(prefix, words), log_p=prefix.log_p + self.output.word_log_p(features, words))

    def onward(self, prefix: Prefix, words: Tensor) -> Prefix:
        """The decoder reads a word."""
        top, state = self.decoder(self.vectors(words[:, None]), prefix.state)
        return replace(prefix, state=state, top=top[:, 0])

    def read_for_slots(self, prefix: Prefix, words: Tensor, skipped_rows: Tensor) -> Prefix:
        """The other decoder (`Prefix.slot_decoder`) reads a word, except in `skipped_rows`."""
        assert prefix.slot_decoder is not None
        state, top = prefix.slot_decoder
        new_top, new = self.decoder(self.vectors(words[:, None]), state)
        if state is not None:
            mask = skipped_rows[None, :, None]
            new = (torch.where(mask, state[0], new[0]), torch.where(mask, state[1], new[1]))
        return replace(prefix, slot_decoder=(new, torch.where(skipped_rows[:, None], top, new_top[:, 0])))

    def for_slots(self, prefix: Prefix) -> Prefix:
        """The prefix that fills slots: that of the other decoder, if there is one."""
        if prefix.slot_decoder is None:
            return prefix
        state, top = prefix.slot_decoder
        return replace(prefix, state=state, top=top)

    def text_log_p(self, prefix: Prefix) -> Tensor:
        """log p of texts that have been read to their end (a transducer's: along the best alignment)."""
        return prefix.log_p

    def prefix_log_p(self, prefix: Prefix) -> Tensor:
        """log p of what was read (a transducer's: along the best alignment of the prefix)."""
        return prefix.log_p

    def place(self, prefix: Prefix, starting: Tensor) -> Prefix:
        """Called where a slot starts in some rows; a transducer predicts the slot's alignment here."""
        return prefix

    def moves(self, prefix: Prefix, starting: Tensor) -> Tensor:
        """-log p of a transducer's transitions, without the next word of its slot; batch."""
        return prefix.top.new_zeros(len(prefix.top))

    def next_logits(self, prefix: Prefix, rows: Tensor) -> Tensor:
        """Scores of every word as the next one, for some rows of the batch."""
        source = prefix.source
        states = None if source.states is None else source.states[rows]
        some = SourceStates(states, source.positions[rows], None)
        return self.output.logits(self.features(some, prefix.top[rows][:, None])[:, 0])


class Seq2Seq(LanguageModel):
    """Sutskever et al. 2014: the decoder starts from the encoder's last state."""

    def __init__(self, shape: NetShape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.encoder = TokenReader(shape)

    def encode(self, batch: ScriptBatch) -> SourceStates:
        states, final = self.encoder.encode(self.vectors(batch.x), batch)
        return SourceStates(states, batch.positions, final)


class Attention(Seq2Seq):
    r"""Global attention (Luong et al. 2015, "general" score), not fed back into the decoder:

        a_j = softmax_i(d_j W e_i),   c_j = Σ_i a_j(i) e_i,   p(y_j) = softmax(MLP(d_j, c_j)).

    Since c_j does not enter the recurrence, all words of a batch attend in one multiplication after the LSTM has run.
    """

    def __init__(self, shape: NetShape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.query = nn.Linear(shape.hidden, shape.hidden)
        self.from_context = nn.Linear(shape.hidden, shape.width, bias=False)

    def weights(self, source: SourceStates, top: Tensor) -> Tensor:
        """a_j(i): batch × n × m, zero beyond each abstract line."""
        assert source.states is not None
        scores: Tensor = self.query(top) @ source.states.transpose(1, 2)
        inside = torch.arange(scores.shape[2], device=scores.device) < source.positions[:, None]
        return scores.masked_fill(~inside[:, None], float("-inf")).softmax(2)

    @torch.no_grad()
    def alignments(self, batch: ScriptBatch) -> tuple[Tensor, Tensor]:
        """argmax_i a_j(i) of every word, and the weights, batch × n × m. Words are aligned independently, not along a
        path."""
        source = self.encode(batch)
        weights = self.weights(source, self.decode(source, batch.before))
        return weights.argmax(2), weights

    def features(self, source: SourceStates, top: Tensor) -> Tensor:
        assert source.states is not None
        context = self.weights(source, top) @ source.states
        out: Tensor = self.from_decoder(top) + self.from_context(context)
        return out
