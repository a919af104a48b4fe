"""Reads a project's folder for the command line."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import file_errors, group_by_key, write_csv, write_jsonl, write_text
from proband.stats.agreement.coefficients import pairwise
from proband_annotate.erasing import workers_of
from proband_annotate.project import read_project, secret_of
from proband_annotate.results.collected import RULES, Collected
from proband_annotate.results.export import export
from proband_annotate.results.figures import agreement, figures, people_figures
from proband_annotate.results.payments import HEADER, payments
from proband_annotate.results.planning import plan
from proband_annotate.results.register import collect
from proband_annotate.store import remarks as remark_store
from proband_annotate.store.migrate import open_study
from proband_annotate.tokens import person_code


def collected(folder: Path) -> Collected:
    project = read_project(folder)
    with closing(open_study(folder)) as database:
        return database.read(lambda connection: collect(connection, project))


def status(folder: Path, *, people: bool = False, workers: Path | None = None, source: str = "") -> dict[str, Any]:
    """The figures; a line per person; or the outcomes of platform ids."""
    result = collected(folder)
    if workers is not None:
        by_hash = {person["worker"]: person for person in result.people}
        secret, lines = secret_of(folder), []
        for name in file_lines(workers):
            person = next((by_hash[each] for each in workers_of(secret, name, source) if each in by_hash), {})
            about = {key: person.get(key, "") for key in ("outcome", "decision", "reason")}
            lines.append({"id": name, "person": person.get("id"), **about})
        return {"people_lines": lines}
    if people:
        rows = [{**row, "flags": ", ".join(row["flags"])} for row in people_figures(result)]
        return {"people_lines": rows}
    return figures(result)


def codes_of(folder: Path, codes: Path) -> dict[str, Any]:
    """The people with these completion codes, if codes are personal."""
    secret = secret_of(folder)
    ended = [person for person in collected(folder).people if person["outcome"]]
    whose = {person_code(secret, person["worker"], person["outcome"]): person for person in ended}
    lines = []
    for code in file_lines(codes):
        person = whose.get(code.upper(), {"id": None, "outcome": "unknown code", "decision": ""})
        lines.append({"code": code, "person": person["id"], **{key: person[key] for key in ("outcome", "decision")}})
    return {"people_lines": lines}


def pay_file(folder: Path, *, to: str, out: Path, workers: Path | None = None, source: str = "") -> dict[str, Any]:
    """Payments as CSV, or as lines for Prolific's bulk bonus, for the ids in `workers`."""
    if to == "prolific" and workers is None:
        raise ProbandError("--to prolific needs --workers FILE: the study does not store the ids that Prolific knows")
    result, ids = collected(folder), file_lines(workers) if workers is not None else []
    rows, currency = payments(result, secret_of(folder), ids, source), result.project.pay.currency
    by_currency = group_by_key((row["currency"], row) for row in rows if row["currency"])  # none: an id that never came
    if to == "prolific":
        if other := [row["id"] for row in rows if row["bonus"] and row["currency"] != currency]:
            reason = f"agreed to be paid in another currency than {currency}; pay them separately"
            raise ProbandError(f"{', '.join(other)}: {reason}", file=workers)
        owed = ((row["id"], row["bonus"] - row["transferred"]) for row in rows if row["bonus"])
        write_text(out, "".join(f"{name},{amount:.2f}\n" for name, amount in owed if amount >= 0.005))
    else:
        write_csv(out, HEADER, (list(row.values()) for row in rows))
    sums = {
        name: {each: round(sum(row[name] for row in mine), 2) for each, mine in by_currency.items()}
        for name in ("bonus", "total")
    }
    return {"people": len(rows), **sums, "file": str(out)}


def remark_lines(folder: Path) -> dict[str, Any]:
    """All remarks, open ones first."""
    with closing(open_study(folder)) as database:
        rows = database.read(lambda connection: remark_store.all_of(connection, most=100_000))
    names = ("kind", "unit", "person_id", "text", "settled")
    return {"people_lines": [{name: row._mapping[name] for name in names} for row in rows]}


def pair_lines(folder: Path) -> dict[str, Any]:
    """Agreement of every two people, the lowest first."""
    result = collected(folder)
    numbers = {person["worker"]: person["id"] for person in result.people}
    return {
        "people_lines": [
            {
                "one": numbers[pair.one],
                "other": numbers[pair.other],
                "shared": pair.shared,
                "agreement": round(pair.agreement, 3),
                "kappa": round(pair.kappa, 3) if pair.kappa is not None else None,
            }
            for pair in (pairwise(result.votes) if result.votes is not None else ())
        ]
    }


def file_lines(path: Path) -> list[str]:
    """Each line once, in order."""
    with file_errors(path):
        lines = path.read_text("utf-8-sig", "replace").splitlines()
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def aggregate(folder: Path, *, rule: str, out: Path | None = None) -> dict[str, Any]:
    """One label per part, written to `out`, and a summary."""
    result = collected(folder)
    if result.votes is None:
        raise ProbandError(f"has no labels to aggregate (kind {result.project.kind})", file=folder)
    if rule not in RULES:
        raise ProbandError(f"no rule {rule!r}; there are {', '.join(RULES)}")
    made = result.labels_by(rule)
    if out is not None:
        write_jsonl(out, ({"item_id": part, "label": label} for part, label in made.items()))
    counts = Counter(label or "no agreement" for label in made.values())
    return {
        "rule": rule,
        "judgments": len(result.votes.item),
        "parts": len(made),
        "labels": dict(sorted(counts.items())),
        "decided_by_owner": len(result.decided),
        "agreement": agreement(result),
        **({"file": str(out)} if out is not None else {}),
    }


def export_project(folder: Path, *, to: str, out: Path) -> dict[str, Any]:
    return export(collected(folder), to=to, out=out, project_folder=folder)


def plan_project(folder: Path, *, half_width: float) -> dict[str, Any]:
    if not 0.001 <= half_width <= 0.5:
        raise ProbandError(f"--precision is {half_width}; it must be between 0.001 and 0.5")
    return plan(collected(folder), half_width=half_width)
