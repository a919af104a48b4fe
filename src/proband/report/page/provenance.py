"""Where the numbers come from: items, licence, models, versions, settings, and the commands that repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from proband.core.files import dumps
from proband.core.types import Run
from proband.report.numbers.cells import Study
from proband.report.numbers.sources import ItemSet

COMMANDS = ("build", "command")


def provenance(study: Study) -> dict[str, Any]:
    """The block of one item set: its items, then every run."""
    items = study.items
    manifest = items.manifest
    facts = {
        "suite": items.suite.name,
        "paper": items.suite.cites,
        "items": f"{study.arrays.count:,} from {items.source or 'memory'}",
        "sha256 of the items": items.runs[0].items_sha,
        "licence of the data": manifest.get("licence") or "not stated",
        "build": build_command(items),
    }
    rest = {name: value for name, value in manifest.items() if name != "licence"}
    return {
        "suite": items.suite.name,
        "facts": _facts(facts),
        "manifest": _facts(rest),
        "runs": [
            {"label": label, "answers": f"{len(answered):,} answers, {run.solver}", "facts": _facts(_run(run, items))}
            for run, label, answered in zip(items.runs, items.labels, study.arrays.answered)
        ],
    }


def _run(run: Run, items: ItemSet) -> dict[str, Any]:
    facts: dict[str, Any] = {"model": run.model, "solver": run.solver, "seed": run.seed, "items": run.items_sha}
    for name in ("identity", "settings", "net", "versions", "usage"):
        if value := getattr(run, name):
            facts[name] = value
    return facts | {"command": run_command(run, items)}


def build_command(items: ItemSet) -> str:
    manifest = items.manifest
    parts = ["proband", "build", items.suite.name, "-o", items.source or "DIR"]
    parts += ["--seed", str(manifest["seed"])] if "seed" in manifest else []
    return shlex.join(parts + _flags(manifest.get("options", {})))


def run_command(run: Run, items: ItemSet) -> str:
    parts = ["proband", "run", items.source or "DIR", "-m", run.model, "-s", run.solver]
    parts += ["--seed", str(run.seed), *_flags(run.settings), "-o", "RUNDIR"]
    return shlex.join(parts)


def _flags(options: Mapping[str, Any]) -> list[str]:
    """
    >>> _flags({"per_k": 20, "certify": True, "rules": None, "k": [2, 3]})
    ['--per-k', '20', '--certify', '--k', '2,3']
    """
    out: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            out.append(flag)
        elif isinstance(value, (list, tuple)):
            out += [flag, ",".join(str(each) for each in value)]
        elif isinstance(value, (str, int, float)) and value is not False and value != "":
            out += [flag, str(value)]
    return out


def _facts(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Name, and text or a list of facts of its own; what is nested deeper is JSON."""
    out = []
    for name, value in facts.items():
        flat = isinstance(value, Mapping) and all(not isinstance(v, (Mapping, list)) for v in value.values())
        own = _facts(value) if flat and value else None
        text = value if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else dumps(value)
        out.append({"name": str(name), "facts": own, "text": text, "code": name in COMMANDS})
    return out
