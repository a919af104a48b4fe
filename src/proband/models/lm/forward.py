"""A language model as a body (tokens to hidden states) and a head (hidden states to scores over the vocabulary).

The head is applied only where a token is to be predicted. It is the model itself with its body taken out: a stand-in
body hands the given states through, so that whatever the family does between its last state and its scores (dense
layers, tied or free output embeddings, soft-capping, scaling) happens as its own code says.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proband.models.lm.tokens import Budget, Ints, Tokens, automatic, check_lengths, encode, padded

CHUNK_OF_ITEMS = {"cpu": 32}  # items answered between two writes: seconds of work, on a slow machine too
WRITING = {"cuda": 8}  # times as many tokens in a batch that is continued, where one state a row meets the vocabulary
CHUNK = {"cuda": 2**28, "cpu": 2**24}  # most numbers (rows x vocabulary) of scores held at a time


class Network:
    """The model on its device, with `states`, `logprobs` and the batch budget."""

    def __init__(self, model: Any, *, batch: int | None = None) -> None:
        self.model = model.eval()
        self.device = next(model.parameters()).device
        self.dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
        config = model.config.get_text_config()
        self.width, self.vocabulary, self.layers = config.hidden_size, config.vocab_size, config.num_hidden_layers + 1
        self.budget = Budget(automatic(self.device.type, self.width), rows=batch)
        times = WRITING.get(self.device.type, 1)
        self.writing = self.budget if times == 1 else Budget(times * self.budget.tokens, rows=batch)
        self.obeys_trees: bool | None = None  # not tried yet
        self._head: Any = None

    def tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(array).to(self.device, non_blocking=True)

    def batch(self, rows: Sequence[Ints], pad: int) -> tuple[Any, Any]:
        """Token ids of some rows, and a mask where some of them are padded."""
        sizes = np.array([len(row) for row in rows])
        seen = np.arange(sizes.max()) < sizes[:, None]
        return self.tensor(padded(rows, pad)), None if seen.all() else self.tensor(seen.astype(np.int64))

    def head(self) -> Any:
        """The model without its body, or None where that does not give the model's own scores."""
        if self._head is None:
            self._head = (headless(self.model),)
            if not self._agrees():
                self._head = (None,)
        return self._head[0]

    def _agrees(self) -> bool:
        import torch

        if self._head[0] is None:
            return False
        ids = torch.arange(5, 9, device=self.device)[None] % self.vocabulary
        with torch.inference_mode():
            whole = self.model(ids).logits.float()
            try:
                parts = self._head[0](inputs_embeds=self.model.base_model(ids)[0]).logits.float()
            except (AttributeError, TypeError):  # a family that wants more of its body than states
                return False
        return parts.shape == whole.shape and bool(torch.allclose(whole, parts, rtol=1e-2, atol=1e-2))

    def states(self, ids: Any, rows: Any, positions: Any, **given: Any) -> Any:
        """What the head reads at each (row, position), or the scores themselves where there is no head by itself."""
        import torch

        with torch.inference_mode():
            if self.head() is None:
                return self.model(ids, **given).logits[rows, positions]
            return self.model.base_model(ids, **given)[0][rows, positions]

    def chosen(self, states: Any, rows: Ints, targets: Any) -> Any:
        r"""log P(target) behind states[row] for each (row, target), rows rising, in fp32:

            log softmax(logits)[target] = logits[target] - log \sum_v exp logits[v]

        A part of the states at a time, since each has a score for every word of the vocabulary."""
        import torch

        head = self.head()
        size = max(1, CHUNK.get(self.device.type, 2**24) // self.vocabulary)
        parts = []
        with torch.inference_mode():
            for first in range(0, len(states), size):
                begin, end = np.searchsorted(rows, [first, first + size])
                part = states[first : first + size]
                logits = (part if head is None else head(inputs_embeds=part[None]).logits[0]).float()
                row = self.tensor(rows[begin:end] - first)
                parts.append(logits[row, targets[begin:end]] - logits.logsumexp(1)[row])
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def logprobs(self, ids: Any, mask: Any, rows: Any, positions: Any, targets: Any, *, cache: Any = None) -> Any:
        """log P(target | ids) for each (row, position, target); `cache` holds the tokens before the ids."""
        before = {} if cache is None else {"past_key_values": cache, "use_cache": True}
        states = self.states(ids, rows, positions, attention_mask=mask, **before)
        return self.chosen(states, np.arange(len(states)), targets)


class LocalModel:
    """A network with its tokenizer; it takes `longest` tokens at most."""

    kind = ""
    bos: int | None = None  # in front of texts without context
    bos_in_context: int | None = None  # in front of every text
    cut_left = False  # whether a text that is too long loses its beginning; otherwise it is an error
    chunks: Mapping[str, int] = CHUNK_OF_ITEMS

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        identity: Callable[[], Mapping[str, str]],
        longest: int | None = None,
        batch: int | None = None,
    ) -> None:
        self.name, self.tokenizer, self.longest = name, tokenizer, longest
        self.network = Network(model, batch=batch)
        self.layers = self.network.layers
        self.chunk = self.chunks.get(self.network.device.type, 256)
        self.pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        self._identity = identity

    def identity(self) -> Mapping[str, str]:
        return {"kind": self.kind, **self._identity(), "dtype": self.network.dtype}

    def read(self, texts: Sequence[str], *, contexts: Sequence[bool] = ()) -> list[Tokens]:
        """Tokens with the tokenizer's own special ones. `contexts`: whether a text begins with a context, before what
        is predicted (a causal model starts other texts with a BOS)."""
        return self.fitting(encode(self.tokenizer, texts))

    def fits(self, texts: Sequence[Any]) -> None:
        """An error (TooLong) if one of these texts, or of what a solver scores, is longer than the window."""
        contexts = [bool(getattr(text, "start", text)) for text in texts]
        self.read([getattr(text, "text", text) for text in texts], contexts=contexts)

    def fitting(self, encoded: list[Tokens]) -> list[Tokens]:
        """The texts as far as the window goes: those that are longer lose their beginning, or are an error."""
        if self.cut_left and self.longest is not None:
            return [tokens.last(self.longest) for tokens in encoded]
        check_lengths(encoded, self.longest)
        return encoded


def headless(model: Any) -> Any:
    """A shallow copy of the model that shares all weights and whose body hands `inputs_embeds` through."""
    prefix = model.base_model_prefix
    if prefix not in model._modules:
        return None
    head = copy.copy(model)
    head._modules = dict(model._modules)
    head._modules[prefix] = _passing(model._modules[prefix])
    return head


def _passing(body: Any) -> Any:
    import torch
    from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

    class Passing(torch.nn.Module):
        """Takes the place of the body; some heads reach into the body for its embeddings."""

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(body, name)

        def forward(self, *args: Any, inputs_embeds: Any = None, **kwargs: Any) -> Any:
            return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=inputs_embeds)

    return Passing().eval()
