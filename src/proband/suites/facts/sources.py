"""Where facts come from: BEAR, LAMA's T-REx, LRE, PopQA, any table with subject, relation and object; or those that ship.

Wordings come with the data (BEAR, LRE, LAMA's `relations.jsonl`) or from `--patterns`: ParaRel's folder of patterns, a
file like LAMA's, or a table with the columns relation and wording.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, read_text, table_rows, text_lines
from proband.suites.facts.relations import OBJECT, SUBJECT, Fact, FactRelation

LICENCES = {
    "built-in": "Apache-2.0",
    "bear": "BEAR: none stated by its source; do not redistribute",
    "other": "as the file's own",
}
NAMES = {  # of columns, in the order of preference
    "subject": ("subject", "sub_label", "subj", "head", "s"),
    "object": ("object", "obj_label", "obj", "tail", "tails", "answer", "o"),
    "relation": ("relation", "predicate_id", "prop", "property", "relation_id", "r"),
}


def read(data: str = "", patterns: str = "") -> tuple[list[FactRelation], str]:
    """The relations of a source, checked, and their licence.

    >>> relations, licence = read()
    >>> len(relations), sum(len(relation.facts) for relation in relations) >= 400, licence
    (13, True, 'Apache-2.0')
    """
    if not data:
        return [relation.checked() for relation in built_in()], LICENCES["built-in"]
    path = Path(data).expanduser()
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    worded = read_patterns(Path(patterns).expanduser()) if patterns else {}
    is_bear = (path / BEAR_FILE).is_file()
    relations = read_bear(path) if is_bear else read_files(path, worded)
    named = [
        relation if relation.name not in worded else _reworded(relation, worded[relation.name])
        for relation in relations
    ]
    if not named:
        raise ProbandError("contains no facts", file=path)
    return [relation.checked() for relation in named], LICENCES["bear" if is_bear else "other"]


def _reworded(relation: FactRelation, wordings: Iterable[str]) -> FactRelation:
    return FactRelation(**{**_fields(relation), "wordings": tuple(wordings)})


def _fields(relation: FactRelation) -> dict[str, Any]:
    return {name: getattr(relation, name) for name in relation.__dataclass_fields__}


# ---- what ships ----------------------------------------------------------------------------------------------------


def built_in() -> Iterator[FactRelation]:
    """The relations of data/facts; some take their pairs from the lists of the analogy suite."""
    data = resources.files("proband") / "data"
    with resources.as_file(data / "facts" / "relations.toml") as path:
        declared = tomllib.loads(read_text(path))
    for name, relation in declared.items():
        facts = [
            Fact(
                subject=subject, objects=(objects,) if isinstance(objects, str) else tuple(objects), place=(path, None)
            )
            for subject, objects in relation.get("facts", {}).items()
        ]
        if "pairs" in relation:
            file, listed = relation["pairs"]
            with resources.as_file(data / "analogy" / file) as table:
                facts = list(_pairs(table, listed, turned=relation.get("turned", False)))
        yield FactRelation(
            name=name, wordings=tuple(relation["wordings"]), facts=tuple(facts), sentence_case=True, file=path
        )


def _pairs(path: Path, relation: str, *, turned: bool) -> Iterator[Fact]:
    for number, row in table_rows(path, separator="\t"):
        if row["relation"] == relation:
            head, tails = row["head"], tuple(row["tails"].split("/"))
            subject, objects = (tails[0], (head,)) if turned else (head, tails)
            aliases = tails[1:] if turned else ()
            yield Fact(subject=subject, objects=objects, aliases=aliases, place=(path, number))


# ---- BEAR: metadata_relations.json with templates and answers, a file P*.jsonl for each relation -------------------


BEAR_FILE = "metadata_relations.json"


def read_bear(folder: Path) -> list[FactRelation]:
    declared = decode(dict[str, dict[str, Any]], read_text(folder / BEAR_FILE).encode(), file=folder / BEAR_FILE)
    relations = []
    for name, about in declared.items():
        path = folder / f"{name}.jsonl"
        if not path.is_file():
            raise ProbandError(f"relation {name!r} has no file {path.name}", file=folder / BEAR_FILE)
        try:
            wordings, answers = tuple(about["templates"]), tuple(about["answer_space_labels"])
        except KeyError as error:
            raise ProbandError(f"relation {name!r} has no field {error}", file=folder / BEAR_FILE) from None
        facts = tuple(_fact(row, path, number) for number, row in _json_rows(path))
        relations.append(FactRelation(name=name, wordings=wordings, facts=facts, space=answers, file=path))
    return relations


# ---- other files: a relation each, or a table of several ----------------------------------------------------------


ENDINGS = (".jsonl", ".json", ".tsv", ".csv")


def read_files(path: Path, worded: Mapping[str, tuple[str, ...]]) -> list[FactRelation]:
    """All files of a folder, or one file."""
    files = [path]
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix in ENDINGS and each.name != LAMA_FILE)
        if (path / LAMA_FILE).is_file():
            worded = {**read_patterns(path / LAMA_FILE), **worded}
        if not files:
            raise ProbandError("has no .jsonl, .json, .tsv or .csv file of facts", file=path)
    return [relation for file in files for relation in _relations(file, worded)]


def _relations(path: Path, worded: Mapping[str, tuple[str, ...]]) -> Iterator[FactRelation]:
    if path.suffix == ".json":
        yield _read_lre(path)
        return
    rows = (
        _json_rows(path)
        if path.suffix == ".jsonl"
        else table_rows(path, separator="," if path.suffix == ".csv" else "\t")
    )
    facts: dict[str, list[Fact]] = {}
    for number, row in rows:
        relation = _cell(row, "relation") or path.stem
        facts.setdefault(relation, []).append(_fact(row, path, number))
    if not facts:
        raise ProbandError("contains no facts", file=path)
    for relation, listed in facts.items():
        yield FactRelation(
            name=relation,
            wordings=worded.get(relation, (f"The {relation} of {SUBJECT} is {OBJECT}.",)),
            facts=tuple(_merged(listed)),
            file=path,
        )


def _merged(facts: Iterable[Fact]) -> list[Fact]:
    """Rows that repeat a fact (LAMA has one for each piece of evidence) are one."""
    return list({(fact.subject, fact.objects[0]): fact for fact in reversed(list(facts))}.values())[::-1]


def _read_lre(path: Path) -> FactRelation:
    """LRE: {"name", "prompt_templates": ["The capital of {} is"], "samples": [{"subject", "object"}]}."""
    about = decode(dict[str, Any], read_text(path).encode(), file=path)
    if "samples" not in about:
        raise ProbandError("has no field 'samples': is it a file of LRE?", file=path)
    templates = about.get("prompt_templates") or []
    wordings = tuple(f"{t.replace('{}', SUBJECT).rstrip()} {OBJECT}." for t in templates if isinstance(t, str))
    facts = [_fact(row, path, None) for row in about["samples"] if isinstance(row, dict)]
    return FactRelation(
        name=str(about.get("name") or path.stem), wordings=wordings, facts=tuple(_merged(facts)), file=path
    )


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in text_lines(path):
        if line.strip():
            yield number, decode(dict[str, Any], line.encode(), file=path, line=number)


def _cell(row: Mapping[str, Any], role: str) -> str:
    value = next((row[name] for name in NAMES[role] if row.get(name) not in (None, "")), "")
    return " ".join(str(value).split())


def _fact(row: Mapping[str, Any], path: Path, line: int | None) -> Fact:
    subject, answer = _cell(row, "subject"), _cell(row, "object")
    for role, value in (("subject", subject), ("object", answer)):
        if not value:
            message = f"no {role}: one of the fields {', '.join(NAMES[role][:4])} must be text"
            raise ProbandError(message, file=path, line=line)
    others = _listed(row.get("possible_answers"))
    popularity = row.get("s_pop")
    return Fact(
        subject=subject,
        objects=tuple(dict.fromkeys([answer, *_listed(row.get("objects"))])),
        aliases=_listed(row.get("sub_aliases") or row.get("s_aliases")),
        object_aliases=tuple(dict.fromkeys([*_listed(row.get("obj_aliases") or row.get("o_aliases")), *others])),
        popularity=_number(popularity),
        question=str(row.get("question") or ""),
        place=(path, line),
    )


def _listed(value: Any) -> tuple[str, ...]:
    """A list, or one written as JSON in a cell."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    return tuple(str(each) for each in value if str(each).strip()) if isinstance(value, list) else ()


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


