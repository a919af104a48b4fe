"""Everything that people did in a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache, wraps
from types import SimpleNamespace
from typing import Any, TypeVar

import msgspec
import numpy as np

from proband.core.types import Judgment
from proband.stats.agreement.aggregation import dawid_skene, mace
from proband.stats.agreement.coefficients import Aggregate, Votes, all_but, majority
from proband.stats.clusters import Ints
from proband_annotate.human_task import WHOLE, HumanTask, Labels
from proband_annotate.project import Project
from proband_annotate.tasks import task
from proband_annotate.terms import Payment, Terms, payment_of


@lru_cache(maxsize=32)
def decode_body(text: str) -> dict[str, Any]:
    """Decode the body of a unit. Bodies are long and few are needed at a time, so they are kept as text."""
    return msgspec.json.decode(text, type=dict[str, Any])


class UnitRow(dict[str, Any]):
    """name, role, text; `["body"]` is decoded when it is needed."""

    def __missing__(self, key: str) -> Any:
        if key != "body":
            raise KeyError(key)
        return decode_body(self["text"])


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmittedAnswer:
    """The last revision of one person's answer to one unit."""

    id: str
    unit: str
    unit_id: int
    unit_text: str = field(repr=False)
    role: str  # of the unit
    gold: Any
    text: str = field(repr=False)  # the answer as JSON
    parts: tuple[str, ...] = field(repr=False)  # the parts that it labels
    labels: tuple[str, ...] = field(repr=False)  # one for each part
    worker: str
    person_id: int
    panel: str
    source: str
    slot: int | None  # None: late, or its person was rejected; it does not count
    seconds: float
    revision: int
    created: float
    signals: Mapping[str, float]
    licence: str  # that its author agreed to; empty: not published

    @property
    def body(self) -> Mapping[str, Any]:
        """The body of the unit."""
        return decode_body(self.unit_text)

    @property
    def answer(self) -> Mapping[str, Any]:
        return msgspec.json.decode(self.text, type=dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class Adjudication:
    """The owner's label for a part of a unit."""

    unit: str
    part: str
    label: str
    reason: str
    at: float


def numbered(names: Iterable[str]) -> tuple[tuple[str, ...], Ints]:
    """The different names in order of appearance, and the number of each name among them.

    >>> names, numbers = numbered(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    places: dict[str, int] = {}
    numbers = np.fromiter((places.setdefault(name, len(places)) for name in names), dtype=np.int64)
    return tuple(places), numbers


def part_name(unit: str, part: str) -> str:
    return unit if part == WHOLE else part


@dataclass(frozen=True, kw_only=True, eq=False)
class Collected:
    """A project's answers, in the order of units and people: `answers` to main units, `other_answers` to practice, gold
    and attention units and to units whose stories were erased, which never count. Computed values are kept with it; if
    nothing has happened, the same object is returned again."""

    project: Project
    state: str
    answers: Sequence[SubmittedAnswer]
    other_answers: Sequence[SubmittedAnswer]
    people: Sequence[Mapping[str, Any]]
    units: Mapping[int, Mapping[str, Any]]  # main units: id -> name, role, body
    slots: Mapping[str, int]  # panel -> slots wanted
    done: Mapping[str, int]  # panel -> slots filled
    decisions: Sequence[Adjudication]
    terms: Sequence[tuple[int, float, Terms]]  # every version, with its number and date
    granted: Mapping[int, Any]  # person -> bonus in addition to the pay
    transferred: Mapping[int, Decimal]  # person -> amount paid through a platform's API
    erased: Sequence[Mapping[str, Any]]  # amounts still due to erased people
    complete: Mapping[str, int]  # unit -> answers of the crowd needed to complete it
    memory: dict[str, Any] = field(default_factory=dict)  # computed values

    @cached_property
    def decided(self) -> dict[tuple[str, str], str]:
        """(unit, part) -> the owner's label."""
        return {(each.unit, each.part): each.label for each in self.decisions}

    @property
    def task(self) -> HumanTask:
        return task(self.project.kind)

    def counted(self, panel: str = "crowd") -> list[SubmittedAnswer]:
        return [each for each in self.answers if each.slot is not None and each.panel == panel]

    def judgments(self, panel: str = "crowd") -> Iterator[Judgment]:
        """One per person and part (a candidate, a story, a puzzle); seconds are shared by the parts of a unit."""
        for each in self.counted(panel):
            for part, label in zip(each.parts, each.labels, strict=True):
                seconds = round(each.seconds / len(each.labels), 3)
                name = part_name(each.unit, part)
                yield Judgment(item_id=name, worker=each.worker, value=label, seconds=seconds)

    @cached_property
    def by_id(self) -> dict[int, Mapping[str, Any]]:
        return {person["id"]: person for person in self.people}

    def terms_of(self, person: Mapping[str, Any]) -> Terms:
        """The terms that a person agreed to."""
        return next((terms for number, _, terms in self.terms if number == person["agreement_id"]), self.terms[-1][2])

    def payment_of(self, person: Mapping[str, Any]) -> Payment:
        granted = self.granted.get(person["id"])
        about = {"sent": person["sent"], "bonus": granted.amount if granted is not None else 0.0}
        return payment_of(SimpleNamespace(**person), terms=self.terms_of(person), **about)

    @cached_property
    def unit_numbers(self) -> dict[str, int]:
        return {unit["name"]: number for number, unit in self.units.items()}

    def body(self, unit: str) -> Mapping[str, Any]:
        body: Mapping[str, Any] = self.units[self.unit_numbers[unit]]["body"]
        return body

    @cached_property
    def votes(self) -> Votes | None:
        """The judgments as `Votes`, without a record of each, because there may be many."""
        given = [each for each in self.counted() if each.labels]
        if not given:
            return None
        parts, item = numbered(part_name(each.unit, part) for each in given for part in each.parts)
        people, worker = numbered(each.worker for each in given)
        known = {label: n for n, label in enumerate(sorted({label for each in given for label in each.labels}))}
        every = np.repeat(worker, [len(each.labels) for each in given])
        labels = np.fromiter((known[label] for each in given for label in each.labels), dtype=np.int64)
        return Votes(parts, people, tuple(known), item, every, labels)

    @cached_property
    def labels(self) -> Labels:
        """Part -> label by the task's own rule, or None if it is open; the owner's decisions override it."""
        return self.labels_by("paper")

    def labels_by(self, rule: str) -> Labels:
        made: dict[str, str | None] = dict(RULES[rule](self)(self.votes).labels) if self.votes is not None else {}
        return made | {part_name(*key): label for key, label in self.decided.items()}

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """Part -> unit, because one person judges the parts of a unit together."""
        return {part_name(each.unit, part): each.unit for each in self.answers for part in each.parts}

    def same_as(self, other: Collected) -> bool:
        """Has nothing happened in between?"""
        names = ["project", "state", "answers", "people", "units", "slots", "done", "decisions", "terms", "granted"]
        names += ["other_answers", "transferred", "erased", "complete"]
        return all(getattr(self, name) == getattr(other, name) for name in names)


# ---- the rule of the task ----------------------------------------------------------------------------------------


def own_rule(collected: Collected) -> Callable[[Votes], Aggregate]:
    """A label is kept if all but `dissent` people agree, or by majority; the task decides which."""
    return majority if collected.task.dissent is None else lambda votes: _where_complete(collected, votes)


def _where_complete(collected: Collected, votes: Votes) -> Aggregate:
    """The rule, unit by unit, for units with as many answers as slots; raising the overlap later changes nothing until
    the further answers come."""
    work = collected.task
    least = {part: min(work.of_at_most, collected.complete.get(unit, 1)) for part, unit in collected.groups.items()}
    made: dict[str, str | None] = {}
    for count in sorted({least[name] for name in votes.items}):
        kept = all_but(votes, dissent=work.dissent or 0, least=count).labels
        made |= {name: label for name, label in kept.items() if least[name] == count}
    return Aggregate({name: made[name] for name in votes.items})


T = TypeVar("T")


def computed_once(compute: Callable[[Collected], T]) -> Callable[[Collected], T]:
    """Keep the result of a function with the study it was computed from."""

    @wraps(compute)
    def once(collected: Collected) -> T:
        if compute.__name__ not in collected.memory:
            collected.memory[compute.__name__] = compute(collected)
        result: T = collected.memory[compute.__name__]
        return result

    return once


# ---- from several people's labels to one: the paper's rule, majority, Dawid & Skene, MACE; then the owner's own word


RULES: Mapping[str, Callable[[Collected], Callable[[Votes], Aggregate]]] = {
    "paper": own_rule,
    "majority": lambda collected: majority,
    "dawid-skene": lambda collected: dawid_skene,
    "mace": lambda collected: mace,
}


def disputed(collected: Collected, *, most: int) -> list[dict[str, Any]]:
    """The parts of complete units on which people disagree and that the paper's rule leaves open; the most even votes
    first, decided ones last, at most `most`."""
    if collected.votes is None:
        return []
    votes, decided = collected.votes, {part_name(*key): label for key, label in collected.decided.items()}
    open_parts = own_rule(collected)(votes).labels
    people = votes.count.sum(axis=1)
    top = (votes.count.max(axis=1) / people).tolist()
    whole = [people[n] >= collected.complete.get(collected.groups[name], 1) for n, name in enumerate(votes.items)]
    split = [whole[n] and top[n] < 1 and open_parts[name] is None for n, name in enumerate(votes.items)]
    places = [n for n, name in enumerate(votes.items) if split[n] or name in decided]
    places.sort(key=lambda n: (votes.items[n] in decided, top[n], votes.items[n]))
    rows = []
    for place in places[:most]:
        name = votes.items[place]
        given = {label: int(n) for label, n in zip(votes.labels, votes.count[place], strict=True) if n}
        about = {"votes": given, "top": top[place], "decided": decided.get(name)}
        rows.append({"part": name, "unit": collected.groups[name], **about})
    return rows
