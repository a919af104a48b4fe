"""A profile: scores of a model on the items of a panel, by capability, with chance and shortcuts.

    score      the metric over the items of a row, with its interval
    level      the highest of: guessing, the shortcuts that were run, the same model asked without the question
               (control); where answers are to stay the same, how often answers agree that do not depend on the question
    can        the score is above chance and every shortcut: the largest p-value of these tests (stats.beats_all)

A ✓ is Bonferroni's over the rows of the whole panel: the same answers get the same ✓, whichever models and suites are
on the page. Moves of a model and comparisons of two models are families of their own (Holm).

Replies that could not be read count as wrong. Above a share of MOST_UNREAD a row has no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import msgspec
import numpy as np

from proband.core.metrics import Metric, best_choices
from proband.core.suite import Where
from proband.core.types import LEFT_OUT, Answer, Estimate, Item, Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import ALPHA, ORIGINAL, VARIATION, matches
from proband.reporting.numbers.formatting import in_a_sentence, short_model
from proband.reporting.numbers.item_sets import ItemSet
from proband.reporting.variations import in_words
from proband.stats import Clusters, Difference, Scores, beats_all, clusters_of, holm_where_tested
from proband.stats.ranking import best_threshold

Pairs = list[tuple[Item, Answer]]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Items of one set; of a varied set the source items, unless `where` names variations."""

    set: str
    where: dict[str, Tag | tuple[Tag, ...]] = {}


