"""`proband paper SUITE`: the study of that name that ships with Proband, on the paper's own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from proband import suites
from proband.core.errors import ProbandError
from proband.pipeline.study import study


def paper(
    suite: str,
    *,
    data: str | Path,
    out: str | Path,
    models: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    part: str = "",
    engine: Literal["local", "ray"] = "local",
    workers: int | None = None,
    jobs: int = 1,
) -> dict[str, Any]:
    """Run the study that reproduces a paper: our tables next to the published figures, and tests of its claims.

    Example: proband paper analogy --data BATS -m embedded:glove -o tables

    :param suite: Suite whose paper is reproduced; see `proband list studies`.
    :param data: Folder of the paper's own data.
    :param models: A model to run; repeatable.
    :param dry_run: Print the stages and which are done; run nothing.
    :param part: Only the runs with one of these texts (with commas) in their names, and what they need; no report.
    """
    if suite not in suites.names():
        raise ProbandError(f"no suite {suite!r}; there are {', '.join(suites.names())}")
    if not Path(data).exists():
        raise ProbandError("no such folder", file=data)
    given = {**(parameters or {}), "data": str(data), **({"models": list(models)} if models else {})}
    options: dict[str, Any] = {"dry_run": dry_run, "part": part, "engine": engine, "workers": workers, "jobs": jobs}
    return study(suite, out=out, parameters=given, **options)
