r"""The neural transducer (Yu, Buys and Blunsom 2016; appendix A): latent monotone alignments, hard but summed over.

    p(y_j | a_j = i) = softmax(MLP(e_i, d_j))                                                                   (3)
    p(shift | i, j)  = σ(MLP(e_i, d_j)),  p(emit | i, j) = 1 - p(shift | i, j)        parameterised           (5, 6)
    p(shift)         = m / (m + n) over the training corpus, never updated            fixed

The first layer of MLP(e_i, d_j) is linear in the concatenation, so it is computed once per position and once per word
and added, never for each of the m × n combinations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, logsigmoid

from proband.suites.script.nets.alignment import MAX, NEVER, log_total, posteriors, rows, viterbi
from proband.suites.script.nets.batches import ScriptBatch
from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.sequence_nets import Prefix, Seq2Seq, SourceStates


class Transducer(Seq2Seq):
    """Fixed transitions, from the ratio of lengths."""

    latent = True

    def __init__(self, shape: NetShape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.from_encoder = nn.Linear(shape.hidden, shape.width, bias=False)

    def encode(self, batch: ScriptBatch) -> SourceStates:
        states, _ = self.encoder.encode(self.vectors(batch.x), batch, final=False)
        return SourceStates(states, batch.positions, None, self.joins(states))

    def joins(self, states: Tensor) -> tuple[Tensor, ...]:
        """The positions' share of the first layer of each MLP(e_i, d_j), batch × m × width."""
        return (self.from_encoder(states),)

    # ---- the weights of the grid ------------------------------------------------------------------------------------

    def transitions(self, source: SourceStates, top: Tensor) -> tuple[Tensor, Tensor]:
        """log p(shift) and log p(emit), each batch × n × m."""
        odds = torch.full((*top.shape[:2], source.joins[0].shape[1]), self.shape.shift, device=top.device)
        return logsigmoid(odds), logsigmoid(-odds)

    def emissions(self, source: SourceStates, top: Tensor, words: Tensor, cells: Tensor) -> Tensor:
        """log p(y_j | a_j = i), batch × n × m; at `cells` (see ScriptBatch.cells) only, zero elsewhere."""
        joint = self.from_decoder(top)[:, :, None] + source.joins[0][:, None]
        return self.word_log_p(joint, words[:, :, None].expand(joint.shape[:3]), cells)

    def weights(self, batch: ScriptBatch) -> tuple[Tensor, Tensor]:
        """`emit` and `shift` of the recursion."""
        source = self.encode(batch)
        top = self.decode(source, batch.before)
        shift, stay = self.transitions(source, top)
        return stay + self.emissions(source, top, batch.y, batch.cells()), shift

    # ---- objectives -------------------------------------------------------------------------------------------------

    def log_likelihood(self, batch: ScriptBatch) -> Tensor:
        return log_total(*self.weights(batch), **self.path_of(batch))

    def path_of(self, batch: ScriptBatch) -> dict[str, Any]:
        """The end and start positions of alignments."""
        return {"words": batch.words, "positions": batch.positions, "anywhere": self.shape.anywhere}

    def align(self, batch: ScriptBatch) -> Tensor:
        """Viterbi alignments without dropout (the E-step of A.3), batch × n, -1 beyond each text."""
        training = self.training
        with torch.no_grad():
            emit, shift = self.eval().weights(batch)
        self.train(training)
        return self.with_lag(viterbi(emit, shift, **self.path_of(batch)))

    def with_lag(self, alignment: Tensor) -> Tensor:
        """Shift alignments as the released program traces them: each word has the alignment of the word before it."""
        if not self.shape.lag:
            return alignment
        before = torch.cat([alignment[:, :1], alignment[:, :-1]], 1)
        return torch.where(alignment >= 0, before, alignment)

    @torch.no_grad()
    def alignments(self, batch: ScriptBatch) -> tuple[Tensor, Tensor]:
        """The Viterbi alignments, and p(a_j = i | x, y), batch × n × m."""
        emit, shift = self.weights(batch)
        lengths = self.path_of(batch)
        return self.with_lag(viterbi(emit, shift, **lengths)), posteriors(emit, shift, **lengths)

    @torch.no_grad()
    def ends(self, batch: ScriptBatch) -> Tensor:
        """Where the best alignment of each text ends that need not end at the last position."""
        emit, shift = self.weights(batch)
        start = torch.zeros_like(emit[:, 0]) if self.shape.anywhere else None
        text = torch.arange(len(emit), device=emit.device)
        beyond = torch.arange(emit.shape[2], device=emit.device) >= batch.positions[:, None]
        last = rows(emit, shift, semiring=MAX, start=start)[text, batch.words - 1].masked_fill(beyond, NEVER).argmax(1)
        path = viterbi(emit, shift, words=batch.words, positions=last + 1, anywhere=self.shape.anywhere)
        return self.with_lag(path)[text, batch.words - 1]

    def joint_log_likelihood(self, batch: ScriptBatch, alignment: Tensor) -> Tensor:
        """log p(y, a | x) for given alignments (the M-step): one position per word, so one softmax per word."""
        source = self.encode(batch)
        top = self.decode(source, batch.before)
        at, joins = alignment.clamp(min=0), source.joins[0]
        hidden = self.from_decoder(top) + joins.gather(1, at[:, :, None].expand(-1, -1, joins.shape[2]))
        of_words = self.word_log_p(hidden, batch.y, batch.real())
        shift, stay = self.transitions(source, top)
        passed = torch.nn.functional.pad(shift.cumsum(2), (1, 0))  # passed[i] = Σ shifts over positions before i
        from_ = torch.cat([at[:, :1] if self.shape.anywhere else torch.zeros_like(at[:, :1]), at[:, :-1]], 1)
        moves = passed.gather(2, at[:, :, None]) - passed.gather(2, from_[:, :, None]) + stay.gather(2, at[:, :, None])
        return (of_words + moves[:, :, 0] * (alignment >= 0)).sum(1)

    # ---- one word at a time (A.4) -----------------------------------------------------------------------------------

    def begin(self, batch: ScriptBatch) -> Prefix:
        prefix = super().begin(batch)
        at = torch.arange(prefix.source.joins[0].shape[1], device=batch.x.device)
        begins = at < (prefix.source.positions[:, None] if self.shape.anywhere else 1)
        row = torch.where(begins, 0.0, NEVER).expand(len(batch.x), -1)
        last = torch.zeros_like(prefix.source.positions) if self.shape.lag else None
        transitions = self.transitions(prefix.source, prefix.top[:, None])
        return replace(prefix, aligned=row, before_last=last, transitions=transitions)

    def read(self, prefix: Prefix, words: Tensor) -> Prefix:
        """Read a word: the row α(j) of the Viterbi recursion goes on from the row α(j-1)."""
        assert prefix.transitions is not None
        shift, stay = prefix.transitions
        inside = torch.arange(shift.shape[2], device=words.device) < prefix.source.positions[:, None]
        cells = inside.view(-1).nonzero()[:, 0]
        emit = stay + self.emissions(prefix.source, prefix.top[:, None], words[:, None], cells)
        emit = emit.masked_fill(~inside[:, None], NEVER)
        row = rows(emit, shift, semiring=MAX, start=prefix.aligned)[:, 0]
        onward = self.onward(prefix, words)
        last = self._before_last(prefix, row.argmax(1)) if self.shape.lag else None
        transitions = self.transitions(onward.source, onward.top[:, None])
        return replace(onward, aligned=row, before_last=last, transitions=transitions)

    def _before_last(self, prefix: Prefix, to: Tensor) -> Tensor:
        """The position before the last one on the best alignment that ends at `to`."""
        assert prefix.transitions is not None
        assert prefix.aligned is not None
        passed = torch.nn.functional.pad(prefix.transitions[0][:, 0].cumsum(1), (1, 0))[:, :-1]
        beyond = torch.arange(passed.shape[1], device=to.device) > to[:, None]
        return (prefix.aligned - passed).masked_fill(beyond, float("-inf")).argmax(1)

    def for_slots(self, prefix: Prefix) -> Prefix:
        seen = super().for_slots(prefix)
        return seen if seen is prefix else replace(seen, transitions=self.transitions(seen.source, seen.top[:, None]))

    def text_log_p(self, prefix: Prefix) -> Tensor:
        assert prefix.aligned is not None
        return prefix.aligned.gather(1, prefix.source.positions[:, None] - 1)[:, 0]

    def prefix_log_p(self, prefix: Prefix) -> Tensor:
        assert prefix.aligned is not None
        return prefix.aligned.amax(1)

    def place(self, prefix: Prefix, starting: Tensor) -> Prefix:
        slot = self.slot_alignment(prefix)
        return replace(prefix, slot=slot if prefix.slot is None else torch.where(starting, slot, prefix.slot))

    def slot_alignment(self, prefix: Prefix) -> Tensor:
        """The position of the last word before the slot on the prefix's best alignment (with `lag`, of the last but
        one); or that of the whole text's last word, if given."""
        if prefix.whole is not None:
            return prefix.whole
        assert prefix.aligned is not None
        return prefix.aligned.argmax(1) if prefix.before_last is None else prefix.before_last

    def moves(self, prefix: Prefix, starting: Tensor) -> Tensor:
        """One emit at the slot's position and, where it is starting, the shifts that lead there (equation 4); along
        the path of the whole text one emit more for each slot, as the released program counts."""
        assert prefix.transitions is not None
        assert prefix.slot is not None
        shift, stay = prefix.transitions
        passed = torch.nn.functional.pad(shift[:, 0].cumsum(1), (1, 0))
        start = Transducer.slot_alignment(self, prefix)[:, None]
        led = (passed.gather(1, prefix.slot[:, None]) - passed.gather(1, start))[:, 0]
        emits = 1 + starting * (prefix.whole is not None)
        return -(emits * stay[:, 0].gather(1, prefix.slot[:, None])[:, 0] + led * starting)

    def next_logits(self, prefix: Prefix, rows: Tensor) -> Tensor:
        assert prefix.slot is not None
        return self.output.logits(self.from_decoder(prefix.top[rows]) + prefix.source.joins[0][rows, prefix.slot[rows]])