# ---- wordings ------------------------------------------------------------------------------------------------------


LAMA_FILE = "relations.jsonl"


def read_patterns(path: Path) -> dict[str, tuple[str, ...]]:
    """Relation -> wordings: ParaRel's folder (P19.jsonl with {"pattern"}), LAMA's file ({"relation", "template"}), or a
    table with the columns relation and wording."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise ProbandError("has no .jsonl file of patterns", file=path)
        return {file.stem: tuple(dict.fromkeys(_patterns(file, lambda row: row.get("pattern")))) for file in files}
    wordings: dict[str, dict[str, None]] = {}
    rows = (
        _json_rows(path)
        if path.suffix == ".jsonl"
        else table_rows(path, separator="," if path.suffix == ".csv" else "\t")
    )
    for number, row in rows:
        wording = row.get("template") or row.get("wording")
        if not row.get("relation") or not isinstance(wording, str):
            raise ProbandError("must have the fields relation and template (or wording)", file=path, line=number)
        wordings.setdefault(str(row["relation"]), {})[wording.replace(" .", ".")] = None
    return {relation: tuple(listed) for relation, listed in wordings.items()}


def _patterns(path: Path, of: Callable[[Mapping[str, Any]], Any]) -> Iterator[str]:
    for number, row in _json_rows(path):
        pattern = of(row)
        if not isinstance(pattern, str):
            raise ProbandError("field 'pattern' must be text", file=path, line=number)
        yield pattern.replace(" .", ".")
