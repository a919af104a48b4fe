"""The settings of the nets: sizes, regularisation, training.

The defaults are the best settings on KidsCook's valid split (experiments/script/nets/table4.md). The nets without
alignments need a higher learning rate with decay and more dropout on the
states. A full run on a corpus of KidsCook's size (8,038 texts)
takes a CUDA device less than a minute and one processor core half an hour or more; `--set epochs=5 --set hidden=128` is
a quick look there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from proband.core.plugins import Meta

FILLING_OPTIONS = ("temperature", "pick", "beam", "ends", "aligned", "longest")  # of solver `answer`
Dropout = Annotated[float, Meta(description="dropout before the softmax", ge=0, lt=1)]
InputDropout = Annotated[float, Meta(description="dropout on word vectors", ge=0, lt=1)]
StateDropout = Annotated[float, Meta(description="dropout on the outputs of the LSTMs", ge=0, lt=1)]
Epochs = Annotated[int, Meta(description="number of epochs", ge=1)]
Rate = Annotated[float, Meta(description="highest learning rate", gt=0)]
Decay = Annotated[float, Meta(description="weight decay", ge=0)]
Schedule = Annotated[
    Literal["marginal-viterbi", "marginal", "viterbi"],
    Meta(description="marginal likelihood throughout, or followed by Viterbi EM (A.3), or Viterbi EM from the start"),
]
MarginalEpochs = Annotated[int, Meta(description="epochs of the first stage of marginal-viterbi", ge=0)]
Probability = Annotated[
    float, Meta(description="fixed p(shift) (default: by the lengths of the training texts)", gt=0, lt=1)
]


@dataclass(frozen=True, kw_only=True)
class ScriptNetOptions:
    """Options of lm, seq2seq and attention."""

    vectors: Annotated[
        Path | None,
        Meta(
            description="word vectors, then frozen: GloVe text file, or folder with vocab.txt and glove*.npy;"
            " else learned"
        ),
    ] = None
    hidden: Annotated[int, Meta(description="units of each LSTM layer", ge=1)] = 256
    width: Annotated[int, Meta(description="units of the layer before the softmax", ge=1)] = 200
    dropout: Dropout = 0.3
    input_dropout: InputDropout = 0.3
    state_dropout: StateDropout = 0.5
    epochs: Epochs = 35
    batch: Annotated[int, Meta(description="pairs in a batch", ge=1)] = 32
    rate: Rate = 2e-3
    decay: Decay = 0.05
    rates: Annotated[Literal["cosine", "constant"], Meta(description="schedule of the learning rate")] = "cosine"
    clip: Annotated[float, Meta(description="greatest length of a gradient; 0: any", ge=0)] = 5.0
    average: Annotated[float, Meta(description="decay of the running mean of the weights; 0: none", ge=0, lt=1)] = 0.998
    patience: Annotated[int, Meta(description="epochs without progress on held-out text before stopping", ge=0)] = 5
    better_than: Annotated[
        Literal["best", "previous"],
        Meta(description="what counts as progress: better than the best epoch so far, or than the one before"),
    ] = "best"
    keep: Annotated[Literal["best", "last"], Meta(description="the epoch whose weights are kept")] = "best"
    longest: Annotated[int, Meta(description="cut training texts after this many words; 0: whole", ge=0)] = 0
    tune_vectors: Annotated[bool, Meta(description="train the given word vectors further instead of freezing them")] = (
        False
    )
    min_count: Annotated[int, Meta(description="treat words that are rarer in training as unknown", ge=1)] = 5
    device: Annotated[str, Meta(description="cpu, cuda or auto")] = "auto"


@dataclass(frozen=True, kw_only=True)
class TransducerOptions(ScriptNetOptions):
    """Options of both transducers."""

    dropout: Dropout = 0.5
    input_dropout: InputDropout = 0.2
    state_dropout: StateDropout = 0.3
    epochs: Epochs = 22
    rate: Rate = 1e-3
    decay: Decay = 0.0
    schedule: Schedule = "marginal"
    marginal_epochs: MarginalEpochs = 16
    start: Annotated[
        Literal["first", "any"], Meta(description="where alignments start: at the first abstract word, or anywhere")
    ] = "first"
    lag: Annotated[
        bool, Meta(description="give each word the position of the previous word, as the released program does")
    ] = False

    @property
    def stages(self) -> tuple[int, int]:
        """The epochs of the marginal likelihood, then those of Viterbi EM.

        >>> TransducerOptions(epochs=5, schedule="marginal-viterbi", marginal_epochs=3).stages
        (3, 2)
        """
        first = {"marginal": self.epochs, "viterbi": 0}.get(self.schedule, min(self.marginal_epochs, self.epochs))
        return first, self.epochs - first


@dataclass(frozen=True, kw_only=True)
class FixedOptions(TransducerOptions):
    """Options of the transducer with fixed transitions."""

    shift: Probability | None = None


@dataclass(frozen=True, kw_only=True)
class ShiftingOptions(TransducerOptions):
    """Options of the transducer with parameterised transitions."""

    epochs: Epochs = 25
    schedule: Schedule = "marginal-viterbi"
    marginal_epochs: MarginalEpochs = 10
