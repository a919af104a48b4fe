"""UD English EWT as spaCy's binary documents: python prepare.py EWT_FOLDER OUT_FOLDER.

EWT_FOLDER is a checkout of UniversalDependencies/UD_English-EWT. The training file is put together from the source
documents in the order of its own list where the released file is not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin

SENTENCES = 8  # in a document: the parser also learns where a sentence begins


def text_of(root: Path, split: str) -> str:
    released = root / f"en_ewt-ud-{split}.conllu"
    if released.is_file():
        return released.read_text(encoding="utf-8")
    names = (root / "not-to-release" / "file-lists" / f"files.{split}").read_text(encoding="utf-8").split()
    return "\n".join((root / "not-to-release" / "sources" / name).read_text(encoding="utf-8") for name in names)


def sentences(text: str) -> Iterator[list[tuple[list[str], bool]]]:
    """Each word's ten cells and whether a space follows; a contraction's parts stand together."""
    rows: list[tuple[list[str], bool]] = []
    inside, glued = 0, False  # the last word of the contraction now read, whether it is glued to the next
    for line in [*text.splitlines(), ""]:
        if not line.strip():
            if rows:
                yield rows
            rows, inside = [], 0
            continue
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        no_space = "SpaceAfter=No" in cells[9]
        if "-" in cells[0]:
            inside, glued = int(cells[0].split("-")[1]), no_space
        elif cells[0].isdigit():
            at = int(cells[0])
            if at < inside:
                no_space = True
            elif at == inside:
                no_space = glued
            rows.append((cells, not no_space))


def kept(feats: str) -> str:
    """The features that are learned: number and the form of verbs. All of them would be hundreds of labels."""
    return "|".join(one for one in feats.split("|") if one.split("=")[0] in ("Number", "VerbForm", "Tense"))


def document(vocab: spacy.vocab.Vocab, group: list[list[tuple[list[str], bool]]]) -> Doc:
    words, spaces, tags, pos, morphs, lemmas, heads, deps, starts = [], [], [], [], [], [], [], [], []
    for rows in group:
        first = len(words)
        for at, (cells, space) in enumerate(rows):
            _, word, lemma, upos, xpos, feats, head, dep, _, _ = cells
            words.append(word.replace(" ", "_"))
            spaces.append(space)
            lemmas.append(lemma)
            pos.append(upos)
            tags.append(xpos)
            morphs.append(kept(feats))
            heads.append(first + at if head == "0" else first + int(head) - 1)
            deps.append("ROOT" if head == "0" else dep)
            starts.append(at == 0)
        spaces[-1] = True
    return Doc(
        vocab, words=words, spaces=spaces, tags=tags, pos=pos, morphs=morphs, lemmas=lemmas, heads=heads, deps=deps,
        sent_starts=starts,
    )  # fmt: skip


def main(root: Path, out: Path) -> None:
    vocab = spacy.blank("en").vocab
    out.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev", "test"):
        found = list(sentences(text_of(root, split)))
        groups = [found[at : at + SENTENCES] for at in range(0, len(found), SENTENCES)]
        DocBin(docs=[document(vocab, group) for group in groups], store_user_data=False).to_disk(out / f"{split}.spacy")
        print(split, len(found), "sentences", sum(map(len, found)), "words")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
