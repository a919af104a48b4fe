"""Where relations come from: a folder or file of any known format, or the lists inside the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import DATA
from proband.core.progress import log
from proband.core.tables import (
    SUFFIXES,
    TableRow,
    guess_columns,
    kind_of,
    plain_name,
    read_table,
    read_text,
    text_lines,
)
from proband.suites.analogy.relations import Relation, Tuple, without_duplicates

# ---- BATS 3.0 as released: four folders of ten files `X01 [name].txt`, one tuple per line, `head<TAB>tail/tail/...`
#
# The name of a file describes its columns, with one exception: `E01 [country - capital].txt` has the capital in
# column 1. The tuples are kept as they are (capital, country), as the paper uses them (Paris : France); the relation
# keeps the file's name in the paper's spelling (`country : capital`), so that rows meet their published neighbours.


GROUP_OF = {"I": "IM", "D": "DM", "E": "ES", "L": "LS"}
NAME = re.compile(r"([IDEL])(\d\d) \[(.+)\]\.txt$")


def bats_files(path: Path) -> list[Path]:
    """The file, or the files of the folder, if their names follow BATS."""
    return [file for file in (path.rglob("*.txt") if path.is_dir() else [path]) if NAME.match(file.name)]


def read_bats(folder: Path) -> list[Relation]:
    """All relations of the folder, in the order of their codes within the paper's group order."""
    files = [(match, path) for path in bats_files(folder) if (match := NAME.match(path.name))]
    files.sort(key=lambda each: ("ELDI".index(each[0][1]), each[0][2]))
    return [Relation(match[3].replace(" - ", " : "), GROUP_OF[match[1]], tuple(_tuples(path))) for match, path in files]


def _tuples(path: Path) -> list[Tuple]:
    tuples: list[Tuple] = []
    for number, line in text_lines(path):
        cells = line.split("\t")
        tails = tuple(dict.fromkeys(clean(tail) for tail in cells[-1].split("/") if clean(tail)))
        if len(cells) != 2 or not clean(cells[0]) or not tails:
            raise ProbandError("must be head<TAB>tail/tail/...", file=path, line=number)
        tuples.append(Tuple(clean(cells[0]), tails))
    if not tuples:
        raise ProbandError("contains no pairs", file=path)
    return tuples


def clean(word: str) -> str:
    return " ".join(word.replace("_", " ").split())


def written(word: object) -> bool:
    """Whether this is non-empty text that can be encoded again.

    >>> written("Rome"), written("  "), written("\\ud800"), written(3)
    (True, False, False, False)
    """
    return isinstance(word, str) and bool(clean(word)) and not any("\ud800" <= c <= "\udfff" for c in word)


# ---- Google's `questions-words.txt`: sections `: name`, lines `a b c d`. A section's tuples are its distinct pairs


DERIVED = ("gram1-adjective-to-adverb", "gram2-opposite", "gram6-nationality-adjective")


def is_google(path: Path) -> bool:
    return path.suffix == ".txt" and read_text(path).startswith(": ")


def google_group(section: str) -> str:
    """
    >>> google_group("capital-world"), google_group("gram3-comparative"), google_group("gram2-opposite")
    ('ES', 'IM', 'DM')
    """
    if not section.startswith("gram"):
        return "ES"
    return "DM" if section in DERIVED else "IM"


def read_google(path: Path) -> list[Relation]:
    sections: dict[str, dict[str, dict[str, None]]] = {}
    name = ""
    for number, line in text_lines(path):
        words = line.split()
        if line.startswith(":") and len(words) == 2:
            name = words[1]
            sections.setdefault(name, {})
        elif len(words) == 4 and name:
            for head, tail in (words[:2], words[2:]):
                sections[name].setdefault(head.replace("_", " "), {})[tail.replace("_", " ")] = None
        elif words:
            raise ProbandError("must be ': section' or four words", file=path, line=number)
    return [
        Relation(section, google_group(section), tuple(Tuple(head, tuple(tails)) for head, tails in pairs.items()))
        for section, pairs in sections.items()
    ]


