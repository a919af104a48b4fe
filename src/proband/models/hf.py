"""`hf:NAME_OR_PATH`: language models of the Hugging Face kind, masked or causal as their configuration says, and
classifiers of pairs of texts.

A model whose head is missing from its file is refused rather than filled with random numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.options import json_object
from proband.core.protocols import Floats, ModelKind
from proband.models.checkpoints import (
    CheckpointOptions,
    Files,
    NetworkOptions,
    find,
    quiet,
    read_config,
    read_network,
    read_tokenizer,
    some_of,
    unpacked,
)
from proband.models.lm.causal import Causal
from proband.models.lm.chat import ChatCausal
from proband.models.lm.forward import Network
from proband.models.lm.masked import Masked
from proband.models.lm.tokens import Ints, in_length_order, once


@dataclass(frozen=True, kw_only=True)
class HfOptions(CheckpointOptions):
    """Loading a language model."""

    bos: Annotated[
        str,
        Meta(description="first token of a text for a causal model: auto (the tokenizer's), always, never, a token"),
    ] = "auto"
    template: Annotated[
        dict[str, Any] | str | None,
        Meta(description='further values for the chat template, as JSON: {"enable_thinking": false}'),
    ] = None


def load(rest: str, *, options: HfOptions) -> Masked | Causal | PairClassifier:
    """The model behind `hf:rest`."""
    name = f"hf:{rest}"
    files = find(rest, name=name, revision=options.revision, allow_pickle=options.allow_pickle)
    template = json_object(options.template, field="template", name=name)
    return open_model(files, name=name, options=options, bos=options.bos, template=template)


def open_model(
    files: Files,
    *,
    name: str,
    options: NetworkOptions,
    bos: str,
    start: str = "auto",
    template: Mapping[str, Any] | None = None,
) -> Masked | Causal | PairClassifier:
    """The model in some files, by its configuration. `template`: further values for its chat template."""
    with quiet():
        given = files
        if files.gguf is not None:
            files = Files(unpacked(files.folder / files.gguf, name=name))
        config = read_config(files, name=name)
        if classifies(config):
            return load_classifier(files, config, name=name, options=options)
        kind = masked_or_causal(config, name)
        model = _with_head(files, config, kind, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    identity = functools.cache(lambda: {"name": name, **given.identity()})
    longest = longest_input(config, tokenizer)
    if kind == "masked":
        return Masked(model, tokenizer, name=name, identity=identity, longest=longest, batch=options.batch)
    how: dict[str, Any] = {"longest": longest, "batch": options.batch, "bos": bos, "start": start}
    if tokenizer.chat_template:
        return ChatCausal(model, tokenizer, name=name, identity=identity, template=template, **how)
    if template:
        raise ProbandError(f"{name}: 'template' is for models with a chat template, and this one has none")
    return Causal(model, tokenizer, name=name, identity=identity, **how)


def masked_or_causal(config: Any, name: str) -> str:
    """By the architecture the configuration names, else by what transformers builds from the model type."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    for architecture in config.architectures or ():
        if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
            return "masked"
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
    if config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return "masked"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    raise ProbandError(f"{name}: a {config.model_type!r} model is neither a masked nor a causal language model")


def _with_head(files: Files, config: Any, kind: str, *, name: str, options: NetworkOptions) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    model, missing = read_network(auto, files, config, name=name, options=options)
    if missing and str(config.model_type).startswith("deberta") and getattr(config, "legacy", False):
        config.legacy = False  # the published DeBERTa checkpoints keep their head under the other name
        model, missing = read_network(auto, files, config, name=name, options=options)
    if missing:
        raise ProbandError(
            f"{name}: the weights lack {some_of(missing)}: this checkpoint has no trained {kind} language-model head"
        )
    return model


def longest_input(config: Any, tokenizer: Any) -> int | None:
    """Most tokens the model takes, special ones included; None where there is no limit."""
    limits = []
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # the RoBERTa family numbers positions from the padding index on
        offset = (config.pad_token_id or 0) + 1 if "roberta" in config.model_type else 0
        limits.append(positions - offset)
    if tokenizer.model_max_length and tokenizer.model_max_length < 10**9:
        limits.append(int(tokenizer.model_max_length))
    return min(limits) if limits else None


KIND = ModelKind(
    name="hf",
    help="masked and causal language models of Hugging Face, by name, folder or GGUF file; NLI classifiers",
    options=HfOptions,
    load=load,
    scores_texts=lambda rest: True,
)


# ---- classifiers of a pair of texts (natural-language inference): log p(label | premise, hypothesis) -----------------


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
        result = once(list(pairs), self._classified)
        return np.array(result, dtype=np.float32).reshape(len(pairs), len(self.labels))

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
