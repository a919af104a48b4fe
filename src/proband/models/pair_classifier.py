"""Classifiers of a pair of texts (natural-language inference): log p(label | premise, hypothesis)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.models.checkpoints import Files, NetworkOptions, quiet, read_network, read_tokenizer, some_of
from proband.models.lm.forward import Network
from proband.models.lm.tokens import Ints, in_length_order, once

ENDING = "ForSequenceClassification"


def classifies(config: Any) -> bool:
    return any(str(each).endswith(ENDING) for each in config.architectures or ())


class PairClassifier:
    """Protocol ClassifiesPairs; both texts in one input, as the tokenizer joins a pair."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, identity: Any, batch: int | None = None) -> None:
        self.network, self.tokenizer, self.name, self._identity = Network(model, batch=batch), tokenizer, name, identity
        named: Mapping[int, str] = model.config.id2label
        self.labels = tuple(str(named[n]) for n in range(len(named)))

    def identity(self) -> Mapping[str, str]:
        return {"kind": "pair-classifier", **self._identity(), "dtype": self.network.dtype}

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        found = once(list(pairs), self._classified)
        return np.array(found, dtype=np.float32).reshape(len(pairs), len(self.labels))

    def _classified(self, pairs: list[tuple[str, str]]) -> Any:
        import torch

        encoded = [self.tokenizer(one, other, truncation=True) for one, other in pairs]

        def compute(picks: Ints) -> Any:
            batch = self.tokenizer.pad([encoded[i] for i in picks], return_tensors="pt").to(self.network.device)
            with torch.inference_mode():
                return torch.log_softmax(self.network.model(**batch).logits.float(), dim=-1)

        return in_length_order([len(each["input_ids"]) for each in encoded], compute, self.network.budget)


def load_classifier(files: Files, config: Any, *, name: str, options: NetworkOptions) -> PairClassifier:
    from transformers import AutoModelForSequenceClassification

    with quiet():
        model, missing = read_network(AutoModelForSequenceClassification, files, config, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    if missing:
        raise ProbandError(f"{name}: the weights lack {some_of(missing)}: this checkpoint has no trained classifier")
    identity = functools.cache(lambda: {"name": name, **files.identity()})
    return PairClassifier(model, tokenizer, name=name, identity=identity, batch=options.batch)
