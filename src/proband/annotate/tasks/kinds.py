"""All kinds of task."""

from __future__ import annotations

from collections.abc import Mapping

from proband.annotate.tasks.judge import JUDGE
from proband.annotate.tasks.kind import Kind

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (JUDGE,)}
