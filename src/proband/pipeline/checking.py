"""Checks labels: verdicts on any data set (`audit`), certificates of our own items (`verify`).

Labels are judged by `proband.proof` in a domain; suites add their own provers and row formats.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, Unpack

from proband import models, suites
from proband.core import files, plugins
from proband.core.errors import ProbandError
from proband.core.progress import log, track
from proband.core.suite import Audit, Variation, Verified
from proband.core.types import Answer, Item
from proband.english.domain import load
from proband.english.model_reader import MAX_TOKENS, PROMPTS, SCHEMA, read_reply, readings_of, values_for
from proband.english.reading import Reading, Unread
from proband.pipeline.asking.setup import PlannedRun, suite_of
from proband.pipeline.replies import score_replies
from proband.pipeline.run import forecast, run_planned
from proband.pipeline.run_options import ReaderOptions, RunOptions
from proband.pipeline.scorers import audit_scorer
from proband.pipeline.vary import ORIGINAL
from proband.proof.decisions import VERDICTS
from proband.proof.known_sets import FORMATS
from proband.proof.outputs import write_audit
from proband.proof.problem import Provers
from proband.proof.row_source import GYM, RowSource, gym_tasks
from proband.proof.rows import AuditRow
from proband.proof.run import GUESSED_FROM, OUTSIDE, PROVERS, audit_rows, guess_domain, judge_for
from proband.proof.tally import NOTES
from proband.proof.verdicts import Judge, RowJudge, RowReader, RowText
from proband.stats.clusters import clusters_of

STYLE: Final = "proband.web.audit"
FAILS: Final = (*VERDICTS, *NOTES)  # what `fail_on` takes


def audit(
    source: str | Path,
    *,
    out: str | Path,
    domain: str = "",
    world: str = "",
    text_column: str = "",
    question_column: str = "",
    answer_column: str = "",
    pair_columns: str = "",
    facts_column: str = "",
    readers: Sequence[str] = (),
    dry_run: bool = False,
    replies: str | Path | None = None,
    scorer: str = "",
    fail_on: str | Sequence[str] = "",
    **options: Unpack[ReaderOptions],
) -> Mapping[str, Any]:
    """Check whether the labels of a data set follow from its texts.

    Example: proband audit data.jsonl -o audit

    :param source: A file of rows (JSONL, CSV, JSON, Parquet), a folder of them, or reasoning-gym:TASK[?size=N&seed=N].
    :param domain: kinship, grid, temporal, allen, sizes, one of another package or a TOML file (default: guessed).
    :param world: World in which labels must hold (default: all of the domain).
    :param text_column: Column of the text (default: guessed).
    :param question_column: Column of the question (default: guessed).
    :param answer_column: Column of the answer (default: guessed).
    :param pair_columns: Columns of A and B in the question: what is A to B?
    :param facts_column: Column of facts, [["Ann", "mother", "Bo"], ...]; then no text is read.
    :param readers: A model that reads the texts, instead of the readers that ship; repeatable: a row is read when two
        readings lead to the same verdict. One model reads with two prompts.
    :param dry_run: Print calls, tokens and cost of --reader; send no request.
    :param replies: Models' replies to these rows (question, label, model, reply): scores under the proved labels.
    :param scorer: A function (answer, entry) -> score to test with sham and unusual answers.
    :param fail_on: Exit with code 3 if rows have one of these verdicts (with commas: false,ambiguous).
    """
    folder, source, verdicts = Path(out), str(source), plugins.name_list(fail_on)
    _check_arguments(folder, source, verdicts)
    named = (text_column, question_column, answer_column, pair_columns, facts_column)
    columns = {what: name for what, name in zip(("text", "question", "answer", "pair", "facts"), named) if name}
    formats = [*FORMATS, *(row_format for each in auditors() for row_format in each.formats)]
    formats = [each for each in formats if domain in ("", each.domain)]
    rows = RowSource(source, columns, formats, once=replies is not None)
    judge, guessed = _judge(rows, domain=domain, world=world, by_models=bool(readers))
    if readers:
        texts = ModelReaders(readers, judge, rows, folder, plugins.read_options(RunOptions, options, of="audit"))
        if dry_run:
            return {"forecasts": list(map(forecast, texts.readings))}
        judge = texts.judge()
    elif dry_run:
        raise ProbandError("--dry-run needs --reader: without a model no request is sent")
    scorer = scorer or (source if source.startswith(GYM) else "")
    with tempfile.TemporaryFile() as spool:
        audited = audit_rows(rows, judge, spool)
        summary = write_audit(audited, folder, facts=_provenance(rows, judge, guessed))
        further = score_replies(Path(replies), judge, audited, columns, folder) if replies else {}
        further |= audit_scorer(scorer, audited, folder) if scorer else {}
    page = _write_pages(folder, summary, judge.world_descriptions)
    return {**_printed(summary), **further, **failed_check(summary, verdicts), "page": str(page)}


def _check_arguments(folder: Path, source: str, fail_on: Sequence[str]) -> None:
    if unknown := [each for each in fail_on if each not in FAILS]:
        raise ProbandError(f"--fail-on takes {', '.join(FAILS)}, not {unknown[0]!r}")
    if folder.resolve() == Path(source).resolve():
        raise ProbandError("the audit cannot be written into the folder it reads", file=folder)
    if not (folder / "verdicts.jsonl").exists():
        for name in filter(lambda name: (folder / name).exists(), ("items.jsonl", "run.json", "index.html")):
            raise ProbandError("already exists and is not an audit; choose another folder", file=folder / name)


def _provenance(rows: RowSource, judge: Judge, guessed: Mapping[str, int]) -> dict[str, Any]:
    """What summary.json says of the rows (all are read) and of the judge."""
    worlds = judge.world_descriptions
    one = judge.named or len(worlds) == 1
    return {
        "source": rows.name,
        "inputs": {file.name: files.sha256_file(file.path) for file in rows.files},
        "domain": judge.name,
        "domain guessed from": guessed,
        "world": f"{judge.world}: {worlds[judge.world]}" if one else f"all of {', '.join(worlds)} (--world names one)",
    }


def _write_pages(folder: Path, summary: Mapping[str, Any], worlds: Mapping[str, str]) -> Path:
    files.write_text(folder / "report.md", files.render_text(STYLE, "report.md", figures=summary, md=files.md))
    page = {"title": f"Audit of {summary['source']}", "figures": summary, "worlds": worlds}
    text = files.render(STYLE, "rows.html", style=files.asset(STYLE, "style.css"), **page)
    files.write_text(folder / "index.html", text)
    return folder / "index.html"


def _printed(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of the summary that the command prints."""
    twice, differ = summary["read twice"], summary["readings disagree"]
    return {
        "rows": summary["rows"],
        "domain": summary["domain"] + (" (guessed)" if summary["domain guessed from"] else ""),
        "world": summary["world"],
        "verdicts": summary["verdicts"],
        "read": f"{summary['read']:,} of {summary['rows']:,}",
        "one reading": summary["one reading"],
        **({"readings disagree": f"{differ:,} of {twice:,} ({100 * differ / twice:.1f} %)"} if twice else {}),
        "perfect score, %": summary["readings"],
        "second prover": summary["second prover"],
        "findings": len(summary["finding"]),
        "finding": [{k: v for k, v in each.items() if k != "evidence"} for each in summary["finding"]],
        "copies": summary["copies"],
    }


