"""The five networks of the paper's Table 4, as nets of the suite.

lm, seq2seq, attention, transducer (fixed transitions), transducer-param (parameterised transitions).
Nothing here imports torch before a net is trained or loaded.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from proband.core.suite import Net
from proband.suites.script.nets.options import FixedOptions, NetOptions, ShiftingOptions


def _task(items: Path, *, options: NetOptions, seed: int, model: Any = None, kind: str) -> Any:
    from proband.suites.script.nets.task import task

    return task(items, kind=kind, options=options)


def _load(folder: Path) -> Any:
    from proband.suites.script.nets.answers import load

    return load(folder)


def _net(name: str, help: str, options: type[NetOptions]) -> Net:
    return Net(name=name, help=help, options=options, task=partial(_task, kind=name), load=_load)


NETS = (
    _net("lm", "unconditional LSTM language model", NetOptions),
    _net("seq2seq", "LSTM encoder and decoder", NetOptions),
    _net("attention", "seq2seq with Luong's global attention", NetOptions),
    _net("transducer", "latent monotone alignments, fixed transitions", FixedOptions),
    _net("transducer-param", "latent monotone alignments, parameterised shift and emit transitions", ShiftingOptions),
)
