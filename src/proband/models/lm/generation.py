r"""Text generation by a causal model: greedy, or sampled with a seed per prompt, independent of the batch.

Prompts run in batches, padded at the left: positions are counted from a prompt's first token, and padding is masked.
The last digits of a score still depend on the batch. To keep the text independent of it, a token whose lead over the
next one is below the largest such difference (CLOSE) is chosen again from the prompt's row, recomputed alone. In half
precision on a GPU too many tokens are that close, so this is not done; a batch of one row (`batch=1`) is exact.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.protocols import Reply
from proband.models.lm.network import Ints, LocalModel, in_batches

CLOSE = {"float32": 1e-2, "float64": 1e-6}  # in logits
CLOSE_IN_HALF = {"cpu": 0.5}  # half precision, by device; elsewhere nothing is chosen again
THOUGHT_MARKS = {"<think>", "</think>", "[THINK]", "[/THINK]", "<|channel>", "<channel|>"}  # kept in the text
ALTERNATIVES = 20  # to the first token of a reply, as many as endpoints give
TO_COME = {"cuda": 512}  # most future tokens that count towards the size of a batch


@dataclass(frozen=True, kw_only=True)
class Writing:
    """Limits and sampling of generated texts."""

    max_tokens: int
    temperature: float
    seed: int
    stop: tuple[str, ...] = ()


def generate(model: Any, prompts: Sequence[str], *, stop: Sequence[str] = (), **limits: Any) -> list[str]:
    """The continuation of each prompt, up to an end-of-text token, a stop text, `max_tokens`, or a loop
    (`in_a_loop`)."""
    read = model.read(prompts, contexts=[bool(prompt) for prompt in prompts])
    rows = {prompt: tokens.ids for prompt, tokens in zip(prompts, read)}
    return [reply.text for reply in write_all(model, prompts, rows, Writing(**limits, stop=tuple(stop)))]


def write_all(model: LocalModel, prompts: Sequence[str], rows: Mapping[str, Ints], options: Writing) -> list[Reply]:
    """The continuation of each prompt, given its tokens; several prompts run in a batch."""
    if options.temperature < 0:
        raise ProbandError(f"the temperature is {options.temperature}, but must not be negative")
    for prompt, row in rows.items():
        if not len(row):
            raise ProbandError(f"{model.name}: cannot continue {prompt!r} without a BOS token")
    order = sorted(rows, key=lambda prompt: -len(rows[prompt]))
    replies: dict[str, Reply] = {}

    def compute(first: int, end: int) -> None:
        some = order[first:end]
        replies.update(zip(some, _Writer(model, some, [rows[prompt] for prompt in some], options).replies()))

    to_come = min(options.max_tokens, TO_COME.get(model.network.device.type, 64))
    sizes = np.array([len(rows[prompt]) + to_come for prompt in order], dtype=np.int64)
    in_batches(sizes, compute, model.network.writing)
    return [replies[prompt] for prompt in prompts]


class _Writer:
    """A batch of prompts with the text written so far."""

    def __init__(self, model: LocalModel, prompts: Sequence[str], rows: Sequence[Ints], options: Writing) -> None:
        self.model, self.rows, self.options, self.longest = model, rows, options, model.longest
        self.tokenizer, self.ends = model.tokenizer, end_tokens(model)
        self.streams = [_stream(prompt, options.seed) for prompt in prompts]
        self.written: list[list[int]] = [[] for _ in prompts]
        self.logprobs: list[list[float]] = [[] for _ in prompts]
        self.first: list[tuple[tuple[str, float], ...]] = [() for _ in prompts]
        added = self.tokenizer.added_tokens_decoder
        self.marks = {token: str(text) for token, text in added.items() if text.special and str(text) in THOUGHT_MARKS}
        in_half = CLOSE_IN_HALF.get(model.network.device.type, -1.0)
        self.close = CLOSE.get(model.network.dtype, in_half)
        self.positioned = "position_ids" in inspect.signature(model.network.model.forward).parameters

    def done(self, i: int, token: int, read: int) -> bool:
        if token in self.ends:
            return True
        self.written[i].append(token)
        if self.options.stop and any(stop in self._decoded(i) for stop in self.options.stop):
            return True
        if in_a_loop(self.written[i]):
            return True
        return len(self.written[i]) >= self.options.max_tokens or (
            self.longest is not None and read + len(self.written[i]) >= self.longest
        )

    def _decoded(self, i: int) -> str:
        """The text so far, without special tokens except those around thoughts."""
        decode, text, rest = self.tokenizer.decode, "", list[int]()
        for token in self.written[i]:
            if token in self.marks:
                text, rest = text + str(decode(rest, skip_special_tokens=True)) + self.marks[token], []
            else:
                rest.append(token)
        return text + str(decode(rest, skip_special_tokens=True))

    def text(self, i: int) -> str:
        text = self._decoded(i)
        return text[: min((at for stop in self.options.stop if (at := text.find(stop)) >= 0), default=len(text))]

    def replies(self) -> list[Reply]:
        """Each text, the mean log-probability of its tokens, and the alternatives to its first that is not blank."""
        import torch

        longest, left = max(map(len, self.rows)), [len(row) for row in self.rows]
        ids = np.zeros((len(self.rows), longest), dtype=np.int64)
        seen = np.zeros_like(ids)
        for i, row in enumerate(self.rows):
            ids[i, longest - len(row) :], seen[i, longest - len(row) :] = row, 1
        mask, live = self.model.network.tensor(seen), list(range(len(self.rows)))
        step, cache = self.model.network.tensor(ids), None
        places = self.model.network.tensor(np.maximum(seen.cumsum(1) - 1, 0))
        with torch.inference_mode():
            while True:
                logits, cache = self._forward(step, mask, places, cache)
                chosen = dict(zip(live, self._chosen(live, logits)))
                going = [at for at, i in enumerate(live) if not self.done(i, chosen[i], left[i])]
                if not going:
                    break
                if len(going) < len(live):  # remove the rows that have ended
                    kept = torch.tensor(going, device=mask.device)
                    cache.batch_select_indices(kept)
                    mask, live = mask[kept], [live[at] for at in going]
                step = torch.tensor([[chosen[i]] for i in live], device=mask.device)
                mask = torch.cat([mask, mask.new_ones(len(live), 1)], dim=1)
                places = mask.sum(1, keepdim=True) - 1
        means = [float(np.mean(each)) if each else None for each in self.logprobs]
        return [Reply(self.text(i), logprob=mean, first=self.first[i]) for i, mean in enumerate(means)]

    def _forward(self, ids: Any, mask: Any, places: Any, cache: Any) -> tuple[Any, Any]:
        given = {"position_ids": places} if self.positioned else {}
        output = self.model.network.model(
            ids, attention_mask=mask, past_key_values=cache, use_cache=True, logits_to_keep=1, **given
        )
        return output.logits[:, -1].float(), output.past_key_values

    def _chosen(self, live: Sequence[int], logits: Any) -> list[int]:
        """The next token of each live row: the highest score, plus the row's own noise if texts are sampled."""
        noises = self._noises(live, logits)
        best = (logits if noises is None else logits.double() + noises).topk(2)
        tokens: list[int] = best.indices[:, 0].tolist()
        leads = (best.values[:, 0].double() - best.values[:, 1].double()).tolist()
        for at in (at for at, lead in enumerate(leads) if lead <= self.close):
            again = self._alone(live[at]).double()
            tokens[at] = int((again if noises is None else again + noises[at]).argmax())
        self._record(live, logits, tokens)
        return tokens

    def _record(self, live: Sequence[int], logits: Any, tokens: Sequence[int]) -> None:
        logprobs = logits.log_softmax(-1)
        best = logprobs.topk(min(ALTERNATIVES, logprobs.shape[-1]))
        for at, (i, token) in enumerate(zip(live, tokens)):
            own = float(logprobs[at, token])
            self.logprobs[i].append(own)
            if not self.first[i] and self.tokenizer.decode([token]).strip():
                others = zip(best.indices[at].tolist(), best.values[at].tolist())
                ordered = [(token, own), *((other, value) for other, value in others if other != token)]
                self.first[i] = tuple((self.tokenizer.decode([other]), value) for other, value in ordered)

    def _alone(self, i: int) -> Any:
        row = np.concatenate([self.rows[i], np.array(self.written[i], dtype=np.int64)])
        model = self.model.network.model
        return model(self.model.network.tensor(row[None]), use_cache=False, logits_to_keep=1).logits[0, -1]

    def _noises(self, live: Sequence[int], logits: Any) -> Any:
        import torch

        if self.options.temperature == 0:
            return None
        size = logits.shape[-1]
        drawn = np.stack([noise(self.streams[i], size, self.options.temperature) for i in live])
        return torch.from_numpy(drawn).to(logits.device)


