"""A folder of a trained net is left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import Killed, Sides, quick, same

from proband.core.errors import ProbandError
from proband.training.fit import TrainedNet
from proband.training.folder import train_into
from proband.training.task import CHECKPOINT, load_weights


def test_a_finished_net_is_left_as_it_is(tmp_path: Path) -> None:
    class Ends(Sides):
        def held_out(self) -> Iterator[Any]:
            raise Killed

    note: dict[str, Any] = {"seed": 0}
    with pytest.raises(Killed):
        train_into(tmp_path, Ends(), seed=0, note=note, versions={})
    made = train_into(tmp_path, Sides(), seed=0, note=note, versions={})
    assert made["epochs"] == 6
    assert same(TrainedNet(load_weights(Sides().network(), tmp_path), [], 0), quick(Sides(), seed=0))
    assert not (tmp_path / CHECKPOINT).exists()
    assert train_into(tmp_path, Ends(), seed=0, note=note, versions={}) == made  # which is not trained again
    with pytest.raises(ProbandError, match="trained with other settings"):
        train_into(tmp_path, Sides(), seed=1, note={"seed": 1}, versions={})
