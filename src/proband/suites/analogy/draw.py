"""An item as a picture: the query's arrow above, the options' arrows below, the model's choice drawn bold."""

from __future__ import annotations

from html import escape

from proband.core.types import Answer, Item

WIDTH, ROW, LEFT, RIGHT = 460, 34, 160, 300


def draw(item: Item, answer: Answer | None) -> str | None:
    """An SVG of a choice between pairs; nothing for items of other settings.

    >>> item = Item(id="a", suite="analogy", prompt="?", choices=("Rome : Italy",), gold=0,
    ...     facts={"query": ["Paris", "France"], "options": [["Rome", "Italy"]]})
    >>> draw(item, None).count("<line")
    2
    """
    options = item.facts.get("options")
    if not options:
        return None
    chosen = _chosen(answer)
    rows = [_arrow(0, item.facts["query"], note="", weight=1.5)]
    for at, pair in enumerate(options):
        note = ("✓" if at == item.gold else "") + (f" {answer.scores[at]:.3g}" if answer and answer.scores else "")
        rows.append(_arrow(at + 1, pair, note=note.strip(), weight=3 if at == chosen else 1))
    height = ROW * (len(options) + 1) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="currentColor" role="img" '
        f'aria-label="the query and its options as arrows">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
        + "".join(rows)
        + "</svg>"
    )


def _chosen(answer: Answer | None) -> int | None:
    if answer is None or not answer.scores:
        return None
    return max(range(len(answer.scores)), key=lambda at: answer.scores[at])


def _arrow(row: int, pair: list[str], *, note: str, weight: float) -> str:
    y = ROW * row + 24
    bold = ' font-weight="600"' if weight > 2 else ""
    return (
        f'<text x="{LEFT - 12}" y="{y}" text-anchor="end"{bold}>{escape(pair[0])}</text>'
        f'<line x1="{LEFT}" y1="{y - 5}" x2="{RIGHT - 14}" y2="{y - 5}" stroke="currentColor" '
        f'stroke-width="{weight:g}" marker-end="url(#tip)"/>'
        f'<text x="{RIGHT}" y="{y}"{bold}>{escape(pair[1])}</text>'
        f'<text x="{WIDTH - 6}" y="{y}" text-anchor="end" opacity="0.7">{escape(note)}</text>'
    )
