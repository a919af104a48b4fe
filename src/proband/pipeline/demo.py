"""`proband demo`: every suite's demonstration, built, run and reported with what is installed, offline."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_json, sha256_file
from proband.core.options import read_options, settings
from proband.core.progress import say
from proband.core.suite import Suite
from proband.pipeline.asking.models import load_model
from proband.pipeline.build import build
from proband.pipeline.report import report
from proband.pipeline.run import run


def demo(out: str | Path, *, seed: int = 0, cache: bool = True) -> dict[str, Any]:
    """Build, run and report; a model that is not installed is named and left out."""
    began, folder = time.monotonic(), Path(out)
    runs: list[Path] = []
    missing: dict[str, None] = {}
    models: dict[tuple[str, str], Any] = {}  # each is loaded once
    for suite, plan in [(each, plan) for each in map(suites.suite, suites.names()) for plan in each.demo]:
        items = folder / "items" / (f"{suite.name}-{plan.name}" if plan.name else suite.name)
        say(f"{suite.name}: {suite.question}")
        build_once(suite, items, seed=seed, options=plan.options)
        for spec, solver in plan.runs:
            say(f"  {spec}" + (f" ({solver})" if solver else ""))
            place = folder / "runs" / items.name / "-".join((spec + (f"-{solver}" if solver else "")).split(":"))
            key = spec, suite.name if spec.startswith("solver:") else ""  # that name is the suite's own
            try:
                if key not in models:
                    models[key] = load_model(spec, suite=suite, seed=seed)
                run(items, model=models[key], out=place, solver=solver, seed=seed, limit=plan.limit, cache=cache)
                runs.append(place)
            except ProbandError as error:
                if "pip install" not in str(error):
                    raise
                missing[str(error)] = None
                say(f"    left out: {error}")
    if not runs:
        raise ProbandError("no model of the demonstration is installed: " + "; ".join(missing))
    say("report")
    report(runs, out=folder, title="Proband demonstration", seed=seed)
    seconds = round(time.monotonic() - began, 1)
    return {"page": str(folder / "index.html"), "runs": len(runs), "left_out": list(missing), "seconds": seconds}


def build_once(suite: Suite, items: Path, *, seed: int, options: Mapping[str, Any]) -> None:
    """Build, unless the folder holds this very build already."""
    if (items / "manifest.json").exists():
        there = read_json(items / "manifest.json")
        wanted = settings(read_options(suite.options, options, of=f"build {suite.name}"))
        same = there.get("seed") == seed and there.get("options") == wanted
        if same and there.get("sha256", {}).get("items.jsonl") == sha256_file(items_path(items)):
            return
    build(suite.name, out=items, seed=seed, force=True, **options)
