"""`init`: a project's folder and database from a suite's files."""

from __future__ import annotations

import random
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from proband.annotate.apply_settings import apply_settings, attention_units
from proband.annotate.bundle import copy_medium, opened
from proband.annotate.erasing import add_review
from proband.annotate.project import Codes, Project, as_toml, database_url, in_words, new_code, read_project, secret_of
from proband.annotate.reviewing import authors_secret, units_of, written_in
from proband.annotate.store import owners
from proband.annotate.store.database import Database
from proband.annotate.store.migrate import migrate
from proband.annotate.store.schema import settings, units
from proband.annotate.store.slots import add_unit
from proband.annotate.tasks import task
from proband.annotate.texts import text
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, items_path, write_text
from proband.core.human_task import Unit, read_units

COMMENTS = {
    "database": "or postgresql://USER@HOST/NAME; the variable PROBAND_ANNOTATE_DATABASE overrides it",
    "people.overlap": "answers wanted per unit",
    "people.expert-overlap": "answers per unit by experts, who come by links of their own and have no time limit",
    "people.expert-units": "how many units the experts see (0: all)",
    "people.units-per-person": "0: as many as there are",
    "people.most-people": "0: no limit",
    "time.lease-minutes": "a unit without a sign of life goes back after this",
    "time.limit-seconds": "for one unit, shown as a clock (0: none)",
    "time.expected-seconds": "for one unit, for plans until times are measured",
    "people.skips": "units that one person may skip (0: none)",
    "pay.per-visit": "what the platform pays for a finished visit by itself; `payments` writes the rest as the bonus",
    "codes.per-person": "a code of their own for everybody but Prolific's people; `status --codes` reads them",
    "pay.per-hour": "what is fair; plans and the dashboard compare with it",
    "pay.platform-fee": "0.33: the platform takes a third on top",
    "quality.comprehension-attempts": "at questions on the instructions: [[quality.comprehension]] question, options",
    "quality.attention-every": "an attention check after so many units (0: none)",
    "quality.gold-every": "a unit with a known answer after so many units (0: none)",
    "quality.gold-share": "of a unit with a known answer that must be right",
    "quality.failures": "failed checks that end a visit",
    "quality.trial-share": "of the trial units that must be passed",
    "quality.extra-overlap": "further answers for units on which people disagree",
    "signals.ask": "ask for consent to record pasting and typing time; nobody is ever rejected by it",
    "platform.id-parameter": "for platforms other than Prolific and Mechanical Turk: parameter with the person's id",
    "platform.keys": "file with the platform's public keys (JWKS); only signed ids are then let in",
    "platform.token-parameter": "parameter with the signed id",
    "platform.return-url": "where people go at the end; {code} is replaced (Prolific's is known)",
    "platform.public-url": "how people reach the server, where a proxy stands before it",
    "codes": "what people paste into the platform at the end",
}


def init(
    folder: Path,
    *,
    kind: str,
    items: Path,
    title: str = "",
    database: str = "",
    trial: int = 0,
    gold: int = 0,
    secret: Path | None = None,
    settings_given: Mapping[str, Any] | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """Make a project of all units, or of `limit` of them. Gives what to tell its owner: the password is shown once and
    stored as a hash."""
    if folder.exists() and any(folder.iterdir()):
        raise ProbandError("is not empty; a project needs a folder of its own", file=folder)
    chosen, password = task(kind), secrets.token_urlsafe(12)
    with whole_or_nothing(folder), opened(items) as source:
        result = units_of(chosen, source)
        if not result:
            raise ProbandError("contains no units", file=items)
        media = copy_media(result, source, folder)
        if chosen.keeps_items:  # a run of people answers these very items
            keep_items(source, folder / "items")
        project = _project(kind, title, database, chosen.defaults, settings_given or {})
        write_text(folder / "project.toml", as_toml(_plain(project), COMMENTS))
        project = read_project(folder)
        result = sampled(result, limit, seed=project.seed) if limit else result
        made = _roles(result, trial=trial, gold=gold, seed=project.seed)
        if project.quality.attention_every:
            made += attention_units(project)
        if gold and not project.quality.gold_every:
            raise ProbandError(f"--gold {gold}: 'quality.gold-every' is 0, so that nobody would see these units")
        with atomic(folder / "units.jsonl", mode="wb") as file:
            for unit in made:
                file.write(encode(unit) + b"\n")
        # reviews: the same people must have the same hashes as in the project that is reviewed
        secret_of(folder, make=True, like=authors_secret(source, result, secret) if chosen.reviews else None)
        load(folder, project, password=password)
        if chosen.reviews and (written := written_in(items)) is not None:
            add_review(written, folder)
    return {
        "project": str(folder),
        "kind": kind,
        "units": sum(unit.role == "main" for unit in made),
        "checks": {role: n for role in ("trial", "gold", "attention") if (n := sum(u.role == role for u in made))},
        "media": media,
        "answers_wanted": project.people.overlap * sum(unit.role == "main" for unit in made),
        "password": password,
    }


def with_contact(given: Mapping[str, Any], contact: str) -> dict[str, Any]:
    """Settings with whom people can write to, without whom nobody can consent."""
    texts_given = {**given.get("texts", {}), **({"contact": contact} if contact else {})}
    if not str(texts_given.get("contact", "")).strip():
        reason = "people must know whom they can write to before they consent"
        raise ProbandError(f"no contact: {reason}; --contact 'NAME, ADDRESS'")
    return {**given, "texts": texts_given}


@contextmanager
def whole_or_nothing(folder: Path) -> Iterator[None]:
    """An empty folder, which is empty again if something fails."""
    before = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder)
        if before:
            folder.mkdir()
        raise


