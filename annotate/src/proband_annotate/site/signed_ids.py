"""Ids that a platform signed: a JSON Web Token in the address, checked with the platform's public keys (a JWKS file).

Prolific signs the ids of a study whose address is marked as secure (RS256); a platform of one's own may sign with a
shared key (HS256). The key decides which of the two is meant, not the token, and a token without a time to expire is
refused.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband_annotate.project import Project
from proband_annotate.tokens import Forged, from_base64

SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")  # the prefix of PKCS #1 for a SHA-256 digest
NAMES = ("participant_id", "PROLIFIC_PID", "prolific_pid", "sub")  # of the id, in the claim `prolific` or at the top
CLOCKS = 60.0  # seconds that two clocks may differ


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key of a JSON Web Key Set: RSA (n, e), or a shared one (k)."""

    kty: str
    kid: str = ""
    n: str = ""
    e: str = ""
    k: str = ""


class KeySet(msgspec.Struct, frozen=True):
    keys: tuple[Key, ...]


def read_keys(folder: Path, project: Project) -> tuple[Key, ...]:
    """The keys that project.toml names; none: ids are not verified."""
    if not project.platform.keys:
        return ()
    path = folder / project.platform.keys
    with file_errors(path):
        raw = path.read_bytes()
    try:
        keys = msgspec.json.decode(raw, type=KeySet).keys
    except msgspec.DecodeError as error:
        raise ProbandError(f"is no JSON Web Key Set: {error}", file=path) from None
    usable = tuple(key for key in keys if (key.kty == "RSA" and key.n and key.e) or (key.kty == "oct" and key.k))
    if not usable:
        raise ProbandError("contains no key of the kinds RSA and oct", file=path)
    return usable


def verified_id(token: str, keys: Sequence[Key], *, audience: str, now: float) -> str:
    """The id in a token that one of the keys signed, for this study, and that has not expired; else Forged."""
    head, dot, rest = token.partition(".")
    body, dot_too, signature = rest.partition(".")
    if not dot or not dot_too:
        raise Forged
    header, claims, signed = _json(head), _json(body), from_base64(signature)
    message = f"{head}.{body}".encode("ascii", "replace")
    named = [key for key in keys if not key.kid or not header.get("kid") or key.kid == header["kid"]]
    if not any(_signed(key, message, signed) for key in named):
        raise Forged
    expires = claims.get("exp")
    if not isinstance(expires, (int, float)) or expires + CLOCKS < now or not _meant(claims.get("aud"), audience):
        raise Forged
    inside = claims.get("prolific")
    places = [inside if isinstance(inside, dict) else {}, claims]
    name = next((place[name] for place in places for name in NAMES if isinstance(place.get(name), str)), "")
    if not name:
        raise Forged
    return str(name)


def _signed(key: Key, message: bytes, signature: bytes) -> bool:
    if key.kty == "oct":
        return hmac.compare_digest(hmac.digest(from_base64(key.k), message, "sha256"), signature)
    modulus, exponent = (int.from_bytes(from_base64(part)) for part in (key.n, key.e))
    length = (modulus.bit_length() + 7) // 8
    if length < 256 or len(signature) != length:  # keys under 2048 bits are not used
        return False
    digest = SHA256 + hashlib.sha256(message).digest()
    wanted = b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest
    return hmac.compare_digest(pow(int.from_bytes(signature), exponent, modulus).to_bytes(length), wanted)


def _meant(named: Any, audience: str) -> bool:
    """Whether a token is for this server, where both say which one."""
    if not audience or named is None:
        return True
    host = audience.partition("://")[2].partition("/")[0]
    each = named if isinstance(named, list) else [named]
    return any(isinstance(one, str) and (one.partition("://")[2] or one).partition("/")[0] == host for one in each)


def _json(part: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(from_base64(part), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Forged from None
