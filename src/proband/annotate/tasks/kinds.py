"""All kinds of task."""

from __future__ import annotations

from collections.abc import Mapping

from proband.annotate.tasks.judge import JUDGE
from proband.annotate.tasks.kind import Kind
from proband.annotate.tasks.review import REVIEW
from proband.annotate.tasks.simplify import SIMPLIFY
from proband.annotate.tasks.solve import SOLVE
from proband.annotate.tasks.write import WRITE

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (WRITE, REVIEW, JUDGE, SIMPLIFY, SOLVE)}
