"""Numbers and verdicts as a paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core import text
from proband.core.metrics import Metric
from proband.core.suite import Where
from proband.core.types import Estimate, Tag

MINUS = "\N{MINUS SIGN}"
TOO_FEW = "too few to tell"
POINTS = {"share": " points", "nats": " nats", "count": ""}  # what a difference is in


def metric(of: Metric) -> str:
    """
    >>> metric(Metric(name="whole_greedy", of=len))
    'whole greedy'
    """
    return of.title or of.name.replace("_", " ").replace(":", " ")


def with_arrow(of: Metric) -> str:
    """The metric's name with the direction that is better.

    >>> with_arrow(Metric(name="surprisal", of=len, unit="nats", better="low"))
    'surprisal ↓'
    """
    return metric(of) + (" ↑" if of.better == "high" else " ↓")


def unit(of: Metric) -> str:
    """What the numbers of a table are in."""
    return {"share": "percent", "nats": "nats", "count": ""}[of.unit]


def figure(value: float, of: Metric) -> str:
    """A number of a table.

    >>> from proband.core.metrics import ACCURACY
    >>> figure(0.7125, ACCURACY), figure(12.3456, Metric(name="rank", of=len, unit="count")), figure(-0.004, ACCURACY)
    ('71.2', '12.35', '−0.4')
    """
    return text.figure(value, of.unit).replace("-", MINUS)


def interval(low: float, high: float, of: Metric) -> str:
    """
    >>> from proband.core.metrics import ACCURACY
    >>> interval(0.68, 0.741, ACCURACY)
    '[68.0, 74.1]'
    """
    return f"[{figure(low, of)}, {figure(high, of)}]"


def span(e: Estimate, of: Metric) -> str:
    """The interval of an estimate, or why there is none.

    >>> from proband.core.metrics import ACCURACY
    >>> span(Estimate(metric="accuracy", group={}, mean=0.7, low=0.0, high=1.0, n=3, few=True), ACCURACY)
    '(n = 3, too few to tell)'
    """
    return f"(n = {e.n:,}, {TOO_FEW})" if e.few else interval(e.low, e.high, of)


def signed(value: float, of: Metric) -> str:
    """
    >>> from proband.core.metrics import ACCURACY
    >>> signed(0.034, ACCURACY), signed(-0.034, ACCURACY)
    ('+3.4', '−3.4')
    """
    text = figure(value, of)
    return text if text.startswith(MINUS) or float(text) == 0 else "+" + text


def value(number: float, of: Metric) -> str:
    """A number in a sentence, with its unit.

    >>> from proband.core.metrics import ACCURACY
    >>> value(0.7125, ACCURACY), value(1.5, Metric(name="surprisal", of=len, unit="nats"))
    ('71.2%', '1.50 nats')
    """
    return figure(number, of) + {"share": "%", "nats": " nats", "count": ""}[of.unit]


def distance(number: float, of: Metric) -> str:
    """A difference in a sentence, without its sign.

    >>> from proband.core.metrics import ACCURACY
    >>> distance(0.123, ACCURACY), distance(-1.5, Metric(name="surprisal", of=len, unit="nats"))
    ('12.3 points', '1.50 nats')
    """
    return figure(abs(number), of) + POINTS[of.unit]


def change(number: float, of: Metric) -> str:
    """A difference in a table of its own, with sign and unit."""
    return signed(number, of) + POINTS[of.unit]


def spread(sd: float | None, runs: int, of: Metric) -> str:
    """`± 1.2 over 3 seeds`, of a system of several runs."""
    return "" if sd is None else f"± {figure(sd, of)} over {runs} seeds"


def p_value(p: float) -> str:
    """
    >>> p_value(0.0312), p_value(0.00001)
    ('0.031', '<0.001')
    """
    return text.p_value(p)


def p_is(p: float) -> str:
    """
    >>> p_is(0.0312), p_is(0.00001)
    ('= 0.031', '<0.001')
    """
    shown = p_value(p)
    return shown if shown.startswith("<") else f"= {shown}"


def tag(value: Tag) -> str:
    """
    >>> tag(True), tag(3.0), tag("ES")
    ('yes', '3', 'ES')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def listed(value: Any) -> str:
    """A value of a manifest, whatever it holds, without brackets and quotes.

    >>> listed({"train": 1200, "kinds": ["a", "b"]}), listed(True), listed(None), listed(0.5)
    ('train 1200, kinds a,b', 'yes', '', '0.5')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{str(each).replace('_', ' ')} {listed(own)}" for each, own in value.items())
    if isinstance(value, (list, tuple)):
        return ("; " if any(isinstance(each, (Mapping, list)) for each in value) else ",").join(map(listed, value))
    return "" if value is None else ("yes" if value else "no") if isinstance(value, bool) else str(value)


def name(tag_name: str) -> str:
    """
    >>> name("run.template"), name("paper_probe")
    ('template', 'paper probe')
    """
    return tag_name.removeprefix("run.").replace("_", " ")


def key(names: Sequence[str], values: Sequence[Tag] | None, *, everything: str = "All") -> str:
    """The heading of a row or column: the values; a number or a boolean with its name.

    >>> key(("probe", "k"), ("reverse", 2)), key(("probe",), None), key((), ())
    ('reverse · k = 2', 'All', 'All')
    """
    if not values:
        return everything
    return " · ".join(f"{name(n)} = {tag(v)}" if isinstance(v, (int, float)) else tag(v) for n, v in zip(names, values))


def group(tags: Where) -> str:
    """
    >>> group({"group": "ES", "k": 2}), group({"k": (2, 3)}), group({})
    ('ES · k = 2', 'k = 2 or 3', 'all items')
    """
    single = {n: v for n, v in tags.items() if not isinstance(v, tuple)}
    several = {n: v for n, v in tags.items() if isinstance(v, tuple)}
    parts = [key(tuple(single), tuple(single.values()))] if single else []
    for n, values in several.items():
        text = " or ".join(map(tag, values))
        parts.append(f"{name(n)} = {text}" if isinstance(values[0], (int, float)) else text)
    return " · ".join(parts) or "all items"


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "item"), count(48000, "answer")
    ('1 item', '48,000 answers')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
