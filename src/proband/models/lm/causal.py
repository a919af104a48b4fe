r"""Causal language models: log-likelihood, words for a blank, embeddings, generation, fine-tuning.

    LL(S) = \sum_t log P(w_t | w_<t)

What is decided once and recorded in `identity()`:
- BOS: `auto` puts the tokenizer's beginning-of-text token in front if it has one (whether or not it adds it by
  itself: GPT-2 has one and does not, Gemma fails without it), `always` takes the end-of-text token where there is no
  other, `never` goes without, and any other value is the token to use. Without a BOS the first token has nothing to be
  predicted from and does not count.
- Leading space: texts are tokenised unchanged; the space before a word belongs to the word's first token.
- Normalisation: a Score holds the sum, the tokens and the words, so the mean per token or word is for the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats, Score, Text
from proband.models.lm.batching import Ints, falling, in_batches, padded
from proband.models.lm.continuation_scores import WORTH, continuation_logprobs, continued, shared
from proband.models.lm.embeddings import embed_spans
from proband.models.lm.finetuning import FineTuning
from proband.models.lm.forward import Network
from proband.models.lm.generation import generate
from proband.models.lm.tokens import Tokens, by_spelling, check_lengths, count_words, encode, shorten
from proband.training.recipe import Recipe


class Causal:
    """`Causal(model, tokenizer, name=, identity=)` around a transformers model for causal LM."""

    methods = ("ll",)

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        identity: Callable[[], Mapping[str, str]],
        longest: int | None = None,
        batch: int | None = None,
        bos: str = "auto",
    ) -> None:
        self.name, self.tokenizer, self.longest = name, tokenizer, longest
        self.network = Network(model, batch=batch)
        self.layers = self.network.layers
        self.bos = first_token(tokenizer, bos, name)
        self._adds_bos = self.bos is not None and _adds(tokenizer, self.bos)
        self._identity = identity

    def identity(self) -> Mapping[str, str]:
        shown = "none" if self.bos is None else self.tokenizer.convert_ids_to_tokens(self.bos)
        return {"kind": "causal", **self._identity(), "dtype": self.network.dtype, "bos": shown}

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokens with the BOS the policy asks for, and no end-of-text token."""
        first = None if self._adds_bos else self.bos
        encoded = [_trimmed(tokens, self.bos) for tokens in encode(self.tokenizer, texts, first=first)]
        check_lengths(encoded, self.longest)
        return encoded

    # ---- ScoresText --------------------------------------------------------------------------------------------

    def score(self, texts: Sequence[Text], *, method: str = "ll") -> list[Score]:
        if method != "ll":
            raise ProbandError(f"{self.name}: no method {method!r}; there is ll")
        distinct = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        encoded = self.read([text.text for text in distinct])
        positions = []
        for text, tokens in zip(distinct, encoded):
            counted = tokens.counted(text.start)
            positions.append(counted[counted > 0])  # the very first token has no left context
            if not len(positions[-1]):
                raise ProbandError(f"no token of {shorten(text.text)} to score from character {text.start} on")
        keys = [text.text[: text.start] for text in distinct]
        totals = self._all_totals(keys, [tokens.ids for tokens in encoded], positions)
        scores = [
            Score(float(total), len(where), count_words(tokens, where))
            for total, where, tokens in zip(totals, positions, encoded)
        ]
        return [scores[distinct[text]] for text in texts]

    def _all_totals(self, keys: Sequence[str], rows: list[Ints], positions: list[Ints]) -> Any:
        """Texts with a long context in common go on from it; the others run as they are."""
        totals = np.empty(len(rows))
        alone = set(range(len(rows)))
        for length, group in shared(keys, rows, positions, worth=WORTH.get(self.network.device.type, 64)):
            totals[group] = continued(self.network, length, [rows[i] for i in group], [positions[i] for i in group])
            alone -= set(group)
        rest = sorted(alone)
        if rest:
            totals[rest] = self._totals([rows[i] for i in rest], [positions[i] for i in rest])
        return totals

    def _totals(self, rows: list[Ints], positions: list[Ints]) -> Any:
        """Sum of log P(ids[t] | ids[<t]) over each row's positions. Rows are padded on the right, where a causal
        model never looks, so no attention mask is needed."""
        order = falling([len(row) for row in rows])
        sizes = np.array([len(rows[i]) for i in order], dtype=np.int64)

        def compute(first: int, end: int) -> Any:
            picks = order[first:end]
            where = np.concatenate([positions[i] for i in picks])
            row = np.repeat(np.arange(end - first), [len(positions[i]) for i in picks])
            target = np.concatenate([rows[i][positions[i]] for i in picks])
            ids = self.network.tensor(padded([rows[i] for i in picks], 0))
            tensor = self.network.tensor
            return self.network.logprobs(ids, None, tensor(row), tensor(where - 1), tensor(target))

        parts = in_batches(sizes, compute, self.network.budget)
        values = np.concatenate([part.double().cpu().numpy() for part in parts])
        ends = np.cumsum([len(positions[i]) for i in order])
        totals = np.empty(len(rows))
        totals[order] = np.add.reduceat(values, np.concatenate([[0], ends[:-1]]))
        return totals

    # ---- EmbedsWords, PredictsWords ----------------------------------------------------------------------------

    def embed(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]
    ) -> Floats:
        """Texts x spans x layers x dim; the sub-tokens of a span are averaged."""
        return embed_spans(self.network, self.read, texts, spans, layers=layers, pad=0, masked=False)

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats:
        r"""Blanks x words: log P(word | left) = \sum_i log P(w_i | left, w_<i), the chain rule over its tokens.

        The text to the left runs once per blank with all words behind it as a tree (prefix_trees.py). The text right
        of the blank is not seen. The sum says that the text goes on with these tokens, not that the word ends there:
        *the* is credited with what would have become *theory* in a tokenizer that splits it so.
        """
        result = np.empty((len(blanks), len(words)), dtype=np.float32)
        for here, ids in by_spelling(self.tokenizer, blanks, words):
            # the space before the blank belongs to the word
            lefts = [tokens.ids for tokens in self.read([blanks[i][0].rstrip() for i in here])]
            if any(not len(left) for left in lefts):
                raise ProbandError(f"{self.name}: without a BOS a blank needs some text before it")
            deepest = max(map(len, lefts)) + max(map(len, ids)) - 1  # the last token of a word is not read
            if self.longest is not None and deepest > self.longest:
                raise ProbandError(f"{self.name}: a blank after {deepest} tokens, but it reads {self.longest} at most")
            result[here] = continuation_logprobs(self.network, lefts, ids)
        return result

    # ---- Generates, FineTunes ----------------------------------------------------------------------------------

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        """Greedy at temperature 0; otherwise each prompt draws from its own seeded stream, whatever its batch."""
        return generate(self, prompts, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop)

    def finetuning(
        self,
        examples: Sequence[tuple[str, str]],
        *,
        valid: Sequence[tuple[str, str]] = (),
        recipe: Recipe,
        dropout: float = 0.0,
    ) -> FineTuning:
        """The task of training a copy of the weights on (context, target) texts; this model stays as it is."""
        return FineTuning(self, examples, valid=valid, recipe=recipe, dropout=dropout)


def first_token(tokenizer: Any, policy: str, name: str) -> int | None:
    """The BOS a policy stands for, as a token id."""
    if policy == "never":
        return None
    if policy in {"auto", "always"}:
        found = tokenizer.bos_token_id
        if found is None and policy == "always":
            found = tokenizer.eos_token_id
            if found is None:
                raise ProbandError(f"{name}: bos=always, but the tokenizer has neither a BOS nor an EOS token")
        return None if found is None else int(found)
    found = tokenizer.get_vocab().get(policy)
    if found is None:
        raise ProbandError(f"{name}: bos={policy!r} is none of auto, always, never, and no token of the model")
    return int(found)


def _adds(tokenizer: Any, bos: int) -> bool:
    return bool(tokenizer("a")["input_ids"][:1] == [bos])


def _trimmed(tokens: Tokens, bos: int | None) -> Tokens:
    """Without special tokens the tokenizer put in on its own, other than the BOS in front."""
    keep = tokens.words >= 0
    if bos is not None and len(keep) and tokens.ids[0] == bos:
        keep[0] = True
    if keep.all():
        return tokens
    return Tokens(tokens.text, tokens.ids[keep], tokens.begins[keep], tokens.ends[keep], tokens.words[keep])
