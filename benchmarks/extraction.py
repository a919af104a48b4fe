"""Extraction from plain text: how many known triples come back, and sentences with their assertions to read by eye.

    python benchmarks/extraction.py premises levy_dagan_all.tsv [EVERY]   each distinct premise as a sentence
    python benchmarks/extraction.py read TEXT                             a sentence a line, with what is extracted
    python benchmarks/extraction.py against FILE                          sentences with the assertions one expects

Of `against`, a line is `sentence<TAB>subject | relation | object<TAB>...`; a sentence alone asserts nothing. A `.jsonl`
file has `text`, `expected` and, true but not asked for, `acceptable`. `exact`: just the expected assertions, capitals
aside; `acceptable`: these and acceptable ones; `more`: these and others; `part`: some of them, no others; `other`: one
is missing and another stands in its place; `nothing`: none. Whoever reads decides which of the others are false.

A premise `stalin, remarked to, hopkins` becomes "Stalin remarked to hopkins."; it comes back if the triple is among the
assertions, up to capitals. `alone`: nothing else was extracted.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from proband.english.extraction.plain_text import TextParser
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import assertions
from proband.suites.inference.items import words

SHOWN = 30  # premises that did not come back


def premises(path: Path, every: int) -> None:
    rows = (line.rstrip("\n").split("\t")[1].split(",") for line in path.open(encoding="utf-8"))
    triples = list(dict.fromkeys(tuple(part.strip() for part in row) for row in rows if len(row) == 3))[::every]
    parser = TextParser()
    back, alone, lost = 0, 0, []
    texts = (" ".join(triple) for triple in triples)
    parsed = parser.by_paragraph(f"{text[0].upper()}{text[1:]}." for text in texts)
    for triple, sentences in zip(triples, parsed, strict=True):
        got = {plain(one) for tokens, tree in sentences for one in assertions(tokens, extract(tree))}
        back += plain(triple) in got
        alone += got == {plain(triple)}
        if plain(triple) not in got:
            lost.append(f"{' | '.join(triple)}   got: {'; '.join(' | '.join(map(' '.join, one)) for one in got)}")
    print(f"{len(triples):,} premises: {back / len(triples):.1%} come back, {alone / len(triples):.1%} alone")
    print(*lost[:: max(1, len(lost) // SHOWN)], sep="\n")


def plain(triple: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(words(part) for part in triple)


def read(path: Path) -> None:
    parser, total = TextParser(), 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        print(number, line)
        for one in parser.assertions([line]):
            print("      ", " | ".join(one))
            total += 1
    print(f"{number} lines, {total} assertions")


def against(path: Path) -> None:
    parser, tally = TextParser(), Counter[str]()
    for sentence, wanted, allowed in expectations(path):
        got = {tuple(part.lower() for part in one) for one in parser.assertions([sentence])}
        kind = "acceptable" if wanted < got <= wanted | allowed else kind_of(wanted, got)
        tally[kind] += 1
        if kind != "exact":
            print(f"{kind}: {sentence}")
            print(*(f"    {' | '.join(one)}" for one in sorted(got)), sep="\n")
    print(f"{tally.total()} sentences:", ", ".join(f"{count} {kind}" for kind, count in tally.most_common()))


Triples = set[tuple[str, ...]]


def expectations(path: Path) -> Iterator[tuple[str, Triples, Triples]]:
    """Each sentence with what it is expected to assert, and with what it may."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if path.suffix == ".jsonl":
            row = json.loads(line)
            wanted, allowed = ({tuple(map(str.lower, one)) for one in row[key]} for key in ("expected", "acceptable"))
            yield row["text"], wanted, allowed
        else:
            sentence, *rows = (cell.strip() for cell in line.split("\t"))
            yield sentence, {tuple(part.strip().lower() for part in row.split("|")) for row in rows if row}, set()


def kind_of(wanted: Triples, got: Triples) -> str:
    if got == wanted:
        return "exact"
    if not got:
        return "nothing"
    return "more" if got > wanted else "part" if got < wanted else "other"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("premises", "read", "against"))
    parser.add_argument("path", type=Path)
    parser.add_argument("every", type=int, nargs="?", default=1)
    given = parser.parse_args()
    if given.job == "premises":
        premises(given.path, given.every)
    elif given.job == "read":
        read(given.path)
    else:
        against(given.path)


if __name__ == "__main__":
    main()
