"""What an audit writes.

verdicts.jsonl  a line per row             findings.jsonl  a line per cause: claim, severity, evidence, labels
summary.json    all figures                report.md       the findings, to be pasted into an issue
corrected.*     the rows as they were, false labels replaced where one answer follows, and two columns that say what
                was changed and why (several files: the folder corrected/)
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from proband.core.files import atomic, encode, md, write_json, write_jsonl, write_text
from proband.core.tables import FRAMES, WORKBOOKS, kind_of
from proband.proof.decisions import DEPENDS, GENDER_OPEN, RowVerdict, fewest
from proband.proof.rows import AuditRow
from proband.proof.run import JudgedRows
from proband.proof.tally import Tally
from proband.proof.verdicts import Judge

VERDICT_COLUMN, CHANGE_COLUMN = "audit_verdict", "audit_change"
LONGEST_SHOWN: Final = 400
AS_CSV: Final = (".tsv", *FRAMES, *WORKBOOKS)


def write_audit(audited: JudgedRows, out: Path, *, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write everything but the page; returns the summary with the findings. `facts` (domain, world, ...) go into it."""
    tally, judge = Tally(), audited.judge
    with ExitStack() as stack:
        lines = stack.enter_context(atomic(out / "verdicts.jsonl", mode="wb"))
        corrected = CorrectedCopy(out, stack, several=len(audited.files) > 1)
        for row, judged in audited:
            tally.add(judged, row, judge.shape, partial(_example, judge, row, judged))
            lines.write(encode(record(judge, row, judged)) + b"\n")
            corrected.add(row, judged, right=audited.correction(judged))
        corrected.close()
    summary = {
        **facts,
        **tally.summary(),
        "second prover": audited.second_prover,
        "copies": dict(corrected.count),
    }
    findings = tally.findings()
    write_jsonl(out / "findings.jsonl", findings)
    write_text(out / "report.md", markdown(name, summary, findings))
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
    asked = judged.asked
    return {
        **place,
        "question": asked.pair
        if asked.word is None
        else {"who": asked.who, "relation": asked.word.relation, "of": asked.of},
        "possible": judged.possible,
        "right": judged.right or None,
        "reversed": judged.reversed,
        "proof": fact_lines(judged, judged.proof),
        "one_reading": judged.one_reading,
        "readers": judged.readers,
        "worlds": {answer: judge.describe(world) for answer, world in judged.worlds.items()},
        "by_world": {
            world: {"verdict": verdict, "possible": possible} for world, (verdict, possible) in judged.by_world.items()
        },
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
    """A row as evidence of a finding."""
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
    """The rows in their own format (tables that only programs read as CSV), each with what was changed."""

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
            writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
            if first:
                writer.writeheader()
            writer.writerow({name: _plain(value) for name, value in cells.items()})
        elif kind == ".json":
            file.write(("{\n" if first else ",\n") + f"{json.dumps(row.key)}: {_plain(cells)}")
        else:
            file.write(_plain(cells) + "\n")

    def close(self) -> None:
        for name, (file, _) in self.files.items():
            if name.endswith(".json"):
                file.write("\n}\n")


def _plain(value: Any) -> str:
    """A text as it is, anything else as JSON; what cannot be UTF-8 is replaced."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _change(judged: RowVerdict, right: str) -> str:
    """What was done to the row, and why."""
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


# ---- Markdown ------------------------------------------------------------------------------------------------------


def markdown(name: str, summary: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> str:
    """The report, short enough for an issue: figures, then each cause with its examples."""
    read, verdicts = summary["read"], summary["verdicts"]
    lines = [f"# Labels of {name}", "", f"{summary['rows']:,} rows, {read:,} read ({_share(read, summary['rows'])})"]
    lines[-1] += f"; domain {summary['domain']}, {summary['world']}."
    lines += ["", "| verdict | rows | of the rows read |", "|---|---:|---:|"]
    for verdict, count in verdicts.items():
        lines.append(f"| {verdict} | {count:,} | {'' if verdict == 'unread' else _share(count, read)} |")
    if summary["readings"]:
        scores = ", ".join(f"*{reading}* {score} %" for reading, score in summary["readings"].items())
        lines += ["", f"A perfect reasoner scores: {scores} (of the rows read)."]
    if one := summary["one reading"]:
        counts = ", ".join(f"{name} {n:,}" for name, n in one.items())
        lines += ["", f"One reading alone has {sum(one.values()):,} rows ({counts}): they do not count as read."]
    if twice := summary["read twice"]:
        share = _share(summary["readings disagree"], twice)
        lines += ["", f"The two readings lead to different verdicts on {share} of the {twice:,} rows that both read."]
    second = summary["second prover"]
    lines += ["", f"A second prover of another kind agrees on {second['agree']} of {second['rows']} sampled rows"]
    lines[-1] += f" ({second['weaker']} left open by it, {second['against']} against)."
    lines += ["", "## Findings", ""] if findings else []
    for finding in findings:
        rows = f"{finding['rows']:,} row" + "s" * (finding["rows"] != 1)
        lines += [f"### {finding['finding']}. {md(finding['claim'])}: {rows}", ""]
        lines += _evidence(finding)
    if summary["unread"]:
        lines += ["## Unread", "", "| rows | reason | sentence |", "|---:|---|---|"]
        lines += [f"| {u['rows']:,} | {md(u['reason'])} | {md(u['sentence'])} |" for u in summary["unread"][:20]]
    return "\n".join(lines).rstrip() + "\n"


def _evidence(finding: Mapping[str, Any]) -> list[str]:
    suggested = ", ".join(f"{change} ({n:,})" for change, n in finding["suggested_label"].items())
    lines = [f"Severity: {finding['severity']}." + (f" Suggested: {suggested}." if suggested else ""), ""]
    for each in finding["evidence"]:
        possible = f"; possible: {', '.join(each['possible'])}" if each["verdict"] in ("ambiguous", "false") else ""
        follows = f"; follows: *{each['suggested_label']}*" if each["suggested_label"] else possible
        proof = f" ({md('; '.join(each['proof']))})" if each["proof"] else ""
        lines.append(f"- {md(each['place'])}: {md(each['text'])} **{md(each['question'])}?**")
        lines.append(f"  labelled *{md(each['label'])}*{follows}{proof}")
    return [*lines, ""]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
