"""The JSON of a request and of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta


class Usage(msgspec.Struct):
    """What an answer says that it cost."""

    prompt_tokens: Annotated[int, Meta(ge=0)]
    completion_tokens: Annotated[int, Meta(ge=0)] = 0


class Message(msgspec.Struct):
    """What a chat model writes: a text, parts of one, or nothing at all."""

    content: str | list[dict[str, Any]] | None = None


class Completion(msgspec.Struct):
    """What is asked for, of /chat/completions (`message`) or of /completions."""

    message: Message | None = None
    finish_reason: str | None = None
    logprobs: Any = None


class Answer(msgspec.Struct):
    """An answer of a server: one choice, and perhaps what it cost."""

    choices: Annotated[list[Completion], Meta(min_length=1, max_length=1)]
    usage: Any = None


def decode_answer(raw: bytes) -> Answer:
    """An answer from its JSON; halves of characters in it, which strict JSON does not allow, are replaced.

    >>> decode_answer(b'{"choices": [{"message": {"content": "aunt \\\\ud83d"}}]}').choices[0].message.content
    'aunt �'
    """
    try:
        return msgspec.json.decode(raw, type=Answer)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        if "surrogate" not in str(error):
            raise
    whole = (
        json.dumps(json.loads(raw), ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    return msgspec.json.decode(whole.encode(), type=Answer)


class Alternative(msgspec.Struct):
    """A token that might have come."""

    token: str
    logprob: Annotated[float, Meta(le=1e-6)]


class Token(msgspec.Struct):
    """A token of a reply."""

    token: str
    top_logprobs: list[Alternative] | None = None


def first_token(content: Any) -> tuple[tuple[str, float], ...]:
    """The first token of a reply that is not blank and the alternatives to it, with their log-probabilities; nothing
    where the server does not give them.

    >>> top = [{"token": "A", "logprob": -2.0}, {"token": "B", "logprob": -0.5}]
    >>> first_token([{"token": "B", "top_logprobs": top}])
    (('B', -0.5), ('A', -2.0))
    """
    try:
        tokens = msgspec.convert(content or [], list[Token])
    except msgspec.ValidationError:
        return ()
    first = next((token for token in tokens if token.token.strip()), Token(token=""))
    given = [(each.token, each.logprob) for each in first.top_logprobs or ()]
    given.sort(key=lambda pair: pair[0] != first.token)
    return tuple(given) if given and given[0][0] == first.token else ()


def sent(body: Mapping[str, Any]) -> bytes:
    """A request's body, byte for byte."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def error_in(raw: bytes) -> tuple[str, str]:
    """(message, code) of an error body, whatever its shape."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return raw[:300].decode("utf-8", "replace"), ""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        return str(error.get("message") or error.get("detail") or error), str(error.get("code") or "")
    return str(error), ""
