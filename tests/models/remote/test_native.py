"""Anthropic and Gemini by their own protocols: a local server gives bodies as their documentation has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ModelFailed, ProbandError, TooLong, Unavailable, Withheld
from proband.core.protocols import Chats, Replies, ScoresText
from proband.models import load

if TYPE_CHECKING:
    from tests.models.remote.stub_server import QUICK, Stub
else:
    from stub_server import QUICK, Stub

CHAT = (("system", "Be brief."), ("user", "Hi"), ("assistant", "Yes?"), ("user", "Who is Ann?"))
SETTINGS: dict[str, Any] = {"max_tokens": 50, "temperature": 0.0, "seed": 3}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Ann is ... the aunt?", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "An "},
        {"type": "text", "text": "aunt."},
    ],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": None,
        "output_tokens": 7,
    },
}
GEMINI = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "Ann is ...", "thought": True}, {"text": "An aunt."}]},
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 15,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 4,
        "totalTokenCount": 22,
    },
    "modelVersion": "m",
}
GOOD: Mapping[str, dict[str, Any]] = {"anthropic": ANTHROPIC, "gemini": GEMINI}
KINDS = tuple(GOOD)


class Recorded(Stub):
    """Gives one recorded answer after the other, the last one again and again: (status, body)."""

    def __enter__(self) -> Recorded:
        super().__enter__()
        return self

    def __init__(self, *answers: tuple[int, Any]) -> None:
        super().__init__()
        self.answers, self.paths = list(answers), list[str]()

    def misbehave(self, request: BaseHTTPRequestHandler, path: str, body: dict[str, Any], trouble: str | None) -> None:
        self.paths.append(path)
        status, answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.send(request, status, json.dumps(answer).encode())


def model_at(kind: str, stub: Stub, **settings: Any) -> Any:
    return load(f"{kind}:some-model@{stub.url}", {**QUICK, **settings})


def error(kind: str, message: str, status: int) -> dict[str, Any]:
    if kind == "anthropic":
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}


# ---- what must not happen --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_log_probabilities_are_refused_before_anything_is_asked(kind: str) -> None:
    with Recorded((200, GOOD[kind])) as stub:
        model = model_at(kind, stub)
        assert isinstance(model, Chats)
        assert not isinstance(model, Replies)
        assert not isinstance(model, ScoresText)
        with pytest.raises(ProbandError, match="gives no log-probabilities of texts"):
            model_at(kind, stub, scores=True)
        assert not stub.bodies


@pytest.mark.parametrize(("kind", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")])
def test_a_key_goes_to_its_own_service_alone(kind: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ProbandError, match=f"needs a key: set {variable}"):
        load(f"{kind}:some-model", QUICK)
    monkeypatch.setenv(variable, "sk-secret")
    with Recorded((200, GOOD[kind])) as stub:
        model_at(kind, stub).chat([CHAT], **SETTINGS)
        assert "sk-secret" not in str(stub.headers)
        monkeypatch.setenv("PROBAND_API_KEY", "own")
        model = model_at(kind, stub)
        model.chat([CHAT], **SETTINGS)
    assert "own" in stub.headers[-1].values()
    assert "own" not in str(dict(model.identity()))
    assert "Authorization" not in stub.headers[-1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "message", ["API key not valid. Please pass a valid API key.", "Your credit balance is too low"]
)
def test_an_account_that_cannot_pay_ends_the_run(kind: str, message: str) -> None:
    with Recorded((400, error(kind, message, 400))) as stub, pytest.raises(Unavailable, match=message[:12]):
        model_at(kind, stub).chat([CHAT], **SETTINGS)
    assert len(stub.bodies) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", [{}, {"content": "text"}, {"candidates": [], "usageMetadata": {}}, []])
def test_an_answer_of_another_form_is_tried_again_and_then_fails(kind: str, answer: Any) -> None:
    with (
        Recorded((200, answer)) as stub,
        pytest.raises(ModelFailed, match=r"an unexpected response.*\(3 attempts\)"),
    ):
        model_at(kind, stub, retries=2).chat([CHAT], **SETTINGS)
    assert len(stub.bodies) == 3


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("anthropic", {**ANTHROPIC, "content": [], "stop_reason": "refusal"}),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}),
        ("gemini", {**GEMINI, "candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}),
    ],
)
def test_what_is_withheld_is_no_reply(kind: str, answer: dict[str, Any]) -> None:
    with Recorded((200, answer)) as stub, pytest.raises(Withheld):
        model_at(kind, stub).chat([CHAT], **SETTINGS)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum"),
        ("gemini", "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
)
def test_a_prompt_beyond_the_window_is_too_long(kind: str, message: str) -> None:
    with Recorded((400, error(kind, message, 400))) as stub, pytest.raises(TooLong):
        model_at(kind, stub).chat([CHAT], **SETTINGS)


# ---- what must -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_thoughts_are_no_part_of_a_reply_and_their_tokens_count(kind: str) -> None:
    with Recorded((200, GOOD[kind])) as stub:
        model = model_at(kind, stub, prices="3,15")
        assert model.chat([CHAT], **SETTINGS) == ["An aunt."]
    used = model.usage()
    assert (used["prompt_tokens"], used["completion_tokens"], used["without_usage"]) == (15, 7, 0)
    assert used["cost"] == pytest.approx((15 * 3 + 7 * 15) / 1e6)


def test_what_anthropic_is_asked() -> None:
    with Recorded((200, ANTHROPIC)) as stub:
        model = model_at("anthropic", stub, extra={"thinking": {"type": "enabled", "budget_tokens": 1024}})
        model.generate(["Who?"], stop=["\n\n"], **SETTINGS)
        model.chat([CHAT], **SETTINGS)
        assert json.loads(model.rendered(CHAT, **SETTINGS)) == stub.bodies[-1]
    assert stub.paths == ["/messages", "/messages"]
    assert stub.bodies[0]["stop_sequences"] == ["\n\n"]
    assert stub.bodies[1]["system"] == "Be brief."
    assert [message["role"] for message in stub.bodies[1]["messages"]] == ["user", "assistant", "user"]
    assert "seed" not in stub.bodies[1]
    assert stub.bodies[1]["thinking"]["budget_tokens"] == 1024
    assert model.usage()["without_seed"] == 1


def test_what_gemini_is_asked() -> None:
    with Recorded((200, GEMINI)) as stub:
        model = model_at("gemini", stub, extra={"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}})
        model.chat([CHAT], **SETTINGS)
        assert json.loads(model.rendered(CHAT, **SETTINGS)) == stub.bodies[-1]
    assert stub.paths == ["/models/some-model:generateContent"]
    (body,) = stub.bodies
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    config = {"maxOutputTokens": 50, "temperature": 0.0, "seed": 3, "thinkingConfig": {"thinkingBudget": 0}}
    assert body["generationConfig"] == config


@pytest.mark.parametrize("kind", KINDS)
def test_limits_are_waited_out_as_long_as_the_service_asks(kind: str) -> None:
    delay = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}]
    limited = error(kind, "slow down", 429)
    limited["error"]["details"] = delay if kind == "gemini" else []
    with Recorded((429, limited), (529, error(kind, "Overloaded", 529)), (200, GOOD[kind])) as stub:
        stub.retry_after = "0.3" if kind == "anthropic" else "0"
        model = model_at(kind, stub)
        assert model.chat([CHAT], **SETTINGS) == ["An aunt."]
    assert model.usage()["retries"] == 2
    assert stub.times[1] - stub.times[0] >= 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_a_setting_that_is_refused_is_left_out(kind: str) -> None:
    refusal = error(kind, "`temperature` may only be set to 1 when thinking is enabled", 400)
    with Recorded((400, refusal), (200, GOOD[kind])) as stub:
        model = model_at(kind, stub)
        assert model.chat([CHAT], **SETTINGS) == ["An aunt."]
    assert "temperature" not in json.dumps(stub.bodies[-1])
    assert model.usage()["without_temperature"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_log_probabilities_are_no_part_of_a_request(kind: str) -> None:
    with Recorded((200, GOOD[kind])) as stub:
        assert "logprobs" not in model_at(kind, stub).rendered(CHAT, **SETTINGS, logprobs=True)


@pytest.mark.parametrize("kind", KINDS)
def test_requests_under_way_when_a_setting_is_refused_are_asked_again_too(kind: str) -> None:
    refusal = error(kind, "`temperature` may only be set to 1 when thinking is enabled", 400)
    with Recorded((400, refusal), (400, refusal), (200, GOOD[kind])) as stub:
        model = model_at(kind, stub)
        body = model._body(CHAT, SETTINGS)
        assert model._adapt("temperature", body)
        assert model._adapt("temperature", body)  # the refusal of a request that was sent before the first refusal
        assert not model._adapt("temperature", model._body(CHAT, SETTINGS))
    with Recorded((400, refusal)) as stub, pytest.raises(ProbandError, match="temperature"):
        field = {"anthropic": {"temperature": 0.5}, "gemini": {"generationConfig": {"temperature": 0.5}}}[kind]
        model_at(kind, stub, extra=field).chat([CHAT], **SETTINGS)
    assert len(stub.bodies) <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_that_is_cut_off_is_counted(kind: str) -> None:
    cut: dict[str, Any] = {**GOOD[kind]}
    if kind == "anthropic":
        cut["stop_reason"] = "max_tokens"
    else:
        cut["candidates"] = [{**GEMINI["candidates"][0], "finishReason": "MAX_TOKENS"}]  # type: ignore[index]
    with Recorded((200, cut)) as stub:
        model = model_at(kind, stub)
        model.chat([CHAT], **SETTINGS)
    assert model.usage()["cut_off"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_holds(kind: str) -> None:
    with Recorded((200, GOOD[kind])) as stub:
        model = model_at(kind, stub, prices="100,1000", max_cost=0.1, concurrency=1)
        with pytest.raises(Unavailable, match="one more request may exceed --max-cost"):
            model.chat([(("user", f"Question {n}"),) for n in range(20)], **SETTINGS)
    assert 1 <= len(stub.bodies) < 20
    assert model.usage()["cost"] <= 0.1