def _judge(rows: RowSource, *, domain: str, world: str, by_models: bool = False) -> tuple[Judge, dict[str, int]]:
    """The judge of the domain that is named or that rows of this form have, or of the one that reads most of the first
    rows."""
    provers = provers_of_suites()
    if rows.format and rows.format.domain:
        form, world = rows.format, world or rows.format.world
        return judge_for(form.domain, provers, world=world, templates=form.templates), {}
    if rows.generated and not domain:
        domain, own = gym_tasks()[rows.options["name"]]
        return judge_for(domain, provers, world=world or own, templates=True), {}
    first = rows.first(GUESSED_FROM)
    guessed: dict[str, int] = {}
    if not domain:
        domain, guessed = guess_domain(first, provers)
        if not domain:
            counts = ", ".join(f"{name} {n}" for name, n in guessed.items())
            problem = f"no domain reads these rows (of the first {len(first)}: {counts}); say which with --domain"
            if by_models or not any(row.item for row in first):
                raise ProbandError(problem, file=rows.name)
            domain = next(iter(guessed))  # our own items: the checks that need no domain are made all the same
        log(f"domain {domain}: guessed, it reads {guessed[domain]} of the first {len(first)} rows")
    if not world and domain not in OUTSIDE.names() and any(row.item for row in first):
        world = load(domain).raw.get("items_world", "")
    return judge_for(domain, provers, world=world), guessed


