"""A scripted model for tests: it returns the answers of its script and counts its calls.

{"scores": {"TEXT": -3.5}, "default": -10.0, "texts": {"PROMPT": "words"},
 "answers": {"ITEM_ID": [0.2, 0.8]}, "identity": {"revision": "2"}, "fail_after": 100}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import read_json, sha256_text
from proband.core.plugins import ModelKind, NoOptions
from proband.core.protocols import Score, Text
from proband.core.types import Answer, Item

FIELDS = ("scores", "default", "texts", "answers", "identity", "fail_after")


class ScriptedModel:
    """Looks up answers; other texts get the score `default`, or raise an error if it is None.

    >>> model = ScriptedModel(scores={"a good text": -1.0}, default=-9.0)
    >>> [score.total for score in model.score([Text("a good text"), Text("another")])], model.calls["score"]
    ([-1.0, -9.0], 2)
    """

    methods = ("fake",)

    def __init__(
        self,
        *,
        scores: Mapping[str, float] | None = None,
        default: float | None = None,
        texts: Mapping[str, str] | None = None,
        answers: Mapping[str, Sequence[float]] | None = None,
        identity: Mapping[str, str] | None = None,
        fail_after: int | None = None,
        name: str = "fake:scripted",
    ) -> None:
        self.name, self.default, self.fail_after = name, default, fail_after
        self.scores, self.texts, self.answers = dict(scores or {}), dict(texts or {}), dict(answers or {})
        self.calls: Counter[str] = Counter()  # requests, by method
        self._more = dict(identity or {})

    def identity(self) -> Mapping[str, str]:
        script = [self.scores, self.default, self.texts, self.answers]
        return {"kind": "fake", "script": sha256_text(json.dumps(script, sort_keys=True)), **self._more}

    def score(self, texts: Sequence[Text], *, method: str = "fake") -> list[Score]:
        return [self._score(text) for text in texts]

    def _score(self, text: Text) -> Score:
        self._count("score")
        counted = len(text.text[text.start :].split())
        return Score(self._scripted(self.scores, text.text, "scores"), counted, counted)

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        written = []
        for prompt in prompts:
            self._count("generate")
            if prompt not in self.texts:
                raise ProbandError(f"{self.name}: no text is scripted for {prompt!r}")
            ends = [at for text in stop if (at := self.texts[prompt].find(text)) >= 0]
            words = self.texts[prompt][: min(ends, default=None)].split(" ")
            written.append(" ".join(words[:max_tokens]))
        return written

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        given = []
        for item in items:
            self._count("answer")
            if item.id in self.answers:
                scores = tuple(map(float, self.answers[item.id]))
            else:
                scores = tuple(self._scripted(self.scores, choice, "answers") for choice in item.choices)
            given.append(Answer(item_id=item.id, scores=scores, text=self.texts.get(item.prompt)))
        return given

    def _count(self, what: str) -> None:
        if self.fail_after is not None and self.calls.total() >= self.fail_after:
            raise ProbandError(f"{self.name}: fails after {self.fail_after} requests, as scripted")
        self.calls[what] += 1

    def _scripted(self, table: Mapping[str, float], key: str, where: str) -> float:
        if key in table:
            return float(table[key])
        if self.default is None:
            raise ProbandError(f"{self.name}: nothing is scripted in {where!r} for {key!r}, and there is no default")
        return float(self.default)


def load(rest: str, *, options: NoOptions) -> ScriptedModel:
    """`fake:PATH_TO_JSON`."""
    script = read_json(Path(rest))
    if wrong := next((field for field in script if field not in FIELDS), None):
        raise ProbandError(f"unknown field {wrong!r}; there are {', '.join(FIELDS)}", file=rest)
    return ScriptedModel(name=f"fake:{rest}", **script)


KIND = ModelKind(name="fake", help="scripted answers, for tests", load=load)
