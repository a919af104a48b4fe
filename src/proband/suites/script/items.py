"""Views of one item: as text, as pictures, and the first error in its facts.

Text in a picture takes its colour from the page (`currentColor`), so it follows the light or dark theme. Each abstract
word has a colour and a number, shared by the concrete words aligned to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.script.corpus import REQUIRED, facts_of, running, with_blanks

# ---- one item as text: the abstract line, the steps with their blanks, and the right words ---------------------------


def show(item: Item) -> str:
    facts = facts_of(item)
    lines = [running(facts.abstract), "", with_blanks(facts.concrete, facts.blanks, numbered=True), ""]
    for number, (gold, (start, end), kind) in enumerate(zip(facts.gold, facts.blanks, facts.kinds), start=1):
        lines.append(f"{number:3}. {' '.join(gold)} ({kind}, words {start + 1} to {end})")
    if not facts.blanks:
        lines.append("no blanks: text to train on")
    return "\n".join(lines)


# ---- the first error in the facts of an item, if any -----------------------------------------------------------------


def check(item: Item) -> str | None:
    """
    >>> facts = {"abstract": ["mix"], "concrete": ["stir", "it"], "blanks": [[0, 9]], "gold": [["stir"]],
    ...          "kinds": ["action"]}
    >>> check(Item(id="a", suite="script", prompt="...", facts=facts))
    'blank [0, 9] is not inside the 2 words of the text'
    """
    try:
        facts = facts_of(item)
    except ProbandError as error:
        return str(error)
    if missing := next((name for name in REQUIRED if name not in item.facts), ""):
        return f"'facts': field {missing!r} is missing"
    for start, end in facts.blanks:
        if not 0 <= start < end <= len(facts.concrete):
            return f"blank {[start, end]} is not inside the {len(facts.concrete)} words of the text"
    if not len(facts.blanks) == len(facts.gold) == len(facts.kinds):
        return f"{len(facts.blanks)} blanks, but {len(facts.gold)} 'gold' and {len(facts.kinds)} 'kinds'"
    return None


# ---- pictures: a text with its blanks and its alignment in colours, and an alignment as a grid (figure 2) ------------


CHARACTER, LINE, WIDTH, PAD = 7.3, 40.0, 760.0, 10.0
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#999933")
FONT = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12"'


def colour(at: int) -> str:
    return COLOURS[at % len(COLOURS)]


@dataclass(frozen=True)
class Box:
    """A word and its position in the picture."""

    word: str
    x: float
    y: float

    @property
    def width(self) -> float:
        return len(self.word) * CHARACTER


def flow(words: Sequence[str], *, top: float, widths: Sequence[float] | None = None) -> tuple[list[Box], float]:
    """Words in lines no wider than the picture; also where the last line ends.

    >>> boxes, bottom = flow(["stir", "it"], top=20)
    >>> [box.x for box in boxes], bottom
    ([10.0, 46.5], 60.0)
    """
    boxes, x, y = [], PAD, top
    for n, word in enumerate(words):
        width = max(len(word) * CHARACTER, widths[n] if widths else 0.0)
        if x + width > WIDTH - PAD and x > PAD:
            x, y = PAD, y + LINE
        boxes.append(Box(word, x, y))
        x += width + CHARACTER
    return boxes, y + LINE


def text(x: float, y: float, words: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(words)}</text>'


def band(box: Box, at: int) -> str:
    shape = f'x="{box.x:.1f}" y="{box.y - 12:.1f}" width="{box.width:.1f}" height="16"'
    return f'<rect {shape} fill="{colour(at)}" fill-opacity="0.35"/>'


def picture(parts: Sequence[str], height: float, label: str, *, width: float = WIDTH, shown: str = "100%") -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{shown}" role="img" '
        f'aria-label="{escape(label)}" {FONT} fill="currentColor">' + "".join(parts) + "</svg>"
    )


def draw_item(item: Item, answer: Answer | None) -> str | None:
    """The abstract line over the concrete text: blanks are framed, with the model's words below; where the model
    aligns, each concrete word has the colour and number of its abstract word."""
    abstract, concrete, spans = item.facts["abstract"], item.facts["concrete"], item.facts["blanks"]
    records = answer.blanks if answer is not None else ()
    path = next((list(blank["path"]) for blank in records if blank.get("path")), None)
    if path is not None and not any("gold" in blank for blank in records):  # the solver `align` fills no blank
        return grid(abstract, concrete[: len(path)], path, records[0].get("posteriors"))  # a net reads so many words
    filled = {start: blank for (start, _), blank in zip(spans, records) if "guess" in blank}
    guesses = {start: " ".join(blank["guess"]) for start, blank in filled.items()}
    widths = [0.0] * len(concrete)
    for start, end in spans:  # room for a long guess under a short word
        need = len(guesses.get(start, "")) * CHARACTER - sum(len(w) + 1 for w in concrete[start:end]) * CHARACTER
        widths[end - 1] = len(concrete[end - 1]) * CHARACTER + max(0.0, need + CHARACTER)
    above, y = flow(abstract, top=22)
    below, bottom = flow(concrete, top=y + 8, widths=widths)
    parts = []
    if path is not None:
        parts += [band(b, i) + mark(b, i) for i, b in enumerate(above) if i in path]
        parts += [band(b, i) for b, i in zip(below, path)]
        parts += [mark(b, i) for n, (b, i) in enumerate(zip(below, path)) if n == 0 or path[n - 1] != i]
    parts += [text(box.x, box.y, box.word, 'font-weight="bold"') for box in above]
    parts += [text(box.x, box.y, box.word) for box in below]
    for start, end in spans:
        parts += [frame(below[at]) for at in range(start, end)]
        if start in guesses:
            right = list(filled[start]["guess"]) == list(filled[start]["gold"])
            shown = f"✓ {guesses[start]}" if right else f"✗ {guesses[start] or '(nothing)'}"
            look = f'font-size="10" fill="{"#228833" if right else "#cc3311"}"'
            parts.append(text(below[start].x, below[start].y + 15, shown, look))
    return picture(parts, bottom, f"{' '.join(abstract)}: {len(spans)} blanks")


def mark(box: Box, at: int) -> str:
    return text(box.x, box.y - 13, str(at + 1), 'font-size="8" fill-opacity="0.8"')


def frame(box: Box) -> str:
    shape = f'x="{box.x - 2:.1f}" y="{box.y - 12:.1f}" width="{box.width + 4:.1f}" height="16"'
    return f'<rect {shape} fill="none" stroke="currentColor" stroke-width="0.8" rx="2"/>'


def grid(
    abstract: Sequence[str],
    concrete: Sequence[str],
    path: Sequence[int],
    posteriors: Sequence[Sequence[float]] | None = None,
) -> str:
    """Figure 2: concrete words down, abstract words across; the Viterbi alignment framed, posteriors as shades.

    >>> grid(["drain", "pasta"], ["use", "a", "strainer"], [0, 0, 1]).count("<rect")
    6
    """
    cell, left = 18.0, max(map(len, concrete)) * CHARACTER + 2 * PAD
    head = max(map(len, abstract)) * CHARACTER * 0.75 + 2 * PAD
    parts = []
    for i, word in enumerate(abstract):
        x = left + (i + 0.6) * 2 * cell
        parts.append(text(x, head - 6, word, f'transform="rotate(-45 {x:.1f} {head - 6:.1f})"'))
    for j, word in enumerate(concrete):
        y = head + j * cell
        parts.append(text(left - PAD / 2, y + 13, word, 'text-anchor="end"'))
        for i in range(len(abstract)):
            p = posteriors[j][i] if posteriors is not None else float(path[j] == i)
            stroke = ' stroke="currentColor"' if path[j] == i else ' stroke="currentColor" stroke-opacity="0.15"'
            parts.append(
                f'<rect x="{left + i * 2 * cell:.1f}" y="{y:.1f}" width="{2 * cell:.1f}" height="{cell:.1f}" '
                f'fill="{colour(i)}" fill-opacity="{min(1.0, p):.3f}"{stroke}/>'
            )
    width, height = left + len(abstract) * 2 * cell + 60, head + len(concrete) * cell + PAD
    return picture(parts, height, f"alignment of {' '.join(abstract)}", width=width, shown=f"{width:.0f}")
