"""One item as text: its story, its facts, its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.types import Item


def show(item: Item) -> str:
    """The prompt, the facts with their noise, the proof line by line and the certificate."""
    facts = item.facts
    lines = [item.prompt, ""]
    if item.gold is not None:
        lines += [f"answer: {item.choices[item.gold]}", ""]
    if "edges" in facts:
        noise = {tuple(edge): kind for edge, kind in facts.get("noise", ())}
        lines.append(
            f"facts ({facts.get('k', '?')} of the clause, {len(noise)} of noise; proof of {facts.get('depth')}):"
        )
        for edge in facts["edges"]:
            kind = noise.get(tuple(edge))
            lines.append(f"  {fact(edge, facts)}" + (f"   [{kind}]" if kind else ""))
        lines.append("proof:" if facts.get("proof") else "proof: it is told")
        lines += [f"  {step(s, facts)}" for s in facts.get("proof", ())]
    if "certificate" in facts:
        by = " and ".join(facts.get("certified_by", ()))
        lines.append(f"certificate: {facts['certificate']}" + (f", by {by}" if by else ""))
    return "\n".join(lines)


def fact(edge: Sequence[Any], facts: Mapping[str, Any]) -> str:
    """
    >>> fact([0, "aunt", 1], {"names": ["Arthur", "Sharon"]})
    'Sharon is the aunt of Arthur'
    """
    i, word, j = edge
    return f"{facts['names'][j]} is the {' or '.join(str(word).split('|'))} of {facts['names'][i]}"


def step(premises: Sequence[Sequence[Any]], facts: Mapping[str, Any]) -> str:
    """
    >>> names = {"names": ["Al", "Bea", "Cy"]}
    >>> step([[0, "mother", 1], [1, "brother", 2], [0, "uncle", 2]], names)
    'Bea is the mother of Al, Cy is the brother of Bea: Cy is the uncle of Al'
    """
    *given, last = (fact(edge, facts) for edge in premises)
    return f"{', '.join(given)}: {last}"
