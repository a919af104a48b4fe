"""How much of what was called error is error: published replies and trained networks on CLUTRR's rows, scored again.

    python benchmarks/audit_published.py --data shared/data [--asp LLM-ASP/asp_modules/family.py] [--run NAME=RUN]

`--data` holds `clutrr/` and `audit/llm_asp/` (Yang, Ishay and Lee 2023: a language model turns each story into facts,
answer-set rules draw the conclusion; a row counts as right if its target is in any answer set). With `--asp`, the rules
of that work (and the package clingo), their count is reproduced first. `--run` adds runs of ours on items built with
`proband build kinship --data`.

A system gives a set of answers to a row (one, for a network). It is held against the label, and against the relations
that are possible by the row's own facts (the complete search of the audit):

    as published    the label is among the answers
    where one follows   of the rows with one possible relation: the answers are just this one
    chance          how often a random one of its answers is possible        lenient   one of its answers is possible
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_answers, read_items
from proband.core.types import Fact
from proband.english.domain import load
from proband.proof.problem import Problem
from proband.suites.kinship.audit.family_prover import solve
from proband.suites.kinship.clutrr.rows import ClutrrRow, row_of
from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.world.relations import RELATIONS, STRICT

FILES = (
    "7c5b0e70/1.2 7c5b0e70/1.3 7c5b0e70/2.3 7c5b0e70/3.3 7c5b0e70/4.3 06b8f2a1/2.2 06b8f2a1/2.3 523348e6/3.2 "
    "523348e6/3.3 d83ecc3e/4.2 d83ecc3e/4.3"
)
SINGULAR = {"children": "child", "siblings": "sibling"}
ENGINES = ("text-davinci-002", "text-davinci-003")
ATOM = re.compile(r'(\w+)\(\s*"([^"]+)"\s*,\s*"([^"]+)"\s*\)')
GENDER = re.compile(r'(male|female)\(\s*"([^"]+)"\s*\)')


class Scored(NamedTuple):
    """A row's label, what is possible by its facts, and what a system answers."""

    label: str
    possible: frozenset[str]
    answers: frozenset[str]

    @property
    def verdict(self) -> str:
        if not self.possible:
            return "inconsistent"
        if self.label not in self.possible:
            return "false"
        return "entailed" if len(self.possible) == 1 else "ambiguous"


# ---- the published replies -----------------------------------------------------------------------------------------


def rows_of(data: Path) -> Iterator[tuple[str, ClutrrRow]]:
    for name in FILES.split():
        release, task = name.split("/")
        path = next((data / "clutrr" / f"data_{release}").glob(f"{task}_test.csv*"))
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            for number, cells in enumerate(csv.DictReader(file), start=2):
                yield name, row_of(cells, file=name, line=number)


def replies(data: Path, engine: str) -> dict[str, dict[str, Any]]:
    with gzip.open(data / "audit" / "llm_asp" / f"replies-{engine}.jsonl.gz", "rt", encoding="utf-8") as file:
        return {reply["story"].strip(): reply for reply in map(json.loads, file)}


def truth(row: ClutrrRow) -> frozenset[str]:
    return possible(row.genders, row.typed_facts, row.query)


def pair(row: ClutrrRow) -> tuple[str, str]:
    return row.names[row.query[0]], row.names[row.query[1]]


def by_answer_sets(rules: Path) -> Callable[[ClutrrRow, dict[str, Any]], frozenset[str]]:
    """Their prover: the relations of the pair in any answer set."""
    from clingo.control import Control

    program = runpy.run_path(str(rules))["family"]

    def answers(row: ClutrrRow, reply: dict[str, Any]) -> frozenset[str]:
        facts = (reply["relation2"].strip() + reply["gender"].strip()).replace("-", "_")
        control = Control(["0", "--warn=none"], logger=lambda *_: None)
        atoms: set[str] = set()
        try:
            control.add("base", [], program + facts)
            control.ground([("base", [])])
        except RuntimeError:  # the reply is no program
            return frozenset()
        control.solve(on_model=lambda model: atoms.update(map(str, model.symbols(atoms=True))))
        a, b = pair(row)
        words = (match for match in map(ATOM.fullmatch, atoms) if match and match.groups()[1:] == (a, b))
        return frozenset(match[1].replace("_", "-") for match in words) & frozenset(RELATIONS)

    return answers


def facts_of(reply: dict[str, Any]) -> tuple[Fact, ...]:
    """The facts that the language model read."""
    domain = load("kinship")
    facts: list[Fact] = []
    for text, owner, person in ATOM.findall(reply["relation2"]):
        word = domain.word(SINGULAR.get(text, text))
        if word is not None and owner != person:
            facts.append(Fact(person, word.relation, owner, word.gender))
    return tuple(facts)


