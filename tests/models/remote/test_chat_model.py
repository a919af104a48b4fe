"""Remote models against a server that misbehaves in every way a server can."""

from __future__ import annotations

import asyncio
import math
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from proband.pipeline.cached_model import remembering

from proband.core.errors import ProbandError
from proband.core.protocols import Choice, Chooses, Generates, Question, Score, ScoresText, Text
from proband.models import load
from proband.models.remote.chat_model import ScoringRemote
from proband.models.remote.endpoint import retry_after

if TYPE_CHECKING:
    from tests.models.remote.stub_server import BROKEN, Stub, chat, options, right
else:
    sys.path.insert(0, str(Path(__file__).parent))
    from stub_server import BROKEN, Stub, chat, options, right

QUICK = {"first_wait": 0.005, "longest_wait": 0.5, "timeout": 20.0, "scores": False}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "PROBAND_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def model_at(stub: Stub, **settings: Any) -> Any:
    return load(f"openai:some/model@{stub.url}", {**QUICK, **settings})


def question(number: int, *, choices: int = 4) -> Question:
    """The right choice is in capitals, at a place that depends on the number."""
    names = [f"no {number} {i}" for i in range(choices)]
    names[number % choices] = f"YES {number}"
    return Question(f"Question {number}?", tuple(names))


def best(choice: Choice) -> int:
    return max(range(len(choice.scores)), key=choice.scores.__getitem__)


# ---- choosing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", [2, 3, 4, 22, 26])
def test_the_right_choice_is_found_wherever_it_stands(choices: int) -> None:
    asked = [question(i, choices=choices) for i in range(choices)]
    with Stub() as stub:
        model = model_at(stub)
        assert isinstance(model, Chooses)
        assert isinstance(model, Generates)
        said = model.choose(asked)
    assert [choice.scores for choice in said] == [
        tuple(float(i == number) for i in range(choices)) for number in range(choices)
    ]
    assert len(stub.bodies) == choices * min(choices, 4)
    for body in stub.bodies:
        assert len(options(body)) == choices


def test_a_model_that_always_says_a_has_no_preference_left() -> None:
    with Stub(lambda path, body: chat("A")) as stub:
        (choice,) = model_at(stub).choose([question(0)])
        (all_turns,) = model_at(stub, permutations=22).choose([question(0, choices=22)])
    assert choice.scores == (0.25,) * 4
    assert all_turns.scores == pytest.approx((1 / 22,) * 22)


def test_unreadable_replies_are_counted_and_do_not_crash() -> None:
    replies: Iterator[str | None] = iter(["no idea", None, "B", "<think>A or B? I would"])
    with Stub(lambda path, body: chat(next(replies))) as stub:
        model = model_at(stub, concurrency=1)
        (choice,) = model.choose([question(0)])
    assert choice.scores == (0.0, 0.0, 0.0, 0.25)  # B under a shift by two is choice 3
    assert model.usage()["unparsed"] == 3


def test_too_many_choices_are_refused_before_anything_is_spent() -> None:
    with Stub() as stub:
        with pytest.raises(ProbandError, match="27 choices"):
            model_at(stub).choose([question(0), question(1, choices=27)])
        assert not stub.bodies


def with_logprobs(tokens: dict[str, float], *, first: str = "A") -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """A model with fixed log-probabilities of its first token."""

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        assert body["logprobs"] is True
        top = [{"token": token, "logprob": math.log(p)} for token, p in tokens.items()]
        content = [{"token": "\n", "logprob": -0.1, "top_logprobs": []}, {"token": first, "top_logprobs": top}]
        return chat(first, logprobs={"content": content})

    return reply


def test_log_probabilities_of_the_letters() -> None:
    tokens = {"A": 0.5, " A": 0.1, "b": 0.05, "B": 0.2, "The": 0.1, "C": 0.04}
    with Stub(with_logprobs(tokens)) as stub:
        (choice,) = model_at(stub).choose([question(0)])
        (turned,) = model_at(stub, permutations=4).choose([question(0)])
    filled = [0.6, 0.2, 0.04, 0.01]  # of D at most 1 - .99 is left
    assert choice.scores == pytest.approx([math.log(p / sum(filled)) for p in filled])
    assert len(stub.bodies) == 1 + 4
    assert turned.scores == pytest.approx([turned.scores[0]] * 4)  # the same preference for every place cancels out
    assert sum(map(math.exp, choice.scores)) == pytest.approx(1)


