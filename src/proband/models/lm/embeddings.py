"""Hidden states of words in context, all layers in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.models.lm.batching import falling, in_batches, padded
from proband.models.lm.forward import Network
from proband.models.lm.tokens import Tokens

Span = tuple[int, int]


def embed_spans(
    network: Network,
    read: Callable[[Sequence[str]], list[Tokens]],
    texts: Sequence[str],
    spans: Sequence[Sequence[Span]],
    *,
    layers: Sequence[int],
    pad: int,
    masked: bool,
) -> Floats:
    r"""e(text, span, layer) = (1/n) \sum over the span's n tokens of the layer's hidden state.

    A text that comes several times, with whatever spans, goes through the network once. `masked` says whether padding
    must be hidden from attention (a causal model never looks to the right).
    """
    wanted = sorted({len(row) for row in spans})
    if len(texts) != len(spans) or len(wanted) > 1:
        raise ProbandError(f"embed: {len(texts)} texts with {len(spans)} lists of spans of {wanted} spans")
    chosen = [layer + network.layers if layer < 0 else layer for layer in layers]
    if any(not 0 <= layer < network.layers for layer in chosen):
        raise ProbandError(f"the model has hidden states 0 to {network.layers - 1}, not {list(layers)}")
    result = np.empty((len(texts), wanted[0] if wanted else 0, len(chosen), network.width), dtype=np.float32)
    distinct = list(dict.fromkeys(texts))
    encoded = read(distinct)
    asked: list[dict[Span, int]] = [{} for _ in distinct]  # the spans asked of each distinct text, numbered
    number = {text: i for i, text in enumerate(distinct)}
    for text, row in zip(texts, spans):
        for span in row:
            asked[number[text]].setdefault((span[0], span[1]), len(asked[number[text]]))
    order = falling([len(tokens.ids) for tokens in encoded])
    sizes = np.array([len(encoded[i].ids) for i in order], dtype=np.int64)
    pooled: list[Floats] = [np.empty(0, dtype=np.float32)] * len(distinct)

    def compute(first: int, end: int) -> None:
        picks = order[first:end]
        states = _pool(network, [encoded[i] for i in picks], [asked[i] for i in picks], chosen, pad=pad, masked=masked)
        for i, of_text in zip(picks, states):
            pooled[i] = of_text

    in_batches(sizes, compute, network.budget)
    for n, (text, row) in enumerate(zip(texts, spans)):
        i = number[text]
        result[n] = pooled[i][[asked[i][(span[0], span[1])] for span in row]]
    return result


def _pool(
    network: Network,
    encoded: Sequence[Tokens],
    asked: Sequence[dict[Span, int]],
    layers: Sequence[int],
    *,
    pad: int,
    masked: bool,
) -> Floats:
    """Texts x spans x layers x dim for one batch; span averages are a product with a matrix of weights."""
    import torch

    longest, most = max(len(tokens.ids) for tokens in encoded), max(1, *(len(spans) for spans in asked))
    weights = np.zeros((len(encoded), most, longest), dtype=np.float32)
    for i, (tokens, spans) in enumerate(zip(encoded, asked)):
        for span, j in spans.items():
            inside = tokens.inside(span)
            weights[i, j, inside] = 1 / len(inside)
    ids = network.tensor(padded([tokens.ids for tokens in encoded], pad))
    mask: Any = None
    if masked and any(len(tokens.ids) < longest for tokens in encoded):
        mask = network.tensor(np.stack([np.arange(longest) < len(tokens.ids) for tokens in encoded]).astype(np.int64))
    with torch.inference_mode():
        states = network.model.base_model(ids, attention_mask=mask, output_hidden_states=True).hidden_states
        matrix = network.tensor(weights)
        pooled = torch.stack([torch.bmm(matrix, states[layer].float()) for layer in layers], dim=2)
    out: Floats = pooled.cpu().numpy()
    return out
