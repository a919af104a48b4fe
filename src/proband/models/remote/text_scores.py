"""Log-probabilities of a given text from a server: /completions with `echo` returns the tokens of the prompt.

Not every server supports this. Some refuse; others ignore `echo` and return only the generated token, which would give
all texts the same score. So an answer is refused unless the echoed tokens spell the text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Annotated, Any

import msgspec

from proband.core.errors import ModelFailed, ProbandError, Unavailable
from proband.core.progress import log
from proband.core.protocols import Score, Text
from proband.models.lm.network import visible, words_at
from proband.models.remote.endpoint import UNREACHABLE, Caller, Endpoint, Refused


def gives_log_probabilities(endpoint: Endpoint, model: str, extra: Mapping[str, Any]) -> bool:
    """Whether the server gives the log-probabilities of a text: one small request."""

    async def ask(caller: Caller, _: int) -> bool:
        caller.retries = min(caller.retries, UNREACHABLE)
        try:
            return (await echoed(caller, model, Text("Rome is the capital of Italy"), extra)).tokens > 2
        except Refused as refusal:
            if refusal.status in (401, 403):
                raise
        except ModelFailed as error:
            if isinstance(error, Unavailable):
                raise
            log(f"{error}; no log-probabilities of texts are asked for")
        return False

    return endpoint.map(ask, 1)[0]


async def echoed(caller: Caller, model: str, text: Text, extra: Mapping[str, Any]) -> Score:
    """One text through /completions with echo. One token is generated too, because some servers refuse none."""
    own = {"model": model, "prompt": text.text, "max_tokens": 1, "temperature": 0.0, "echo": True, "logprobs": 1}
    body = {**own, **extra, **own}
    return await caller.post("/completions", body, lambda choice: read_echo(choice.logprobs, text, name=caller.name))


class Echo(msgspec.Struct):
    """The log-probabilities of /completions."""

    tokens: Annotated[list[str], msgspec.Meta(min_length=1)]
    token_logprobs: list[float | None]
    text_offset: list[int] | None = None


def read_echo(logprobs: Any, text: Text, *, name: str = "") -> Score:
    """The score in an echoed completion.

    >>> given = {"tokens": ["Rome", " is", "!"], "token_logprobs": [None, -1.5, -9.0], "text_offset": [0, 4, 7]}
    >>> read_echo(given, Text("Rome is"))
    Score(total=-1.5, tokens=1, words=1)
    """
    try:
        echo = msgspec.convert(logprobs, Echo)
    except msgspec.ValidationError:
        raise Refused(f"{name}: the server gives no log-probabilities of the prompt", status=200) from None
    begins = _begins(echo, text.text, name)
    places = [visible(text.text, begin, end) for begin, end in pairwise([*begins, len(text.text)])]
    own = [(place, value) for place, value in zip(places, echo.token_logprobs) if place < len(text.text)]
    if len(echo.tokens) != len(echo.token_logprobs) or any(value is None for _, value in own[1:]):
        raise Refused(f"{name}: the server gives no log-probability of some tokens", status=200)
    counted = [(place, value) for place, value in own if place >= text.start and value is not None]
    if not counted:
        raise ProbandError(f"no token of {text.text[:60]!r} to score from character {text.start} on")
    words = words_at(text.text, [place for place, _ in counted])
    return Score(math.fsum(value for _, value in counted), len(counted), words)


def _begins(echo: Echo, text: str, name: str) -> list[int]:
    """The beginning of each token, from the lengths of tokens that spell the text, else from the server's offsets.

    A start-of-text token that is not part of the text counts as before it.
    """
    for special in (0, 1):
        own = echo.tokens[special:]
        if "".join(own).startswith(text):
            return [-1] * special + list(accumulate(map(len, own), initial=0))[:-1]
    offsets = echo.text_offset or []
    if len(offsets) != len(echo.tokens) or offsets != sorted(offsets) or offsets[0] != 0 or len(offsets) < 3:
        raise Refused(f"{name}: the server does not echo the prompt's log-probabilities", status=200)
    return offsets
