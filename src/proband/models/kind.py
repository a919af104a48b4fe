"""What a kind of model is: the word before the colon in `hf:gpt2`, its loading options and its loader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proband.core.options import NoOptions


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """`load(rest, *, options)` gives the model behind `name:rest`; `options` is a frozen dataclass (core.options).

    `scores_texts(rest)` says, before it is loaded, whether the model scores texts. `asks(rest)` names the option, if
    any, that says so: where it is not given, loading the model asks its server."""

    name: str
    help: str
    load: Callable[..., Any]
    options: type = NoOptions
    asks: Callable[[str], str] = lambda rest: ""
    scores_texts: Callable[[str], bool] = lambda rest: False
