"""A language model on this machine: texts as tokens with their characters, batches of them, and the network as a
body (tokens to hidden states) and a head (hidden states to scores over the vocabulary).

A token begins at its first character that is not white space: byte-level tokenizers join the space before a word to
the word, and only some of them include that space in the offsets.

The head is applied only at positions where a token is predicted. It is the model itself with its body replaced: the
replacement passes the given states on, so the model's own code computes all steps from its last state to its scores
(dense layers, tied or free output embeddings, soft-capping, scaling).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError, TooLong, out_of_memory
from proband.core.progress import advance

Ints = NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
R = TypeVar("R")
CHUNK_OF_ITEMS = {"cpu": 32}  # items answered between two writes, at most
CHUNK_OF_WORK = {"cpu": 2.0**37}  # parameters x characters between two writes: a few seconds, on a slow machine too
WRITING = {"cuda": 8}  # factor on the tokens of a batch in generation, where the head reads one state per row
MOST_SCORES = {"cuda": 2**28, "cpu": 2**24}  # most numbers (rows x vocabulary) of scores held at a time


@dataclass(frozen=True)
class Tokens:
    """Token `ids` with special tokens; `begins`, `ends` in characters and `words` (of the pre-tokenizer), -1 at special
    tokens."""

    text: str
    ids: Ints
    begins: Ints
    ends: Ints
    words: Ints
    cut: bool = False  # whether the text has more tokens than these

    def counted(self, start: int) -> Ints:
        """Positions of the text's own tokens that begin at character `start` or later."""
        return np.flatnonzero((self.begins >= start) & (self.words >= 0))

    def last(self, most: int) -> Tokens:
        """The last `most` tokens, with the special ones at the beginning.

        >>> four = np.arange(4)
        >>> tokens = Tokens("to be or", np.array([9, 5, 6, 7]), four - 1, four, np.array([-1, 0, 1, 2]))
        >>> tokens.last(3).ids.tolist()
        [9, 6, 7]
        """
        if len(self.ids) <= most:
            return self
        own = self.words >= 0
        special = int(np.argmax(own)) if own.any() else len(self.ids)
        keep = np.r_[np.arange(special), np.arange(special + len(self.ids) - most, len(self.ids))]
        return Tokens(self.text, self.ids[keep], self.begins[keep], self.ends[keep], self.words[keep], cut=True)

    def inside(self, span: tuple[int, int]) -> Ints:
        """Positions of the tokens that share a character with the span."""
        positions = np.flatnonzero((self.begins < span[1]) & (self.ends > span[0]) & (self.words >= 0))
        if not len(positions):
            raise ProbandError(f"no token at characters {span[0]} to {span[1]} of {shorten(self.text)}")
        return positions


def encode(tokenizer: Any, texts: Sequence[str], *, cut_at: int | None = None) -> list[Tokens]:
    """Tokens of each text with the tokenizer's own special tokens."""
    if not texts:
        return []
    if not getattr(tokenizer, "is_fast", False):
        raise ProbandError("this model has no fast tokenizer (tokenizer.json), which character offsets need")
    # without `cut_at` there is no limit here: the length is checked later, with a clear error
    limit = {"truncation": True, "max_length": cut_at} if cut_at is not None else {"verbose": False}
    encodings = tokenizer(list(texts), add_special_tokens=True, return_attention_mask=False, **limit).encodings
    return [_tokens(text, encoding) for text, encoding in zip(texts, encodings)]


def _tokens(text: str, encoding: Any) -> Tokens:
    places = []
    for i, (special, (begin, end), word) in enumerate(
        zip(encoding.special_tokens_mask, encoding.offsets, encoding.word_ids)
    ):
        if special:
            places.append((-1, -1, -1))
            continue
        places.append((visible(text, begin, end), end, i if word is None else word))
    begins, ends, words = np.asarray(places, dtype=np.int64).reshape(-1, 3).T
    return Tokens(text, np.asarray(encoding.ids, dtype=np.int64), begins, ends, words)


