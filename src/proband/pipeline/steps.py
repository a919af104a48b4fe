"""`proband steps`: checks replies in words, from runs or a file, sentence by sentence.

OUT has replies.jsonl (a line per reply: every sentence with its place, statements, verdicts and proofs), summary.json
and index.html. Replies that cannot be checked are counted with the reason.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Unpack

import msgspec

from proband import stats, suites
from proband.core import files
from proband.core.errors import ProbandError
from proband.core.metrics import chosen_answer
from proband.core.plugins import read_options
from proband.core.progress import track
from proband.core.types import Item
from proband.english.domain import SHIPPED, Domain, load
from proband.english.reading import Unread
from proband.pipeline.checking import ModelReaders, auditors, provers_of_suites
from proband.pipeline.run import forecast
from proband.pipeline.run_options import ReaderOptions, RunOptions
from proband.proof.replies import NOT_CHECKED, OUTCOMES, CheckedReply, ReplyChecker
from proband.proof.rows import NAMES, AuditRow, RowFile, columns_of, item_row, read_cells, row_files, table_row
from proband.proof.run import judge_for
from proband.proof.sentences import Step
from proband.proof.statements import UNREAD, VERDICTS
from proband.reporting.tables import check_folder

COLUMNS: Final = {
    "reply": ("reply", "response", "generation", "model_output", "output", "prediction", "completion"),
    "given": ("read_answer", "extracted_answer", "parsed_answer"),
    "id": ("id", "item_id", "item"),
    "model": ("model",),
    "text": NAMES["text"],
    "question": NAMES["question"],
}
Record = dict[str, Any]  # a line of replies.jsonl
OF_REPLY: Final = ("outcome", "answer", "answer_verdict", "right_answer", "follows", "first_wrong", "read", "unread",
                   "right_share", "why")  # fmt: skip
SHOWN: Final = 200  # replies on the page: those with a wrong step first


class SourceReply(NamedTuple):
    """A reply and its item (`row.bad`: why it cannot be used). `given`: its answer according to the source."""

    row: AuditRow
    text: str
    model: str
    item: str
    given: str = ""
    domain: str = ""
    clusters: tuple[str, ...] = ()  # none: the item itself


def check_replies(
    source: str | Path,
    *,
    out: str | Path,
    items: str | Path | None = None,
    domain: str = "",
    reply_column: str = "",
    question_column: str = "",
    judge: str = "",
    readers: Sequence[str] = (),
    dry_run: bool = False,
    **options: Unpack[ReaderOptions],
) -> dict[str, Any]:
    """Check a model's reasoning sentence by sentence: stated, entailed, possible, contradicted or unread; with proofs.

    Example: proband steps runs/thinking -o steps

    :param source: A run with replies in words, a folder of runs, or a file of replies (JSONL, JSON, CSV).
    :param domain: kinship, grid, temporal, allen, sizes or a TOML file (default: known or guessed).
    :param reply_column: Column of the reply (default: guessed).
    :param question_column: Column of the question (default: guessed).
    :param judge: A model that judges each step: its verdicts are compared with the proofs.
    :param readers: A model that reads the texts, as in `proband audit`; repeatable.
    :param dry_run: Print calls, tokens and cost of --reader; send no request.
    """
    columns = {what: name for what, name in (("reply", reply_column), ("question", question_column)) if name}
    settled = read_options(RunOptions, options, of="steps")
    source, folder, checkers = Path(source), Path(out), Checkers(domain)
    if readers:
        if not domain:
            raise ProbandError(f"--reader needs --domain: the relations that texts are read for ({', '.join(SHIPPED)})")
        rows = (reply.row for reply in replies_of(source, items=items, columns=columns))
        texts = ModelReaders(readers, judge_for(domain, provers_of_suites()), rows, folder, settled)
        if dry_run:
            return {"forecasts": list(map(forecast, texts.readings))}
        checkers.known[domain, ""] = ReplyChecker(texts.judge())
    elif dry_run:
        raise ProbandError("--dry-run needs --reader: without a model no request is sent")
    replies = track(replies_of(source, items=items, columns=columns), "checking replies")
    result = _write(map(checkers.record, replies), folder, source.name)
    if not result["replies"]:
        raise ProbandError("contains no replies", file=source)
    if judge:
        from proband.pipeline.step_labels import judge_steps

        result["judge"] = judge_steps(folder, model=judge, options=settled)
    return {**result, "page": str(folder / "index.html")}


def steps_of_runs(
    runs: Sequence[Path], *, out: Path, items: str | Path | None = None, force: bool = False
) -> list[tuple[str, str]]:
    """The same for runs of the report in `out` with replies in words: a line on their kinds and the link to the page,
    for the overview."""
    check_folder(out, force=force)
    replies = (reply for run in runs for reply in _of_run(run, items))
    result = _write(map(Checkers().record, replies), out / "steps", "these runs")
    shares = (
        f"{each['model']}: " + ", ".join(
            f"{name} {100 * share:.0f} % " + ("(too few)" if low is None else f"[{100 * low:.0f}, {100 * high:.0f}]")
            for name, (share, low, high) in each["shares"].items() if share
        )
        for each in result["models"]
    )  # fmt: skip
    return [(f"Replies sentence by sentence. {'; '.join(shares)}.", "steps/index.html")]


def _write(records: Iterable[Record], folder: Path, name: str) -> Record:
    """Write the three files, and return the headlines."""
    summary = Summary()
    files.write_jsonl(folder / "replies.jsonl", map(summary.add, records))
    result = summary.result()
    if result["replies"]:
        files.write_json(folder / "summary.json", result)
        style = files.asset("proband.web.steps", "style.css")
        kept = [*summary.kept[True], *summary.kept[False]][:SHOWN]
        page = {"title": f"Steps of {name}", "result": result, "replies": kept}
        files.write_text(folder / "index.html", files.render("proband.web.steps", "replies.html", style=style, **page))
    return result


def check_reply(item: Item, reply: str, *, answer: str = "") -> CheckedReply:
    """One reply to one of our items; `answer` where it is known apart from the reply."""
    return Checkers(known=LOADED).check(reply_to(item, reply, given=answer))


# ---- what is checked -------------------------------------------------------------------------------------------------


def replies_of(
    source: Path, *, items: str | Path | None = None, columns: Mapping[str, str] | None = None
) -> Iterator[SourceReply]:
    if not source.is_dir():
        return _of_file(row_files(source)[0], items, columns or {})
    return (reply for run in files.run_folders([source]) for reply in _of_run(run, items))


def _of_run(folder: Path, items: str | Path | None) -> Iterator[SourceReply]:
    run, answers = files.read_run(folder / "run.json"), folder / "answers.jsonl"
    if not answers.exists():
        raise ProbandError("has not finished: the command of the run resumes it", file=folder)
    known = {item.id: item for item in files.read_items(files.items_of(folder, run, items))}
    for answer in files.read_answers(answers):
        item = known.get(answer.item_id)
        if item is None:
            raise ProbandError(f"answers item {answer.item_id!r}, which does not exist", file=answers)
        yield reply_to(item, answer.text or "", model=run.model, given=chosen_answer(item, answer))


def reply_to(item: Item, text: str, *, model: str = "", given: str = "") -> SourceReply:
    """A reply to one of our items, whose facts are known."""
    cells = msgspec.json.decode(msgspec.json.encode(item))
    place = {"file": item.suite, "line": None, "key": item.id, "folder": ""}
    form = next((each for auditor in auditors() for each in auditor.formats if each.fits(cells)), None)
    row = form.read(place, cells) if form else item_row(place, cells)
    if form is None and not suites.suite(item.suite).audit:
        provable = ", ".join(each.name for each in suites.importable() if each.audit)
        row = replace(
            row, bad=f"suite {item.suite!r} has no prover ({provable} has one; domains: {', '.join(SHIPPED)})"
        )
    return SourceReply(row, text, model, item.id, given, form.domain if form else "", stats.clusters_of(item))


def _of_file(file: RowFile, items: str | Path | None, given: Mapping[str, str]) -> Iterator[SourceReply]:
    """Rows with a reply and either their question or the name of an item of `items`."""
    known = {item.id: item for item in files.read_items(files.items_path(Path(items)))} if items else {}
    names: dict[str, str] = {}
    for line, key, cells in read_cells(file):
        place: dict[str, Any] = {"file": file.name, "line": line, "key": key, "folder": ""}
        if isinstance(cells, str):
            yield SourceReply(AuditRow(**place, cells={}, bad=cells), "", "", key)
            continue
        needed = ("reply",) if known else ("reply", "question")
        names = names or columns_of(cells, given, file=file.path, names=COLUMNS, needed=needed)
        text, model, own, answer = (str(cells.get(names[what]) or "") for what in ("reply", "model", "id", "given"))
        if own in known:
            yield reply_to(known[own], text, model=model, given=answer)
        elif known:
            yield SourceReply(AuditRow(**place, cells={}, bad="no such item"), text, model, own)
        else:
            yield SourceReply(table_row(place, cells, {**names, "answer": ""}), text, model, own or key, answer)


class Checkers:
    """A checker per domain; the domain is named, known from the form of the item, or the one that reads most."""

    def __init__(self, domain: str = "", known: dict[tuple[str, str], ReplyChecker] | None = None) -> None:
        self.domain, self.guessed, self.known = domain, "", {} if known is None else known

    def record(self, reply: SourceReply) -> Record:
        """A reply and its verdicts as JSON."""
        checked, numbers = self.check(reply), itertools.count()
        domain = checked.domain
        return {
            "item": reply.item,
            "clusters": list(reply.clusters or (reply.item,)),
            "model": reply.model,
            **{name: getattr(checked, name) for name in OF_REPLY},
            "missing": [domain.sentence(fact) for fact in checked.missing] if domain else [],
            "text": reply.text,
            "question": f"{reply.row.text} {reply.row.question}".strip(),
            "steps": [_step(step, numbers, domain) for step in checked.steps] if domain else [],
        }

    def check(self, reply: SourceReply) -> CheckedReply:
        if reply.row.bad:
            return CheckedReply(outcome=NOT_CHECKED, why=f"{reply.row.place}: {reply.row.bad}")
        domain = self.domain or reply.domain or self.guessed
        if not domain:  # the first that reads an item of the file
            reads = (name for name in SHIPPED if not isinstance(self.of(name).case(reply.row), Unread))
            domain = self.guessed = next(reads, "")
        if not domain:
            return CheckedReply(outcome=NOT_CHECKED, why="no domain reads the item (name one with --domain)")
        world = load(domain).raw.get("items_world", "") if reply.row.item and domain in SHIPPED else ""
        return self.of(domain, world).check(reply.row, reply.text, reply.given)

    def of(self, domain: str, world: str = "") -> ReplyChecker:
        if (key := (domain, world)) not in self.known:
            self.known[key] = ReplyChecker(judge_for(domain, provers_of_suites(), world=world, templates=True))
        return self.known[key]


LOADED: dict[tuple[str, str], ReplyChecker] = {}  # by this process


# ---- what is written -------------------------------------------------------------------------------------------------


def _step(step: Step, numbers: Iterator[int], domain: Domain) -> Record:
    """A sentence with its statements, which are numbered through the reply."""
    statements = [
        {
            **msgspec.to_builtins(each),
            "number": next(numbers),
            "says": domain.sentence(each.fact),
            "fact": list(each.fact[:3]),
            "proof": [domain.sentence(fact) for fact in each.proof],
        }
        for each in step.statements
    ]
    own = {name: getattr(step, name) for name in ("begin", "end", "kind", "verdict", "unread")}
    return {**own, "statements": statements}


class Summary:
    """Counts over all replies, and those that the page shows: those with a wrong step first."""

    def __init__(self) -> None:
        self.outcomes: dict[str, list[tuple[str, list[str]]]] = {}  # model -> outcome and clusters of each reply
        self.counts: dict[str, Counter[Any]] = defaultdict(Counter)
        self.kept: dict[bool, list[Record]] = {True: [], False: []}

    def add(self, record: Record) -> Record:
        self.outcomes.setdefault(record["model"] or "-", []).append((record["outcome"], record["clusters"]))
        statements = [each for step in record["steps"] for each in step["statements"]]
        counts, wrong = self.counts, record["first_wrong"] is not None
        counts["verdicts"].update(each["verdict"] for each in statements if not each["withdrawn"])
        counts["verdicts"][UNREAD] += record["unread"]
        counts["unread because"].update(step["unread"] for step in record["steps"] if step["unread"])
        counts["not checked"].update([record["why"]] * (record["outcome"] == NOT_CHECKED))
        counts["follows from"].update([record["follows"]] * bool(record["follows"]))
        counts["depths"].update([record["first_wrong"]] * wrong)
        if (wrong or statements) and len(self.kept[wrong]) < SHOWN:
            self.kept[wrong].append(record)
        return record

    def result(self) -> Record:
        """Shares per model of the checked replies, with clustered 95 % intervals."""
        models = []
        for model, outcomes in sorted(self.outcomes.items()):
            counts = {**dict.fromkeys(OUTCOMES, 0), **Counter(name for name, _ in outcomes)}
            checked = [each for each in outcomes if each[0] != NOT_CHECKED]
            models.append({"model": model, "replies": len(outcomes), "counts": counts, "shares": _shares(checked)})
        verdicts = self.counts["verdicts"]
        return {
            "replies": sum(map(len, self.outcomes.values())),
            "models": models,
            "statements": {name: verdicts[name] for name in VERDICTS},
            "statements read": verdicts.total() - verdicts[UNREAD],
            "follows from": dict(self.counts["follows from"]),
            "first wrong step after": {str(depth): n for depth, n in sorted(self.counts["depths"].items())},
            "not checked": dict(self.counts["not checked"].most_common(20)),
            "unread because": dict(self.counts["unread because"].most_common(20)),
        }


def _shares(pairs: Sequence[tuple[str, list[str]]]) -> dict[str, list[float | None]]:
    """Outcome -> share and its clustered interval; no interval where clusters are too few to tell."""
    shares, clusters = dict[str, list[float | None]](), stats.Clusters.of([names for _, names in pairs])
    for outcome in OUTCOMES[:-1] if pairs else ():
        found = stats.mean([float(name == outcome) for name, _ in pairs], clusters=clusters)
        shares[outcome] = [found.mean, *((None, None) if found.few else (found.low, found.high))]
    return shares
