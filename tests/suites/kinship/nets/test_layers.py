"""The shared pieces against torch.nn and against loops."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from proband.suites.kinship.nets.batches import Numbers, pad
from proband.suites.kinship.nets.layers import Embeddings, Lstm, asked_states, mean


def test_the_lstm_is_torchs_on_packed_rows() -> None:
    torch.manual_seed(0)
    own, lengths = Lstm(5, 7, 2), torch.tensor([6, 1, 4])
    torchs = nn.LSTM(5, 7, num_layers=2, bidirectional=True, batch_first=True)
    for n, cell in enumerate(own.cells):
        for name, weight in cell.named_parameters():
            side = "_reverse" if n % 2 else ""
            getattr(torchs, name.replace("_l0", f"_l{n // 2}") + side).data.copy_(weight)
    x = torch.randn(3, 6, 5)
    packed, _ = torchs(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(packed, batch_first=True)
    torch.testing.assert_close(own(x, lengths), expected)
    x[1, 1:] = 99.0  # padding is not read
    torch.testing.assert_close(own(x, lengths), expected)


def test_query_states_are_sums_over_mentions_and_means_leave_padding_out() -> None:
    torch.manual_seed(0)
    stories = [Numbers(((6, 10, 7, 12, 10),), (5, 3), (), (0, 1), 0), Numbers(((8, 9),), (2, 4), (), (1, 0), 0)]
    batch, h = pad(stories), torch.randn(2, 5, 4)  # five words in the vocabulary: placeholder p is word 5 + p
    h = h * batch.mask[..., None]
    asked = asked_states(h, batch, 5)
    torch.testing.assert_close(asked[0], torch.cat([h[0, 1] + h[0, 4], torch.zeros(4)]))
    torch.testing.assert_close(asked[1], torch.cat([h[1, 1], torch.zeros(4)]))
    torch.testing.assert_close(mean(h, batch.mask)[1], h[1, :2].mean(0))


def test_placeholders_are_fixed_and_words_are_learned() -> None:
    embeddings = Embeddings(6, 3, 4)
    embeddings(torch.tensor([[2, 7]])).sum().backward()
    grad = embeddings.words.weight.grad
    assert grad is not None
    assert grad.abs().sum(1).nonzero().flatten().tolist() == [2]
    assert not embeddings.people.requires_grad
    torch.testing.assert_close(embeddings(torch.tensor([7])), embeddings.people[1:2])
    assert embeddings(torch.tensor([1])).abs().sum() == 0
