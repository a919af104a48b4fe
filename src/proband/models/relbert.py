"""`relbert:NAME_OR_PATH`: relation embeddings as RelBERT makes them (Ushio et al. 2021a, the baseline of paper 000).

A pair (h, t) is filled into a prompt, the fine-tuned masked LM reads the prompt, and its last hidden states h_i are
averaged over a set of tokens T:

    r(h, t) = 1/|T| * sum_{i in T} h_i

    mode `mask`              T = the mask token
    mode `average`           T = all tokens, <s> and </s> included
    mode `average_no_mask`   T = all of them but the mask token

A published checkpoint is a `transformers` folder whose config.json has an entry `relbert_config` with `mode` and
`template` (older ones: `custom_template`), a text with <subj>, <obj> and <mask>. The released code omits the
division by |T|, which does not change a cosine. Learnt prompts (token ids or vectors in place of the text) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.plugins import ModelKind
from proband.core.protocols import Floats32
from proband.models.checkpoints import (
    CheckpointOptions,
    find,
    quiet,
    read_config,
    read_network,
    read_tokenizer,
    some_of,
)
from proband.models.lm.network import Ints, LocalModel, once

MODES = ("mask", "average", "average_no_mask")
MARKS = ("<subj>", "<obj>", "<mask>")
LONGEST = 64  # tokens; the released code truncates longer prompts


def prompt(pair: tuple[str, str], template: str, *, mask: str) -> str:
    """The text for one pair.

    >>> prompt(("Paris", "France"), "the relation between <subj> and <obj> : <mask>", mask="[MASK]")
    'the relation between Paris and France : [MASK]'
    """
    head, tail = pair
    for word in pair:
        if any(mark in word for mark in (*MARKS, mask)):
            raise ProbandError(f"the word {word!r} contains a placeholder of the prompt")
    values = {"<subj>": head, "<obj>": tail, "<mask>": mask}
    return re.sub("|".join(MARKS), lambda each: values[each[0]], template)


class RelBert(LocalModel):
    """A relation-embedding model (protocol EmbedsPairs)."""

    kind = "relbert"

    def __init__(self, model: Any, tokenizer: Any, *, template: str, mode: str, **more: Any) -> None:
        super().__init__(model, tokenizer, **more)
        self.template, self.mode = template, mode

    def identity(self) -> Mapping[str, str]:
        return {**super().identity(), "template": self.template, "mode": self.mode}

    def embed_pairs(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """One row per pair; a repeated pair is computed once."""
        rows = once([(head, tail) for head, tail in pairs], self._embedded)
        out = np.array(rows, dtype=np.float32).reshape(len(pairs), self.network.width)
        if not np.isfinite(out).all():
            raise ProbandError(f"{self.name}: an embedding is not finite")
        return out

    def _embedded(self, pairs: list[tuple[str, str]]) -> Any:
        return self.mean_states([self._tokens(pair) for pair in pairs], self._counted)

    def _counted(self, ids: Any, real: Any) -> Any:
        masks = ids == self.tokenizer.mask_token_id
        return {"mask": masks, "average": real.bool(), "average_no_mask": real.bool() & ~masks}[self.mode]

    def _tokens(self, pair: tuple[str, str]) -> Ints:
        text = prompt(pair, self.template, mask=self.tokenizer.mask_token)
        ids = self.tokenizer(text, truncation=True, max_length=LONGEST)["input_ids"]
        if self.mode == "mask" and self.tokenizer.mask_token_id not in ids:
            raise ProbandError(f"{self.name}: the pair {pair} fills {LONGEST} tokens, and the mask is cut off")
        return np.array(ids, dtype=np.int64)


# ---- loading -------------------------------------------------------------------------------------------------------


def load(rest: str, *, options: CheckpointOptions) -> RelBert:
    """The checkpoint in a folder or in the hub cache."""
    from transformers import AutoModel

    name = f"relbert:{rest}"
    files = find(rest, name=name, revision=options.revision, allow_pickle=options.allow_pickle)
    with quiet():
        config = read_config(files, name=name)
        template, mode = _settings(config, name=name)
        tokenizer = read_tokenizer(files, name=name)
        if tokenizer.mask_token is None or tokenizer.pad_token is None:
            raise ProbandError(f"{name}: the tokenizer has no mask or no padding token")
        model, missing = read_network(AutoModel, files, config, name=name, options=options)
    missing = [key for key in missing if "pooler" not in key]  # the pooler is not used
    if missing:
        raise ProbandError(f"{name}: the weights lack {some_of(missing)}")
    known: dict[str, Any] = {"name": name, "identity": files.named(name), "batch": options.batch}
    return RelBert(model, tokenizer, template=template, mode=mode, **known)


def _settings(config: Any, *, name: str) -> tuple[str, str]:
    """The template and the mode that the checkpoint was trained with."""
    own = getattr(config, "relbert_config", None) or {}
    if not isinstance(own, Mapping):
        raise ProbandError(f"{name}: 'relbert_config' in config.json is not an object")
    template = own.get("template") or own.get("custom_template")
    if template is None:
        raise ProbandError(f"{name}: config.json has no 'relbert_config' with a template; is this a RelBERT model?")
    if not isinstance(template, str):
        raise ProbandError(f"{name}: a learned prompt (AutoPrompt, P-tuning) is not supported, only one in words")
    if "<subj>" not in template or "<obj>" not in template:
        raise ProbandError(f"{name}: the template {template!r} lacks <subj> or <obj>")
    mode = own.get("mode") or "average_no_mask"
    if mode not in MODES:
        raise ProbandError(f"{name}: mode {mode!r}; there are {', '.join(MODES)}")
    if mode == "mask" and template.count("<mask>") != 1:
        raise ProbandError(f"{name}: mode 'mask' needs a template with one <mask>, not {template!r}")
    return template, mode


ABOUT = "relation embeddings (RelBERT)"
KIND = ModelKind(name="relbert", help=ABOUT, options=CheckpointOptions, load=load, open_weights=True)
