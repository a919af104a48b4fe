"""`anthropic:MODEL` and `gemini:MODEL` by their own protocols, over the requests, retries and budget of `endpoint.py`.

A `Service` defines the address and content of a request, and converts its answer to a completion. A reply does not
include thoughts, but their tokens count as output. Neither service gives log-probabilities, of texts or of replies:
solvers that need them refuse the model before the first request.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.plugins import ModelKind
from proband.core.protocols import Chat
from proband.models.remote.endpoint import Completion, Endpoint, EndpointAnswer, Message
from proband.models.remote.openai import ChatRemote, RemoteOptions, endpoint_of, key_names, model_and_url

FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service with its own protocol. `fields`: max_tokens, temperature, seed and stop, if it accepts them."""

    name: str
    title: str
    url: str
    key: str  # environment variable
    headers: Callable[[str], Mapping[str, str]]
    path: Callable[[str], str]
    body: Callable[[str, Chat, Mapping[str, Any]], dict[str, Any]]
    decode: Callable[[bytes], EndpointAnswer]
    never: frozenset[str] = frozenset()  # fields that the service does not know


def _completion(text: str, reason: str, *, prompt: int, written: int) -> EndpointAnswer:
    usage = {"prompt_tokens": prompt, "completion_tokens": written}
    return EndpointAnswer(choices=[Completion(message=Message(text), finish_reason=reason)], usage=usage)


# ---- Anthropic -------------------------------------------------------------------------------------------------------


class AnthropicBlock(msgspec.Struct):
    """A part of a reply: text, or a thought."""

    type: str
    text: str = ""


class AnthropicUsage(msgspec.Struct):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class AnthropicAnswer(msgspec.Struct):
    content: list[AnthropicBlock]
    usage: AnthropicUsage
    stop_reason: str | None = None


def anthropic_body(model: str, chat: Chat, fields: Mapping[str, Any]) -> dict[str, Any]:
    """
    >>> anthropic_body("m", (("system", "Be brief."), ("user", "Hi")), {"max_tokens": 9, "temperature": 1.5})
    {'model': 'm', 'max_tokens': 9, 'temperature': 1.0, 'system': 'Be brief.', \
'messages': [{'role': 'user', 'content': 'Hi'}]}
    """
    names = {"max_tokens": "max_tokens", "temperature": "temperature", "stop": "stop_sequences"}
    body = {"model": model, **{names[field]: value for field, value in fields.items() if field in names}}
    if "temperature" in body:
        body["temperature"] = min(body["temperature"], 1.0)  # the maximum that it accepts
    if system := "\n\n".join(text for role, text in chat if role == "system"):
        body["system"] = system
    return body | {"messages": [{"role": role, "content": text} for role, text in chat if role != "system"]}


def anthropic_answer(raw: bytes) -> EndpointAnswer:
    answer = msgspec.json.decode(raw, type=AnthropicAnswer)
    reasons = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "content_filter"}
    used = answer.usage
    return _completion(
        "".join(block.text for block in answer.content if block.type == "text"),
        reasons.get(answer.stop_reason or "", "stop"),
        prompt=used.input_tokens + (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0),
        written=used.output_tokens,
    )


# ---- Gemini ----------------------------------------------------------------------------------------------------------


class GeminiPart(msgspec.Struct):
    text: str = ""
    thought: bool = False


class GeminiContent(msgspec.Struct):
    parts: list[GeminiPart] = []


class GeminiCandidate(msgspec.Struct, rename="camel"):
    content: GeminiContent = msgspec.field(default_factory=GeminiContent)
    finish_reason: str = ""


class GeminiUsage(msgspec.Struct, rename="camel"):
    prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0


class GeminiAnswer(msgspec.Struct, rename="camel"):
    """An answer of Gemini; it has no candidates if the prompt was blocked."""

    usage_metadata: GeminiUsage
    candidates: list[GeminiCandidate] = []
    prompt_feedback: dict[str, Any] = {}