def of_two_genders(reply: dict[str, Any]) -> frozenset[str]:
    """People of whom the reply tells both genders: in its list of genders, or there and by a word for kin.

    >>> sorted(of_two_genders({"relation2": 'son("A", "Bo"). son("A", "Cy").', "gender": 'female("Bo"). male("Cy").'}))
    ['Bo']
    """
    said = {(name, gender) for gender, name in GENDER.findall(reply["gender"])}
    listed = {name for name, _ in said}
    said |= {(fact.who, fact.gender) for fact in facts_of(reply) if fact.gender and fact.who in listed}
    return frozenset(name for name, number in Counter(name for name, _ in said).items() if number > 1)


def by_search(row: ClutrrRow, reply: dict[str, Any], *, words_first: bool = False) -> frozenset[str]:
    """Our prover on the same replies: the relations that are possible by the facts the language model read.

    Nothing is possible where the reply tells two genders of somebody; with `words_first` its words for kin are
    believed and its list of genders is not.
    """
    contradicted = of_two_genders(reply)
    if contradicted and not words_first:
        return frozenset()
    a, b = pair(row)
    genders = {name: gender for gender, name in GENDER.findall(reply["gender"]) if name not in contradicted}
    try:
        found = solve(Problem(facts_of(reply), (b, a), tuple(sorted(genders.items()))), STRICT).possible
    except ProbandError:
        return frozenset()
    return frozenset(found) & frozenset(RELATIONS)


def write_contradicted(rows: list[ClutrrRow], data: Path, path: Path) -> None:
    """A table of the replies that tell two genders of somebody, without text: which answers each leaves if the words
    for kin are believed (which is how an earlier search counted)."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["replies", "file", "line", "label", "answers if words for kin are believed", "counted then"])
        for engine in ENGINES:
            known = replies(data, engine)
            for row in rows:
                reply = known[row.story.strip()]
                if of_two_genders(reply):
                    answers = by_search(row, reply, words_first=True)
                    counted = "right" if row.target in answers else "error" if answers else "no answer"
                    table.writerow([engine, row.file, row.line, row.target, " ".join(sorted(answers)), counted])


# ---- our own runs --------------------------------------------------------------------------------------------------


def scored_run(folder: Path) -> list[Scored]:
    """A run on items built from CLUTRR's rows."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    items = {item.id: item for item in read_items(items_path(folder / run["items"]))}
    scored = []
    for answer in read_answers(folder / "answers.jsonl"):
        item = items[answer.item_id]
        if item.split != "test" or not answer.scores:
            continue
        stated = [tuple(edge) for edge in item.facts["edges"]]
        answers = frozenset({item.choices[max(range(len(answer.scores)), key=lambda n: answer.scores[n])]})
        fits = possible(item.facts["genders"], stated, tuple(item.facts["query"]))
        scored.append(Scored(str(item.facts["target"]), fits, answers))
    return scored


# ---- figures -------------------------------------------------------------------------------------------------------


def figures(scored: list[Scored]) -> dict[str, Any]:
    rows = len(scored)
    right = [each for each in scored if each.label in each.answers]
    wrong = [each for each in scored if each.label not in each.answers]
    one = [each for each in scored if len(each.possible) == 1]
    inside = [each for each in wrong if each.answers and each.answers <= each.possible]
    chance = sum(len(each.answers & each.possible) / len(each.answers) for each in scored if each.answers)
    return {
        "rows": rows,
        "as published": len(right),
        "as published, %": round(100 * len(right) / rows, 1),
        "right by verdict": dict(Counter(each.verdict for each in right)),
        "rows by verdict": dict(Counter(each.verdict for each in scored)),
        "where one follows": sum(each.answers == each.possible for each in one),
        "rows where one follows": len(one),
        "chance, %": round(100 * chance / rows, 1),
        "lenient, %": round(100 * sum(bool(each.answers & each.possible) for each in scored) / rows, 1),
        "called error": len(wrong),
        "of these: all its answers fit the facts, the label does not follow": len(inside),
        "of these: no answer": sum(not each.answers for each in wrong),
        "called right, but the label is false": sum(each.verdict in ("false", "inconsistent") for each in right),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--asp", type=Path, help="asp_modules/family.py of azreasoners/LLM-ASP")
    parser.add_argument("--run", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument(
        "--contradicted", type=Path, help="write a table of the replies that tell two genders of somebody"
    )
    parser.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    made: dict[str, Any] = {}
    if options.data:
        rows = [(row, truth(row)) for _, row in rows_of(options.data)]
        provers: dict[str, Any] = {"our search": by_search}
        if options.asp:
            provers = {"their rules (clingo)": by_answer_sets(options.asp), **provers}
        for engine in ENGINES:
            known = replies(options.data, engine)
            for name, prover in provers.items():
                scored = [Scored(row.target, fits, prover(row, known[row.story.strip()])) for row, fits in rows]
                made[f"{engine}, {name}"] = figures(scored)
        if options.contradicted:
            write_contradicted([row for row, _ in rows], options.data, options.contradicted)
    for given in options.run:
        name, _, folder = given.partition("=")
        made[name] = figures(scored_run(Path(folder)))
    text = json.dumps(made, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
