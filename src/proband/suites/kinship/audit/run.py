"""`proband audit`: a verdict for every row of a data set, ours or anyone's.

    verdicts.jsonl  a line per row             by_k.md, by_k.csv  the table by release, split and k
    summary.json    all figures                cleaned.csv        the rows whose label is certified, columns unchanged
    findings.jsonl  a line per cause           corrected.csv      false labels with one right answer, the label replaced
    report.md       the causes, for an issue   corrected_copy.csv all rows, such labels replaced, and what was changed

With several files, cleaned/ holds each of them cleaned under its own name. A bank of templates is read back instead
(template_banks.py). The page is written by the pipeline, from the figures and findings that are handed over here.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from proband.auditing.domain import load
from proband.auditing.outputs import CHANGE_COLUMN, VERDICT_COLUMN, headlines_of, write_findings
from proband.auditing.tally import Tally
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, sha256_file, write_json, write_text
from proband.core.suite import Audit
from proband.core.text import csv_lines, markdown_table, md
from proband.suites.kinship.audit.family_prover import World, describe
from proband.suites.kinship.audit.figures import COUNTED, Figures, correct, overlaps
from proband.suites.kinship.audit.findings import Findings, SecondProver, is_reversed, line_of, page_data
from proband.suites.kinship.audit.judging import Judged, JudgedRow, Progress, judged_rows
from proband.suites.kinship.audit.sources import Source, is_source, sources
from proband.suites.kinship.audit.template_banks import audit_bank, is_bank
from proband.suites.kinship.audit.verdicts import counter
from proband.suites.kinship.clutrr.items import HEADER, csv_line
from proband.suites.kinship.clutrr.rows import COLUMNS, Unreadable


def audit(
    path: str | Path, *, out: Path, progress: Progress = None, workers: int = 2, seed: int = 0
) -> Mapping[str, Any]:
    """Judge the rows at `path` and write everything to the folder `out` but the page. Returns the headlines and, under
    "page", what the page shows (summary.json has all figures).

    No step is random: the seed is taken so that all suites' auditors are called alike.
    """
    path = Path(path)
    if workers < 1:
        raise ProbandError(f"'workers' is {workers}; at least 1 is needed")
    if out.resolve() == path.resolve():
        raise ProbandError("the audit cannot be written into the folder it reads", file=out)
    if is_bank(path):
        return audit_bank(path, out=out)
    files = sources(path)
    with judged_rows(files, workers=workers, progress=progress) as judged:
        summary, findings, tally = _write_rows(files, judged, out)
    if not summary["rows"]:
        raise ProbandError("contains no rows", file=path)
    write_json(out / "summary.json", summary)
    _tables(summary, out)
    facts: dict[str, Any] = {"domain": "kinship", "world": "strict", "world means": load("kinship").worlds["strict"]}
    causes = write_findings(
        out, path.name, {**tally.summary(), **facts, "second prover": summary["second prover"]}, tally
    )
    return {
        "rows": summary["rows"],
        "verdicts": summary["verdicts"],
        "entailed by k": {str(line["k"]): f"{line['entailed']} of {line['rows']}" for line in summary["by_k"]},
        "blamed": summary["rules"]["blamed"],
        **summary["cleaned"],
        "findings": len(causes),
        "finding": headlines_of(causes),
        "page": page_data(summary, findings.cards(), name=path.name),
    }


def _write_rows(files: Sequence[Source], judged: Judged, out: Path) -> tuple[dict[str, Any], Findings, Tally]:
    """A line per row, the cleaned rows, and what is counted and found on the way."""
    figures, findings, tally, second = Figures(overlaps(judged)), Findings(), Tally(), SecondProver()
    with ExitStack() as stack:
        lines = stack.enter_context(atomic(out / "verdicts.jsonl", mode="wb"))
        cleaned = Cleaned(files, out, stack)
        for row in judged:
            lines.write(encode(record(row)) + b"\n")
            figures.add(row)
            tally.add(line_of(row), str(row) if isinstance(row, Unreadable) else "")
            if not isinstance(row, Unreadable):
                findings.add(row)
                cleaned.add(row)
                second.add(row)
    summary = figures.summary()
    summary["second prover"] = asdict(second.checked)
    summary["inputs"] = {source.name: sha256_file(source.path) for source in files}
    summary["cleaned"] = dict(cleaned.count)
    return summary, findings, tally


# ---- a line per row ------------------------------------------------------------------------------------------------


def record(row: JudgedRow | Unreadable) -> dict[str, Any]:
    if isinstance(row, Unreadable):
        return {
            "file": row.file,
            "line": row.line,
            "verdict": "unread",
            "column": row.column or None,
            "reason": row.reason,
        }
    seen, verdict = row.seen, row.verdict
    counter_family = None
    if shown := counter(verdict):
        people = tuple(seen.row.names[x] for x in seen.order)
        counter_family = {"relation": shown[0], **describe(World(shown[1], people))}
    return {
        "file": seen.row.file,
        "line": seen.row.line,
        "id": seen.row.id,
        "split": seen.row.split,
        "task": seen.row.task,
        "k": seen.row.k,
        "verdict": verdict.verdict,
        "target": seen.row.target,
        "possible": verdict.possible,
        "reversed": is_reversed(row),
        "depth": verdict.depth,
        "path": seen.path,
        "revisits": seen.revisits,
        "unsound": seen.unsound,
        "blame": verdict.blame,
        "with_noise": row.noisy,
        "worlds": verdict.worlds,
        "gender_slips": seen.slips,
        "text_contradicts": [[seen.row.names[i], relation, seen.row.names[j]] for i, relation, j in seen.contradicted],
        "untold": seen.untold,
        "counter_family": counter_family,
    }


# ---- cleaned files and tables --------------------------------------------------------------------------------------


class Cleaned:
    """The rows that stand, as they stand, and those whose right label is certain."""

    def __init__(self, files: Sequence[Source], out: Path, stack: ExitStack) -> None:
        self.stack = stack
        self.count = {"cleaned.csv": 0, "corrected.csv": 0}
        self.kept, self.mended = (self._file(out / name) for name in self.count)
        self.copy = stack.enter_context(atomic(out / "corrected_copy.csv"))
        self.copy.write(HEADER.rstrip("\n") + f",{VERDICT_COLUMN},{CHANGE_COLUMN}\n")
        self.own = {s.name: self._file(out / "cleaned" / _csv_name(s.name)) for s in files if len(files) > 1}

    def _file(self, path: Path) -> IO[str]:
        file = self.stack.enter_context(atomic(path))
        file.write(HEADER)
        return file

    def add(self, row: JudgedRow) -> None:
        line = row.seen.csv
        if row.verdict.verdict == "entailed":
            self.count["cleaned.csv"] += 1
            self.kept.write(line)
            if row.seen.row.file in self.own:
                self.own[row.seen.row.file].write(line)
        elif right := correct(row.verdict):
            self.count["corrected.csv"] += 1
            cells = dict(zip(COLUMNS, next(csv.reader([line]))))
            line = csv_line({**cells, "target": right, "text_target": "[]", "proof_state": "[]"})
            self.mended.write(line)
        self.copy.write(f'{line.removesuffix(chr(10))},{row.verdict.verdict},"{_change(row)}"\n')


def _change(row: JudgedRow) -> str:
    """What was changed in a row, and why."""
    verdict = row.verdict
    if right := correct(verdict):
        return f"target {row.seen.row.target} replaced by {right}: the only relation that fits the facts"
    if verdict.verdict == "inconsistent":
        return "unchanged: no family fits the facts"
    return "" if verdict.verdict == "entailed" else f"unchanged: {', '.join(verdict.possible)} are possible"


def _csv_name(source: str) -> str:
    return source.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".csv") + ".csv"


def _tables(figures: Mapping[str, Any], out: Path) -> None:
    first, names = ["release", "split", "k"], ["release", "split", "k", "rows", *COUNTED]
    total: dict[str, Any] = {"release": "all", "split": "", "k": ""}
    for name in names[3:]:
        total[name] = sum(line[name] for line in figures["by_release"])
    rows = [[line[name] for name in names] for line in (*figures["by_release"], total)]
    write_text(out / "by_k.csv", "".join(csv_lines([names, *rows])))
    body = [[md(str(cell)) for cell in row] for row in rows]
    write_text(out / "by_k.md", markdown_table(names, body, right=len(names) - len(first)) + "\n")


AUDIT = Audit(
    reads=lambda source: is_bank(Path(source)) or is_source(Path(source)),
    run=audit,
    page="proband.suites.kinship.audit:page.html",
    provers={"family": "proband.suites.kinship.audit.family_prover:provided"},
)
