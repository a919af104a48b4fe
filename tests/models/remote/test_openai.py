"""Names, keys and options of `openai:MODEL@BASE_URL`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proband.core.errors import ProbandError
from proband.models import load

if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, choose, model_at, question, right
else:
    from stub_server import Stub, choose, model_at, question, right


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(right, lambda path, body, n: "401 Incorrect API key provided: sk-special") as stub:
        monkeypatch.setenv("PROBAND_API_KEY", "sk-special")
        model = model_at(stub)
        with pytest.raises(ProbandError) as error:
            choose(model, [question(0)])
        assert stub.headers[0]["Authorization"] == "Bearer sk-special"
    assert "sk-special" not in str(error.value)
    assert "sk-special" not in str(model.identity()) + repr(model) + repr(model._endpoint) + str(model.usage())


def test_a_key_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub() as stub:
        port = stub.url.split(":")[2].split("/")[0]

        def sent() -> str | None:
            choose(model_at(stub), [question(0)])
            return stub.headers[-1].get("Authorization")

        monkeypatch.setenv("OPENAI_API_KEY", "sk-public")
        assert sent() is None
        monkeypatch.setenv("PROBAND_API_KEY", "any")
        assert sent() == "Bearer any"
        monkeypatch.setenv(f"PROBAND_API_KEY_127_0_0_1_{port}", "own")
        assert sent() == "Bearer own"
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ProbandError, match="needs a key: set OPENAI_API_KEY"):  # no other key goes there
        load("openai:gpt-4o-mini").generate(["?"], max_tokens=1, temperature=0, seed=0)


def test_a_refusal_without_a_key_names_the_variables() -> None:
    with Stub(right, lambda path, body, n: "401 no key") as stub, pytest.raises(ProbandError) as error:
        choose(model_at(stub), [question(0)])
    assert "(no key was sent: set PROBAND_API_KEY_127_0_0_1_" in str(error.value)
    assert str(error.value).endswith(" or PROBAND_API_KEY)")


def test_a_name_alone_is_the_public_service_which_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "PROBAND_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    model = load("openai:gpt-4o-mini")  # nothing is asked yet: a dry run needs no key
    assert model.identity()["url"] == "https://api.openai.com/v1"
    assert "rendered" in dir(model)
    with pytest.raises(ProbandError, match="needs a key: set OPENAI_API_KEY, or name another server"):
        model.generate(["?"], max_tokens=1, temperature=0, seed=0)


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        ("openai:@http://x", {}, "openai:MODEL@BASE_URL"),
        ("openai:m@http://user:secret@host/v1", {}, "openai:MODEL@BASE_URL"),
        (
            "openai:m@http://x",
            {"concurency": 2},
            "openai:... has no option 'concurency'; it has concurrency, extra,",
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
    given = {"concurrency": "2", "timeout": "9.5", "seed": "3", "extra": '{"top_k": 1}', "prices": "3,15"}
    meant = {"concurrency": 2, "timeout": 9.5, "seed": 3, "extra": {"top_k": 1}, "prices": "3,15"}
    with Stub() as stub:
        assert model_at(stub, scores="false", **given).identity() == model_at(stub, **meant).identity()
        choose(model_at(stub, **given), [question(0)])
    assert stub.bodies[0]["top_k"] == 1
