"""One item as text: the abstract line, the steps with their blanks, and what belongs into them."""

from __future__ import annotations

from proband.core.types import Item
from proband.suites.script.texts import running, with_blanks


def show(item: Item) -> str:
    facts = item.facts
    lines = [running(facts["abstract"]), ""]
    at = 0
    spans = [tuple(span) for span in facts["blanks"]]
    text = with_blanks(facts["concrete"], spans, numbered=True)
    lines += [text, ""]
    kinds = facts.get("kinds", [])
    for number, (gold, (start, end)) in enumerate(zip(facts["gold"], spans), start=1):
        kind = f" ({kinds[at]})" if at < len(kinds) else ""
        lines.append(f"{number:3}. {' '.join(gold)}{kind}, words {start + 1} to {end}")
        at += 1
    if not spans:
        lines.append("no blanks: text to train on")
    return "\n".join(lines)
