"""Embeddings of words are means of hidden states."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def test_embeddings_are_mean_hidden_states(model: Any) -> None:
    texts = ["Unbelievable Paris is what Rome is.", "The queens", "Unbelievable Paris is what Rome is."]
    spans = [[(0, 12), (13, 18)], [(0, 3), (4, 10)], [(13, 18), (27, 31)]]
    found = model.embed(texts, spans, layers=[0, 1, -1])
    assert found.shape == (3, 2, 3, 32)
    for i, text in enumerate(texts):
        read = model.tokenizer(text, return_offsets_mapping=True, add_special_tokens=model.methods != ("ll",))
        first = [model.bos] if getattr(model, "bos", None) is not None else []
        with torch.no_grad():
            ids = torch.tensor([first + read["input_ids"]])
            states = model.network.model(ids, output_hidden_states=True).hidden_states
        for j, (begin, end) in enumerate(spans[i]):
            inside = [
                t + len(first)
                for t, (a, b) in enumerate(read["offset_mapping"])
                if any(begin <= c < end and not text[c].isspace() for c in range(a, b))
            ]
            for k, layer in enumerate((0, 1, -1)):
                assert found[i, j, k] == pytest.approx(states[layer][0, inside].mean(0).numpy(), abs=1e-4)
