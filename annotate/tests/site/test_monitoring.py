"""Figures for a monitor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from proband_annotate.project import secret_of
from proband_annotate.tokens import metrics_token

if TYPE_CHECKING:
    from annotate.tests.visitors import (
        Come,
        finished,
        joined,
    )
else:
    from visitors import Come, finished, joined


def test_metrics_for_a_monitor_with_its_token(study: Any, person: Come) -> None:
    folder, server, owner = study()
    finished(joined(server, folder, person, "ann"))
    assert httpx.get(f"{server.url}/metrics").status_code == 401
    token = metrics_token(secret_of(folder))
    assert token in owner.page("/links")
    text = httpx.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {token}"}).text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    values = {name: float(value) for name, value in lines}
    assert values["proband_up"] == 1
    assert values["proband_answers_total"] == 3
    assert values['proband_slots{panel="crowd"}'] == 6
    assert values['proband_people{outcome="done"}'] == 1
    assert values["proband_disk_free_bytes"] > 0
    assert {each.name for each in text_string_to_metric_families(text)} >= {"proband_up", "proband_answers"}
    assert re.fullmatch(r"(# (HELP|TYPE) \w+ [^\n]+\n|\w+(\{[^}\n]*\})? [0-9.e+-]+\n)+", text)
