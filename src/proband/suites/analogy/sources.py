"""Where relations come from: a folder or file of any known format, or the lists inside the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, read_text, table_rows
from proband.core.progress import say
from proband.suites.analogy import wordnet_pairs
from proband.suites.analogy.relations import Relation, Tuple, without_duplicates

# ---- BATS 3.0 as released: four folders of ten files `X01 [name].txt`, one tuple per line, `head<TAB>tail/tail/...`
#
# The name of a file says how its columns read, with one exception: `E01 [country - capital].txt` has the capital in
# column 1. The tuples are kept as they stand (capital, country), as the paper uses them (Paris : France); the relation
# keeps the file's name in the paper's spelling (`country : capital`), so that rows meet their published neighbours.


GROUP_OF = {"I": "IM", "D": "DM", "E": "ES", "L": "LS"}
NAME = re.compile(r"([IDEL])(\d\d) \[(.+)\]\.txt$")


def is_bats(folder: Path) -> bool:
    return any(NAME.match(path.name) for path in folder.rglob("*.txt"))


def read_bats(folder: Path) -> list[Relation]:
    """All relations of the folder, in the order of their codes within the paper's group order."""
    files = [(match, path) for path in folder.rglob("*.txt") if (match := NAME.match(path.name))]
    files.sort(key=lambda each: ("ELDI".index(each[0][1]), each[0][2]))
    return [Relation(match[3].replace(" - ", " : "), GROUP_OF[match[1]], tuple(_tuples(path))) for match, path in files]


def _tuples(path: Path) -> list[Tuple]:
    tuples: list[Tuple] = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
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
    """Whether this is text with something in it that can be written down again.

    >>> written("Rome"), written("  "), written("\\ud800"), written(3)
    (True, False, False, False)
    """
    return isinstance(word, str) and bool(clean(word)) and not any("\ud800" <= c <= "\udfff" for c in word)


