"""Assertions: what a store costs to fill, open and ask, beside DuckDB, polars and SQLite; extraction from n-grams.

    python benchmarks/assertions.py store [ROWS [FOLDER]]   fill, index, reopen, 573 look-ups
    python benchmarks/assertions.py peers [ROWS [FOLDER]]   the same job in polars, DuckDB, SQLite and pandas
    python benchmarks/assertions.py ngrams [LINES]          lines per second of extraction, on one core and on two

FOLDER keeps the rows for the next run; `rows ROWS FOLDER` only makes them.

Rows are synthetic: arguments and relations of WordNet's words, drawn with Zipf's law. Every figure is of a process of
its own; times are CPU seconds of the process and its children, memory is the peak of resident pages.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

QUESTIONS = 573


def main() -> None:
    jobs: dict[str, Callable[[Path, int], Any]] = {"store": store, "peers": peers, "ngrams": ngrams, "rows": make_rows}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=jobs)
    parser.add_argument("n", type=int, nargs="?", default=0)
    parser.add_argument("folder", type=Path, nargs="?")
    given = parser.parse_args()
    job, n = jobs[given.job], given.n
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        job(given.folder, n)
    else:
        with tempfile.TemporaryDirectory() as folder:
            job(Path(folder), n)


# ---- the job: a TSV of assertions, 573 arguments to look up --------------------------------------------------------


def words(speech: str) -> list[str]:
    from proband.lexicon.wordnet import find, read_senses

    found = sorted(word.replace("_", " ") for word in read_senses(find() / f"index.{speech}"))
    np.random.default_rng(0).shuffle(found)
    return found


def zipf(rng: np.random.Generator, kinds: int, n: int) -> Any:
    return (kinds ** rng.random(n)).astype(np.int64) - 1


def make_rows(folder: Path, n: int) -> Path:
    """Writes the rows, if they are not there from an earlier run."""
    path = folder / f"rows-{n}.tsv"
    if path.is_file():
        return path
    import polars as pl

    rng = np.random.default_rng(0)
    nouns, verbs = pl.Series(words("noun")), pl.Series(words("verb"))
    modifiers = pl.Series(["", *(f"{noun.split()[0]} " for noun in nouns[:100])])
    prepositions = pl.Series(["", " in", " of", " to", " by", " for", " with"])

    def arguments(m: int) -> Any:
        article = pl.Series(["", "the "]).gather(rng.integers(0, 2, m))
        modifier = modifiers.gather(np.where(rng.random(m) < 0.8, 0, zipf(rng, 100, m)))
        plural = pl.Series(["", "s"]).gather((rng.random(m) < 0.3).astype(int))
        return pl.concat_str(article, modifier, nouns.gather(zipf(rng, len(nouns), m)), plural)

    with path.open("wb") as file:
        for start in range(0, n, 250_000):
            m = min(250_000, n - start)
            relation = verbs.gather(zipf(rng, len(verbs), m)), prepositions.gather(rng.integers(0, 7, m))
            columns = pl.select(s=arguments(m), r=pl.concat_str(*relation), o=arguments(m), n=rng.integers(1, 50, m))
            columns.write_csv(file, separator="\t", include_header=False, quote_style="never")
    return path


def rows_of(folder: Path, n: int) -> Path:
    """Made by another process: polars would not survive the forks that measure."""
    subprocess.run([sys.executable, __file__, "rows", str(n), str(folder)], check=True)
    return folder / f"rows-{n}.tsv"


def questions() -> list[str]:
    """The arguments that are asked for, common and rare ones."""
    nouns = words("noun")
    return [nouns[at] for at in np.linspace(10, 20_000, QUESTIONS).astype(int)]


def measured(name: str, job: Callable[[], Any]) -> Any:
    """Runs a job in a fork; prints CPU seconds, wall seconds and peak memory of it."""
    read, write = os.pipe()
    wall = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(read)
        result = job()
        with os.fdopen(write, "w") as file:
            file.write(repr(result))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        result = file.read()
    _, status, used = os.wait4(child, 0)
    assert status == 0, f"{name} failed"
    peak, cpu = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    print(f"{name:34} {cpu:8.2f} CPU s {time.perf_counter() - wall:8.2f} s {peak:7.0f} MB  {result}")
    return result


def store(folder: Path, n: int) -> None:
    n = n or 5_000_000
    source, asked = rows_of(folder, n), questions()
    print(f"{n:,} rows, {source.stat().st_size:,} bytes of TSV")
    shutil.rmtree(folder / "store", ignore_errors=True)

    def fill() -> str:
        from proband.suites.inference.assertions.command import build_store as assertions

        about = assertions([source], out=folder / "store")
        return ", ".join(f"{about[name]:,} {name}" for name in ("assertions", "arguments", "keys", "bytes"))

    def ask() -> str:
        from proband.suites.inference.assertions.store import Store

        begin = time.process_time()
        opened = Store(folder / "store")
        at = time.process_time()
        opened.look_up([asked[0]])  # loads the lemmatiser
        warm = time.process_time()
        found = sum(map(len, opened.look_up(asked).values()))
        end = time.process_time()
        for text in asked[:50]:
            opened.look_up([text])
        one = (time.process_time() - end) / 50
        together = f"{QUESTIONS} look-ups together {end - warm:.4f} s, one {one:.4f} s"
        return f"open {at - begin:.4f} s, {together}, {found:,} assertions"

    measured("nothing (the process itself)", lambda: "")
    measured("load, normalise, index", fill)
    measured("reopen and ask", ask)
    parts = sum(path.stat().st_size for path in (folder / "store" / "parts").rglob("*") if path.is_file())
    print(f"parts on disk {parts:,} bytes")


# ---- the same in other tools ---------------------------------------------------------------------------------------


def peers(folder: Path, n: int) -> None:
    n = n or 5_000_000
    source, asked = rows_of(folder, n), questions()
    print(f"{n:,} rows; each tool loads them, gives every distinct argument its key, and looks {QUESTIONS} keys up")
    measured("nothing (the process itself)", lambda: "")
    for job in (with_polars, with_duckdb, with_sqlite, with_pandas):
        measured(job.__name__.removeprefix("with_"), partial(job, source, asked))


def with_pandas(source: Path, asked: list[str]) -> str:
    """Without an index: each question looks at every row."""
    import pandas as pd

    from proband.lexicon.inflection import key

    frame = pd.read_csv(source, sep="\t", names=["subject", "relation", "object", "count"], quoting=3, na_filter=False)
    begin = time.process_time()
    wanted = key(asked[0])
    found = (frame["subject"].map(key) == wanted) | (frame["object"].map(key) == wanted)
    return f"1 look-up {time.process_time() - begin:.2f} s ({int(found.sum()):,})"


def _new(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


def with_polars(source: Path, asked: list[str]) -> str:
    import polars as pl

    from proband.lexicon.inflection import key

    names = ["subject", "relation", "object", "count"]
    frame = pl.read_csv(source, separator="\t", has_header=False, new_columns=names, quote_char=None)
    frame = frame.group_by(names[:3]).agg(pl.col("count").sum())
    distinct = pl.concat([frame["subject"], frame["object"]]).unique()
    keys = pl.DataFrame({"text": distinct, "key": [key(text) for text in distinct.to_list()]})
    for side in ("subject", "object"):
        frame = frame.join(keys.rename({"text": side, "key": f"{side}_key"}), on=side)
    begin = time.process_time()
    wanted = [key(text) for text in asked[:20]]
    found = sum(frame.filter((pl.col("subject_key") == k) | (pl.col("object_key") == k)).height for k in wanted)
    return f"20 look-ups {time.process_time() - begin:.2f} s ({found:,})"


def with_duckdb(source: Path, asked: list[str]) -> str:
    import duckdb

    from proband.lexicon.inflection import key

    base = duckdb.connect(str(_new(source.with_suffix(".duckdb"))))
    base.execute(
        "create table rows as select column0 s, column1 r, column2 o, sum(column3) n from "
        f"read_csv('{source}', delim='\t', header=false, quote='', escape='') group by all"
    )
    distinct = base.execute("select s from rows union select o from rows").fetchnumpy()["s"]
    import polars as pl

    keys = pl.DataFrame({"text": list(distinct), "key": [key(text) for text in distinct]}).to_arrow()  # noqa: F841
    base.execute("create table keys as select * from keys")
    base.execute(
        "create table keyed as select r.*, a.key sk, b.key ok from rows r"
        " join keys a on r.s = a.text join keys b on r.o = b.text"
    )
    base.execute("create index one on keyed(sk)")
    base.execute("create index two on keyed(ok)")
    begin = time.process_time()
    find = "select count(*) from keyed where sk = ? union all select count(*) from keyed where ok = ?"
    found = sum(count for text in asked for (count,) in base.execute(find, [key(text)] * 2).fetchall())
    return f"{QUESTIONS} look-ups {time.process_time() - begin:.2f} s ({found:,})"


def with_sqlite(source: Path, asked: list[str]) -> str:
    import sqlite3

    from proband.lexicon.inflection import key

    base = sqlite3.connect(_new(source.with_suffix(".sqlite")))
    base.execute("create table rows(s, r, o, n, sk, ok)")
    known: dict[str, str] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        with source.open(encoding="utf-8") as file:
            for line in file:
                s, r, o, n = line.rstrip("\n").split("\t")
                for text in (s, o):
                    if text not in known:
                        known[text] = key(text)
                yield s, r, o, int(n), known[s], known[o]

    base.executemany("insert into rows values (?, ?, ?, ?, ?, ?)", rows())
    base.execute("create index one on rows(sk)")
    base.execute("create index two on rows(ok)")
    base.commit()
    begin = time.process_time()
    find = "select count(*) from rows where sk = ? union all select count(*) from rows where ok = ?"
    found = sum(count for text in asked for (count,) in base.execute(find, [key(text)] * 2))
    return f"{QUESTIONS} look-ups {time.process_time() - begin:.2f} s ({found:,})"


# ---- extraction from n-grams ---------------------------------------------------------------------------------------

SHAPES = (
    "{0}/NN/nsubj/2 {1}/VBD/ROOT/0 {2}/NN/dobj/2",
    "the/DT/det/2 {0}/NN/nsubj/3 {1}/VBZ/ccomp/0 {2}/NNS/dobj/3",
    "{0}/NNS/nsubj/2 {1}/VBP/rcmod/0 in/IN/prep/2 the/DT/det/5 {2}/NN/pobj/3",
    "{0}/NN/nsubjpass/3 was/VBD/auxpass/3 {1}/VBN/ROOT/0 by/IN/prep/3 {2}/NNP/pobj/4",
    "{0}/NN/nsubj/4 is/VBZ/cop/4 the/DT/det/4 {1}/NN/ROOT/0 of/IN/prep/4 {2}/NN/pobj/5",
    "the/DT/det/3 {0}/JJ/amod/3 {2}/NN/pobj/0",
    "of/IN/prep/0 the/DT/det/3 {2}/NN/pobj/1",
    "{0}/NN/nn/2 {2}/NN/dobj/3 {1}/VB/xcomp/0",
    "{1}/VBD/ROOT/0 the/DT/det/3 {2}/NN/dobj/1",
    "{0}/NN/nsubj/2 {1}/VBD/ROOT/0",
)


def ngrams(folder: Path, n: int) -> None:
    n = n or 1_000_000
    rng = np.random.default_rng(0)
    nouns = [word for word in words("noun") if word.isalpha()]
    verbs = [word for word in words("verb") if word.isalpha()]
    years = "\t".join(f"{year},{3 + year % 5}" for year in range(1950, 2009))
    with (folder / "arcs").open("w", encoding="utf-8") as file:
        first, second, third = (zipf(rng, size, n) for size in (len(nouns), len(verbs), len(nouns)))
        for at in range(n):
            verb = verbs[second[at]]
            ngram = SHAPES[at % len(SHAPES)].format(nouns[first[at]], verb, nouns[third[at]])
            file.write(f"{verb}\t{ngram}\t{at % 900 + 10}\t{years}\n")
    size = (folder / "arcs").stat().st_size
    print(f"{n:,} lines, {size / n:.0f} bytes each; half of them hold a subject and something it relates to")
    for workers in (1, 2):
        shutil.rmtree(folder / "store", ignore_errors=True)
        wall = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        measured(f"extraction, {workers} workers", partial(extract_only, folder, workers))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        print(f"    {n / (time.perf_counter() - wall):,.0f} lines a second of wall time, {n / cpu:,.0f} a CPU second")


def extract_only(folder: Path, workers: int) -> int:
    """Everything but the index."""
    from proband.suites.inference.assertions.command import _done
    from proband.suites.inference.assertions.parts import prepare
    from proband.suites.inference.assertions.sources import ExtractionOptions, units

    work = units([folder / "arcs"], ExtractionOptions())
    prepare(folder / "store", ExtractionOptions(), {unit.format for unit in work})
    done = _done(work, ExtractionOptions(), folder / "store", engine="local", workers=workers)
    return sum(each.found for each in done)


if __name__ == "__main__":
    main()