class People(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    value: float
    source: str


class Capability(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a profile; `same`: the share of varied items whose answer is that of their source; `recalled`: only
    items whose facts (`facts.rests_on`) the model has right; `ticked_at`: by size, the true score that gets its ✓ with
    80 % power."""

    does: str
    fails: str
    items: str
    parts: tuple[Part, ...]
    metric: str = ""
    same: bool = False
    recalled: bool = False
    ticked_at: dict[str, float | None] = {}
    people: People | None = None


class Move(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence about a row less another one; without another, about varied items less their sources."""

    says: str
    row: str
    less: str = ""


@dataclass(frozen=True, kw_only=True)
class Level:
    """What is reached without the ability: a constant, or a run."""

    name: str
    value: float
    scores: Scores | None = None

    @property
    def to_beat(self) -> float | Scores:
        return self.value if self.scores is None else self.scores


@dataclass(kw_only=True)
class Test:
    about: str
    difference: Difference
    p_holm: float | None = None  # None where nothing can be tested
    family: int = 1  # tests that are corrected together

    @property
    def clear(self) -> bool:
        return self.p_holm is not None and self.p_holm < ALPHA


@dataclass(frozen=True, kw_only=True)
class ExampleAnswer:
    item: str
    prompt: str
    right: str
    given: str
    set: str


@dataclass(frozen=True, kw_only=True)
class CapabilityRow:
    """A capability of one model; without scores, `reason` says why."""

    capability: Capability
    model: str
    metric: Metric | None = None
    scores: Scores | None = field(default=None, repr=False)
    pairs: Pairs = field(default_factory=list, repr=False)
    levels: tuple[Level, ...] = ()
    test: Test | None = None
    unread: float = 0.0
    size: str = "panel"
    examples: Mapping[str, ExampleAnswer] = field(default_factory=dict)
    reason: str = ""

    @cached_property
    def estimate(self) -> Estimate | None:
        return self.scores.interval() if self.scores is not None else None

    @property
    def level(self) -> Level | None:
        return max(self.levels, key=lambda each: each.value, default=None)

    @property
    def chance(self) -> float | None:
        return next((each.value for each in self.levels if each.name == CHANCE), None)

    @property
    def shortcut(self) -> Level | None:
        """The best of what is no guess."""
        return max((each for each in self.levels if each.name != CHANCE), key=lambda each: each.value, default=None)

    @property
    def can(self) -> bool:
        return not self.no_verdict and self.test is not None and self.test.clear and self.test.difference.value > 0

    @property
    def no_verdict(self) -> str:
        """Why nothing can be said for or against, or nothing."""
        if self.unread > MOST_UNREAD:
            return f"{100 * self.unread:.1f} % of the replies could not be read"
        if self.capability.ticked_at and self.ticked_at is None:
            return f"too few questions at this size ({self.size}): no score would get a ✓ with 80 % power"
        return ""

    @property
    def ticked_at(self) -> float | None:
        return self.capability.ticked_at.get(self.size)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The score if every unread reply were wrong, and if every one were right; of shares of right answers."""
        if self.estimate is None or self.metric is None or self.metric.over == "set" or not self.unread:
            return None
        return self.estimate.mean, min(1.0, self.estimate.mean + self.unread)

    @property
    def among_read(self) -> float | None:
        """The score among the replies that were read."""
        ends = self.bounds
        return None if ends is None or self.unread >= 1 else min(1.0, ends[0] / (1 - self.unread))

    @property
    def sign(self) -> str:
        return " ✓" if self.can else " (no verdict)" if self.no_verdict else ""

    @property
    def shown(self) -> str:
        return "–" if self.estimate is None else f"{100 * self.estimate.mean:.1f} %"


MOST_UNREAD = 0.2  # of the replies; above it a row has no verdict
CHANCE = "chance"
UNASKED = "answers that do not depend on the question"
BY_OPTIONS = "a preference among the options alone"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """All rows, a model after the other, and what they say. `references`: means of models that ship, on the panel."""

    title: str
    models: Sequence[str]
    rows: Sequence[CapabilityRow]
    contrasts: Sequence[Test]  # between models
    sentences: Sequence[tuple[str, str]]  # model (or nothing), sentence
    family: int = 1  # rows of the panel, over which a ✓ is corrected
    references: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, model: str) -> str:
        """How the page calls a model."""
        return self.names[model]

    @property
    def capabilities(self) -> list[Capability]:
        return list({row.capability.does: row.capability for row in self.rows}.values())

    def of(self, capability: Capability) -> list[CapabilityRow]:
        return [row for row in self.rows if row.capability.does == capability.does]


def make_profile(
    sets: Sequence[ItemSet],
    capabilities: Sequence[Capability],
    moves: Sequence[Move],
    models: Sequence[str],
    *,
    title: str,
    references: Mapping[str, Mapping[str, float]],
    missing: Mapping[tuple[str, str], str],
    controls: Sequence[str] = (),
    baselines: Mapping[str, Sequence[str]],
    family: int,
    size: str = "panel",
    notes: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Profile:
    """`missing`: why a model was not asked a set, by model and set; `controls`: solvers that ask without the question;
    `baselines` of each set; `family`: rows of the whole panel; `names`: how the page calls the models."""
    known = {each.source: replace(each, splits=("test",)) for each in sets}
    names = {model: (names or {}).get(model) or short_model(model) for model in models}
    reader = CapabilityReader(sets=known, missing=missing, controls=controls, baselines=baselines, size=size,
                              names=names)  # fmt: skip
    rows = {(model, each.does): reader.row(each, model) for model in models for each in capabilities}
    moved, between = dict[str, list[tuple[str, Test]]](), dict[str, list[tuple[str, Test]]]()
    for model in models:
        own = {does: row for (name, does), row in rows.items() if name == model and not row.no_verdict}
        tests = [(each.says, reader.moved(own.get(each.row), own.get(each.less), each)) for each in moves]
        moved[model] = [(says, test) for says, test in tests if test is not None]
    first, *others = models
    for other in others:
        sides = [(each.does, rows[first, each.does].scores, rows[other, each.does].scores) for each in capabilities]
        between[other] = [
            (does, Test(about=f"{does}: {names[first]} less {names[other]}", difference=a.minus(b)))
            for does, a, b in sides
            if a is not None and b is not None
        ]
    for test in (row.test for row in rows.values() if row.test):
        test.family = family
        test.p_holm = None if test.difference.p is None else min(1.0, family * test.difference.p)
    for pairs in (*moved.values(), *between.values()):
        own_tests = [test for _, test in pairs]
        for test, p in zip(own_tests, holm_where_tested([each.difference.p for each in own_tests]), strict=True):
            test.p_holm, test.family = (p, sum(each.difference.p is not None for each in own_tests))
    sentences = [
        (model, text)
        for model in models
        for text in _sentences([rows[model, each.does] for each in capabilities], moved[model], names[model])
    ]
    sentences += [("", text) for other, pairs in between.items() for text in _beside(pairs, names[first], names[other])]
    return Profile(
        title=title, models=models, rows=list(rows.values()), sentences=sentences, family=family, notes=notes,
        contrasts=[test for pairs in between.values() for _, test in pairs], names=names,
        references={name: each for name, each in references.items() if name not in models},
    )  # fmt: skip


# ---- rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CapabilityReader:
    """Scores of capabilities, from item sets by name."""

    sets: Mapping[str, ItemSet]
    missing: Mapping[tuple[str, str], str]
    controls: Sequence[str]
    baselines: Mapping[str, Sequence[str]]
    size: str = "panel"
    names: Mapping[str, str] = field(default_factory=dict)

    def row(self, of: Capability, model: str) -> CapabilityRow:
        missing = (self.missing[key] for part in of.parts if (key := (model, part.set)) in self.missing)
        if reason := next(
            missing, "" if all(self._run(part, model) is not None for part in of.parts) else "was not asked"
        ):
            return CapabilityRow(capability=of, model=model, reason=reason)
        return self._same(of, model) if of.same else self._right(of, model)

    def _tested(self, row: CapabilityRow, scores: Scores) -> CapabilityRow:
        """The row with the test of its scores against every level."""
        if not row.levels:
            return row
        apart = beats_all(scores, [each.to_beat for each in row.levels])
        about = f"{self.names.get(row.model, row.model)} {row.capability.does}, against every level"
        return replace(row, test=Test(about=about, difference=apart))

    def _right(self, of: Capability, model: str) -> CapabilityRow:
        """The metric over the items of a row."""
        (part,) = of.parts
        items, pairs = self.sets[part.set], self._pairs(part, model)
        metric = items.suite.metric(of.metric)
        if of.recalled:
            every = self._pairs(Part(set=part.set), model)
            right = {item.id for item, answer in every if metric.value(item, answer) == 1}
            pairs = [pair for pair in pairs if right.issuperset(pair[0].facts.get("rests_on", ()))]
        own = Scores.of_runs([pairs], metric)
        if own is None:
            reason = "its answers are not of the kind that is measured"
            return CapabilityRow(capability=of, model=model, reason=reason)
        row = CapabilityRow(
            capability=of, model=model, metric=metric, scores=own, pairs=pairs,
            levels=tuple(self._levels(part, metric, model, pairs)),
            unread=sum(answer.status == "unread" for _, answer in pairs) / len(pairs), size=self.size,
            examples=examples(pairs, metric, items),
        )  # fmt: skip
        return self._tested(row, own)

    def moved(self, one: CapabilityRow | None, other: CapabilityRow | None, move: Move) -> Test | None:
        """A row less another one of the same model, on other items; without another, its varied items less their
        sources, item by item."""
        if one is None or one.metric is None or (other is None and (move.less or one.capability.same)):
            return None
        name = self.names.get(one.model, one.model)
        if other is not None:
            if one.metric.over == "set" or other.scores is None:
                return None
            numbers = [
                (number, part, tuple(f"{item.suite} {name}" for name in clusters_of(item)))
                for part, row in (("one", one), ("other", other))
                for item, answer in row.pairs
                for number in one.metric.numbers(item, answer)
            ]
            values, parts, shared = zip(*numbers, strict=True)
            both = Scores.of(values, clusters=Clusters.of(shared), tags={"part": parts})
            apart = both.where(part="one").minus_selection(both.where(part="other"), same_runs=True)
            return Test(about=f"{name} {one.capability.does}, less: {other.capability.does}", difference=apart)
        given = self._with_sources(one.capability.parts[0], one.model)
        named = [(msgspec.structs.replace(pair[0], id=source.id), pair[1]) for pair, (source, _) in given]
        varied, plain = (Scores.of_runs([side], one.metric) for side in (named, [source for _, source in given]))
        if varied is None or plain is None:
            return None
        return Test(about=f"{name}: varied items less their sources", difference=varied.minus(plain))

    def _same(self, capability: Capability, model: str) -> CapabilityRow:
        """The share of varied items with the answer of their source. Answers that do not depend on the question agree
        as often as two answers to different questions do, or two guesses, or two choices of one place; and where both
        answers are what a preference among the options alone gives, the question need not have been read."""
        values, shared, by_chance, by_options = list[float](), list[tuple[str, ...]](), 0.0, list[float]()
        shown: dict[str, ExampleAnswer] = {}
        for part in capability.parts:
            given = self._with_sources(part, model)
            stays = [float(in_words(*pair) == in_words(*source)) for pair, source in given]
            values += stays
            shared += [clusters_of(pair[0]) for pair, _ in given]
            by_chance += len(given) * agreement([source for _, source in given])
            control = self._control(part.set, model)
            by_options += [
                same * all_preferred
                for same, all_preferred in zip(stays, follows_preference(given, control), strict=True)
            ]
            for kind, wanted in (("right", 1.0), ("wrong", 0.0)):
                chosen = [each for each, same in zip(given, stays, strict=True) if same == wanted]
                if chosen and kind not in shown:
                    (item, answer), (plain, first) = chosen[len(chosen) // 2]
                    told = f"{plain.prompt}\n\n{item.prompt}"
                    shown[kind] = ExampleAnswer(
                        item=item.id, prompt=told, right=right_answer(item), set=part.set,
                        given=f"{in_words(plain, first)}, then {in_words(item, answer)}",
                    )  # fmt: skip
        if not values:
            return CapabilityRow(capability=capability, model=model, reason="was not asked")
        clusters = Clusters.of(shared)
        own, alone = (Scores.of(each, clusters=clusters) for each in (values, by_options))
        levels = (
            Level(name=UNASKED, value=by_chance / len(values)),
            Level(name=BY_OPTIONS, value=alone.value, scores=alone),
        )
        metric = Metric(name="same_answer", of=float, title="share of answers that stay the same")
        row = CapabilityRow(
            capability=capability, model=model, metric=metric, scores=own, levels=levels, examples=shown
        )
        return self._tested(row, own)

    def _control(self, name: str, model: str) -> dict[str, str]:
        """What the model chooses without the question, by item, where it was asked so."""
        items = self.sets[name]
        runs = (at for at, run in enumerate(items.runs) if run.model == model and run.solver in self.controls)
        return {item.id: in_words(item, answer) for at in runs for item, answer in items.scored(at)}

    def _levels(self, part: Part, metric: Metric, model: str, pairs: Pairs) -> Iterator[Level]:
        items = self.sets[part.set]
        shortcuts = self.baselines.get(part.set, ())
        chance, asked = chance_of(pairs, metric), {item.id for item, _ in pairs}
        if chance is not None:
            yield Level(name=CHANCE, value=chance)
        for at, run in enumerate(items.runs):
            control = run.model == model and run.solver in self.controls
            if not control and (run.model == model or run.model not in shortcuts):
                continue
            own = [pair for pair in _within(items.scored(at), part.where) if pair[0].id in asked]
            scores = Scores.of_runs([own], metric)
            if scores is not None:
                name = f"itself without the question ({run.solver})" if control else run.model
                yield Level(name=name, value=scores.value, scores=scores)

    def _run(self, part: Part, model: str) -> int | None:
        runs = self.sets[part.set].runs if part.set in self.sets else ()
        return next((at for at, run in enumerate(runs) if run.model == model and run.solver not in self.controls), None)

    def _with_sources(self, part: Part, model: str) -> list[tuple[tuple[Item, Answer], tuple[Item, Answer]]]:
        """Varied items, each with the item that it was made from."""
        plain = {item.id: (item, answer) for item, answer in self._pairs(Part(set=part.set), model)}
        sources = ((pair, str(pair[0].facts.get("source"))) for pair in self._pairs(part, model))
        return [(pair, plain[source]) for pair, source in sources if source in plain]

    def _pairs(self, part: Part, model: str) -> Pairs:
        at = self._run(part, model)
        return [] if at is None else _within(self.sets[part.set].scored(at), part.where)


def _within(pairs: Iterator[tuple[Item, Answer]], where: Where) -> Pairs:
    return [
        (item, answer)
        for item, answer in pairs
        if answer.status not in LEFT_OUT
        and all(name in item.tags and matches(item.tags[name], wanted) for name, wanted in where.items())
        and (VARIATION in where or item.tags.get(VARIATION, ORIGINAL) == ORIGINAL)
    ]


def chance_of(pairs: Pairs, metric: Metric) -> float | None:
    if metric.over == "set" and metric.each is not None and metric.chance is not None:
        records = [record for item, answer in pairs if (record := metric.each(item, answer)) is not None]
        return float(metric.chance(np.array(records, dtype=np.float64)))
    if metric.name != "accuracy" or not all(item.choices for item, _ in pairs):
        return None
    return float(np.mean([1 / len(item.choices) for item, _ in pairs]))


def agreement(pairs: Pairs) -> float:
    """How often two answers agree that do not depend on the question.

    >>> items = [Item(id=str(i), suite="s", prompt="?", choices=("yes", "no"), gold=0) for i in range(4)]
    >>> agreement([(item, Answer(item_id=item.id, scores=(1.0, 0.0))) for item in items])
    1.0
    >>> agreement([(item, Answer(item_id=item.id, scores=(i % 2, 0.5))) for i, item in enumerate(items)])
    0.5
    """
    if not pairs:
        return 0.0
    told = Counter(in_words(*pair) for pair in pairs)
    places = Counter(best_choices(answer) for _, answer in pairs)
    guessed = float(np.mean([1 / max(1, len(item.choices)) for item, _ in pairs]))
    return max(guessed, *(sum((n / len(pairs)) ** 2 for n in each.values()) for each in (told, places)))


def follows_preference(
    given: Sequence[tuple[tuple[Item, Answer], tuple[Item, Answer]]], control: Mapping[str, str]
) -> list[float]:
    """Of each varied item and its source: whether both answers are those that a preference among the options gives. The
    preference is how often an option was chosen where it was offered, in all other pairs; or what the model chooses
    without the question (`control`). Of options that are preferred alike, each counts its share."""
    offered, chosen = Counter[str](), Counter[str]()
    for pair in given:
        for item, answer in pair:
            offered.update(item.choices)
            chosen[in_words(item, answer)] += 1
    results = []
    for pair in given:
        own = Counter(in_words(item, answer) for item, answer in pair)
        seen = Counter(option for item, _ in pair for option in item.choices)
        share = 1.0
        for item, answer in pair:
            rates = {o: (chosen[o] - own[o] + 1) / (offered[o] - seen[o] + 2) for o in item.choices}  # Laplace's rule
            best = [option for option, rate in rates.items() if rate == max(rates.values())]
            told = in_words(item, answer)
            preferred = (told in best) / len(best) if best else 0.0
            share *= max(preferred, float(control.get(item.id) == told))
        results.append(share)
    return results


def right_answer(item: Item) -> str:
    if item.gold is not None:
        return item.choices[item.gold]
    return ", ".join(" ".join(gold) for gold in item.facts.get("gold", ()))


def examples(pairs: Pairs, metric: Metric, items: ItemSet) -> dict[str, ExampleAnswer]:
    """An item that is right and one that is wrong, each in the middle of those by how sure the answer is."""
    values = _values(pairs, metric)
    sides = {
        "right": [pair for pair, value in zip(pairs, values, strict=True) if value is not None and value > 0.5],
        "wrong": [pair for pair, value in zip(pairs, values, strict=True) if value is not None and value <= 0.5],
    }
    shown = {}
    for kind, side in sides.items():
        if side:
            item, answer = sorted(side, key=lambda pair: (_margin(pair[1]), pair[0].id))[len(side) // 2]
            options = f"\n\nOptions: {'; '.join(item.choices)}" if len(item.choices) in range(2, 5) else ""
            shown[kind] = ExampleAnswer(
                item=item.id, prompt=item.prompt + options, right=right_answer(item),
                given=in_words(item, answer)[:200], set=items.source,
            )  # fmt: skip
    return shown


def _values(pairs: Pairs, metric: Metric) -> list[float | None]:
    """How right each answer is; scores that rank decide at the threshold that has most of them right."""
    if metric.over == "item" or metric.each is None:
        return [metric.value(item, answer) for item, answer in pairs]
    records = [metric.each(item, answer) for item, answer in pairs]
    known = np.array([each for each in records if each is not None], dtype=np.float64)
    threshold = best_threshold(known[:, 0], known[:, 1]) if len(known) else 0.0
    return [None if each is None else float((each[0] >= threshold) == (each[1] > 0.5)) for each in records]


def _margin(answer: Answer) -> float:
    first, second, *_ = (*sorted(answer.scores, reverse=True), 0.0, 0.0)
    return first - second


# ---- sentences ------------------------------------------------------------------------------------------------------


def _sentences(rows: Sequence[CapabilityRow], moves: Sequence[tuple[str, Test]], name: str) -> Iterator[str]:
    """What it can, what is not shown, what has no verdict, how it moves, asked otherwise."""
    asked = [row for row in rows if row.estimate is not None]
    own = [row for row in asked if not row.no_verdict]
    can, rest = [row for row in own if row.can], [row for row in own if not row.can]
    none = f"is above chance and the shortcuts in none of the {len(own)} capabilities that it was asked for"
    parts = [f"{row.capability.does} ({row.shown})" for row in can]
    yield f"{name} {f'{in_a_sentence(parts)}: above {_levels_of(can)}' if can else none}."
    if parts := [f"{row.capability.fails} ({row.shown})" for row in rest]:
        yield f"These items do not show that it can {in_a_sentence(parts)}."
    for row in asked:
        if row.no_verdict:
            yield f"No verdict on whether it can {row.capability.fails}: {row.no_verdict}{_if_read(row)}."
    for what, test in moves:
        yield _moved(what, test)
    for row in own:
        if row.capability.same and row.level is not None and row.estimate is not None:
            span = f"[{100 * row.estimate.low:.1f}, {100 * row.estimate.high:.1f}]"
            yield (
                f"Asked otherwise, it gives the same answer in {row.shown} {span} of cases; answers that do not depend "
                f"on the question would agree in {100 * row.level.value:.1f} %."
            )


def _if_read(row: CapabilityRow) -> str:
    """What the unread replies leave open."""
    if row.bounds is None or row.unread <= MOST_UNREAD:
        return ""
    low, high = row.bounds
    among = "" if row.among_read is None else f"; among those read it scores {100 * row.among_read:.1f} %"
    return f" (its score is between {100 * low:.1f} and {100 * high:.1f} %{among})"


def _moved(what: str, test: Test) -> str:
    d = test.difference
    if test.p_holm is None:
        return f"{what} cannot be compared: too few items."
    span = f"[{_signed(d.low)}, {_signed(d.high)}]"
    if test.clear:
        way = "falls" if d.value < 0 else "rises"
        return f"{what} {way} by {abs(100 * d.value):.1f} points {span} (Holm p {formatting.p_is(test.p_holm)})."
    least = d.detectable_among(test.family)
    seen = "" if least is None else f"; 80 % power to detect a change of {100 * least:.1f} points"
    return f"{what} does not change significantly ({_signed(d.value)} points {span}{seen})."


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", formatting.MINUS)


def _beside(pairs: Sequence[tuple[str, Test]], a: str, b: str) -> Iterator[str]:
    """Where one model is ahead, where the other, and where no difference is shown."""
    for who, sign in ((f"{a} is ahead of {b}", 1), (f"{b} is ahead of {a}", -1)):
        ahead = [
            f"{does} (by {abs(100 * test.difference.value):.1f} points)"
            for does, test in pairs
            if test.clear and sign * test.difference.value > 0
        ]
        if ahead:
            yield f"{who} where a model {in_a_sentence(ahead)}."
    if open_ones := [does for does, test in pairs if not test.clear]:
        yield f"No difference between {a} and {b} is shown where a model {in_a_sentence(open_ones)}."


def _levels_of(rows: Sequence[CapabilityRow]) -> str:
    beaten = any(row.shortcut is not None for row in rows)
    return "chance and, where there are any, shortcuts" if beaten else "chance"
