"""The declaration of a suite: how to build, solve, score and present it. Data and functions, no HTML.

`Suite` is the whole declaration; the types of its fields follow, in the order of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from proband.core.errors import ProbandError
from proband.core.files import dumps, group_by_key
from proband.core.metrics import Metric
from proband.core.plugins import NoOptions, declared, settings
from proband.core.protocols import AnswersItems
from proband.core.types import Answer, Item, Run, Tag

# Selects numbers by tags: of the item, derived by the suite, or of the run (`run.model`, `run.solver`, `run.net`,
# `run.NAME` for a setting of the solver). A tuple of values means any of them.
Where = Mapping[str, Tag | tuple[Tag, ...]]

Named = TypeVar("Named", Metric, "Net", "Solver", "Variation")


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A diagnostic benchmark."""

    name: str
    question: str  # the question that it tests, in one line
    cites: str

    # items
    options: type
    build: Callable[..., Built]  # build(options, *, seed)
    check: Callable[[Item], str | None] = lambda item: None  # the problem with an item's tags or facts, or None
    # re-checks the certificate of an item, given the manifest of its folder
    verify: Callable[[Item, Mapping[str, Any]], Verified] | None = None
    show: Callable[[Item], str]  # one item as text: its prompt, its proof or alignment
    draw: Callable[[Item, Answer | None], str | None] = lambda item, answer: None  # an SVG for the item browser
    export: Mapping[str, Callable[..., None]] = field(default_factory=dict)  # extra formats of `export --to`
    # "module:function" of stream(options, *, seed): the function that makes item number n, where items are generated
    stream: str = ""
    variations: str = ""  # "module:object" of a tuple of `Variation`s, imported when they are used
    # for options whose build has no train split: options of a small build of other items, for worked examples
    examples: Callable[[Any], Any | None] = lambda options: None

    # models
    solvers: tuple[Solver, ...]
    nets: tuple[Net, ...] = ()
    own_models: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # solver:NAME; may take the run's `seed`
    baselines: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # baseline:NAME, of its own

    # reports
    metrics: tuple[Metric, ...]  # the first is the main one
    tables: tuple[Table, ...]
    derive: Callable[[Mapping[str, Tag]], Mapping[str, Tag]] = lambda tags: {}  # further tags, made from an item's tags
    tag_titles: Mapping[str, str] = field(default_factory=dict)  # tags in words, if their names are not clear enough
    published: Callable[[], Sequence[Published]] = lambda: ()
    claims: tuple[Claim, ...] = ()
    abbreviations: Mapping[str, str] = field(default_factory=dict)  # values of tags, explained where they are printed

    # commands, people, the demonstration
    verbs: tuple[Verb, ...] = ()
    audit: str = ""  # "module:object" of an `Audit`, imported when it is used
    tasks: Mapping[str, str] = field(default_factory=dict)  # work for people: name -> "module:object" of a `HumanTask`
    demo: tuple[Demo, ...] = ()

    def metric(self, name: str = "") -> Metric:
        """A metric by name, or the main one."""
        if not self.metrics:
            raise ProbandError(f"suite {self.name!r} has no metric: 'metrics' is empty")
        return self._named("metric", self.metrics, name) if name else self.metrics[0]

    def net(self, name: str) -> Net:
        return self._named("net", self.nets, name)

    def solver(self, name: str) -> Solver:
        return self._named("solver", self.solvers, name)

    def all_variations(self) -> tuple[Variation, ...]:
        variations: tuple[Variation, ...] = declared(self.variations) if self.variations else ()
        return variations

    def variation(self, name: str) -> Variation:
        return self._named("variation", self.all_variations(), name)

    def _named(self, kind: str, things: Sequence[Named], name: str) -> Named:
        for each in things:
            if each.name == name:
                return each
        known = ", ".join(each.name for each in things) or "none"
        raise ProbandError(f"{self.name} has no {kind} {name!r}; it has {known}")


# ---- building and checking ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a builder returns: a stream of items, and a summary for manifest.json, known once the stream has ended."""

    items: Iterable[Item]
    licence: str
    summary: Callable[[], Mapping[str, Any]] = dict
    files: Callable[[], Mapping[str, str]] = dict  # further files to write next to the items: name -> text
    planned: Mapping[str, int] | None = None  # how many items of each part there will be, if known without building


@dataclass(frozen=True, kw_only=True)
class Verified:
    """The result of re-checking an item's certificate: the method, and the problem, if any."""

    method: str
    problem: str = ""
    uncertified: str = ""  # why nothing certifies the label: an error, unless such items are allowed


