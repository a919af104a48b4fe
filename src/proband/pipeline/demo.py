"""`proband demo`: every suite's demonstration, built, run and reported with what is installed, offline."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_json, sha256_file
from proband.core.options import read_options, settings
from proband.core.suite import Demo, Suite
from proband.pipeline.asking.models import load_model
from proband.pipeline.build import build
from proband.pipeline.report import report
from proband.pipeline.run import run


def demo(out: str | Path, *, seed: int = 0, cache: bool = True) -> dict[str, Any]:
    """Build, run and report; a model that is not installed is named and left out."""
    began, work = time.monotonic(), Demonstration(Path(out), seed=seed, cache=cache)
    for name in suites.names():
        suite = suites.suite(name)
        for plan in suite.demo:
            work.run_plan(suite, plan)
    missing = list(dict.fromkeys(work.missing))
    if not work.runs:
        raise ProbandError("no model of the demonstration is installed: " + "; ".join(missing))
    say("report")
    report(work.runs, out=work.out, title="Proband demonstration", seed=seed)
    seconds = round(time.monotonic() - began, 1)
    return {"page": str(work.out / "index.html"), "runs": len(work.runs), "left_out": missing, "seconds": seconds}


class Demonstration:
    """The folder of a demonstration and what has been run so far; each model is loaded once."""

    def __init__(self, out: Path, *, seed: int, cache: bool) -> None:
        self.out, self.seed, self.cache = out, seed, cache
        self.runs: list[Path] = []
        self.missing: list[str] = []
        self.loaded: dict[str, Any] = {}

    def run_plan(self, suite: Suite, plan: Demo) -> None:
        items = self.out / "items" / (f"{suite.name}-{plan.name}" if plan.name else suite.name)
        say(f"{suite.name}: {suite.question}")
        build_once(suite, items, seed=self.seed, options=plan.options)
        for spec, solver in plan.runs:
            say(f"  {spec}" + (f" ({solver})" if solver else ""))
            folder = self.out / "runs" / items.name / "-".join((spec + (f"-{solver}" if solver else "")).split(":"))
            how = {"solver": solver, "seed": self.seed, "limit": plan.limit, "cache": self.cache}
            try:
                run(items, model=self.model(spec, suite), out=folder, **how)
            except ProbandError as error:
                if "pip install" not in str(error):
                    raise
                self.missing.append(str(error))
                say(f"    left out: {error}")
            else:
                self.runs.append(folder)

    def model(self, spec: str, suite: Suite) -> Any:
        if spec.startswith("solver:"):
            return load_model(spec, suite=suite)  # the same name may mean another model in another suite
        if spec not in self.loaded:
            self.loaded[spec] = load_model(spec, suite=suite)
        return self.loaded[spec]


def build_once(suite: Suite, items: Path, *, seed: int, options: Mapping[str, Any]) -> None:
    """Build, unless the folder holds this very build already."""
    if (items / "manifest.json").exists():
        there = read_json(items / "manifest.json")
        wanted = settings(read_options(suite.options, options, of=f"build {suite.name}"))
        same = there.get("seed") == seed and there.get("options") == wanted
        if same and there.get("sha256", {}).get("items.jsonl") == sha256_file(items_path(items)):
            return
    build(suite.name, out=items, seed=seed, **options)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
