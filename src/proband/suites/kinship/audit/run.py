"""`proband audit`: a verdict for every row of a data set, ours or anyone's, and a page that shows what is wrong.

Three passes: read the rows and reduce each to its pattern of facts; judge every pattern once; put the verdicts back on
the rows. The first two run on several processes; what is written does not depend on how many.

    verdicts.jsonl  a line per row             by_k.md, by_k.csv  the table by release, split and k
    summary.json    all figures                cleaned.csv        the rows whose label is certified, columns unchanged
    index.html      the page                   corrected.csv      false labels with one right answer, the label replaced

With several files, cleaned/ holds each of them cleaned under its own name. A bank of templates is read back instead
(audit_bank.py).
"""

from __future__ import annotations

import csv
import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol, TypeVar

from proband.core.errors import ProbandError
from proband.core.files import atomic, sha256_file, write_json, write_lines, write_text
from proband.suites.kinship.audit.figures import COUNTED, Judged, correct, summary, whole, with_noise
from proband.suites.kinship.audit.page import page
from proband.suites.kinship.audit.sources import Seen, Source, chunks, raw_rows, see_chunk, sources
from proband.suites.kinship.audit.template_banks import audit_bank, is_bank
from proband.suites.kinship.audit.verdicts import Case, Verdict, batches, counter, judge_batch
from proband.suites.kinship.clutrr.items import write_cells
from proband.suites.kinship.clutrr.rows import COLUMNS, Unreadable
from proband.suites.kinship.world.kernel import Family

T = TypeVar("T")
U = TypeVar("U")


class Bar(Protocol):
    def __enter__(self) -> Bar: ...
    def __exit__(self, *error: Any) -> None: ...
    def advance(self, by: int = 1) -> None: ...


def audit(
    path: Path, *, out: Path, progress: Callable[..., Any] | None = None, workers: int = 2, seed: int = 0
) -> Mapping[str, Any]:
    """Judge the rows at `path`, write everything to the folder `out`, return the headlines (summary.json has all).

    No step is random: the seed is taken so that all suites' auditors are called alike.
    """
    if workers < 1:
        raise ProbandError(f"'workers' is {workers}; at least 1 is needed")
    if out.resolve() == path.resolve():
        raise ProbandError("the audit cannot be written into the folder it reads", file=out)
    if is_bank(path):
        return audit_bank(path, out=out)
    found = sources(path)
    rows = seen_rows(found, workers=workers, progress=progress)
    verdicts = judgments(rows, workers=workers, progress=progress)
    judged: list[Judged] = [(row, whole(row, verdicts)) for row in rows if isinstance(row, Seen)]
    figures = summary(judged, [row for row in rows if isinstance(row, Unreadable)], verdicts)
    if not figures["rows"]:
        raise ProbandError("holds no rows", file=path)
    figures["inputs"] = {source.name: sha256_file(source.path) for source in found}
    write_lines(out / "verdicts.jsonl", (record(row, verdicts) for row in rows))
    figures["cleaned"] = _cleaned(found, rows, verdicts, out)
    write_json(out / "summary.json", figures)
    _tables(figures, out)
    write_text(out / "index.html", page(figures, judged, name=path.name))
    return {
        "rows": figures["rows"],
        "verdicts": figures["verdicts"],
        "entailed by k": {str(line["k"]): f"{line['entailed']} of {line['rows']}" for line in figures["by_k"]},
        "blamed": figures["rules"]["blamed"],
        **figures["cleaned"],
        "page": str(out / "index.html"),
    }


# ---- the three passes ----------------------------------------------------------------------------------------------


def _map(function: Callable[[T], U], tasks: Iterable[T], *, workers: int) -> Iterator[U]:
    """The results in order, from `workers` processes."""
    if workers == 1:
        yield from map(function, tasks)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    with warnings.catch_warnings():
        # the children run nothing but Python and the solver, so threads of the parent's libraries do them no harm
        warnings.simplefilter("ignore", DeprecationWarning)
        pool = multiprocessing.get_context(method).Pool(workers)
    with pool:
        yield from pool.imap(function, tasks)


def seen_rows(found: Sequence[Source], *, workers: int, progress: Callable[..., Any] | None) -> list[Seen | Unreadable]:
    rows: list[Seen | Unreadable] = []
    with ExitStack() as stack:
        bar: Bar | None = stack.enter_context(progress("reading rows")) if progress else None
        for part in _map(see_chunk, chunks(list(found)), workers=workers):
            rows += part
            if bar:
                bar.advance(len(part))
    return rows


