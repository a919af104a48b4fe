"""Settings of project.toml that are also in the database: slots, checks, and what is fixed once a study exists.

`init` and every start of the server bring the database in line with project.toml. If more answers are wanted, slots are
added. If fewer, free slots are removed; no answer is lost. A complete unit stays complete while further answers come
(`slots.added`). A setting that cannot take effect is an error.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, func, insert, select, text

from proband.core.errors import ProbandError
from proband_annotate.human_task import Unit
from proband_annotate.project import Project, fingerprint
from proband_annotate.store import people as people_store
from proband_annotate.store.migrate import LOCK
from proband_annotate.store.schema import assignments, at_slot, people, settings, slots, units
from proband_annotate.store.slots import add_slots, add_unit, restore
from proband_annotate.terms import keep_terms
from proband_annotate.texts import texts

CHECKS = 6  # attention checks in a study


def apply_settings(connection: Connection, project: Project, secret: bytes) -> list[str]:
    """Bring the database in line with the settings; returns the changes in words."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    _fixed(connection, project, fingerprint(secret))
    made = [*_crowd(connection, project), *_experts(connection, project), *_checks(connection, project)]
    made += [*_failed(connection, project), *keep_terms(connection, project)]
    for words in made:
        people_store.note(connection, "settings", None, words)
    return made


def _fixed(connection: Connection, project: Project, mark: str) -> None:
    """Check what a study fixes when it is created; `mark` is that of its secret."""
    rows = connection.execute(select(settings.c.name, settings.c.value)).all()
    known = {row.name: row.value for row in rows}
    for name, value in (("kind", project.kind), ("seed", str(project.seed))):
        if known.setdefault(name, value) != value:
            raise ProbandError(f"'{name}' is {value} in project.toml, but the study was created with {known[name]}")
    if known.setdefault("secret", mark) != mark:
        reason = "earlier participants would not be recognised and all links would be invalid"
        raise ProbandError(f"the file `secret` is not that of this study: {reason}; restore it")
    there = {row.name for row in rows}
    missing = [{"name": name, "value": known[name]} for name in ("kind", "seed", "secret") if name not in there]
    if missing:
        connection.execute(insert(settings), missing)


def _failed(connection: Connection, project: Project) -> list[str]:
    """If the setting changes, open the slots of people who failed checks, or assign free slots to them again."""
    failed = select(people.c.id).where(people.c.outcome == "failed_checks", people.c.decision == "")
    changed = 0
    for number in connection.execute(failed).scalars().all():
        if project.quality.count_failed:
            changed += restore(connection, number)
        else:
            changed += people_store.uncount(connection, number)
    words = "count again" if project.quality.count_failed else "no longer count"
    setting = f"quality.count-failed = {str(project.quality.count_failed).lower()}"
    return [f"{setting}: {changed:,} answers of people who failed checks {words}"] if changed else []


# ---- slots ----------------------------------------------------------------------------------------------------------


@dataclass
class Slots:
    """The slots of a unit in one panel, without those for disputes."""

    free: list[int]
    held: int = 0
    done: int = 0

    @property
    def all(self) -> int:
        return len(self.free) + self.held


def _slots(connection: Connection, panel: str) -> Mapping[int, Slots]:
    taken = at_slot(assignments.c.unit_id, assignments.c.panel, assignments.c.place)
    query = (
        select(slots.c.unit_id, slots.c.place, assignments.c.state)
        .select_from(slots.outerjoin(assignments, taken))
        .where(slots.c.panel == panel, slots.c.added != "disputed")
        .order_by(slots.c.unit_id, slots.c.place)
    )
    of_unit: dict[int, Slots] = defaultdict(lambda: Slots(free=[]))
    for unit_id, place, state in connection.execute(query):
        mine = of_unit[unit_id]
        if state is None:
            mine.free.append(place)
        else:
            mine.held += 1
            mine.done += state == "done"
    return of_unit


def _crowd(connection: Connection, project: Project) -> list[str]:
    wanted = dict.fromkeys(_main(connection), project.people.overlap)
    return _adjust_slots(connection, "crowd", wanted, f"people.overlap = {project.people.overlap}")


def _experts(connection: Connection, project: Project) -> list[str]:
    """Experts keep their units; further units follow in the order of their (shuffled) numbers."""
    every, there = _main(connection), _slots(connection, "expert")
    overlap, count = project.people.expert_overlap, project.people.expert_units or len(every)
    order = sorted(every, key=lambda unit: (-there[unit].held if unit in there else 0, unit not in there, unit))
    chosen = dict.fromkeys(order[:count], overlap) if overlap else {}
    wanted = {unit: chosen.get(unit, 0) for unit in every if unit in chosen or unit in there}
    words = f"people.expert-overlap = {overlap}, people.expert-units = {project.people.expert_units}"
    return _adjust_slots(connection, "expert", wanted, words)


def _main(connection: Connection) -> Sequence[int]:
    return connection.execute(select(units.c.id).where(units.c.role == "main").order_by(units.c.id)).scalars().all()


def _adjust_slots(connection: Connection, panel: str, wanted: Mapping[int, int], setting: str) -> list[str]:
    """Make the wanted number of slots for each unit; slots in use are not removed."""
    there, added, removed = _slots(connection, panel), 0, 0
    for unit_id, count in wanted.items():
        mine = there.get(unit_id) or Slots(free=[])
        if mine.all < count:
            complete = 0 < mine.all == mine.done
            add_slots(connection, unit_id, panel, count - mine.all, added="edited" if complete else "")
            added += count - mine.all
        elif surplus := min(mine.all - count, len(mine.free)):
            gone = and_(slots.c.unit_id == unit_id, slots.c.panel == panel)
            connection.execute(delete(slots).where(gone, slots.c.place.in_(mine.free[-surplus:])))
            removed += surplus
    changes = (("added", added), ("removed", removed))
    return [f"{setting}: {number:,} slots of the {panel} {verb}" for verb, number in changes if number]


# ---- checks ----------------------------------------------------------------------------------------------------------


def _checks(connection: Connection, project: Project) -> list[str]:
    """Make attention checks when they are first wanted; `init` sets gold units apart."""
    roles = select(units.c.role, func.count()).group_by(units.c.role)
    there = {row.role: row[1] for row in connection.execute(roles)}
    if project.quality.gold_every and not there.get("gold"):
        raise ProbandError(
            f"'quality.gold-every' is {project.quality.gold_every}, but no units with a known answer were set apart "
            "(annotate init --gold N)"
        )
    if not project.quality.attention_every or there.get("attention"):
        return []
    last = connection.scalar(select(func.max(units.c.id))) or 0
    for number, unit in enumerate(attention_units(project), start=last + 1):
        add_unit(connection, number=number, unit=unit.row())
    return [f"quality.attention-every = {project.quality.attention_every}: {CHECKS} attention checks made"]


def attention_units(project: Project) -> list[Unit]:
    """Attention checks that tell people which option to choose; their texts are in texts.toml. They differ between
    studies, so nobody knows them from an earlier one."""
    lists = [texts()[f"attention.options{number}"].split(", ") for number in range(4)]
    asks = [texts()[f"attention.ask{number}"] for number in range(CHECKS)]
    rng = random.Random(f"{project.seed} {project.codes.done}")
    rng.shuffle(asks)
    made = []
    for number in range(CHECKS):
        options = rng.sample(chosen := rng.choice(lists), len(chosen))
        answer = rng.choice(options)
        words = asks[number].format(answer=answer)
        body = {"text": words, "options": options, "answer": answer}
        made.append(Unit(id=f"attention-{number + 1}", role="attention", body=body))
    return made
