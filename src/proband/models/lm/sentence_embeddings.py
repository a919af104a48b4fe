"""Sentence embeddings: the mean of an encoder's last states, scaled to length one."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from proband.core.protocols import Floats
from proband.models.checkpoints import Files, NetworkOptions, quiet, read_config, read_network, read_tokenizer
from proband.models.lm.embeddings import EmbedsTokens
from proband.models.lm.tokens import Ints, Tokens, encode, in_length_order, once


class Sentences(EmbedsTokens):
    r"""e(S) = m / |m|, m = (1/n) \sum_t h_t over all n tokens of S, [CLS] and [SEP] included.

    A sentence longer than the model takes is cut at its end.
    """

    kind = "sentences"
    # a text is one pass, not one per word: more items at a time, so that texts they share are embedded once
    chunks: Mapping[str, int] = MappingProxyType({"cpu": 2048, "cuda": 2048})

    def read(self, texts: Sequence[str], *, contexts: Sequence[bool] = ()) -> list[Tokens]:
        return encode(self.tokenizer, texts, cut_at=self.longest)

    def embed_sentences(self, texts: Sequence[str]) -> Floats:
        return np.array(once(texts, self._embedded), dtype=np.float32).reshape(len(texts), self.network.width)

    def _embedded(self, texts: list[str]) -> Any:
        import torch

        rows = [tokens.ids for tokens in self.read(texts)]

        def compute(picks: Ints) -> Any:
            ids, mask = self.network.batch([rows[i] for i in picks], self.pad)
            with torch.inference_mode():
                states = self.network.model(ids, attention_mask=mask)[0].float()
                seen = torch.ones_like(ids) if mask is None else mask
                mean = (states * seen[..., None]).sum(1) / seen.sum(1, keepdim=True)
                return torch.nn.functional.normalize(mean, dim=-1)

        return in_length_order([len(row) for row in rows], compute, self.network.budget) if rows else []


def load_sentences(files: Files, *, name: str, options: NetworkOptions) -> Sentences:
    from transformers import AutoModel

    with quiet():
        config = read_config(files, name=name)
        model, _ = read_network(AutoModel, files, config, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    identity = functools.cache(lambda: {"name": name, **files.identity()})
    longest = min(256, config.max_position_embeddings)
    return Sentences(model, tokenizer, name=name, identity=identity, longest=longest, batch=options.batch)