@pytest.mark.parametrize("first", ["The", ""])
def test_log_probabilities_that_tell_nothing_leave_the_letter(first: str) -> None:
    with Stub(with_logprobs({"The": 0.9, "A": 0.1}, first=first)) as stub:
        model = model_at(stub)
        (choice,) = model.choose([question(0)])
    assert choice.scores == (0.0,) * 4
    assert model.usage()["unparsed"] == 4


@pytest.mark.parametrize("junk", [5, "x", [], {}, {"content": 7}, {"content": [7]}, {"content": [{"token": "A"}]}])
def test_malformed_log_probabilities_leave_the_letter(junk: Any) -> None:
    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = right(path, body)
        answer["choices"][0]["logprobs"] = junk
        return answer

    with Stub(reply) as stub:
        assert best(model_at(stub).choose([question(3)])[0]) == 3


def test_the_server_may_refuse_log_probabilities_or_most_of_them() -> None:
    def five_at_most(path: str, body: dict[str, Any], n: int) -> str | None:
        return "400 top_logprobs must be at most 5" if body.get("top_logprobs", 0) > 5 else None

    with Stub(with_logprobs({"A": 0.9, "B": 0.05}), five_at_most) as stub:
        model_at(stub, concurrency=1).choose([question(0), question(1)])
        assert [body["top_logprobs"] for body in stub.bodies] == [20, 5, 5]
    with Stub(right, lambda path, body, n: "400 logprobs: not supported" if "logprobs" in body else None) as stub:
        said = model_at(stub, concurrency=1).choose([question(1), question(2)])
        assert [best(choice) for choice in said] == [1, 2]
        assert len(stub.bodies) == 2 + 4 + 4
    with Stub() as stub:
        model_at(stub, logprobs=False).choose([question(0)])
        assert all("logprobs" not in body for body in stub.bodies)


def test_fields_that_newer_models_refuse() -> None:
    def picky(path: str, body: dict[str, Any], n: int) -> str | None:
        if "max_tokens" in body:
            return "400 Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        if "temperature" in body:
            return "400 Unsupported value: 'temperature' does not support 0"
        return "422 extra field seed" if "seed" in body else None

    with Stub(right, picky) as stub:
        model = model_at(stub, max_tokens=2000)
        assert [best(choice) for choice in model.choose([question(i) for i in range(12)])] == [i % 4 for i in range(12)]
        assert stub.bodies[-1]["max_completion_tokens"] == 2000
    assert model.usage()["without_seed"] == model.usage()["without_temperature"] == 1


# ---- trouble -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", BROKEN)
def test_trouble_that_passes_is_waited_out(trouble: str) -> None:
    asked = [question(i) for i in range(4)]
    reported: list[int] = []
    with Stub(right, lambda path, body, n: trouble if n == 0 else None) as stub:
        model = model_at(stub, permutations=2, concurrency=4, timeout=1.0 if trouble == "hang" else 20.0)
        said = model.choose(asked, on_result=lambda i, choice: reported.append(i))
    assert [best(choice) for choice in said] == [0, 1, 2, 3]
    assert sorted(reported) == [0, 1, 2, 3]
    assert len(stub.bodies) == 16
    assert model.usage()["retries"] == 8
    assert stub.served == 8


@pytest.mark.parametrize("trouble", BROKEN)
def test_trouble_that_stays_ends_in_one_line_after_so_many_attempts(trouble: str) -> None:
    began = time.monotonic()
    with Stub(right, lambda path, body, n: trouble) as stub:
        model = model_at(stub, retries=2, timeout=0.5 if trouble == "hang" else 20.0)
        with pytest.raises(ProbandError, match=r"some/model@.*\(3 attempts\)") as error:
            model.choose([question(0)])
        assert len(stub.bodies) == 3
    assert "\n" not in str(error.value)
    assert time.monotonic() - began < 15


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
        model_at(stub, retries=1, timeout=0.3).choose([question(0)])
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "refusal", ["400 bad request", "401 wrong key", "403 forbidden", "404 no such model", "413 too long", "301 moved"]
)
def test_other_refusals_end_the_run_at_once_in_the_servers_words(refusal: str) -> None:
    with Stub(right, lambda path, body, n: refusal) as stub:
        with pytest.raises(ProbandError) as error:
            model_at(stub, concurrency=1).choose([question(0), question(1)])
        assert len(stub.bodies) == 1
    status, _, message = refusal.partition(" ")
    assert str(error.value).endswith(f"{status}: {message}")


