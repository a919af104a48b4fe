"""Ids that a platform signed, and the keys that they are checked with."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines


P, Q, E = 2**1279 - 1, 2**2203 - 1, 65537  # two primes that everybody knows


N = P * Q


D = pow(E, -1, (P - 1) * (Q - 1))


SHARED = b"a key that the platform and the study share"


def packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def number(value: int) -> str:
    return packed(value.to_bytes((value.bit_length() + 7) // 8))


PUBLIC = {"kty": "RSA", "kid": "one", "n": number(N), "e": number(E)}


KEYS = {"keys": [PUBLIC, {"kty": "oct", "kid": "two", "k": packed(SHARED)}]}


def token(claims: dict[str, Any], *, alg: str = "RS256", kid: str = "one") -> str:
    """As a platform signs it."""
    words = ".".join(packed(json.dumps(part).encode()) for part in ({"alg": alg, "typ": "JWT", "kid": kid}, claims))
    if alg == "none":
        return f"{words}."
    if alg == "HS256":
        return f"{words}.{packed(hmac.digest(SHARED, words.encode(), 'sha256'))}"
    length = (N.bit_length() + 7) // 8
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(words.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest
    return f"{words}.{packed(pow(int.from_bytes(padded), D, N).to_bytes(length))}"


@pytest.fixture
def signing(tmp_path: Path, served: Callable[[Path], Any]) -> tuple[str, str]:
    """A study that lets signed ids in only; gives its address and its link."""
    items = write_lines(tmp_path / "q.jsonl", questionnaires(2, 4))
    folder = tmp_path / "study"
    platform = {"keys": "jwks.json", "public-url": "https://study.example"}
    init(folder, kind="judge", items=items, settings_given={"platform": platform})
    (folder / "jwks.json").write_text(json.dumps(KEYS))
    return served(folder).url, new_link(secret_of(folder), "crowd")


def test_only_ids_that_the_platform_signed(signing: tuple[str, str]) -> None:
    base, link = signing
    soon, mine = time.time() + 600, {"prolific": {"participant_id": "5f0c"}, "aud": "https://study.example"}
    good = {**mine, "exp": soon}
    right = token(good)
    head, body, signature = right.split(".")
    confused = hmac.digest(number(N).encode(), f"{head}.{body}".encode(), "sha256")
    tokens = {
        "signed": (right, 303),
        "with the shared key": (token(good, alg="HS256", kid="two"), 303),
        "none": ("", 403),
        "not signed": (token(good, alg="none"), 403),
        "the public key as a shared one": (f"{head}.{body}.{packed(confused)}", 403),
        "another id": (token({**good, "prolific": {"participant_id": "other"}}), 403),
        "changed": (f"{head}.{packed(json.dumps({**good, 'exp': soon + 9}).encode())}.{signature}", 403),
        "expired": (token({**mine, "exp": time.time() - 600}), 403),
        "never expires": (token(mine), 403),
        "for another server": (token({**good, "aud": "https://other.example"}), 403),
        "nonsense": ("a.b.c", 403),
        "more nonsense": ("é.é.é", 403),
    }
    with httpx.Client(verify=False, base_url=base, timeout=30) as client:
        for name, (given, status) in tokens.items():
            reply = client.get(f"/join/{link}", params={"PROLIFIC_PID": "5f0c", "prolific_token": given})
            assert reply.status_code == status, name
        reply = client.get(f"/join/{link}", params={"workerId": "W1", "assignmentId": "A"})
        assert reply.status_code == 403, "Mechanical Turk signs nothing"


def test_keys_are_read_again_when_their_file_changes(signing: tuple[str, str], tmp_path: Path) -> None:
    """Platforms change their keys while a study runs; a file that is half written changes nothing."""
    (base, link), path = signing, tmp_path / "study" / "jwks.json"
    claims = {"prolific": {"participant_id": "5f0c"}, "exp": time.time() + 600}
    query = {"PROLIFIC_PID": "5f0c", "prolific_token": token(claims, alg="HS256", kid="two")}
    statuses = []
    for moment, text in enumerate((json.dumps({"keys": [PUBLIC]}), '{"keys"', json.dumps(KEYS)), start=1):
        path.write_text(text)
        os.utime(path, (moment, moment))
        statuses.append(httpx.get(f"{base}/join/{link}", params=query).status_code)
    assert statuses == [403, 403, 303]


@pytest.mark.parametrize(
    ("keys", "words"), [(None, "jwks.json"), ("{}", "is not a JSON Web Key Set"), ('{"keys": []}', "no key")]
)
def test_keys_that_cannot_be_read_stop_the_server(
    keys: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(2, 4))
    init(tmp_path / "study", kind="judge", items=items, settings_given={"platform": {"keys": "jwks.json"}})
    if keys is not None:
        (tmp_path / "study" / "jwks.json").write_text(keys)
    assert main(["annotate", "serve", str(tmp_path / "study"), "--port", "1"]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1
