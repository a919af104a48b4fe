"""How long the owner's pages take at the size of the papers' studies, and how much memory the server uses.

    python benchmarks/annotate_dashboard.py [--database postgresql] [--questions 1540]

The study has 1,540 questionnaires of 20 sentences with five answers each: 7,700 answers, 154,000 labels. Every page is
opened, opened again, and opened after something has changed (an answer is gone). The first three columns are times as
the client sees them, the next three the server's processor time: the same, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from pathlib import Path

from annotate_parts import load_average
from paper_scale import judged_study
from servers import Process, database_server
from sqlalchemy import delete
from visitors import Owner

PAGES = (
    "",
    "/people",
    "/agreement",
    "/remarks",
    "/person/1",
    "/disputes",
    "/plan",
    "/figures.json",
    "/export/jsonl",
    "/export/csv",
    "/export/suite",
    "/export/hf",
)


def one_answer_less(study: Path) -> None:
    """Takes the newest answer away: what is known of the study is no longer true."""
    from proband_annotate.store.migrate import open_study
    from proband_annotate.store.schema import answers

    database = open_study(study)
    first = database.read(lambda c: c.exec_driver_sql("SELECT max(id) FROM answers").scalar())
    database.write(lambda c: c.execute(delete(answers).where(answers.c.id == first)))
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--questions", type=int, default=1540)
    parser.add_argument("--memory", type=float, default=150.0, help="most MB")
    parser.add_argument("--seconds", type=float, default=1.0, help="most seconds of the processor for a page")
    given = parser.parse_args()
    with database_server(given.database) as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = server.database() if server else "sqlite:///answers.db"
        password = judged_study(folder, questions=given.questions, database=url)
        process = Process(folder / "study")
        process.start()
        print(f"{'page':16} {'first':>8} {'again':>8} {'changed':>8} {'processor':>24}   memory")
        slowest = most = 0.0
        with contextlib.closing(Owner(process.url, folder / "study", password).client) as client:
            for page in PAGES:
                times, used = [], []
                for turn in range(3):
                    if turn == 2:
                        one_answer_less(folder / "study")
                    begin, before = time.perf_counter(), process.cpu_seconds()
                    reply = client.get(f"/owner{page}")
                    times.append(time.perf_counter() - begin)
                    used.append(process.cpu_seconds() - before)
                    if reply.status_code == 404:
                        break
                    assert reply.status_code == 200, (page, reply.status_code)
                else:
                    if not page.startswith("/export"):
                        slowest, most = max(slowest, *times), max(most, *used)
                    shown = " ".join(f"{seconds:7.2f}s" for seconds in (*times, *used))
                    print(f"{page or '/':16} {shown}   {process.memory():.0f} MB", flush=True)
        memory = process.peak()
        process.stop()
        print(f"slowest page {slowest:.2f} s, {most:.2f} s of the processor; memory {memory:.0f} MB at most")
        print(load_average())
        assert most < given.seconds, f"a page took {most:.2f} s of the processor"
        assert memory < given.memory, f"{memory:.0f} MB"


if __name__ == "__main__":
    main()
