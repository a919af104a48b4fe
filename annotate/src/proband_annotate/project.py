"""A project: one folder with project.toml, units.jsonl, a secret and (with SQLite) answers.db.

project.toml is checked when it is read: an unknown key, a wrong type or a value out of bounds is an error of one line
that names the file and the key.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from proband.core.errors import ProbandError
from proband.core.files import file_errors, read_toml
from proband_annotate.tasks import names
from proband_annotate.texts import texts

Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Amount = Annotated[float, Meta(ge=0.0, le=1e6)]
Line = Annotated[str, Meta(max_length=20_000)]
SECRET = 32  # bytes
BARE = re.compile("[A-Za-z0-9_-]+")  # a TOML key without quotes


class ProjectPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of project.toml; names are written with '-'."""


class People(ProjectPart, frozen=True, kw_only=True):
    overlap: Annotated[int, Meta(ge=1, le=100)] = 3  # answers per unit
    expert_overlap: Annotated[int, Meta(ge=0, le=100)] = 0  # answers per unit by experts, who have their own links
    expert_units: Count = 0  # how many units the experts see; 0: all
    units_per_person: Count = 0  # 0: as many as there are
    most_people: Count = 0  # 0: no limit
    skips: Count = 3  # units that one person may skip


class Time(ProjectPart, frozen=True, kw_only=True):
    lease_minutes: Annotated[float, Meta(gt=0, le=10_080)] = 30.0  # without a sign of life the unit goes back
    limit_seconds: Count = 0  # for one unit, shown as a clock; 0: no limit; experts have none
    expected_seconds: Positive = 60  # for one unit; used for plans until there are measurements


class Pay(ProjectPart, frozen=True, kw_only=True):
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] = "USD"
    per_unit: Amount = 0.0
    per_visit: Amount = 0.0  # what the platform pays for a visit; the rest is a bonus
    practice: bool = True  # practice tasks are paid
    checks: bool = True  # attention checks are paid
    per_hour: Amount = 12.0  # fair pay; the dashboard compares with it
    platform_fee: Amount = 0.0  # 0.33: a third on top


class ComprehensionQuestion(ProjectPart, frozen=True, kw_only=True):
    """A question about the instructions; the first option is right and the order is shuffled."""

    question: Line
    options: Annotated[tuple[str, ...], Meta(min_length=2, max_length=8)]


class Quality(ProjectPart, frozen=True, kw_only=True):
    comprehension: tuple[ComprehensionQuestion, ...] = ()
    comprehension_attempts: Annotated[int, Meta(ge=2, le=5)] = 2  # Prolific requires at least two
    attention_every: Count = 0  # an attention check after so many units
    gold_every: Count = 0  # a unit with a known answer after so many units
    gold_share: Share = 0.7  # share of a gold unit that must be right
    failures: Annotated[int, Meta(ge=2, le=20)] = 2  # failed checks that end a visit; Prolific requires at least two
    trial_share: Share = 0.6  # share of the practice units that must be passed
    extra_overlap: Annotated[int, Meta(ge=0, le=20)] = 0  # further answers if people disagree
    count_failed: bool = False  # answers of people who failed checks count


class Signals(ProjectPart, frozen=True, kw_only=True):
    ask: bool = True  # ask for consent to record pasting and typing speed
    fastest_share: Share = 0.2  # of the expected time; faster answers are flagged
    paste_characters: Positive = 40  # characters of a paste that is flagged


class Platform(ProjectPart, frozen=True, kw_only=True):
    id_parameter: Annotated[str, Meta(pattern="^[A-Za-z][A-Za-z0-9_]{0,40}$")] = "participant"
    keys: Annotated[str, Meta(max_length=200)] = ""  # file of the platform's public keys; ids must then be signed
    token_parameter: Annotated[str, Meta(pattern="^[A-Za-z][A-Za-z0-9_]{0,40}$")] = "prolific_token"
    return_url: Annotated[str, Meta(pattern=r"^(https?://[^\s\"'<>]+)?$")] = ""  # {code} is replaced
    frames: tuple[Annotated[str, Meta(pattern=r"^https?://[A-Za-z0-9.*:-]+$")], ...] = (
        "https://app.prolific.com",
        "https://*.mturk.com",
    )
    public_url: Annotated[str, Meta(pattern=r"^(https?://[^\s\"'<>?#]+)?$")] = ""  # for links, behind a proxy


class Quotas(ProjectPart, frozen=True, kw_only=True):
    """The most people per value of a column of the participants' file; people who are not in the file are refused."""

    file: Annotated[str, Meta(max_length=200)] = ""  # CSV in the project's folder
    id_column: str = "Participant id"
    column: str = ""
    most: dict[str, Count] = {}


class Codes(ProjectPart, frozen=True, kw_only=True):
    done: Annotated[str, Meta(pattern="^[A-Za-z0-9-]{4,40}$")]
    stopped: Annotated[str, Meta(pattern="^[A-Za-z0-9-]{4,40}$")]
    screened_out: Annotated[str, Meta(pattern="^[A-Za-z0-9-]{4,40}$")]
    failed_checks: Annotated[str, Meta(pattern="^[A-Za-z0-9-]{4,40}$")]
    per_person: bool = False  # a separate code for everybody who does not come from Prolific


