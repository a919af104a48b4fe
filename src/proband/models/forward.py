"""A language model as a body (tokens to hidden states) and a head (hidden states to scores over the vocabulary).

The head is applied only where a token is to be predicted. It is the model itself with its body taken out: a stand-in
body hands the given states through, so that whatever the family does between its last state and its scores (dense
layers, tied or free output embeddings, soft-capping, scaling) happens as its own code says.
"""

from __future__ import annotations

import copy
from typing import Any

from proband.models.batching import Budget, automatic

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
        self._head: Any = None

    def tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(array).to(self.device, non_blocking=True)

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
            parts = self._head[0](inputs_embeds=self.model.base_model(ids)[0]).logits.float()
        return parts.shape == whole.shape and bool(torch.allclose(whole, parts, rtol=1e-2, atol=1e-2))

    def logprobs(self, ids: Any, mask: Any, rows: Any, positions: Any, targets: Any, *, cache: Any = None) -> Any:
        """log P(target | ids) for each (row, position, target); `cache` holds what stands before the ids."""
        import torch

        head = self.head()
        before = {} if cache is None else {"past_key_values": cache, "use_cache": True}
        with torch.inference_mode():
            if head is None:
                return picked(self.model(ids, attention_mask=mask, **before).logits[rows, positions], targets)
            states = self.model.base_model(ids, attention_mask=mask, **before)[0][rows, positions]
            size = max(1, CHUNK.get(self.device.type, 2**24) // self.vocabulary)
            parts = [
                picked(head(inputs_embeds=states[i : i + size][None]).logits[0], targets[i : i + size])
                for i in range(0, len(states), size)
            ]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def distributions(self, ids: Any, mask: Any, rows: Any, positions: Any) -> Any:
        """Log-probabilities over the whole vocabulary at each (row, position)."""
        import torch

        head = self.head()
        with torch.inference_mode():
            if head is None:
                logits = self.model(ids, attention_mask=mask).logits[rows, positions]
            else:
                states = self.model.base_model(ids, attention_mask=mask)[0][rows, positions]
                logits = head(inputs_embeds=states[None]).logits[0]
            return logits.float().log_softmax(-1)


def picked(logits: Any, targets: Any) -> Any:
    r"""log softmax(logits)[target] = logits[target] - log \sum_v exp logits[v], in fp32."""
    logits = logits.float()
    return logits.gather(1, targets[:, None])[:, 0] - logits.logsumexp(1)


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
        """Stands where the body stood; some heads reach into the body for its embeddings."""

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(body, name)

        def forward(self, *args: Any, inputs_embeds: Any = None, **kwargs: Any) -> Any:
            return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=inputs_embeds)

    return Passing().eval()