# ---- lists of pairs: any table (core/tables) -------------------------------------------------------------------------
#
# Columns head, tail or tails, and perhaps relation, group and symmetric, by any usual name. `tail` is one tail, taken
# literally (AC/DC). `tails` are all that are accepted, the usual one first: joined by `/` in a table (a slash
# that belongs to a tail is written `\\/`), a list in JSON. A group may have any name. Without a column that names the
# relation the file's name does. Without a header two columns are head and tail, and of three the one with the fewest
# values is the relation. LAMA's and BEAR's facts (`sub_label`, `obj_label`) are such tables, and so are our own lists.


BUILT_IN = ("encyclopedic.tsv", "lexicographic.tsv", "derivational.tsv", "inflectional.tsv")
ROLES = {  # what columns are called, without case, spaces and underscores
    "head": ("head", "subject", "sublabel", "sub", "word1", "source", "first", "a", "x"),
    "tails": ("tails",),
    "tail": ("tail", "object", "objlabel", "obj", "word2", "target", "second", "b", "y"),
    "relation": ("relation", "rel", "predicate", "relationname", "predicateid", "relationtype"),
    "group": ("group",),
    "symmetric": ("symmetric",),
}
QUESTION = {  # a question a : b :: c : d in a row, as in MSR, JAIR and SemEval-2012: two pairs of one relation
    "head": ("word1",),
    "tail": ("word2",),
    "third": ("word3",),
    "fourth": ("word4", "target"),
    "relation": (*ROLES["relation"], "type", "category"),
}
UNGROUPED = "ungrouped"  # for a list that names no group
SLASH = re.compile(r"(?<!\\)/")  # a slash that is not escaped
ENDINGS = tuple(ending for ending in SUFFIXES if ending not in (".txt", ".json"))
SYMMETRIC: dict[Any, bool | None] = {"yes": True, "no": False, True: True, False: False, "": None, None: None}


def built_in() -> list[Relation]:
    """Our own lists: five relations per group, 43 to 50 tuples each."""
    return read_list(*(DATA / "analogy" / name for name in BUILT_IN))


def read_folder(folder: Path) -> list[Relation]:
    """All lists of a folder. Text and JSON files may be notes, so they are read only if there is nothing else."""
    every = sorted(path for path in folder.rglob("*") if kind_of(path) in SUFFIXES)
    files = [path for path in every if kind_of(path) in ENDINGS] or every
    if not files:
        raise ProbandError(f"is neither BATS nor a folder of lists ({', '.join(ENDINGS)})", file=folder)
    return read_list(*files)


def read_list(*files: Path) -> list[Relation]:
    """The relations in the order in which they first appear; what several files list of one relation is merged."""
    tuples: dict[str, list[Tuple]] = {}
    about: dict[str, tuple[str, bool | None]] = {}
    for path in files:
        rows = list(read_table(path, names=_names))
        if not rows:
            raise ProbandError("contains no pairs", file=path)
        first = _columns(rows)
        pairs = [first]
        if "third" in first:
            pairs.append({**first, "head": first["third"], "tail": first["fourth"]})
        slashes = 0
        for row, columns in product(rows, pairs):
            slashes += "tails" not in columns and "/" in str(row.cells.get(columns["tail"]))
            name, group, symmetric, each = _checked(row, columns)
            if about.setdefault(name, (group, symmetric)) != (group, symmetric):
                raise row.error(f"relation {name!r} has two values of group or symmetric")
            tuples.setdefault(name, []).append(each)
        if slashes:
            log(f"{path}: {slashes:,} of 'tail' have a slash and are taken literally; several tails belong in 'tails'")
    return [Relation(name, about[name][0], tuple(pairs), about[name][1]) for name, pairs in tuples.items()]


def _names(first: Sequence[str]) -> Sequence[str] | None:
    """The columns of a list without a header."""
    known = {name for names in ROLES.values() for name in names}
    if known & set(map(plain_name, first)) or not 2 <= len(first) <= 3:
        return None
    return UNNAMED[: len(first)]


UNNAMED = ("first column", "second column", "third column")


