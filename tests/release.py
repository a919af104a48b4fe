"""Tries the wheels of a release: `python tests/release.py BIN DIST`, with BIN of an environment that has them all.

`make release` builds the wheels, installs them in a clean environment and calls this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = {
    "proband",
    "proband_annotate",
    "proband_puzzles",
    "proband_mlm",
    "proband_mlm_large",
    "proband_english",
    "proband_nets",
}


def main(binaries: Path, dist: Path) -> None:
    wheels = {path.name.split("-")[0]: path for path in dist.glob("*.whl")}
    if set(wheels) != PACKAGES or len(list(dist.glob("*.tar.gz"))) != len(PACKAGES):
        sys.exit(f"release: {dist} has {sorted(path.name for path in dist.iterdir())}")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:

        def proband(line: str) -> str:
            words = [str(binaries.resolve() / "proband"), *line.split()]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
            if done.returncode:
                sys.exit(f"release: proband {line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return done.stdout

        for line in (
            "build kinship -o items --k 2 --per-k 20",
            "verify items",
            "run items -m solver:symbolic -o runs/solver",
            "run items -m baseline:random -o runs/random",
            "report runs -o report",
            "annotate --help",
        ):
            proband(line)
        scores = json.loads(proband("run items -m solver:symbolic -o runs/solver --json"))
        code = (
            "import proband, proband_mlm, proband_mlm_large, proband_nets, proband_puzzles; print(proband.__version__)"
        )
        done = subprocess.run(
            [str(binaries.resolve() / "python"), "-c", code],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode or not (Path(folder) / "report" / "index.html").exists():
            sys.exit(f"release: {done.stderr[-2000:]}")
    size = ", ".join(f"{name} {path.stat().st_size / 1e6:.1f} MB" for name, path in sorted(wheels.items()))
    print(f"proband {done.stdout.strip()}: {len(wheels)} wheels work in a clean environment ({size})")
    assert scores


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