def visible(text: str, begin: int, end: int) -> int:
    """The first character of a token that is not white space."""
    piece = text[max(begin, 0) : end]
    return begin + len(piece) - len(piece.lstrip()) if piece.strip() else begin


def count_words(tokens: Tokens, positions: Ints) -> int:
    """The number of white-space separated words with a token at the given positions.

    >>> text = "to be, or"
    >>> tokens = Tokens(text, *(np.array(x) for x in ([5, 6, 7, 8], [0, 3, 5, 7], [2, 5, 6, 9], [0, 1, 2, 3])))
    >>> count_words(tokens, np.array([1, 2, 3]))
    2
    """
    if len(positions) == np.count_nonzero(tokens.words >= 0) and not tokens.cut:
        return len(tokens.text.split())
    return words_at(tokens.text, tokens.begins[positions].tolist())


def words_at(text: str, places: Iterable[int]) -> int:
    """The number of words of a text with a character at one of the `places`.

    >>> words_at("to be, or", [3, 5, 7])
    2
    """
    return len({len(text[: at + 1].split()) for at in places if not text[at].isspace()})


def by_spelling(
    tokenizer: Any, blanks: Sequence[tuple[str, str]], words: Sequence[str]
) -> list[tuple[list[int], list[list[int]]]]:
    """Blanks grouped by how a word is spelled there (first word, after a space, after a sign), with its tokens.

    The word is tokenized after a placeholder that ends like the text before the blank, and the placeholder's tokens are
    removed; that is exact for tokenizers that split at spaces and punctuation first, as all of the supported families
    do.
    """
    groups: dict[str, list[int]] = {}
    for i, (left, _) in enumerate(blanks):
        stand_in = "" if not left.strip() else "a " if left[-1].isspace() else "("
        groups.setdefault(stand_in, []).append(i)
    return [(here, _behind(tokenizer, stand_in, words)) for stand_in, here in groups.items()]


def _behind(tokenizer: Any, stand_in: str, words: Sequence[str]) -> list[list[int]]:
    before = _plain(tokenizer, [stand_in.rstrip()])[0] if stand_in else []
    read = _plain(tokenizer, [stand_in + word for word in words])
    for word, ids in zip(words, read):
        if ids[: len(before)] != before or len(ids) == len(before):
            raise ProbandError(f"the tokenizer cannot encode {word!r} as a separate word")
    return [ids[len(before) :] for ids in read]


