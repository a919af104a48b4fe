"""The supervised setting (sections 2.1 and 2.4): can a classifier over the words' embeddings tell true from false?

The features of "What h1 is to t1, h2 is to t2." are the contextual embeddings of its four target words, concatenated;
for relation embeddings those of the two pairs, for static vectors the two differences (section 3.1). Every relation and
probe has its own classifier, trained on one half of the tuples and asked about the other. Sentences that several probes
share are embedded once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.protocols import EmbedsPairs, EmbedsWords, Floats32, HasVectors
from proband.core.types import Answer, Item
from proband.suites.analogy.relations import Pair, facts_of, query_and_option
from proband.suites.analogy.solvers.classifier import ProbeSplit, Settings, train_and_score
from proband.suites.analogy.solvers.cosine import lookup, uncovered
from proband.suites.analogy.solvers.pseudo_perplexity import DEFAULT, TEMPLATES, fill_spans

Sentence = tuple[Pair, Pair]
Features = Callable[[Sequence[Sentence]], Floats32]  # one row per sentence


# ---- options -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """The classifier."""

    classifier: Annotated[Literal["mlp", "linear"], Meta(description="the kind of classifier")] = "mlp"
    steps: Annotated[int, Meta(description="training batches of 128 sentences", ge=1)] = 300
    hidden: Annotated[int, Meta(description="units of the mlp's hidden layer", ge=1)] = 100

    @property
    def settings(self) -> Settings:
        return Settings(hidden=self.hidden if self.classifier == "mlp" else 0, steps=self.steps)


@dataclass(frozen=True, kw_only=True)
class WordLearningOptions(LearningOptions):
    """Options of a classifier over the words of a sentence."""

    template: Annotated[str, Meta(description=f"one of {', '.join(TEMPLATES)}, or text; items' own first")] = DEFAULT
    layers: Annotated[str, Meta(description="hidden states to average: -1, 0,6,12 or all")] = "-1"


def layers_of(text: str, count: int) -> list[int]:
    """`-1`, `0,1,2` or `all`.

    >>> layers_of("all", 3), layers_of("-1", 3)
    ([0, 1, 2], [-1])
    """
    if text == "all":
        return list(range(count))
    try:
        chosen = [int(part) for part in text.split(",")]
    except ValueError:
        raise ProbandError(f"'layers' is {text!r}; give numbers like -1 or 0,6,12, or all") from None
    if any(not -count <= layer < count for layer in chosen):
        raise ProbandError(f"'layers' is {text!r}; the model has {count} hidden states")
    return chosen


# ---- features ------------------------------------------------------------------------------------------------------


def contextual(model: EmbedsWords, *, template: str, layers: Sequence[int]) -> Features:
    """Embeddings of the four target words, each the mean over `layers`, concatenated: 4 x dim."""

    def features(sentences: Sequence[Sentence]) -> Floats32:
        filled = [fill_spans(template, query, option) for query, option in sentences]
        states = model.embed([text for text, _ in filled], [spans for _, spans in filled], layers=layers)
        out: Floats32 = states.mean(axis=2).reshape(len(sentences), -1)
        return out

    return features


def differences(vector: Mapping[str, NDArray[np.floating]]) -> Features:
    """v(t1) - v(h1) and v(t2) - v(h2), concatenated."""

    def embed(pairs: Sequence[Pair]) -> Floats32:
        return np.stack([vector[tail] - vector[head] for head, tail in pairs]).astype(np.float32)

    return of_pairs(embed)


def of_pairs(embed: Callable[[Sequence[Pair]], Floats32]) -> Features:
    """Embeddings of the two pairs, concatenated."""

    def features(sentences: Sequence[Sentence]) -> Floats32:
        pairs = list(dict.fromkeys(pair for sentence in sentences for pair in sentence))
        number = {pair: at for at, pair in enumerate(pairs)}
        rows = embed(pairs)
        twos = np.array([[number[query], number[option]] for query, option in sentences])
        out: Floats32 = rows[twos].reshape(len(sentences), -1)
        return out

    return features


# ---- items to tasks ------------------------------------------------------------------------------------------------


def probes_of(items: Sequence[Item]) -> tuple[list[Sentence], list[tuple[list[Item], ProbeSplit]]]:
    """The distinct sentences of a relation, and for each probe its test items and its split. A split refers to
    sentences by row and keeps the order of the items."""
    number: dict[Sentence, int] = {}
    row = {item.id: number.setdefault(query_and_option(item), len(number)) for item in items}
    probes: list[tuple[list[Item], ProbeSplit]] = []
    for probe in dict.fromkeys(item.tags["paper_probe"] for item in items):
        mine = [item for item in items if item.tags["paper_probe"] == probe]
        train = [item for item in mine if item.split == "train"]
        test = [item for item in mine if item.split != "train"]
        if len({item.gold for item in train}) < 2 or not test:
            continue  # few tuples may leave a probe without negatives: nothing to learn from
        split = ProbeSplit(
            train=np.array([row[item.id] for item in train]),
            labels=np.array([item.gold == 0 for item in train], dtype=np.float32),
            test=np.array([row[item.id] for item in test]),
        )
        probes.append((test, split))
    if not probes:
        raise ProbandError(
            f"relation {items[0].tags['relation']!r} has no true and false items to learn from and to ask"
        )
    return list(number), probes


def solve_with(items: Sequence[Item], features: Features, *, seed: int, options: LearningOptions) -> list[Answer]:
    """Scores (logit, -logit) for true and false on the test items; training items get no score."""
    answers: dict[str, Answer] = {}
    relations: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        query_and_option(item)  # an item of another setting is an error
        relations[str(item.tags["relation"])].append(item)
    for own in relations.values():
        sentences, probes = probes_of(own)
        logits = train_and_score(features(sentences), [split for _, split in probes], options.settings, seed=seed)
        for (questions, _), row in zip(probes, logits, strict=True):
            for item, logit in zip(questions, row.tolist(), strict=True):
                answers[item.id] = Answer(item_id=item.id, scores=(logit, -logit))
    return [answers.get(item.id, Answer(item_id=item.id)) for item in items]


# ---- solvers -------------------------------------------------------------------------------------------------------


def by_words(items: Sequence[Item], model: EmbedsWords, *, seed: int, options: WordLearningOptions) -> list[Answer]:
    template = facts_of(items[0]).template or options.template  # one build has one template
    features = contextual(model, template=template, layers=layers_of(options.layers, model.layers))
    return solve_with(items, features, seed=seed, options=options)


def by_relations(items: Sequence[Item], model: EmbedsPairs, *, seed: int, options: LearningOptions) -> list[Answer]:
    return solve_with(items, of_pairs(model.embed_pairs), seed=seed, options=options)


def by_differences(items: Sequence[Item], model: HasVectors, *, seed: int, options: LearningOptions) -> list[Answer]:
    """Solve with vector differences; an item is not covered if both words of a pair are unknown."""
    pairs = [query_and_option(item) for item in items]
    vectors = lookup(model, [word for two in pairs for pair in two for word in pair])
    answers = solve_with(items, differences(vectors), seed=seed, options=options)
    return [uncovered(each, two, vectors) if each.scores else each for each, two in zip(answers, pairs, strict=True)]
