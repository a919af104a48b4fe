"""Signed tokens instead of accounts: invitation links, visits of one person, form tokens.

A visit's token is in the address and in every form, so nothing depends on cookies: a page works in a platform's
frame, and another site cannot send a form in a person's name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Any

import msgspec
from itsdangerous import BadData, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from proband_annotate.project import SECRET, Project
from proband_annotate.texts import text


class Forged(Exception):
    """A token that this project did not sign."""


class Link(msgspec.Struct, frozen=True, array_like=True):
    """An invitation for one person (`name`), or for everybody whose id a platform passes."""

    panel: str
    name: str = ""


class Visit(msgspec.Struct, frozen=True, array_like=True):
    """One person in this project. `back` is what a platform expects at the end."""

    worker: str
    source: str
    panel: str
    back: dict[str, str] = {}
    group: str = ""  # the group of a quota


def key(secret: bytes, use: str) -> bytes:
    """A key for one use. The first half of a secret hashes people and never changes; links, visits, forms and sessions
    are signed with the second half, if there is one (`project.rotate_secret`)."""
    return hmac.digest(secret[:SECRET] if use in ("worker", "code") else secret[-SECRET:], use.encode(), "sha256")


def worker_hash(secret: bytes, source: str, name: str) -> str:
    """The hash that is stored instead of a worker's id; it is useless without the secret."""
    return hmac.digest(key(secret, "worker"), f"{source}\0{name}".encode(), "sha256").hex()[:32]


def signer(secret: bytes, use: str) -> Signer:
    return Signer(key(secret, use), salt=use, digest_method=hashlib.sha256, key_derivation="none")


def seal(secret: bytes, use: str, value: Any) -> str:
    return signer(secret, use).sign(base64_encode(msgspec.json.encode(value))).decode()


def unseal(secret: bytes, use: str, token: str, kind: Any, *, signed: bool = True) -> Any:
    """The content of a token; not `signed`: by whatever key, for the owner, whose links may be older than `rotate`."""
    try:
        content = signer(secret, use).unsign(token) if signed else token.rpartition(".")[0]
        return msgspec.json.decode(base64_decode(content), type=kind)
    except (BadData, ValueError, msgspec.DecodeError):
        raise Forged from None


def form_token(secret: bytes, visit: str) -> str:
    """The token in every form of a visit or a session."""
    return hmac.digest(key(secret, "form"), visit.encode(), "sha256").hex()[:32]


def new_link(secret: bytes, panel: str, *, name: str = "") -> str:
    return seal(secret, "link", Link(panel, name))


def person_code(secret: bytes, worker: str, outcome: str) -> str:
    """A personal completion code: with the secret, it shows who finished and how."""
    digest = hmac.digest(key(secret, "code"), f"{worker} {outcome}".encode(), "sha256")
    return base64.b32encode(digest)[:10].decode()


def metrics_token(secret: bytes) -> str:
    """The token with which a monitoring program reads the server's figures."""
    return key(secret, "metrics").hex()


def personal_name() -> str:
    return secrets.token_urlsafe(9)


def new_session(secret: bytes, session_id: str, until: float) -> str:
    return seal(secret, "session", [until, session_id])


def session_id(secret: bytes, token: str, now: float) -> str:
    """The id in a session's cookie; empty if the cookie is forged or expired."""
    try:
        until, name = unseal(secret, "session", token, tuple[float, str])
    except Forged:
        return ""
    return str(name) if until > now else ""


# ---- the addresses of a project: for its owner, for platforms, for single people -----------------------------------


def links(project: Project, secret: bytes, base: str) -> dict[str, str]:
    """The addresses for the owner and for each platform."""
    base = (project.platform.public_url or base).rstrip("/")
    join = f"{base}/join/{new_link(secret, 'crowd')}"
    prolific = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return {
        text("links.owner"): f"{base}/owner",
        text("links.prolific"): join + prolific,
        text("links.mturk"): join,
        text("links.other"): f"{join}?{project.platform.id_parameter}=ID",
        text("links.metrics"): f"{base}/metrics (Authorization: Bearer {metrics_token(secret)})",
    }


def personal_links(project: Project, secret: bytes, base: str, *, count: int, panel: str = "crowd") -> list[str]:
    """One link per person, for studies without a platform."""
    base = (project.platform.public_url or base).rstrip("/")
    return [f"{base}/join/{new_link(secret, panel, name=personal_name())}" for _ in range(count)]
