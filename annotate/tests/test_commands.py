"""The steps of the command, and the settings that it takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from proband_annotate.commands import commands, nest

ROOT = Path(__file__).resolve().parents[2]


def parsed(words: list[str]) -> Any:
    """Our own command with these words, read and not run; an unknown step or option ends it."""
    command, bound, *_ = commands().parse_args(words, exit_on_error=False, print_error=False)
    return command.__name__, bound.arguments


def test_every_command_of_the_guide_exists() -> None:
    guide = (ROOT / "docs" / "annotate.md").read_text().partition("## On a server")[2]
    found = re.findall(r"(?m)^(?:\$ |ExecStart=)?(?:sudo -u proband )?\S*proband annotate ([^\n#]+)", guide)
    found += re.findall(r"(?m)docker compose (?:run --rm|exec) app (?:proband annotate )?([^\n#]+)", guide)
    assert len(found) >= 8
    for words in found:
        step, _ = parsed(shlex.split(words))
        assert step


def test_every_step_has_help_with_an_example() -> None:
    steps = [step for name in commands() if not name.startswith("-") for step in (commands()[name],)]
    assert len(steps) > 15
    for step in steps:
        assert "Example: proband annotate" in step.help, step.name


def test_settings_are_values_of_toml_in_their_tables() -> None:
    given = {"people.overlap": "5", "pay.per-unit": "0.2", "quality.labels": '["a", "b"]', "title": "Who is it?"}
    assert nest(given) == {
        "people": {"overlap": 5},
        "pay": {"per-unit": 0.2},
        "quality": {"labels": ["a", "b"]},
        "title": "Who is it?",
    }
