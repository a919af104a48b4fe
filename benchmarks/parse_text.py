"""Plain text as CoNLL-U: parsed once, for assertions and for word embeddings, by several processes.

    python benchmarks/parse_text.py TEXT... -o FOLDER [--workers N] [--pipeline NAME]

TEXT is a file or a folder, a paragraph a line (titles and WikiExtractor's `<doc>` lines are passed over). Each file
becomes FOLDER/NAME.conllu.gz, written beside and renamed: the same command resumes. `proband inference assertions
FOLDER` extracts from it what it would extract from the text; `dependency-words` trains on it.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from proband.core.progress import Progress
from proband.english.extraction.plain_text import OURS, TextParser, paragraphs


@lru_cache(maxsize=1)
def parser(pipeline: str) -> TextParser:
    return TextParser(pipeline)


def rows(sentence: Any) -> Iterator[str]:
    """The lines of a sentence of spaCy's."""
    first = sentence.start
    for place, one in enumerate(sentence, start=1):
        head = 0 if one.head.i == one.i else one.head.i - first + 1
        cells = (str(place), one.text, "_", one.pos_, one.tag_ or "_", str(one.morph) or "_", str(head), one.dep_)
        yield "\t".join((*cells, "_", "_\n"))


def parse(path: Path, out: Path, pipeline: str) -> int:
    """The number of sentences of a file; 0 where it was parsed before."""
    target = out / f"{path.name}.conllu.gz"
    if target.exists():
        return 0
    beside, count = target.with_name(f".{target.name}"), 0
    with path.open(encoding="utf-8") as text, gzip.open(beside, "wt", encoding="utf-8", compresslevel=1) as file:
        for doc in parser(pipeline).nlp.pipe(paragraphs(text), batch_size=64):
            for sentence in doc.sents:
                file.write("".join(rows(sentence)) + "\n")
                count += 1
    beside.replace(target)
    return count


def in_processes(work: Callable[[Path], int], files: Sequence[Path], workers: int) -> Iterator[int]:
    if workers == 1:
        yield from map(work, files)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(work, files)


def main() -> None:
    known = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known.add_argument("texts", nargs="+", type=Path)
    known.add_argument("-o", "--out", type=Path, required=True)
    known.add_argument("--workers", type=int, default=1)
    known.add_argument("--pipeline", default=OURS)
    given = known.parse_args()
    files = [file for text in given.texts for file in (sorted(text.glob("[!.]*")) if text.is_dir() else [text])]
    given.out.mkdir(parents=True, exist_ok=True)
    work = partial(parse, out=given.out, pipeline=given.pipeline)
    with Progress("parsing", total=len(files)) as bar:
        count = 0
        for sentences in in_processes(work, files, given.workers):
            count += sentences
            bar.advance()
    print(f"{count:,} sentences of {len(files):,} files in {given.out}")


if __name__ == "__main__":
    main()
