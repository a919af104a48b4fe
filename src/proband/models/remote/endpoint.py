"""Requests to an unreliable HTTP endpoint, with limits on their number, time and cost.

A request is tried again after a 408, 425, 429 or 5xx (not 501), a time-out, a broken connection or an invalid answer
(not JSON, no choice or too many), with growing waits (`policy.py`), until `patience` is used up. Standard error shows
the first retry with its reason, then a summary from time to time. A failure that no item causes (a wrong key, a missing
model or server, a spent budget) is `Unavailable` and ends the run; any other refusal is the failure of one item.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from proband.core.errors import ModelFailed, TooLong, Unavailable, Withheld
from proband.core.files import without_surrogates
from proband.core.progress import advance, log
from proband.models.remote.policy import Budget, Pace, Policy, Prices, retry_after
from proband.models.remote.workers import Session, all_of

T = TypeVar("T")
Ask = Callable[["Caller", int], Awaitable[T]]
RETRIED = frozenset({408, 425, 429, 500, *range(502, 600)})
UNREACHABLE = 2  # retries if the server is unreachable
WINDOW = re.compile(r"context.{0,3}(length|window|size)|maximum.{0,20}(tokens|length)|too (long|many tokens)", re.I)
NOT_THE_ITEM = frozenset({301, 302, 307, 308, 401, 402, 403, 404, 405})  # every item would be refused
ACCOUNT = re.compile(r"api key not valid|credit balance", re.I)  # every request would be refused with 400
FILTERED = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
LISTED = 2.0  # seconds for the list of its models
DRAINED = 0.2  # seconds between two checks whether to stop waiting
SUMMED = 30.0  # seconds between two summaries of the retries
MOST_REASONS = 3  # in such a summary
LARGEST = 64 * 1024 * 1024  # bytes of one answer


class Refused(ModelFailed):
    """The server refuses this request; a retry would not help."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status, self.reason = status, message


class RefusedToAll(Refused, Unavailable):
    """The server refuses such requests for all items."""


class Unusable(Exception):
    """An unusable answer; a retry may give a usable one."""

    def __init__(self, what: str, *, wait: float = 0.0, most: int | None = None, unreachable: bool = False) -> None:
        super().__init__(what)
        self.wait, self.most, self.unreachable = wait, most, unreachable  # most: as many retries at most


class Unanswered(Unusable):
    """A request without an answer, which the server may bill all the same."""


