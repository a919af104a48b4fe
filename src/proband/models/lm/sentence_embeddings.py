"""Sentence embeddings: the mean of an encoder's last states, scaled to length one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.protocols import Floats
from proband.models.checkpoints.files import Files
from proband.models.checkpoints.opening import NetworkOptions, quiet, read_config, read_network, read_tokenizer
from proband.models.lm.batching import falling, in_batches, padded
from proband.models.lm.embeddings import embed_spans
from proband.models.lm.forward import Network
from proband.models.lm.tokens import Tokens, encode


class Sentences:
    r"""e(S) = m / |m|, m = (1/n) \sum_t h_t over all n tokens of S, [CLS] and [SEP] included.

    A sentence longer than the model takes is cut at its end.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        identity: Callable[[], Mapping[str, str]],
        longest: int,
        batch: int | None = None,
    ) -> None:
        self.name, self.tokenizer, self.longest = name, tokenizer, longest
        self.network = Network(model, batch=batch)
        self.layers = self.network.layers
        self._identity = identity

    def identity(self) -> Mapping[str, str]:
        return {"kind": "sentences", **self._identity(), "dtype": self.network.dtype}

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        return encode(self.tokenizer, texts, cut_at=self.longest)

    def embed(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]
    ) -> Floats:
        """Texts x spans x layers x dim; the sub-tokens of a span are averaged."""
        return embed_spans(self.network, self.read, texts, spans, layers=layers, pad=0, masked=True)

    def embed_sentences(self, texts: Sequence[str]) -> Floats:
        import torch

        distinct = list(dict.fromkeys(texts))
        rows = [tokens.ids for tokens in self.read(distinct)]
        order = falling([len(row) for row in rows])
        sizes = np.array([len(rows[i]) for i in order], dtype=np.int64)

        def compute(first: int, end: int) -> Any:
            seen = np.arange(sizes[first]) < sizes[first:end, None]
            mask = self.network.tensor(seen.astype(np.int64))
            ids = self.network.tensor(padded([rows[i] for i in order[first:end]], 0))
            with torch.inference_mode():
                states = self.network.model(ids, attention_mask=None if seen.all() else mask)[0].float()
                mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
                return torch.nn.functional.normalize(mean, dim=-1).cpu().numpy()

        result = np.empty((len(distinct), self.network.width), dtype=np.float32)
        result[order] = np.concatenate(in_batches(sizes, compute, self.network.budget))
        number = {text: i for i, text in enumerate(distinct)}
        return result[[number[text] for text in texts]]


def load_sentences(files: Files, *, name: str, options: NetworkOptions) -> Sentences:
    from transformers import AutoModel

    with quiet():
        config = read_config(files, name=name)
        model, _ = read_network(AutoModel, files, config, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    identity = functools.cache(lambda: {"name": name, **files.identity()})
    longest = min(256, config.max_position_embeddings)
    return Sentences(model, tokenizer, name=name, identity=identity, longest=longest, batch=options.batch)
