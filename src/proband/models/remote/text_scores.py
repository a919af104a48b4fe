"""Log-probabilities of a given text from a server: /completions with `echo` gives back the prompt's own tokens.

Not every server does. Some refuse, some ignore `echo` and give the generated token alone, which would score every text
alike; so the echoed tokens must spell the text, or the answer is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from proband.core.errors import ProbandError
from proband.core.protocols import Score, Text
from proband.models.remote.endpoint import Caller, Endpoint, Refused, Unusable, only_choice


def gives_log_probabilities(endpoint: Endpoint, model: str) -> bool:
    """Whether the server gives the log-probabilities of a text: one small request."""

    async def ask(caller: Caller, _: int) -> bool:
        try:
            return (await echoed(caller, model, Text("Rome is the capital of Italy"))).tokens > 2
        except Refused as refusal:
            if refusal.status in (401, 403):
                raise
            return False

    return endpoint.map(ask, 1)[0]


class NoEcho(Exception):
    """The answer holds no log-probabilities of the text."""


async def echoed(caller: Caller, model: str, text: Text) -> Score:
    """One text through /completions with echo. One token is generated too, because some servers refuse none."""
    body = {"model": model, "prompt": text.text, "max_tokens": 1, "temperature": 0.0, "echo": True, "logprobs": 1}
    try:
        return await caller.post("/completions", body, lambda answer: read_echo(answer, text))
    except NoEcho as reason:
        raise Refused(f"{caller.name}: {reason}", status=200) from None


def read_echo(answer: Mapping[str, Any], text: Text) -> Score:
    """The score in an echoed completion.

    >>> given = {"tokens": ["Rome", " is", "!"], "token_logprobs": [None, -1.5, -9.0], "text_offset": [0, 4, 7]}
    >>> read_echo({"choices": [{"logprobs": given}]}, Text("Rome is"))
    Score(total=-1.5, tokens=1, words=1)
    """
    given = only_choice(answer).get("logprobs")
    logprobs: Mapping[str, Any] = given if isinstance(given, dict) else {}
    tokens, values = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values) or not tokens:
        raise NoEcho("the server gives no log-probabilities of the prompt")
    begins = _begins([str(token) for token in tokens], logprobs.get("text_offset"), text.text)
    places = [_visible(text.text, begin, end) for begin, end in pairwise([*begins, len(text.text)])]
    counted = [
        (place, value)
        for place, value in zip(places, values, strict=True)
        if text.start <= place < len(text.text) and value is not None
    ]
    if not all(isinstance(value, (int, float)) and math.isfinite(value) for _, value in counted):
        raise Unusable("a log-probability that is not a finite number")
    if not counted:
        raise ProbandError(f"no token of {text.text[:60]!r} to score from character {text.start} on")
    words = {len(text.text[: place + 1].split()) for place, _ in counted if not text.text[place].isspace()}
    return Score(math.fsum(value for _, value in counted), len(counted), len(words))


def _visible(text: str, begin: int, end: int) -> int:
    """A token begins at its first character that is not white space: most have the space before a word glued on."""
    piece = text[max(begin, 0) : end]
    return begin + len(piece) - len(piece.lstrip()) if piece.strip() else begin


def _begins(tokens: Sequence[str], offsets: Any, text: str) -> list[int]:
    """Where each token begins. By the tokens' own lengths if they spell the text, else by the server's offsets.

    A start-of-text token that is not part of the text counts as standing before it.
    """
    for special in (0, 1):
        if "".join(tokens[special:]).startswith(text):
            ends = [0]
            for token in tokens[special:]:
                ends.append(ends[-1] + len(token))
            return [-1] * special + ends[:-1]
    fits = isinstance(offsets, list) and len(offsets) == len(tokens) and all(isinstance(at, int) for at in offsets)
    if not fits or offsets != sorted(offsets) or offsets[0] != 0 or len(tokens) < 3:
        raise NoEcho("the server does not echo the prompt's log-probabilities")
    return list(offsets)
