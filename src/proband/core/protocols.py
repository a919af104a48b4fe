"""Protocols that models implement and suites require, so that neither imports the other.

A model is any object with `name` (as the user typed it), `identity()` and one or more of the protocols below.
`identity()` lists everything that determines its answers: kind, name, revision, sha256 of weights and tokenizer, dtype.
It is the key of the answer cache, so two models that could answer differently must differ in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item

Floats32 = NDArray[np.float32]
Norm = Literal["sum", "token", "word"]


@runtime_checkable
class Model(Protocol):
    name: str

    def identity(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Text:
    """A text to score. Only tokens that begin at character `start` or later count; everything before is context."""

    text: str
    start: int = 0


@dataclass(frozen=True)
class Score:
    """Sum of token log-probabilities (natural log), and how many tokens and words were counted."""

    total: float
    tokens: int
    words: int

    def normalised(self, norm: Norm) -> float:
        """
        >>> Score(-6.0, 3, 2).normalised("token")
        -2.0
        """
        return self.total / {"sum": 1, "token": max(self.tokens, 1), "word": max(self.words, 1)}[norm]


@runtime_checkable
class ScoresText(Protocol):
    """Masked and causal language models. `methods[0]` is the default.

    masked: pll, pll-word-l2r, pll-whole-word; causal: ll.
    """

    methods: tuple[str, ...]

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]: ...


def method_of(model: ScoresText, name: str) -> str:
    """The named scoring method, or the model's first."""
    if name and name not in model.methods:
        raise ProbandError(f"'method' is {name!r}; this model has {', '.join(model.methods)}")
    return name or model.methods[0]


@runtime_checkable
class EmbedsWords(Protocol):
    """Contextual embeddings of the words at given character spans of each text.

    `layers`: which hidden states (0 is the embedding layer, -1 the last). Result: texts x spans x layers x dim.
    Every text has the same number of spans; the sub-tokens of a span are averaged.
    """

    layers: int  # number of hidden states, embedding layer included

    def embed(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], *, layers: Sequence[int]
    ) -> Floats32: ...


@runtime_checkable
class HasVectors(Protocol):
    """Static word vectors. `vectors` gives a row per word, whatever its case, and whether it is known (an unknown row
    is zero); `vocabulary` and `matrix` are the whole table, for searches over all words."""

    def vectors(self, words: Sequence[str]) -> tuple[Floats32, NDArray[np.bool_]]: ...

    @property
    def vocabulary(self) -> Sequence[str]: ...

    @property
    def matrix(self) -> Floats32: ...


@runtime_checkable
class EmbedsPairs(Protocol):
    """Relation embeddings: one vector per (head, tail)."""

    def embed_pairs(self, pairs: Sequence[tuple[str, str]]) -> Floats32: ...


@runtime_checkable
class EmbedsSentences(Protocol):
    def embed_sentences(self, texts: Sequence[str]) -> Floats32: ...


@runtime_checkable
class ClassifiesPairs(Protocol):
    """Natural-language inference: log-probabilities of `labels` for pairs of premise and hypothesis."""

    labels: tuple[str, ...]

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32: ...


@runtime_checkable
class Generates(Protocol):
    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]: ...


Chat = tuple[tuple[str, str], ...]  # messages as (role, content); roles are system, user, assistant


@runtime_checkable
class Chats(Protocol):
    """Instruction-tuned models: they take messages, in their own chat template or through an endpoint's.

    `default_max_tokens` is the default limit on the length of a reply; it is higher for models that reason first.
    `rendered` is exactly what is sent: the text after the chat template is applied, or the body of the request.
    """

    default_max_tokens: int

    def chat(self, chats: Sequence[Chat], *, max_tokens: int, temperature: float, seed: int) -> list[str]: ...

    def rendered(self, chat: Chat, *, max_tokens: int, temperature: float, seed: int) -> str: ...


@dataclass(frozen=True)
class Reply:
    """The text of a chat model, the mean log-probability (natural log) of its tokens if known, and on request its
    `first` token that is not blank and the alternatives to it, each with its log-probability."""

    text: str
    logprob: float | None = None
    first: Sequence[tuple[str, float]] = ()


@runtime_checkable
class Replies(Protocol):
    """Chat models that give the log-probabilities of what they write; with `alternatives`, also those
    of other first tokens. `rendered` takes `logprobs` and `alternatives` too."""

    def replies(
        self, chats: Sequence[Chat], *, max_tokens: int, temperature: float, seed: int, alternatives: bool = False
    ) -> list[Reply]: ...


class RequestSession(Protocol):
    """The requests of a model while its session is open."""

    def drain(self) -> None:
        """Send no further requests, and wait for the answers to those already sent."""

    def cancel(self) -> None:
        """Cancel all requests, including those already sent."""


@runtime_checkable
class Concurrent(Protocol):
    """Models (endpoints) that several threads may ask at a time and whose answers do not depend on other items: items
    are asked one by one, and each answer is kept as it arrives. The model limits itself to `concurrency` requests at a
    time. The calls above take `on_result(i, result)`. A `session` is open during a run."""

    concurrency: int

    def session(self) -> AbstractContextManager[RequestSession]: ...


@runtime_checkable
class PredictsWords(Protocol):
    """Log-probability of each candidate word in the blank between `left` and `right`; a causal model ignores `right`.

    Result: blanks x words. A candidate of several tokens gets the sum of theirs.
    """

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32: ...


@runtime_checkable
class FineTunes(Protocol):
    """Models that can be fine-tuned on (context, target) texts, with the loss on the target only. The result is a
    `training.Task` that saves a model folder. `recipe` is a `training.recipe.Recipe`."""

    def finetuning(
        self,
        examples: Sequence[tuple[str, str]],
        *,
        valid: Sequence[tuple[str, str]] = (),
        recipe: Any,
        dropout: float = 0.0,
    ) -> Any: ...


@runtime_checkable
class AnswersItems(Protocol):
    """Models that read items directly: baselines, symbolic solvers, a suite's own networks."""

    def answer(self, items: Sequence[Item]) -> list[Answer]: ...


@runtime_checkable
class LearnsFromItems(Protocol):
    """Models that read all items once, as a stream, before they answer (a majority counts them). They must learn only
    from the training split, if there is one."""

    def learn(self, items: Iterable[Item]) -> Any: ...


# a model implements at least one of these; "a model that ..."
ABILITIES: Mapping[type, str] = {
    ScoresText: "scores text",
    EmbedsWords: "gives word embeddings in context",
    HasVectors: "has word vectors",
    EmbedsPairs: "gives relation embeddings",
    EmbedsSentences: "gives sentence embeddings",
    ClassifiesPairs: "classifies pairs of texts",
    Generates: "generates text",
    Chats: "follows instructions in a chat",
    PredictsWords: "predicts words in a blank",
    FineTunes: "can be trained further",
    AnswersItems: "reads items directly",
}
