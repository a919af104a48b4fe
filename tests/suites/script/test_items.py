"""Pictures are well-formed, show every word, and say which words were aligned and guessed."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from proband.core.types import Answer, Item
from proband.suites.script.items import draw_item, grid

ITEM = Item(
    id="a",
    suite="script",
    prompt="",
    tags={"split": "test"},
    facts={
        "abstract": ["drain", "<pasta>"],
        "concrete": ["use", "a", "wire", "strainer", "&", "the", "sink", "."],
        "blanks": [[2, 4], [6, 7]],
        "gold": [["wire", "strainer"], ["sink"]],
    },
)
SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(svg).iter(f"{SVG}text")]


def test_every_word_stands_in_the_picture() -> None:
    svg = draw_item(ITEM, None)
    assert svg is not None
    assert set(ITEM.facts["abstract"]) | set(ITEM.facts["concrete"]) <= set(words(svg))
    frames = [node for node in ET.fromstring(svg).iter(f"{SVG}rect") if node.get("fill") == "none"]
    assert len(frames) == 3  # one per word left out


def test_guesses_and_alignment() -> None:
    path = [0, 0, 0, 0, 0, 1, 1, 1]
    blanks = (
        {"gold": ["wire", "strainer"], "guess": ["big", "pot"], "path": path},
        {"gold": ["sink"], "guess": ["sink"]},
    )
    svg = draw_item(ITEM, Answer(item_id="a", blanks=blanks))
    assert svg is not None
    said = words(svg)
    assert "✗ big pot" in said
    assert "✓ sink" in said
    fills = [n.get("fill") for n in ET.fromstring(svg).iter(f"{SVG}rect") if n.get("fill") != "none"]
    assert len(fills) == 2 + 8  # both abstract words have some, and every concrete word has one
    assert len(set(fills)) == 2


def test_long_texts_stay_inside() -> None:
    long = Item(
        id="b", suite="script", prompt="", facts={**ITEM.facts, "concrete": ["w" * 9] * 300, "blanks": [], "gold": []}
    )
    svg = draw_item(long, None)
    assert svg is not None
    root = ET.fromstring(svg)
    width, height = (float(x) for x in root.attrib["viewBox"].split()[2:])
    for node in root.iter(f"{SVG}text"):
        assert float(node.attrib["x"]) + 9 * 7.3 <= width
        assert float(node.attrib["y"]) <= height


def test_grid_frames_the_path() -> None:
    svg = grid(["a", "b"], ["x", "y", "z"], [0, 1, 1], [[0.9, 0.1], [0.4, 0.6], [0.0, 1.0]])
    cells = list(ET.fromstring(svg).iter(f"{SVG}rect"))
    assert len(cells) == 6
    framed = [n for n, cell in enumerate(cells) if cell.get("stroke-opacity") is None]
    assert framed == [0, 3, 5]
    assert [cell.get("fill-opacity") for cell in cells] == ["0.900", "0.100", "0.400", "0.600", "0.000", "1.000"]


def test_an_alignment_alone_is_drawn_as_a_grid() -> None:
    """Figure 2: the answers of the solver `align`, with posteriors or without."""
    path = [0, 0, 0, 0, 0, 1, 1, 1]
    plain = draw_item(ITEM, Answer(item_id="a", blanks=({"path": path},)))
    assert plain == grid(ITEM.facts["abstract"], ITEM.facts["concrete"], path)
    posteriors = [[0.75, 0.25]] * 8
    shaded = draw_item(ITEM, Answer(item_id="a", blanks=({"path": path, "posteriors": posteriors},)))
    assert shaded is not None
    assert shaded.count('fill-opacity="0.250"') == 8


def test_an_alignment_of_the_words_that_a_net_reads() -> None:
    """A net with a limit aligns the first words of a long text."""
    words = len(ITEM.facts["concrete"])
    svg = draw_item(ITEM, Answer(item_id="a", blanks=({"path": [0] * 3, "posteriors": [[0.5] * 9] * 3},)))
    assert svg is not None
    assert words > 3
    assert svg.count("<rect") == 3 * len(ITEM.facts["abstract"])
