"""How hard to try: requests at a time, retries, and the waits between them.

The n-th wait is

    w_n = min(longest, first * 2^n) * (1 + u_n) / 2,      u_n uniform on [0, 1), a function of seed, request and n,

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


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How hard to try. Times are in seconds."""

    concurrency: Annotated[int, Meta(description="concurrent requests", ge=1)] = 8
    retries: Annotated[int, Meta(description="further attempts after a request fails", ge=0)] = 6
    timeout: Annotated[float, Meta(description="seconds for one request", gt=0)] = 120.0
    first_wait: Annotated[float, Meta(description="seconds before the first retry", ge=0)] = 1.0
    longest_wait: Annotated[float, Meta(description="longest wait before a retry, in seconds", ge=0)] = 60.0
    patience: Annotated[float, Meta(description="seconds for one request with all its retries", gt=0)] = 300.0
    seed: Annotated[int, Meta(description="random seed of the waits and of each request")] = 0

    def wait(self, request: int, attempt: int) -> float:
        """w_n.

        >>> Policy(first_wait=1).wait(7, 3) == Policy(first_wait=1).wait(7, 3), 4 <= Policy().wait(7, 3) < 8
        (True, True)
        """
        u = random.Random(f"{self.seed}:{request}:{attempt}").random()
        return min(self.longest_wait, self.first_wait * 2.0**attempt) * (1 + u) / 2


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
