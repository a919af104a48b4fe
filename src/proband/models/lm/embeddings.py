"""Hidden states of words in context, all layers in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats32
from proband.models.checkpoints import Files, NetworkOptions, quiet, read_config, read_network, read_tokenizer
from proband.models.lm.network import LocalModel, Tokens, encode, in_batches, once

Span = tuple[int, int]


class EmbedsTokens(LocalModel):
    """A network whose hidden states are embeddings of words (protocol EmbedsWords)."""

    masks = True  # padding must be hidden from attention (a causal model never looks to the right)

    def embed(self, texts: Sequence[str], spans: Sequence[Sequence[Span]], *, layers: Sequence[int]) -> Floats32:
        r"""Texts x spans x layers x dim: e(text, span, layer) = (1/n) \sum over the span's n tokens of their state.

        A repeated text goes through the network once, even with different spans.
        """
        wanted = sorted({len(row) for row in spans})
        if len(texts) != len(spans) or len(wanted) > 1:
            raise ProbandError(f"embed: {len(texts)} texts with {len(spans)} lists of spans of {wanted} spans")
        chosen = [layer + self.layers if layer < 0 else layer for layer in layers]
        if any(not 0 <= layer < self.layers for layer in chosen):
            raise ProbandError(f"the model has hidden states 0 to {self.layers - 1}, not {list(layers)}")
        numbers: dict[str, dict[Span, int]] = {}  # the spans wanted of each text, numbered
        for text, row in zip(texts, spans):
            numbered = numbers.setdefault(text, {})
            for begin, end in row:
                numbered.setdefault((begin, end), len(numbered))
        encoded = dict(zip(numbers, self.read(list(numbers))))
        order = sorted(numbers, key=lambda text: -len(encoded[text].ids))
        results: dict[str, Floats32] = {}

        def compute(first: int, end: int) -> None:
            part = order[first:end]
            states = self._pool([encoded[text] for text in part], [numbers[text] for text in part], chosen)
            results.update(zip(part, states))

        in_batches(np.array([len(encoded[text].ids) for text in order], dtype=np.int64), compute, self.network.budget)
        result = np.empty((len(texts), wanted[0] if wanted else 0, len(chosen), self.network.width), dtype=np.float32)
        for n, (text, row) in enumerate(zip(texts, spans)):
            result[n] = results[text][[numbers[text][begin, end] for begin, end in row]]
        return result

    def _pool(self, encoded: Sequence[Tokens], numbers: Sequence[dict[Span, int]], layers: Sequence[int]) -> Floats32:
        """Texts x spans x layers x dim for one batch; span averages are a product with a matrix of weights."""
        import torch

        longest, most = max(len(tokens.ids) for tokens in encoded), max(1, *(len(spans) for spans in numbers))
        weights = np.zeros((len(encoded), most, longest), dtype=np.float32)
        for i, (tokens, spans) in enumerate(zip(encoded, numbers)):
            for span, j in spans.items():
                inside = tokens.inside(span)
                weights[i, j, inside] = 1 / len(inside)
        ids, mask = self.network.batch([tokens.ids for tokens in encoded], self.pad)
        body, matrix = self.network.model.base_model, self.network.tensor(weights)
        with torch.inference_mode():
            states = body(ids, attention_mask=mask if self.masks else None, output_hidden_states=True).hidden_states
            pooled = torch.stack([torch.bmm(matrix, states[layer].float()) for layer in layers], dim=2)
        out: Floats32 = pooled.cpu().numpy()
        return out


# ---- sentences -------------------------------------------------------------------------------------------------------


class Sentences(EmbedsTokens):
    r"""e(S) = m / |m|, m = (1/n) \sum_t h_t over all n tokens of S, [CLS] and [SEP] included.

    A sentence beyond the model's maximum length is cut at its end.
    """

    kind = "sentences"
    # one pass per text, not per word: larger chunks, so that texts shared by items are embedded once
    chunks: Mapping[str, int] = MappingProxyType({"cpu": 2048, "cuda": 2048})

    def read(self, texts: Sequence[str], *, contexts: Sequence[bool] = ()) -> list[Tokens]:
        return encode(self.tokenizer, texts, cut_at=self.longest)

    def embed_sentences(self, texts: Sequence[str]) -> Floats32:
        return np.array(once(texts, self._embedded), dtype=np.float32).reshape(len(texts), self.network.width)

    def _embedded(self, texts: list[str]) -> Any:
        import torch

        means = self.mean_states([tokens.ids for tokens in self.read(texts)], lambda ids, real: real)
        return torch.nn.functional.normalize(torch.from_numpy(means), dim=-1).numpy()


def load_sentences(files: Files, *, name: str, options: NetworkOptions) -> Sentences:
    from transformers import AutoModel

    with quiet():
        config = read_config(files, name=name)
        model, _ = read_network(AutoModel, files, config, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    longest = min(256, config.max_position_embeddings)
    return Sentences(model, tokenizer, name=name, identity=files.named(name), longest=longest, batch=options.batch)
