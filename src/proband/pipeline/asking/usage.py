"""What a run has used (requests, tokens, cost), over all processes that worked on it, as run.json adds it up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from proband.core.protocols import Model

Usage = dict[str, float | None]
MAXIMA = ("longest_seconds",)  # kept as the largest; also the notes that begin with "without_", which are 1 or absent


def usage_of(model: Model) -> Usage:
    """What a model has used since it was loaded; nothing for models on this machine."""
    usage = getattr(model, "usage", None)
    return dict(usage()) if callable(usage) else {}


def add_usage(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> Usage:
    """
    >>> add_usage({"requests": 70.0, "cost": None, "without_seed": 1.0}, {"requests": 37.0, "without_seed": 1.0})
    {'requests': 107.0, 'cost': None, 'without_seed': 1.0}
    """
    return {name: _sum(name, one.get(name, 0.0), other.get(name, 0.0)) for name in dict.fromkeys((*one, *other))}


def sum_usage(parts: Iterable[Mapping[str, float | None]]) -> Usage:
    """
    >>> sum_usage([{"requests": 1.0}, {}, {"requests": 2.0}])
    {'requests': 3.0}
    """
    return reduce(add_usage, parts, {})


def _sum(name: str, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return a or b or None  # a sum with what is not known is what is known, if anything is
    return max(a, b) if _is_maximum(name) else a + b


def usage_since(now: Mapping[str, float | None], before: Mapping[str, float | None]) -> Usage:
    """What was used between two moments of one model.

    >>> usage_since({"requests": 12.0, "cost": None}, {"requests": 2.0, "cost": None})
    {'requests': 10.0, 'cost': None}
    """
    return {
        name: value if value is None or _is_maximum(name) else value - (before.get(name) or 0.0)
        for name, value in now.items()
    }


def _is_maximum(name: str) -> bool:
    return name in MAXIMA or (name.startswith("without_") and name != "without_usage")


def usage_in_words(usage: Mapping[str, float | None]) -> str:
    """For people.

    >>> usage_in_words({"requests": 107.0, "retries": 3.0, "answered": 100.0, "prompt_tokens": 12345.0,
    ...           "completion_tokens": 678.0, "cost": 0.0123, "seconds": 84.0, "longest_seconds": 3.2})
    '107 requests (3 retries), 12,345 tokens in, 678 out, cost 0.0123, 0.84 s per answer (longest 3.2 s)'
    >>> usage_in_words({"requests": 2.0, "prompt_tokens": None, "completion_tokens": None, "tokens": 9.0})
    '2 requests, tokens not known (the server does not tell), tokens 9'
    """
    rest = {name: value for name, value in usage.items() if value is None or value != 0}
    parts: list[str] = []
    if (requests := rest.pop("requests", None)) is not None:
        retries = rest.pop("retries", None)
        parts.append(
            f"{requests:,.0f} request{'s' * (requests != 1)}" + (f" ({retries:,.0f} retries)" if retries else "")
        )
    answered, silent = rest.pop("answered", None), rest.pop("without_usage", None)
    if "prompt_tokens" in usage:
        into, out = rest.pop("prompt_tokens", 0.0), rest.pop("completion_tokens", 0.0)
        if into is None or out is None:
            parts.append("tokens not known (the server does not tell)")
        else:
            missing = f" (not known for {silent:,.0f} answers)" if silent else ""
            parts.append(f"{into:,.0f} tokens in, {out:,.0f} out{missing}")
    if "cost" in usage:
        cost = rest.pop("cost", 0.0)
        parts.append("cost not known" if cost is None else f"cost {cost:,.4f}")
    seconds, longest = rest.pop("seconds", None), rest.pop("longest_seconds", None)
    if seconds and answered:
        parts.append(f"{seconds / answered:.2g} s per answer (longest {longest or 0.0:.2g} s)")
    if given_up := rest.pop("given_up", None):
        parts.append(f"{given_up:,.0f} given up under way (counted as paid)")
    names = {"unparsed": "replies without a letter", "cut_off": "replies cut off at the limit"}
    for name, value in rest.items():
        if name.startswith("without_"):
            parts.append(f"the server takes no {name.removeprefix('without_')}")
        else:
            parts.append(
                f"{names.get(name, name.replace('_', ' '))} {'not known' if value is None else f'{value:,.10g}'}"
            )
    return ", ".join(parts)
