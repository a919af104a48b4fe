"""The weights of a net in its folder, stored without pickles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError

WEIGHTS = "model.safetensors"


def save_weights(net: Any, folder: Path) -> None:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous().cpu() for name, value in net.state_dict().items()}, folder / WEIGHTS)


def load_weights(net: Any, folder: Path) -> Any:
    """The net with the weights of the folder, for answering."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        net.load_state_dict(load_file(folder / WEIGHTS))
    except (SafetensorError, RuntimeError, OSError) as error:
        raise ProbandError(f"has no weights of this net: {error}", file=folder) from error
    return net.eval()