class Texts(ProjectPart, frozen=True, kw_only=True):
    """Texts for people; empty: Proband's own text."""

    contact: Line = ""
    consent: Line = ""
    instructions: Line = ""


class Project(ProjectPart, frozen=True, kw_only=True):
    title: Annotated[str, Meta(min_length=1, max_length=200)]
    kind: str  # of task
    codes: Codes
    database: str = "sqlite:///answers.db"
    seed: int = 0
    licence: Line = "CC-BY-4.0"
    people: People = People()
    time: Time = Time()
    pay: Pay = Pay()
    quality: Quality = Quality()
    signals: Signals = Signals()
    platform: Platform = Platform()
    quotas: Quotas = Quotas()
    texts: Texts = Texts()


TABLES = tuple(each.encode_name for each in fields(Project) if isinstance(each.type, type(ProjectPart)))


def read_project(folder: Path) -> Project:
    """project.toml of a folder, checked."""
    path = folder / "project.toml"
    if not path.is_file():
        raise ProbandError("no such project; create one with `proband annotate init`", file=path)
    try:
        project = msgspec.convert(read_toml(path), Project)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error)), file=path) from None
    if project.kind not in (known := names()):
        raise ProbandError(f"'kind': no kind of task {project.kind!r}; there are {', '.join(known)}", file=path)
    codes = [getattr(project.codes, name) for name in ("done", "stopped", "screened_out", "failed_checks")]
    if len(set(codes)) < len(codes):
        raise ProbandError("'codes': the four codes must differ, because the platform acts on them", file=path)
    return project


def in_words(message: str) -> str:
    """
    >>> in_words("Expected `int` >= 1 - at `$.people.overlap`")
    "'people.overlap': expected `int` >= 1"
    """
    what, entry, place = message.partition(" - at `$")
    if not entry:
        return message
    return f"'{place.strip('`').removeprefix('.')}': {what[0].lower() + what[1:]}"


def database_url(folder: Path, project: Project) -> str:
    """The database, with a relative SQLite file in the project's folder. PROBAND_ANNOTATE_DATABASE overrides it, so
    that a password need not be in a file."""
    url = os.environ.get("PROBAND_ANNOTATE_DATABASE") or project.database
    if url.startswith("sqlite:///") and not url.startswith("sqlite:////"):
        return f"sqlite:///{(folder / url.removeprefix('sqlite:///')).resolve()}"
    return url


def secret_of(folder: Path, *, make: bool = False, like: Path | None = None) -> bytes:
    """The project's random secret; made by `init` (or copied from `like`), readable by its owner only."""
    path = folder / "secret"
    if make and not path.exists():
        known = read_secret(like)[:SECRET].hex() if like is not None else ""
        write_secret(path, known or secrets.token_hex(SECRET))
    return read_secret(path)


def read_secret(path: Path) -> bytes:
    if not path.is_file():
        reason = (
            "no such file: without the project's secret all links are invalid and people are not recognised; restore it"
        )
        raise ProbandError(reason, file=path)
    with file_errors(path):
        raw = path.read_bytes()
    try:
        secret = bytes.fromhex(raw.decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) not in (SECRET, 2 * SECRET):
        raise ProbandError("is not a secret of 32 bytes in hexadecimal digits", file=path)
    return secret


def rotate_secret(folder: Path) -> None:
    """Make a new key for links, visits, forms and sessions: earlier signatures become invalid. The half that hashes
    people stays, so they are still recognised."""
    known = secret_of(folder)[:SECRET]
    write_secret(folder / "secret", known.hex() + secrets.token_hex(SECRET))


def write_secret(path: Path, digits: str) -> None:
    """Write a file that only its owner can read; it is on disk before it replaces the old one."""
    new = path.with_name(f"{path.name}.new")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(digits + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def fingerprint(secret: bytes) -> str:
    """A mark that is equal if two projects share a secret, and reveals nothing else."""
    return hmac.digest(secret[:SECRET], b"fingerprint", "sha256").hex()[:16]


def new_code() -> str:
    """A completion code.

    >>> len(new_code())
    8
    """
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))


def as_toml(values: dict[str, Any]) -> str:
    """A readable TOML file of settings, with the comments that texts.toml has for them."""
    return "\n".join(_toml_lines("", values)) + "\n"


def _toml_lines(prefix: str, table: dict[str, Any]) -> Iterator[str]:
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    for key, value in table.items():
        if key not in tables:
            if comment := texts().get(f"setting.{prefix}{key}"):
                yield f"# {comment}"
            yield f"{key if BARE.fullmatch(key) else _value(key)} = {_value(value)}"
    for key, value in tables.items():
        yield from ("", f"[{prefix}{key}]")
        yield from _toml_lines(f"{prefix}{key}.", value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], dict):
            inner = ",\n".join(
                "  { " + ", ".join(f"{k} = {_value(v)}" for k, v in each.items()) + " }" for each in value
            )
            return f"[\n{inner},\n]"
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)
