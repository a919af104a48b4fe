"""Greedy filling against enumeration of all fillings, and what its draws depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import read_options
from proband.core.protocols import Floats32, Score, Text
from proband.core.types import Answer, Item
from proband.suites.script import filling
from proband.suites.script.corpus import running
from proband.suites.script.filling import ClozeOptions, inverse


def fill(items: Sequence[Item], model: Any, *, seed: int = 0, **options: Any) -> list[Answer]:
    return filling.solve(items, model, seed=seed, options=ClozeOptions(**options))


WORDS = ("pot", "pan", "lid", "bowl")
TEXT = ("use", "X", "with", "X", "on", "X", "now")


def item(name: str = "a", text: Sequence[str] = TEXT) -> Item:
    places = [i for i, word in enumerate(text) if word == "X"]
    filled = [WORDS[0] if word == "X" else word for word in text]
    facts: dict[str, Any] = {
        "abstract": ["cook"],
        "concrete": filled,
        "blanks": [[i, i + 1] for i in places],
        "gold": [[WORDS[0]] for _ in places],
        "candidates": " ".join(WORDS),
    }
    return Item(id=name, suite="script", prompt="", tags={"split": "test"}, facts=facts)


class Guesses:
    """P(word | word before) from a table of random numbers."""

    name = "guesses"

    def __init__(self, seed: int = 0) -> None:
        known = sorted({"cook", *TEXT, *WORDS} - {"X"})
        rows = np.random.default_rng(seed).normal(0, 2, (len(known), len(known)))
        rows -= np.logaddexp.reduce(rows, axis=1)[:, None]
        self.table = {a: dict(zip(known, map(float, row))) for a, row in zip(known, rows)}
        self.asked: list[str] = []

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
        self.asked += [left for left, _ in blanks]
        return np.array([[self.table[left.split()[-1]][word] for word in words] for left, _ in blanks], np.float32)


class Bigrams(Guesses):
    """Also scores texts: their likelihood can be added up by hand."""

    methods: tuple[str, ...] = ("ll",)

    def score(self, texts: Sequence[Text], *, method: str = "ll") -> list[Score]:
        return [Score(self.likelihood(text.text.split()), 1, 1) for text in texts]

    def likelihood(self, words: Sequence[str]) -> float:
        return sum(self.table[a][b] for a, b in pairwise(words))


def said(answers: Sequence[Any]) -> list[tuple[str, ...]]:
    return [tuple(word for blank in answer.blanks for word in blank["guess"]) for answer in answers]


def whole(model: Bigrams, words: Sequence[str]) -> float:
    chosen = iter(words)
    return model.likelihood(["cook", *(next(chosen) if word == "X" else word for word in TEXT)])


@pytest.mark.parametrize("seed", range(8))
def test_a_wide_beam_finds_the_likeliest_of_all_fillings(seed: int) -> None:
    model = Bigrams(seed)
    best = max(product(WORDS, repeat=3), key=lambda words: whole(model, words))
    assert said(fill([item()], model, beam=4)) == [best]


def test_what_stands_behind_a_blank_decides() -> None:
    """Hot draws that cover all fillings and keep the best one find it too; the likeliest words one by one do not."""
    differ = 0
    for seed in range(8):
        model = Bigrams(seed)
        best = max(product(WORDS, repeat=3), key=lambda words: whole(model, words))
        one_by_one = said(fill([item()], model, samples=0))[0]
        assert one_by_one == tuple(max(WORDS, key=lambda w: model.table[before][w]) for before in ("use", "with", "on"))
        differ += one_by_one != best
        assert said(fill([item()], model, samples=2000, temperature=4.0)) == [best]
    assert differ >= 4


def test_draws_follow_the_distribution() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.2]))
    uniforms = (np.arange(1000) + 0.5) / 1000
    drawn = [inverse(logits, u) for u in uniforms]
    assert [drawn.count(i) for i in range(3)] == [500, 300, 200]
    cold = [inverse(logits / 0.1, u) for u in uniforms]
    expected = np.exp(logits / 0.1) / np.exp(logits / 0.1).sum()
    assert [cold.count(i) / 1000 for i in range(3)] == pytest.approx(list(expected), abs=1e-3)


def test_draws_depend_on_seed_and_item_alone() -> None:
    model = Bigrams()
    items = [item("a"), item("b", ("use", "X", "now")), item("c")]
    hot: dict[str, Any] = {"samples": 2, "temperature": 3.0}
    together = [said(fill(items, model, seed=seed, **hot)) for seed in range(12)]
    for seed in range(12):
        alone = [said(fill([each], model, seed=seed, **hot))[0] for each in items[::-1]]
        assert alone[::-1] == together[seed]
    assert len({found[0] for found in together}) > 1
    assert any(found[0] != found[2] for found in together)  # the same text under another name draws its own


def test_a_cold_draw_is_the_likeliest_word() -> None:
    model = Bigrams()
    likeliest = said(fill([item()], model, samples=0))
    assert said(fill([item()], model, samples=1)) == likeliest
    assert said(fill([item()], model, samples=3, temperature=1e-3)) == likeliest


def test_records_tell_of_the_kept_text() -> None:
    """The five likeliest words are those behind the words that were kept."""
    model = Bigrams(3)
    text = ("use", "X", "X", "now")
    (answer,) = fill([item(text=text)], model, beam=4)
    (first,), (second,) = (blank["guess"] for blank in answer.blanks)
    five = sorted(WORDS, key=lambda w: -model.table[first][w])
    assert answer.blanks[1]["greedy_top5"] == [five]
    assert second in WORDS


def test_models_that_score_no_texts_add_up_their_words() -> None:
    model = Guesses(1)
    found = said(fill([item()], model, beam=4))[0]
    value = {
        words: sum(model.table[b][w] for b, w in zip(("use", "with", "on"), words))
        for words in product(WORDS, repeat=3)
    }
    assert found == max(value, key=lambda words: value[words])


def test_a_masked_model_takes_the_likeliest_word_unless_told() -> None:
    class Masked(Bigrams):
        methods = ("pll",)

        def score(self, texts: Sequence[Text], *, method: str = "pll") -> list[Score]:
            raise AssertionError("no text is scored")

    model = Masked()
    assert said(fill([item()], model)) == said(fill([item()], Bigrams(), samples=0))


def test_errors_in_one_line() -> None:
    with pytest.raises(ProbandError, match=r"'temperature' is 0\.0; it must be a number, above 0"):
        read_options(ClozeOptions, {"temperature": 0.0}, of="solver cloze")


def test_running_texts_are_what_is_scored() -> None:
    seen: list[str] = []

    class Listens(Bigrams):
        def score(self, texts: Sequence[Text], *, method: str = "ll") -> list[Score]:
            seen.extend(text.text[text.start :] for text in texts)
            return super().score(texts, method=method)

    fill([item()], Listens(), samples=400, temperature=9.0)
    assert len(seen) == len(set(seen)) > 10
    assert running(["use", "pot", "with", "pan", "on", "lid", "now"]) in seen


class Masked(Guesses):
    """Reads masks, and remembers both sides of every blank that it was asked for."""

    hidden_word = "[MASK]"

    def __init__(self) -> None:
        super().__init__()
        self.sides: list[tuple[str, str]] = []

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
        self.sides += blanks
        return super().predict_words(blanks, words)


def test_while_the_first_word_of_a_blank_is_chosen_the_second_is_a_mask() -> None:
    one = item(text=("use", "X", "X", "on", "X", "now"))
    facts = {**one.facts, "blanks": [[1, 3], [4, 5]], "gold": [[WORDS[0], WORDS[0]], [WORDS[0]]]}
    model = Masked()
    fill([Item(id="a", suite="script", prompt="", tags=one.tags, facts=facts)], model)
    shown = {behind for left, behind in model.sides if left.rstrip().endswith("use")}
    assert shown == {" [MASK] on"}
    second = {behind for left, behind in model.sides if left.split()[-2] == "use"}
    assert second == {" on"}
