"""The supervised setting (sections 2.1 and 2.4): can a classifier over the words' embeddings tell true from false?

The features of "What h1 is to t1, h2 is to t2." are the contextual embeddings of its four target words, concatenated;
for relation embeddings those of the two pairs, for static vectors the two differences (section 3.1). Every relation and
probe has its own classifier, trained on one half of the tuples and asked about the other. Sentences that several probes
share are embedded once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import EmbedsPairs, EmbedsWords, Floats, HasVectors
from proband.core.types import Answer, Item
from proband.suites.analogy.classifier import Probe, Settings, fit_and_ask
from proband.suites.analogy.cosine import lookup
from proband.suites.analogy.reading import query_and_option
from proband.suites.analogy.relations import Pair
from proband.suites.analogy.templates import DEFAULT, fill_spans

Sentence = tuple[Pair, Pair]
Features = Callable[[Sequence[Sentence]], Floats]  # one row per sentence


# ---- features ------------------------------------------------------------------------------------------------------


def contextual(model: EmbedsWords, *, template: str = DEFAULT, layers: Sequence[int] = (-1,)) -> Features:
    """Embeddings of the four target words, each the mean over `layers`, concatenated: 4 x dim."""

    def features(sentences: Sequence[Sentence]) -> Floats:
        filled = [fill_spans(template, query, option) for query, option in sentences]
        found = model.embed([text for text, _ in filled], [spans for _, spans in filled], layers=layers)
        out: Floats = found.mean(axis=2).reshape(len(sentences), -1)
        return out

    return features


def relational(model: EmbedsPairs) -> Features:
    """Relation embeddings of the two pairs, concatenated."""
    return _of_pairs(model.embed_pairs)


def differences(model: HasVectors) -> Features:
    """v(t1) - v(h1) and v(t2) - v(h2), concatenated."""

    def embed(pairs: Sequence[Pair]) -> Floats:
        vector = lookup(model, [word for pair in pairs for word in pair])
        return np.stack([vector[tail] - vector[head] for head, tail in pairs]).astype(np.float32)

    return _of_pairs(embed)


def _of_pairs(embed: Callable[[Sequence[Pair]], Floats]) -> Features:
    def features(sentences: Sequence[Sentence]) -> Floats:
        pairs = list(dict.fromkeys(pair for sentence in sentences for pair in sentence))
        number = {pair: at for at, pair in enumerate(pairs)}
        rows = embed(pairs)
        twos = np.array([[number[query], number[option]] for query, option in sentences])
        out: Floats = rows[twos].reshape(len(sentences), -1)
        return out

    return features


# ---- items to tasks ------------------------------------------------------------------------------------------------


def by_relation(items: Sequence[Item]) -> Iterator[list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        query_and_option(item)  # says so, if an item is not of this setting
        groups[str(item.tags["relation"])].append(item)
    yield from groups.values()


def tasks_of(items: Sequence[Item]) -> tuple[list[Sentence], list[tuple[list[Item], Probe]]]:
    """The distinct sentences of a relation, and per probe the items asked about with the classifier's task."""
    number: dict[Sentence, int] = {}
    rows = [number.setdefault(query_and_option(item), len(number)) for item in items]
    found = []
    for probe in dict.fromkeys(item.tags["paper_probe"] for item in items):
        mine = [(item, row) for item, row in zip(items, rows, strict=True) if item.tags["paper_probe"] == probe]
        train = [(item, row) for item, row in mine if item.tags.get("part") == "train"]
        test = [(item, row) for item, row in mine if item.tags.get("part") != "train"]
        if len({item.gold for item, _ in train}) < 2 or not test:
            continue  # a lexical split of few tuples may leave a probe without negatives: nothing to learn from
        task = Probe(
            train=np.array([row for _, row in train]),
            labels=np.array([item.gold == 0 for item, _ in train], dtype=np.float32),
            ask=np.array([row for _, row in test]),
        )
        found.append(([item for item, _ in test], task))
    if not found:
        raise ProbandError(
            f"relation {items[0].tags['relation']!r} has no true and false items to learn from and to ask"
        )
    return list(number), found


def solve_with(items: Sequence[Item], features: Features, settings: Settings, *, seed: int) -> list[Answer]:
    """Scores (logit, -logit) for true and false of the test items; training items get no score."""
    said: dict[str, Answer] = {}
    for own in by_relation(items):
        sentences, tasks = tasks_of(own)
        table = features(sentences)
        for (asked, _), logits in zip(
            tasks, fit_and_ask(table, [t for _, t in tasks], settings, seed=seed), strict=True
        ):
            for item, logit in zip(asked, logits.tolist(), strict=True):
                said[item.id] = Answer(item_id=item.id, scores=(logit, -logit))
    return [said.get(item.id, Answer(item_id=item.id)) for item in items]


# ---- solvers -------------------------------------------------------------------------------------------------------


def settings_of(classifier: str, steps: int, hidden: int) -> Settings:
    if classifier not in ("mlp", "linear"):
        raise ProbandError(f"'classifier' is {classifier!r}; there are mlp, linear")
    return replace(Settings(), hidden=hidden if classifier == "mlp" else 0, steps=steps)


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


def by_words(
    items: Sequence[Item],
    model: EmbedsWords,
    *,
    seed: int,
    template: str = DEFAULT,
    layers: str = "-1",
    classifier: str = "mlp",
    steps: int = 300,
    hidden: int = 100,
) -> list[Answer]:
    features = contextual(model, template=template, layers=layers_of(layers, model.layers))
    return solve_with(items, features, settings_of(classifier, steps, hidden), seed=seed)


def by_relations(
    items: Sequence[Item],
    model: EmbedsPairs,
    *,
    seed: int,
    classifier: str = "mlp",
    steps: int = 300,
    hidden: int = 100,
) -> list[Answer]:
    return solve_with(items, relational(model), settings_of(classifier, steps, hidden), seed=seed)


def by_differences(
    items: Sequence[Item],
    model: HasVectors,
    *,
    seed: int,
    classifier: str = "mlp",
    steps: int = 300,
    hidden: int = 100,
) -> list[Answer]:
    return solve_with(items, differences(model), settings_of(classifier, steps, hidden), seed=seed)
