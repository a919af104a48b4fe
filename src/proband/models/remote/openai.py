"""`openai:MODEL` at the public service, or `openai:MODEL@BASE_URL` at any other (vLLM, llama.cpp, Ollama, ...): which
server, which key, whether it gives log-probabilities of texts, and the model behind it.

A key is sent only to its own server, and only in the request's header: OPENAI_API_KEY to the public service,
PROBAND_API_KEY_HOST to the server of that name, PROBAND_API_KEY to all other servers.

Chats        through /chat/completions
Replies      the same, with the log-probability of each reply where the server gives it
Generates    the same, with one message
Concurrent   several items at a time
ScoresText   log-probabilities of a given text, through /completions with echo, where the server gives them;
             other models do not implement this protocol
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from proband.core.errors import ProbandError, Withheld
from proband.core.plugins import ModelKind, json_object
from proband.core.progress import log
from proband.core.protocols import Chat, Reply, RequestSession, Score, Text
from proband.models.remote.endpoint import Caller, Completion, Endpoint, Refused, Unusable, sent
from proband.models.remote.policy import Policy, read_prices
from proband.models.remote.text_scores import echoed, gives_log_probabilities

SERVED = ("id", "root", "parent", "meta")  # fields of a server's list that say which model it is
TOP = (20, 5)  # alternatives to ask for; servers that allow fewer get the next
Report = Callable[[int, Any], None] | None


@dataclass(frozen=True, kw_only=True)
class RemoteOptions(Policy):
    """Loading a model at an endpoint: how hard to try, and what every request contains."""

    extra: Annotated[dict[str, Any] | str | None, Meta(description="further fields of each request, as JSON")] = None
    prices: Annotated[str | None, Meta(description="price per million input and output tokens, as 0.15,0.6")] = None
    schema: Annotated[
        dict[str, Any] | None, Meta(description="JSON schema of the replies, if the server supports it")
    ] = None
    scores: Annotated[
        bool | None, Meta(description="the server gives log-probabilities of texts (default: test it once)")
    ] = None


class ChatRemote:
    """A chat model (protocols Chats, Generates)."""

    kind, path = "openai", "/chat/completions"
    default_max_tokens = 4096  # thoughts count, too; only generated tokens have a cost

    def __init__(self, endpoint: Endpoint, *, name: str, model: str, options: RemoteOptions) -> None:
        self.name, self.model, self._endpoint, self._options = name, model, endpoint, options
        self._extra = json_object(options.extra, field="extra", name=name)
        self.prices, self.concurrency, self.rpm = endpoint.prices, options.concurrency, options.rpm
        self._top: list[int] = list(TOP)  # numbers still to try; empty: no alternatives
        self._no_logprobs = False  # whether the server refused the log-probabilities of replies
        self._names: dict[str, str] = {}  # the server's names of fields
        self._dropped: set[str] = set()  # fields it does not take; named by `usage`

    def identity(self) -> Mapping[str, str]:
        options = self._options
        return {
            "kind": self.kind,
            "model": self.model,
            "url": self._endpoint.url,
            "weights": "not given by the server",
            "extra": json.dumps(self._extra, sort_keys=True, default=str),
            "seed": str(options.seed),
            **({"schema": json.dumps(options.schema, sort_keys=True)} if options.schema else {}),
            **self._served(),
        }

    def _served(self) -> Mapping[str, str]:
        """What a server that is no public service lists of the model: under one name it may serve another one later."""
        listed = [] if self._endpoint.needs_key else [each for each in self._endpoint.models if isinstance(each, dict)]
        named = [each for each in listed if each.get("id") == self.model] or listed
        told = {name: named[0][name] for name in SERVED if name in named[0]} if len(named) == 1 else {}
        return {"served": json.dumps(told, sort_keys=True)} if told else {}

    def session(self) -> AbstractContextManager[RequestSession]:
        """Within this block several threads may call the model (protocol Concurrent)."""
        return self._endpoint.session()

    def resume(self, usage: Mapping[str, float | None]) -> None:
        """Count what earlier processes of a run have spent against the budget."""
        self._endpoint.budget.spent = max(self._endpoint.budget.spent, usage.get("cost") or 0.0)  # it may be its own

    def usage(self) -> Mapping[str, float | None]:
        """Requests, retries, answers with their seconds, tokens; with prices, the cost. Tokens and cost are None if
        the server never reports them."""
        endpoint = self._endpoint
        names = ("requests", "retries", "answered", "prompt_tokens", "completion_tokens", "without_usage")
        counts: dict[str, float | None] = {name: float(endpoint.counts[name]) for name in (*names, "cut_off")}
        counts |= {"given_up": float(endpoint.counts["given_up"])} if endpoint.counts["given_up"] else {}
        counts |= {"seconds": round(endpoint.seconds, 3), "longest_seconds": round(endpoint.longest, 3)}
        missing = self._dropped | ({"logprobs"} if self._no_logprobs else set())
        counts |= {f"without_{field}": 1.0 for field in sorted(missing)}
        into, out = endpoint.counts["prompt_tokens"], endpoint.counts["completion_tokens"]
        silent = bool(endpoint.counts["without_usage"]) and not into
        if self.prices is not None:
            counts["cost"] = None if silent else self.prices.of(into, out) + endpoint.cost_given_up
        return counts | ({"prompt_tokens": None, "completion_tokens": None} if silent else {})

    # ---- chat ------------------------------------------------------------------------------------------------------

    async def _chat(self, caller: Caller, chat: Chat, fields: Mapping[str, Any]) -> tuple[str, Any]:
        """(text, token log-probabilities or None) of one chat turn; adapts if the server refuses a setting."""
        body = self._body(chat, fields)
        while True:
            try:
                return await caller.post(self.path, body, self._read_chat)
            except Refused as refusal:
                adapts = refusal.status not in (401, 404) and self._adapt(refusal.reason, body)
                refused, body = body, self._body(chat, fields)
                if not adapts or body == refused:  # as where `extra` has the field
                    raise

    def _body(self, chat: Chat, fields: Mapping[str, Any]) -> dict[str, Any]:
        messages = [{"role": role, "content": content} for role, content in chat]
        body = {"model": self.model, "messages": messages, **fields, **self._extra}
        if self._options.schema:
            named = {"name": "reply", "schema": self._options.schema}
            body.setdefault("response_format", {"type": "json_schema", "json_schema": named})
        if "top_logprobs" in fields and self._top:
            body["top_logprobs"] = self._top[0]
        elif "top_logprobs" in fields or self._no_logprobs:
            body = {name: value for name, value in body.items() if name not in ("logprobs", "top_logprobs")}
        return {self._names.get(field, field): value for field, value in body.items() if field not in self._dropped}

    def rendered(self, chat: Chat, *, logprobs: bool = False, alternatives: bool = False, **limits: Any) -> str:
        """The body of the request."""
        fields = limits | ({"logprobs": True} if logprobs or alternatives else {})
        fields |= {"top_logprobs": TOP[0]} if alternatives else {}
        return sent(self._body(chat, fields)).decode("utf-8")

    def _adapt(self, reason: str, sent: Mapping[str, Any]) -> bool:
        """Adapt to a refusal: newer models use another name for the length, some accept no seed or temperature, some
        return fewer log-probabilities or none."""
        if "max_tokens" in sent and "max_completion_tokens" in reason:
            self._names["max_tokens"] = "max_completion_tokens"
            return True
        if "logprobs" in sent and "logprob" in reason.lower():
            if "top_logprobs" not in sent:
                if not self._no_logprobs:
                    log(f"{self.name}: no log-probabilities of replies (the server refuses them)")
                self._no_logprobs = True
            elif self._top[:1] == [sent["top_logprobs"]]:  # another request may have stepped down already
                del self._top[0]
            return True
        refused = [field for field in ("seed", "temperature", "response_format") if field in sent and field in reason]
        self._dropped.update(refused)
        return bool(refused)

    def _read_chat(self, choice: Completion) -> tuple[str, Any]:
        if choice.message is None:
            raise Unusable("an answer without a message")
        self._endpoint.counts["cut_off"] += choice.finish_reason == "length"
        if choice.finish_reason == "content_filter":
            raise Withheld(
                f"{self.name}: the server's filter withheld the reply", text=str(choice.message.content or "")
            )
        content, logprobs = choice.message.content or "", choice.logprobs
        text = content if isinstance(content, str) else "".join(str(part.get("text") or "") for part in content)
        return text, logprobs.get("content") if isinstance(logprobs, dict) else None

    # ---- generating; `limits` are max_tokens, temperature and seed ----------------------------------------------

    def generate(
        self, prompts: Sequence[str], *, stop: Sequence[str] = (), on_result: Report = None, **limits: Any
    ) -> list[str]:
        more = {"stop": list(stop)} if stop else {}
        return self.chat([(("user", prompt),) for prompt in prompts], on_result=on_result, **limits, **more)

    def chat(self, chats: Sequence[Chat], *, on_result: Report = None, **limits: Any) -> list[str]:
        async def ask(caller: Caller, i: int) -> str:
            return (await self._chat(caller, chats[i], limits))[0]

        return self._endpoint.map(ask, len(chats), on_result=on_result)


class Remote(ChatRemote):
    """A chat model whose server may give log-probabilities (also protocol Replies)."""

    def replies(
        self, chats: Sequence[Chat], *, alternatives: bool = False, on_result: Report = None, **limits: Any
    ) -> list[Reply]:
        """The results of `chat`, with log-probabilities if the server gives them: of the reply, or of its first token
        and the alternatives to it."""
        fields = {**limits, "logprobs": True, **({"top_logprobs": TOP[0]} if alternatives else {})}

        async def ask(caller: Caller, i: int) -> Reply:
            text, content = await self._chat(caller, chats[i], fields)
            if alternatives:
                return Reply(text, first=first_token(content))
            return Reply(text, mean_log_probability(content))

        return self._endpoint.map(ask, len(chats), on_result=on_result)


class ScoringRemote(Remote):
    """A remote model whose server gives the log-probabilities of a text (also ScoresText)."""

    methods: tuple[str, ...] = ("ll",)

    def score(self, texts: Sequence[Text], *, method: str = "ll", on_result: Report = None) -> list[Score]:
        """Sums over the tokens from `start` on; the very first token has no log-probability and is not counted."""
        if method not in self.methods:
            raise ProbandError(f"{self.name}: method {method!r}; there is {', '.join(self.methods)}")

        async def ask(caller: Caller, i: int) -> Score:
            return await echoed(caller, self.model, texts[i], self._extra)

        return self._endpoint.map(ask, len(texts), on_result=on_result)


def mean_log_probability(content: Any) -> float | None:
    """The mean natural-log probability of a reply's tokens; None where the server does not give all of them.

    >>> mean_log_probability([{"token": "Aunt", "logprob": -0.5}, {"token": ".", "logprob": -0.1}])
    -0.3
    """
    try:
        values = [float(token["logprob"]) for token in content or ()]
    except (TypeError, KeyError, ValueError):
        return None
    return math.fsum(values) / len(values) if values and all(map(math.isfinite, values)) else None


def first_token(content: Any) -> tuple[tuple[str, float], ...]:
    """The first token of a reply that is not blank and the alternatives to it, with their log-probabilities; nothing
    where the server does not give them.

    >>> top = [{"token": "A", "logprob": -2.0}, {"token": "B", "logprob": -0.5}]
    >>> first_token([{"token": "B", "top_logprobs": top}])
    (('B', -0.5), ('A', -2.0))
    """
    try:
        first = next(token for token in content or () if token["token"].strip())
        given = [(str(each["token"]), float(each["logprob"])) for each in first["top_logprobs"]]
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        return ()
    given.sort(key=lambda pair: pair[0] != first["token"])
    usable = given and given[0][0] == first["token"] and all(-math.inf < value <= 1e-6 for _, value in given)
    return tuple(given) if usable else ()


# ---- loading ---------------------------------------------------------------------------------------------------------


PUBLIC = "https://api.openai.com/v1"


def load(rest: str, *, options: RemoteOptions) -> Remote:
    """The model at an endpoint; where `scores` is not given, the server is asked once."""
    name = f"openai:{rest}"
    model, url = model_and_url(rest)
    endpoint = endpoint_of(url, name=name, options=options, keys=key_names(url))
    endpoint.needs_key = public = url == PUBLIC  # the public service gives no log-probabilities of texts
    extra, scores = json_object(options.extra, field="extra", name=name), options.scores
    if scores is None:
        scores = not public and gives_log_probabilities(endpoint, model, extra)
    return (ScoringRemote if scores else Remote)(endpoint, name=name, model=model, options=options)


def endpoint_of(url: str, *, name: str, options: RemoteOptions, keys: Sequence[str]) -> Endpoint:
    """The server, with the key of the first of these variables that is set."""
    prices = read_prices(options.prices, name)
    if options.max_cost is not None and prices is None:
        raise ProbandError(f"{name}: --max-cost needs the prices per million tokens (--prices IN,OUT)")
    return Endpoint(url, name=name, key=_key(keys), key_from=" or ".join(keys), policy=options, prices=prices)


def model_and_url(rest: str, *, public: str = PUBLIC, kind: str = "openai") -> tuple[str, str]:
    """
    >>> model_and_url("m@http://localhost:8000/v1"), model_and_url("m")
    (('m', 'http://localhost:8000/v1'), ('m', 'https://api.openai.com/v1'))
    """
    if rest.strip() and "@" not in rest and "://" not in rest:
        return rest, public
    match = re.fullmatch(r"(.+?)@(https?://[^\s@?#]+)", rest)
    if match is None:
        raise ProbandError(
            f"an endpoint is named {kind}:MODEL@BASE_URL (no user or password in it), as in {kind}:m@http://localhost:8000/v1"
        )
    return match[1], match[2].rstrip("/")


def key_names(url: str) -> tuple[str, ...]:
    """The environment variables that may hold the key of a server.

    >>> key_names("https://openrouter.ai/api/v1"), key_names("http://localhost:8000/v1")[0], key_names(PUBLIC)
    (('PROBAND_API_KEY_OPENROUTER_AI', 'PROBAND_API_KEY'), 'PROBAND_API_KEY_LOCALHOST_8000', ('OPENAI_API_KEY',))
    """
    if url == PUBLIC:
        return ("OPENAI_API_KEY",)
    server = url.split("/")[2]
    return (f"PROBAND_API_KEY_{re.sub(r'[^A-Za-z0-9]+', '_', server).strip('_').upper()}", "PROBAND_API_KEY")


def _key(names: Sequence[str]) -> str | None:
    for name in names:
        key = os.environ.get(name, "").strip()
        if not key.isascii() or not key.isprintable():
            raise ProbandError(f"the API key in {name} contains characters that a key cannot have")
        if key:
            return key
    return None


KIND = ModelKind(
    name="openai",
    help="OpenAI (openai:MODEL) or any compatible endpoint (openai:MODEL@BASE_URL)",
    options=RemoteOptions,
    load=load,
    asks=lambda rest: "scores" if model_and_url(rest)[1] != PUBLIC else "",
)