def _plain(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    return [list(ids) for ids in tokenizer(texts, add_special_tokens=False, return_attention_mask=False)["input_ids"]]


def shorten(text: str, width: int = 60) -> str:
    return repr(text if len(text) <= width else text[: width - 3] + "...")


# ---- batches ---------------------------------------------------------------------------------------------------------


@dataclass
class MemoryBudget:
    """The tokens (and rows, if the user sets them) per batch; smaller after memory ran out."""

    tokens: int
    rows: int | None = None


def automatic(device: str, hidden: int) -> int:
    """The starting budget in tokens: on a GPU as many as keep it busy (32k at width 1024), on a CPU few enough that
    the activations stay in its caches.

    >>> automatic("cuda", 1024), automatic("cpu", 768)
    (32768, 1024)
    """
    return max(256, 2**25 // hidden) if device.startswith("cuda") else 1024


def cut(lengths: Ints, first: int, budget: MemoryBudget) -> int:
    """The end of the batch that begins at row `first`.

    >>> cut(np.array([4, 4, 4, 3, 3]), 0, MemoryBudget(16)), cut(np.array([9, 4, 4, 3, 3]), 0, MemoryBudget(64))
    (3, 5)
    """
    longest = int(lengths[first])
    most = max(1, budget.tokens // max(1, longest))
    if budget.rows is not None:
        most = min(most, budget.rows)
    end = min(len(lengths), first + most)
    same = first + int(np.searchsorted(-lengths[first:end], -longest, side="right"))
    return same if (same - first) * longest * 4 >= budget.tokens else end


def in_batches(lengths: Ints, compute: Callable[[int, int], Any], budget: MemoryBudget) -> list[Any]:
    """`compute(first, end)` over consecutive batches of rows sorted by falling length; the results in order.

    A batch that does not fit into memory is tried again at half the size, down to single rows.
    """
    if np.any(np.diff(lengths) > 0):
        raise ValueError("rows must be sorted, longest first")
    results, first = [], 0
    while first < len(lengths):
        end = cut(lengths, first, budget)
        try:
            results.append(compute(first, end))
        except Exception as error:
            if not out_of_memory(error):
                raise
            if end - first == 1:
                raise ProbandError(f"out of memory on a single text of {int(lengths[first])} tokens") from None
            budget.tokens = max(1, min(budget.tokens, (end - first) * int(lengths[first])) // 2)
            _free()
            continue
        advance((end - first) / len(lengths))
        first = end
    return results


def in_length_order(lengths: Sequence[int], compute: Callable[[Ints], Any], budget: MemoryBudget) -> Any:
    """Call `compute(rows)` for rows of similar length, which returns a tensor with a line per row; returns all lines in
    the order of the rows, as an array."""
    import torch

    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    parts = in_batches(np.asarray(lengths)[order], lambda first, end: compute(order[first:end]), budget)
    lines = torch.cat(parts).cpu().numpy()
    result = np.empty_like(lines)
    result[order] = lines
    return result


def once(things: Sequence[T], compute: Callable[[list[T]], Iterable[R]]) -> list[R]:
    """Call `compute` for the distinct things; returns the results for all.

    >>> once([3, 1, 3], lambda distinct: [10 * x for x in distinct])
    [30, 10, 30]
    """
    distinct = list(dict.fromkeys(things))
    collected = dict(zip(distinct, compute(distinct))) if distinct else {}
    return [collected[thing] for thing in things]


def _free() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def padded(rows: Sequence[Ints], pad: int) -> Ints:
    """One matrix, with rows padded on the right.

    >>> padded([np.array([1, 2]), np.array([3])], 0).tolist()
    [[1, 2], [3, 0]]
    """
    out = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


# ---- the network -----------------------------------------------------------------------------------------------------


class Network:
    """The model on its device, with `states`, `logprobs` and the batch budget."""

    def __init__(self, model: Any, *, batch: int | None = None) -> None:
        self.model = model.eval()
        self.device = next(model.parameters()).device
        self.dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
        config = model.config.get_text_config()
        self.width, self.vocabulary, self.layers = config.hidden_size, config.vocab_size, config.num_hidden_layers + 1
        self.budget = MemoryBudget(automatic(self.device.type, self.width), rows=batch)
        times = WRITING.get(self.device.type, 1)
        self.writing = self.budget if times == 1 else MemoryBudget(times * self.budget.tokens, rows=batch)
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
        """The model without its body, or None if that does not reproduce the model's own scores."""
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
            except (AttributeError, TypeError):  # a family whose head needs more from its body than states
                return False
        return parts.shape == whole.shape and bool(torch.allclose(whole, parts, rtol=1e-2, atol=1e-2))

    def states(self, ids: Any, rows: Any, positions: Any, **given: Any) -> Any:
        """The hidden state at each (row, position), or the scores if the head cannot be separated."""
        import torch

        with torch.inference_mode():
            if self.head() is None:
                return self.model(ids, **given).logits[rows, positions]
            return self.model.base_model(ids, **given)[0][rows, positions]

    def chosen(self, states: Any, rows: Ints, targets: Any) -> Any:
        r"""log P(target) after states[row] for each (row, target), sorted by row, in fp32:

            log softmax(logits)[target] = logits[target] - log \sum_v exp logits[v]

        Works on a part of the states at a time, because each has a score for every word of the vocabulary."""
        import torch

        head = self.head()
        size = max(1, MOST_SCORES.get(self.device.type, 2**24) // self.vocabulary)
        parts = []
        with torch.inference_mode():
            for first in range(0, len(states), size):
                begin, end = np.searchsorted(rows, [first, first + size])
                part = states[first : first + size]
                logits = (part if head is None else head(inputs_embeds=part[None]).logits[0]).float()
                row = self.tensor(rows[begin:end] - first)
                parts.append(logits[row, targets[begin:end]] - logits.logsumexp(1)[row])
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def logprobs(self, ids: Any, mask: Any, rows: Any, positions: Any, targets: Any) -> Any:
        """log P(target | ids) for each (row, position, target)."""
        states = self.states(ids, rows, positions, attention_mask=mask)
        return self.chosen(states, np.arange(len(states)), targets)


class LocalModel:
    """A network with its tokenizer, and a window of `longest` tokens."""

    kind = ""
    bos: int | None = None  # in front of texts without context
    bos_in_context: int | None = None  # in front of every text
    cut_left = False  # whether a text that is too long is cut at the left; else it is an error
    chunks: Mapping[str, int] = CHUNK_OF_ITEMS
    chunk_characters = float("inf")  # of the items that are answered between two writes

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
        self.name, self.tokenizer, self.longest, self._identity = name, tokenizer, longest, identity
        self.network, self.batch = Network(model, batch=batch), batch
        self.layers = self.network.layers
        self.chunk = self.chunks.get(self.network.device.type, 256)
        self.parameters = sum(each.numel() for each in model.parameters())
        if self.chunks is CHUNK_OF_ITEMS and self.network.device.type in CHUNK_OF_WORK:
            self.chunk_characters = CHUNK_OF_WORK[self.network.device.type] / self.parameters
        self.pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0

    def identity(self) -> Mapping[str, str]:
        more = {"batch": str(self.batch)} if self.batch else {}
        more |= {"cut_left": "True"} if self.cut_left else {}
        return {"kind": self.kind, **self._identity(), "dtype": self.network.dtype, **more}

    def read(self, texts: Sequence[str], *, contexts: Sequence[bool] = ()) -> list[Tokens]:
        """Tokens with the tokenizer's own special ones. `contexts`: whether a text begins with a context before
        the predicted part (a causal model starts other texts with a BOS)."""
        return self.fitting(encode(self.tokenizer, texts))

    def fitting(self, encoded: list[Tokens]) -> list[Tokens]:
        """The texts, longer ones cut to the window at the left if `cut_left`, else an error."""
        if self.cut_left and self.longest is not None:
            return [tokens.last(self.longest) for tokens in encoded]
        for tokens in encoded:
            if self.longest is not None and len(tokens.ids) > self.longest:
                size = f"a text of {len(tokens.ids)} tokens is longer than the model's {self.longest}"
                raise TooLong(f"{size}: {shorten(tokens.text)}")
        return encoded

    def mean_states(self, rows: Sequence[Ints], counted: Callable[[Any, Any], Any]) -> Any:
        """The mean last state of those tokens of each row that are `counted` (by ids, and 1 where no padding is)."""
        import torch

        def compute(picks: Ints) -> Any:
            ids, mask = self.network.batch([rows[i] for i in picks], self.pad)
            inside = counted(ids, torch.ones_like(ids) if mask is None else mask)
            with torch.inference_mode():
                states = self.network.model(ids, attention_mask=mask)[0].float()
                return (states * inside[..., None]).sum(1) / inside.sum(1, keepdim=True)

        return in_length_order([len(row) for row in rows], compute, self.network.budget)


def headless(model: Any) -> Any:
    """A shallow copy of the model that shares all weights and whose body passes `inputs_embeds` through."""
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
        """Replaces the body; some heads read the embeddings of the body."""

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(body, name)

        def forward(self, *args: Any, inputs_embeds: Any = None, **kwargs: Any) -> Any:
            return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=inputs_embeds)

    return Passing().eval()
