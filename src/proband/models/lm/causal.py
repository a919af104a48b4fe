r"""Causal language models: log-likelihood, words for a blank, embeddings, generation, fine-tuning.

    LL(S) = \sum_t log P(w_t | w_<t)

Decided once and recorded in `identity()`:
- BOS: `auto` follows the tokenizer: a text begins with a BOS if the tokenizer adds it (Gemma does, GPT-2 and SmolLM2 do
  not). The first token of a text without context needs a token to be predicted from, so such a text always begins
  with the tokenizer's BOS; if that token opens the turns of a chat (SmolLM2-Instruct), the token between two documents,
  `<|endoftext|>`, is used instead. `always` begins every text with the BOS, or with the end-of-text token if there is
  no BOS; `never` adds none; any other value is the token to begin every text with. Without a BOS the first token of a
  text without context does not count.
- Leading space: texts are tokenised unchanged; the space before a word belongs to the word's first token.
- Normalisation: a Score holds the sum, the tokens and the words, so the caller computes the mean per token or word.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError, TooLong
from proband.core.protocols import Chat, Floats32, Reply, Score, Text
from proband.models.lm.continuation_scores import continuation_logprobs, text_logprobs
from proband.models.lm.embeddings import EmbedsTokens
from proband.models.lm.finetuning import FineTuning
from proband.models.lm.generation import Writing, end_tokens, generate, write_all
from proband.models.lm.network import Ints, Tokens, by_spelling, count_words, encode, once, shorten


class Causal(EmbedsTokens):
    """A causal model (protocols ScoresText, PredictsWords, Generates, EmbedsWords, FineTunes)."""

    kind = "causal"
    methods = ("ll",)
    masks = False

    def __init__(self, model: Any, tokenizer: Any, *, name: str, bos: str = "auto", **more: Any) -> None:
        super().__init__(model, tokenizer, name=name, **more)
        self.pad = 0  # a padding token may lack an embedding
        self.bos = self.bos_in_context = bos_token(tokenizer, bos, name)
        if bos == "auto":
            own = tokenizer.bos_token_id
            adds = own is not None and tokenizer("a")["input_ids"][:1] == [own]  # the tokenizer itself
            self.bos_in_context = int(own) if adds else None

    def identity(self) -> Mapping[str, str]:
        """`bos` begins every text, `bos_without_context` those without a context."""
        tokens = {"bos": self.bos_in_context, "bos_without_context": self.bos}
        shown = {k: "none" if v is None else self.tokenizer.convert_ids_to_tokens(v) for k, v in tokens.items()}
        ends = end_tokens(self)  # a generation_config.json may have others than the config, which has its own hash
        shown |= {"ends": str(sorted(ends))} if ends != end_tokens(self, "config") else {}
        return {**super().identity(), **shown}

    def read(self, texts: Sequence[str], *, contexts: Sequence[bool] = ()) -> list[Tokens]:
        """Tokens with the BOS of the policy, and no end-of-text token."""
        encoded = encode(self.tokenizer, texts)
        firsts = [self.bos_in_context if context else self.bos for context in contexts or [False] * len(texts)]
        return self.fitting([_begun(tokens, first) for tokens, first in zip(encoded, firsts, strict=True)])

    # ---- ScoresText --------------------------------------------------------------------------------------------

    def score(self, texts: Sequence[Text], *, method: str = "ll") -> list[Score]:
        if method != "ll":
            raise ProbandError(f"{self.name}: no method {method!r}; there is ll")
        return once(texts, self._score)

    def _score(self, texts: list[Text]) -> list[Score]:
        contexts = [bool(text.text[: text.start].strip()) for text in texts]
        encoded = self.read([text.text for text in texts], contexts=contexts)
        positions = []
        for text, tokens in zip(texts, encoded):
            counted = tokens.counted(text.start)
            positions.append(counted[counted > 0])  # the very first token has no left context
            if not len(positions[-1]):
                raise ProbandError(f"no token of {shorten(text.text)} to score from character {text.start} on")
        keys = [text.text[: text.start] for text in texts]
        totals = text_logprobs(self.network, keys, [tokens.ids for tokens in encoded], positions)
        return [
            Score(float(total), len(where), count_words(tokens, where))
            for total, where, tokens in zip(totals, positions, encoded)
        ]

    # ---- PredictsWords -----------------------------------------------------------------------------------------

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
        r"""Blanks x words: log P(word | left) = \sum_i log P(w_i | left, w_<i), the chain rule over its tokens.

        The text to the left runs once per blank, followed by a tree of all words (prefix_trees.py). The text to the
        right is not used. It is the probability that the text continues with these tokens, not that the word ends:
        *the* also gets the probability of *theory* if the tokenizer splits that word after *the*.
        """
        result = np.empty((len(blanks), len(words)), dtype=np.float32)
        for here, ids in by_spelling(self.tokenizer, blanks, words):
            # the space before the blank belongs to the word
            before = [blanks[i][0].rstrip() for i in here]
            lefts = [tokens.ids for tokens in self.read(before, contexts=[bool(text.strip()) for text in before])]
            if any(not len(left) for left in lefts):
                raise ProbandError(f"{self.name}: without a BOS token a blank needs some text before it")
            deepest = max(map(len, lefts)) + max(map(len, ids)) - 1  # the last token of a word is not read
            if self.longest is not None and deepest > self.longest:
                if not self.cut_left:
                    raise TooLong(f"{self.name}: a blank after {deepest} tokens, but it reads {self.longest} at most")
                lefts = [left[-(self.longest - max(map(len, ids)) + 1) :] for left in lefts]
            result[here] = continuation_logprobs(self.network, lefts, ids)
        return result

    # ---- Generates ---------------------------------------------------------------------------------------------

    generate = generate

    def finetuning(self, examples: Sequence[tuple[str, str]], **settings: Any) -> FineTuning:
        """The task of training a copy of the weights on (context, target) texts; this model stays unchanged."""
        return FineTuning(self, examples, **settings)


def bos_token(tokenizer: Any, policy: str, name: str) -> int | None:
    """The token id of the BOS by a policy."""
    if policy == "never":
        return None
    if policy == "auto" and opens_chat_turns(tokenizer) and BETWEEN_DOCUMENTS in tokenizer.get_vocab():
        return int(tokenizer.get_vocab()[BETWEEN_DOCUMENTS])
    if policy in {"auto", "always"}:
        token = tokenizer.bos_token_id
        if token is None and policy == "always":
            token = tokenizer.eos_token_id
            if token is None:
                raise ProbandError(f"{name}: bos=always, but the tokenizer has neither a BOS nor an EOS token")
        return None if token is None else int(token)
    token = tokenizer.get_vocab().get(policy)
    if token is None:
        raise ProbandError(f"{name}: bos={policy!r} is none of auto, always, never, and no token of the model")
    return int(token)


BETWEEN_DOCUMENTS = "<|endoftext|>"


def opens_chat_turns(tokenizer: Any) -> bool:
    """Does the chat template write the BOS before the role of each message?"""
    token, template = tokenizer.bos_token, str(getattr(tokenizer, "chat_template", None) or "")
    role = r"(system|user|assistant|[\"']\s*[+~]\s*message|\{\{\s*message)"
    return bool(token) and re.search(re.escape(str(token)) + role, template) is not None


def _begun(tokens: Tokens, first: int | None) -> Tokens:
    """`first`, then the text's own tokens, without the special tokens of the tokenizer."""
    own = tokens.words >= 0
    if own.all() and first is None:
        return tokens
    head = [] if first is None else [-1]
    ids = np.r_[np.array([] if first is None else [first], dtype=np.int64), tokens.ids[own]]
    places = (np.r_[np.array(head, dtype=np.int64), x[own]] for x in (tokens.begins, tokens.ends, tokens.words))
    return Tokens(tokens.text, ids, *places)


