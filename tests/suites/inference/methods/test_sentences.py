"""Classifiers and encoders of both sentences; models that are asked in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.protocols import Floats32
from proband.core.types import Item
from proband.models.fake import ScriptedModel
from proband.suites.inference.datasets.triples import answered
from proband.suites.inference.items import Triple, items
from proband.suites.inference.methods import sentences
from proband.suites.inference.methods.prompts import RuleOptions
from proband.suites.inference.methods.sentences import CHOOSE, GENERATE, LetterOptions, ReplyOptions


@pytest.fixture
def made() -> list[Item]:
    question = Triple("drug", "treats", "pain")
    premises = ("aspirin, cures, pain", "aspirin, treated, pain")
    return list(
        items([answered(question, Triple.read(p), entailed=True, source="x") for p in premises], control="none")
    )


class Replying(ScriptedModel):
    """Says no to everything, and something that cannot be read to the second question."""

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        return [("No.", "Who knows?")[at % 2] for at, _ in enumerate(prompts)]


def test_models_asked_in_words_stand_on_the_lemma_baseline(made: list[Item]) -> None:
    """What lemma accepts needs no reading; what it does not keeps the model's words and score."""
    alone = GENERATE.solve(made, Replying(), seed=0, options=ReplyOptions())
    assert [answer.status for answer in alone] == ["", "unread"]
    first, second = GENERATE.solve(made, Replying(), seed=0, options=ReplyOptions(on_lemma=True))
    assert (first.text, first.scores, first.status) == ("No.", (-0.5, 0.0), "")
    assert (second.text, second.scores, second.status) == ("Who knows?", (2.0, 0.0), "")
    chosen = CHOOSE.solve(made, Replying(), seed=0, options=LetterOptions(on_lemma=True))
    assert [(answer.scores, answer.letters) for answer in chosen] == [((-0.5, 0.0), "BA"), ((2.0, 0.0), "--")]


class Sure:
    """Says entailment with probability 0.8 where the premise has the word `cures`, else 0.1."""

    name = "sure"
    labels: tuple[str, ...] = ("contradiction", "entailment", "neutral")

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        yes = np.array([0.8 if "cures" in premise else 0.1 for premise, _ in pairs])
        return np.asarray(np.log(np.stack([(1 - yes) / 2, yes, (1 - yes) / 2], axis=1)), dtype=np.float32)

    def embed_sentences(self, texts: Sequence[str]) -> Floats32:
        return np.array([[1.0, 0.0] if "treat" in text else [0.6, 0.8] for text in texts], np.float32)


def test_the_log_odds_of_entailment(made: list[Item]) -> None:
    first, second = sentences.log_odds(made, Sure(), seed=0, options=RuleOptions())
    assert first.scores[0] == pytest.approx(math.log(0.8 / 0.2), abs=1e-5)
    assert second.scores[0] == pytest.approx(math.log(0.1 / 0.9), abs=1e-5)


def test_the_cosine_of_two_sentences(made: list[Item]) -> None:
    first, second = sentences.cosine(made, Sure(), seed=0, options=RuleOptions())
    assert (first.scores[0], second.scores[0]) == pytest.approx((0.6, 1.0))


def test_a_classifier_of_hugging_face(made: list[Item], tmp_path: Path) -> None:
    """A tiny one with random weights, saved and loaded by name: batches do not change what it says."""
    import transformers

    from proband.models import load

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "aspirin", "treats", "cures", "pain", "."]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    made_by: Any = transformers
    made_by.BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = made_by.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        id2label={0: "entailment", 1: "not_entailment"}, label2id={"entailment": 0, "not_entailment": 1},
    )  # fmt: skip
    made_by.BertForSequenceClassification(config).save_pretrained(tmp_path)
    model = load(f"hf:{tmp_path}")
    assert model.labels == ("entailment", "not_entailment")
    pairs = [("aspirin cures pain.", "aspirin treats pain."), ("aspirin.", "pain."), ("pain cures", "aspirin")]
    together, alone = model.classify(pairs), np.concatenate([model.classify([pair]) for pair in pairs])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.exp(together).sum(axis=1), 1, atol=1e-5)
    assert len(sentences.log_odds(made, model, seed=0, options=RuleOptions())) == 2
