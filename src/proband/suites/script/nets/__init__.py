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

OPTIONS = (
    Option(name="vectors", help="GloVe text file, or a folder with vocab.txt and glove*.npy", kind=Path),
    Option(name="hidden", help="units of each LSTM layer", default=256, kind=int),
    Option(name="layers", help="LSTM layers of encoder and decoder", default=1, kind=int),
    Option(name="width", help="units of the layer before the softmax", default=200, kind=int),
    Option(name="dropout", help="on that layer", default=0.5, kind=float),
    Option(name="input-dropout", help="on word vectors", default=0.2, kind=float),
    Option(name="state-dropout", help="on what the LSTMs put out", default=0.3, kind=float),
    Option(name="word-dropout", help="chance that the decoder reads 'unknown' for a word", default=0.0, kind=float),
    Option(name="bidirectional", help="let the encoder read from both sides", default=False, kind=bool),
    Option(name="epochs", help="of training", default=30, kind=int),
    Option(name="batch", help="pairs in a batch", default=32, kind=int),
    Option(name="rate", help="highest learning rate", default=1e-3, kind=float),
    Option(name="decay", help="of the weights", default=0.0, kind=float),
    Option(name="patience", help="epochs without progress on held-out text before stopping", default=5, kind=int),
    Option(name="least", help="words seen less often in training are unknown", default=5, kind=int),
    Option(name="device", help="cpu, cuda or auto", default="auto"),
)
SCHEDULE = (
    Option(
        name="schedule",
        help="marginal likelihood throughout, or followed by Viterbi EM (A.3), or Viterbi EM from the start",
        default="marginal-viterbi",
        choices=("marginal-viterbi", "marginal", "viterbi"),
    ),
    Option(name="marginal-epochs", help="of the first stage of marginal-viterbi", default=10, kind=int),
    Option(name="bridge", help="start the decoder from the encoder's last state", default=False, kind=bool),
)
HELP = {
    "lm": "unconditional LSTM language model",
    "seq2seq": "LSTM encoder and decoder",
    "attention": "seq2seq with Luong's global attention",
    "transducer": "latent monotone alignments, fixed transitions",
    "transducer-param": "latent monotone alignments, parameterised shift and emit transitions",
}


def _train(items_dir: Path, *, kind: str, **settings: Any) -> Mapping[str, Any]:
    from proband.suites.script.nets.folder import train

    return train(items_dir, kind=kind, **settings)


def _load(folder: Path) -> Any:
    from proband.suites.script.nets.folder import load

    return load(folder)


NETS = tuple(
    Net(
        name=name,
        help=HELP[name],
        train=partial(_train, kind=name),
        load=_load,
        options=OPTIONS + (SCHEDULE if name.startswith("transducer") else ()),
    )
    for name in HELP
)