def auditors() -> list[Audit]:
    """What suites add to the audit."""
    return [plugins.declared(each.audit) for each in suites.importable() if each.audit]


def provers_of_suites() -> Provers:
    """Our provers and those that suites declare."""
    places = {name: place for each in auditors() for name, place in each.provers.items()}
    return {**PROVERS, **{name: plugins.declared(place) for name, place in places.items()}}


# ---- as a check ----------------------------------------------------------------------------------------------------


def failed_check(summary: Mapping[str, Any], fail_on: Sequence[str]) -> dict[str, str]:
    """`check failed`, if rows have one of these verdicts or findings of these kinds."""
    known = {name: n - summary["one reading"].get(name, 0) for name, n in summary["verdicts"].items()}
    for finding in summary["finding"]:
        if finding["kind"] not in summary["verdicts"]:
            known[finding["kind"]] = known.get(finding["kind"], 0) + finding["rows"]
    counts = ", ".join(f"{known[name]:,} {name}" for name in fail_on if known.get(name))
    return {"check failed": f"labels: {counts} (--fail-on {','.join(fail_on)})"} if counts else {}


# ---- certificates, item by item, from the files alone ----------------------------------------------------------------


SHOWN = 20  # problems that are listed in full


def verify(items: str | Path, *, allow_uncertified: bool = False) -> Mapping[str, Any]:
    """Re-check the certificate of every item, with a small checker that is independent of the generator.

    Duplicate ids and prompts also fail, except in imported data with `--allow-uncertified`.

    Example: proband verify items

    :param items: Folder of built items.
    :param allow_uncertified: Count items without a valid certificate instead of failing.
    """
    path, suite = files.items_path(Path(items)), suite_of(items)
    manifest, known = files.read_manifest(path), {each.name: each for each in suite.all_variations()}
    ways, problems, lines_of = Counter[str](), list[str](), dict[bytes, int]()
    source: Item | None = None  # of the variations that follow
    for number, raw in track(files.raw_lines(path), "verify", total=files.count_lines(path)):
        item = files.parse(Item, raw, file=path, line=number)
        if item.suite != suite.name:
            wrong = f"'suite' is {item.suite!r}, the first item's {suite.name!r}"
            raise ProbandError(wrong, file=path, line=number)
        checked = suite.verify(item, manifest) if suite.verify else Verified(method="")
        if "variation" in item.tags and not checked.problem:
            original = item.tags["variation"] == ORIGINAL
            source = item if original else source
            way = "a source item" if original else "compared with its source"
            problem = variation_problem(item, source, known, suite=suite.name) or ""
            checked = replace(checked, method="; ".join(filter(None, (checked.method, way))), problem=problem)
        elif suite.verify is None and source is None:
            raise ProbandError(f"items of suite {suite.name!r} carry no certificates", file=path)
        problem = checked.problem or ("" if allow_uncertified else checked.uncertified)
        repeated = _repeated(item, number, lines_of)
        if repeated.startswith("has the prompt") and allow_uncertified and checked.uncertified:
            checked, repeated = replace(checked, method=f"{checked.method}; repeats a prompt"), ""
        problem = problem or repeated
        ways["failed" if problem else checked.method or "not varied"] += 1
        if problem and len(problems) < SHOWN:
            problems.append(f"{path} line {number}, item {item.id!r}: {problem}")
    recorded = hashes.get(path.name) if isinstance(hashes := manifest.get("sha256"), dict) else None
    if recorded is None:
        missing = "manifest.json has no sha256 of it" if manifest else "no manifest.json describes it"
        problems.append(f"{path}: {missing}")
    elif recorded != files.sha256_file(path):
        problems.append(f"{path}: not the file that manifest.json describes (sha256)")
    wrong = f"{items}: {ways['failed']} of {ways.total()} items failed; first: {problems[0]}" if problems else ""
    return {"items": ways.total(), "checked": dict(ways.most_common()), "failed": ways["failed"], "problems": problems,
            **({"check failed": wrong} if wrong else {})}  # fmt: skip