def gemini_body(model: str, chat: Chat, fields: Mapping[str, Any]) -> dict[str, Any]:
    """
    >>> gemini_body("m", (("user", "Hi"), ("assistant", "Yes?"), ("user", "Who?")), {"max_tokens": 9})["contents"][1]
    {'role': 'model', 'parts': [{'text': 'Yes?'}]}
    """
    names = {"max_tokens": "maxOutputTokens", "temperature": "temperature", "seed": "seed", "stop": "stopSequences"}
    roles = {"user": "user", "assistant": "model"}
    turns = [{"role": roles[role], "parts": [{"text": text}]} for role, text in chat if role != "system"]
    body: dict[str, Any] = {"contents": turns}
    if system := "\n\n".join(text for role, text in chat if role == "system"):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return body | {"generationConfig": {names[field]: value for field, value in fields.items() if field in names}}


def gemini_answer(raw: bytes) -> EndpointAnswer:
    answer = msgspec.json.decode(raw, type=GeminiAnswer)
    if not answer.candidates and "blockReason" not in answer.prompt_feedback:
        raise msgspec.ValidationError("no candidates")
    first, used = (*answer.candidates, GeminiCandidate(finish_reason=FILTERS[0]))[0], answer.usage_metadata
    reason = {"MAX_TOKENS": "length", **dict.fromkeys(FILTERS, "content_filter")}.get(first.finish_reason, "stop")
    text = "".join(part.text for part in first.content.parts if not part.thought)
    written = used.candidates_token_count + used.thoughts_token_count
    return _completion(text, reason, prompt=used.prompt_token_count, written=written)


# ---- the models ------------------------------------------------------------------------------------------------------


class NativeRemote(ChatRemote):
    """A chat model of a service with its own protocol (protocols Chats, Generates)."""

    def __init__(self, service: Service, endpoint: Endpoint, **more: Any) -> None:
        super().__init__(endpoint, **more)
        self.service, self.kind, self.path = service, service.name, service.path(self.model)
        self._dropped |= service.never

    def _body(self, chat: Chat, fields: Mapping[str, Any]) -> dict[str, Any]:
        taken = {name: value for name, value in fields.items() if name not in self._dropped}
        body = self.service.body(self.model, chat, taken)
        for name, value in self._extra.items():
            both = isinstance(value, dict) and isinstance(body.get(name), dict)
            body[name] = {**body[name], **value} if both else value
        return body

    def _adapt(self, reason: str, sent: Mapping[str, Any]) -> bool:
        """Adapt to a refusal: some models accept no temperature or seed."""
        given = sent.get("generationConfig", sent)
        refused = [field for field in ("seed", "temperature") if field in given and field in reason]
        self._dropped.update(refused)
        return bool(refused)


ANTHROPIC = Service(
    name="anthropic",
    title="Anthropic",
    url="https://api.anthropic.com/v1",
    key="ANTHROPIC_API_KEY",
    headers=lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
    path=lambda model: "/messages",
    body=anthropic_body,
    decode=anthropic_answer,
    never=frozenset({"seed"}),
)
GEMINI = Service(
    name="gemini",
    title="Gemini",
    url="https://generativelanguage.googleapis.com/v1beta",
    key="GEMINI_API_KEY",
    headers=lambda key: {"x-goog-api-key": key},
    path=lambda model: f"/models/{model}:generateContent",
    body=gemini_body,
    decode=gemini_answer,
)


def load(rest: str, *, options: RemoteOptions, service: Service) -> NativeRemote:
    """The model behind `anthropic:rest` or `gemini:rest`, without a request."""
    name = f"{service.name}:{rest}"
    if options.scores:
        raise ProbandError(f"{name}: {service.title} gives no log-probabilities of texts ('scores' cannot be set)")
    model, url = model_and_url(rest, public=service.url, kind=service.name)
    if url == service.url and not os.environ.get(service.key, "").strip():
        raise ProbandError(f"{name} needs a key: set {service.key}")
    keys = (service.key,) if url == service.url else key_names(url)  # a key is sent only to its own server
    endpoint = endpoint_of(url, name=name, options=options, keys=keys)
    endpoint.headers, endpoint.decode, endpoint.needs_key = service.headers, service.decode, url == service.url
    return NativeRemote(service, endpoint, name=name, model=model, options=options)


def _kind(service: Service) -> ModelKind:
    return ModelKind(
        name=service.name,
        help=f"{service.title}'s service with its own protocol ({service.name}:MODEL); no log-probabilities",
        options=RemoteOptions,
        load=lambda rest, *, options: load(rest, options=options, service=service),
        asks=lambda rest: "",
    )


ANTHROPIC_KIND, GEMINI_KIND = _kind(ANTHROPIC), _kind(GEMINI)
