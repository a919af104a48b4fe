"""The files that an audit writes.

verdicts.jsonl  a line per row             findings.jsonl  a line per cause: claim, severity, evidence, labels
summary.json    all figures
corrected.*     the rows as they were, false labels replaced where one answer follows, and two columns that say what
                was changed and why (several files: the folder corrected/)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from proband.core.files import atomic, csv_lines, encode, write_json, write_jsonl
from proband.core.tables import FRAMES, WORKBOOKS, kind_of
from proband.proof.decisions import DEPENDS, GENDER_OPEN, RowVerdict, fewest
from proband.proof.rows import AuditRow
from proband.proof.run import JudgedRows
from proband.proof.tally import Tally
from proband.proof.verdicts import Judge

VERDICT_COLUMN, CHANGE_COLUMN = "audit_verdict", "audit_change"
LONGEST_SHOWN: Final = 400
AS_CSV: Final = (".tsv", *FRAMES, *WORKBOOKS)


def write_audit(audited: JudgedRows, out: Path, *, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write these files; returns the summary with the findings. `facts` (domain, world, ...) go into it."""
    tally, judge = Tally(), audited.judge
    with ExitStack() as stack:
        lines = stack.enter_context(atomic(out / "verdicts.jsonl", mode="wb"))
        corrected = CorrectedCopy(out, stack, several=len(audited.files) > 1)
        for row, judged in audited:
            tally.add(judged, row, judge.shape, partial(_example, judge, row, judged))
            lines.write(encode(record(judge, row, judged)) + b"\n")
            corrected.add(row, judged, right=audited.correction(judged))
        corrected.close()
    made = {"second prover": audited.second_prover, "copies": corrected.count}
    summary, findings = {**facts, **tally.summary(), **made}, tally.findings()
    write_jsonl(out / "findings.jsonl", findings)
    write_json(out / "summary.json", {**summary, "findings": len(findings)})
    return {**summary, "finding": findings}


# ---- a row ---------------------------------------------------------------------------------------------------------


def record(judge: Judge, row: AuditRow, judged: RowVerdict) -> dict[str, Any]:
    """The line of a row in verdicts.jsonl."""
    place = {"file": row.file, "row": row.key, "line": row.line, "verdict": judged.verdict, "label": judged.label}
    if judged.unread:
        reason, sentence = judged.unread
        unread = {"reason": reason, "sentence": sentence[:LONGEST_SHOWN], "notes": judged.notes}
        return {**place, **unread, **({"readers": judged.readers} if judged.readers else {})}
    asked, word = judged.asked, judged.asked.word
    return {
        **place,
        "question": {"who": asked.who, "relation": word.relation, "of": asked.of} if word else asked.pair,
        "possible": judged.possible,
        "right": judged.right or None,
        "reversed": judged.reversed,
        "proof": fact_lines(judged, judged.proof),
        "one_reading": judged.one_reading,
        "readers": judged.readers,
        "worlds": {answer: judge.describe(world) for answer, world in judged.worlds.items()},
        "by_world": {world: dict(zip(("verdict", "possible"), each)) for world, each in judged.by_world.items()},
        "cause": judged.cause.claim if judged.cause else None,
        "notes": judged.notes,
    }


def fact_lines(judged: RowVerdict, numbers: Sequence[int]) -> list[str]:
    """Facts of a row, with the sentence each was read from.

    >>> from proband.core.types import Fact
    >>> fact_lines(RowVerdict(verdict="entailed", facts=(Fact("A", "left", "B", None, False, 0),)), [0])
    ['A left B (sentence 1)']
    """
    lines = []
    for a, relation, b, _, negated, sentence in (judged.facts[number] for number in numbers):
        where = f" (sentence {sentence + 1})" if sentence >= 0 else ""
        lines.append(f"{a} {'not ' if negated else ''}{relation} {b}".rstrip() + where)
    return lines


