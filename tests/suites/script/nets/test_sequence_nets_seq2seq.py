"""The decoder starts from the encoder's state at each line's own last word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.training.vocabulary import PADDING, START


def test_the_abstract_line_matters(fresh: Callable[..., Any]) -> None:
    net = fresh("seq2seq")
    two = pad([([5, 6], [7, 8, 9]), ([10, 6], [7, 8, 9])], start=START, padding=PADDING)
    first, second = net.log_likelihood(two).tolist()
    assert abs(first - second) > 1e-5


def test_against_an_lstm_run_by_hand(fresh: Callable[..., Any], ragged: ScriptBatch) -> None:
    net = fresh("seq2seq")
    row, m, n = 2, 2, 4
    _, state = net.encoder.lstm(net.vectors.table[ragged.x[row : row + 1, :m]])
    out, _ = net.decoder.lstm(net.vectors.table[ragged.before[row : row + 1, :n]], state)
    scores = net.output.linear(net.from_decoder(out[0]).relu()).log_softmax(1)
    by_hand = scores[torch.arange(n), ragged.y[row, :n]].sum()
    torch.testing.assert_close(net.log_likelihood(ragged)[row], by_hand)
