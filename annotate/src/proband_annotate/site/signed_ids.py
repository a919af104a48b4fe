"""Ids that a platform signed: a JSON Web Token in the address, checked with the platform's public keys (a JWKS file).

Prolific signs the ids of a study whose address is marked as secure (RS256); a platform of one's own may sign with a
shared key (HS256). The key decides which of the two is meant, not the token, and a token without a time to expire is
refused. PyJWT reads keys and tokens; a server without keys does not load it (8 MB).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband_annotate.project import Project
from proband_annotate.store.database import LOG
from proband_annotate.tokens import Forged

if TYPE_CHECKING:
    from jwt import PyJWK

ALGORITHMS = {"RSA": "RS256", "oct": "HS256"}
SHORTEST = 2048  # bits of an RSA key
NAMES = ("participant_id", "PROLIFIC_PID", "prolific_pid", "sub")  # of the id, in the claim `prolific` or at the top
CLOCKS = 60.0  # seconds that two clocks may differ


def read_keys(folder: Path, project: Project) -> tuple[PyJWK, ...]:
    """The keys that project.toml names; without keys, ids are not verified."""
    if not project.platform.keys:
        return ()
    import jwt

    path = folder / project.platform.keys
    with file_errors(path):
        raw = path.read_bytes()
    try:
        listed = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])["keys"]
        keys = [jwt.PyJWK(each, ALGORITHMS[each["kty"]]) for each in listed if each.get("kty") in ALGORITHMS]
    except (msgspec.DecodeError, KeyError, jwt.PyJWTError, ValueError) as error:
        raise ProbandError(f"is not a JSON Web Key Set: {error}", file=path) from None
    usable = tuple(key for key in keys if key.key_type == "oct" or key.key.key_size >= SHORTEST)
    if not usable:
        raise ProbandError(f"contains no key of the kinds RSA (at least {SHORTEST} bits) and oct", file=path)
    return usable


class KeyFile:
    """The keys of a project, read again when their file changes, because platforms change keys while a study runs. If
    the file cannot be read, the old keys stay."""

    def __init__(self, folder: Path, project: Project) -> None:
        self.read = partial(read_keys, folder, project)
        self.path = folder / project.platform.keys
        self.known, self._changed = self.read(), self._time()

    def keys(self) -> Sequence[PyJWK]:
        if self.known and (changed := self._time()) != self._changed:
            self._changed = changed
            try:
                self.known = self.read()
            except ProbandError as error:
                LOG.error("%s  %s", time.strftime("%F %T"), error)
        return self.known

    def _time(self) -> float:
        return self.path.stat().st_mtime if self.path.exists() else 0.0


def verified_id(token: str, keys: Sequence[PyJWK], *, audience: str) -> str:
    """The id in an unexpired token for this study that one of the keys signed; otherwise Forged."""
    import jwt

    try:
        named = jwt.get_unverified_header(token).get("kid")
    except (jwt.PyJWTError, ValueError):
        raise Forged from None
    fitting = [key for key in keys if not key.key_id or not named or key.key_id == named]
    claims = next((found for key in fitting if (found := _claims(token, key)) is not None), None)
    if claims is None or not _meant(claims.get("aud"), audience):
        raise Forged
    inside = claims.get("prolific")
    places = [inside if isinstance(inside, dict) else {}, claims]
    name = next((place[name] for place in places for name in NAMES if isinstance(place.get(name), str)), "")
    if not name:
        raise Forged
    return str(name)


def _claims(token: str, key: PyJWK) -> dict[str, Any] | None:
    """The claims of a token that this key signed; `_meant` compares its audience."""
    import jwt

    options: Any = {"require": ["exp"], "verify_aud": False}
    try:
        found: dict[str, Any] = jwt.decode(
            token, key.key, algorithms=[key.algorithm_name], options=options, leeway=CLOCKS
        )
    except (jwt.PyJWTError, ValueError):
        return None
    return found


def _meant(named: Any, audience: str) -> bool:
    """Is a token for this server, if both name one?"""
    if not audience or named is None:
        return True
    host = audience.partition("://")[2].partition("/")[0]
    each = named if isinstance(named, list) else [named]
    return any(isinstance(one, str) and (one.partition("://")[2] or one).partition("/")[0] == host for one in each)
