"""What the command line reads from a project's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.annotate.erasing import workers_of
from proband.annotate.planning import plan
from proband.annotate.project import database_url, read_project, secret_of
from proband.annotate.results.collected import Collected
from proband.annotate.results.export import export
from proband.annotate.results.figures import agreement, figures, people_figures
from proband.annotate.results.labels import RULES, labels
from proband.annotate.results.measured import guess_of
from proband.annotate.results.register import collect
from proband.annotate.results.suite_inputs import write_jsonl
from proband.annotate.store.migrate import open_existing
from proband.core.errors import ProbandError
from proband.core.files import raw_lines


def collected(folder: Path) -> Collected:
    project = read_project(folder)
    database = open_existing(database_url(folder, project))
    try:
        return database.read(lambda connection: collect(connection, project))
    finally:
        database.close()


def status(folder: Path, *, people: bool = False, workers: Path | None = None, source: str = "") -> dict[str, Any]:
    """The figures; a line per person; or what became of the ids that a platform knows."""
    found = collected(folder)
    if workers is not None:
        by_hash = {person["worker"]: person for person in found.people}
        secret, lines = secret_of(folder), []
        for _, raw in raw_lines(workers):
            if name := raw.decode("utf-8", "replace").strip():
                known = (by_hash[each] for each in workers_of(secret, name, source) if each in by_hash)
                person = next(known, {})
                keys = ("outcome", "decision", "reason")
                lines.append({"id": name, "person": person.get("id"), **{key: person.get(key, "") for key in keys}})
        return {"people_lines": lines}
    if people:
        rows = [{**row, "flags": ", ".join(row["flags"])} for row in people_figures(found)]
        return {"people_lines": rows}
    return figures(found)


def aggregate(folder: Path, *, rule: str, out: Path | None = None) -> dict[str, Any]:
    """One label per part, written to `out`, and a summary."""
    found = collected(folder)
    if found.votes is None:
        raise ProbandError(f"has no labels to aggregate (kind {found.project.kind})", file=folder)
    if rule not in RULES:
        raise ProbandError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    made = labels(found, rule)
    if out is not None:
        write_jsonl(out, ({"item_id": part, "label": label} for part, label in made.items()))
    counts: dict[str, int] = {}
    for label in made.values():
        counts[label or "no agreement"] = counts.get(label or "no agreement", 0) + 1
    return {
        "rule": rule,
        "judgments": len(found.votes.item),
        "parts": len(made),
        "labels": dict(sorted(counts.items())),
        "decided_by_owner": len(found.decided),
        "agreement": agreement(found),
        **({"file": str(out)} if out is not None else {}),
    }


def export_project(folder: Path, *, to: str, out: Path) -> dict[str, Any]:
    return export(collected(folder), to=to, out=out, project_folder=folder)


def plan_project(folder: Path, *, half_width: float) -> dict[str, Any]:
    if not 0.001 <= half_width <= 0.5:
        raise ProbandError(f"--precision is {half_width}; it must be between 0.001 and 0.5")
    found = collected(folder)
    done = found.done.get("crowd", 0)
    return plan(found.project, guess_of(found), half_width=half_width, units=len(found.units), done=done)
