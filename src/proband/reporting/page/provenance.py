"""Where the numbers come from: items, licence, models, versions, settings, and the commands that repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.types import Run
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.item_sets import ItemSet

COMMANDS = ("build", "command")
ROWS = 60  # of a table in a manifest
# options of `run` that are no options of a solver
FLAGS = ("limit", "split", "too-long", "prompt", "shots", "shots-from", "think", "system", "max-tokens", "logprobs")
NOT_ASKED = ("asked", "prompt-sha")  # what a run records beyond its options


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
    given = {name.replace("_", "-"): value for name, value in run.settings.items()}
    own = {name: value for name, value in given.items() if name in FLAGS and value != 0}
    rest = {name: value for name, value in given.items() if name not in (*FLAGS, *NOT_ASKED)}
    parts += ["--seed", str(run.seed), *_flags(own), *_settings(rest), "-o", "RUNDIR"]
    return shlex.join(parts)


def _settings(options: Mapping[str, Any]) -> list[str]:
    """
    >>> _settings({"norm": "token", "steps": 20, "exclude": True, "method": "", "layers": [0, 6]})
    ['--set', 'norm=token', '--set', 'steps=20', '--set', 'exclude=yes', '--set', 'layers=0,6']
    """
    given = {name: value for name, value in options.items() if value is not None and value != ""}
    return [word for name, value in given.items() for word in ("--set", f"{name}={words.listed(value)}")]


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
    """Name, and a text, a list of facts of its own or a table."""
    out = []
    for name, value in facts.items():
        table = isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
        out.append(
            {
                "name": str(name).replace("_", " "),
                "facts": _facts(value) if isinstance(value, Mapping) and value else None,
                "table": _table(value) if table else None,
                "text": words.listed(value),
                "code": name in COMMANDS,
            }
        )
    return out


def _table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """
    >>> _table([{"relation": "aunt", "items": {"train": 2, "test": 1}}, {"relation": "son"}])["rows"]
    [['aunt', 'train 2, test 1'], ['son', '']]
    """
    header = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "header": [name.replace("_", " ") for name in header],
        "rows": [[words.listed(row.get(name, "")) for name in header] for row in rows[:ROWS]],
        "left_out": max(0, len(rows) - ROWS),
    }
