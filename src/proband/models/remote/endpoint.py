"""Requests to an HTTP endpoint that may misbehave: bounded in number, in time and in what they cost.

A request is tried again after a 408, 425, 429 or 5xx, a time-out, a broken connection or an answer that is not what was
asked for (no JSON, no or too many choices), with growing waits (`policy.py`), until `patience` is used up. Standard
error shows every retry with its reason, and a silence of 30 seconds. Any other refusal ends the run at once, in the
server's words.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from proband.core.errors import ProbandError, TooLong
from proband.core.progress import say, ticked
from proband.models.remote.messages import Answer, Completion, Usage, error_in, sent
from proband.models.remote.policy import Policy, retry_after
from proband.models.remote.workers import finished, work_through

T = TypeVar("T")
AGAIN = frozenset({408, 425, 429, *range(500, 600)})
UNREACHABLE = 2  # retries where nobody listens
SILENCE = 30.0  # seconds without an answer after which it is said
WINDOW = re.compile(r"context.{0,3}(length|window|size)|maximum.{0,20}(tokens|length)|too (long|many tokens)", re.I)
LARGEST = 64 * 1024 * 1024  # bytes of one answer


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


class Endpoint:
    """An OpenAI-compatible server: posts JSON, counts what it used."""

    def __init__(self, url: str, *, name: str, key: str | None, key_from: str, policy: Policy) -> None:
        self.url, self.name, self.policy = url, name, policy
        self._key, self._key_from = key, key_from  # the variables that it may come from
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
        return finished(self._map(ask, count, on_result)) if count else []

    async def _map(
        self, ask: Callable[[Caller, int], Awaitable[T]], count: int, on_result: Callable[[int, T], None] | None
    ) -> list[T]:
        import httpx

        results: dict[int, T] = {}

        async def one(caller: Caller, i: int) -> None:
            caller.request = i
            results[i] = await ask(caller, i)
            if on_result is not None:
                on_result(i, results[i])
            ticked(1 / count)

        if self.needs_key and not self._key:
            raise ProbandError(
                f"{self.name} is at the public service {self.url}, which needs a key: set {self._key_from}, "
                "or name another server with openai:MODEL@URL"
            )
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        secure = self.url.startswith("https:")  # reading the certificates takes longer than a local answer
        async with httpx.AsyncClient(timeout=None, headers=headers, verify=secure) as client:
            callers = (Caller(self, client) for _ in range(min(count, self.policy.concurrency)))
            await work_through(count, [partial(one, caller) for caller in callers])
        return [results[i] for i in range(count)]

    def hint(self, status: int) -> str:
        """What may help a refusal: a key, where none was sent."""
        return f" (no key was sent: set {self._key_from})" if status in (401, 403) and not self._key else ""

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
        message, code = error_in(raw)
        text = self._endpoint.clean(f"{status}: {message}")
        if status in AGAIN and code != "insufficient_quota" and "logprob" not in message.lower():
            return Unusable(text, wait=retry_after(headers))
        if status in (400, 413, 422) and (code == "context_length_exceeded" or WINDOW.search(message)):
            return TooLong(f"{self._endpoint.name}: {text}")
        return Refused(f"{self._endpoint.name}: {text}{self._endpoint.hint(status)}", status=status)