def _project(kind: str, title: str, database: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> Project:
    codes = Codes(done=new_code(), screened_out=new_code(), failed_checks=new_code())
    values: dict[str, Any] = {
        "title": title or text(f"{kind}.name"),
        "kind": kind,
        "codes": msgspec.to_builtins(codes),
    }
    if database:
        values["database"] = database
    for source in (defaults, given):
        for table, entries in source.items():
            values[table] = {**values.get(table, {}), **entries} if isinstance(entries, Mapping) else entries
    try:
        return msgspec.convert(values, Project)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error))) from None


def _plain(project: Project) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(project)
    return plain


def sampled(results: Sequence[Unit], limit: int, *, seed: int) -> list[Unit]:
    """So many of the units, in their order: as nearly as can be equally many of each clause (of puzzles: each length).

    >>> units = [Unit(id=f"{k}-{n}", clause=k, body={}) for k in "23" for n in range(9)]
    >>> sorted(unit.clause for unit in sampled(units, 5, seed=0))
    ['2', '2', '2', '3', '3']
    """
    rng, groups = random.Random(f"sample {seed}"), dict[str, list[int]]()
    for place, unit in enumerate(results):
        groups.setdefault(unit.clause, []).append(place)
    for places in groups.values():
        rng.shuffle(places)
    turns = (place for turn in zip_longest(*groups.values()) for place in turn if place is not None)
    return [results[place] for place in sorted(islice(turns, limit))]


def _roles(results: Sequence[Unit], *, trial: int, gold: int, seed: int) -> list[Unit]:
    """The units with some of them set apart: the first `trial` ones for practice, `gold` random ones with a known
    answer as checks."""
    main = [unit for unit in results if unit.role == "main"]
    if trial + gold >= len(main) and (trial or gold):
        raise ProbandError(f"{trial} trial and {gold} gold units leave none of {len(main)}")
    apart = {unit.id: "trial" for unit in main[:trial]}
    known = [unit.id for unit in main[trial:] if unit.gold is not None]
    if gold > len(known):
        raise ProbandError(f"{gold} gold units are wanted, but only {len(known)} units have a known answer")
    apart |= dict.fromkeys(random.Random(seed).sample(known, gold), "gold")
    return [msgspec.structs.replace(unit, role=apart.get(unit.id, unit.role)) for unit in results]


def copy_media(results: Sequence[Unit], source: Path, folder: Path) -> int:
    """Pictures and clips that units name, copied beside them."""
    names = sorted({unit.body["media"] for unit in results if unit.body.get("media")})
    base = source if source.is_dir() else source.parent
    for name in names:
        copy_medium(base, name, folder / "media")
    return len(names)


def keep_items(source: Path, folder: Path) -> None:
    """The items themselves, with their manifest, for exports that name them by hash."""
    path = items_path(source)
    folder.mkdir()
    for file in (path, path.parent / "manifest.json"):
        if file.is_file():
            shutil.copyfile(file, folder / ("items.jsonl" if file == path else file.name))


def load(folder: Path, project: Project, *, password: str) -> None:
    """Fill an empty database with the units of the project."""
    database = Database(database_url(folder, project))
    try:
        migrate(database)
        made = list(read_units(folder / "units.jsonl"))
        hashed = owners.hash_of(password)
        database.write(lambda connection: _fill(connection, project, made, hashed))
    finally:
        database.close()


def _fill(connection: Connection, project: Project, made: Sequence[Unit], hashed: str) -> None:
    if connection.scalar(select(func.count()).select_from(units)):
        raise ProbandError("the database already contains a project")
    numbers = list(range(1, len(made) + 1))
    random.Random(project.seed).shuffle(numbers)  # the number tells nothing about the place in the file
    for number, unit in zip(numbers, made, strict=True):
        add_unit(connection, number=number, unit=unit.row(), overlap={})
    apply_settings(connection, project)
    connection.execute(settings.insert(), [{"name": "state", "value": "open"}, {"name": "owner", "value": hashed}])
