"""Logs of other tools as `proband compare` reads them: one file per format, all of them read to one kind of record.

lm_eval_samples.py   samples_*.jsonl of lm-eval (--log_samples), or a folder of them: one task or several
inspect_logs.py      .eval and .json logs of inspect_ai
tables.py            CSV or JSON lines of item, correct, cluster; our own runs
"""

from __future__ import annotations

from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import SUFFIXES, kind_of
from proband.pipeline.logs import inspect_logs, lm_eval_samples, tables
from proband.pipeline.logs.record import Log, Wanted


def is_log(path: Path) -> bool:
    """Whether a path is not a folder of our own runs."""
    return path.is_file() or (path.is_dir() and lm_eval_samples.files(path) != [])


def read_log(path: Path, wanted: Wanted) -> Log:
    """The log at a path, whatever tool wrote it."""
    if path.is_dir() and not is_log(path):
        return tables.read_run_folder(path, wanted)
    if path.is_dir():
        return lm_eval_samples.read_folder(path, wanted)
    if path.suffix == ".eval":
        return inspect_logs.read_eval(path, wanted)
    if path.suffix == ".json":
        return inspect_logs.read_json(path, wanted)
    if path.suffix == ".jsonl" and lm_eval_samples.looks_like(path):
        return lm_eval_samples.read(path, wanted)
    if kind_of(path) in SUFFIXES and path.suffix != ".txt":
        return tables.read(path, wanted)
    raise ProbandError(
        "is not a log: samples_*.jsonl of lm-eval, .eval or .json of inspect, a table (.csv, .jsonl, ...)",
        file=path,
    )
