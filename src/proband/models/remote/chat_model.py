"""`openai:MODEL@BASE_URL`: any OpenAI-compatible endpoint (OpenAI, vLLM, llama.cpp, Ollama, ...).

    Chooses      multiple choice by letter (`letters.py`), through /chat/completions
    Generates    through /chat/completions
    ScoresText   log-probabilities of a given text, through /completions with echo, where the server gives them;
                 `load` asks it once, and a model that cannot is not one that scores text

The key comes from PROBAND_API_KEY or OPENAI_API_KEY and goes nowhere but into the request's header.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proband.core.errors import ProbandError
from proband.core.protocols import Choice, Question, Score, Text
from proband.models.remote.endpoint import Caller, Endpoint, Policy, Refused, Unusable, only_choice
from proband.models.remote.letter_choice import log_probabilities, place_of, put, rotations
from proband.models.remote.text_scores import echoed, gives_log_probabilities

TOP = (20, 5)  # alternatives to ask for; servers that allow fewer get the next
SHOWN = 300  # characters of a reply that are kept with a choice
Report = Callable[[int, Any], None] | None


class Remote:
    """A chat model (protocols Chooses, Generates)."""

    reports_each = True  # `on_result` is called as each answer arrives, so that each can be written down at once

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        model: str,
        max_tokens: int = 16,
        temperature: float = 0.0,
        permutations: int | None = None,
        logprobs: bool = True,
        system: str | None = None,
        extra: Mapping[str, Any] | None = None,
        prices: tuple[float, float] | None = None,
    ) -> None:
        self.name, self.model = name, model
        self._endpoint, self._prices = endpoint, prices
        self._max_tokens, self._temperature, self._permutations = max_tokens, temperature, permutations
        self._logprobs, self._system, self._extra = logprobs, system, dict(extra or {})
        self._top: list[int] = list(TOP) if logprobs else []  # what is left to try; empty: no log-probabilities
        self._names: dict[str, str] = {}  # what the server calls a field
        self._dropped: set[str] = set()  # fields it does not take; told by `usage`

    def identity(self) -> Mapping[str, str]:
        return {
            "kind": "openai",
            "model": self.model,
            "url": self._endpoint.url,
            "weights": "not told by the server",
            "max_tokens": str(self._max_tokens),
            "temperature": repr(self._temperature),
            "permutations": str(self._permutations),
            "logprobs": str(self._logprobs),
            "system": self._system or "",
            "extra": json.dumps(self._extra, sort_keys=True, default=str),
            "seed": str(self._endpoint.policy.seed),
        }

    def usage(self) -> Mapping[str, float]:
        """Requests, retries, tokens, replies without a readable letter; with prices, the cost too."""
        names = ("requests", "retries", "prompt_tokens", "completion_tokens", "without_usage", "unparsed", "cut_off")
        counts = {name: float(self._endpoint.counts[name]) for name in names}
        counts |= {f"without_{field}": 1.0 for field in sorted(self._dropped)}
        if self._prices is not None:
            into, out = self._prices
            counts["cost"] = (counts["prompt_tokens"] * into + counts["completion_tokens"] * out) / 1e6
        return counts

    # ---- choosing --------------------------------------------------------------------------------------------------

    def choose(self, questions: Sequence[Question], *, on_result: Report = None) -> list[Choice]:
        """Scores per choice: votes over rotations, or log-probabilities where the server gives them."""
        for question in questions:
            put(question, 0)  # refuse what cannot be put before anything is spent

        async def ask(caller: Caller, i: int) -> Choice:
            return await self._choose(caller, questions[i])

        return self._endpoint.map(ask, len(questions), on_result=on_result)

    async def _choose(self, caller: Caller, question: Question) -> Choice:
        """The first answer shows whether there are log-probabilities, and so how many rotations are needed."""
        shifts = rotations(len(question.choices), self._permutations or 4)
        replies: list[str] = []
        logs: list[tuple[float, ...] | None] = []
        for shift in shifts:
            reply, content = await self._reply(caller, put(question, shift), logprobs=bool(self._top))
            replies.append(reply)
            logs.append(log_probabilities(content, question, shift))
            if self._permutations is None and logs[0] is not None:
                break
        shown = " | ".join(reply.strip()[-SHOWN:] for reply in replies)
        told = [log for log in logs if log is not None]
        if len(told) == len(logs):
            return Choice(tuple(math.fsum(column) / len(told) for column in zip(*told)), shown)
        return Choice(self._votes(question, shifts, replies), shown)

    def _votes(self, question: Question, shifts: Sequence[int], replies: Sequence[str]) -> tuple[float, ...]:
        votes = [0] * len(question.choices)
        for shift, reply in zip(shifts, replies):
            place = place_of(reply, question, shift)
            if place is None:
                self._endpoint.counts["unparsed"] += 1
            else:
                votes[place] += 1
        return tuple(count / len(replies) for count in votes)

    # ---- chat ------------------------------------------------------------------------------------------------------

    async def _reply(self, caller: Caller, prompt: str, *, logprobs: bool) -> tuple[str, Any]:
        """(text, token log-probabilities or None) of one chat turn; steps down where the server refuses a setting."""
        body = self._body(prompt, max_tokens=self._max_tokens, temperature=self._temperature)
        body["seed"] = self._endpoint.policy.seed
        while True:
            top = self._top[0] if logprobs and self._top else None
            asked = {**body, "logprobs": True, "top_logprobs": top} if top else body
            try:
                return await self._chat(caller, asked)
            except Refused as refusal:
                if top is None or refusal.status not in (400, 422) or "logprob" not in refusal.reason.lower():
                    raise
                if self._top and self._top[0] == top:  # another request may have stepped down already
                    del self._top[0]

    def _body(self, prompt: str, *, max_tokens: int, temperature: float) -> dict[str, Any]:
        system = [{"role": "system", "content": self._system}] if self._system else []
        return {
            "model": self.model,
            "messages": [*system, {"role": "user", "content": prompt}],
            "max_tokens": max_tokens,
            "temperature": temperature,
            **self._extra,
        }

    async def _chat(self, caller: Caller, body: Mapping[str, Any]) -> tuple[str, Any]:
        while True:
            sent = {self._names.get(field, field): value for field, value in body.items() if field not in self._dropped}
            try:
                return await caller.post("/chat/completions", sent, self._read_chat)
            except Refused as refusal:
                if not self._adapted(refusal, sent):
                    raise

    def _adapted(self, refusal: Refused, sent: Mapping[str, Any]) -> bool:
        """Learn from a refusal: newer models want another name for the length, some take no seed or temperature."""
        if refusal.status not in (400, 422):
            return False
        if "max_tokens" in sent and "max_completion_tokens" in refusal.reason:
            self._names["max_tokens"] = "max_completion_tokens"
            return True
        refused = [field for field in ("seed", "temperature") if field in sent and field in refusal.reason]
        self._dropped.update(refused)
        return bool(refused)

    def _read_chat(self, answer: Mapping[str, Any]) -> tuple[str, Any]:
        choice = only_choice(answer)
        message = choice.get("message")
        if not isinstance(message, dict):
            raise Unusable("an answer without a message")
        self._endpoint.counts["cut_off"] += choice.get("finish_reason") == "length"
        logprobs = choice.get("logprobs")
        return text_of(message.get("content")), logprobs.get("content") if isinstance(logprobs, dict) else None

    # ---- generating ------------------------------------------------------------------------------------------------

    def generate(
        self,
        prompts: Sequence[str],
        *,
        max_tokens: int,
        temperature: float,
        seed: int,
        stop: Sequence[str] = (),
        on_result: Report = None,
    ) -> list[str]:
        async def ask(caller: Caller, i: int) -> str:
            body = self._body(prompts[i], max_tokens=max_tokens, temperature=temperature)
            body |= {"seed": seed, **({"stop": list(stop)} if stop else {})}
            return (await self._chat(caller, body))[0]

        return self._endpoint.map(ask, len(prompts), on_result=on_result)


class ScoringRemote(Remote):
    """A remote model whose server gives the log-probabilities of a text (also ScoresText)."""

    methods: tuple[str, ...] = ("ll",)

    def score(self, texts: Sequence[Text], *, method: str = "ll", on_result: Report = None) -> list[Score]:
        """Sums over the tokens from `start` on; the very first token has no log-probability and is not counted."""
        if method not in self.methods:
            raise ProbandError(f"{self.name}: method {method!r}; there is {', '.join(self.methods)}")

        async def ask(caller: Caller, i: int) -> Score:
            return await echoed(caller, self.model, texts[i])

        return self._endpoint.map(ask, len(texts), on_result=on_result)


def text_of(content: Any) -> str:
    """A message's text: a string, a list of parts, or nothing at all.

    >>> text_of("A"), text_of([{"type": "text", "text": "A"}]), text_of(None)
    ('A', 'A', '')
    """
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


# ---- loading -------------------------------------------------------------------------------------------------------

POLICY = {"concurrency": int, "retries": int, "timeout": float, "first_wait": float, "longest_wait": float, "seed": int}
SETTINGS = {
    "max_tokens": int,
    "temperature": float,
    "permutations": int,
    "logprobs": bool,
    "system": str,
    "extra": dict,
}
IGNORED = ("device", "dtype", "batch")  # settings of other kinds of model, which change nothing here


def load(rest: str, *, name: str, scores: bool | str | None = None, prices: Any = None, **settings: Any) -> Remote:
    """The model at an endpoint. `scores` says whether it gives log-probabilities of texts; None asks it.

    Settings: concurrency, retries, timeout, first_wait, longest_wait, seed; max_tokens (of a choice: more for models
    that reason first), temperature, permutations, logprobs, system, extra (further fields of each request);
    prices, as (per million tokens in, per million out).
    """
    model, url = _parts(rest)
    known = {**POLICY, **SETTINGS}
    for setting, value in settings.items():
        if setting not in known and setting not in IGNORED:
            raise ProbandError(f"{name}: no setting {setting!r}; there are {', '.join([*known, 'scores', 'prices'])}")
        if setting in known and value is not None:
            settings[setting] = _converted(setting, value, known[setting], name)
    policy = Policy(**{k: v for k, v in settings.items() if k in POLICY and v is not None})
    if policy.concurrency < 1 or policy.retries < 0 or policy.timeout <= 0:
        raise ProbandError(f"{name}: concurrency and timeout must be positive, retries not negative")
    endpoint = Endpoint(url, name=name, key=_key(), policy=policy)
    options = {k: v for k, v in settings.items() if k in SETTINGS and v is not None}
    if scores is not None:
        scores = bool(_converted("scores", scores, bool, name))
    else:
        scores = gives_log_probabilities(endpoint, model)
    return (ScoringRemote if scores else Remote)(
        endpoint, name=name, model=model, prices=_prices(prices, name), **options
    )


def _parts(rest: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.+?)@(https?://[^\s@?#]+)", rest)
    if found is None:
        raise ProbandError(
            "an endpoint is named openai:MODEL@BASE_URL (no user or password in it), as in openai:m@http://localhost:8000/v1"
        )
    return found[1], found[2].rstrip("/")


def _key() -> str | None:
    key = (os.environ.get("PROBAND_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key.isascii() or not key.isprintable():
        raise ProbandError("the API key in the environment holds characters that no key has")
    return key or None


def _converted(setting: str, value: Any, kind: type, name: str) -> Any:
    """Settings may come as text from a command line."""
    if kind is bool and isinstance(value, str):
        value = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(value.lower())
    try:
        if kind is dict and isinstance(value, str):
            value = json.loads(value)
        converted = value if isinstance(value, kind) else kind(value) if kind in (int, float) else None
    except (ValueError, TypeError, RecursionError):
        converted = None
    if converted is None:
        raise ProbandError(f"{name}: {setting!r} is not {'a number' if kind in (int, float) else f'a {kind.__name__}'}")
    return converted


def _prices(prices: Any, name: str) -> tuple[float, float] | None:
    if prices is None:
        return None
    try:
        into, out = (float(price) for price in (prices.split(",") if isinstance(prices, str) else prices))
    except (ValueError, TypeError):
        raise ProbandError(f"{name}: 'prices' are two numbers: per million tokens in, per million out") from None
    return into, out