LOOP_TOKENS, LOOP_ROUNDS, LONGEST_ROUND = 48, 4, 256


def in_a_loop(tokens: Sequence[int]) -> bool:
    """Does a text repeat itself? Its last 48 or more tokens repeat one sequence at least four times, so the rest up
    to the limit would repeat it, too.

    >>> in_a_loop([1, 2, 3] * 16), in_a_loop([1, 2, 3] * 15), in_a_loop([7] * 48), in_a_loop([*range(200)] * 4)
    (True, False, True, True)
    """
    longest = min(LONGEST_ROUND, len(tokens) // LOOP_ROUNDS)
    for size in (size for size in range(1, longest + 1) if tokens[-1 - size] == tokens[-1]):
        whole = size * max(LOOP_ROUNDS, -(-LOOP_TOKENS // size))
        tail = tokens[-whole:]
        if len(tokens) >= whole and all(one == other for one, other in zip(tail, tail[size:])):
            return True
    return False


def noise(stream: np.random.Generator, size: int, temperature: float) -> NDArray[np.float64]:
    r"""argmax_v logit_v + T g_v with Gumbel noise g is a draw from softmax(logit / T)."""
    return stream.gumbel(size=size) * temperature


def _stream(prompt: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}\n{prompt}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def end_tokens(model: LocalModel, config: str = "generation_config") -> set[int]:
    """The end-of-text tokens of the tokenizer and of the model's generation config (or of its config)."""
    named = getattr(getattr(model.network.model, config, None), "eos_token_id", None)
    more = named if isinstance(named, list) else [named]
    return {int(token) for token in (*more, model.tokenizer.eos_token_id) if token is not None}
