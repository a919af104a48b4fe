"""Limits of requests: concurrency, rate, retries, the waits between them, and cost.

The n-th wait is

    w_n = min(longest, first * 2^n) * (1 + u_n) / 2,      u_n uniform on [0, 1), a function of seed, request body and n,

or what the server's Retry-After header asks for, if that is longer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Annotated

from msgspec import Meta

from proband.core.errors import ProbandError


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits of requests. Times are in seconds."""

    concurrency: Annotated[int, Meta(description="concurrent requests", ge=1)] = 8
    retries: Annotated[int, Meta(description="further attempts after a request fails", ge=0)] = 6
    timeout: Annotated[float, Meta(description="seconds for one request", gt=0)] = 120.0
    first_wait: Annotated[float, Meta(description="seconds before the first retry", ge=0)] = 1.0
    longest_wait: Annotated[float, Meta(description="longest wait before a retry, in seconds", ge=0)] = 60.0
    patience: Annotated[float, Meta(description="seconds for one request with all its retries", gt=0)] = 300.0
    seed: Annotated[int, Meta(description="random seed of the waits")] = 0
    rpm: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="requests per minute at most (default: no limit)")
    ] = None
    max_cost: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="stop before the run has cost more than this, by `prices` (default: no limit)"),
    ] = None

    def wait(self, request: bytes, attempt: int) -> float:
        """The wait w_n before a retry.

        >>> Policy(first_wait=1).wait(b"", 3) == Policy(first_wait=1).wait(b"", 3), 4 <= Policy().wait(b"", 3) < 8
        (True, True)
        """
        u = random.Random(f"{self.seed}:{request!r}:{attempt}").random()
        return min(self.longest_wait, self.first_wait * 2.0**attempt) * (1 + u) / 2


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds that Retry-After asks for, given as seconds or a date.

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


class Pace:
    """When the next request may be sent: `rpm` of them a minute, evenly."""

    def __init__(self, rpm: float | None) -> None:
        self.gap, self.next = 60.0 / rpm if rpm else 0.0, 0.0

    def wait(self) -> float:
        """Seconds until the next request may be sent; reserves its turn."""
        now = time.monotonic()
        at = max(now, self.next)
        self.next = at + self.gap
        return at - now


class Budget:
    """The remaining budget. A pending request counts as the most that it may cost."""

    def __init__(self, most: float | None) -> None:
        self.most, self.spent = most, 0.0
        self.requests, self.reserved = 0, 0.0  # pending requests, and the cost reserved for them

    def reserve(self, at_most: float) -> bool:
        """Whether a request may be sent; its cost is then reserved."""
        if self.most is not None and self.spent + self.reserved + at_most > self.most:
            return False
        self.requests, self.reserved = self.requests + 1, self.reserved + at_most
        return True

    def settle(self, at_most: float, cost: float) -> None:
        self.requests -= 1
        self.reserved = self.reserved - at_most if self.requests else 0.0
        self.spent += cost


# ---- what tokens cost: prices per million, in and out --------------------------------------------------------------


@dataclass(frozen=True)
class Prices:
    """Per million tokens, in the user's currency."""

    into: float
    out: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """
        >>> Prices(0.15, 0.6).of(2_000_000, 500_000)
        0.6
        """
        return (prompt_tokens * self.into + completion_tokens * self.out) / 1e6


def read_prices(text: str | None, name: str) -> Prices | None:
    """`0.15,0.6`: in, out.

    >>> read_prices("0.15,0.6", "openai:m")
    Prices(into=0.15, out=0.6)
    """
    if text is None:
        return None
    try:
        into, out = map(float, text.split(","))
        if not (0 <= into < float("inf") and 0 <= out < float("inf")):
            raise ValueError
    except ValueError:
        raise ProbandError(f"{name}: 'prices' are two numbers: per million tokens in, per million out") from None
    return Prices(into, out)
