"""`proband demo`: every suite's demonstration, built, run and reported with what is installed, offline."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from proband import suites, workbench
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_json, sha256_file
from proband.options import defaults


def demo(out: Path, *, seed: int = 0, cache: bool = True) -> dict[str, Any]:
    """Build, run and report; a model that is not installed is named and left out."""
    began, runs, missing = time.monotonic(), [], []
    loaded: dict[str, Any] = {}
    for name in suites.NAMES:
        suite = suites.suite(name)
        for plan in suite.demo:
            items = out / "items" / (f"{name}-{plan.name}" if plan.name else name)
            say(f"{name}: {suite.question}")
            build_once(name, items, seed=seed, options=dict(plan.options))
            for spec, solver in plan.runs:
                folder = out / "runs" / items.name / "-".join((spec + (f"-{solver}" if solver else "")).split(":"))
                say(f"  {spec}" + (f" ({solver})" if solver else ""))
                try:
                    if spec.startswith("solver:"):
                        model: Any = spec
                    else:
                        model = loaded.setdefault(spec, None) or workbench.load_model(spec, suite=suite)
                        loaded[spec] = model
                    workbench.run(
                        items, model=model, out=folder, solver=solver, seed=seed, limit=plan.limit, cache=cache
                    )
                except ProbandError as error:
                    if "pip install" not in str(error):
                        raise
                    missing.append(str(error))
                    say(f"    left out: {error}")
                    continue
                runs.append(folder)
    if not runs:
        raise ProbandError("no model of the demonstration is installed: " + "; ".join(dict.fromkeys(missing)))
    say("report")
    workbench.report(runs, out=out, title="Proband demonstration", seed=seed)
    return {
        "page": str(out / "index.html"),
        "runs": len(runs),
        "left_out": list(dict.fromkeys(missing)),
        "seconds": round(time.monotonic() - began, 1),
    }


def build_once(name: str, items: Path, *, seed: int, options: dict[str, Any]) -> None:
    """Build, unless the folder holds this very build already."""
    manifest = items / "manifest.json"
    if manifest.exists():
        there = read_json(manifest)
        settings = defaults(suites.suite(name).options, options, of=f"build {name}")
        same = there.get("seed") == seed and there.get("options") == settings
        if same and there.get("sha256", {}).get("items.jsonl") == sha256_file(items_path(items)):
            return
    workbench.build(name, out=items, seed=seed, **options)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
