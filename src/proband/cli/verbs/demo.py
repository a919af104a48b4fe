"""`proband demo`: every suite's demonstration, built, run and reported with what is installed, offline."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_manifest, sha256_file
from proband.core.plugins import read_options, settings
from proband.core.progress import log
from proband.core.suite import Claim, Demo, Suite
from proband.pipeline.asking.setup import LoadedModels
from proband.pipeline.build import build
from proband.pipeline.checking import audit
from proband.pipeline.evaluate import EvaluationJob
from proband.pipeline.frames import run
from proband.pipeline.panel import read_panel, references
from proband.pipeline.report import item_sets
from proband.reporting import check_folder, write_report


def demo(*, out: str | Path = "demo", seed: int = 0) -> dict[str, Any]:
    """Build, run and report every suite with the installed data and models; offline, on a CPU.

    Example: proband demo -o demo
    """
    began, folder, models = time.monotonic(), Path(out), LoadedModels()
    runs: list[Path] = []
    notes: list[tuple[str, str]] = []
    findings: dict[str, list[Claim]] = {}
    missing: dict[str, None] = {}  # the errors, which say how each is installed
    for suite, plan in [(each, plan) for each in map(suites.suite, suites.names()) for plan in each.demo]:
        items = folder / "items" / (f"{suite.name}-{plan.name}" if plan.name else suite.name)
        log(f"{suite.name}: {suite.question}")
        build_once(suite, plan, items, seed=seed)
        for spec, solver in plan.runs:
            name = f"{spec}-{solver}" if solver else spec
            log(f"  {name}")
            options = {"solver": solver, "limit": plan.limit, "seed": seed, **plan.of_models.get(spec, {})}
            place = folder / "runs" / items.name / name.replace(":", "-")
            try:
                run(items, model=models.of(spec, suite, seed=seed), out=place, **options)
                runs.append(place)
            except ProbandError as error:
                if "pip install" not in str(error):
                    raise
                missing[str(error)] = None
                log(f"    left out: {error}")
        findings.setdefault(suite.name, []).extend(plan.findings)
        if plan.audit is not None:
            log("  audit")
            place = folder / "audit" / items.name
            notes.append((plan.audit(audit(items, out=place)), f"audit/{items.name}/index.html"))
    if not runs:
        raise ProbandError("no model of the demonstration is installed: " + "; ".join(missing))
    notes += evaluated(models, folder / "evaluate")
    log("report")
    check_folder(folder)
    shown: dict[str, Any] = {"title": "Proband demonstration", "seed": seed, "findings": findings, "notes": notes}
    made = write_report(item_sets(runs), out=folder, **shown)
    learnt = [each["statement"] for each in made.get("findings", ()) if each["verdict"] == "holds"]
    return {
        "page": str(folder / "index.html"),
        "runs": len(runs),
        "learnt": [*learnt, *(text for text, _ in notes)],
        "left_out": list(missing),
        "seconds": round(time.monotonic() - began, 1),
    }


def build_once(suite: Suite, plan: Demo, items: Path, *, seed: int) -> None:
    """Build, unless the folder holds this very build already."""
    there, wanted = read_manifest(items), settings(read_options(suite.options, plan.options, of=f"build {suite.name}"))
    same = there.get("seed") == seed and there.get("options") == wanted
    if not same or there.get("sha256", {}).get("items.jsonl") != sha256_file(items_path(items)):
        build(suite.name, out=items, seed=seed, force=True, **plan.options)


def evaluated(models: LoadedModels, out: Path) -> list[tuple[str, str]]:
    """`proband evaluate` of the first installed model whose answers to the panel ship with Proband: its first sentence
    and its page. A model that would have to be asked is left out: that takes minutes."""
    names = tuple(spec for spec in references(read_panel()) if models.has(spec))[:1]
    if not names:
        return []
    log(f"evaluate {' '.join(names)}")
    work = EvaluationJob(names, out=out, options={})
    work.loaded.update(models)
    own = [part for part in work.runs if part.spec in names]
    for part in own:
        work.take_recorded(part)
    if not all((part.folder / "run.json").exists() for part in own):
        log("  left out: its answers are not those of the models that are installed")
        return []
    work.answer()
    made = work.write(card=True, force=False)
    firsts = {model: text for model, text in reversed(made.profile.sentences) if model}
    return [(firsts[model], f"evaluate/{made.page.name}") for model in names]
