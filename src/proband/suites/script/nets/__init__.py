"""The five networks of the paper's Table 4, as nets of the suite.

lm, seq2seq, attention, transducer (fixed transitions), transducer-param (parameterised transitions).
Nothing here imports torch before a net is trained or loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from proband.core.types import Net, Option

Settings = Mapping[str, Any]

# What won on KidsCook's valid split (experiments/script/nets/table4.md). The nets without alignments like a quicker
# rate with decay and more dropout on the states.
PLAIN: Settings = {
    "dropout": 0.3, "input-dropout": 0.3, "state-dropout": 0.5, "rate": 2e-3, "decay": 0.05, "epochs": 35,
}  # fmt: skip
FIXED: Settings = {
    "dropout": 0.5, "input-dropout": 0.2, "state-dropout": 0.3, "rate": 1e-3, "decay": 0.0, "epochs": 22,
    "schedule": "marginal", "marginal-epochs": 16,
}  # fmt: skip
PARAMETERISED: Settings = {**FIXED, "epochs": 25, "schedule": "marginal-viterbi", "marginal-epochs": 10}


def _options(chosen: Settings) -> tuple[Option, ...]:
    """The settings of a net. A full run on a corpus of KidsCook's size (8,038 texts) takes a CUDA device less than a
    minute and one processor core half an hour or more; `--set epochs=5 --set hidden=128` is a quick look there."""
    return (
        Option(
            name="vectors",
            help="word vectors, then frozen: GloVe text file, or folder with vocab.txt and glove*.npy; else learned",
            kind=Path,
        ),
        Option(name="hidden", help="units of each LSTM layer", default=256, kind=int),
        Option(name="layers", help="LSTM layers of encoder and decoder", default=1, kind=int),
        Option(name="width", help="units of the layer before the softmax", default=200, kind=int),
        Option(name="dropout", help="on that layer", default=chosen["dropout"], kind=float),
        Option(name="input-dropout", help="on word vectors", default=chosen["input-dropout"], kind=float),
        Option(name="state-dropout", help="on what the LSTMs put out", default=chosen["state-dropout"], kind=float),
        Option(name="word-dropout", help="chance that the decoder reads 'unknown' for a word", default=0.0, kind=float),
        Option(name="bidirectional", help="let the encoder read from both sides", default=False, kind=bool),
        Option(name="epochs", help="of training", default=chosen["epochs"], kind=int),
        Option(name="batch", help="pairs in a batch", default=32, kind=int),
        Option(name="rate", help="highest learning rate", default=chosen["rate"], kind=float),
        Option(name="decay", help="of the weights", default=chosen["decay"], kind=float),
        Option(name="patience", help="epochs without progress on held-out text before stopping", default=5, kind=int),
        Option(name="least", help="words seen less often in training are unknown", default=5, kind=int),
        Option(name="device", help="cpu, cuda or auto", default="auto"),
        *(_schedule(chosen) if "schedule" in chosen else ()),
    )


def _schedule(chosen: Settings) -> tuple[Option, ...]:
    return (
        Option(
            name="schedule",
            help="marginal likelihood throughout, or followed by Viterbi EM (A.3), or Viterbi EM from the start",
            default=chosen["schedule"],
            choices=("marginal-viterbi", "marginal", "viterbi"),
        ),
        Option(
            name="marginal-epochs",
            help="of the first stage of marginal-viterbi",
            default=chosen["marginal-epochs"],
            kind=int,
        ),
        Option(name="bridge", help="start the decoder from the encoder's last state", default=False, kind=bool),
    )


HELP = {
    "lm": "unconditional LSTM language model",
    "seq2seq": "LSTM encoder and decoder",
    "attention": "seq2seq with Luong's global attention",
    "transducer": "latent monotone alignments, fixed transitions",
    "transducer-param": "latent monotone alignments, parameterised shift and emit transitions",
}
CHOSEN: Mapping[str, Settings] = {
    "lm": PLAIN,
    "seq2seq": PLAIN,
    "attention": PLAIN,
    "transducer": FIXED,
    "transducer-param": PARAMETERISED,
}


def _train(items_dir: Path, *, kind: str, **settings: Any) -> Mapping[str, Any]:
    from proband.suites.script.nets.folder import train

    usual = {option.name.replace("-", "_"): option.default for option in _options(CHOSEN[kind])}
    return train(items_dir, kind=kind, **(usual | settings))


def _load(folder: Path) -> Any:
    from proband.suites.script.nets.folder import load

    return load(folder)


NETS = tuple(
    Net(name=name, help=HELP[name], train=partial(_train, kind=name), load=_load, options=_options(CHOSEN[name]))
    for name in HELP
)
