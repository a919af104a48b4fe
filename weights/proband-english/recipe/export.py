"""The package's files from trained weights: python export.py WEIGHTS.npz MLM_FOLDER PIPELINE_FOLDER.

The word pieces, which training leaves as they are, are stored in eight bits with a scale a row.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import spacy
from safetensors.numpy import load_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
import proband_english.parser
from proband_english.parser import Parser

NOTICE = "UD English EWT (CC BY-SA 4.0), UD English GUM (CC BY documents), proband-mlm (Apache-2.0)"


def export(trained: Path, mlm: Path, out: Path) -> None:
    word = load_file(mlm / "model.safetensors")["bert.embeddings.word_embeddings.weight"].astype(np.float32)
    scale = np.abs(word).max(1) / 127
    with np.load(trained) as stored:
        weights = {name: stored[name] for name in stored.files}
    weights["encoder.word"] = np.round(word / scale[:, None]).astype(np.int8)
    weights["encoder.scale"] = scale.astype(np.float32)
    shutil.rmtree(out, ignore_errors=True)
    nlp = spacy.blank("en")
    nlp.meta["spacy_version"] = ">=3.8.0,<3.9.0"
    nlp.meta.update(
        name="proband_english",
        version=proband_english.__version__,
        license="CC-BY-SA-4.0",
        description=f"trained on {NOTICE}",
    )
    nlp.add_pipe("proband_parser", name="parser")
    Parser.to_disk = lambda self, path, exclude=(): Path(path).mkdir()
    nlp.to_disk(out)
    np.savez(out / "parser" / "weights.npz", **weights)
    shutil.copy(mlm / "vocab.txt", out / "parser" / "pieces.txt")
    print(json.dumps({path.name: path.stat().st_size for path in out.rglob("*") if path.is_file()}, indent=1))


if __name__ == "__main__":
    export(*map(Path, sys.argv[1:4]))
