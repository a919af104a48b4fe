"""Where the numbers come from: items, licence, models, versions, settings, and the commands that repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from html import escape
from typing import Any

from proband.core.files import dumps
from proband.core.types import Run
from proband.report.collect import Joined


def provenance(joined: Joined) -> str:
    """The block of one item set: its items, then every run."""
    manifest = joined.loaded.manifest
    first = joined.loaded.runs[0][0]
    facts = {
        "suite": joined.loaded.suite.name,
        "paper": joined.loaded.suite.cites,
        "items": f"{len(joined.loaded.items):,} from {joined.loaded.source or 'memory'}",
        "sha256 of the items": first.items_sha,
        "licence of the data": manifest.get("licence") or manifest.get("license") or "not stated",
        "build": build_command(joined),
    }
    parts = [f'<h3 id="{joined.key}-from">{escape(joined.loaded.suite.name)}</h3>', _facts(facts)]
    rest = {name: value for name, value in manifest.items() if name not in ("licence", "license")}
    if rest:
        parts.append(f"<details><summary>manifest of the items</summary>{_facts(rest)}</details>")
    for (run, answers), label in zip(joined.loaded.runs, joined.labels):
        name = f"<summary>{escape(label)} <span>{len(answers):,} answers, {escape(run.solver)}</span></summary>"
        parts.append(f"<details>{name}{_facts(_run_facts(run, joined))}</details>")
    return "\n".join(parts)


def _run_facts(run: Run, joined: Joined) -> dict[str, Any]:
    facts: dict[str, Any] = {"model": run.model, "solver": run.solver, "seed": run.seed, "items": run.items_sha}
    for name in ("identity", "settings", "versions", "usage"):
        if value := getattr(run, name):
            facts[name] = value
    return facts | {"again": run_command(run, joined)}


def build_command(joined: Joined) -> str:
    """
    The manifest's own command, or one made of its options and seed.
    """
    manifest = joined.loaded.manifest
    if isinstance(manifest.get("command"), str):
        return str(manifest["command"])
    options = manifest.get("options")
    words = ["proband", "build", joined.loaded.suite.name, "-o", joined.loaded.source or "DIR"]
    words += ["--seed", str(manifest["seed"])] if "seed" in manifest else []
    return shlex.join(words + _flags(options if isinstance(options, Mapping) else {}))


def run_command(run: Run, joined: Joined) -> str:
    words = ["proband", "run", joined.loaded.source or "DIR", "-m", run.model, "-s", run.solver]
    words += ["--seed", str(run.seed), *_flags(run.settings), "-o", "RUNDIR"]
    return shlex.join(words)


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


def _facts(facts: Mapping[str, Any]) -> str:
    """A definition list; what is nested is printed as a list of its own or as JSON."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, Mapping) and value and all(not isinstance(v, (Mapping, list)) for v in value.values()):
            shown = _facts(value)
        elif isinstance(value, str):
            shown = f"<code>{escape(value)}</code>" if name in ("build", "again") else escape(value)
        else:
            shown = escape(str(value) if isinstance(value, (int, float)) else dumps(value))
        lines.append(f"<dt>{escape(str(name))}</dt><dd>{shown}</dd>")
    return f"<dl>{''.join(lines)}</dl>"
