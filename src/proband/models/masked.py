r"""Masked language models: pseudo-log-likelihood, word embeddings in context, words for a blank.

    PLL(S) = \sum_t log P(w_t | S with the tokens M_t masked)

    pll             M_t = {t}                                          (Salazar et al. 2020; equation 1 of paper 000)
    pll-word-l2r    M_t = {t} and the later tokens of its word         (Kauf and Ivanova 2023)
    pll-whole-word  M_t = all tokens of its word

A word is what the tokenizer's pre-tokenizer splits off. Masked variants that are the same for several texts (two
sentences that differ in the masked token only) run once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats, Score, Text
from proband.models.batching import Ints, falling, in_batches, padded
from proband.models.embeddings import embed_spans
from proband.models.forward import Network
from proband.models.tokens import Tokens, by_spelling, check_lengths, count_words, encode, shorten

# method -> which of the word's positions are masked when position t is predicted
METHODS: Mapping[str, Callable[[Ints, int], Ints]] = {
    "pll": lambda word, t: word[word == t],
    "pll-word-l2r": lambda word, t: word[word >= t],
    "pll-whole-word": lambda word, t: word,
}


class Masked:
    """`Masked(model, tokenizer, name=, identity=, longest=)` around a transformers model for masked LM."""

    methods = tuple(METHODS)

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
        if tokenizer.mask_token_id is None:
            raise ProbandError(f"{name}: the tokenizer has no mask token")
        self.name, self.tokenizer, self.longest = name, tokenizer, longest
        self.network = Network(model, batch=batch)
        self.layers = self.network.layers
        self.pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        self._identity = identity

    def identity(self) -> Mapping[str, str]:
        return {"kind": "masked", **self._identity(), "dtype": self.network.dtype}

    # ---- ScoresText --------------------------------------------------------------------------------------------

    def score(self, texts: Sequence[Text], *, method: str = "pll") -> list[Score]:
        """Sum of the counted tokens' log-probabilities under one of `methods`."""
        if method not in METHODS:
            raise ProbandError(f"{self.name}: no method {method!r}; there are {', '.join(METHODS)}")
        distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        encoded = encode(self.tokenizer, [text.text for text in distinct])
        check_lengths(encoded, self.longest)
        rows = Rows()
        words = []
        for i, (text, tokens) in enumerate(zip(distinct, encoded)):
            positions = tokens.counted(text.start)
            if not len(positions):
                raise ProbandError(f"no token of {shorten(text.text)} begins at character {text.start} or later")
            words.append(count_words(tokens, positions))
            rows.add(tokens, positions, METHODS[method], mask=self.tokenizer.mask_token_id, owner=i)
        logprobs, owners = self._run(rows)
        totals = np.bincount(owners, weights=logprobs, minlength=len(distinct))
        counts = np.bincount(owners, minlength=len(distinct))
        return [Score(float(totals[i]), int(counts[i]), words[i]) for i in (distinct[text] for text in texts)]

    def _run(self, rows: Rows) -> tuple[Any, Ints]:
        """Log-probability of every query, and the text it belongs to."""
        lengths = np.array([len(row) for row in rows.rows], dtype=np.int64)
        order = falling(lengths.tolist())
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        query = np.array(rows.queries, dtype=np.int64)  # row, position, target, owner
        query[:, 0] = rank[query[:, 0]]
        query = query[np.argsort(query[:, 0], kind="stable")]
        bounds = np.searchsorted(query[:, 0], np.arange(len(order) + 1))
        on_device = self.network.tensor(np.ascontiguousarray(query[:, :3].T))
        ordered = [rows.rows[i] for i in order]
        sizes = lengths[order]
        flat = self.network.tensor(np.concatenate(ordered))
        offsets = np.concatenate([[0], np.cumsum(sizes)])

        def compute(first: int, end: int) -> Any:
            if sizes[first] == sizes[end - 1]:
                ids, mask = flat[offsets[first] : offsets[end]].view(end - first, int(sizes[first])), None
            else:
                ids = self.network.tensor(padded(ordered[first:end], self.pad))
                mask = self.network.tensor((np.arange(sizes[first]) < sizes[first:end, None]).astype(np.int64))
            row, position, target = on_device[:, bounds[first] : bounds[end]]
            return self.network.logprobs(ids, mask, row - first, position, target)

        parts = in_batches(sizes, compute, self.network.budget)
        # one copy to the host at the very end: nothing inside the loop waits for the GPU
        values = np.concatenate([part.double().cpu().numpy() for part in parts])
        return values, query[:, 3]

    # ---- EmbedsWords -------------------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]) -> Floats:
        """Texts x spans x layers x dim; the sub-tokens of a span are averaged."""

        def read(distinct: Sequence[str]) -> list[Tokens]:
            encoded = encode(self.tokenizer, distinct)
            check_lengths(encoded, self.longest)
            return encoded

        return embed_spans(self.network, read, texts, spans, layers=layers, pad=self.pad, masked=True)

    # ---- PredictsWords -----------------------------------------------------------------------------------------

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats:
        """Blanks x words: log P(word | left, right), the blank holding as many masks as the word has tokens.

        A word of n tokens w_1..w_n gets sum_i log P(w_i | left, n masks, right): all its masks stand at once, so
        one pass per blank and token count serves all candidates. (The alternative, filling in from left to right,
        would need a pass per candidate.)
        """
        result = np.empty((len(blanks), len(words)), dtype=np.float32)
        for here, ids in by_spelling(self.tokenizer, blanks, words):
            counts = np.array([len(i) for i in ids])
            for count in sorted(set(counts.tolist())):
                chosen = np.flatnonzero(counts == count)
                table = np.array([ids[i] for i in chosen], dtype=np.int64)
                result[np.ix_(here, chosen)] = self._fill([blanks[i] for i in here], table)
        return result

    def _fill(self, blanks: Sequence[tuple[str, str]], table: Ints) -> Floats:
        """Blanks x candidates, for candidates (rows of `table`) of one token count."""
        import torch

        count, mask_id = table.shape[1], self.tokenizer.mask_token_id
        encoded = encode(self.tokenizer, [left.rstrip() + self.tokenizer.mask_token + right for left, right in blanks])
        rows, places = [], []
        for tokens in encoded:
            at = np.flatnonzero(tokens.ids == mask_id)
            if len(at) != 1:
                raise ProbandError(f"the text around a blank must not hold {self.tokenizer.mask_token}: {shorten(tokens.text)}")
            places.append(int(at[0]))
            rows.append(np.concatenate([tokens.ids[: at[0]], np.full(count, mask_id), tokens.ids[at[0] + 1 :]]))
            if self.longest is not None and len(rows[-1]) > self.longest:
                raise ProbandError(f"a text of {len(rows[-1])} tokens is longer than the model's {self.longest}")
        order = falling([len(row) for row in rows])
        sizes = np.array([len(rows[i]) for i in order], dtype=np.int64)
        candidates = self.network.tensor(table)

        def compute(first: int, end: int) -> Any:
            picks = order[first:end]
            mask = (np.arange(sizes[first]) < sizes[first:end, None]).astype(np.int64)
            where = np.array([places[i] for i in picks])[:, None] + np.arange(count)
            with torch.inference_mode():
                dist = self.network.distributions(
                    self.network.tensor(padded([rows[i] for i in picks], self.pad)),
                    None if mask.all() else self.network.tensor(mask),
                    self.network.tensor(np.repeat(np.arange(end - first), count)),
                    self.network.tensor(where.reshape(-1)),
                ).view(end - first, count, -1)
                return sum(dist[:, i].index_select(1, candidates[:, i]) for i in range(count))

        parts = in_batches(sizes, compute, self.network.budget)
        result = np.empty((len(blanks), len(table)), dtype=np.float32)
        result[order] = np.concatenate([part.cpu().numpy() for part in parts])
        return result


class Rows:
    """Masked variants, each kept once, and the queries (row, position, target, owner) put to them."""

    def __init__(self) -> None:
        self.rows: list[Ints] = []
        self.queries: list[tuple[int, int, int, int]] = []
        self._seen: dict[bytes, int] = {}

    def add(
        self, tokens: Tokens, positions: Ints, masking: Callable[[Ints, int], Ints], *, mask: int, owner: int
    ) -> None:
        alone = masking is METHODS["pll"]
        for t in positions.tolist():
            row = tokens.ids.copy()
            row[t if alone else masking(np.flatnonzero(tokens.words == tokens.words[t]), t)] = mask
            number = self._seen.setdefault(row.tobytes(), len(self.rows))
            if number == len(self.rows):
                self.rows.append(row)
            self.queries.append((number, t, int(tokens.ids[t]), owner))