def test_an_empty_account_is_not_asked_again() -> None:
    class Empty(Stub):
        def misbehave(self, request: Any, path: str, body: Any, trouble: str | None) -> None:
            self.send(request, 429, b'{"error": {"message": "no credit left", "code": "insufficient_quota"}}')

    with Empty() as stub:
        with pytest.raises(ProbandError, match="429: no credit left"):
            model_at(stub).choose([question(0)])
        assert len(stub.bodies) == 1


def test_nobody_listens() -> None:
    with Stub() as stub:
        url = stub.url
    with pytest.raises(ProbandError, match=r"cannot connect.*\(3 attempts\)"):
        load(f"openai:m@{url}", QUICK).choose([question(0)])


def test_retry_after_is_honoured() -> None:
    with Stub(right, lambda path, body, n: "429" if n == 0 else None) as stub:
        stub.retry_after = "0.3"
        model_at(stub, permutations=1).choose([question(0)])
        assert stub.times[1] - stub.times[0] >= 0.3
    with Stub(right, lambda path, body, n: "429") as stub:
        stub.retry_after = "3600"
        with pytest.raises(ProbandError, match=r"asks to wait 3600 s \(1 attempts\)"):
            model_at(stub).choose([question(0)])


def test_retry_after_may_be_a_date() -> None:
    from email.utils import formatdate

    assert 50 < retry_after({"retry-after": formatdate(time.time() + 60)}) <= 60
    assert retry_after({"retry-after": formatdate(time.time() - 60)}) == 0
    assert retry_after({"retry-after": "nan"}) == retry_after({"retry-after": "inf"}) == 0


def test_chaos() -> None:
    """Forty questions through random trouble: every answer right, each reported once, nothing unbounded."""
    asked = [question(i, choices=2 + i % 21) for i in range(40)]
    reported: list[tuple[int, Choice]] = []

    def trouble(path: str, body: dict[str, Any], n: int) -> str | None:
        rng = random.Random(f"{body['messages']}{n}")
        return rng.choice([each for each in BROKEN if each != "hang"]) if n < 4 and rng.random() < 0.4 else None

    with Stub(right, trouble) as stub:
        model = model_at(stub)
        said = model.choose(asked, on_result=lambda i, choice: reported.append((i, choice)))
    assert [best(choice) for choice in said] == [i % (2 + i % 21) for i in range(40)]
    assert sorted(i for i, _ in reported) == list(range(40))
    assert all(said[i] == choice for i, choice in reported)
    assert stub.served == sum(min(4, 2 + i % 21) for i in range(40))  # no question was answered twice


# ---- limits, costs, keys -------------------------------------------------------------------------------------------


def test_no_more_requests_at_once_than_allowed() -> None:
    def slow(path: str, body: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.03)
        return right(path, body)

    with Stub(slow) as stub:
        model_at(stub, concurrency=3, permutations=1).choose([question(i) for i in range(20)])
        assert stub.most_in_flight == 3


