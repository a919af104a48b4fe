"""The five networks of the paper's Table 4, as nets of the suite.

lm, seq2seq, attention, transducer (fixed transitions), transducer-param (parameterised transitions).
Nothing here imports torch before a net is trained or loaded.
"""

from __future__ import annotations

from functools import partial

from proband.core.plugins import call_declared
from proband.core.suite import Net
from proband.suites.script.nets.options import FixedOptions, ScriptNetOptions, ShiftingOptions


def _net(name: str, help: str, options: type[ScriptNetOptions]) -> Net:
    task = partial(call_declared, "proband.suites.script.nets.task:task", kind=name)
    load = partial(call_declared, "proband.suites.script.nets.answers:load")
    return Net(name=name, help=help, options=options, task=task, load=load)


NETS = (
    _net("lm", "unconditional LSTM language model", ScriptNetOptions),
    _net("seq2seq", "LSTM encoder and decoder", ScriptNetOptions),
    _net("attention", "seq2seq with Luong's global attention", ScriptNetOptions),
    _net("transducer", "latent monotone alignments, fixed transitions", FixedOptions),
    _net("transducer-param", "latent monotone alignments, parameterised shift and emit transitions", ShiftingOptions),
)
