"""Requests to an HTTP endpoint that may misbehave: bounded in number, in time and in what they cost.

A request is tried again after a 408, 425, 429 or 5xx, a time-out, a broken connection or an answer that is not what was
asked for (no JSON, no or too many choices); the n-th wait is

    w_n = min(longest, first * 2^n) * (1 + u_n) / 2,      u_n uniform on [0, 1), a function of seed, request and n,

or what the server's Retry-After asks, if that is more, until `patience` is used up. What happens is said on standard
error: every retry with its reason, and a silence of 30 seconds. Any other refusal ends the run at once, in the server's
words.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from proband.core.errors import ProbandError, TooLong
from proband.core.progress import say, ticked

T = TypeVar("T")
AGAIN = frozenset({408, 425, 429, *range(500, 600)})
UNREACHABLE = 2  # retries where nobody listens
SILENCE = 30.0  # seconds without an answer after which it is said
WINDOW = re.compile(r"context.{0,3}(length|window|size)|maximum.{0,20}(tokens|length)|too (long|many tokens)", re.I)
LARGEST = 64 * 1024 * 1024  # bytes of one answer


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How hard to try. Times are in seconds."""

    concurrency: Annotated[int, Meta(description="requests at a time", ge=1)] = 8
    retries: Annotated[int, Meta(description="of one request", ge=0)] = 6
    timeout: Annotated[float, Meta(description="seconds for one request", gt=0)] = 120.0
    first_wait: Annotated[float, Meta(description="seconds before the first retry", ge=0)] = 1.0
    longest_wait: Annotated[float, Meta(description="seconds at most before a retry", ge=0)] = 60.0
    patience: Annotated[float, Meta(description="seconds for one request with all its retries", gt=0)] = 300.0
    seed: Annotated[int, Meta(description="of the waits and of each request")] = 0

    def wait(self, request: int, attempt: int) -> float:
        """w_n.

        >>> Policy(first_wait=1).wait(7, 3) == Policy(first_wait=1).wait(7, 3), 4 <= Policy().wait(7, 3) < 8
        (True, True)
        """
        u = random.Random(f"{self.seed}:{request}:{attempt}").random()
        return min(self.longest_wait, self.first_wait * 2.0**attempt) * (1 + u) / 2


class Refused(ProbandError):
    """The server will not do this, however often it is asked."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status, self.reason = status, message


class Unusable(Exception):
    """An answer that may be better next time."""

    def __init__(self, what: str, *, wait: float = 0.0, most: int | None = None) -> None:
        super().__init__(what)
        self.wait, self.most = wait, most  # most: as many retries at most


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


class Endpoint:
    """An OpenAI-compatible server: posts JSON, counts what it used."""

    def __init__(self, url: str, *, name: str, key: str | None, policy: Policy) -> None:
        self.url, self.name, self.policy = url, name, policy
        self._key = key
        self.needs_key = False  # where it is refused without one
        self.counts: Counter[str] = Counter()

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r})"  # without the key

    def map(
        self,
        ask: Callable[[Caller, int], Awaitable[T]],
        count: int,
        *,
        on_result: Callable[[int, T], None] | None = None,
    ) -> list[T]:
        """`ask(caller, i)` for i < count, so many at a time; `on_result(i, value)` as soon as each is there.

        Where one fails for good, or the user interrupts, the others are cancelled; what was reported stays reported.
        """
        return _finished(self._map(ask, count, on_result)) if count else []

    async def _map(
        self, ask: Callable[[Caller, int], Awaitable[T]], count: int, on_result: Callable[[int, T], None] | None
    ) -> list[T]:
        import httpx

        results: dict[int, T] = {}
        waiting = iter(range(count))

        async def work(caller: Caller) -> None:
            for i in waiting:  # shared: each number is taken by one worker
                caller.request = i
                results[i] = await ask(caller, i)
                if on_result is not None:
                    on_result(i, results[i])
                ticked(1 / count)

        if self.needs_key and not self._key:
            raise ProbandError(
                f"{self.name} is at the public service {self.url}, which needs a key: set OPENAI_API_KEY, "
                "or name another server with openai:MODEL@URL"
            )
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        secure = self.url.startswith("https:")  # reading the certificates takes longer than a local answer
        async with httpx.AsyncClient(timeout=None, headers=headers, verify=secure) as client:
            workers = [asyncio.ensure_future(work(Caller(self, client))) for _ in range(self.policy.concurrency)]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
        return [results[i] for i in range(count)]

    def clean(self, text: str) -> str:
        """The server's words in one line, without the key, which some servers repeat."""
        text = text.replace(self._key, "[key]") if self._key else text
        return " ".join(text.split())[:300]