# ---- asking and training --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A way of asking a model a suite's items. `needs` is the protocol that the model must implement (core.protocols).

    `solve(items, model, *, seed, options)` gives one answer per item, in order. A solver that must see all items at
    once (because it trains on some of them) `needs_all_items`; others get a few hundred at a time. `setting`: the
    solver is the default for items whose tag `setting` has this value.
    """

    name: str
    help: str
    needs: type
    solve: Callable[..., Sequence[Answer]]
    options: type = NoOptions
    needs_all_items: bool = False
    setting: str = ""
    split: str = ""  # the default split; "": the items that are scored
    in_words: bool = False  # the model replies in words; the default only if no other solver fits the model
    # by options: how many items of the train split `solve` needs as `examples`, and from which folder, if another
    examples: Callable[[Any], tuple[int, str]] = lambda options: (0, "")
    recorded: Callable[[Any], Mapping[str, Any]] = settings  # what run.json records of the options
    # by options and model: what run.json records for options that the model decides
    decided: Callable[[Any, Any], Mapping[str, Any]] = lambda options, model: {}
    prompts: Path | None = None  # folder of the templates that can be copied
    asking: Any = None  # for replies in words: how to ask and read replies (solvers.generate.Asking)
    sends: Callable[..., list[list[str]]] | None = None  # the texts to be sent for each item; called like `solve`
    summary: Callable[[Iterable[Answer]], Mapping[str, Any]] | None = None  # of all answers, for run.json


DIRECT = Solver(
    name="direct",
    help="baselines, symbolic solvers and networks read items directly",
    needs=AnswersItems,
    solve=lambda items, model, **_: model.answer(items),
)


@dataclass(frozen=True, kw_only=True)
class Net:
    """A network of a suite's own. `task(items_folder, *, options, seed, model)` gives a `training.Task` (`model` is the
    one to start from, for nets that `need` one); `load(folder)` gives an object with the protocol AnswersItems, or the
    name of the ordinary model that was trained (`hf:FOLDER/model`)."""

    name: str
    help: str
    options: type
    task: Callable[..., Any]
    load: Callable[[Path], Any]
    needs: type | None = None  # the protocol of a model to start from (`train -m MODEL`)


# ---- tables, published figures, claims -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Table:
    """How a report lays out a suite's results: one line per value of the `rows` tags and model, one column per
    value of the `columns` tags. `order` fixes the order of tag values; the others follow alphabetically.
    `macro` names a tag whose values have equal weight: the score is the mean of the means per value.

    Tables of other quantities than means over tags (corpus statistics, alignments) are made by `of(results, seed)`.
    `adjacent` (heading -> name) puts the means of several tables in adjacent columns."""

    name: str
    title: str
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    metric: str = "accuracy"
    order: Mapping[str, tuple[Tag, ...]] = field(default_factory=dict)
    where: Where = field(default_factory=dict)
    macro: str = ""
    note: str = ""
    published_note: str = ""  # printed if the table has published figures
    of: Callable[[Results, int], Sequence[Sheet]] | None = None
    adjacent: Mapping[str, str] = field(default_factory=dict)
    always: bool = True  # False: only if a report or study names it
    built_with: Mapping[str, object] = field(default_factory=dict)  # only for items that were built with these options

    @property
    def of_scores(self) -> bool:
        """Whether its cells are scores by tags."""
        return self.of is None and not self.adjacent


@dataclass(frozen=True, kw_only=True)
class MeasuredOn:
    """The data behind a published figure. The figure is shown only for items of the same data, whose manifest
    has one of the `fingerprints`. If a condition (of the manifest, or `run.NAME` for a setting of the run) or the
    number of `questions` differs, our line gets a mark and the table a footnote."""

    data: str  # in words
    fingerprints: frozenset[str]
    conditions: Mapping[str, Tag] = field(default_factory=dict)
    questions: int | None = None


@dataclass(frozen=True, kw_only=True)
class Published:
    """One figure from the literature, shown next to ours in the cell with the same tags."""

    model: str
    metric: str
    group: Mapping[str, Tag]
    value: float  # on the metric's own scale: accuracies between 0 and 1
    source: str
    on: MeasuredOn


class Results(Protocol):
    """One item set with its runs, streamed from their files: the input of `Table.of`."""

    manifest: Mapping[str, Any]
    runs: Sequence[Run]
    labels: Sequence[str]  # one per run, all different

    def items(self) -> Iterator[Item]: ...

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]: ...

    def scored(self, run: int) -> Iterator[tuple[Item, Answer]]: ...  # only items that are scored


def runs_by_system(runs: Sequence[Run]) -> list[list[int]]:
    """The runs of each system: training seeds of one network are one system, any other run is a system by itself."""
    nets = [{name: value for name, value in run.net.items() if name != "seed"} for run in runs]
    keys = (
        dumps([run.solver, run.seed, run.settings, net]) if run.net else f"run {at}"
        for at, (run, net) in enumerate(zip(runs, nets))
    )
    return list(group_by_key((key, at) for at, key in enumerate(keys)).values())


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a test: `difference` (in `unit`; above 0 is what a claim expects) and p; None if there was nothing
    to test."""

    difference: float | None
    p: float | None
    evidence: str
    unit: Literal["share", "nats", "count"] = "share"
    published: bool = True  # whether the paper tested this system; False: a later system
    detectable: float | None = None  # the difference detected with 80 % power, printed if the claim is open
    measured: float | None = None  # the difference without the margin of a contrast, if it has one
    below_chance: bool = False  # both sides: the difference is then between two systems below chance
    below_shortcut: bool = False  # both sides: a shortcut without the tested skill scores higher than either


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A line of a figure: (x, y) points, and (x, low, high) where the interval of y is known."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Lines in one frame; both axes are shares, x from 0 to 1."""

    x: str
    y: str
    y_range: tuple[float, float]
    lines: tuple[Curve, ...]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A titled table of cells: text, numbers, None, and estimates in one of scores. One of `Table.of` may have the
    outcomes of its own tests (by the name that claims refer to, then by the label of the run) and curves."""

    name: str
    title: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    note: str = ""
    outcomes: Mapping[str, Mapping[str, Outcome]] = field(default_factory=dict)
    curves: Curves | None = None  # drawn above the table


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """The metric of `above` minus that of `below`, both within `where`.

    `pair` "item": two systems on the same items. A tag (`relation`): two selections of one run, compared value by
    value of the tag. `unit` (with no `pair`): two separate groups of values of that tag.
    """

    above: Where
    below: Where
    where: Where = field(default_factory=dict)
    metric: str = ""  # the suite's main one
    pair: str = ""
    unit: str = ""
    margin: float = 0.0  # `above` must lead by at least this much


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A paper's finding as a test. It holds if every contrast holds. `where`: the setting of the paper and of the test.
    `per`: a tag or setting (`run.model`) with a test for each value. `test` names an outcome of a table instead
    of contrasts; `across` is a test over all item sets of the suite, with outcomes by label."""

    statement: str
    source: str  # the section of the paper
    where: Where = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()
    test: str = ""
    per: tuple[str, ...] = ("run.model",)
    across: Callable[[Sequence[Results]], Mapping[str, Outcome]] | None = None
    needs: str = ""  # the runs that it requires


