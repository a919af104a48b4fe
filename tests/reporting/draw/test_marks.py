"""Colours of charts."""

from __future__ import annotations

import re
from pathlib import Path

from proband.reporting.draw.marks import COLOURS, MODELS


def test_figures_have_the_colours_of_the_page(root: Path) -> None:
    style = (root / "src" / "proband" / "web" / "page.css").read_text("utf-8")
    assert (COLOURS["paper"], COLOURS["m0"]) == ("#ffffff", "#0f6db3")
    assert {f"m{model}" for model in range(MODELS)} <= COLOURS.keys()
    dark = re.findall(r"\{\s*color-scheme: dark;(.*?)\}", style, flags=re.S)
    assert len(dark) == 2
    assert "".join(dark[0].split()) == "".join(dark[1].split())


def contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_and_marks_can_be_told_from_the_ground(root: Path) -> None:
    style = (root / "src" / "proband" / "web" / "page.css").read_text("utf-8")
    for block in re.findall(r"\{\s*color-scheme: \w+;(.*?)\}", style, flags=re.S):
        colour = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block))
        for ground in ("paper", "ground", "band"):
            assert contrast(colour["ink"], colour[ground]) > 7
            assert contrast(colour["soft"], colour[ground]) > 4.5
        for name in (f"m{i}" for i in range(8)):
            assert contrast(colour[name], colour["paper"]) > 2.9
