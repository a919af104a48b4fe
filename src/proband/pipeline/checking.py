"""Checking labels: verdicts on anybody's data (`audit`), certificates of our own items (`verify`).

Labels are judged by `proband.proof` in a domain; suites add their own provers and row formats.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Unpack

from proband import suites
from proband.core import plugins
from proband.core.errors import ProbandError
from proband.core.files import asset, items_path, parse, raw_lines, read_manifest, render, sha256_file, write_text
from proband.core.plugins import read_options
from proband.core.progress import Progress, log
from proband.core.suite import Audit, Variation, Verified
from proband.core.types import Item
from proband.english.domain import load
from proband.pipeline.asking.items_and_answers import count_lines, name_list
from proband.pipeline.asking.setup import suite_of
from proband.pipeline.readers import ModelReaders
from proband.pipeline.replies import score_replies
from proband.pipeline.run_options import ReaderOptions, RunOptions
from proband.pipeline.scorers import audit_scorer
from proband.pipeline.vary import ORIGINAL
from proband.proof.known_sets import FORMATS
from proband.proof.outputs import write_audit
from proband.proof.problem import Provers
from proband.proof.row_source import GYM, RowSource, gym_tasks
from proband.proof.run import GUESSED_FROM, OUTSIDE, PROVERS, audit_rows, guess_domain, judge_for
from proband.proof.tally import WORDS
from proband.proof.verdicts import Judge
from proband.stats.clusters import clusters_of

STYLE: Final = "proband.web.audit"


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
    :param pair_columns: Columns of the two that the answer is about: what is A to B?
    :param facts_column: Column of facts, [["Ann", "mother", "Bo"], ...]: nothing is read then.
    :param readers: A model that reads the texts, instead of the readers that ship; repeatable: a row is read when two
        readings lead to the same verdict. One model reads with two prompts.
    :param dry_run: Print calls, tokens and cost of --reader; ask nothing.
    :param replies: Models' replies to these rows (question, label, model, reply): scores under the proved labels.
    :param scorer: A function (answer, entry) -> score: what does it give credit for?
    :param fail_on: Exit with code 3 if rows have one of these verdicts (with commas: false,ambiguous).
    """
    verdicts = name_list(fail_on)
    if unknown := [each for each in verdicts if each not in VERDICTS]:
        raise ProbandError(f"--fail-on takes {', '.join(VERDICTS)}, not {unknown[0]!r}")
    columns = {"text": text_column, "question": question_column, "answer": answer_column}
    columns |= {"pair": pair_columns, "facts": facts_column}
    columns = {what: name for what, name in columns.items() if name}
    folder, source = Path(out), str(source)
    if folder.resolve() == Path(source).resolve():
        raise ProbandError("the audit cannot be written into the folder it reads", file=folder)
    scorer = scorer or (source if source.startswith(GYM) else "")
    formats = [*FORMATS, *(row_format for each in auditors() for row_format in each.formats)]
    formats = [each for each in formats if domain in ("", each.domain)]
    rows = RowSource(source, columns, formats, once=replies is not None)
    judge, guessed = _judge(rows, domain=domain, world=world, by_models=bool(readers))
    if readers:
        texts = ModelReaders(readers, judge, rows, folder, read_options(RunOptions, options, of="audit"))
        if dry_run:
            return {"forecasts": texts.forecasts()}
        judge = texts.judge()
    elif dry_run:
        raise ProbandError("--dry-run is for --reader: without models nothing is asked")
    worlds = judge.world_descriptions
    all_worlds = f"all of {', '.join(worlds)} (--world names one)"
    world_in_words = f"{judge.world}: {worlds[judge.world]}" if judge.named or len(worlds) == 1 else all_worlds
    with tempfile.TemporaryFile() as spool:
        audited = audit_rows(rows, judge, spool)
        facts = {
            "source": rows.name,
            "inputs": {file.name: sha256_file(file.path) for file in rows.files},
            "domain": judge.name,
            "domain guessed from": guessed,
            "world": world_in_words,
        }
        summary = write_audit(audited, folder, name=rows.name, facts=facts)
        rescored = score_replies(Path(replies), judge, audited, columns, folder) if replies else {}
        credit = audit_scorer(scorer, audited, folder) if scorer else {}
    page = {"title": f"Audit of {rows.name}", "figures": summary, "worlds": worlds, **WORDS}
    write_text(folder / "index.html", render(STYLE, "rows.html", style=asset(STYLE, "style.css"), **page))
    twice, differ = summary["read twice"], summary["readings disagree"]
    return {
        "rows": summary["rows"],
        "domain": judge.name + (" (guessed)" if guessed else ""),
        "world": facts["world"],
        "verdicts": summary["verdicts"],
        "read": f"{summary['read']:,} of {summary['rows']:,}",
        "one reading": summary["one reading"],
        **({"readings disagree": f"{differ:,} of {twice:,} ({100 * differ / twice:.1f} %)"} if twice else {}),
        "perfect score, %": summary["readings"],
        "second prover": summary["second prover"],
        "findings": len(summary["finding"]),
        "finding": [{k: v for k, v in each.items() if k != "evidence"} for each in summary["finding"]],
        "copies": summary["copies"],
        **rescored,
        **credit,
        **check(summary, verdicts),
        "page": str(folder / "index.html"),
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
    made: dict[str, Callable[..., Any]] = dict(PROVERS)
    for each in auditors():
        made |= {name: plugins.declared(place) for name, place in each.provers.items()}
    return made


# ---- as a check ----------------------------------------------------------------------------------------------------


VERDICTS: Final = ("entailed", "ambiguous", "false", "inconsistent", "gender open", "depends on the world", "unread",
                   "answer leaked", "duplicate with another label")  # fmt: skip


def check(summary: Mapping[str, Any], fail_on: Sequence[str]) -> dict[str, str]:
    """`check failed`, if rows have one of these verdicts or findings of these kinds."""
    known = {name: n - summary["one reading"].get(name, 0) for name, n in summary["verdicts"].items()}
    for finding in summary["finding"]:
        if finding["kind"] not in summary["verdicts"]:
            known[finding["kind"]] = known.get(finding["kind"], 0) + finding["rows"]
    found = ", ".join(f"{known[name]:,} {name}" for name in fail_on if known.get(name))
    return {"check failed": f"labels: {found} (--fail-on {','.join(fail_on)})"} if found else {}


# ---- certificates, item by item, from the files alone ----------------------------------------------------------------


SHOWN = 20  # problems that are listed in full


def verify(items: str | Path, *, allow_uncertified: bool = False) -> Mapping[str, Any]:
    """Re-check the certificate of every item, with a small checker that is independent of the generator.

    Items that repeat another's id or prompt fail too (rows by others may: they are counted with `allow_uncertified`).

    Example: proband verify items

    :param items: Folder of built items.
    :param allow_uncertified: Count items without a valid certificate instead of failing.
    """
    path, suite = items_path(Path(items)), suite_of(items)
    manifest, known = read_manifest(path), {each.name: each for each in suite.all_variations()}
    ways, problems, lines_of = Counter[str](), list[str](), dict[bytes, int]()
    source: Item | None = None  # of the variations that follow
    with Progress("verify", total=count_lines(path)) as bar:
        for number, raw in raw_lines(path):
            item = parse(Item, raw, file=path, line=number)
            if item.suite != suite.name:
                wrong = f"'suite' is {item.suite!r}, the first item's {suite.name!r}"
                raise ProbandError(wrong, file=path, line=number)
            checked = suite.verify(item, manifest) if suite.verify else Verified(how="")
            if "variation" in item.tags and not checked.problem:
                original = item.tags["variation"] == ORIGINAL
                source = item if original else source
                way = "a source item" if original else "compared with its source"
                problem = variation_problem(item, source, known, suite=suite.name) or ""
                checked = replace(checked, how="; ".join(filter(None, (checked.how, way))), problem=problem)
            elif suite.verify is None and source is None:
                raise ProbandError(f"items of suite {suite.name!r} carry no certificates", file=path)
            problem = checked.problem or ("" if allow_uncertified else checked.uncertified)
            repeated = _repeated(item, number, lines_of)
            if repeated.startswith("has the prompt") and allow_uncertified and checked.uncertified:
                checked, repeated = replace(checked, how=f"{checked.how}; repeats a prompt"), ""
            problem = problem or repeated
            ways["failed" if problem else checked.how or "not varied"] += 1
            if problem and len(problems) < SHOWN:
                problems.append(f"{path} line {number}, item {item.id!r}: {problem}")
            bar.advance(1)
    problems += filter(None, [_changed(path)])
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
        return f"its source {item.facts.get('source')!r} does not stand before it"
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


def _changed(path: Path) -> str | None:
    """Whether items.jsonl is not the file that its manifest describes; without its hash, none describes it."""
    manifest = read_manifest(path)
    recorded = manifest.get("sha256", {}).get(path.name)
    if recorded is None:
        return f"{path}: " + ("manifest.json has no sha256 of it" if manifest else "no manifest.json describes it")
    if recorded != sha256_file(path):
        return f"{path}: not the file that manifest.json describes (sha256)"
    return None
