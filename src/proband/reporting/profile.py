"""A profile: scores of a model on the items of a panel, by capability, with chance and shortcuts.

    score      the metric over the items of a row, with its interval
    level      the highest of: guessing, a constant answer, the shortcuts that were run, the model without the question
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

from proband.core.metrics import Estimate, Metric, best_choices
from proband.core.suite import Where
from proband.core.types import LEFT_OUT, Answer, Item, Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.comparisons import Comparison, compared, holm_corrected
from proband.reporting.numbers.formatting import in_a_sentence
from proband.reporting.numbers.study import ORIGINAL, VARIATION, ItemSet, matches
from proband.reporting.variations import in_words, rightness
from proband.stats import Clusters, Scores, beats_all, clusters_of

Pairs = list[tuple[Item, Answer]]
SCORE = Metric(name="score", of=len)


def percent(share: float) -> str:
    return formatting.value(share, SCORE)


class CapabilityPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Items of one set; of a varied set the source items, unless `where` names variations."""

    set: str
    where: dict[str, Tag | tuple[Tag, ...]] = {}


class HumanScore(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    value: float
    source: str


class Capability(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a profile; `same`: the share of varied items whose answer is that of their source; `recalled`: only
    items whose facts (`facts.rests_on`) the model has right; `classes`: of answers, where the text tells the class of
    the right one without reasoning (a gender), so that a system may prefer an answer in each; `ticked_at`: by size, the
    true score that gets its ✓ with 80 % power."""

    does: str
    fails: str
    items: str
    parts: tuple[CapabilityPart, ...]
    metric: str = ""
    same: bool = False
    recalled: bool = False
    classes: dict[str, tuple[str, ...]] = {}
    ticked_at: dict[str, float | None] = {}
    people: HumanScore | None = None


class Move(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence about a row less another one."""

    says: str
    row: str
    less: str


@dataclass(frozen=True, kw_only=True)
class Level:
    """A score without the ability: a constant, or a run."""

    name: str
    value: float
    scores: Scores | None = None


@dataclass(frozen=True, kw_only=True)
class CapabilityRow:
    """A capability of one model; without scores, `reason` says why."""

    capability: Capability
    model: str
    metric: Metric | None = None
    scores: Scores | None = field(default=None, repr=False)
    pairs: Pairs = field(default_factory=list, repr=False)
    levels: tuple[Level, ...] = ()
    test: Comparison | None = None  # against the level that decides
    unread: float = 0.0
    size: str = "panel"
    examples: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # right and wrong
    reason: str = ""

    @cached_property
    def estimate(self) -> Estimate | None:
        if self.scores is None:
            return None
        levels = {"chance": self.chance, "shortcut": self.shortcut.value if self.shortcut else None}
        return msgspec.structs.replace(self.scores.interval(), **levels, unread=self.unread, mark=self.sign)

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
        return not self.no_verdict and self.test is not None and self.test.clear and self.test.value > 0

    @property
    def no_verdict(self) -> str:
        """Why the row has no verdict, or nothing."""
        if self.unread > MOST_UNREAD:
            return f"{percent(self.unread)} of the replies could not be read"
        if self.capability.ticked_at and self.ticked_at is None:
            return f"too few questions at this size ({self.size}) for a ✓ with 80 % power"
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
        return " ✓" if self.can else " ?" if self.no_verdict else ""

    @property
    def shown(self) -> str:
        unread = f", {percent(self.unread)} unread" if self.unread else ""
        return "–" if self.estimate is None else f"{percent(self.estimate.mean)}{unread}"


MOST_UNREAD = 0.2  # of the replies; above it a row has no verdict
CHANCE = "chance"
UNASKED = "answers that do not depend on the question"
BY_OPTIONS = "a preference among the options alone"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """All rows, model by model, and the findings. `references`: means of models that ship, on the panel."""

    title: str
    models: Mapping[str, str]  # KIND:NAME -> how the page calls it
    rows: Sequence[CapabilityRow]
    contrasts: Sequence[Comparison]  # between models
    sentences: Sequence[tuple[str, str]]  # model (or nothing), sentence
    family: int = 1  # rows of the panel, over which a ✓ is corrected
    references: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def capabilities(self) -> list[Capability]:
        return list({row.capability.does: row.capability for row in self.rows}.values())

    def of(self, capability: Capability) -> list[CapabilityRow]:
        return [row for row in self.rows if row.capability.does == capability.does]


def make_profile(
    reader: CapabilityReader,
    capabilities: Sequence[Capability],
    moves: Sequence[Move],
    models: Mapping[str, str],
    *,
    title: str,
    references: Mapping[str, Mapping[str, float]],
    notes: Sequence[str] = (),
) -> Profile:
    """`models`: how the page calls each."""
    rows = {model: {each.does: reader.row(each, model) for each in capabilities} for model in models}
    sentences, contrasts, (first, *others) = list[tuple[str, str]](), list[Comparison](), models
    for model in models:
        own = {does: row for does, row in rows[model].items() if not row.no_verdict}
        tests = [reader.moved(own.get(each.row), own.get(each.less), each) for each in moves]
        moved = holm_corrected([test for test in tests if test is not None], together=True)
        sentences += [(model, text) for text in _sentences(list(rows[model].values()), moved, models[model])]
    for other in others:
        pairs = [
            compared(one.metric, one.scores, two.scores, group={"row": does}, labels=(models[first], models[other]))
            for (does, one), two in zip(rows[first].items(), rows[other].values())
            if one.metric is not None and one.scores is not None and two.scores is not None
            and not one.no_verdict and not two.no_verdict
        ]  # fmt: skip
        contrasts += (tested := holm_corrected(pairs, together=True))
        sentences += [("", text) for text in _pair_sentences(tested, models[first], models[other])]
    return Profile(
        title=title, models=models, rows=[row for own in rows.values() for row in own.values()], notes=notes,
        sentences=sentences, contrasts=contrasts, family=reader.family, references=references,
    )  # fmt: skip


# ---- rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CapabilityReader:
    """Scores of capabilities, from item sets by name. `missing`: why a model was not asked a set, by model and set;
    `controls`: solvers that ask without the question; `baselines` of each set."""

    sets: Mapping[str, ItemSet]
    missing: Mapping[tuple[str, str], str]
    controls: Sequence[str]
    baselines: Mapping[str, Sequence[str]]
    family: int = 1  # rows of the whole panel, which are corrected together
    size: str = "panel"

    def row(self, of: Capability, model: str) -> CapabilityRow:
        missing = (self.missing[key] for part in of.parts if (key := (model, part.set)) in self.missing)
        asked = all(self._run(part, model) is not None for part in of.parts)
        if reason := next(missing, "" if asked else "was not asked"):
            return CapabilityRow(capability=of, model=model, reason=reason)
        return self._same(of, model) if of.same else self._right(of, model)

    def _tested(self, row: CapabilityRow, scores: Scores) -> CapabilityRow:
        """The row with the test of its scores against every level (Bonferroni)."""
        if not row.levels:
            return row
        apart = beats_all(scores, [each.value if each.scores is None else each.scores for each in row.levels])
        p = None if apart.p is None else min(1.0, self.family * apart.p)
        return replace(row, test=replace(Comparison.of(apart), p_holm=p, tests=self.family))

    def _right(self, of: Capability, model: str) -> CapabilityRow:
        """The metric over the items of a row."""
        (part,) = of.parts
        items, pairs = self.sets[part.set], self._pairs(part, model)
        metric = items.suite.metric(of.metric)
        if of.recalled:
            every = self._pairs(CapabilityPart(set=part.set), model)
            right = {item.id for item, answer in every if metric.value(item, answer) == 1}
            pairs = [pair for pair in pairs if right.issuperset(pair[0].facts.get("rests_on", ()))]
        own = Scores.of_runs([pairs], metric)
        if own is None:
            reason = "this metric does not apply to its answers" if pairs else "it recalls too few facts"
            return CapabilityRow(capability=of, model=model, reason=reason)
        row = CapabilityRow(
            capability=of, model=model, metric=metric, scores=own, pairs=pairs,
            levels=tuple(self._levels(of, metric, model, pairs)),
            unread=sum(answer.status == "unread" for _, answer in pairs) / len(pairs), size=self.size,
            examples=examples(pairs, metric, items.source),
        )  # fmt: skip
        return self._tested(row, own)

    def moved(self, one: CapabilityRow | None, other: CapabilityRow | None, move: Move) -> Comparison | None:
        """A row less another one of the same model, on other items."""
        if one is None or other is None or one.metric is None or one.metric.over == "set" or other.scores is None:
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
        return Comparison.of(apart, a=move.says)

    def _same(self, capability: Capability, model: str) -> CapabilityRow:
        """The share of varied items with the answer of their source. Answers that do not depend on the question agree
        as often as two answers to different questions do, or two guesses, or two choices of one place; and where both
        answers are what a preference among the options alone gives, the question need not have been read."""
        values, shared, by_chance, by_options = list[float](), list[tuple[str, ...]](), 0.0, list[float]()
        shown, unread = dict[str, Mapping[str, str]](), 0
        for part in capability.parts:
            given = self._with_sources(part, model)
            lost = ["unread" in {answer.status for _, answer in both} for both in given]
            stays = [float(not gone and in_words(*a) == in_words(*b)) for (a, b), gone in zip(given, lost, strict=True)]
            values, unread = [*values, *stays], unread + sum(lost)
            shared += [clusters_of(pair[0]) for pair, _ in given]
            by_chance += len(given) * agreement([source for _, source in given if source[1].status != "unread"])
            items = self.sets[part.set]
            asked = (at for at, run in enumerate(items.runs) if run.model == model and run.solver in self.controls)
            control = {item.id: in_words(item, answer) for at in asked for item, answer in items.scored(at)}
            preferred = follows_preference(given, control)
            by_options += [both * share for both, share in zip(stays, preferred, strict=True)]
            for kind, wanted in (("right", 1.0), ("wrong", 0.0)):
                chosen = [each for each, same in zip(given, stays, strict=True) if same == wanted]
                if chosen and kind not in shown:
                    (item, answer), (plain, first) = chosen[len(chosen) // 2]
                    answers = f"{in_words(plain, first)}, then {in_words(item, answer)}"
                    shown[kind] = example(item, f"{plain.prompt}\n\n{item.prompt}", answers, part.set)
        if not values:
            return CapabilityRow(capability=capability, model=model, reason="was not asked")
        clusters = Clusters.of(shared)
        own, alone = (Scores.of(each, clusters=clusters) for each in (values, by_options))
        unasked = Level(name=UNASKED, value=by_chance / len(values))
        levels = unasked, Level(name=BY_OPTIONS, value=alone.value, scores=alone)
        metric = Metric(name="same_answer", of=float, title="share of answers that stay the same")
        row = CapabilityRow(
            capability=capability, model=model, metric=metric, scores=own, levels=levels, examples=shown,
            unread=unread / len(values), size=self.size,
        )  # fmt: skip
        return self._tested(row, own)

    def _levels(self, of: Capability, metric: Metric, model: str, pairs: Pairs) -> Iterator[Level]:
        (part,) = of.parts
        items = self.sets[part.set]
        shortcuts = self.baselines.get(part.set, ())
        chance, asked = chance_of(pairs, metric), {item.id for item, _ in pairs}
        if chance is not None:
            yield Level(name=CHANCE, value=chance)
        right = Counter(item.choices[item.gold or 0] for item, _ in pairs if metric.counts_right_choices)
        classes = of.classes or {"": tuple(right)}
        best = sum(max((right[answer] for answer in answers), default=0) for answers in classes.values()) / len(pairs)
        if best > (chance or 0):  # of any preference among the answers
            preferred = f" for {' and for '.join(of.classes)}" if of.classes else ""
            yield Level(name=f"always the most frequent right answer{preferred}", value=best)
        for at, run in enumerate(items.runs):
            control = run.model == model and run.solver in self.controls
            if not control and (run.model == model or run.model not in shortcuts):
                continue
            own = [pair for pair in _within(items.scored(at), part.where) if pair[0].id in asked]
            scores = Scores.of_runs([own], metric)
            if scores is not None:
                name = f"itself without the question ({run.solver})" if control else run.model
                yield Level(name=name, value=scores.value, scores=scores)

    def _run(self, part: CapabilityPart, model: str) -> int | None:
        runs = self.sets[part.set].runs if part.set in self.sets else ()
        return next((at for at, run in enumerate(runs) if run.model == model and run.solver not in self.controls), None)

    def _with_sources(self, part: CapabilityPart, model: str) -> list[tuple[tuple[Item, Answer], tuple[Item, Answer]]]:
        """Varied items, each with the item that it was made from."""
        plain = {item.id: (item, answer) for item, answer in self._pairs(CapabilityPart(set=part.set), model)}
        sources = ((pair, str(pair[0].facts.get("source"))) for pair in self._pairs(part, model))
        return [(pair, plain[source]) for pair, source in sources if source in plain]

    def _pairs(self, part: CapabilityPart, model: str) -> Pairs:
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
    if not (metric.counts_right_choices and all(item.choices for item, _ in pairs)):
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
    answers = Counter(in_words(*pair) for pair in pairs)
    places = Counter(best_choices(answer) for _, answer in pairs)
    guessed = float(np.mean([1 / max(1, len(item.choices)) for item, _ in pairs]))
    return max(guessed, *(sum((n / len(pairs)) ** 2 for n in each.values()) for each in (answers, places)))


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
            answered = in_words(item, answer)
            preferred = (answered in best) / len(best) if best else 0.0
            share *= max(preferred, float(control.get(item.id) == answered))
        results.append(share)
    return results


def example(item: Item, prompt: str, given: str, of: str) -> dict[str, str]:
    """An item of a set with an answer, as the page shows it."""
    right = ", ".join(" ".join(gold) for gold in item.facts.get("gold", ()))
    right = right if item.gold is None else item.choices[item.gold]
    return {"item": item.id, "prompt": prompt, "right": right, "given": given, "set": of}


def examples(pairs: Pairs, metric: Metric, of: str) -> dict[str, dict[str, str]]:
    """One right and one wrong item, each with the median confidence."""
    values, shown = rightness(pairs, metric), {}
    for kind, right in (("right", True), ("wrong", False)):
        side = [pair for pair, value in zip(pairs, values, strict=True) if value is not None and (value > 0.5) is right]
        if side:
            best = [(*sorted(answer.scores, reverse=True), 0.0, 0.0) for _, answer in side]
            order = sorted(range(len(side)), key=lambda at: (best[at][0] - best[at][1], side[at][0].id))
            item, answer = side[order[len(side) // 2]]
            options = f"\n\nOptions: {'; '.join(item.choices)}" if len(item.choices) in range(2, 5) else ""
            shown[kind] = example(item, item.prompt + options, in_words(item, answer)[:200], of)
    return shown


# ---- sentences ------------------------------------------------------------------------------------------------------


def _sentences(rows: Sequence[CapabilityRow], moves: Sequence[Comparison], name: str) -> Iterator[str]:
    """The findings of a model: abilities shown, not shown, without a verdict, and the effect of rewording."""
    asked = [row for row in rows if row.estimate is not None]
    own = [row for row in asked if not row.no_verdict]
    can, rest = [row for row in own if row.can], [row for row in own if not row.can]
    none = "is not significantly above chance and the shortcuts in any capability"
    parts = [f"{row.capability.does} ({row.shown})" for row in can]
    levels = "chance and every shortcut" if any(row.shortcut for row in can) else "chance"
    yield f"{name} {f'{in_a_sentence(parts)}: significantly above {levels}' if can else none}."
    if parts := [f"{row.capability.fails} ({row.shown})" for row in rest]:
        yield f"These items do not show that it can {in_a_sentence(parts)}."
    for row in asked:
        if row.no_verdict:
            yield f"No verdict on whether it can {row.capability.fails}: {row.no_verdict}{if_read(row)}."
    yield from map(_moved, moves)
    for row in own:
        if row.capability.same and row.level is not None and row.estimate is not None:
            span = formatting.interval(row.estimate.low, row.estimate.high, SCORE)
            yield (
                f"Asked in other words, it gives the same answer in {row.shown} {span} of cases; answers that do not "
                f"depend on the question would agree in {percent(row.level.value)}."
            )


def if_read(row: CapabilityRow) -> str:
    """The effect of the unread replies."""
    if row.bounds is None:
        return ""
    low, high = row.bounds
    among = "" if row.among_read is None else f"; among those read it scores {percent(row.among_read)}"
    return f" (its score is between {formatting.figure(low, SCORE)} and {percent(high)}{among})"


def _moved(test: Comparison) -> str:
    if test.p_holm is None:
        return f"{test.a} cannot be compared: too few items."
    low, high, change = (formatting.signed(each, SCORE) for each in (test.low, test.high, test.value))
    if test.clear:
        way = "falls" if test.value < 0 else "rises"
        by, p = formatting.distance(test.value, SCORE), formatting.p_is(test.p_holm)
        return f"{test.a} {way} by {by} [{low}, {high}] (Holm p {p})."
    least = test.detectable
    seen = "" if least is None else f"; 80 % power to detect a change of {formatting.distance(least, SCORE)}"
    return f"{test.a} does not change significantly ({change} points [{low}, {high}]{seen})."


def _pair_sentences(tests: Sequence[Comparison], a: str, b: str) -> Iterator[str]:
    """The rows in which one model is better, the other, or neither significantly."""
    for who, sign in ((f"{a} is ahead of {b}", 1), (f"{b} is ahead of {a}", -1)):
        ahead = [
            f"{test.group['row']} (by {formatting.distance(test.value, SCORE)})"
            for test in tests
            if test.clear and sign * test.value > 0
        ]
        if ahead:
            yield f"{who} in: {in_a_sentence(ahead)}."
    if open_ones := [str(test.group["row"]) for test in tests if not test.clear]:
        yield f"No significant difference between {a} and {b} in: {in_a_sentence(open_ones)}."
