"""Waits, pace and budget: what must not happen is that more is spent, or asked sooner, than allowed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from proband.core.errors import ProbandError
from proband.models.remote.policy import Budget, Pace, Policy, read_prices, retry_after


def test_waits_grow_up_to_the_longest_and_are_functions_of_the_seed() -> None:
    policy = Policy(first_wait=1.0, longest_wait=10.0, seed=3)
    for attempt in range(8):
        wait = policy.wait(b"5", attempt)
        assert min(10.0, 2.0**attempt) / 2 <= wait < min(10.0, 2.0**attempt)
        assert wait == policy.wait(b"5", attempt)
    assert len({policy.wait(bytes([request]), 0) for request in range(20)}) == 20
    assert policy.wait(b"5", 0) != Policy(first_wait=1.0, longest_wait=10.0, seed=4).wait(b"5", 0)


def test_retry_after_is_seconds_or_a_date_and_never_negative() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30))
    assert 25 < retry_after({"retry-after": later}) <= 30
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=30))
    assert [retry_after({"retry-after": each}) for each in (past, "-3", "inf", "nan", "soon", "")] == [0.0] * 6


def test_the_pace_spreads_requests_evenly() -> None:
    pace = Pace(600)  # ten a second
    waits = [pace.wait() for _ in range(6)]
    assert waits[0] == 0.0
    assert waits[5] == pytest.approx(0.5, abs=0.05)
    assert [Pace(None).wait() for _ in range(3)] == [0.0] * 3


@pytest.mark.parametrize("at_a_time", [1, 3, 8])
def test_a_budget_is_never_exceeded(at_a_time: int) -> None:
    """Every request may cost 4; cheap answers do not make the next one cheap."""
    budget, under_way, made = Budget(10.5), 0, 0
    while True:
        while under_way < at_a_time and budget.reserve(4.0):
            under_way, made = under_way + 1, made + 1
        if not under_way:
            break
        under_way -= 1
        budget.settle(4.0, 0.5 if made % 3 else 4.0)
        assert budget.spent <= 10.5
    assert made > 1
    assert not budget.reserve(4.0)
    assert not Budget(3.0).reserve(4.0)


def test_prices_are_two_numbers() -> None:
    assert read_prices(None, "m") is None
    for wrong in ("1", "1,2,3", "a,b", "-1,2", "1,inf", "nan,1", ""):
        with pytest.raises(ProbandError, match="m: 'prices' are two numbers"):
            read_prices(wrong, "m")
