"""Rate limits in memory: so many requests at once, so many a second after that, for at most so many callers."""

from __future__ import annotations

from collections import OrderedDict


class Limit:
    """A leaky bucket per caller.

    >>> limit = Limit(burst=2, per_second=1.0)
    >>> [limit.allows("a", now) for now in (0.0, 0.0, 0.0, 1.0)], limit.allows("b", 0.0)
    ([True, True, False, True], True)
    """

    def __init__(self, *, burst: float, per_second: float, callers: int = 20_000) -> None:
        self.burst, self.per_second, self.callers = burst, per_second, callers
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, caller: str, now: float) -> bool:
        level, before = self._levels.pop(caller, (0.0, now))
        level = max(0.0, level - (now - before) * self.per_second)
        allowed = level + 1.0 <= self.burst
        self._levels[caller] = (level + 1.0 if allowed else level, now)
        if len(self._levels) > self.callers:
            self._levels.popitem(last=False)
        return allowed
