"""Options of the nets: each is used, and what cannot be is refused."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.plugins import described, read_options
from proband.suites import kinship
from proband.suites.kinship.nets import options

NETS: dict[str, Any] = {net.name: net.options for net in kinship.SUITE.nets}


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
        ("gat", "dropout", "1"),
        ("gat", "hears", "nobody"),
        ("rmc", "slots", "0"),
        ("mac", "steps", "1.5"),
        ("edge-transformer", "held-out", "1"),
        ("composer", "rate", "0"),
        ("bilstm-mean", "pool", "1"),
    ],
)
def test_what_cannot_be_is_refused(net: str, name: str, value: str) -> None:
    with pytest.raises(ProbandError, match=name):
        read_options(NETS[net], {name: value}, of=f"net {net}")


def test_defaults_are_those_of_the_paper_and_of_the_released_programs() -> None:
    """Section 3.4.1 of the thesis; Bergen, O'Donnell and Bahdanau for the edge transformer."""
    common = options.NetOptions()
    assert (common.width, common.rate, common.epochs, common.batch, common.pool) == (100, 1e-3, 100, 100, 20)
    edge = options.EdgeTransformerOptions()
    assert (edge.width, edge.heads, edge.rounds, edge.epochs, edge.batch, edge.held_out) == (200, 4, 8, 50, 400, 0)
    assert {field.name for field in fields(options.NetOptions)} <= {field.name for field in fields(type(edge))}
