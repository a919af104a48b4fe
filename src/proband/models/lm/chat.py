"""Chat models: a causal model whose tokenizer has a chat template, which turns messages into one text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError, TooLong
from proband.core.protocols import Chat
from proband.models.lm.causal import Causal
from proband.models.lm.generation import Writing, write_all
from proband.models.lm.tokens import Ints

ROOM, REASONING_ROOM = 256, 4096  # tokens for a reply; where the template knows thoughts


class ChatCausal(Causal):
    """An instruction-tuned causal model (protocol Chats, and all those of Causal)."""

    def __init__(self, model: Any, tokenizer: Any, *, template: Mapping[str, Any] | None = None, **more: Any) -> None:
        """`template`: further values for the chat template (`enable_thinking`, `date_string`)."""
        super().__init__(model, tokenizer, **more)
        self.values = dict(template or {})
        text = str(tokenizer.chat_template)
        self.room = REASONING_ROOM if "think" in text or "reasoning" in text else ROOM
        self._template = hashlib.sha256(text.encode()).hexdigest()

    def identity(self) -> Mapping[str, str]:
        values = {"template_values": json.dumps(self.values, sort_keys=True)} if self.values else {}
        return {**super().identity(), "chat_template": self._template, **values}

    def rendered(self, chat: Chat, **how: Any) -> str:
        """The text that the model reads."""
        messages = [{"role": role, "content": content} for role, content in chat]
        try:
            how = {**self.values, "tokenize": False, "add_generation_prompt": True}
            return str(self.tokenizer.apply_chat_template(messages, **how))
        except Exception as error:  # a template is a program of somebody else's
            if any(role == "system" for role, _ in chat):  # some know no system message: it opens the first question
                (_, system), (_, user), *rest = chat
                return self.rendered((("user", f"{system}\n\n{user}"), *rest))
            raise ProbandError(f"{self.name}: its chat template fails: {' '.join(str(error).split())[:200]}") from None

    def chat(self, chats: Sequence[Chat], *, max_tokens: int, temperature: float, seed: int) -> list[str]:
        read = {chat: self._fitting(chat) for chat in chats}
        rows = dict(read.values())
        how = Writing(max_tokens=max_tokens, temperature=temperature, seed=seed)
        return write_all(self, [read[chat][0] for chat in chats], rows, how)

    def fits(self, texts: Sequence[Any]) -> None:
        for text in texts:
            if isinstance(text, tuple):
                self._fitting(text)
            else:
                super().fits([text])

    def _fitting(self, chat: Chat) -> tuple[str, Ints]:
        """The text and its tokens; where the window is too small, the question loses its beginning if it may."""
        text = self.rendered(chat)
        ids = self._tokens(text)
        while self.longest is not None and len(ids) >= self.longest:
            role, content = chat[-1]
            if not self.cut_left or not content:
                raise TooLong(f"a prompt of {len(ids)} tokens is longer than the model's {self.longest}", text=text)
            kept = self._without_beginning(content, len(ids) - self.longest + 1 + min(self.room, self.longest // 4))
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
