"""Where relations come from: a folder or file of any known format, or the lists inside the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.analogy.relations import Relation, without_duplicates
from proband.suites.analogy.sources import bats, google, listed, wordnet

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
        return listed.built_in(), LICENCES["built-in"]
    if data.partition(":")[0] == "wordnet":
        return wordnet.read(data.partition(":")[2] or None), LICENCES["wordnet"]
    path = Path(data)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    reader: Callable[[Path], list[Relation]]
    if path.is_dir():
        kind, reader = ("bats", bats.read) if bats.looks_like(path) else ("listed", listed.read_folder)
    else:
        kind, reader = ("google", google.read) if google.looks_like(path) else ("listed", listed.read)
    relations = [without_duplicates(relation) for relation in reader(path)]
    for relation in relations:
        if len(relation.tuples) < 4:
            raise ProbandError(
                f"relation {relation.name!r} has {len(relation.tuples)} different tuples; probes need 4", file=path
            )
    return relations, LICENCES[kind]
