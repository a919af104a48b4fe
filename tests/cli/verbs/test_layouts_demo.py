"""`proband demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_what_is_left_out_is_named(proband: Any, stage: Any) -> None:
    result = {"page": "out/index.html", "runs": 3, "seconds": 1.5, "left_out": ["hf:x needs the package torch"]}
    result |= {"learnt": ["it is blue"]}
    made = stage("demo", result, "cli.verbs.demo")
    assert proband("demo", "-o", "out", "--seed", 3).splitlines() == [
        "3 runs in 1.5 s",
        "- it is blue",
        "left out: hf:x needs the package torch",
        "open out/index.html",
    ]
    assert made.given == {"out": Path("out"), "seed": 3}
    assert proband.json("demo") == result
    assert made.given == {}