# ---- commands, audits, variations, the demonstration ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A command, `proband NAME` or `proband SUITE NAME`. `run` ("module:function") is imported when it is used: its
    parameters are the arguments (positional) and options (keyword-only), its docstring the help, with a `:param name:`
    each. `layout` ("module:function") gives lines and mappings of the result to print (default: its fields)."""

    name: str
    run: str
    layout: str = ""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What a suite adds to `proband audit`. `provers`: name -> "module:function", for domains (`proband.proof`) to
    refer to. `formats`: its own row formats (`proof.rows.RowFormat`)."""

    provers: Mapping[str, str] = field(default_factory=dict)
    formats: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True)
class Variation:
    """A change of an item with a known effect on the right answer. `make(item, *, rng, folder)` returns the varied
    item, or the reason why this one cannot be varied; `folder` contains the source items and their manifest.
    `check(source, varied)` returns a problem that the certificate of the varied item does not cover, or None.

    effect  keeps    the same answer is right
            changes  another answer is right, and it is known
            twin     a fresh item of the same form and difficulty, whose answer is known
            open     the right answer is not known: changes of the answers are reported separately
    """

    name: str
    help: str
    effect: Literal["keeps", "changes", "twin", "open"]
    make: Callable[..., Item | str]
    check: Callable[[Item, Item], str | None]


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What `proband demo` does for a suite: one build, the models to run on it (with solver or None), and the findings
    to test. `name` distinguishes several demos of one suite."""

    name: str = ""
    options: Mapping[str, Any]
    runs: tuple[tuple[str, str | None], ...] = ()
    limit: int | None = None
    of_models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # further options of a run, by model
    findings: tuple[Claim, ...] = ()  # tested like the claims of papers, and printed first
    audit: Callable[[Mapping[str, Any]], str] | None = None  # audit the items; its summary as a sentence
