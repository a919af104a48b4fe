"""Files of released formats."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


ZEICHNER = """rule_lhs	rule_rhs	lhs	rhs	judgment	confidence
shelter from	protect from	a roof shelter from rain	a roof protect from rain	Yes	1
be read by	read@R@	the letter be read by the clerk	the clerk read the letter	Yes	0.9
read	be read by@R@	the clerk read the letter	the letter be read by the clerk	yes	1
"""
