"""A small core, and the container image: what can be checked without building it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path


def test_the_core_is_imported_quickly_and_without_torch() -> None:
    """CPU seconds of `import proband` beyond those of Python itself."""
    program = (
        "import resource, sys, json\n"
        "def used():\n"
        "    each = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    return each.ru_utime + each.ru_stime\n"
        "before = used()\n"
        "import proband\n"
        "heavy = [m for m in ('torch', 'transformers', 'polars', 'scipy') if m in sys.modules]\n"
        "print(json.dumps([used() - before, heavy]))\n"
    )
    for _ in range(5):  # the shortest counts: others may use the machine
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds, heavy = json.loads(done.stdout)
        assert heavy == []
        if seconds < 0.3:
            break
    assert seconds < 0.3


def test_the_container_file(root: Path) -> None:
    """Its base has a version, what it copies is there, and it ends as a user that is not root, at our command."""
    text = re.sub(r"\\\n\s*", "", (root / "Dockerfile").read_text(encoding="utf-8"))
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    words = [name for name, _ in steps]
    assert set(words) <= {"FROM", "LABEL", "ENV", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    assert words[0] == "FROM"
    assert re.fullmatch(r"python:3\.\d+-slim", steps[0][1])
    copied = [part for name, rest in steps if name == "COPY" for part in rest.split()[:-1]]
    assert copied
    assert all((root / part).exists() for part in copied)
    assert words.index("USER") > max(place for place, name in enumerate(words) if name == "RUN")
    assert json.loads(next(rest for name, rest in steps if name == "ENTRYPOINT")) == ["proband"]
    extras = re.search(r"/source\[([\w,]+)\]", text)
    assert extras
    declared = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name} = \[", declared, re.MULTILINE) for name in extras[1].split(","))
