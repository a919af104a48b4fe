"""Items of the suite `facts`."""

from __future__ import annotations

from proband.core.types import Item
from proband.suites.facts.build import BuildOptions, build


def items_of(**options: object) -> list[Item]:
    return [item for item in build(BuildOptions(**options), seed=0).items if isinstance(item, Item)]  # type: ignore[arg-type]


def capitals() -> list[Item]:
    return items_of(relations="capital")
