"""Requests to a server that misbehaves in every way a server can: retries, limits, interruption."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Answer
from proband.models import load
from proband.models.remote.policy import retry_after
from proband.pipeline.asking.model_calls import Cached

if TYPE_CHECKING:
    from tests.models.remote.stub_server import (
        BROKEN,
        QUICK,
        Stub,
        best,
        chat,
        choose,
        in_letters,
        model_at,
        question,
        right,
    )
else:
    from stub_server import BROKEN, QUICK, Stub, best, chat, choose, in_letters, model_at, question, right


HOW: dict[str, Any] = {"max_tokens": 9, "temperature": 0.0, "seed": 0}


@pytest.mark.parametrize("trouble", BROKEN)
def test_trouble_that_passes_is_waited_out(trouble: str) -> None:
    asked = [question(i) for i in range(4)]
    with Stub(right, lambda path, body, n: trouble if n == 0 else None) as stub:
        model = model_at(stub, concurrency=4, timeout=2.0 if trouble == "hang" else 20.0)
        said = choose(model, asked, permutations=2)
    assert [best(choice) for choice in said] == [0, 1, 2, 3]
    assert len(stub.bodies) == model.usage()["retries"] + 8
    assert model.usage()["retries"] == 8 or (trouble == "hang" and model.usage()["retries"] > 8)  # on a slow machine
    assert stub.served >= 8


@pytest.mark.parametrize("trouble", BROKEN)
def test_trouble_that_stays_ends_in_one_line_after_so_many_attempts(trouble: str) -> None:
    began = time.monotonic()
    with Stub(right, lambda path, body, n: trouble) as stub:
        model = model_at(stub, retries=2, timeout=0.5 if trouble == "hang" else 20.0)
        with pytest.raises(ProbandError, match=r"some/model@.*\(3 attempts\)") as error:
            choose(model, [question(0)])
        assert len(stub.bodies) == 3
    assert "\n" not in str(error.value)
    assert time.monotonic() - began < 60


def test_a_server_that_drips_bytes_is_a_time_out() -> None:
    def drip(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return chat("A" * 200_000)

    class Dripping(Stub):
        def send(self, request: Any, status: int, raw: bytes, *, kind: str = "application/json") -> None:
            request.send_response(status)
            request.send_header("Content-Length", str(len(raw)))
            request.end_headers()
            for byte in raw:
                if self.closing.is_set():
                    break
                request.wfile.write(bytes([byte]))
                request.wfile.flush()
                time.sleep(0.02)

    began = time.monotonic()
    with Dripping(drip) as stub, pytest.raises(ProbandError, match=r"no answer within 0.3 s \(2 attempts\)"):
        choose(model_at(stub, retries=1, timeout=0.3), [question(0)])
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "refusal", ["400 bad request", "401 wrong key", "403 forbidden", "404 no such model", "413 too long", "301 moved"]
)
def test_other_refusals_end_the_run_at_once_in_the_servers_words(refusal: str) -> None:
    with Stub(right, lambda path, body, n: refusal) as stub:
        with pytest.raises(ProbandError) as error:
            choose(model_at(stub, concurrency=1), [question(0), question(1)])
        assert len(stub.bodies) == 1
    status, _, message = refusal.partition(" ")
    assert f": {status}: {message}" in str(error.value)


def test_an_empty_account_is_not_asked_again() -> None:
    class Empty(Stub):
        def misbehave(self, request: Any, path: str, body: Any, trouble: str | None) -> None:
            self.send(request, 429, b'{"error": {"message": "no credit left", "code": "insufficient_quota"}}')

    with Empty() as stub:
        with pytest.raises(ProbandError, match="429: no credit left"):
            choose(model_at(stub), [question(0)])
        assert len(stub.bodies) == 1


def test_bytes_that_are_no_text_are_tried_again() -> None:
    class Broken(Stub):
        def send(self, request: Any, status: int, raw: bytes, **more: Any) -> None:
            super().send(request, status, raw.replace(b"Hi", b"\xff" if len(self.bodies) < 2 else b"Hi"), **more)

    with Broken(lambda path, body: chat("Hi")) as stub:
        assert model_at(stub).chat([(("user", "?"),)], **HOW) == ["Hi"]
    assert len(stub.bodies) == 2


def test_a_proxy_that_needs_a_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(ProbandError, match="socksio"):
        load("openai:m@http://127.0.0.1:9/v1", QUICK).chat([(("user", "?"),)], **HOW)


def test_nobody_listens() -> None:
    with Stub() as stub:
        url = stub.url
    with pytest.raises(ProbandError, match=r"cannot connect.*\(3 attempts\)"):
        choose(load(f"openai:m@{url}", QUICK), [question(0)])


def test_retry_after_is_honoured() -> None:
    with Stub(right, lambda path, body, n: "429" if n == 0 else None) as stub:
        stub.retry_after = "0.3"
        choose(model_at(stub), [question(0)], permutations=1)
        assert stub.times[1] - stub.times[0] >= 0.3
    with Stub(right, lambda path, body, n: "429") as stub:
        stub.retry_after = "3600"
        with pytest.raises(ProbandError, match=r"asks to wait 3600 s \(1 attempts\)"):
            choose(model_at(stub), [question(0)])


def test_retry_after_may_be_a_date() -> None:
    from email.utils import formatdate

    assert 50 < retry_after({"retry-after": formatdate(time.time() + 60)}) <= 60
    assert retry_after({"retry-after": formatdate(time.time() - 60)}) == 0
    assert retry_after({"retry-after": "nan"}) == retry_after({"retry-after": "inf"}) == 0


def test_chaos() -> None:
    """Forty questions through random trouble: every answer right, each reported once, nothing unbounded."""
    chats = [in_letters(question(i, choices=2 + i % 21)) for i in range(40)]
    reported: list[tuple[int, str]] = []

    def trouble(path: str, body: dict[str, Any], n: int) -> str | None:
        rng = random.Random(f"{body['messages']}{n}")
        return rng.choice([each for each in BROKEN if each != "hang"]) if n < 4 and rng.random() < 0.4 else None

    with Stub(right, trouble) as stub:
        model = model_at(stub)
        said = model.chat(chats, **HOW, on_result=lambda i, reply: reported.append((i, reply)))
    assert said == [ascii_uppercase[i % (2 + i % 21)] for i in range(40)]
    assert sorted(i for i, _ in reported) == list(range(40))
    assert all(said[i] == reply for i, reply in reported)
    assert stub.served == 40  # no question was answered twice


def test_no_more_requests_at_once_than_allowed() -> None:
    def slow(path: str, body: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.03)
        return right(path, body)

    with Stub(slow) as stub:
        choose(model_at(stub, concurrency=3), [question(i) for i in range(20)], permutations=1)
        assert stub.most_in_flight == 3


# ---- interruption --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    """Ctrl-C in the middle, then the same again: no answer that was written down is asked for twice."""
    asked = [question(i) for i in range(30)]
    hit = threading.Event()

    def interrupting(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if "Question 17?" in str(body) and not hit.is_set():
            hit.set()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return right(path, body)

    with Stub(interrupting) as stub:
        with pytest.raises(KeyboardInterrupt):
            choose(Cached(model_at(stub, concurrency=4), tmp_path).wrapped(), asked, permutations=1)
        assert 17 <= len(stub.bodies) < 30
        said = choose(Cached(model_at(stub), tmp_path).wrapped(), asked, permutations=1)
        again = [name for name, times in stub.seen.items() if times > 1]
    assert [best(choice) for choice in said] == [i % 4 for i in range(30)]
    assert len(again) <= 4  # what was in flight
    assert len(stub.bodies) <= 30 + 4


def test_a_failure_leaves_what_was_reported() -> None:
    reported: dict[int, str] = {}
    stub = Stub(right, lambda path, body, n: "400 no" if "Question 5?" in str(body) else None)
    with stub, pytest.raises(ProbandError, match="400: no"):
        chats = [in_letters(question(i)) for i in range(9)]
        model_at(stub, concurrency=1).chat(chats, **HOW, on_result=reported.__setitem__)
    assert list(reported.values()) == ["A", "B", "C", "D", "A"]


def test_beside_a_running_loop() -> None:
    async def notebook() -> list[Answer]:
        said = choose(model, [question(2)])
        with pytest.raises(ProbandError, match="400: no"):
            model.generate(["fail"], max_tokens=1, temperature=0, seed=0)
        return said

    with Stub(right, lambda path, body, n: "400 no" if "fail" in str(body) else None) as stub:
        model = model_at(stub)
        with ThreadPoolExecutor(1) as fresh:  # a browser of another test may have left its loop in this thread
            assert best(fresh.submit(asyncio.run, notebook()).result()[0]) == 2


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband.models.remote.endpoint.LARGEST", 20)
    with Stub(right) as stub, pytest.raises(ProbandError, match="an answer of more than 0 MiB"):
        choose(model_at(stub, retries=1), [question(0)])