class Endpoint:
    """An OpenAI-compatible server: posts JSON, counts what it used."""

    def __init__(
        self, url: str, *, name: str, key: str | None, key_from: str, policy: Policy, prices: Prices | None = None
    ) -> None:
        self.url, self.name, self.policy, self.prices = url, name, policy, prices
        self._key, self._key_from = key, key_from  # the environment variables that may contain it
        self.needs_key = False  # whether the server refuses requests without a key
        self.headers: Callable[[str], Mapping[str, str]] = lambda key: {"Authorization": f"Bearer {key}"}
        self.decode: Callable[[bytes], EndpointAnswer] = decode_answer
        self.counts: Counter[str] = Counter()
        self.seconds, self.longest = 0.0, 0.0  # of all answers, and of the slowest
        self.cost_given_up = 0.0  # the possible cost of requests that were abandoned
        self.pace, self.budget = Pace(policy.rpm), Budget(policy.max_cost)
        self.retries = Retries(name)
        self._session: Session | None = None

    @cached_property
    def models(self) -> list[Any]:
        """What the server lists as its models; nothing if it has no list, or is away."""
        import httpx

        try:
            headers = self.headers(self._key) if self._key else {}
            return list(httpx.get(f"{self.url}/models", headers=headers, timeout=LISTED).json()["data"])
        except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError, LookupError, TypeError):
            return []

    def map(self, ask: Ask[T], count: int, *, on_result: Callable[[int, T], None] | None = None) -> list[T]:
        """Call `ask(caller, i)` for i < count, several at a time, and `on_result(i, value)` as each arrives.

        If one fails for good, or the user interrupts, the others are cancelled; what was reported stays reported.
        """
        if self.needs_key and not self._key:
            raise Unavailable(
                f"{self.name} is at the public service {self.url}, which needs a key: set {self._key_from}, "
                "or name another server with openai:MODEL@URL"
            )
        if not count:
            return []
        with contextlib.nullcontext(self._session) if self._session else self._open() as session:
            return session.finish(self._map(ask, count, on_result, session=session))

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """One client for all calls in this block, from one thread or several. The policy limits the concurrent requests
        of all threads together."""
        try:
            with self._open() as self._session:
                yield self._session
        finally:
            self._session = None

    @contextlib.contextmanager
    def _open(self) -> Iterator[Session]:
        import httpx

        headers = self.headers(self._key) if self._key else {}
        secure = self.url.startswith("https:")  # reading the certificates takes longer than a local answer
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=self.policy.concurrency)
        try:
            client = httpx.AsyncClient(timeout=None, headers=headers, verify=secure, limits=limits)
        except ImportError as error:  # of a proxy that httpx needs a package for
            raise Unavailable(f"{self.name}: {error}") from None
        session = Session(client, at_a_time=self.policy.concurrency)
        try:
            yield session
        finally:
            session.close()
            self.retries.sum_up()

    async def _map(
        self, ask: Ask[T], count: int, on_result: Callable[[int, T], None] | None, *, session: Session
    ) -> list[T]:
        results: dict[int, T] = {}

        async def one(i: int) -> None:
            results[i] = await ask(Caller(self, session), i)
            if on_result is not None:
                on_result(i, results[i])
            advance(1 / count)

        await all_of(count, one, turn=session.turn)
        return [results[i] for i in range(count)]

    def hint(self, status: int) -> str:
        """Advice for a refusal: set a key, if none was sent."""
        return f" (no key was sent: set {self._key_from})" if status in (401, 403) and not self._key else ""

    def clean(self, text: str) -> str:
        """The server's message in one line, without the key, which some servers repeat."""
        text = text.replace(self._key, "[key]") if self._key else text
        return " ".join(text.split())[:300]


class Retries:
    """Prints the first retry with its reason, then summaries from time to time and at the end."""

    def __init__(self, name: str) -> None:
        self.name, self.reasons = name, Counter[str]()
        self.reported, self.reported_at = 0, 0.0

    def add(self, reason: str, *, wait: float) -> None:
        self.reasons[reason] += 1
        if not self.reported:
            self.reported, self.reported_at = 1, time.monotonic()
            log(f"{self.name}: {reason}; retrying in {wait:.1f} s (further retries are summed up)")
        elif time.monotonic() - self.reported_at > SUMMED:
            self.sum_up()

    def sum_up(self) -> None:
        """Print one line with all retries so far, if some were not reported."""
        total = self.reasons.total()
        if total > self.reported:
            listed = ", ".join(f"{reason} ({count})" for reason, count in self.reasons.most_common(MOST_REASONS))
            log(f"{self.name}: {total} retries so far: {listed}")
            self.reported, self.reported_at = total, time.monotonic()


