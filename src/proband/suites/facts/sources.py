"""Where facts come from: BEAR, LAMA's T-REx, LRE, any table with subject, relation and object; or our own.

Wordings come with the data (BEAR, LRE, LAMA's `relations.jsonl`) or from `--patterns`: ParaRel's folder of patterns, a
file like LAMA's, or a table with the columns relation and wording.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import Struct

from proband.core.errors import ProbandError
from proband.core.files import DATA, decode, group_by_key, read_toml
from proband.core.progress import log
from proband.core.tables import TableRow, kind_of, read_table, read_text
from proband.suites.facts.relations import OBJECT, SUBJECT, FactRelation, SubjectFact, fold, wrong_wording

LRE = "wordings of LRE"
ENDINGS = (".jsonl", ".json", ".tsv", ".csv", ".xlsx")
NAMES = {  # names of columns, in order of preference
    "subject": ("subject", "sub_label", "subj", "head", "sub", "s"),
    "object": ("object", "obj_label", "obj", "tail", "tails", "answer", "o"),
    "relation": ("relation", "predicate_id", "prop", "property", "relation_id", "pred", "r"),
}


def read(data: str = "", patterns: str = "") -> tuple[list[FactRelation], str, list[str]]:
    """The checked relations of a source, their licence, and the rows that cannot be asked, with their places.

    >>> relations, licence, left_out = read()
    >>> len(relations), sum(len(relation.facts) for relation in relations) >= 400, licence, left_out
    (23, True, 'Apache-2.0', [])
    """
    worded = read_patterns(Path(patterns).expanduser()) if patterns else {}
    path = Path(data).expanduser()
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if not data:
        licence, relations = "Apache-2.0", list(built_in())
    elif (path / BEAR_FILE).is_file():
        licence, relations = "BEAR: none stated by its source; do not redistribute", read_bear(path)
    else:
        licence, relations = "as the file's own", read_files(path, worded)
    if worded and not any(each.name in worded for each in relations):
        raise ProbandError(f"has wordings of {', '.join(worded)}; the facts have no such relation", file=Path(patterns))
    relations = [replace(each, wordings=worded.get(each.name, each.wordings)) for each in relations]
    if not relations:
        raise ProbandError("contains no facts", file=path)
    asked, left_out, problems = list[FactRelation](), list[str](), list[ProbandError]()
    for relation in relations:
        try:
            asked.append(relation.checked())
            left_out += asked[-1].left_out
        except ProbandError as error:  # the other facts can still be asked
            problems.append(error)
            left_out += [*relation.left_out, str(error)]
    if not asked:
        raise problems[0]
    if left_out:
        log(f"{data}: rows or relations without a question are left out: {len(left_out):,}; the first: {left_out[0]}")
    return asked, licence, left_out


# ---- what ships ----------------------------------------------------------------------------------------------------


def built_in() -> Iterator[FactRelation]:
    """The relations of data/facts; some take their pairs from the lists of the analogy suite, some from two others."""
    path, made = DATA / "facts" / "relations.toml", dict[str, FactRelation]()
    usual = DATA / "analogy" / "usual_values.tsv"
    for name, relation in read_toml(path).items():
        facts = [
            SubjectFact(subject=subject, objects=(objects,) if isinstance(objects, str) else tuple(objects))
            for subject, objects in relation.get("facts", {}).items()
        ]
        if "pairs" in relation:
            file, listed = relation["pairs"]
            facts = list(_pairs(DATA / "analogy" / file, listed, turned=relation.get("turned", False)))
        if "compose" in relation:
            facts = list(composed(*(made[each] for each in relation["compose"])))
        also = {fold(each.subject): each.objects for each in _pairs(usual, name, turned=False)}
        also |= {subject: tuple(objects) for subject, objects in relation.get("also_true", {}).items()}
        made[name] = FactRelation(
            name=name,
            wordings=tuple(relation["wordings"]),
            facts=tuple(replace(fact, also_true=also.get(fold(fact.subject), fact.also_true)) for fact in facts),
            space=made[relation["compose"][1]].answers if "compose" in relation else (),
            by_name=relation.get("by_name", False),
            file=path,
        )
    return iter(made.values())


def composed(first: FactRelation, second: FactRelation) -> Iterator[SubjectFact]:
    """Compose two relations: a first fact's object is a second's subject (Lisbon, Portugal, Portuguese)."""
    places = {fact.subject: (number, fact) for number, fact in enumerate(second.facts, start=1)}
    for number, fact in enumerate(first.facts, start=1):
        if fact.objects[0] in places:
            place, other = places[fact.objects[0]]
            rests_on = (first.item_id(number), second.item_id(place))
            yield replace(other, subject=fact.subject, aliases=(), rests_on=rests_on, row=None)


def _pairs(path: Path, relation: str, *, turned: bool) -> Iterator[SubjectFact]:
    for row in read_table(path):
        if row.cells["relation"] == relation:
            head, tails = row.cells["head"], tuple(row.cells["tails"].split("/"))
            subject, objects = (tails[0], (head,)) if turned else (head, tails)
            aliases = tails[1:] if turned else ()
            yield SubjectFact(subject=subject, objects=objects, aliases=aliases, row=row)


# ---- BEAR: metadata_relations.json with templates and answers, a file P*.jsonl for each relation -------------------


BEAR_FILE = "metadata_relations.json"


def read_bear(folder: Path) -> list[FactRelation]:
    file = folder / BEAR_FILE
    declared = decode(dict[str, dict[str, Any]], read_text(file).encode("utf-8", "surrogateescape"), file=file)
    relations = []
    for name, about in declared.items():
        path = folder / f"{name}.jsonl"
        if not path.is_file():
            log(f"{file}: relation {name!r} has no file {path.name} and is left out")
            continue
        wordings, answers = tuple(about.get("templates", ())), tuple(about.get("answer_space_labels", ()))
        if not wordings:
            raise ProbandError(f"relation {name!r} has no 'templates'", file=file)
        facts, left_out = _facts_of(_rows(path))
        known = tuple(_merged(_answered(fact, answers) for fact in facts))
        relations.append(
            FactRelation(name=name, wordings=wordings, facts=known, space=answers, file=file, left_out=left_out)
        )
    return relations


def _answered(fact: SubjectFact, answers: Sequence[str]) -> SubjectFact:
    """`answer_idx` is the right answer; the label of the object may be spelled differently."""
    if not answers or fact.row is None:
        return fact
    place = fact.row.cells.get("answer_idx")
    if not isinstance(place, int) or not 0 <= place < len(answers):
        raise fact.row.error(f"is {place!r}, but there are {len(answers)} answers", "answer_idx")
    return replace(fact, objects=(answers[place],), object_aliases=(*fact.objects, *fact.object_aliases))


# ---- other files: one relation each, or a table of several -----------------------------------------------------------


def read_files(path: Path, worded: Mapping[str, tuple[str, ...]]) -> list[FactRelation]:
    """All files of a folder, or one file."""
    files = [path]
    if path.is_dir():
        if below := sorted(each.parent for each in path.rglob(BEAR_FILE)):
            raise ProbandError(f"has BEAR in a folder below it: --data {below[0]} names it", file=path)
        files = sorted(each for each in path.rglob("*") if kind_of(each) in ENDINGS and each.name != LAMA_FILE)
        if (path / LAMA_FILE).is_file():
            worded = {**read_patterns(path / LAMA_FILE), **worded}
        if not files:
            raise ProbandError(f"has no {', '.join(ENDINGS)} file of facts", file=path)
    facts, left_out = _facts_of(row for file in files for row in _rows(file))
    of_relation = group_by_key((_cells(each.row, "relation")[0], each) for each in facts if each.row)
    relations = []
    for name, listed in of_relation.items():
        first = next(each.row for each in listed if each.row)
        own = worded.get(name) or first.cells.get(LRE) or (f"The {name} of {SUBJECT} is {OBJECT}.",)
        known = tuple(_merged(listed))
        relations.append(FactRelation(name=name, wordings=own, facts=known, file=first.file, left_out=left_out))
        left_out = ()  # listed once
    return relations


class LreFile(Struct):
    """LRE: {"name", "prompt_templates": ["The capital of {} is"], "samples": [{"subject", "object"}]}."""

    name: str = ""
    prompt_templates: list[str] = []
    samples: list[dict[str, Any]] = []


def _samples(path: Path, name: str) -> Iterator[TableRow]:
    about = decode(LreFile, read_text(path).encode("utf-8", "surrogateescape"), file=path)
    if not about.samples:
        raise ProbandError("has no field 'samples' with objects: is it a file of LRE?", file=path)
    own = tuple(f"{each.replace('{}', SUBJECT).rstrip()} {OBJECT}." for each in about.prompt_templates)
    for number, each in enumerate(about.samples, start=1):
        yield TableRow({**each, "relation": about.name or name, LRE: own}, path, number)


def _facts_of(rows: Iterable[TableRow]) -> tuple[list[SubjectFact], tuple[str, ...]]:
    """The facts of rows, and the rows without a subject or an object; an error if no row has both."""
    facts, problems = list[SubjectFact](), list[ProbandError]()
    for row in rows:
        try:
            facts.append(_fact(row))
        except ProbandError as error:
            problems.append(error)
    if problems and not facts:
        raise problems[0]
    return facts, tuple(map(str, problems))


def _rows(path: Path) -> Iterator[TableRow]:
    """The rows of a file; an error if it has none or an id occurs twice."""
    ids, row, name = set[Any](), None, Path(path.name.removesuffix(".gz")).stem
    for row in _samples(path, name) if kind_of(path) == ".json" else read_table(path):
        own = row.cells.get("id") or row.cells.get("uuid")
        if own and own in ids:
            raise row.error(f"the id {own!r} occurs twice")
        ids.add(own)
        yield row if _cells(row, "relation") else replace(row, cells={**row.cells, "relation": name})
    if row is None:
        raise ProbandError("contains no facts", file=path)


def _merged(facts: Iterable[SubjectFact]) -> list[SubjectFact]:
    """Merge rows that repeat a fact, whatever their spelling (LAMA has one row per piece of evidence)."""
    kept: dict[tuple[str, str], SubjectFact] = {}
    for fact in facts:
        kept.setdefault((fold(fact.subject), fold(fact.objects[0])), fact)
    return list(kept.values())


def _cells(row: TableRow, role: str) -> list[str]:
    """The text in a cell, or the texts of a list."""
    value = next((row.cells[name] for name in NAMES[role] if row.cells.get(name) not in (None, "", [])), "")
    return [" ".join(each.split()) for each in _listed(value) or [str(value)] if each.strip()]


def _fact(row: TableRow) -> SubjectFact:
    texts, cells = {role: _cells(row, role) for role in ("subject", "object")}, row.cells
    if missing := next((role for role in texts if not texts[role]), ""):
        raise row.error(f"no {missing}: one of the columns {', '.join(NAMES[missing][:4])} must be text")
    return SubjectFact(
        subject=texts["subject"][0],
        objects=(*texts["object"], *_listed(cells.get("objects"))),
        aliases=_listed(cells.get("sub_aliases") or cells.get("s_aliases")),
        object_aliases=_listed(cells.get("obj_aliases") or cells.get("o_aliases")),
        row=row,
    )


def _listed(value: Any) -> tuple[str, ...]:
    """The list in a cell, which may be written as JSON."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    return tuple(str(each) for each in value if str(each).strip()) if isinstance(value, list) else ()


# ---- wordings ------------------------------------------------------------------------------------------------------


LAMA_FILE = "relations.jsonl"


def read_patterns(path: Path) -> dict[str, tuple[str, ...]]:
    """Relation -> wordings: ParaRel's folder (P19.jsonl with {"pattern"}), LAMA's file ({"relation", "template"}), or a
    table with the columns relation and wording."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise ProbandError("has no .jsonl file of patterns", file=path)
    wordings: dict[str, dict[str, None]] = {}
    for file in files:
        for row in read_table(file):
            relation = file.stem if path.is_dir() else str(row.cells.get("relation") or "")
            wording = next(filter(None, map(row.cells.get, ("pattern", "template", "wording"))), None)
            if not relation or not isinstance(wording, str):
                raise row.error("needs a relation and its wording: columns relation, and pattern, template or wording")
            if problem := wrong_wording(wording):
                raise row.error(problem)
            wordings.setdefault(relation, {})[wording.replace(" .", ".")] = None
    if not wordings:
        raise ProbandError("contains no wordings", file=path)
    return {relation: tuple(listed) for relation, listed in wordings.items()}
