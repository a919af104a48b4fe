"""Items, answers and run notes with bytes changed, cut out or put in: every verb either works or says why not."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any


def test_damaged_files_give_one_line_and_no_traceback(proband: Any, items: Path) -> None:
    run = items.parent / "runs" / "random"
    proband("run", items, "-m", "baseline:random", "-o", run)
    original = {path: path.read_bytes() for path in (items / "items.jsonl", run / "answers.jsonl", run / "run.json")}
    rng, refused = random.Random(0), 0
    for turn in range(300):
        path = rng.choice(list(original))
        path.write_bytes(mutated(original[path], rng))
        words = (["show", items, "sum-0"], ["compare", run, run])[turn % 2]
        code, _, err = proband.run(*words)
        assert code in (0, 2), err
        assert err.count("\n") == (1 if code else 0), err
        refused += code == 2
        path.write_bytes(original[path])
    assert refused > 50


def mutated(content: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(content)), rng.choice((1, 1, 2, 5, 50))
    junk = rng.choice((rng.randbytes(size), b"", b'"', b"\n", b"null", b"1e999", b"{", b"\\ud800", b"-1", b"[]"))
    return content[:at] + junk + content[at + rng.choice((0, 1, size)) :]
