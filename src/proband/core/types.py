"""The records that are passed between stages. What a suite declares is in suite.py.

`build` makes Items, `run` turns Items into Answers, `report` turns both into Estimates (metrics.py).
Everything here is a frozen record: nothing is passed on and mutated (`msgspec.structs.replace` makes a changed copy).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

Tag = str | int | float | bool
Split = Literal["train", "valid", "test"]
Status = Literal["", "unread", "content_filter", "error", "skipped", "not covered"]
WRONG: tuple[Status, ...] = ("unread", "content_filter", "error")  # without an answer; counted as wrong
LEFT_OUT: tuple[Status, ...] = ("skipped", "not covered")  # of every metric


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of one of our files: strict when read, the same bytes for the same values when written."""


class Item(Record, frozen=True, kw_only=True):
    """One question. `gold` indexes `choices`, or is None for open items and until people have judged it.

    `facts["clusters"]` (a list of strings) names what this item shares with others: items with a common
    cluster are not independent, and the statistics treat them so.
    """

    id: str
    suite: str
    prompt: str
    choices: tuple[str, ...] = ()
    gold: int | None = None
    tags: dict[str, Tag] = {}
    facts: dict[str, Any] = {}
    split: Split = "test"


class Answer(Record, frozen=True, kw_only=True):
    """A model's answer to one item: a score per choice (higher is preferred), its own words if it wrote any,
    and for cloze items one record per blank (`guess`: the words that fill it).

    `status` is "" for an ordinary answer. "unread": the model replied (`text`), but no single answer can be read from
    it. "content_filter": the server withheld its reply. "error": the model or its server failed (`text` says how;
    `run --on-error record`). These three count as wrong in every metric. "skipped": the item was not asked (`text` says
    why, for example that it is longer than the model's window). "not covered": the model has no data for the item
    (`text` says why: words that it has no vectors for). Both are left out of every metric, and reports give their
    number.

    `logprob` is the mean log-probability (natural log) of the tokens of `text`, if it was requested and returned.
    `letters` are the letters chosen in each order of the choices, if there were several (solver `choose`); "-" is a
    reply that could not be read.
    """

    item_id: str
    scores: tuple[float, ...] = ()
    text: str | None = None
    blanks: tuple[dict[str, Any], ...] = ()
    status: Status = ""
    logprob: float | msgspec.UnsetType = msgspec.UNSET
    letters: str | msgspec.UnsetType = msgspec.UNSET


class Fact(NamedTuple):
    """`who` is the `relation` of `of` (or is not, if `negated`); `sentence` is its place in the text."""

    who: str
    relation: str
    of: str
    gender: str | None = None  # of who, if the word implies it
    negated: bool = False
    sentence: int = -1


class Judgment(Record, frozen=True, kw_only=True):
    """A person's answer."""

    item_id: str
    worker: str
    value: str
    seconds: float


class Run(Record, frozen=True, kw_only=True):
    """The origin of a file of answers; run.json in its folder."""

    suite: str
    solver: str
    model: str
    seed: int
    items_sha: str
    items: str = ""  # path of the items, relative to the run's folder
    versions: dict[str, str] = {}
    identity: dict[str, str] = {}  # of the model: revision, weights and tokenizer hashes
    settings: dict[str, Any] = {}  # of the solver: template, normalisation, ...
    usage: dict[str, float | None] = {}  # requests, tokens and cost of an endpoint; None: not reported
    summary: dict[str, Any] = {}  # of all answers by the solver (position bias): figures, and a text `in_words`
    label: str = ""  # the name in reports, if the user sets one
    net: dict[str, Any] = {}  # of a trained network: its kind, options and training seed (net.json)
    parameters: int = 0  # of the model, if known