def test_tokens_and_cost_are_summed() -> None:
    with Stub(right, lambda path, body, n: "no usage" if "Question 1?" in str(body) else None) as stub:
        model = model_at(stub, permutations=1, prices="3,15")
        model.choose([question(i) for i in range(5)])
    used = model.usage()
    assert (used["requests"], used["without_usage"]) == (5, 1)
    assert (used["prompt_tokens"], used["completion_tokens"]) == (40, 8)
    assert used["cost"] == pytest.approx((40 * 3 + 8 * 15) / 1e6)
    assert "cost" not in model_at(stub).usage()


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general")
    with Stub(right, lambda path, body, n: "401 Incorrect API key provided: sk-special") as stub:
        model_at(stub)
        monkeypatch.setenv("PROBAND_API_KEY", "sk-special")
        model = model_at(stub)
        with pytest.raises(ProbandError) as error:
            model.choose([question(0)])
        assert stub.headers[0]["Authorization"] == "Bearer sk-special"
    assert "sk-special" not in str(error.value)
    assert "sk-special" not in str(model.identity()) + repr(model) + repr(model._endpoint) + str(model.usage())
    monkeypatch.delenv("PROBAND_API_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    with Stub() as stub:
        model_at(stub).choose([question(0)])
        assert "Authorization" not in stub.headers[0]


def test_identity_holds_what_decides_the_answers() -> None:
    settings: list[dict[str, Any]] = [{}, {"max_tokens": 9}, {"temperature": 0.5}, {"permutations": 2}, {"seed": 1}]
    settings += [{"logprobs": False}, {"system": "Be brief."}, {"extra": {"top_k": 1}}]
    with Stub() as stub:
        seen = [dict(model_at(stub, **each).identity()) for each in settings]
        seen.append(dict(load(f"openai:other@{stub.url}", QUICK).identity()))
        assert model_at(stub, retries=1, concurrency=2, timeout=9).identity() == seen[0]
    assert all(seen[i] != seen[j] for i in range(len(seen)) for j in range(i))
    assert all(isinstance(value, str) for each in seen for value in each.values())


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        ("openai:model", {}, "openai:MODEL@BASE_URL"),
        ("openai:@http://x", {}, "openai:MODEL@BASE_URL"),
        ("openai:m@http://user:secret@host/v1", {}, "openai:MODEL@BASE_URL"),
        (
            "openai:m@http://x",
            {"concurency": 2},
            "openai: has no option 'concurency'; it has concurrency, extra,",
        ),
        ("openai:m@http://x", {"concurrency": 0}, "'concurrency' is 0; it must be a whole number, at least 1"),
        ("openai:m@http://x", {"timeout": "long"}, "'timeout' is 'long'; it must be a number"),
        ("openai:m@http://x", {"prices": "3"}, "'prices' are two numbers"),
    ],
)
def test_wrong_names_and_settings_are_one_line(spec: str, settings: Any, message: str) -> None:
    with pytest.raises(ProbandError) as error:
        load(spec, {"scores": False, **settings})
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_settings_may_come_as_text_from_a_command_line() -> None:
    given = {"max_tokens": "9", "temperature": "0.5", "logprobs": "no", "extra": '{"top_k": 1}', "prices": "3,15"}
    meant = {"max_tokens": 9, "temperature": 0.5, "logprobs": False, "extra": {"top_k": 1}, "prices": "3,15"}
    with Stub() as stub:
        assert model_at(stub, scores="false", **given).identity() == model_at(stub, **meant).identity()
        model_at(stub, **given).choose([question(0)])
    assert {"max_tokens": 9, "temperature": 0.5, "top_k": 1}.items() <= stub.bodies[0].items()


# ---- interruption --------------------------------------------------------------------------------------------------


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
        model = model_at(stub, concurrency=4, permutations=1)
        with pytest.raises(KeyboardInterrupt):
            remembering(model, tmp_path).choose(asked)
        first = len(stub.bodies)
        assert 17 <= first < 30
        said = remembering(model_at(stub, permutations=1), tmp_path).choose(asked)
        again = [name for name, times in stub.seen.items() if times > 1]
    assert [best(choice) for choice in said] == [i % 4 for i in range(30)]
    assert len(again) <= 4  # what was in flight
    assert len(stub.bodies) <= 30 + 4


def test_a_failure_leaves_what_was_reported() -> None:
    reported: dict[int, Choice] = {}
    stub = Stub(right, lambda path, body, n: "400 no" if "Question 5?" in str(body) else None)
    with stub, pytest.raises(ProbandError, match="400: no"):
        model_at(stub, concurrency=1).choose([question(i) for i in range(9)], on_result=reported.__setitem__)
    assert [best(choice) for choice in reported.values()] == [0, 1, 2, 3, 0]


def test_beside_a_running_loop() -> None:
    async def notebook() -> list[Choice]:
        said: list[Choice] = model.choose([question(2)])
        with pytest.raises(ProbandError, match="400: no"):
            model.generate(["fail"], max_tokens=1, temperature=0, seed=0)
        return said

    with Stub(right, lambda path, body, n: "400 no" if "fail" in str(body) else None) as stub:
        model = model_at(stub)
        assert best(asyncio.run(notebook())[0]) == 2


# ---- generating and scoring ----------------------------------------------------------------------------------------


