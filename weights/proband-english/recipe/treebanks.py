"""UD treebanks as JSON lines, a document each: python treebanks.py EWT_FOLDER GUM_FOLDER OUT_FOLDER.

The folders are checkouts of UniversalDependencies/UD_English-EWT and UD_English-GUM. Of GUM only the training documents
whose texts are under CC BY, CC BY-SA or in the public domain are taken (its LICENSE.txt names them by genre). A training
file is put together from the source documents in the order of the treebank's own list: the released one need not be there.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FREE_GENRES = ("bio", "interview", "news", "speech", "textbook", "vlog", "voyage")
FEATURES = ("Number", "VerbForm", "Tense")  # that are learned; all of them would be hundreds of labels
Sentence = dict[str, list[Any]]


def source_text(root: Path, split: str, *, genres: tuple[str, ...] = ()) -> str:
    released = next(root.glob(f"*-ud-{split}.conllu"), None)
    if released is not None:
        return released.read_text(encoding="utf-8")
    names = (root / "not-to-release" / "file-lists" / f"files.{split}").read_text(encoding="utf-8").split()
    chosen = [name for name in names if not genres or name.split("_")[1] in genres]
    folder = root / "not-to-release" / "sources"
    return "\n".join((folder / f"{name.removesuffix('.conllu')}.conllu").read_text(encoding="utf-8") for name in chosen)


def documents(text: str) -> Iterator[list[Sentence]]:
    """Each document's sentences: words with their tags, heads (-1: the root) and labels, and whether a space follows."""
    document: list[Sentence] = []
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("# newdoc") and document:
            yield document
            document = []
        if line.strip():
            lines.append(line)
        elif lines:
            document.append(sentence(lines))
            lines = []
    if document:
        yield document


def sentence(lines: list[str]) -> Sentence:
    """The parts of a contraction stand together, as spaCy's tokeniser writes them."""
    out: Sentence = {name: [] for name in ("words", "spaces", "tags", "fine", "heads", "labels")}
    last, glued = 0, False  # the last word of the contraction now read, whether it is glued to the next word
    for cells in (line.split("\t") for line in lines if not line.startswith("#")):
        no_space = "SpaceAfter=No" in cells[9]
        if "-" in cells[0]:
            last, glued = int(cells[0].split("-")[1]), no_space
        elif cells[0].isdigit():
            at = int(cells[0])
            features = "|".join(each for each in cells[5].split("|") if each.split("=")[0] in FEATURES)
            out["words"].append(cells[1].replace(" ", "_"))
            out["spaces"].append(not (at < last or (glued if at == last else no_space)))
            out["tags"].append(f"{cells[3]} {features}".strip())
            out["fine"].append(cells[4])
            out["heads"].append(int(cells[6]) - 1)
            out["labels"].append(cells[7])
    return out


def main(ewt: Path, gum: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    parts = {f"ewt-{split}": source_text(ewt, split) for split in ("train", "dev", "test")}
    parts["gum-train"] = source_text(gum, "train", genres=FREE_GENRES)
    parts["gum-test"] = source_text(gum, "test")
    for name, text in parts.items():
        found = list(documents(text))
        with gzip.open(out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in found)
        sizes = [len(each["words"]) for document in found for each in document]
        print(name, len(found), "documents", len(sizes), "sentences", sum(sizes), "words")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
