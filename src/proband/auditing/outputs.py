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
from pathlib import Path
from typing import IO, Any, Final

from proband.auditing.causes import readable
from proband.auditing.grammar import names_in
from proband.auditing.judging import Judged
from proband.auditing.rows import Row
from proband.auditing.run import Audited, Explained
from proband.auditing.tally import Line, Tally
from proband.core.files import atomic, encode, write_json, write_text

VERDICT_COLUMN, CHANGE_COLUMN = "audit_verdict", "audit_change"
LONGEST_SHOWN: Final = 400


def write_audit(found: Audited, out: Path, *, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write everything but the page; returns the summary with the findings. `facts` (domain, world, ...) go into it."""
    tally = Tally()
    with ExitStack() as stack:
        lines = stack.enter_context(atomic(out / "verdicts.jsonl", mode="wb"))
        corrected = Corrected(out, stack, several=len(found.files) > 1)
        for each in found:
            tally.add(_line(found, each), each.row.place)
            lines.write(encode(record(found, each)) + b"\n")
            corrected.add(each.row, each.judged, right=found.spelling(each.judged.right))
        corrected.close()
    checked = found.checked
    summary = {
        **facts,
        **tally.summary(),
        "second prover": {name: getattr(checked, name) for name in ("rows", "agree", "weaker", "against")},
        "corrected": dict(corrected.count),
    }
    findings = write_findings(out, name, summary, tally)
    write_json(out / "summary.json", {**summary, "findings": len(findings)})
    return {**summary, "finding": findings}


def write_findings(out: Path, name: str, summary: Mapping[str, Any], tally: Tally) -> list[dict[str, Any]]:
    """findings.jsonl and report.md."""
    findings = tally.findings()
    with atomic(out / "findings.jsonl", mode="wb") as file:
        for finding in findings:
            file.write(encode(finding) + b"\n")
    write_text(out / "report.md", markdown(name, summary, findings))
    return findings


def headlines_of(findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The findings without their evidence but for the first place."""
    names = ("claim", "severity", "kind", "rows", "verdicts")
    return [
        {name: each[name] for name in names}
        | {"place": each["evidence"][0]["place"], "line": each["evidence"][0]["line"]}
        for each in findings
    ]


# ---- a row ---------------------------------------------------------------------------------------------------------


def _line(found: Audited, each: Explained) -> Line:
    row, judged = each.row, each.judged
    unread = ("", "")
    if judged.unread:
        shape = _kind(found, row, judged)
        unread = (judged.unread.reason, shape)
    return Line(
        file=row.file,
        verdict=judged.verdict,
        label=judged.label,
        possible=judged.possible,
        right=judged.right,
        cause=each.cause,
        notes=judged.notes,
        unread=unread,
        other_worlds=dict(judged.other_worlds),
        example=lambda: example(found, row, judged),
    )


def _kind(found: Audited, row: Row, judged: Judged) -> str:
    """The unread sentence without its names, so that sentences of one template are one kind."""
    sentence = judged.unread.sentence if judged.unread else ""
    return (
        readable(found.judge.grammar.shape(sentence, names_in(sentence, row.question)).text)[:200] if sentence else ""
    )


def record(found: Audited, each: Explained) -> dict[str, Any]:
    """The line of a row in verdicts.jsonl."""
    row, judged = each.row, each.judged
    made: dict[str, Any] = {"file": row.file, "row": row.key, "line": row.line, "verdict": judged.verdict}
    made["label"] = judged.label
    if judged.unread:
        made |= {"reason": judged.unread.reason, "sentence": judged.unread.sentence[:LONGEST_SHOWN]}
    else:
        made |= {
            "question": judged.question,
            "possible": judged.possible,
            "right": judged.right or None,
            "reversed": judged.reversed,
            "proof": proof_lines(judged),
            "worlds": {answer: found.judge.prover.describe(world) for answer, world in judged.worlds.items()},
            "other_worlds": judged.other_worlds,
            "cause": "; also ".join((each.cause.claim, *each.cause.also)) if each.cause else None,
        }
    made["notes"] = judged.notes
    return made


def proof_lines(judged: Judged) -> list[str]:
    """The facts from which the answer follows, with the sentence each was read from.

    >>> from proband.auditing.domain import Fact
    >>> proof_lines(Judged(verdict="entailed", facts=(Fact("A", "left", "B", None, False, 0),), proof=(0,),
    ...                    sentences=("A is left of B.",)))
    ['A left B (sentence 1)']
    """
    lines = []
    for number in judged.proof:
        fact = judged.facts[number]
        where = f" (sentence {fact.sentence + 1})" if fact.sentence >= 0 else ""
        lines.append(f"{fact.a} {'not ' if fact.negated else ''}{fact.relation} {fact.b}{where}")
    return lines


def example(found: Audited, row: Row, judged: Judged) -> dict[str, Any]:
    """A row as evidence of a finding."""
    text = row.text or row.question
    return {
        "place": row.place,
        "row": row.key,
        "line": row.line,
        "text": text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…",
        "question": " to ".join(judged.question) if judged.question[0] else row.question[:LONGEST_SHOWN],
        "label": judged.label,
        "verdict": judged.verdict,
        "possible": judged.possible,
        "suggested_label": judged.right or None,
        "proof": proof_lines(judged) or [fact_line(judged, n) for n in core(found, judged)],
        "drawings": drawings(found, judged),
    }


def fact_line(judged: Judged, number: int) -> str:
    fact = judged.facts[number]
    return f"{fact.a} {fact.relation} {fact.b}" + (f" (sentence {fact.sentence + 1})" if fact.sentence >= 0 else "")


def core(found: Audited, judged: Judged) -> list[int]:
    """Of inconsistent facts, a few that contradict each other already."""
    if judged.verdict != "inconsistent":
        return []
    kept = list(range(len(judged.facts)))
    for number in range(len(judged.facts)):
        fewer = [each for each in kept if each != number]
        problem = judged.problem(tuple(judged.facts[n] for n in fewer))
        if fewer and not found.judge.prover.solve(problem, found.judge.world).possible:
            kept = fewer
    return kept


def drawings(found: Audited, judged: Judged) -> dict[str, str]:
    draw = found.judge.prover.draw
    return {answer: draw(world, judged.question, answer) for answer, world in judged.worlds.items()}


# ---- the corrected copy --------------------------------------------------------------------------------------------


class Corrected:
    """The rows in their own format, with what was changed."""

    def __init__(self, out: Path, stack: ExitStack, *, several: bool) -> None:
        self.out, self.stack, self.several = out, stack, several
        self.opened: dict[str, tuple[IO[str], str]] = {}
        self.fields: dict[str, list[str]] = {}
        self.count = {"labels replaced": 0, "rows kept as they are": 0}

    def add(self, row: Row, judged: Judged, *, right: str) -> None:
        if not row.cells:
            return  # no row that could be written
        change = _change(judged, right)
        replaced = judged.verdict == "false" and bool(right)
        self.count["labels replaced" if replaced else "rows kept as they are"] += 1
        cells = dict(row.cells)
        if replaced:
            cells[_answer_column(row)] = right
        cells |= {VERDICT_COLUMN: judged.verdict, CHANGE_COLUMN: change}
        self._write(row, cells)

    def _write(self, row: Row, cells: dict[str, Any]) -> None:
        name = row.file.removesuffix(".gz")
        kind = Path(name).suffix
        first = row.file not in self.opened
        if first:
            path = self.out / "corrected" / name if self.several else self.out / f"corrected{kind}"
            self.opened[row.file] = (self.stack.enter_context(atomic(path)), kind)
            self.fields[row.file] = list(cells)
        file, _ = self.opened[row.file]
        if kind == ".csv":
            writer = csv.DictWriter(file, self.fields[row.file], lineterminator="\n", extrasaction="ignore")
            if first:
                writer.writeheader()
            writer.writerow({name: _plain(value) for name, value in cells.items()})
        elif kind == ".json":
            file.write(("{\n" if first else ",\n") + f"{json.dumps(row.key)}: {_json(cells)}")
        else:
            file.write(_json(cells) + "\n")

    def close(self) -> None:
        for file, kind in self.opened.values():
            if kind == ".json":
                file.write("\n}\n")


def _answer_column(row: Row) -> str:
    return next((name for name, value in row.cells.items() if value == row.answer and name != "question"), "answer")


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return text.encode("utf-8", "replace").decode("utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


def _change(judged: Judged, right: str) -> str:
    """What was done to the row, and why."""
    if judged.verdict == "false" and right:
        why = "; ".join(proof_lines(judged))
        return f"label {judged.label} replaced by {right}: follows from {why}" + (" (was reversed)" * judged.reversed)
    reasons = {
        "entailed": "",
        "ambiguous": f"unchanged: {', '.join(judged.possible)} are possible",
        "false": f"unchanged: the label is false, but {', '.join(judged.possible)} are possible",
        "inconsistent": "unchanged: no world fits the facts",
        "unread": f"unchanged: unread: {judged.unread.reason}" if judged.unread else "",
    }
    return "; ".join(filter(None, [reasons[judged.verdict], *judged.notes]))


# ---- Markdown ------------------------------------------------------------------------------------------------------


def markdown(name: str, summary: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> str:
    """The report, short enough for an issue: figures, then each cause with its examples."""
    read, verdicts = summary["read"], summary["verdicts"]
    lines = [f"# Labels of {name}", "", f"{summary['rows']:,} rows, {read:,} read ({_share(read, summary['rows'])})"]
    lines[-1] += f"; domain {summary['domain']}, world *{summary['world']}*: {summary['world means']}."
    lines += ["", "| verdict | rows | of the rows read |", "|---|---:|---:|"]
    for verdict, count in verdicts.items():
        lines.append(f"| {verdict} | {count:,} | {'' if verdict == 'unread' else _share(count, read)} |")
    if summary["readings"]:
        scores = ", ".join(f"*{reading}* {score} %" for reading, score in summary["readings"].items())
        lines += ["", f"A perfect reasoner scores: {scores} (of the rows read)."]
    second = summary["second prover"]
    lines += ["", f"A second prover of another kind agrees on {second['agree']} of {second['rows']} sampled rows"]
    lines[-1] += f" ({second['weaker']} left open by it, {second['against']} against)."
    lines += ["", "## Findings", ""] if findings else []
    for finding in findings:
        rows = f"{finding['rows']:,} row" + "s" * (finding["rows"] != 1)
        lines += [f"### {finding['finding']}. {_text(finding['claim'])}: {rows}", ""]
        lines += _evidence(finding)
    if summary["unread"]:
        lines += ["## Unread", "", "| rows | reason | sentence |", "|---:|---|---|"]
        lines += [f"| {u['rows']:,} | {_text(u['reason'])} | {_text(u['sentence'])} |" for u in summary["unread"][:20]]
    return "\n".join(lines).rstrip() + "\n"


def _evidence(finding: Mapping[str, Any]) -> list[str]:
    lines = [f"Severity: {finding['severity']}."]
    if finding["suggested_label"]:
        lines[-1] += " Suggested: " + ", ".join(f"{c} ({n:,})" for c, n in finding["suggested_label"].items()) + "."
    lines.append("")
    for each in finding["evidence"]:
        lines.append(f"- {_text(each['place'])}: {_text(each['text'])} **{_text(each['question'])}?**")
        answer = f"labelled *{_text(each['label'])}*"
        if each["suggested_label"]:
            answer += f"; follows: *{each['suggested_label']}*"
        elif each["verdict"] in ("ambiguous", "false"):
            answer += f"; possible: {', '.join(each['possible'])}"
        proof = f" ({_text('; '.join(each['proof']))})" if each["proof"] else ""
        lines.append(f"  {answer}{proof}")
    return [*lines, ""]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _text(value: Any) -> str:
    """Text that Markdown leaves as it is."""
    text = " ".join(str(value).split())
    for mark in "\\`*_[]<>|":
        text = text.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return text