class Caller:
    """Sends requests to the server."""

    def __init__(self, endpoint: Endpoint, session: Session) -> None:
        self._endpoint, self._session = endpoint, session
        self.name, self.retries = endpoint.name, endpoint.policy.retries

    async def _read(self, url: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content, which is limited to LARGEST bytes."""
        kind = {"Content-Type": "application/json"}
        async with self._session.client.stream("POST", url, content=sent(body), headers=kind) as response:
            content = bytearray()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > LARGEST:
                    raise Unusable(f"an answer of more than {LARGEST >> 20} MiB")
            return response.status_code, response.headers, bytes(content)

    async def post(self, path: str, body: Mapping[str, Any], read: Callable[[Completion], T]) -> T:
        """Post and return `read(choice)`; retry while the server or `read` (by raising Unusable) asks for it."""
        endpoint, policy, attempt = self._endpoint, self._endpoint.policy, 0
        begun = time.monotonic()
        while True:
            try:
                return read(await self._once(path, body))
            except Unusable as failure:
                most = self.retries if failure.most is None else min(failure.most, self.retries)
                wait = max(failure.wait, policy.wait(sent(body), attempt))
                spent = time.monotonic() - begun + wait > policy.patience
                if attempt >= most or spent or failure.wait > policy.longest_wait:
                    longer = f", and asks to wait {failure.wait:.0f} s" if failure.wait > policy.longest_wait else ""
                    message = f"{endpoint.name}: {failure}{longer} ({attempt + 1} attempts)"
                    raise (Unavailable if failure.unreachable else ModelFailed)(message) from None
                endpoint.counts["retries"] += 1
                endpoint.retries.add(str(failure), wait=wait)
                await self._pause(wait)
                attempt += 1

    async def _pause(self, seconds: float) -> None:
        """Sleep, but at most until the session is drained."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            self._session.check()
            await asyncio.sleep(min(left, DRAINED))
        self._session.check()

    async def _once(self, path: str, body: Mapping[str, Any]) -> Completion:
        endpoint = self._endpoint
        at_most = await self._turn(body)
        endpoint.counts["requests"] += 1
        begun, cost = time.monotonic(), 0.0
        try:
            choice, usage = await self._sent(path, body)
            endpoint.counts["answered"] += 1
            endpoint.seconds += time.monotonic() - begun
            endpoint.longest = max(endpoint.longest, time.monotonic() - begun)
            if usage is not None and endpoint.prices is not None:
                cost = endpoint.prices.of(usage.prompt_tokens, usage.completion_tokens)
        except (asyncio.CancelledError, Unanswered):
            cost = at_most
            endpoint.counts["given_up"] += 1
            endpoint.cost_given_up += cost
            raise
        finally:
            endpoint.budget.settle(at_most, cost)
        if usage is None and endpoint.budget.most is not None:
            raise Unavailable(f"{endpoint.name}: the server does not report tokens, so --max-cost cannot be enforced")
        return choice

    async def _turn(self, body: Mapping[str, Any]) -> float:
        """Wait until the request may be sent; returns the most that it may cost, which is reserved."""
        endpoint, budget, at_most = self._endpoint, self._endpoint.budget, self._at_most(body)
        while not budget.reserve(at_most):
            if not budget.requests:
                raise Unavailable(
                    f"{endpoint.name}: stopped at a cost of {budget.spent:.4f}: one more request may exceed --max-cost "
                    f"{budget.most:g} (the same command with a larger one resumes)"
                )
            await self._pause(0.02)
        if wait := endpoint.pace.wait():
            await self._pause(wait)
        return at_most

    def _at_most(self, body: Mapping[str, Any]) -> float:
        """The most that a request may cost."""
        endpoint, names = self._endpoint, ("max_tokens", "max_completion_tokens", "maxOutputTokens")
        limits = body.get("generationConfig", body)
        out = next((float(limits[name]) for name in names if limits.get(name) is not None), None)
        if out is None and endpoint.budget.most is not None:
            raise Unavailable(f"{endpoint.name}: --max-cost needs a limit of the tokens of a reply (max-tokens)")
        tokens_in = len(sent(body)) / 3  # a token is rarely shorter
        return endpoint.prices.of(tokens_in, out or 0.0) if endpoint.prices is not None else 0.0

    async def _sent(self, path: str, body: Mapping[str, Any]) -> tuple[Completion, Usage | None]:
        import httpx

        endpoint = self._endpoint
        try:
            async with asyncio.timeout(endpoint.policy.timeout):
                status, headers, content = await self._read(endpoint.url + path, body)
        except TimeoutError:
            raise Unanswered(f"no answer within {endpoint.policy.timeout:g} s") from None
        except httpx.ConnectError as error:
            raise Unusable(
                f"cannot connect: {endpoint.clean(str(error))}", most=UNREACHABLE, unreachable=True
            ) from None
        except httpx.TransportError as error:
            raise Unanswered(f"the connection broke: {endpoint.clean(str(error)) or type(error).__name__}") from None
        except (httpx.InvalidURL, httpx.DecodingError, UnicodeError) as error:
            raise ModelFailed(f"{endpoint.name}: {endpoint.clean(str(error))}") from None
        if status != 200:
            raise self._refusal(status, headers, content)
        return self._choice(content)

    def _choice(self, raw: bytes) -> tuple[Completion, Usage | None]:
        """The one choice of an answer. Sums the reported tokens and counts the answers without a report."""
        counts = self._endpoint.counts
        try:
            answer = self._endpoint.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            shown = self._endpoint.clean(raw[:60].decode("utf-8", "replace"))
            raise Unusable(f"an unexpected response: {error}: {shown!r}") from None
        try:
            usage = msgspec.convert(answer.usage, Usage)
        except msgspec.ValidationError:
            counts["without_usage"] += 1
            return answer.choices[0], None
        counts.update(msgspec.structs.asdict(usage))
        return answer.choices[0], usage

    def _refusal(self, status: int, headers: Mapping[str, str], raw: bytes) -> Exception:
        message, code = error_in(raw)
        text = self._endpoint.clean(f"{status}: {message}")
        if status in RETRIED and code != "insufficient_quota" and "logprob" not in message.lower():
            asked = re.search(rb'"retryDelay":\s*"([\d.]+)s"', raw)  # Gemini's form of it
            return Unusable(text, wait=max(retry_after(headers), float(asked[1]) if asked else 0.0))
        if status == 400 and code in FILTERED:
            return Withheld(f"{self._endpoint.name}: {text}", text=text)
        if status in (400, 413, 422) and (code == "context_length_exceeded" or WINDOW.search(message)):
            return TooLong(f"{self._endpoint.name}: {text}")
        account = code == "insufficient_quota" or ACCOUNT.search(message)
        kind = RefusedToAll if status in NOT_THE_ITEM or account else Refused
        return kind(f"{self._endpoint.name}: {text}{self._endpoint.hint(status)}", status=status)


# ---- the JSON of a request and of its answer -------------------------------------------------------------------------


class Usage(msgspec.Struct):
    """The tokens that an answer reports."""

    prompt_tokens: Annotated[int, Meta(ge=0)]
    completion_tokens: Annotated[int, Meta(ge=0)] = 0


class Message(msgspec.Struct):
    """The message of a chat model: a text, parts of one, or nothing."""

    content: str | list[dict[str, Any]] | None = None


class Completion(msgspec.Struct):
    """A choice of /chat/completions (`message`) or of /completions."""

    message: Message | None = None
    finish_reason: str | None = None
    logprobs: Any = None


class EndpointAnswer(msgspec.Struct):
    """An answer of a server: one choice, and perhaps its token counts."""

    choices: Annotated[list[Completion], Meta(min_length=1, max_length=1)]
    usage: Any = None


def decode_answer(raw: bytes) -> EndpointAnswer:
    """An answer from its JSON; of what strict JSON does not allow, lone surrogates are replaced, and NaN and
    Infinity are null.

    >>> decode_answer(b'{"choices": [{"message": {"content": "aunt \\\\ud83d"}}]}').choices[0].message.content
    'aunt �'
    """
    try:
        return msgspec.json.decode(raw, type=EndpointAnswer)
    except msgspec.DecodeError as error:
        try:
            text = json.dumps(json.loads(raw, parse_constant=lambda _: None), ensure_ascii=False)
        except ValueError:
            raise error from None
    return msgspec.json.decode(without_surrogates(text).encode(), type=EndpointAnswer)


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
