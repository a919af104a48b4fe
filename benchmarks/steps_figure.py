"""Kinds of replies by model, as bars (of `proband steps`): `python benchmarks/steps_figure.py OUT.svg summary.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "steps"
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = ("#0f766e", "#d97706", "#be123c", "#8b5cf6", "#93c5fd", "#a8a29e", "#e7e5e4")

models = [each for file in sys.argv[2:] for each in json.loads(Path(file).read_text())["models"]]
models = [each for each in models if each["counts"]["no steps"] < 0.995 * each["replies"]]
figure, axes = plt.subplots(figsize=(8, 0.42 * len(models) + 1.4))
left = [0.0] * len(models)
for colour, outcome in zip(COLOURS, models[0]["counts"], strict=True):
    shares = [100 * each["counts"][outcome] / each["replies"] for each in models]
    axes.barh([each["model"] for each in models], shares, left=left, color=colour, label=outcome)
    left = [a + b for a, b in zip(left, shares, strict=True)]
axes.invert_yaxis()
axes.set_xlabel("replies, %")
axes.legend(loc="upper center", bbox_to_anchor=(0.35, -0.22), ncol=3, frameon=False, fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(sys.argv[1], bbox_inches="tight", metadata={"Date": None})