def _example(judge: Judge, row: AuditRow, judged: RowVerdict) -> dict[str, Any]:
    """A row as evidence for a finding."""
    text = row.text or row.question
    proof = judged.proof
    if judged.verdict == "inconsistent":  # a few facts that contradict each other already
        proof = fewest(len(judged.facts), lambda numbers: judge.is_inconsistent(judged, numbers))
    return {
        "place": row.place,
        "row": row.key,
        "line": row.line,
        "text": text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…",
        "question": " to ".join(judged.asked.pair) if not judged.asked.word else row.question[:LONGEST_SHOWN],
        "label": judged.label,
        "verdict": judged.verdict,
        "possible": judged.possible,
        "suggested_label": judged.right or None,
        "proof": fact_lines(judged, proof),
        "drawings": {answer: judge.draw(world, judged.asked.pair, answer) for answer, world in judged.worlds.items()},
    }


# ---- the rows again --------------------------------------------------------------------------------------------------


class CorrectedCopy:
    """The rows in their own format (Parquet and the like as CSV), each with its change."""

    def __init__(self, out: Path, stack: ExitStack, *, several: bool) -> None:
        self.out, self.stack, self.several = out, stack, several
        self.files: dict[str, tuple[IO[str], list[str]]] = {}  # where to, its columns
        self.count = {"labels replaced": 0, "labels kept": 0, "other rows": 0}

    def add(self, row: AuditRow, judged: RowVerdict, *, right: str) -> None:
        if not row.cells:
            return  # no row that could be written
        replaced = judged.verdict == "false" and judged.accused and bool(right)
        kept = judged.verdict == "entailed" and judged.read
        self.count["labels replaced" if replaced else "labels kept" if kept else "other rows"] += 1
        cells = row.relabelled(right) if replaced else dict(row.cells)
        cells |= {VERDICT_COLUMN: judged.verdict, CHANGE_COLUMN: _change(judged, right)}
        name = row.file.removesuffix(".gz")
        if kind_of(Path(name)) in AS_CSV:
            name = Path(name).with_suffix(".csv").as_posix()
        kind = Path(name).suffix
        first = name not in self.files
        if first:
            path = self.out / "corrected" / name if self.several else self.out / f"corrected{kind}"
            self.files[name] = self.stack.enter_context(atomic(path)), list(cells)
        file, columns = self.files[name]
        if kind == ".csv":
            values = [_plain(cells.get(name, "")) for name in columns]
            file.writelines(csv_lines([columns, values] if first else [values], guarded=False))
        elif kind == ".json":
            file.write(("{\n" if first else ",\n") + f"{json.dumps(row.key)}: {_plain(cells)}")
        else:
            file.write(_plain(cells) + "\n")

    def close(self) -> None:
        for name, (file, _) in self.files.items():
            if name.endswith(".json"):
                file.write("\n}\n")


def _plain(value: Any) -> str:
    """A text unchanged, anything else as JSON; invalid UTF-8 is replaced."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _change(judged: RowVerdict, right: str) -> str:
    """How the row was changed, and why."""
    if judged.one_reading and judged.verdict != "entailed":
        return f"unchanged: one reading alone finds it {judged.verdict}"
    if judged.verdict == "false" and right:
        why = "; ".join(fact_lines(judged, judged.proof))
        return f"label {judged.label} replaced by {right}: follows from {why}" + (" (was reversed)" * judged.reversed)
    reasons = {
        "entailed": "",
        "ambiguous": f"unchanged: {', '.join(judged.possible)} are possible",
        "false": f"unchanged: the label is false, but {', '.join(judged.possible)} are possible",
        "inconsistent": "unchanged: no world fits the facts",
        GENDER_OPEN: "unchanged: the gender is not given",
        DEPENDS: "unchanged: " + ", ".join(f"{verdict} in {world}" for world, (verdict, _) in judged.by_world.items()),
        "unread": f"unchanged: unread: {judged.unread.reason}" if judged.unread else "",
    }
    return "; ".join(filter(None, [reasons[judged.verdict], *judged.notes]))
