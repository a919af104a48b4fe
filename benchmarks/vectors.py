"""Word vectors: the first conversion beside gensim's reader, then the second start.

    python benchmarks/vectors.py [--form text|binary|fasttext] [--words 400000] [--dim 300] [--peer-words 40000]
                                 [--folder DIR]

Makes a file of that size: word2vec text with a header and five decimals, as published files have; word2vec's binary
form; or fastText's (written by gensim, with subwords, which gensim reads whole). Then in fresh processes: Proband
converts it; gensim reads the first of its lines (`KeyedVectors.load_word2vec_format(limit=...)`); Proband starts again
and looks up 1,000 words. Times are CPU seconds (user + system), of loading and looking up, and of the whole process
with the interpreter's start and all imports; memory is the process's peak resident set, everything included.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

START = """
import json, os, resource, sys, time
def told(**facts):
    used = resource.getrusage(resource.RUSAGE_SELF)
    facts |= {"all": used.ru_utime + used.ru_stime, "cpu": time.process_time() - began}
    facts["peak_mb"] = used.ru_maxrss / 1024
    print(json.dumps(facts))
count, peer = int(sys.argv[3]), int(sys.argv[4])
spread = [f"word{i}" for i in range(0, count, count // 1000)][:1000]
shared = [f"word{i}" for i in range(0, peer, peer // 1000)][:1000]
"""
PROBAND = """
import numpy
from proband.models import load
from proband.models.vectors import word_vectors as vectors
began = time.process_time()
table = load("vec:" + sys.argv[1], {"cache": sys.argv[2]})
known = table.vectors(spread)[1]
told(found=int(known.sum()), sum=float(table.vectors(shared)[0].astype("float64").sum()))
"""
GENSIM = """
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors
began = time.process_time()
if sys.argv[1].endswith(".bin"):
    table = load_facebook_vectors(sys.argv[1])
else:
    table = KeyedVectors.load_word2vec_format(sys.argv[1], limit=peer, binary=sys.argv[1].endswith(".w2v"))
told(found=1000, sum=float(table[shared].astype("float64").sum()))
"""


def make(path: Path, *, words: int, dim: int) -> None:
    """Rows of 1,000 distinct vectors, shifted by one place from block to block: quick to write, none alike."""
    numbers = [[b"%.5f" % x for x in row] for row in np.random.default_rng(0).normal(0, 0.4, size=(1000, dim))]
    with open(path, "wb", buffering=1 << 22) as file:
        file.write(b"%d %d\n" % (words, dim))
        for i in range(words):
            row, turn = numbers[i % 1000], (i // 1000) % dim
            file.write(b"word%d %s\n" % (i, b" ".join(row[turn:] + row[:turn])))


def make_binary(path: Path, *, words: int, dim: int) -> None:
    rows = np.random.default_rng(0).normal(0, 0.4, size=(1000, dim)).astype("<f4")
    with open(path, "wb", buffering=1 << 22) as file:
        file.write(b"%d %d\n" % (words, dim))
        for i in range(words):
            file.write(b"word%d " % i + np.roll(rows[i % 1000], (i // 1000) % dim).tobytes() + b"\n")


def make_fasttext(path: Path, *, words: int, dim: int) -> None:
    from gensim.models.fasttext import FastText, save_facebook_model

    model = FastText(vector_size=dim, min_count=1, bucket=200_000, seed=0, workers=1)
    model.build_vocab([[f"word{i}" for i in range(words)]])
    model.wv.adjust_vectors()
    save_facebook_model(model, str(path))


def measured(script: str, path: Path, cache: Path, *, words: int, peer: int) -> dict[str, float]:
    command = [sys.executable, "-c", START + script, str(path), str(cache), str(words), str(peer)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    facts: dict[str, float] = json.loads(done.stdout)
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--form", choices=("text", "binary", "fasttext"), default="text")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--peer-words", type=int, default=40_000, help="how many of them gensim reads")
    parser.add_argument("--folder", type=Path, default=None, help="where to put the file and the converted form")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        ending, make_file = {"text": ("vec", make), "binary": ("w2v", make_binary), "fasttext": ("bin", make_fasttext)}[
            given.form
        ]
        path, cache = Path(folder) / f"table.{ending}", Path(folder) / "cache"
        make_file(path, words=given.words, dim=given.dim)
        sizes = {"words": given.words, "peer": given.peer_words}
        rows = [
            (
                f"gensim, each start ({given.peer_words:,} words)",
                measured(GENSIM, path, cache, **sizes),
                given.peer_words,
            ),
            ("Proband, first start: converts", measured(PROBAND, path, cache, **sizes), given.words),
            *((f"Proband, start {i}", measured(PROBAND, path, cache, **sizes), 0) for i in (2, 3, 4)),
        ]
        size = path.stat().st_size
    assert len({(facts["found"], round(facts["sum"], 3)) for _, facts, _ in rows}) == 1, "the vectors differ"
    print(f"{given.words:,} words x {given.dim}, {size / 1e6:,.0f} MB of {given.form}; {platform.platform()}\n")
    print("| | load + look up, CPU s | whole process, CPU s | peak resident MB | million numbers / CPU s |")
    print("|---|---:|---:|---:|---:|")
    for what, facts, read in rows:
        shown = f"{read * given.dim / facts['cpu'] / 1e6:.2f}" if read else ""
        print(f"| {what} | {facts['cpu']:.3f} | {facts['all']:.2f} | {facts['peak_mb']:.0f} | {shown} |")


if __name__ == "__main__":
    main()
