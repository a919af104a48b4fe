"""Slot filling (A.4): the blanks of a text from left to right, with the number of words in each given.

At every blank the net sees the abstract line and the text before. It then reads the gold word (*oracle*) or its own
word (*greedy*). At the start of each slot a transducer takes its alignment from the best alignment of the whole
prefix, so earlier decisions can be revised. A sampled text is one of five drawn at temperature 0.1, the one with the
highest probability as a whole, since each draw saw only its left context.

All texts are read in one batch, one word at a time. Draws with the same words so far (and the oracle, while they are
right) share one row of the batch, which splits where they
differ. At temperature 0.1 most draws agree, so five cost little more than two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from proband.suites.script.nets.batches import ScriptBatch
from proband.suites.script.nets.sequence_nets import Prefix

KEEP_ROWS_SHARE = 0.9  # rows that are no longer wanted are dropped when this share of them is left


class SlotQuestion(NamedTuple):
    """The blank words of one column of the batch, which every draw chooses for `texts`."""

    scores: Tensor  # log-probabilities, rows × vocabulary
    rows: Tensor  # the row each draw of each text reads, texts × draws
    gold: Tensor  # the right words, texts
    texts: Tensor
    column: int


Choose = Callable[[SlotQuestion], Tensor]  # the words to read on with, texts × draws


def gold(question: SlotQuestion) -> Tensor:
    return question.gold[:, None].expand_as(question.rows)


def greedy(question: SlotQuestion) -> Tensor:
    return question.scores.argmax(1)[question.rows]


def sample_by(uniforms: Tensor, temperature: float = 0.1) -> Choose:
    """Draws from softmax(scores / temperature) by its inverse distribution function, one number in [0, 1) per word:
    `uniforms` is batch × draws × n, so that each text brings its own randomness and no other text changes it."""

    def choose(question: SlotQuestion) -> Tensor:
        summed = (question.scores / temperature).softmax(1).double().cumsum(1)[question.rows]
        at = uniforms[question.texts, :, question.column, None].double() * summed[:, :, -1:]
        return torch.searchsorted(summed, at, right=True)[:, :, 0].clamp(max=summed.shape[2] - 1)

    return choose


def first_then(first: Choose, others: Choose) -> Choose:
    """A rule that treats the first draw by one rule and the others by another."""

    def choose(question: SlotQuestion) -> Tensor:
        left, right = question._replace(rows=question.rows[:, :1]), question._replace(rows=question.rows[:, 1:])
        return torch.cat([first(left), others(right)], 1)

    return choose


@dataclass(frozen=True)
class Filling:
    """The words of each blank: per text and word position (batch × n; from `explore` batch × draws × n)."""

    words: Tensor  # the text that the net reads
    first: Tensor  # the likeliest word
    five: Tensor  # the five likeliest, batch × n × 5
    rank: Tensor  # of the gold word, from 1
    surprisal: Tensor  # of the gold word, in nats
    moves: Tensor  # -log-probability of a transducer's shifts and emits
    drawn: Tensor  # further words drawn, which the net does not read, batch × n × samples

    def each(self, change: Callable[[Tensor], Tensor]) -> Filling:
        return Filling(**{name: change(getattr(self, name)) for name in self.__dataclass_fields__})


@dataclass(frozen=True)
class Blanks:
    """The blanks of a batch and how to fill them, the same for every column."""

    net: Any
    batch: ScriptBatch
    blank: Tensor  # batch × n
    choose: Choose
    allowed: Tensor
    draws: int = 1
    ends_unread: bool = False  # the decoder that fills slots does not read the last word of a slot, as released
    whole: Tensor | None = None  # slots are aligned to these positions (`LanguageModel.ends`), not to the prefix's
    samples: tuple[Choose, int] | None = None  # a rule and the number of words to draw next to each that is read

    @cached_property
    def starts(self) -> Tensor:
        """The first word of every blank."""
        return self.blank & ~torch.nn.functional.pad(self.blank[:, :-1], (1, 0))

    @cached_property
    def lasts(self) -> Tensor:
        """The last word of every blank."""
        return self.blank & ~torch.nn.functional.pad(self.blank[:, 1:], (0, 1))

    def begin(self) -> Any:
        prefix = replace(self.net.begin(self.batch), whole=self.whole)
        return replace(prefix, slot_decoder=(prefix.state, prefix.top)) if self.ends_unread else prefix

    def place(self, prefix: Any, texts: Tensor, column: int) -> Any:
        """A transducer aligns the slots that start here."""
        return replace(prefix, slot=self.net.place(self.net.for_slots(prefix), self.starts[texts, column]).slot)

    def read(self, prefix: Any, words: Tensor, texts: Tensor, column: int) -> Any:
        prefix = self.net.read(prefix, words)
        return self.net.read_for_slots(prefix, words, self.lasts[texts, column]) if self.ends_unread else prefix

    def ask(self, prefix: Any, filled: Filling, *, at: Tensor, texts: Tensor, column: int) -> None:
        """Choose the blank words of a column, and record their predictions in `filled`."""
        here, rows = self.blank[:, column].nonzero()[:, 0], self.blank[texts, column].nonzero()[:, 0]
        number = torch.zeros_like(texts)
        number[rows] = torch.arange(len(rows), device=rows.device)
        row = number[at[here]]  # of each draw, among the rows with a blank here
        prefix = self.net.for_slots(prefix)
        scores = self.net.next_logits(prefix, rows).masked_fill(~self.allowed, float("-inf")).log_softmax(1)
        right = self.batch.y[texts[rows], column]
        chosen = self.choose(SlotQuestion(scores, row, self.batch.y[here, column], here, column))
        five = scores.topk(5, 1).indices
        own = scores.gather(1, right[:, None])
        worst = scores.masked_fill(~self.allowed, float("inf")).min(1).values
        filled.words[here, :, column] = chosen
        filled.first[here, :, column] = five[:, 0][row]
        filled.five[here, :, column] = five[row]
        filled.rank[here, :, column] = ((scores > own).sum(1) + 1)[row]
        filled.surprisal[here, :, column] = -torch.where(own[:, 0].isinf(), worst, own[:, 0])[row]
        filled.moves[here, :, column] = self.net.moves(prefix, self.starts[texts, column])[rows][row]
        if self.samples is not None:
            draw, count = self.samples
            first = SlotQuestion(scores, row[:, :1].expand(-1, count), self.batch.y[here, column], here, column)
            filled.drawn[here, :, column] = draw(first)[:, None]


@torch.no_grad()
def explore(blanks: Blanks) -> tuple[Filling, Tensor]:
    """Read every text of the batch `draws` times, choosing the words where `blank` is true among those `allowed`; also
    the log-likelihood of each version, where a text has several (batch × draws).

    Where a gold word is not allowed its rank is one beyond the last and its surprisal that of the unlikeliest word.
    """
    net, batch, blank, allowed, draws = blanks.net, blanks.batch, blanks.blank, blanks.allowed, blanks.draws
    size, n = batch.y.shape
    filling = _empty_filling(batch, draws, blanks.samples[1] if blanks.samples else 0)
    live = torch.arange(size, device=blank.device)  # the texts that are still read
    texts = live.clone()  # of each row
    at = live[:, None].repeat(1, draws)  # the row that each draw reads
    score = filling.surprisal.new_zeros(size, draws)
    prefix = blanks.begin()
    last = (blank * torch.arange(1, n + 1, device=blank.device)).amax(1)  # where the last blank of each text ends
    columns = blank.any(0).tolist()
    for j in range(n):
        words = batch.y[texts, j]
        if columns[j]:
            prefix = blanks.place(prefix, texts, j)
            blanks.ask(prefix, filling, at=at, texts=texts, column=j)
            versions, at[live] = torch.unique(at[live] * len(allowed) + filling.words[live, :, j], return_inverse=True)
            words = versions % len(allowed)
            if len(versions) > len(texts):
                rows = versions // len(allowed)
                prefix, texts = prefix.only(rows), texts[rows]
        # a text is read on for its blanks, and to its end where it has several versions to compare
        goes_on = (batch.words > j) & ((last > j + 1) | (torch.bincount(texts, minlength=size) > 1))
        rows = goes_on[texts].nonzero()[:, 0]
        if len(rows) == 0:
            break
        if len(rows) < KEEP_ROWS_SHARE * len(texts):
            number = torch.zeros_like(texts).index_copy_(0, rows, torch.arange(len(rows), device=rows.device))
            prefix, texts, words, live = prefix.only(rows), texts[rows], words[rows], live[goes_on[live]]
            at[live] = number[at[live]]
        prefix = blanks.read(prefix, words, texts, j)
        ended = live[batch.words[live] == j + 1]
        score[ended] = net.text_log_p(prefix)[at[ended]]
    return filling, score


def _empty_filling(batch: ScriptBatch, draws: int, samples: int) -> Filling:
    words = batch.y[:, None].repeat(1, draws, 1)
    whole, real = torch.zeros_like(words), torch.zeros(words.shape, device=words.device)
    five = whole[..., None].repeat(1, 1, 1, 5)
    drawn = whole[..., None].repeat(1, 1, 1, samples)
    return Filling(words, whole, five, whole.clone(), real, real.clone(), drawn)


def fill(net: Any, batch: ScriptBatch, blank: Tensor, *, choose: Choose, allowed: Tensor, **given: Any) -> Filling:
    """Fill every text once; `given` are further fields of `Blanks`."""
    return explore(Blanks(net, batch, blank, choose, allowed, **given))[0].each(lambda x: x[:, 0])


def best_of(
    net: Any,
    batch: ScriptBatch,
    blank: Tensor,
    *,
    uniforms: Tensor,
    allowed: Tensor,
    temperature: float = 0.1,
    **given: Any,
) -> tuple[Filling, Filling]:
    """The oracle's filling, and of several sampled texts the one to which the net gives the highest probability as a
    whole. `uniforms`: batch × draws × n numbers in [0, 1), see `sample_by`."""
    choose = first_then(gold, sample_by(uniforms, temperature))
    filling, score = explore(Blanks(net, batch, blank, choose, allowed, draws=1 + uniforms.shape[1], **given))
    texts, best = torch.arange(len(blank), device=blank.device), 1 + score[:, 1:].argmax(1)
    return filling.each(lambda x: x[:, 0]), filling.each(lambda x: x[texts, best])


def all_of(
    net: Any, batch: ScriptBatch, blank: Tensor, *, uniforms: Tensor, allowed: Tensor, temperature: float, **given: Any
) -> tuple[Filling, list[Filling]]:
    """The oracle's filling, with as many words `drawn` in each place, and every sampled text; half of `uniforms` is for
    either."""
    own, others = (sample_by(half, temperature) for half in uniforms.chunk(2, 1))
    count = uniforms.shape[1] // 2
    given |= {"draws": 1 + count, "samples": (others, count)}
    filling, _ = explore(Blanks(net, batch, blank, first_then(gold, own), allowed, **given))
    return filling.each(lambda x: x[:, 0]), [filling.each(partial(_draw, at=1 + k)) for k in range(count)]


def _draw(values: Tensor, at: int) -> Tensor:
    return values[:, at]


def blank_mask(spans: Sequence[Sequence[Sequence[int]]], n: int, *, device: str = "cpu") -> Tensor:
    """True at the words of each text's blanks: batch × n.

    >>> blank_mask([[[1, 3]], [[0, 1], [2, 3]]], 3).int().tolist()
    [[0, 1, 1], [1, 0, 1]]
    """
    mask = np.zeros((len(spans), n), dtype=bool)
    for row, blanks in enumerate(spans):
        for start, end in blanks:
            mask[row, start:end] = True
    return torch.from_numpy(mask).to(device)


# ---- beam search (footnote 3): of all texts filled from left to right, the few likeliest so far are read on ----------
#
# A text's likelihood so far is that of all its words, between the blanks too; a transducer's is along the best
# alignment of the prefix. At the end the text with the highest likelihood as a whole is kept, as of several draws
# (A.4).


DEAD = -1e30  # the likelihood of an unused place in the beam


def beam_search(blanks: Blanks, *, width: int) -> Filling:
    """Every text as filled by the search, and the net's predictions for the gold words in that text."""
    words = search(blanks, width=width)
    net, batch, blank, allowed = blanks.net, blanks.batch, blanks.blank, blanks.allowed

    def searched(question: SlotQuestion) -> Tensor:
        return words[question.texts, question.column][:, None].expand_as(question.rows)

    return fill(net, batch, blank, choose=searched, allowed=allowed, ends_unread=blanks.ends_unread)


