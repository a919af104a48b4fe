"""Choosing and generating with a chat model."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError, TooLong
from proband.core.protocols import Chats, Generates, Replies, Reply
from proband.models import load

if TYPE_CHECKING:
    from tests.models.remote.stub_server import QUICK, Stub, best, chat, choose, model_at, options, question, right
else:
    from stub_server import QUICK, Stub, best, chat, choose, model_at, options, question, right


@pytest.mark.parametrize("choices", [2, 3, 4, 22, 26])
def test_the_right_choice_is_found_wherever_it_stands(choices: int) -> None:
    asked = [question(i, choices=choices) for i in range(choices)]
    with Stub() as stub:
        model = model_at(stub)
        assert isinstance(model, Chats)
        assert isinstance(model, Replies)
        assert isinstance(model, Generates)
        said = choose(model, asked)
    assert [choice.scores for choice in said] == [
        tuple(float(i == number) for i in range(choices)) for number in range(choices)
    ]
    assert len(stub.bodies) == choices * min(choices, 4)
    for body in stub.bodies:
        assert len(options(body)) == choices


def test_a_model_that_always_says_a_has_no_preference_left() -> None:
    with Stub(lambda path, body: chat("A")) as stub:
        (choice,) = choose(model_at(stub), [question(0)])
        (all_turns,) = choose(model_at(stub), [question(0, choices=22)], permutations=22)
    assert choice.scores == (0.25,) * 4
    assert all_turns.scores == pytest.approx((1 / 22,) * 22)


def test_unreadable_replies_are_counted_and_do_not_crash() -> None:
    replies: Iterator[str | None] = iter(["no idea", None, "B", "<think>A or B? I would"])
    with Stub(lambda path, body: chat(next(replies))) as stub:
        model = model_at(stub, concurrency=1)
        (choice,) = choose(model, [question(0)])
    assert choice.scores == (0.0, 0.0, 0.0, 0.25)  # B under a shift by two is choice 3
    assert choice.letters == "--B-"


def test_too_many_choices_are_refused_before_anything_is_spent() -> None:
    with Stub() as stub:
        with pytest.raises(ProbandError, match="27 choices"):
            choose(model_at(stub), [question(0), question(1, choices=27)])
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
        (choice,) = choose(model_at(stub), [question(0)])
        (turned,) = choose(model_at(stub), [question(0)], permutations=4)
    filled = [0.6, 0.2, 0.04, 0.01]  # of D at most 1 - .99 is left
    assert choice.scores == pytest.approx([math.log(p / sum(filled)) for p in filled])
    assert len(stub.bodies) == 1 + 4
    assert turned.scores == pytest.approx([turned.scores[0]] * 4)  # the same preference for every place cancels out
    assert sum(map(math.exp, choice.scores)) == pytest.approx(1)


@pytest.mark.parametrize("first", ["The", ""])
def test_log_probabilities_that_tell_nothing_leave_the_letter(first: str) -> None:
    with Stub(with_logprobs({"The": 0.9, "A": 0.1}, first=first)) as stub:
        model = model_at(stub)
        (choice,) = choose(model, [question(0)])
    assert (choice.scores, choice.status, choice.letters) == ((), "unread", "----")


@pytest.mark.parametrize("junk", [5, "x", [], {}, {"content": 7}, {"content": [7]}, {"content": [{"token": "A"}]}])
def test_malformed_log_probabilities_leave_the_letter(junk: Any) -> None:
    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = right(path, body)
        answer["choices"][0]["logprobs"] = junk
        return answer

    with Stub(reply) as stub:
        assert best(choose(model_at(stub), [question(3)])[0]) == 3


def test_the_server_may_refuse_log_probabilities_or_most_of_them() -> None:
    def five_at_most(path: str, body: dict[str, Any], n: int) -> str | None:
        return "400 top_logprobs must be at most 5" if body.get("top_logprobs", 0) > 5 else None

    with Stub(with_logprobs({"A": 0.9, "B": 0.05}), five_at_most) as stub:
        choose(model_at(stub, concurrency=1), [question(0), question(1)])
        assert [body["top_logprobs"] for body in stub.bodies] == [20, 5, 5]
    with Stub(right, lambda path, body, n: "400 logprobs: not supported" if "logprobs" in body else None) as stub:
        said = choose(model_at(stub, concurrency=1), [question(1), question(2)])
        assert [best(choice) for choice in said] == [1, 2]
        assert len(stub.bodies) == 2 + 4 + 4
    with Stub() as stub:
        choose(model_at(stub), [question(0)], logprobs=False)
        assert all("logprobs" not in body for body in stub.bodies)


def test_fields_that_newer_models_refuse() -> None:
    def picky(path: str, body: dict[str, Any], n: int) -> str | None:
        if "max_tokens" in body:
            return "400 Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        if "temperature" in body:
            return "400 Unsupported value: 'temperature' does not support 0"
        return "422 extra field seed" if "seed" in body else None

    with Stub(right, picky) as stub:
        model = model_at(stub)
        answers = choose(model, [question(i) for i in range(12)], max_tokens=2000)
        assert [best(answer) for answer in answers] == [i % 4 for i in range(12)]
        assert stub.bodies[-1]["max_completion_tokens"] == 2000
    assert model.usage()["without_seed"] == model.usage()["without_temperature"] == 1


def test_tokens_and_cost_are_summed() -> None:
    with Stub(right, lambda path, body, n: "no usage" if "Question 1?" in str(body) else None) as stub:
        model = model_at(stub, prices="3,15")
        choose(model, [question(i) for i in range(5)], permutations=1)
    used = model.usage()
    assert (used["requests"], used["without_usage"]) == (5, 1)
    assert (used["prompt_tokens"], used["completion_tokens"]) == (40, 8)
    assert used["cost"] == pytest.approx((40 * 3 + 8 * 15) / 1e6)
    assert "cost" not in model_at(stub).usage()


def test_identity_holds_what_decides_the_answers() -> None:
    settings: list[dict[str, Any]] = [{}, {"seed": 1}, {"extra": {"top_k": 1}}]
    with Stub() as stub:
        seen = [dict(model_at(stub, **each).identity()) for each in settings]
        seen.append(dict(load(f"openai:other@{stub.url}", QUICK).identity()))
        assert model_at(stub, retries=1, concurrency=2, timeout=9).identity() == seen[0]
    assert all(seen[i] != seen[j] for i in range(len(seen)) for j in range(i))
    assert all(isinstance(value, str) for each in seen for value in each.values())


def test_the_model_behind_a_name_is_part_of_the_identity() -> None:
    """A server of one model lists it whatever it is called; what changes with every request is left out."""
    seen = []
    with Stub() as stub:
        for size in (5, 5, 7):
            meta = {"size": size}
            stub.models = [{"id": "model.gguf", "created": time.monotonic(), "permission": [size], "meta": meta}]
            seen.append(dict(model_at(stub).identity()))
        assert seen[0] == seen[1] != seen[2]
        stub.models = [{"id": "other"}, {"id": "some/model"}]
        assert model_at(stub).identity()["served"] == '{"id": "some/model"}'
        for stub.models in (None, [], ["x"], [{"id": "a"}, {"id": "b"}]):
            assert "served" not in model_at(stub).identity()


def test_generating() -> None:
    def echo(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return chat(f"{body['messages'][-1]['content']}|{body['max_tokens']}|{body['seed']}|{body.get('stop')}")

    reported: list[int] = []
    with Stub(echo, lambda path, body, n: "503" if n == 0 else None) as stub:
        model = model_at(stub)
        said = model.generate(
            ["a", "b"], max_tokens=7, temperature=0.5, seed=3, stop=["\n"], on_result=lambda i, _: reported.append(i)
        )
        assert model.generate(["c"], max_tokens=7, temperature=0, seed=4) == ["c|7|4|None"]
    assert said == ["a|7|3|['\\n']", "b|7|3|['\\n']"]
    assert sorted(reported) == [0, 1]


HI = lambda path, body: chat("Hi.")  # noqa: E731


def ask(stub: Stub, **settings: Any) -> list[str]:
    found: list[str] = model_at(stub, **settings).chat([(("user", "?"),)], max_tokens=1, temperature=0.0, seed=0)
    return found


def test_what_is_shown_is_the_body_that_is_sent() -> None:
    messages = (("system", "Be brief."), ("user", "Which ü?"))
    settings = {"max_tokens": 5, "temperature": 0.5, "seed": 3}
    with Stub(HI) as stub:
        model = model_at(stub, extra='{"top_k": 1}')
        assert model.chat([messages], **settings) == ["Hi."]
        shown = model.rendered(messages, **settings)
    assert json.loads(shown) == stub.bodies[-1]
    assert list(json.loads(shown)) == list(stub.bodies[-1])
    assert int(next(v for k, v in stub.headers[-1].items() if k.lower() == "content-length")) == len(shown.encode())


def test_a_prompt_beyond_the_window_is_too_long() -> None:
    with (
        Stub(HI, lambda path, body, before: "400 This model's maximum context length is 8 tokens.") as stub,
        pytest.raises(TooLong, match="maximum context length"),
    ):
        ask(stub)


def test_retries_are_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    chats = [(("user", f"{i}?"),) for i in range(6)]
    with Stub(HI, lambda path, body, before: "429 slow down" if before < 2 else None) as stub:
        assert model_at(stub).chat(chats, max_tokens=1, temperature=0.0, seed=0) == ["Hi."] * 6
    first, last = capsys.readouterr().err.splitlines()
    assert "429: slow down; retrying in 0.0 s" in first
    assert last.endswith(": 12 retries so far: 429: slow down (12)")


def test_patience_bounds_all_retries() -> None:
    with (
        Stub(HI, lambda path, body, before: "500 broken") as stub,
        pytest.raises(ProbandError, match=r"500: broken \(\d+ attempts\)"),
    ):
        ask(stub, retries=100000, first_wait=0.05, longest_wait=0.05, patience=0.5)
    assert 2 <= len(stub.bodies) < 30


# ---- log-probabilities of replies ----------------------------------------------------------------------------------

HOW: dict[str, Any] = {"max_tokens": 9, "temperature": 0.0, "seed": 0}


def tokens(*values: float) -> dict[str, Any]:
    return {"logprobs": {"content": [{"token": "x", "logprob": value} for value in values]}}


def test_replies_keep_the_mean_log_probability_of_their_tokens() -> None:
    with Stub(lambda path, body: chat("aunt", **tokens(-0.5, -0.1))) as stub:
        model = model_at(stub)
        assert model.replies([(("user", "?"),)], **HOW) == [Reply("aunt", -0.3)]
        assert json.loads(model.rendered((("user", "?"),), **HOW, logprobs=True)) == stub.bodies[0]
        assert stub.bodies[0]["logprobs"] is True
        assert model.chat([(("user", "?"),)], **HOW) == ["aunt"]
        assert "logprobs" not in stub.bodies[1]
        assert "without_logprobs" not in model.usage()


@pytest.mark.parametrize(
    "refusal",
    ["400 logprobs is not supported", "403 You are not allowed to request logprobs", "500 no Logprobs here"],
)
def test_a_server_without_log_probabilities_is_asked_without_them(
    refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chats = [(("user", f"{i}?"),) for i in range(3)]
    with Stub(lambda path, body: chat("aunt"), lambda path, body, n: refusal if "logprobs" in body else None) as stub:
        model = model_at(stub, concurrency=1)
        assert model.replies(chats, **HOW) == [Reply("aunt")] * 3
    assert [("logprobs" in body) for body in stub.bodies] == [True, False, False, False]
    assert model.usage()["without_logprobs"] == 1
    assert capsys.readouterr().err.count("no log-probabilities of replies (the server") == 1


def test_one_reply_without_log_probabilities_does_not_switch_them_off() -> None:
    more = {"0?": {}, "1?": tokens(-0.5)}
    with Stub(lambda path, body: chat("aunt", **more[body["messages"][0]["content"]])) as stub:
        model = model_at(stub, concurrency=1)
        chats = [(("user", f"{i}?"),) for i in range(2)]
        assert model.replies(chats, **HOW) == [Reply("aunt"), Reply("aunt", -0.5)]


def test_a_setting_of_extra_that_is_refused_ends_in_one_line() -> None:
    with (
        Stub(HI, lambda path, body, n: "400 top_logprobs must be at most 5" if n < 9 else None) as stub,
        pytest.raises(ProbandError, match="must be at most 5"),
    ):
        model_at(stub, extra={"logprobs": True, "top_logprobs": 99}).chat([(("user", "?"),)], **HOW)
    assert len(stub.bodies) == 1


def test_parts_without_text_and_numbers_that_json_does_not_have() -> None:
    parts = [{"type": "text", "text": None}, {"type": "text", "text": "aunt"}]
    with Stub(lambda path, body: chat(parts, **tokens(-math.inf))) as stub:  # type: ignore[arg-type]
        assert model_at(stub, retries=0).replies([(("user", "?"),)], **HOW) == [Reply("aunt")]
    with Stub(HI) as stub:
        assert ask(stub, extra={"max_tokens": None}) == ["Hi."]
        assert ask(stub, extra={"max_tokens": None}, prices="1,1") == ["Hi."]
        with pytest.raises(ProbandError, match="--max-cost needs a limit"):
            ask(stub, extra={"max_tokens": None}, prices="1,1", max_cost=1)


def test_an_answer_without_end_is_paid_for() -> None:
    with Stub(HI, lambda path, body, n: "hang") as stub:
        model = model_at(stub, timeout=0.1, retries=0, prices="0,1000", max_cost=1)
        with pytest.raises(ProbandError, match="no answer within"):
            model.chat([(("user", "?"),)], **HOW)
    assert (model.usage()["cost"], model.usage()["given_up"]) == (pytest.approx(0.009), 1)


def test_usage_that_a_model_caused_itself_is_not_counted_again() -> None:
    with Stub(HI) as stub:
        model = model_at(stub, prices="1000,1000", max_cost=1)
        model.chat([(("user", "?"),)], **HOW)
        model.resume(model.usage())
        assert model._endpoint.budget.spent == pytest.approx(0.012)
