"""Options of the nets: each is used, and what cannot be is refused."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import described, read_options
from proband.suites import script
from proband.suites.script.nets import options

OURS = [net for net in script.SUITE.nets if issubclass(net.options, options.ScriptNetOptions)]
NETS: dict[str, Any] = {net.name: net.options for net in OURS}


@pytest.mark.parametrize("net", NETS)
def test_every_option_is_explained_and_read_by_the_code(net: str) -> None:
    nets = Path(options.__file__).parent
    files = (*nets.glob("*.py"), *(nets.parents[2] / "training").glob("*.py"))
    code = "".join(path.read_text("utf-8") for path in files)
    for field in described(NETS[net]):
        assert field.help, field.name
        assert re.search(rf"\.{field.attribute}\b", code), f"{field.attribute} is not used"


@pytest.mark.parametrize(
    ("net", "name", "value"),
    [
        ("lm", "dropout", "1"),
        ("lm", "rate", "0"),
        ("lm", "epochs", "0"),
        ("seq2seq", "keep", "middle"),
        ("attention", "min-count", "0"),
    ],
)
def test_what_cannot_be_is_refused(net: str, name: str, value: str) -> None:
    with pytest.raises(ProbandError, match=name):
        read_options(NETS[net], {name: value}, of=f"net {net}")


@pytest.mark.parametrize(
    ("schedule", "stages"), [("marginal", (5, 0)), ("viterbi", (0, 5)), ("marginal-viterbi", (3, 2))]
)
def test_epochs_of_the_two_stages_are_all_epochs(schedule: str, stages: tuple[int, int]) -> None:
    made = options.TransducerOptions(epochs=5, schedule=schedule, marginal_epochs=3)  # type: ignore[arg-type]
    assert made.stages == stages
    assert sum(options.TransducerOptions(epochs=2, schedule="marginal-viterbi", marginal_epochs=9).stages) == 2


def test_every_transducer_has_the_options_of_a_net() -> None:
    own = {field.name for field in fields(options.ScriptNetOptions)}
    for kind in (options.FixedOptions, options.ShiftingOptions):
        assert own <= {field.name for field in fields(kind)}
