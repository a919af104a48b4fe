"""Text from a causal model: greedy, or drawn with a seed that belongs to the prompt and not to its batch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.models.lm.batching import in_batches
from proband.models.lm.forward import LocalModel


def generate(
    model: LocalModel,
    prompts: Sequence[str],
    *,
    max_tokens: int,
    temperature: float,
    seed: int,
    stop: Sequence[str] = (),
) -> list[str]:
    """What the model writes after each prompt, up to an end-of-text token, a stop text or `max_tokens`.

    Prompts of one length run together, so none is padded.
    """
    if temperature < 0:
        raise ProbandError(f"the temperature is {temperature}, but must not be negative")
    rows = {prompt: tokens.ids for prompt, tokens in zip(prompts, model.read(prompts))}
    for prompt, row in rows.items():
        if not len(row):
            raise ProbandError(f"{model.name}: nothing to go on from {prompt!r} without a BOS token")
    texts: dict[str, str] = {}
    for length in sorted({len(row) for row in rows.values()}, reverse=True):
        same = [prompt for prompt, row in rows.items() if len(row) == length]

        def compute(first: int, end: int, same: list[str] = same) -> None:
            asked = same[first:end]
            ids = np.stack([rows[prompt] for prompt in asked])
            written = _write(model, asked, ids, most=max_tokens, temperature=temperature, seed=seed, stop=stop)
            texts.update(zip(asked, written))

        in_batches(np.full(len(same), length + max_tokens, dtype=np.int64), compute, model.network.budget)
    return [texts[prompt] for prompt in prompts]


def _write(
    model: LocalModel,
    prompts: Sequence[str],
    ids: Any,
    *,
    most: int,
    temperature: float,
    seed: int,
    stop: Sequence[str],
) -> list[str]:
    import torch

    ends = _ends(model)
    streams = [_stream(prompt, seed) for prompt in prompts]
    written: list[list[int]] = [[] for _ in prompts]
    texts, done = [""] * len(prompts), [False] * len(prompts)
    if model.longest is not None:
        most = min(most, model.longest - ids.shape[1])
    step, cache = model.network.tensor(ids), None
    for _ in range(most):
        with torch.inference_mode():
            output = model.network.model(step, past_key_values=cache, use_cache=True, logits_to_keep=1)
            logits, cache = output.logits[:, -1].float(), output.past_key_values
            chosen = _choose(logits, temperature, streams)
        for i, token in enumerate(chosen.tolist()):
            if done[i]:
                continue
            if token in ends:
                done[i] = True
                continue
            written[i].append(token)
            texts[i] = model.tokenizer.decode(written[i], skip_special_tokens=True)
            found = [at for text in stop if (at := texts[i].find(text)) >= 0]
            if found:
                texts[i], done[i] = texts[i][: min(found)], True
        if all(done):
            break
        step = chosen[:, None]
    return texts


def _choose(logits: Any, temperature: float, streams: Sequence[np.random.Generator]) -> Any:
    r"""argmax_v logit_v / T + g_v with Gumbel noise g is a draw from softmax(logit / T)."""
    import torch

    if temperature == 0:
        return logits.argmax(-1)
    noise = np.stack([stream.gumbel(size=logits.shape[-1]) for stream in streams])
    return (logits.double() / temperature + torch.from_numpy(noise).to(logits.device)).argmax(-1)


def _stream(prompt: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}\n{prompt}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def _ends(model: LocalModel) -> set[int]:
    """End-of-text tokens, as the tokenizer and the model's own settings for generation name them."""
    config = getattr(model.network.model, "generation_config", None)
    named = getattr(config, "eos_token_id", None)
    more = named if isinstance(named, list) else [named]
    return {int(token) for token in (*more, model.tokenizer.eos_token_id) if token is not None}