class Caller:
    """One worker's way to the server. `request` numbers what it is working on, for the waits."""

    def __init__(self, endpoint: Endpoint, client: Any) -> None:
        self._endpoint, self._client, self.request = endpoint, client, 0
        self.name = endpoint.name

    async def _read(self, url: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content, which no server may make larger than LARGEST."""
        kind = {"Content-Type": "application/json"}
        async with self._client.stream("POST", url, content=sent(body), headers=kind) as response:
            content = bytearray()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > LARGEST:
                    raise Unusable(f"an answer of more than {LARGEST >> 20} MiB")
            return response.status_code, response.headers, bytes(content)

    async def post(self, path: str, body: Mapping[str, Any], read: Callable[[Completion], T]) -> T:
        """`read(choice)`, tried again while the server or `read` (by raising Unusable) say that it may get better."""
        endpoint, policy, attempt = self._endpoint, self._endpoint.policy, 0
        begun = time.monotonic()
        while True:
            try:
                return read(await self._once(path, body))
            except Unusable as failure:
                most = policy.retries if failure.most is None else min(failure.most, policy.retries)
                wait = max(failure.wait, policy.wait(self.request, attempt))
                spent = time.monotonic() - begun + wait > policy.patience
                if attempt >= most or spent or failure.wait > policy.longest_wait:
                    asked = f", and asks to wait {failure.wait:.0f} s" if failure.wait > policy.longest_wait else ""
                    raise ProbandError(f"{endpoint.name}: {failure}{asked} ({attempt + 1} attempts)") from None
                endpoint.counts["retries"] += 1
                say(f"{endpoint.name}: {failure}; attempt {attempt + 2} of {most + 1} in {wait:.1f} s")
                await asyncio.sleep(wait)
                attempt += 1

    async def _once(self, path: str, body: Mapping[str, Any]) -> Completion:
        import httpx

        endpoint = self._endpoint
        endpoint.counts["requests"] += 1
        try:
            async with asyncio.timeout(endpoint.policy.timeout), self._said_if_silent():
                status, headers, content = await self._read(endpoint.url + path, body)
        except TimeoutError:
            raise Unusable(f"no answer within {endpoint.policy.timeout:g} s") from None
        except httpx.ConnectError as error:
            raise Unusable(f"cannot connect: {endpoint.clean(str(error))}", most=UNREACHABLE) from None
        except httpx.TransportError as error:
            raise Unusable(f"the connection broke: {endpoint.clean(str(error)) or type(error).__name__}") from None
        except (httpx.InvalidURL, httpx.DecodingError, UnicodeError) as error:
            raise ProbandError(f"{endpoint.name}: {endpoint.clean(str(error))}") from None
        if status != 200:
            raise self._refusal(status, headers, content)
        return self._choice(content)

    @contextlib.asynccontextmanager
    async def _said_if_silent(self) -> AsyncIterator[None]:
        """Say when nothing has come for a while, and how long it will be waited for."""

        async def watch() -> None:
            for passed in itertools.count(1):
                await asyncio.sleep(SILENCE)
                most = self._endpoint.policy.timeout
                say(f"{self.name}: no answer for {passed * SILENCE:.0f} s, waiting up to {most:g} s")

        watcher = asyncio.ensure_future(watch())
        try:
            yield
        finally:
            watcher.cancel()

    def _choice(self, raw: bytes) -> Completion:
        """The one choice; tokens that the server reports are summed, answers without a report are counted."""
        counts = self._endpoint.counts
        try:
            answer = msgspec.json.decode(raw, type=Answer)
        except (msgspec.DecodeError, RecursionError) as error:
            shown = self._endpoint.clean(raw[:60].decode("utf-8", "replace"))
            raise Unusable(f"an answer that is not what was asked for: {error}: {shown!r}") from None
        try:
            counts.update(msgspec.structs.asdict(msgspec.convert(answer.usage, Usage)))
        except msgspec.ValidationError:
            counts["without_usage"] += 1
        return answer.choices[0]

    def _refusal(self, status: int, headers: Mapping[str, str], raw: bytes) -> Exception:
        message, code = _error(raw)
        text = self._endpoint.clean(f"{status}: {message}")
        if status in AGAIN and code != "insufficient_quota":
            return Unusable(text, wait=retry_after(headers))
        if status in (400, 413, 422) and (code == "context_length_exceeded" or WINDOW.search(message)):
            return TooLong(f"{self._endpoint.name}: {text}")
        return Refused(f"{self._endpoint.name}: {text}", status=status)


def sent(body: Mapping[str, Any]) -> bytes:
    """A request's body, byte for byte."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def _error(raw: bytes) -> tuple[str, str]:
    """(message, code) of an error body, whatever its shape."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return raw[:300].decode("utf-8", "replace"), ""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        return str(error.get("message") or error.get("detail") or error), str(error.get("code") or "")
    return str(error), ""


def retry_after(headers: Mapping[str, str]) -> float:
    """What Retry-After asks for: seconds, or a date.

    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after": "soon"}), retry_after({})
    (2.5, 0.0, 0.0)
    """
    text = headers.get("retry-after", "")
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return max(0.0, wait) if wait < float("inf") else 0.0


def _finished(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; beside a loop that runs already (a notebook), in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with contextlib.closing(asyncio.new_event_loop()) as loop, ThreadPoolExecutor(1) as beside:
        task = loop.create_task(work)
        try:
            return beside.submit(loop.run_until_complete, task).result()
        except BaseException:
            loop.call_soon_threadsafe(task.cancel)  # interrupted: what is under way ends too
            raise
