"""Create a project's folder and database from a suite's files (`init`), and add units later (`add`)."""

from __future__ import annotations

import random
import secrets
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import ROUND_UP
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from proband.core.errors import ProbandError
from proband.core.files import atomic, items_path, raw_lines, write_jsonl, write_text
from proband_annotate.apply_settings import apply_settings, attention_units
from proband_annotate.bundle import copy_medium, opened
from proband_annotate.erasing import add_review
from proband_annotate.human_task import HumanTask, Unit, read_units
from proband_annotate.project import (
    Project,
    as_toml,
    database_url,
    fingerprint,
    in_words,
    new_code,
    read_project,
    secret_of,
)
from proband_annotate.reviewing import authors_secret, units_of, written_in
from proband_annotate.store import owners
from proband_annotate.store import people as people_store
from proband_annotate.store.database import create
from proband_annotate.store.migrate import migrate, open_existing
from proband_annotate.store.schema import count_rows, exclusions, settings
from proband_annotate.store.schema import units as units_table
from proband_annotate.store.slots import add_unit
from proband_annotate.tasks import task
from proband_annotate.terms import CENT, Terms, decimal, hourly, terms_of
from proband_annotate.texts import text


def init(
    folder: Path,
    *,
    kind: str,
    items: Path,
    trial: int = 0,
    gold: int = 0,
    checks: bool = False,
    limit: int | None = None,
    secret: Path | None = None,
    settings_given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make a project of all units, or of `limit` of them. Returns what its owner must know: the password is shown once
    and stored as a hash."""
    if folder.exists() and any(folder.iterdir()):
        raise ProbandError("is not empty; a project needs its own folder", file=folder)
    work, password = task(kind), secrets.token_urlsafe(12)
    with whole_or_nothing(folder), opened(items) as source:
        every = _read_units(work, source, items)
        media = copy_media(every, source, folder)
        if work.keeps_items:  # a run of people answers these items
            keep_items(source, folder / "items")
        given = dict(settings_given or {})
        project = _project(kind, work.defaults, given)
        if checks:
            gold = gold or enough_gold(every, trial if work.agreed is None else 0)
            given["quality"] = {**usual_checks(project, gold), **given.get("quality", {})}
            project = _project(kind, work.defaults, given)
        plain: dict[str, Any] = msgspec.to_builtins(project)
        write_text(folder / "project.toml", as_toml(plain))
        project = read_project(folder)
        chosen = sample_units(every, limit, seed=project.seed) if limit else every
        made = _roles(work, chosen, trial=trial, gold=gold, seed=project.seed)
        if project.quality.attention_every:
            made += attention_units(project)
        if gold and not project.quality.gold_every:
            raise ProbandError(f"--gold {gold}: 'quality.gold-every' is 0, so these units would never be shown")
        write_jsonl(folder / "units.jsonl", made)
        # reviews: people need the same hashes as in the reviewed project
        secret_of(folder, make=True, like=authors_secret(source, chosen, secret) if work.reviews else None)
        load(folder, project, password=password)
        if work.reviews and (written := written_in(items)) is not None:
            add_review(written, folder)
    counts: Counter[str] = Counter(unit.role for unit in made)
    advice = [*pay_advice(project, terms_of(project, counts)), *check_advice(work, chosen, counts)]
    return {
        "project": str(folder),
        "kind": kind,
        "units": counts["main"],
        "checks": {role: counts[role] for role in ("trial", "gold", "attention") if counts[role]},
        "media": media,
        "answers_wanted": project.people.overlap * counts["main"],
        **({"advice": advice} if advice else {}),
        "password": password,
    }


def pay_advice(project: Project, terms: Terms) -> list[str]:
    """Advice if the pay is below the fair hourly pay of project.toml."""
    pay, seconds = project.pay, project.time.expected_seconds
    paid = hourly(terms, seconds)
    if paid >= decimal(pay.per_hour):
        return []
    fair = (decimal(pay.per_hour) * seconds / 3600).quantize(CENT, ROUND_UP)
    words = f"{paid} {pay.currency} per hour at {seconds} s per task; {pay.per_hour:.2f} is fair (pay.per-hour)"
    return [f"pay: {words}; --set pay.per-unit={fair}"]


def check_advice(work: HumanTask, units: Sequence[Unit], counts: Mapping[str, int]) -> list[str]:
    """Advice if a study could have checks and has none."""
    if counts.get("gold") or counts.get("attention"):
        return []
    known = sum(unit.gold is not None for unit in units)
    some = f" ({known:,} of {len(units):,} units have a known answer)" if known else ""
    return [f"checks: none, so careless people are not detected; --checks sets some{some}"]


def enough_gold(units: Sequence[Unit], trial: int) -> int:
    """The number of gold units to set apart: a tenth, from two to six; none if fewer than ten have a known answer."""
    known = sum(unit.gold is not None for unit in units) - trial
    return min(6, max(2, known // 10)) if known >= 10 else 0


def usual_checks(project: Project, gold: int) -> dict[str, int]:
    """How often to check: about three gold units and two attention checks per visit."""
    visit = project.people.units_per_person or 15
    return {"attention-every": max(2, visit // 2), **({"gold-every": max(2, visit // 3)} if gold else {})}


def _read_units(work: HumanTask, source: Path, items: Path, known: Collection[str] = ()) -> list[Unit]:
    units = units_of(work, source, known)
    if not units and not known:
        raise ProbandError("contains no units", file=items)
    return units


def with_contact(given: Mapping[str, Any], contact: str) -> dict[str, Any]:
    """Settings with a contact for the consent text; an error without one."""
    texts_given = {**given.get("texts", {}), **({"contact": contact} if contact else {})}
    if not str(texts_given.get("contact", "")).strip():
        reason = "the consent text needs one"
        raise ProbandError(f"no contact: {reason}; --contact 'NAME, ADDRESS'")
    return {**given, "texts": texts_given}


@contextmanager
def whole_or_nothing(folder: Path) -> Iterator[None]:
    """A folder that is emptied again if something fails."""
    before = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder)
        if before:
            folder.mkdir()
        raise


def _project(kind: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> Project:
    codes = {name: new_code() for name in ("done", "stopped", "screened-out", "failed-checks")}
    values: dict[str, Any] = {"title": text(f"{kind}.name"), "kind": kind, "codes": codes}
    for source in (defaults, given):
        for table, entries in source.items():
            values[table] = {**values.get(table, {}), **entries} if isinstance(entries, Mapping) else entries
    try:
        return msgspec.convert(values, Project)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error))) from None


def sample_units(units: Sequence[Unit], limit: int, *, seed: int) -> list[Unit]:
    """A sample of the units in their order, with about equally many of each clause (puzzles: of each length).

    >>> units = [Unit(id=f"{k}-{n}", clause=k, body={}) for k in "23" for n in range(9)]
    >>> sorted(unit.clause for unit in sample_units(units, 5, seed=0))
    ['2', '2', '2', '3', '3']
    """
    rng, groups = random.Random(f"sample {seed}"), dict[str, list[int]]()
    for place, unit in enumerate(units):
        groups.setdefault(unit.clause, []).append(place)
    for places in groups.values():
        rng.shuffle(places)
    turns = (place for turn in zip_longest(*groups.values()) for place in turn if place is not None)
    return [units[place] for place in sorted(islice(turns, limit))]


def _roles(work: HumanTask, units: Sequence[Unit], *, trial: int, gold: int, seed: int) -> list[Unit]:
    """The units with their roles: the first `trial` units for practice and `gold` random ones as checks, both with a
    known answer. Practice in writing is judged by its text."""
    main = [unit for unit in units if unit.role == "main"]
    if trial + gold >= len(main) and (trial or gold):
        raise ProbandError(f"{trial} trial and {gold} gold units leave none of {len(main)}")
    practice = [unit for unit in main if unit.gold is not None or work.agreed is not None]
    if trial > len(practice):
        reason = "without one, everybody passes the practice"
        raise ProbandError(f"--trial {trial}: only {len(practice)} units have a known answer ('gold'); {reason}")
    apart = {unit.id: "trial" for unit in practice[:trial]}
    known = [unit.id for unit in main if unit.gold is not None and unit.id not in apart]
    if gold > len(known):
        raise ProbandError(f"{gold} gold units are wanted, but only {len(known)} units have a known answer")
    apart |= dict.fromkeys(random.Random(seed).sample(known, gold), "gold")
    return [msgspec.structs.replace(unit, role=apart.get(unit.id, unit.role)) for unit in units]


def copy_media(units: Sequence[Unit], source: Path, folder: Path) -> int:
    """Copy the pictures and clips of units into the project."""
    names = sorted({unit.body["media"] for unit in units if unit.body.get("media")})
    base = source if source.is_dir() else source.parent
    for name in names:
        copy_medium(base, name, folder / "media")
    return len(names)


def keep_items(source: Path, folder: Path) -> None:
    """Copy the items with their manifest, for exports that identify them by hash."""
    path = items_path(source)
    folder.mkdir()
    for file in (path, path.parent / "manifest.json"):
        if file.is_file():
            shutil.copyfile(file, folder / ("items.jsonl" if file == path else file.name))


def load(folder: Path, project: Project, *, password: str) -> None:
    """Fill an empty database with the units of the project."""
    with closing(create(database_url(folder, project))) as database:
        migrate(database)
        units = list(read_units(folder / "units.jsonl"))
        hashed = owners.hash_of(password)
        database.write(lambda connection: _fill(connection, project, units, hashed, secret_of(folder)))


def _fill(connection: Connection, project: Project, units: Sequence[Unit], hashed: str, secret: bytes) -> None:
    if count_rows(connection, units_table):
        raise ProbandError("the database already contains a project")
    _insert_units(connection, units, after=0, rng=random.Random(project.seed))
    apply_settings(connection, project, secret)
    connection.execute(settings.insert(), [{"name": "state", "value": "open"}, {"name": "owner", "value": hashed}])


def _insert_units(connection: Connection, units: Sequence[Unit], *, after: int, rng: random.Random) -> None:
    numbers = list(range(after + 1, after + len(units) + 1))
    rng.shuffle(numbers)  # the number must not reveal the position in the file
    for number, unit in zip(numbers, units, strict=True):
        add_unit(connection, number=number, unit=unit.row())


# ---- further units of a study, also while its server runs -----------------------------------------------------------


def add_units(folder: Path, items: Path) -> dict[str, Any]:
    """Add units of the study's kind, with as many slots as the others. Existing units are left unchanged, so the
    command can be repeated; the same name with another text is an error."""
    project = read_project(folder)
    work = task(project.kind)
    if (
        work.reviews
        and (items / "secret").is_file()
        and fingerprint(secret_of(items)) != fingerprint(secret_of(folder))
    ):
        raise ProbandError(
            "these stories belong to another study: their authors would not be recognised here", file=items
        )
    with closing(open_existing(database_url(folder, project))) as database, opened(items) as source:
        known = database.read(stories_in)
        units = _read_units(work, source, items, known)
        media = copy_media(units, source, folder)
        if work.keeps_items:
            _add_items(source, folder / "items" / "items.jsonl")
        added = database.write(lambda connection: _add(connection, project, units, secret_of(folder)))
        there = list(read_units(folder / "units.jsonl"))
        names = {unit.id for unit in there}
        write_jsonl(folder / "units.jsonl", [*there, *(unit for unit in units if unit.id not in names)])
    return {"project": str(folder), "added": added, "there_before": len(units) - added, "media": media}


def _exclude_authors(connection: Connection, units: Sequence[Unit]) -> None:
    """The authors of further stories review none of the earlier ones about the same facts."""
    wrote: dict[str, set[str]] = defaultdict(set)
    for story in (story for unit in units for story in unit.body.get("stories", ())):
        wrote[story["clause"]].add(story["author"])
    excluded = {tuple(row) for row in connection.execute(select(exclusions))}
    for number, body in connection.execute(select(units_table.c.id, units_table.c.body)).all() if wrote else ():
        stories = msgspec.json.decode(body).get("stories", ())
        for author in set().union(*(wrote.get(story.get("clause"), ()) for story in stories)):
            if (number, author) not in excluded:
                connection.execute(exclusions.insert().values(unit_id=number, worker=author))


def stories_in(connection: Connection) -> set[str]:
    """The ids of the stories that a study reviews."""
    bodies = connection.execute(select(units_table.c.body)).scalars()
    return {story["id"] for body in bodies for story in msgspec.json.decode(body).get("stories", ())}


def _add(connection: Connection, project: Project, units: Sequence[Unit], secret: bytes) -> int:
    known = {row.name: row.body for row in connection.execute(select(units_table.c.name, units_table.c.body))}
    new = [unit for unit in units if unit.id not in known]
    for unit in units:
        if unit.id in known and known[unit.id] != unit.row()["body"]:
            raise ProbandError(f"unit {unit.id!r} is in the study with another text; give the new one a new id")
    last = connection.scalar(select(func.max(units_table.c.id))) or 0
    _exclude_authors(connection, new)
    _insert_units(connection, new, after=last, rng=random.Random(f"{project.seed} {last}"))
    if new:
        people_store.note(connection, "settings", None, f"{len(new)} units added")
    apply_settings(connection, project, secret)  # makes their slots
    return len(new)


def _add_items(source: Path, path: Path) -> None:
    """Add the items that people solve, for the exported run; the manifest no longer describes them."""
    lines = [raw for _, raw in raw_lines(path)]
    new = [raw for _, raw in raw_lines(items_path(source)) if raw not in set(lines)]
    with atomic(path, mode="wb") as file:
        file.writelines(raw.rstrip(b"\n") + b"\n" for raw in (*lines, *new))
    if new:
        (path.parent / "manifest.json").unlink(missing_ok=True)