@torch.no_grad()
def search(blanks: Blanks, *, width: int) -> Tensor:
    """The words of the likeliest text that the search finds, batch × n."""
    net, batch = blanks.net, blanks.batch
    size, n = batch.y.shape
    texts = torch.arange(size, device=batch.y.device).repeat_interleave(width)
    words = batch.y[texts]
    prefix = blanks.begin().only(texts)
    alive = torch.full((size, width), DEAD, device=words.device).index_fill(1, texts.new_zeros(1), 0.0).view(-1)
    final = torch.full((size * width,), DEAD, device=words.device)
    chosen = words.clone()
    for j in range(n):
        if bool(blanks.blank[:, j].any()):
            prefix = blanks.place(prefix, texts, j)
            rows, chosen_words, lives = _next(blanks, prefix, alive, texts, j)
            is_blank = blanks.blank[texts, j]
            prefix, words, alive = prefix.only(rows), words[rows], torch.where(is_blank, lives, alive)
            words[:, j] = torch.where(is_blank, chosen_words, words[:, j])
        prefix = blanks.read(prefix, words[:, j], texts, j)
        ended = batch.words[texts] == j + 1
        final = torch.where(ended, net.text_log_p(prefix) + alive, final)
        chosen = torch.where(ended[:, None], words, chosen)
    best = final.view(size, width).argmax(1)
    return chosen.view(size, width, n)[torch.arange(size, device=best.device), best]


def _next(blanks: Blanks, prefix: Prefix, alive: Tensor, texts: Tensor, column: int) -> tuple[Tensor, Tensor, Tensor]:
    """For every place in the beam the row that it continues, its word, and its log-likelihood if alive."""
    net, size = blanks.net, len(blanks.blank)
    width = len(texts) // size
    every = torch.arange(len(texts), device=texts.device)
    scores = net.next_logits(net.for_slots(prefix), every).log_softmax(1).masked_fill(~blanks.allowed, DEAD)
    totals = (net.prefix_log_p(prefix) + alive)[:, None] + scores
    values, top = totals.view(size, -1).topk(width, 1)
    rows = torch.arange(size, device=texts.device)[:, None] * width + top // scores.shape[1]
    rows = torch.where(blanks.blank[texts, column], rows.view(-1), every)
    return rows, (top % scores.shape[1]).view(-1), torch.where(values > DEAD / 2, 0.0, DEAD).view(-1)