def json_lines(path: Path, kind: Any) -> Iterator[tuple[int, Any]]:
    """The values of a JSON-lines file, with the numbers of their lines."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, decode(kind, line.encode(), file=path, line=number)


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
    for number, line in enumerate(read_text(path).splitlines(), start=1):
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


# ---- plain lists: TSV, CSV or JSONL; fields head, tail or tails, relation, and perhaps group, symmetric -------------
#
# `tail` is one tail, taken as it stands (AC/DC). `tails` are all that are accepted, the usual one first: joined by `/`
# in a table (a slash that belongs to a tail is written `\/`), a list in JSONL. A group may have any name. The lists
# inside the package are such files.


BUILT_IN = ("encyclopedic.tsv", "lexicographic.tsv", "derivational.tsv", "inflectional.tsv")
FIELDS = {"head", "tail", "tails", "relation", "group", "symmetric"}
UNGROUPED = "ungrouped"  # of a list that names no group
SLASH = re.compile(r"(?<!\\)/")  # one that is not escaped
ENDINGS = (".tsv", ".csv", ".jsonl")
SYMMETRIC: dict[Any, bool | None] = {"yes": True, "no": False, True: True, False: False, "": None, None: None}


def built_in() -> list[Relation]:
    """Our own lists: five relations per group, 44 to 50 tuples each."""
    with resources.as_file(resources.files("proband") / "data" / "analogy") as folder:
        return [relation for name in BUILT_IN for relation in read_list(folder / name)]


def read_folder(folder: Path) -> list[Relation]:
    files = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS)
    if not files:
        raise ProbandError("is neither BATS nor a folder of .tsv, .csv or .jsonl lists", file=folder)
    return [relation for path in files for relation in read_list(path)]


def read_list(path: Path) -> list[Relation]:
    """The relations of one file, in the order in which they first appear."""
    rows: dict[str, list[Tuple]] = {}
    about: dict[str, tuple[str, bool | None]] = {}
    slashes = 0
    for number, row in _rows(path):
        slashes += "tails" not in row and "/" in str(row.get("tail"))
        name, group, symmetric, each = _checked(row, path, number)
        if about.setdefault(name, (group, symmetric)) != (group, symmetric):
            raise ProbandError(f"relation {name!r} has two values of group or symmetric", file=path, line=number)
        rows.setdefault(name, []).append(each)
    if not rows:
        raise ProbandError("contains no pairs", file=path)
    if slashes:
        say(f"{path}: {slashes:,} of 'tail' have a slash and are taken as they stand; several tails belong in 'tails'")
    return [Relation(name, about[name][0], tuple(tuples), about[name][1]) for name, tuples in rows.items()]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        return json_lines(path, dict[str, Any])
    return table_rows(path, separator="," if path.suffix == ".csv" else "\t")


def _checked(row: Mapping[str, Any], path: Path, line: int) -> tuple[str, str, bool | None, Tuple]:
    for name in row:
        if name not in FIELDS:
            raise ProbandError(f"unknown field {name!r}; there are {', '.join(sorted(FIELDS))}", file=path, line=line)
    for name in ("head", "relation"):
        if not written(row.get(name)):
            raise ProbandError(f"field {name!r} must be text", file=path, line=line)
    tails = _tails(row)
    if not tails or not all(written(t) for t in tails):
        raise ProbandError("field 'tail' must be text (or 'tails', joined by '/')", file=path, line=line)
    group = row.get("group") or UNGROUPED
    if not written(group):
        raise ProbandError(f"'group' is {group!r}; it must be text", file=path, line=line)
    answer = row.get("symmetric")
    if not isinstance(answer, str | bool | None) or answer not in SYMMETRIC:
        raise ProbandError(f"'symmetric' is {answer!r}; it must be yes or no", file=path, line=line)
    result = Tuple(clean(row["head"]), tuple(dict.fromkeys(clean(t) for t in tails)))
    return clean(row["relation"]), clean(group), SYMMETRIC[answer], result


def _tails(row: Mapping[str, Any]) -> list[Any]:
    r"""
    >>> _tails({"tail": "AC/DC"}), _tails({"tails": "black/dark blue"}), _tails({"tails": r"AC\/DC/Acca Dacca"})
    (['AC/DC'], ['black', 'dark blue'], ['AC/DC', 'Acca Dacca'])
    """
    several = row.get("tails")
    if isinstance(several, str):
        return [part.replace("\\/", "/") for part in SLASH.split(several)]
    return several if isinstance(several, list) else [row.get("tail") if several is None else several]


# ---- any of them ----------------------------------------------------------------------------------------------------


LICENCES = {
    "built-in": "Apache-2.0",
    "bats": "BATS 3.0: none stated by its source; do not redistribute",
    "google": "Google analogy test set: Apache-2.0",
    "wordnet": "WordNet licence (Princeton)",
    "listed": "as the file's own",
}


def read(data: str = "") -> tuple[list[Relation], str]:
    """Relations and their licence; `data` is empty (our own lists), a path, or `wordnet[:FOLDER]`.

    >>> relations, licence = read()
    >>> len(relations), licence
    (20, 'Apache-2.0')
    """
    if not data:
        return built_in(), LICENCES["built-in"]
    if data.partition(":")[0] == "wordnet":
        return wordnet_pairs.read_wordnet(data.partition(":")[2] or None), LICENCES["wordnet"]
    path = Path(data)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    reader: Callable[[Path], list[Relation]]
    if path.is_dir():
        kind, reader = ("bats", read_bats) if is_bats(path) else ("listed", read_folder)
    else:
        kind, reader = ("google", read_google) if is_google(path) else ("listed", read_list)
    relations = [without_duplicates(relation) for relation in reader(path)]
    for relation in relations:
        if len(relation.tuples) < 4:
            raise ProbandError(
                f"relation {relation.name!r} has {len(relation.tuples)} different tuples; probes need 4", file=path
            )
    return relations, LICENCES[kind]
