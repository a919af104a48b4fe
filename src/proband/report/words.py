"""Numbers and verdicts as a paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.types import Tag

MINUS = "\N{MINUS SIGN}"


def metric(name: str) -> str:
    """
    >>> metric("whole_greedy")
    'whole greedy'
    """
    return name.replace("_", " ")


def figure(value: float, *, percent: bool) -> str:
    """
    >>> figure(0.7125, percent=True), figure(12.3456, percent=False), figure(-0.004, percent=True)
    ('71.2', '12.35', '−0.4')
    """
    text = f"{100 * value:.1f}" if percent else f"{value:.2f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def interval(low: float, high: float, *, percent: bool) -> str:
    """
    >>> interval(0.68, 0.741, percent=True)
    '[68.0, 74.1]'
    """
    return f"[{figure(low, percent=percent)}, {figure(high, percent=percent)}]"


def signed(value: float, *, percent: bool) -> str:
    """
    >>> signed(0.034, percent=True), signed(-0.034, percent=True)
    ('+3.4', '−3.4')
    """
    text = figure(value, percent=percent)
    return text if text.startswith(MINUS) or float(text) == 0 else "+" + text


def p_value(p: float) -> str:
    """
    >>> p_value(0.0312), p_value(0.00001), p_value(1.0)
    ('0.031', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def points(value: float, *, percent: bool) -> str:
    """A distance in words.

    >>> points(0.123, percent=True), points(-1.5, percent=False)
    ('12.3 points', '1.50')
    """
    return figure(abs(value), percent=percent) + (" points" if percent else "")


def tag(value: Tag) -> str:
    """
    >>> tag(True), tag(3.0), tag("ES")
    ('yes', '3', 'ES')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def key(names: Sequence[str], values: Sequence[Tag] | None, *, everything: str = "All") -> str:
    """The heading of a row or column: the values; a number or a boolean with its name.

    >>> key(("probe", "k"), ("reverse", 2)), key(("probe",), None), key((), ())
    ('reverse · k = 2', 'All', 'All')
    """
    if not values:
        return everything
    return " · ".join(f"{n} = {tag(v)}" if isinstance(v, (int, float)) else tag(v) for n, v in zip(names, values))


def group(tags: Mapping[str, Tag]) -> str:
    """
    >>> group({"group": "ES", "k": 2}), group({})
    ('ES · k = 2', 'everything')
    """
    return key(tuple(tags), tuple(tags.values()), everything="everything")


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "item"), count(48000, "answer")
    ('1 item', '48,000 answers')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
