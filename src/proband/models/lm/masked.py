r"""Masked language models: pseudo-log-likelihood, word embeddings in context, words for a blank.

    PLL(S) = \sum_t log P(w_t | S with the tokens M_t masked)

    pll             M_t = {t}                                          (Salazar et al. 2020; equation 1 of paper 000)
    pll-word-l2r    M_t = {t} and the later tokens of its word         (Kauf and Ivanova 2023)
    pll-whole-word  M_t = all tokens of its word

A word is what the tokenizer's pre-tokenizer splits off. Masked variants that are the same for several texts (two
sentences that differ in the masked token only) run once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError, TooLong
from proband.core.protocols import Floats, Score, Text
from proband.models.lm.embeddings import EmbedsTokens
from proband.models.lm.network import (
    Ints,
    Tokens,
    by_spelling,
    count_words,
    encode,
    in_batches,
    in_length_order,
    once,
    shorten,
)

Bools = NDArray[np.bool_]

# method -> which positions are masked: `same` marks the target's word, `later` the target's position and those after it
METHODS: Mapping[str, Callable[[Bools, Bools, Bools], Bools]] = {
    "pll": lambda target, same, later: target,
    "pll-word-l2r": lambda target, same, later: same & later,
    "pll-whole-word": lambda target, same, later: same,
}
AT_ONCE = 8192  # texts whose variants are held in memory together


class Masked(EmbedsTokens):
    """A transformers model for masked LM (protocols ScoresText, EmbedsWords, PredictsWords)."""

    kind = "masked"
    methods = tuple(METHODS)

    def __init__(self, model: Any, tokenizer: Any, *, name: str, **more: Any) -> None:
        if tokenizer.mask_token_id is None:
            raise ProbandError(f"{name}: the tokenizer has no mask token")
        super().__init__(model, tokenizer, name=name, **more)

    # ---- ScoresText --------------------------------------------------------------------------------------------

    def score(self, texts: Sequence[Text], *, method: str = "pll") -> list[Score]:
        """Sum of the counted tokens' log-probabilities under one of `methods`."""
        if method not in METHODS:
            raise ProbandError(f"{self.name}: no method {method!r}; there are {', '.join(METHODS)}")

        def in_parts(distinct: list[Text]) -> Iterator[Score]:
            for at in range(0, len(distinct), AT_ONCE):
                yield from self._score(distinct[at : at + AT_ONCE], method)

        return once(texts, in_parts)

    def _score(self, texts: Sequence[Text], method: str) -> list[Score]:
        encoded = self.read([text.text for text in texts])
        counted = [tokens.counted(text.start) for text, tokens in zip(texts, encoded)]
        for text, positions in zip(texts, counted):
            if not len(positions):
                raise ProbandError(f"no token of {shorten(text.text)} begins at character {text.start} or later")
        lengths = np.array([len(tokens.ids) for tokens in encoded])
        blocks = [
            variants(encoded, counted, np.flatnonzero(lengths == length), METHODS[method], self.tokenizer.mask_token_id)
            for length in sorted(set(lengths.tolist()), reverse=True)
        ]
        owners = np.concatenate([block.queries[3] for block in blocks])
        totals = np.bincount(owners, weights=self._run(blocks), minlength=len(texts))
        return [
            Score(float(totals[i]), len(counted[i]), count_words(encoded[i], counted[i])) for i in range(len(texts))
        ]

    def _run(self, blocks: Sequence[MaskedBlock]) -> Any:
        """Log-probability of every query. All rows go to the device at once and all results come back at once:
        nothing inside the loop waits for the GPU."""
        import torch

        rows = [row for block in blocks for row in block.rows]
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        firsts = np.cumsum([0, *(len(block.rows) for block in blocks)])
        row = np.concatenate([block.queries[0] + first for block, first in zip(blocks, firsts)])
        bounds = np.searchsorted(row, np.arange(len(rows) + 1))
        others = [np.concatenate([block.queries[i] for block in blocks]) for i in (1, 2)]
        queries = self.network.tensor(np.stack([row, *others]))
        flat = self.network.tensor(np.concatenate([block.rows.reshape(-1) for block in blocks]))

        def compute(first: int, end: int) -> Any:
            longest = int(sizes[first])
            if longest == sizes[end - 1]:
                ids, mask = flat[offsets[first] : offsets[end]].view(end - first, longest), None
            else:
                ids, mask = self.network.batch(rows[first:end], self.pad)
            row, position, target = queries[:, bounds[first] : bounds[end]]
            return self.network.logprobs(ids, mask, row - first, position, target)

        return torch.cat(in_batches(sizes, compute, self.network.budget)).double().cpu().numpy()

    @property
    def hidden_word(self) -> str:
        """What stands for a word behind a blank that is not to be seen (`predict_words`)."""
        return str(self.tokenizer.mask_token)

    # ---- PredictsWords -----------------------------------------------------------------------------------------

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats:
        """Blanks x words: log P(word | left, right), the blank holding as many masks as the word has tokens.

        A word of n tokens w_1..w_n gets sum_i log P(w_i | left, n masks, right): all its masks are there at once, so
        one pass per blank and token count serves all candidates. (The alternative, filling in from left to right,
        would need a pass per candidate.)
        """
        result = np.empty((len(blanks), len(words)), dtype=np.float32)
        for here, ids in by_spelling(self.tokenizer, blanks, words):
            counts = np.array([len(i) for i in ids])
            for count in sorted(set(counts.tolist())):
                chosen = np.flatnonzero(counts == count)
                table = np.array([ids[i] for i in chosen], dtype=np.int64)
                result[np.ix_(np.array(here), chosen)] = self._fill([blanks[i] for i in here], table)
        return result

    def _fill(self, blanks: Sequence[tuple[str, str]], table: Ints) -> Floats:
        """Blanks x candidates, for candidates (rows of `table`) of one token count."""
        count, mask_id = table.shape[1], self.tokenizer.mask_token_id
        encoded = encode(self.tokenizer, [left.rstrip() + self.tokenizer.mask_token + right for left, right in blanks])
        rows, places = [], []
        for tokens, (left, _) in zip(encoded, blanks, strict=True):
            at = np.flatnonzero(tokens.ids == mask_id)  # the first is the blank, others are words hidden behind it
            if self.hidden_word in left:
                raise ProbandError(
                    f"the text before a blank must not contain {self.hidden_word}: {shorten(tokens.text)}"
                )
            places.append(int(at[0]))
            rows.append(np.concatenate([tokens.ids[: at[0]], np.full(count, mask_id), tokens.ids[at[0] + 1 :]]))
            if self.longest is not None and len(rows[-1]) > self.longest:
                cut = len(rows[-1]) - self.longest  # behind the special token in front
                if not self.cut_left or places[-1] <= cut:
                    raise TooLong(f"a text of {len(rows[-1])} tokens is longer than the model's {self.longest}")
                rows[-1], places[-1] = np.delete(rows[-1], np.arange(1, 1 + cut)), places[-1] - cut
        candidates = self.network.tensor(np.ascontiguousarray(table.T).reshape(-1))

        def compute(picks: Ints) -> Any:
            ids, mask = self.network.batch([rows[i] for i in picks], self.pad)
            where = np.array([places[i] for i in picks])[:, None] + np.arange(count)
            row = np.repeat(np.arange(len(picks)), count)
            states = self.network.states(
                ids, self.network.tensor(row), self.network.tensor(where.reshape(-1)), attention_mask=mask
            )
            each = np.repeat(np.arange(len(states)), len(table))
            values = self.network.chosen(states, each, candidates.repeat(len(picks)))
            return values.view(len(picks), count, len(table)).sum(1)

        scores: Floats = in_length_order([len(row) for row in rows], compute, self.network.budget)
        return scores


@dataclass(frozen=True)
class MaskedBlock:
    """Masked variants of one length, each kept once, and the tokens to predict in them, sorted by row: four arrays with
    the row, the position, the token and the text it belongs to."""

    rows: Ints
    queries: tuple[Ints, Ints, Ints, Ints]


def variants(
    encoded: Sequence[Tokens],
    counted: Sequence[Ints],
    texts: Ints,
    masking: Callable[[Bools, Bools, Bools], Bools],
    mask: int,
) -> MaskedBlock:
    """The masked variants of some texts of equal length, one per counted token, equal ones merged."""
    ids = np.stack([encoded[i].ids for i in texts])
    words = np.stack([encoded[i].words for i in texts])
    number = np.repeat(np.arange(len(texts)), [len(counted[i]) for i in texts])
    at = np.concatenate([counted[i] for i in texts])
    columns = np.arange(ids.shape[1])
    same = words[number] == words[number, at][:, None]
    rows = ids[number]
    rows[masking(columns == at[:, None], same, columns >= at[:, None])] = mask
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, row = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(row, kind="stable")
    target = ids[number, at]
    return MaskedBlock(rows[first], (row[order], at[order], target[order], texts[number][order]))
