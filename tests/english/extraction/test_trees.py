"""Three dialects of labels become one tree."""

from __future__ import annotations

from tests.english.extraction.conftest import found

from proband.english.extraction.trees import LABELS


def test_dialects_agree() -> None:
    """The same sentence in three dialects."""
    ud = "Rome/PROPN/nsubj/2 sent/VERB/ROOT/0 troops/NOUNS/obj/2 to/ADP/case/5 Gaul/PROPN/obl/2"
    stanford = "Rome/NNP/nsubj/2 sent/VBD/ROOT/0 troops/NNS/dobj/2 to/TO/prep/2 Gaul/NNP/pobj/4"
    assert found(ud) == found(stanford) == ["Rome | sent troops to | Gaul", "Rome | sent | troops"]
    assert "root" in LABELS.values()
