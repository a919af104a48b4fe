"""What a kind of model is: the word before the colon in `hf:gpt2`, its loading options and its loader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proband.core.options import NoOptions


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """`load(rest, *, options)` gives the model behind `name:rest`; `options` is a frozen dataclass (core.options)."""

    name: str
    help: str
    load: Callable[..., Any]
    options: type = NoOptions