def variation_problem(item: Item, source: Item | None, known: Mapping[str, Variation], *, suite: str) -> str | None:
    """What is wrong with an item as a variation of the source item that precedes it."""
    name, effect = str(item.tags["variation"]), item.facts.get("effect")
    if name == ORIGINAL:
        return None if item.facts.get("source") == item.id else "a source item names another as its source"
    if name not in known:
        return f"{suite} has no variation {name!r}"
    if source is None or item.facts.get("source") != source.id:
        return f"its source {item.facts.get('source')!r} is not before it"
    if effect != known[name].effect:
        return f"'effect' is {effect!r}, that of {name} is {known[name].effect!r}"
    if not set(clusters_of(source)) <= set(clusters_of(item)):
        return "it is not in the clusters of its source"
    try:
        return known[name].check(source, item)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        return f"cannot be compared with its source ({type(error).__name__}: {error})"


def _repeated(item: Item, line: int, lines_of: dict[bytes, int]) -> str:
    """Which earlier line has the same id or the same prompt, if one has."""
    varied = "variation" in item.tags  # its choices alone may differ
    texts = [("id", item.id), *([] if varied else [("prompt", item.prompt)])]
    for what, text in texts:
        key = hashlib.blake2b(f"{what} {text}".encode(), digest_size=12).digest()
        if (first := lines_of.setdefault(key, line)) != line:
            return f"has the {what} of line {first}"
    return ""


# ---- models that read rows (--reader) --------------------------------------------------------------------------------


class ModelReaders:
    """The readings of one command, for the prover of a domain: two models, or one with both prompts that ship
    (english/prompts). A reading is a run with all that runs have (cache, forecast, budget, resume). OUT/readings has
    the texts that need reading, each once, as items of the suite `questions`, and a folder per reading."""

    def __init__(
        self, specs: Sequence[str], prover: Judge, rows: Iterable[AuditRow], out: Path, options: RunOptions
    ) -> None:
        if not isinstance(prover, RowJudge):
            raise ProbandError(f"--reader: texts of {prover.name} are read by their templates, not by models")
        self.prover, self.folder = prover, out / "readings"
        self.readings = [self._planned(model, prompt, options) for model, prompt in readings_of(specs)]
        texts = {_id(row): row for row in rows if not row.bad and not (row.facts and row.pair)}
        items = []
        for name, row in texts.items():
            facts = {"reading": values_for(prover.domain, row.text, row.question), "json": True, "answers": []}
            prompt = f"{row.text}\n{row.question}".strip()
            items.append(Item(id=name, suite=suites.QUESTIONS, prompt=prompt, facts=facts))
        files.write_jsonl(self.folder / "items.jsonl", items)

    def _planned(self, model: str, prompt: str, options: RunOptions) -> PlannedRun:
        kind = models.kind_of(model.partition(":")[0])
        takes_schema = kind is not None and any(field.name == "schema" for field in fields(kind.options))
        of_model = {**({"schema": dict(SCHEMA)} if takes_schema else {}), **options.model_options}
        of_solver = {"max-tokens": MAX_TOKENS, **options.options, "prompt": str(PROMPTS / f"{prompt}.jinja")}
        asked = replace(options, solver="generate", split="all", options=of_solver, model_options=of_model)
        folder = self.folder / re.sub(r"[^\w.-]+", "_", f"{model}-{prompt}")
        return PlannedRun(items=self.folder, model=model, folder=folder, options=asked, name=prompt)

    def judge(self) -> RowJudge:
        """Ask the models for what is not there yet, and give the judge that reads by what they replied."""
        readers = []
        for each in self.readings:
            run_planned(each, among=[other.folder for other in self.readings])
            answers = {answer.item_id: answer for answer in files.read_answers(each.folder / "answers.jsonl")}
            readers.append(RowReader(f"{each.model} ({each.name})", self._reader(answers)))
        known = self.prover
        return RowJudge(known.domain, known.prover, known.named, readers=readers)

    def _reader(self, answers: dict[str, Answer]) -> Callable[[AuditRow, RowText], Reading]:
        def read(row: AuditRow, text: RowText) -> Reading:
            answer = answers.get(_id(row))
            if answer is None or answer.status in ("error", "content_filter", "skipped"):
                why = "" if answer is None else f": {answer.text or answer.status}"[:160]
                return Reading(unread=Unread(f"the model gave no reading{why}"))
            return read_reply(answer.text or "", domain=self.prover.domain, text=row.text, question=row.question)

        return read


def _id(row: AuditRow) -> str:
    text = f"{row.text}\0{row.question}"
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=12).hexdigest()
