"""Log-probabilities of texts from a server that echoes them, and servers that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import Score, ScoresText, Text
from proband.models.remote.openai import ScoringRemote

if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, best, choose, model_at, question, right
else:
    from stub_server import Stub, best, choose, model_at, question, right


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


@pytest.mark.parametrize(
    "refusal", ["400 echo is not supported", "404 no such path", "405 no", "501 not here", "500 no"]
)
def test_a_server_that_refuses_echo_is_not_one_that_scores_text(refusal: str) -> None:
    with Stub(right, lambda path, body, n: refusal if path == "/completions" else None) as stub:
        model = model_at(stub, scores=None)
        assert not isinstance(model, ScoresText)
        assert best(choose(model, [question(1)])[0]) == 1


def test_a_missing_log_probability_is_no_score_and_extra_is_sent() -> None:
    def one_missing(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = echoing(path, body)
        answer["choices"][0]["logprobs"]["token_logprobs"][2] = None
        return answer

    with Stub(one_missing) as stub, pytest.raises(ProbandError, match="no log-probability of some tokens"):
        model_at(stub, scores=True, extra={"top_k": 1, "echo": False}).score([Text("Paris is to France")])
    assert (stub.bodies[0]["top_k"], stub.bodies[0]["echo"]) == (1, True)


def test_a_wrong_key_is_told_when_the_model_is_loaded() -> None:
    with (
        Stub(right, lambda path, body, n: "401 wrong key") as stub,
        pytest.raises(ProbandError, match="401: wrong key"),
    ):
        model_at(stub, scores=None)
