"""`proband audit`: a verdict for every row of a data set, ours or anyone's.

    verdicts.jsonl  a line per row             by_k.md, by_k.csv  the table by release, split and k
    summary.json    all figures                cleaned.csv        the rows whose label is certified, columns unchanged
    findings.jsonl  a line per cause           corrected.csv      false labels with one right answer, the label replaced
    report.md       the causes, for an issue   corrected_copy.csv all rows, such labels replaced, and what was changed

With several files, cleaned/ holds each of them cleaned under its own name. A bank of templates is read back instead
(template_banks.py). The page is written by the pipeline, from the figures and cards that are handed over here.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from proband.auditing.causes import Cause
from proband.auditing.domain import load
from proband.auditing.outputs import CHANGE_COLUMN, VERDICT_COLUMN, headlines_of, write_findings
from proband.auditing.rows import Source
from proband.auditing.run import CHECKED, Checked
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, sha256_file, write_json, write_text
from proband.core.suite import Audit
from proband.core.text import markdown_table, md, write_csv
from proband.suites.kinship.audit.family_prover import World, closure_answers, describe
from proband.suites.kinship.audit.family_prover import draw as draw_family
from proband.suites.kinship.audit.figures import COUNTED, Figures, overlaps
from proband.suites.kinship.audit.judged_rows import JudgedRow, JudgedRows, is_source, judged_rows, sources
from proband.suites.kinship.audit.template_banks import audit_bank, is_bank
from proband.suites.kinship.clutrr.items import HEADER, csv_line
from proband.suites.kinship.clutrr.rows import COLUMNS, Unreadable
from proband.suites.kinship.world.relations import GENDER, INVERSE, NEUTRAL, NONE

SHOWN: Final = {"false": 9, "ambiguous": 9, "inconsistent": 4}  # cards per verdict


def audit(
    path: str | Path, *, out: Path, workers: int = 2, seed: int = 0, progress: object = None
) -> Mapping[str, Any]:
    """Judge the rows at `path` and write everything to the folder `out` but the page. Returns the headlines and, under
    "page", what the page shows (summary.json has all figures).

    No step is random: `seed` and `progress` are taken so that all suites' auditors are called alike.
    """
    path = Path(path)
    if workers < 1:
        raise ProbandError(f"'workers' is {workers}; at least 1 is needed")
    if is_bank(path):
        return audit_bank(path, out=out)
    files = sources(path)
    with judged_rows(files, workers=workers) as rows:
        figures, cards, summary = _write_rows(files, rows, out)
    if not summary["rows"]:
        raise ProbandError("contains no rows", file=path)
    write_json(out / "summary.json", summary)
    _write_tables(summary, out)
    facts: dict[str, Any] = {"domain": "kinship", "world": "strict", "world means": load("kinship").worlds["strict"]}
    facts["second prover"] = summary["second prover"]
    causes = write_findings(out, path.name, {**figures.tally.summary(), **facts}, figures.tally)
    return {
        "rows": summary["rows"],
        "verdicts": summary["verdicts"],
        "entailed by k": {str(line["k"]): f"{line['entailed']} of {line['rows']}" for line in summary["by_k"]},
        "blamed": summary["rules"]["blamed"],
        **summary["cleaned"],
        "findings": len(causes),
        "finding": headlines_of(causes),
        "page": page_data(summary, figures.table("release", "split"), cards.shown(), name=path.name),
    }


def _write_rows(files: Sequence[Source], rows: JudgedRows, out: Path) -> tuple[Figures, Cards, dict[str, Any]]:
    """A line per row, the cleaned rows, and what is counted and found on the way."""
    figures, cards, second = Figures(overlaps(rows)), Cards(), SecondProver()
    with ExitStack() as stack:
        lines = stack.enter_context(atomic(out / "verdicts.jsonl", mode="wb"))
        cleaned = Cleaned(files, out, stack)
        for row in rows:
            lines.write(encode(record(row)) + b"\n")
            if isinstance(row, Unreadable):
                figures.add_unread(row)
                continue
            figures.add(row, cause=_cause(row), example=partial(_example, row))
            cards.add(row)
            cleaned.add(row)
            second.add(row)
    summary = figures.summary()
    summary["second prover"] = asdict(second.checked)
    summary["inputs"] = {source.name: sha256_file(source.path) for source in files}
    summary["cleaned"] = dict(cleaned.count)
    return figures, cards, summary


class SecondProver:
    """The closure under the composition table on a sample of the rows: it may leave more open, never less."""

    def __init__(self) -> None:
        self.rows, self.checked = 0, Checked()

    def add(self, row: JudgedRow) -> None:
        self.rows += 1
        if (self.rows & (self.rows - 1) and self.rows % 331) or self.checked.rows >= CHECKED:
            return  # the first few, then evenly
        genders, edges, query = row.case.pattern
        if None not in genders:
            answers = closure_answers([gender or "" for gender in genders], edges, query)
            self.checked = self.checked.and_one(set(row.verdict.possible), answers)


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
    relation, family = verdict.alternative
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
        "text_contradicts": [[seen.row.names[i], kin, seen.row.names[j]] for i, kin, j in seen.contradicted],
        "untold": seen.untold,
        "counter_family": {"relation": relation, **describe(World(family, row.people))} if family else None,
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
        elif right := row.verdict.right:
            self.count["corrected.csv"] += 1
            cells = dict(zip(COLUMNS, next(csv.reader([line]))))
            line = csv_line({**cells, "target": right, "text_target": "[]", "proof_state": "[]"})
            self.mended.write(line)
        self.copy.write(f'{line.removesuffix(chr(10))},{row.verdict.verdict},"{_change(row)}"\n')


def _change(row: JudgedRow) -> str:
    """What was changed in a row, and why."""
    verdict = row.verdict
    if right := verdict.right:
        return f"target {row.seen.row.target} replaced by {right}: the only relation that fits the facts"
    if verdict.verdict == "inconsistent":
        return "unchanged: no family fits the facts"
    return "" if verdict.verdict == "entailed" else f"unchanged: {', '.join(verdict.possible)} are possible"


def _csv_name(source: str) -> str:
    return source.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".csv") + ".csv"


def _write_tables(figures: Mapping[str, Any], out: Path) -> None:
    lines, counted = figures["by_release"], ("rows", *COUNTED)
    names = ["release", "split", "k", *counted]
    rows = [list(line.values()) for line in lines]
    rows.append(["all", "", "", *(sum(line[name] for line in lines) for name in counted)])
    write_csv(out / "by_k.csv", names, rows)
    body = [[md(str(cell)) for cell in row] for row in rows]
    write_text(out / "by_k.md", markdown_table(names, body, right=len(counted)) + "\n")


# ---- by cause ------------------------------------------------------------------------------------------------------


def _cause(row: JudgedRow) -> Cause | None:
    """A row is put down to the rule of its proof that does not hold."""
    verdict = row.verdict
    if verdict.verdict == "inconsistent":
        return Cause(key="inconsistent", claim="the facts contradict each other: no family fits", kind="facts")
    if verdict.verdict not in ("ambiguous", "false"):
        return None
    if verdict.blame:
        claim = f"the label rests on the rule {verdict.blame}, which does not hold in general"
        return Cause(key=f"rule:{verdict.blame}", claim=claim, kind="rule")
    label = NEUTRAL[row.seen.row.target]
    others = " or ".join(dict.fromkeys(NEUTRAL.get(r, r) for r in verdict.possible))
    return Cause(key=f"label:{label}>{others}", claim=f"labelled {label} where {others} is possible", kind="label")


def is_reversed(row: JudgedRow) -> bool:
    """Is the label right for the question turned around?"""
    right, target = row.verdict.right, row.seen.row.target
    asker = row.seen.row.genders[row.seen.row.query[0]]
    return right is not None and NEUTRAL[target] == INVERSE[NEUTRAL[right]] and GENDER[target] == asker


def _example(row: JudgedRow) -> dict[str, Any]:
    """A row as evidence of a finding."""
    card = _card(row, 1)
    return {
        "place": card["place"],
        "row": row.seen.row.id,
        "line": row.seen.row.line,
        "text": ". ".join(card["facts"]) + ".",
        "question": f"{row.people[1]} to {row.people[0]}",
        "label": row.seen.row.target,
        "verdict": row.verdict.verdict,
        "possible": row.verdict.possible,
        "suggested_label": row.verdict.right,
        "proof": [],
        "drawings": {card["others"]: card["drawing"]} if card["drawing"] else {},
    }


# ---- the page ------------------------------------------------------------------------------------------------------


class Cards:
    """The commonest flawed patterns, up to gender: the first row of each, and how many there are."""

    def __init__(self) -> None:
        self.first: dict[tuple[str, Any], JudgedRow] = {}
        self.rows: Counter[tuple[str, Any]] = Counter()

    def add(self, row: JudgedRow) -> None:
        if row.verdict.verdict in SHOWN:
            facts = tuple((i, NEUTRAL[r], j) for i, r, j in row.case.pattern[1])
            pattern = row.verdict.verdict, (facts, NEUTRAL[row.seen.row.target])
            self.first.setdefault(pattern, row)
            self.rows[pattern] += 1

    def shown(self) -> list[dict[str, Any]]:
        cards = []
        for name, most in SHOWN.items():
            groups = [(row, self.rows[pattern]) for pattern, row in self.first.items() if pattern[0] == name]
            groups.sort(key=lambda group: (-group[1], group[0].seen.row.file, group[0].seen.row.line))
            cards += [_card(row, rows) for row, rows in groups[:most]]
        return cards


def _card(row: JudgedRow, rows: int) -> dict[str, Any]:
    """A flawed pattern: its first row in words, and a drawing (SVG) of a family in which the label does not hold."""
    verdict, names, target = row.verdict, row.people, row.seen.row.target
    relation, family = verdict.alternative
    others = ["no relation of the 22" if r == NONE else r for r in verdict.possible if r != target]
    return {
        "verdict": verdict.verdict,
        "rows": rows,
        "facts": [f"{names[j]} is the {kin} of {names[i]}" for i, kin, j in row.case.pattern[1]],
        "label": f"{names[1]} is the {target} of {names[0]}",
        "others": ", ".join(others),  # what else holds, or may hold
        "drawing": draw_family(World(family, names), (names[1], names[0]), relation) if family else "",
        "place": f"{row.seen.row.file} line {row.seen.row.line}",
    }


MEANING: Final = {
    "entailed": "the label holds in every family in which the story is true",
    "ambiguous": "it holds in some such families and not in others",
    "false": "it holds in none of them",
    "inconsistent": "there is no such family",
    "unread": "the row could not be read",
}
WORLDS: Final = {
    "one-generation": "nobody marries into another generation",
    "uncles-by-marriage": "an uncle or aunt may be a parent's sibling's spouse",
    "remarriage": "people may marry again: step-parents, half-siblings",
    "cousins-marry": "spouses may be of one family",
    "all-three": "the last three together",
}
Lines = Sequence[Mapping[str, Any]]


def page_data(figures: Mapping[str, Any], releases: Lines, cards: Lines, *, name: str) -> dict[str, Any]:
    """The values of the template page.html; `releases` are the counts by release and split."""
    used, blamed = figures["rules"]["used"], figures["rules"]["blamed"]
    overlap = {r: line for r, line in figures["overlap"].items() if line["train rows"] and line["test rows"]}
    moves = sorted({move for line in figures["worlds"].values() for move in line})
    return {
        "title": f"Audit of {name}",
        "figures": figures,
        "meaning": MEANING,
        "cards": cards,
        "rules": [(rule, used.get(rule, 0), blamed.get(rule, 0)) for rule in dict.fromkeys([*used, *blamed])],
        "releases": releases,
        "overlap_head": ["", *overlap],
        "overlap": [(what, *(line[what] for line in overlap.values())) for what in next(iter(overlap.values()), ())],
        "text": _text_figures(figures),
        "worlds": {world: WORLDS[world] for world in figures["worlds"]},
        "moves": [(move, *(line.get(move, 0) for line in figures["worlds"].values())) for move in moves],
    }


def _text_figures(figures: Mapping[str, Any]) -> list[tuple[str, int]]:
    rows: list[tuple[str, int]] = list(figures["text"].items())
    noise = figures["noise"]
    if noise["rows with noise"]:
        rows += [(name, noise[name]) for name in ("rows with noise", "all noise facts typed by the text")]
        moves = noise["verdict without and with them"]
        rows += [(f"… verdict without -> with them: {move}", n) for move, n in moves.items()]
    return rows


AUDIT = Audit(
    reads=lambda source: is_bank(Path(source)) or is_source(Path(source)),
    run=audit,
    page="proband.suites.kinship.audit:page.html",
    provers={"family": "proband.suites.kinship.audit.family_prover:provided"},
)
