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
        try:
            text = json.dumps(json.loads(raw), ensure_ascii=False)
        except ValueError:
            raise error from None
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return msgspec.json.decode(whole.encode(), type=Answer)


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
