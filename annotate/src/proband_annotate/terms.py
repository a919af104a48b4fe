"""The terms that a person agrees to: number of tasks, pay, what is stored and published, the instructions.

Terms are made from project.toml and stored in dated versions. A person is paid by the version they agreed to, whatever
project.toml contains later. One rule determines the pay, for the consent, the counter, the last page and the payments:

- a task that the counter shows pays `per_unit` once it is sent;
- a finished visit pays at least `per_visit`; another visit pays its share of that, by the number of tasks;
- rejected work is not paid.

Gold units look like all others, so they are always counted and paid. For practice tasks and attention checks this is a
setting.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from proband.core.files import encode
from proband_annotate.project import Project
from proband_annotate.store import people as people_store
from proband_annotate.store.schema import agreements, bonuses, units
from proband_annotate.texts import number_of, text, texts_of, words

CENT = Decimal("0.01")
COUNTED = ("main", "gold", "erased")  # erased: a story was removed after it was answered


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """One version. `units`, `practice`, `gold` and `attention` are the most that one person does of each."""

    consent: tuple[str, ...] = ()  # the text of the consent, by line
    own_words: str = ""  # the owner's text above it
    task: tuple[str, ...] = ()  # what people do, with an example
    instructions: str = ""
    own_instructions: bool = False
    licence: str = ""
    currency: str
    per_unit: float
    per_visit: float
    practice_paid: bool
    checks_paid: bool
    limited: bool  # a person does at most `units` units; otherwise as many as there are
    units: int
    practice: int
    gold: int
    attention: int
    gold_every: int
    attention_every: int
    failures: int

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the tasks that the counter shows."""
        return (*COUNTED, *(("trial",) * self.practice_paid), *(("attention",) * self.checks_paid))

    @property
    def tasks(self) -> int:
        """The largest number of tasks that the counter shows."""
        return self.units + self.gold + self.practice * self.practice_paid + self.attention * self.checks_paid

    @property
    def whole(self) -> Decimal:
        """The pay for the whole visit."""
        return cents(max(decimal(self.per_visit), self.tasks * decimal(self.per_unit)))