# ---- chat models: the tokenizer has a chat template, which turns messages into one text ------------------------------


MAX_TOKENS, REASONING_MAX_TOKENS = 256, 4096  # limits of a reply: usual, and if the template supports reasoning


class ChatCausal(Causal):
    """An instruction-tuned causal model (also protocols Chats, Replies)."""

    def __init__(self, *model: Any, template: Mapping[str, Any] | None = None, **more: Any) -> None:
        """`template`: further values for the chat template (`enable_thinking`, `date_string`)."""
        super().__init__(*model, **more)
        self.values = dict(template or {})
        text = str(self.tokenizer.chat_template)
        reasons = "think" in text or "reasoning" in text
        self.default_max_tokens = REASONING_MAX_TOKENS if reasons else MAX_TOKENS
        self._template = hashlib.sha256(text.encode()).hexdigest()

    def identity(self) -> Mapping[str, str]:
        more = {"template_values": json.dumps(self.values, sort_keys=True)} if self.values else {}
        return {**super().identity(), "chat_template": self._template, **more}

    def rendered(self, chat: Chat, **settings: Any) -> str:
        """The text that the model reads."""
        messages = [{"role": role, "content": content} for role, content in chat]
        try:
            values = {**self.values, "tokenize": False, "add_generation_prompt": True}
            return str(self.tokenizer.apply_chat_template(messages, **values))
        except Exception as error:  # a template is third-party code
            if any(role == "system" for role, _ in chat):  # rejected by some: prepend it to the first question
                (_, system), (_, user), *rest = chat
                return self.rendered((("user", f"{system}\n\n{user}"), *rest))
            raise ProbandError(f"{self.name}: its chat template fails: {' '.join(str(error).split())[:200]}") from None

    def chat(self, chats: Sequence[Chat], **limits: Any) -> list[str]:
        return [reply.text for reply in self.replies(chats, **limits)]

    def replies(self, chats: Sequence[Chat], *, alternatives: bool = False, **limits: Any) -> list[Reply]:
        read = {chat: self._fitting(chat) for chat in chats}
        return write_all(self, [read[chat][0] for chat in chats], dict(read.values()), Writing(**limits))

    def _fitting(self, chat: Chat) -> tuple[str, Ints]:
        """The text and its tokens; if it exceeds the window, the question is cut at the left if `cut_left`."""
        text = self.rendered(chat)
        ids = self._tokens(text)
        while self.longest is not None and len(ids) >= self.longest:
            role, content = chat[-1]
            if not self.cut_left or not content:
                raise TooLong(f"a prompt of {len(ids)} tokens is longer than the model's {self.longest}")
            kept = self._without_beginning(
                content, len(ids) - self.longest + 1 + min(self.default_max_tokens, self.longest // 4)
            )
            chat = (*chat[:-1], (role, kept))
            text = self.rendered(chat)
            ids = self._tokens(text)
        return text, ids

    def _without_beginning(self, content: str, tokens: int) -> str:
        places = self.tokenizer(content, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        offsets = places["offset_mapping"]
        return content[offsets[tokens][0] :] if tokens < len(offsets) else ""

    def _tokens(self, text: str) -> Ints:
        ids = self.tokenizer(text, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
        return np.asarray(ids, dtype=np.int64)