def judgments(
    rows: Iterable[Seen | Unreadable], *, workers: int, progress: Callable[..., Any] | None
) -> dict[Case, Verdict]:
    seen = [row for row in rows if isinstance(row, Seen)]
    todo = batches(case for row in seen for case in (row.case, *row.rest, *row.noisy))
    todo.reverse()  # the largest families first, so that no process is left with them at the end
    verdicts: dict[Case, Verdict] = {}
    with ExitStack() as stack:
        total = sum(map(len, todo))
        bar: Bar | None = stack.enter_context(progress("judging patterns", total=total)) if progress else None
        for cases, results in zip(todo, _map(judge_batch, todo, workers=workers)):
            verdicts |= zip(cases, results)
            if bar:
                bar.advance(len(cases))
    return verdicts


# ---- a line per row ------------------------------------------------------------------------------------------------


def record(row: Seen | Unreadable, verdicts: Mapping[Case, Verdict]) -> dict[str, Any]:
    if isinstance(row, Unreadable):
        return {
            "file": row.file,
            "line": row.line,
            "verdict": "unreadable",
            "column": row.column or None,
            "reason": row.reason,
        }
    verdict = whole(row, verdicts)
    shown = counter(verdict)
    return {
        "file": row.source,
        "line": row.line,
        "id": row.id,
        "split": row.split,
        "task": row.task,
        "k": row.k,
        "verdict": verdict.verdict,
        "target": row.target,
        "possible": verdict.possible,
        "depth": verdict.depth,
        "path": row.path,
        "revisits": row.revisits,
        "unsound": verdict.unsound,
        "blame": verdict.blame,
        "with_noise": with_noise(row, verdicts),
        "worlds": verdict.worlds,
        "gender_slips": row.slips,
        "text_contradicts": [[row.names[i], relation, row.names[j]] for i, relation, j in row.contradicted],
        "untold": row.untold,
        "counter_family": None if shown is None else _family(*shown, [row.names[x] for x in row.order]),
    }


def _family(relation: str, family: Family, names: Sequence[str]) -> dict[str, Any]:
    return {
        "relation": relation,
        "people": [*names, *[None] * (len(family) - len(names))],
        "genders": family.genders,
        "father": family.father,
        "mother": family.mother,
        "spouse": family.spouse,
    }


# ---- cleaned files and tables --------------------------------------------------------------------------------------


def _cleaned(
    found: Sequence[Source], rows: Sequence[Seen | Unreadable], verdicts: Mapping[Case, Verdict], out: Path
) -> dict[str, int]:
    """Read the sources once more and copy the rows that stand, as they stand."""
    remaining = iter(rows)
    count = {"cleaned.csv": 0, "corrected.csv": 0}
    with ExitStack() as stack:
        kept, mended = (csv.writer(stack.enter_context(atomic(out / name)), lineterminator="\n") for name in count)
        kept.writerow(COLUMNS)
        mended.writerow(COLUMNS)
        for source in found:
            standing: list[Mapping[str, str]] = []
            for raw, row in zip(raw_rows(source), remaining):
                if isinstance(raw, Unreadable) or isinstance(row, Unreadable):
                    continue
                verdict, cells = whole(row, verdicts), raw[1]
                if verdict.verdict == "entailed":
                    standing.append(cells)
                elif right := correct(verdict):
                    count["corrected.csv"] += 1
                    cells = {**cells, "target": right, "text_target": "[]", "proof_state": "[]"}
                    mended.writerow([cells.get(name, "") for name in COLUMNS])
            count["cleaned.csv"] += len(standing)
            kept.writerows([cells.get(name, "") for name in COLUMNS] for cells in standing)
            if len(found) > 1:
                name = source.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".csv") + ".csv"
                write_cells(standing, out / "cleaned" / name)
    return count


def _tables(figures: Mapping[str, Any], out: Path) -> None:
    names = ["release", "split", "k", "rows", *COUNTED]
    total: dict[str, Any] = {"release": "all", "split": "", "k": ""}
    for name in names[3:]:
        total[name] = sum(line[name] for line in figures["by_release"])
    lines = [*figures["by_release"], total]
    with atomic(out / "by_k.csv") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    text = [f"| {' | '.join(names)} |", f"|{'---|' * 3}{'---:|' * (len(names) - 3)}"]
    text += [f"| {' | '.join(str(line[name]).replace('|', ' ') for name in names)} |" for line in lines]
    write_text(out / "by_k.md", "\n".join(text) + "\n")