def terms_of(project: Project, counts: Mapping[str, int]) -> Terms:
    """The terms of a project with this many units of each role."""
    limit, pay, quality = project.people.units_per_person, project.pay, project.quality
    most = min(limit or counts.get("main", 0), counts.get("main", 0))

    def checks(every: int, there: int) -> int:
        return min(most // every, there) if every else 0

    made = Terms(
        own_words=project.texts.consent,
        task=tuple(described(project.kind)),
        instructions=project.texts.instructions or words(f"{project.kind}.instructions"),
        own_instructions=bool(project.texts.instructions),
        licence=project.licence,
        currency=pay.currency,
        per_unit=pay.per_unit,
        per_visit=pay.per_visit,
        practice_paid=pay.practice,
        checks_paid=pay.checks,
        limited=bool(limit),
        units=most,
        practice=counts.get("trial", 0),
        gold=checks(quality.gold_every, counts.get("gold", 0)),
        attention=checks(quality.attention_every, counts.get("attention", 0)),
        gold_every=quality.gold_every,
        attention_every=quality.attention_every,
        failures=quality.failures,
    )
    return msgspec.structs.replace(made, consent=tuple(consent_lines(project, made)))


# ---- pay -------------------------------------------------------------------------------------------------------------


def decimal(amount: float) -> Decimal:
    return Decimal(repr(amount))


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


@dataclass(frozen=True, kw_only=True)
class Payment:
    """What one person is paid: `by_platform` through the completion code, the rest as a bonus."""

    tasks: int  # sent tasks that the counter shows
    earned: Decimal
    by_platform: Decimal
    granted: Decimal
    bonus: Decimal
    total: Decimal


def payment(
    terms: Terms, sent: Mapping[str, int], *, outcome: str, decision: str = "", granted: float = 0.0
) -> Payment:
    """The pay for a visit.

    >>> terms = Terms(currency="USD", per_unit=0.7, per_visit=2.0, practice_paid=True, checks_paid=False, limited=True,
    ...     units=3, practice=1, gold=0, attention=1, gold_every=0, attention_every=2, failures=2)
    >>> whole = {"main": 3, "trial": 1, "attention": 1}
    >>> payment(terms, whole, outcome="done").total, payment(terms, whole, outcome="done").bonus
    (Decimal('2.80'), Decimal('0.80'))
    >>> payment(terms, {"trial": 1}, outcome="stopped").total, payment(terms, {}, outcome="stopped").total
    (Decimal('0.70'), Decimal('0.00'))
    """
    tasks = sum(sent.get(role, 0) for role in terms.roles)
    refused = decision == "rejected"
    finished = outcome == "done" and not refused
    visit = decimal(terms.per_visit)
    if not finished:  # its share, of which a person who did more than was promised has no more than all
        visit = visit * min(tasks, terms.tasks) / terms.tasks if terms.tasks and not refused else Decimal(0)
    earned = Decimal(0) if refused else cents(max(tasks * decimal(terms.per_unit), visit))
    fixed = cents(decimal(terms.per_visit)) if finished else Decimal("0.00")
    extra = cents(decimal(granted))
    bonus = max(earned - fixed, Decimal(0)) + extra
    return Payment(
        tasks=tasks,
        earned=cents(earned),
        by_platform=fixed,
        granted=extra,
        bonus=cents(bonus),
        total=cents(fixed + bonus),
    )


def payment_of(person: Any, *, terms: Terms, sent: Mapping[str, int], bonus: float) -> Payment:
    """What a person is paid (if still working, as if they stopped now), with a bonus that an owner granted. Experts and
    people who answered in another tool are paid nothing else here."""
    if person.panel != "crowd" or person.agreement_id is None:
        return payment(terms, {}, outcome="stopped", granted=bonus)
    return payment(terms, sent, outcome=person.outcome or "stopped", decision=person.decision, granted=bonus)


# ---- texts -----------------------------------------------------------------------------------------------------------


def consent_lines(project: Project, terms: Terms) -> list[str]:
    """The consent, in the words of texts.toml."""
    money = {"currency": terms.currency, "each": f"{cents(decimal(terms.per_unit))}", "whole": f"{terms.whole}"}
    return [
        text("consent.minutes", minutes=number_of("minutes", f"{project.time.expected_seconds / 60:.3g}")),
        *_how_many(terms),
        *_pay_lines(project, terms, money),
        *(_checks(project, terms)),
        text("consent.refused"),
        text("consent.record"),
        text("consent.publish", licence=terms.licence) if terms.licence else text("consent.not_published"),
        text("consent.erase"),
    ]


def described(kind: str) -> list[str]:
    """The task in a sentence or two, and an example; only its name if a kind has no more texts."""
    known = texts_of(kind)
    if f"{kind}.about" not in known:
        return [known[f"{kind}.name"]]
    return [known[f"{kind}.about"], text("consent.example", example=known[f"{kind}.example"])]


def _how_many(terms: Terms) -> list[str]:
    made = [text("consent.many" if terms.limited else "consent.all", tasks=number_of("tasks", terms.tasks))]
    for name, count, paid in (
        ("practice", terms.practice, terms.practice_paid),
        ("attention", terms.attention, terms.checks_paid),
    ):
        if count:
            key = f"consent.{name}" if paid else f"consent.{name}_unpaid"
            made.append(text(key, count=number_of(f"{name}{'' if paid else '_unpaid'}", count)))
    return made


def _pay_lines(project: Project, terms: Terms, money: Mapping[str, Any]) -> list[str]:
    if not terms.whole:
        return [text("consent.unpaid")]
    tasks, rate = number_of("tasks", terms.tasks), hourly(terms, project.time.expected_seconds)
    name = "consent.pay" if terms.per_unit else "consent.pay_visit"
    lines = [text(name, **money, tasks=tasks, hourly=f"{rate}")]
    by_task, by_share = bool(terms.per_unit), terms.per_visit > terms.tasks * terms.per_unit
    visit = f"{cents(decimal(terms.per_visit))}"
    lines.append(text("consent.stop_share" if by_share else "consent.stop", **money, visit=visit, tasks=tasks))
    return lines if by_task or by_share else lines[:1]


def _checks(project: Project, terms: Terms) -> list[str]:
    made = []
    if terms.gold or terms.attention:
        made.append(text("consent.checks", failures=number_of("failures", terms.failures)))
    if project.quality.comprehension or terms.practice:
        made.append(text("consent.screened"))
    return made


def hourly(terms: Terms, seconds: float) -> Decimal:
    """The pay per hour of a whole visit, at so many seconds per task."""
    return cents(terms.whole * 3600 / (max(1, terms.tasks) * decimal(seconds)))


# ---- versions in the store -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def decoded(body: str) -> Terms:
    return msgspec.json.decode(body, type=Terms)


def current_terms(connection: Connection) -> tuple[int, Terms]:
    """The newest version and its number."""
    row = connection.execute(select(agreements).order_by(agreements.c.id.desc()).limit(1)).one()
    return row.id, decoded(row.body)


def terms_for(connection: Connection, person: people_store.Person) -> Terms:
    """The terms that a person agreed to; for people who answered in another tool, the newest."""
    query = select(agreements.c.body).where(agreements.c.id == person.agreement_id)
    body: str | None = connection.scalar(query) if person.agreement_id is not None else None
    return decoded(body) if body is not None else current_terms(connection)[1]


def pay_basis(connection: Connection, person: people_store.Person) -> dict[str, Any]:
    """What `payment_of` needs to know about a person."""
    granted = connection.scalar(select(bonuses.c.amount).where(bonuses.c.person_id == person.id)) or 0.0
    sent = people_store.sent_by_role(connection, person.id)
    return {"terms": terms_for(connection, person), "sent": sent, "bonus": granted}


def versions(connection: Connection) -> list[tuple[int, float, Terms]]:
    """All versions, with their number and date."""
    rows = connection.execute(select(agreements).order_by(agreements.c.id))
    return [(row.id, row.at, decoded(row.body)) for row in rows]


def keep_terms(connection: Connection, project: Project) -> list[str]:
    """Store a new version if project.toml changes the terms; returns the changes in words."""
    roles = connection.execute(select(units.c.role, func.count()).group_by(units.c.role))
    made = terms_of(project, {row[0]: row[1] for row in roles})
    body = encode(made).decode()
    last = connection.execute(select(agreements).order_by(agreements.c.id.desc()).limit(1)).one_or_none()
    if last is not None and last.body == body:
        return []
    connection.execute(agreements.insert().values(at=time.time(), body=body))
    if last is None:
        return []
    return [f"terms: {'; '.join(changes(decoded(last.body), made))}; people who agreed before keep theirs"]


def changes(before: Terms, after: Terms) -> Sequence[str]:
    long = ("consent", "own_words", "instructions", "task")
    made = []
    for name in Terms.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if old != new and name != "consent":
            made.append(f"{name} changed" if name in long else f"{name} {old!r} is now {new!r}")
    return made or ["the words of the consent changed"]
