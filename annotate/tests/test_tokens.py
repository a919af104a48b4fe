"""What a project signed is read back; what it did not sign, or signed for another use, is forged."""

from __future__ import annotations

import pytest

from proband_annotate.tokens import (
    Forged,
    Link,
    Visit,
    form_token,
    new_link,
    new_session,
    person_code,
    seal,
    session_id,
    unseal,
    worker_hash,
)

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))


def test_a_link_and_a_visit_are_read_back() -> None:
    assert unseal(SECRET, "link", new_link(SECRET, "expert", name="ann"), Link) == Link("expert", "ann")
    visit = Visit("w", "prolific", "crowd", {"SESSION_ID": "s"}, "north")
    assert unseal(SECRET, "visit", seal(SECRET, "visit", visit), Visit) == visit


def test_a_changed_character_another_secret_and_another_use_are_forged() -> None:
    link = new_link(SECRET, "crowd")
    changed = [link[:at] + ("A" if link[at] != "A" else "B") + link[at + 1 :] for at in (0, len(link) // 2)]
    for secret, use, token in (
        *((SECRET, "link", each) for each in (*changed, "", "nonsense", link.partition(".")[0])),
        (OTHER, "link", link),
        (SECRET, "visit", link),
    ):
        with pytest.raises(Forged):
            unseal(secret, use, token, Link)
    with pytest.raises(Forged):  # signed, and not what was asked for
        unseal(SECRET, "link", seal(SECRET, "link", 7), Link)


def test_people_keep_their_hash_and_code_when_the_signing_half_of_a_secret_changes() -> None:
    before, after = SECRET + OTHER, SECRET + bytes(32)
    assert (
        worker_hash(before, "prolific", "w")
        == worker_hash(after, "prolific", "w")
        == worker_hash(SECRET, "prolific", "w")
    )
    assert person_code(before, "w", "done") == person_code(after, "w", "done")
    assert form_token(before, "visit") != form_token(after, "visit")
    with pytest.raises(Forged):
        unseal(after, "link", new_link(before, "crowd"), Link)


def test_ids_and_outcomes_do_not_run_into_each_other() -> None:
    assert worker_hash(SECRET, "mturk", "w") != worker_hash(SECRET, "prolific", "w")
    assert worker_hash(SECRET, "a", "bc") != worker_hash(SECRET, "ab", "c")
    assert len({person_code(SECRET, worker, outcome) for worker in "ab" for outcome in ("done", "stopped")}) == 4


def test_a_session_ends_at_its_time() -> None:
    cookie = new_session(SECRET, "s1", 1000.0)
    assert session_id(SECRET, cookie, 999.9) == "s1"
    assert session_id(SECRET, cookie, 1000.0) == ""
    assert session_id(OTHER, cookie, 1.0) == session_id(SECRET, cookie[:-2] + "__", 1.0) == ""
