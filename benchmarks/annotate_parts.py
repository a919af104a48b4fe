"""What the benchmarks of the web app share: the servers and people of its tests, and the load of the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "annotate" / "tests"))  # a benchmark is a test at full size


def load_average() -> str:
    return f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
