"""A unit on which people disagree is given to more of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send

else:
    from assigning import advance, come, opened, send


def test_more_people_where_they_disagree(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 2}, quality={"extra-overlap": 2})
    for worker, label in (("a", "yes"), ("b", "no"), ("c", "yes"), ("d", "yes")):
        come(study, worker)
        assert send(study, worker, advance(study, worker).unit, label=label).counts
    come(study, "e")
    assert advance(study, "e").name == "end"  # four at most
    study.database.close()