def test_generating() -> None:
    def echo(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return chat(f"{body['messages'][-1]['content']}|{body['max_tokens']}|{body['seed']}|{body.get('stop')}")

    reported: list[int] = []
    with Stub(echo, lambda path, body, n: "503" if n == 0 else None) as stub:
        model = model_at(stub, system="Be brief.")
        said = model.generate(
            ["a", "b"], max_tokens=7, temperature=0.5, seed=3, stop=["\n"], on_result=lambda i, _: reported.append(i)
        )
        assert model.generate(["c"], max_tokens=7, temperature=0, seed=4) == ["c|7|4|None"]
    assert said == ["a|7|3|['\\n']", "b|7|3|['\\n']"]
    assert sorted(reported) == [0, 1]
    assert stub.bodies[0]["messages"][0] == {"role": "system", "content": "Be brief."}


def token_cost(token: str) -> float:
    return -float(sum(token.encode()) % 17 + 1)


def pieces(text: str) -> list[str]:
    """Words with the space before them, as most tokenizers cut."""
    return [piece for piece in text.replace(" ", "\0 ").split("\0") if piece]


def echoing(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A server with log-probabilities: each token costs what its bytes say; one more token is generated."""
    assert path == "/completions"
    tokens = [*pieces(body["prompt"]), " more"]
    values = [None, *(token_cost(token) for token in tokens[1:])]
    offsets = [sum(map(len, tokens[:i])) for i in range(len(tokens))]
    logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": offsets}
    return {"choices": [{"text": "".join(tokens), "logprobs": logprobs}]}


def test_scoring_a_text_by_its_echo() -> None:
    texts = [Text("Paris is to France"), Text("Paris is to France", 9), Text("Paris is to France", 8)]
    texts += [Text("naïve straße 東京 x"), Text("Paris is to  France", 13)]
    reported: dict[int, Score] = {}
    with Stub(echoing, lambda path, body, n: "500" if n == 0 else None) as stub:
        model = model_at(stub, scores=None)
        assert isinstance(model, ScoresText)
        assert isinstance(model, ScoringRemote)
        scores = model.score(texts, method=model.methods[0], on_result=reported.__setitem__)
    assert scores[0] == Score(token_cost(" is") + token_cost(" to") + token_cost(" France"), 3, 3)
    assert scores[1] == Score(token_cost(" to") + token_cost(" France"), 2, 2)  # " to" begins with its t
    assert scores[2] == scores[1]
    assert scores[3] == Score(token_cost(" straße") + token_cost(" 東京") + token_cost(" x"), 3, 3)
    assert scores[4] == Score(token_cost(" France"), 1, 1)  # not the space that is a token of its own
    assert [reported[i] for i in range(5)] == scores


def test_a_start_token_is_not_part_of_the_text() -> None:
    def with_start(path: str, body: dict[str, Any]) -> dict[str, Any]:
        tokens = ["<s>", *pieces(body["prompt"]), " more"]
        values = [None, *(token_cost(token) for token in tokens[1:])]
        return {"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": values}}]}

    with Stub(with_start) as stub:
        (score,) = model_at(stub, scores=True).score([Text("Paris is")])
    assert score == Score(token_cost("Paris") + token_cost(" is"), 2, 2)


def ignoring_echo(path: str, body: dict[str, Any]) -> dict[str, Any]:
    logprobs = {"tokens": [" more"], "token_logprobs": [-0.5], "text_offset": [0]}
    return {"choices": [{"text": " more", "logprobs": logprobs}]}


def without_logprobs(path: str, body: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"text": body["prompt"], "logprobs": None}]}


@pytest.mark.parametrize("reply", [ignoring_echo, without_logprobs])
def test_a_server_without_them_is_not_one_that_scores_text(reply: Any) -> None:
    with Stub(reply) as stub:
        assert not isinstance(model_at(stub, scores=None), ScoresText)
        with pytest.raises(ProbandError, match=r"some/model@.*log-probabilities"):
            model_at(stub, scores=True).score([Text("Paris is")])


@pytest.mark.parametrize("refusal", ["400 echo is not supported", "404 no such path", "405 no"])
def test_a_server_that_refuses_echo_is_not_one_that_scores_text(refusal: str) -> None:
    with Stub(right, lambda path, body, n: refusal if path == "/completions" else None) as stub:
        model = model_at(stub, scores=None)
        assert not isinstance(model, ScoresText)
        assert best(model.choose([question(1)])[0]) == 1


def test_a_wrong_key_is_told_when_the_model_is_loaded() -> None:
    with (
        Stub(right, lambda path, body, n: "401 wrong key") as stub,
        pytest.raises(ProbandError, match="401: wrong key"),
    ):
        model_at(stub, scores=None)