class ShiftingTransducer(Transducer):
    """Parameterised transitions (equations 4-6)."""

    def __init__(self, shape: NetShape, table: Tensor) -> None:
        super().__init__(shape, table)
        self.shift_decoder = nn.Linear(shape.hidden, shape.hidden)
        self.shift_encoder = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.shift = nn.Linear(shape.hidden, 1)

    def joins(self, states: Tensor) -> tuple[Tensor, ...]:
        return (*super().joins(states), self.shift_encoder(states))

    def transitions(self, source: SourceStates, top: Tensor) -> tuple[Tensor, Tensor]:
        joint = self.shift_decoder(top)[:, :, None] + source.joins[1][:, None]
        odds = self.shift(dropout(joint.relu(), self.shape.dropout, self.training))[..., 0]
        return logsigmoid(odds), logsigmoid(-odds)

    def slot_alignment(self, prefix: Prefix) -> Tensor:
        """Shift on from the prefix's last position while p(shift) > 1/2."""
        assert prefix.transitions is not None
        shift, stay = prefix.transitions
        slot = super().slot_alignment(prefix)
        goes_on = (shift > stay)[:, 0]
        last = prefix.source.positions - 1
        for _ in range(goes_on.shape[1] - 1):
            slot = slot + (goes_on.gather(1, slot[:, None])[:, 0] & (slot < last)).long()
        return slot
