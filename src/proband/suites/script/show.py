"""One item as text: the abstract line, the steps with their blanks, and what belongs into them."""

from __future__ import annotations

from proband.core.types import Item
from proband.suites.script.corpus.running_text import running, with_blanks


def show(item: Item) -> str:
    facts = item.facts
    spans = [tuple(span) for span in facts["blanks"]]
    lines = [running(facts["abstract"]), "", with_blanks(facts["concrete"], spans, numbered=True), ""]
    for number, (gold, (start, end), kind) in enumerate(zip(facts["gold"], spans, facts["kinds"]), start=1):
        lines.append(f"{number:3}. {' '.join(gold)} ({kind}, words {start + 1} to {end})")
    if not spans:
        lines.append("no blanks: text to train on")
    return "\n".join(lines)
