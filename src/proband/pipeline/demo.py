"""`proband demo`: every suite's demonstration, built, run and reported with what is installed, offline."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_manifest, sha256_file
from proband.core.plugins import read_options, settings
from proband.core.progress import log
from proband.core.suite import Claim, Demo, Suite
from proband.pipeline.asking.setup import load_model
from proband.pipeline.build import build
from proband.pipeline.checking import audit
from proband.pipeline.evaluate import EvaluationJob
from proband.pipeline.panel import LATEST, read_panel, references
from proband.pipeline.report import item_sets
from proband.pipeline.run import run
from proband.reporting.write import check_folder, write_report


def demo(out: str | Path, *, seed: int = 0, cache: bool = True) -> dict[str, Any]:
    """Build, run and report; a model that is not installed is named and left out."""
    began, folder = time.monotonic(), Path(out)
    asker = Asker(seed=seed, cache=cache)
    runs: list[Path] = []
    notes: list[tuple[str, str]] = []
    findings: dict[str, list[Claim]] = {}
    for suite, plan in [(each, plan) for each in map(suites.suite, suites.names()) for plan in each.demo]:
        items = folder / "items" / (f"{suite.name}-{plan.name}" if plan.name else suite.name)
        log(f"{suite.name}: {suite.question}")
        build_once(suite, items, seed=seed, options=plan.options)
        runs += asker.run(suite, plan, items, folder / "runs" / items.name)
        findings.setdefault(suite.name, []).extend(plan.findings)
        if plan.audit is not None:
            log("  audit")
            place = folder / "audit" / items.name
            notes.append((plan.audit(audit(items, out=place)), f"audit/{items.name}/index.html"))
    if not runs:
        raise ProbandError("no model of the demonstration is installed: " + "; ".join(asker.missing))
    notes += evaluated(asker, folder / "evaluate")
    log("report")
    title = "Proband demonstration"
    check_folder(folder)
    how: dict[str, Any] = {"title": title, "seed": seed, "findings": findings, "notes": notes}
    made = write_report(item_sets(runs), out=folder, **how)
    learnt = [each["statement"] for each in made.get("findings", ()) if each["verdict"] == "holds"]
    return {
        "page": str(folder / "index.html"),
        "runs": len(runs),
        "learnt": [*learnt, *(text for text, _ in notes)],
        "left_out": list(asker.missing),
        "seconds": round(time.monotonic() - began, 1),
    }


def evaluated(asker: Asker, out: Path) -> list[tuple[str, str]]:
    """`proband evaluate` of the installed models whose answers to the panel ship with Proband: its first sentence of
    each, and its page. A model that would have to be asked is left out: that takes minutes."""
    names = tuple(spec for spec in references(read_panel()).get("models", {}) if (spec, "") in asker.models)
    work = EvaluationJob.of(names[:2], out=out, size="panel", suite="", panel=LATEST, how={}) if names else None
    if work is None:
        return []
    log(f"evaluate {' '.join(work.models)}")
    work.loaded.update(asker.models)
    work.place()
    if not all(work.take_recorded(part) for part in work.runs if part.model in work.models):
        log("  left out: its answers are not those of the models that are installed")
        return []
    work.answer()
    made = work.write(card=True, force=False)
    firsts = {model: text for model, text in reversed(made.profile.sentences) if model}
    return [(firsts[model], f"evaluate/{made.page.name}") for model in work.models]


class Asker:
    """Runs the models of a plan; each is loaded once, and one that is not installed is kept in `missing`."""

    def __init__(self, *, seed: int, cache: bool) -> None:
        self.seed, self.cache = seed, cache
        self.models: dict[tuple[str, str], Any] = {}
        self.missing: dict[str, None] = {}  # the errors, which say how each is installed

    def run(self, suite: Suite, plan: Demo, items: Path, out: Path) -> list[Path]:
        """The folders of the runs that were made."""
        made = []
        for spec, solver in plan.runs:
            log(f"  {spec}" + (f" ({solver})" if solver else ""))
            place = out / "-".join((spec + (f"-{solver}" if solver else "")).split(":"))
            how = {"solver": solver, "limit": plan.limit, **plan.of_models.get(spec, {})}
            try:
                run(items, model=self.model(spec, suite), out=place, seed=self.seed, cache=self.cache, **how)
                made.append(place)
            except ProbandError as error:
                if "pip install" not in str(error):
                    raise
                self.missing[str(error)] = None
                log(f"    left out: {error}")
        return made

    def model(self, spec: str, suite: Suite) -> Any:
        key = spec, suite.name if spec.startswith("solver:") else ""  # that name is the suite's own
        if key not in self.models:
            self.models[key] = load_model(spec, suite=suite, seed=self.seed)
        return self.models[key]


def build_once(suite: Suite, items: Path, *, seed: int, options: Mapping[str, Any]) -> None:
    """Build, unless the folder holds this very build already."""
    there, wanted = read_manifest(items), settings(read_options(suite.options, options, of=f"build {suite.name}"))
    same = there.get("seed") == seed and there.get("options") == wanted
    if same and there.get("sha256", {}).get("items.jsonl") == sha256_file(items_path(items)):
        return
    build(suite.name, out=items, seed=seed, force=True, **options)