def _columns(rows: Sequence[TableRow]) -> dict[str, str]:
    """Role -> column; guesses are printed."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    file = rows[0].file
    if names[0] == UNNAMED[0]:
        columns = dict(zip(("head", "tail"), names))
        if len(names) == 3:
            values = {name: len({row.cells[name] for row in rows}) for name in reversed(names)}
            relation = min(values, key=lambda name: values[name])
            columns = dict(zip(("head", "tail"), (name for name in names if name != relation))) | {"relation": relation}
        first = " : ".join(str(rows[0].cells[columns[role]]) for role in ("head", "tail"))
        log(f"{file}: no header; the first pair is {first}{_relation_source(columns, file)}")
        return columns
    if "word3" in map(plain_name, names):
        columns = guess_columns(names, QUESTION)
        if len(columns) < len(QUESTION):
            raise rows[0].error("a question needs the columns type, word1, word2, word3 and target")
        return columns
    columns = guess_columns(names, ROLES)
    for role in {"head", "tail"} - columns.keys():  # the header names only one of two columns
        if len(names) == 2 and len(columns) == 1 and "tails" not in columns:
            columns[role] = next(name for name in names if name not in columns.values())
    missing = next((role for role in ("head", "tail") if not columns.keys() & {role, f"{role}s"}), None)
    if missing:
        raise rows[0].error(f"no column looks like the {missing}; there are {', '.join(names)}")
    unused = [name for name in names if name not in columns.values()]
    if any(plain_name(name) != role for role, name in columns.items()) or "relation" not in columns or unused:
        shown = ", ".join(f"{role} is {name!r}" for role, name in columns.items())
        more = f"; not used: {', '.join(unused)}" if unused else ""
        log(f"{file}: {shown}{_relation_source(columns, file)}{more}")
    return columns


def _relation_source(columns: Mapping[str, str], file: Path) -> str:
    if "relation" in columns:
        return f", the relation in the {columns['relation']}" if columns["relation"] in UNNAMED else ""
    return f"; the relation is the file's name, {_stem(file)!r}"


def _stem(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(kind_of(file))


def _checked(row: TableRow, columns: Mapping[str, str]) -> tuple[str, str, bool | None, Tuple]:
    cells = {role: row.cells.get(column) for role, column in columns.items()}
    cells.setdefault("relation", _stem(row.file))
    for role in ("head", "relation"):
        if not written(cells[role]):
            raise row.error("must be text", columns.get(role, role))
    tails = _tails(cells)
    if not tails or not all(written(t) for t in tails):
        raise row.error("must be text (or 'tails', joined by '/')", columns.get("tail", columns.get("tails", "tail")))
    group = cells.get("group") or UNGROUPED
    if not written(group):
        raise row.error(f"{group!r} must be text", "group")
    answer = cells.get("symmetric")
    if not isinstance(answer, str | bool | None) or answer not in SYMMETRIC:
        raise row.error(f"{answer!r} must be yes or no", "symmetric")
    result = Tuple(clean(str(cells["head"])), tuple(dict.fromkeys(clean(t) for t in tails)))
    return clean(str(cells["relation"])), clean(str(group)), SYMMETRIC[answer], result


def _tails(cells: Mapping[str, Any]) -> list[Any]:
    r"""
    >>> _tails({"tail": "AC/DC"}), _tails({"tails": "black/dark blue"}), _tails({"tails": r"AC\/DC/Acca Dacca"})
    (['AC/DC'], ['black', 'dark blue'], ['AC/DC', 'Acca Dacca'])
    """
    several = cells.get("tails")
    if isinstance(several, str):
        return [part.replace("\\/", "/") for part in SLASH.split(several)]
    return several if isinstance(several, list) else [cells.get("tail") if several is None else several]


# ---- any of them ----------------------------------------------------------------------------------------------------


LICENCES = {
    "built-in": "Apache-2.0",
    "bats": "BATS 3.0: none stated by its source; do not redistribute",
    "google": "Google analogy test set: Apache-2.0",
    "listed": "as the file's own",
}


def read(data: str = "") -> tuple[list[Relation], str]:
    """Relations and their licence; `data` is empty (our own lists) or a path.

    >>> relations, licence = read()
    >>> len(relations), licence
    (20, 'Apache-2.0')
    """
    if not data:
        return built_in(), LICENCES["built-in"]
    path = Path(data)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    reader: Callable[[Path], list[Relation]]
    if bats_files(path):
        kind, reader = "bats", read_bats
    elif path.is_dir():
        kind, reader = "listed", read_folder
    else:
        kind, reader = ("google", read_google) if is_google(path) else ("listed", read_list)
    relations = [without_duplicates(relation) for relation in reader(path)]
    for relation in relations:
        if len(relation.tuples) < 4:
            raise ProbandError(
                f"relation {relation.name!r} has {len(relation.tuples)} different tuples; probes need 4", file=path
            )
    return relations, LICENCES[kind]
