"""The nouns that travel between the stages, and what a suite says of itself.

`build` makes Items, `run` turns Items into Answers, `report` turns Items and Answers into Estimates.
Everything here is frozen: nothing is passed on and mutated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Tag = str | int | float | bool


@dataclass(frozen=True, kw_only=True)
class Item:
    """One question. `gold` indexes `choices`, or is None for open items and until people have judged it.

    `facts["clusters"]` (a list of strings) names what this item shares with others: items with a common
    cluster are not independent, and the statistics treat them so.
    """

    id: str
    suite: str
    prompt: str
    choices: tuple[str, ...] = ()
    gold: int | None = None
    tags: Mapping[str, Tag] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model said of one item: a score per choice (higher is preferred), its own words if it wrote any,
    and for cloze items one record per blank."""

    item_id: str
    scores: tuple[float, ...] = ()
    text: str | None = None
    blanks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """What a person said."""

    item_id: str
    worker: str
    value: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Run:
    """Where a file of answers comes from; stands beside it as run.json."""

    suite: str
    solver: str
    model: str
    seed: int
    items_sha: str
    items: str = ""  # where the items stood, seen from the run's folder
    versions: Mapping[str, str] = field(default_factory=dict)
    identity: Mapping[str, str] = field(default_factory=dict)  # of the model: revision, weights and tokenizer hashes
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the solver: template, normalisation, ...
    usage: Mapping[str, float] = field(default_factory=dict)  # tokens and cost, where an endpoint tells


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One cell of a table: a mean with its interval over `n` items."""

    metric: str
    group: Mapping[str, Tag]
    mean: float
    low: float
    high: float
    n: int
    clusters: int = 0


# ---- what a suite says of itself -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Option:
    """A setting of a builder, a solver or a net: `--name` on the command line, a keyword in Python."""

    name: str
    help: str
    default: Any = None
    kind: Callable[[str], Any] = str  # text -> value; bool means a flag
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a builder returns: a stream of items, and a summary that may be asked for once the stream has ended.

    The summary goes into manifest.json (counts, rates, leak report...).
    """

    items: Iterable[Item | str]  # text: an item's line in items.jsonl, ready made (for builders in a hurry)
    licence: str
    summary: Callable[[], Mapping[str, Any]] = dict
    files: Callable[[], Mapping[str, str]] = dict  # further files to write beside the items: name -> text


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A way of putting a suite's items to a model. `needs` is the protocol the model must have (core.protocols).

    `solve(items, model, seed=..., **options)` gives one answer per item, in order. A solver that must see all
    items at once (because it trains on some of them) is `whole`; the others get a few hundred at a time. `setting` is
    the value of the items' tag of that name which only this kind of solver can answer; such items are its by default.
    """

    name: str
    help: str
    needs: type
    solve: Callable[..., Sequence[Answer]]
    options: tuple[Option, ...] = ()
    whole: bool = False
    setting: str = ""


# A metric gives no number (None: does not apply), one, or several (one per blank) for an item and its answer.
Metric = Callable[[Item, Answer], float | Sequence[float] | None]


@dataclass(frozen=True, kw_only=True)
class Table:
    """How a report lays out a suite's results: one line per value of the `rows` tags and model, one column per
    value of the `columns` tags. `order` fixes the order of tag values; the others follow alphabetically."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    metric: str = "accuracy"
    order: Mapping[str, tuple[Tag, ...]] = field(default_factory=dict)
    where: Mapping[str, Tag] = field(default_factory=dict)  # only items with these tags
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One figure from the literature, to stand beside ours in the cell with the same tags."""

    model: str
    metric: str
    group: Mapping[str, Tag]
    value: float  # on the metric's own scale: accuracies between 0 and 1
    source: str


@dataclass(frozen=True, kw_only=True)
class Net:
    """A network of a suite's own. `train(items_dir, out=, seed=, progress=, **options)` writes a model folder,
    `load(folder)` gives an object with the protocol AnswersItems."""

    name: str
    help: str
    train: Callable[..., Mapping[str, Any]]
    load: Callable[[Path], Any]
    options: tuple[Option, ...] = ()
    needs: type | None = None  # the protocol of a model to start from (`train -m MODEL`), passed on as `model=`


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What `proband demo` does for a suite: one build and the models to run on it (with solver or None). `name` tells
    several of one suite apart."""

    name: str = ""
    options: Mapping[str, Any]
    runs: tuple[tuple[str, str | None], ...]
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A diagnostic benchmark: how to build it, solve it, score it and lay it out."""

    name: str
    question: str  # what it asks of a model, in one line
    cites: str
    build: Callable[..., Built]  # build(seed=..., **options)
    options: tuple[Option, ...]
    solvers: tuple[Solver, ...]
    metrics: Mapping[str, Metric]  # the first is the main one
    tables: tuple[Table, ...]
    show: Callable[[Item], str]  # one item as text: its prompt, its proof or alignment
    demo: tuple[Demo, ...] = ()
    draw: Callable[[Item, Answer | None], str | None] = lambda item, answer: None  # an SVG for the item browser
    published: Callable[[], Sequence[Published]] = lambda: ()
    nets: tuple[Net, ...] = ()
    own_models: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # solver:NAME
    audit: Callable[..., Mapping[str, Any]] | None = None  # audit(path, out=, progress=)
    paper: Callable[..., Mapping[str, Any]] | None = None  # paper(data=, out=, models=, progress=)
    export: Mapping[str, Callable[..., None]] = field(default_factory=dict)  # extra formats of `export --to`


def accuracy(item: Item, answer: Answer) -> float | None:
    """1 if the gold choice has the highest score; a tie among t choices that includes gold counts 1/t.

    >>> item = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=0)
    >>> accuracy(item, Answer(item_id="a", scores=(-1.0, -2.0))), accuracy(item, Answer(item_id="a", scores=(0, 0)))
    (1.0, 0.5)
    """
    if item.gold is None or not answer.scores:
        return None
    best = max(answer.scores)
    winners = [i for i, score in enumerate(answer.scores) if score == best]
    return 1.0 / len(winners) if item.gold in winners else 0.0


def numbers(value: float | Sequence[float] | None) -> list[float]:
    """What a metric gave, as a list.

    >>> numbers(None), numbers(1.0), numbers([0.0, 1.0])
    ([], [1.0], [0.0, 1.0])
    """
    if value is None:
        return []
    return [float(value)] if isinstance(value, (int, float)) else [float(each) for each in value]
