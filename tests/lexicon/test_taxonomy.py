"""Kinds of things: known chains of WordNet, entries of phrases, our own table and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon import wordnet
from proband.lexicon.taxonomy import SMALL, Lesk, Taxonomy, bag, from_table, open_taxonomy


@pytest.fixture(scope="module")
def nouns() -> Taxonomy:
    if wordnet.installed() is None:
        pytest.skip("WordNet's files are not installed")
    return open_taxonomy("wordnet")


def is_kind(taxonomy: Taxonomy, text: str, kind: str) -> bool:
    """Whether any sense of a text is a kind of any sense of another."""
    return any(set(taxonomy.senses(kind)) & taxonomy.above(sense) for sense in taxonomy.senses(text))


def chain(nouns: Taxonomy, word: str) -> list[str]:
    """From the first sense of a word up, always to the first parent."""
    sense: int | None = nouns.senses(word)[0]
    names = []
    while sense is not None:
        names.append(nouns.names[sense][0])
        sense = next(iter(nouns.parents[sense]), None)
    return names


def test_known_chains(nouns: Taxonomy) -> None:
    """As `wn WORD -hypen -n1` prints them."""
    assert chain(nouns, "dog")[:4] == ["dog", "canine", "carnivore", "placental"]
    assert chain(nouns, "dog")[-1] == "entity"
    assert chain(nouns, "aspirin")[1] in ("analgesic", "salicylate")
    eritrea = nouns.above(nouns.senses("Eritrea")[0])
    assert set(nouns.senses("country")) & eritrea
    assert set(nouns.senses("African country")) & eritrea  # an instance, not a kind: pointer @i


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("the aspirin", "drug", True),
        ("Ethiopia", "country", True),
        ("Ethiopia", "drug", False),
        ("Albert Einstein", "physicist", True),
        ("green apples", "fruit", True),
        ("the old wooden hammers", "tool", True),
        ("hammer", "animal", False),
        ("the king of France", "country", False),
        ("the king of France", "person", True),
        ("the United States of America", "country", True),
        ("a number of drugs", "drug", True),
        ("drugs of choice", "drug", True),
        ("one of the countries", "country", True),
        ("of", "country", False),
        ("qwertz", "animal", False),
    ],
)
def test_what_is_a_kind_of_what(nouns: Taxonomy, text: str, kind: str, expected: bool) -> None:
    assert is_kind(nouns, text, kind) is expected


def test_a_phrase_has_the_longest_entry(nouns: Taxonomy) -> None:
    assert nouns.entry("the United States of America") == "united states of america"
    assert nouns.entry("some African countries") == "african country"
    assert nouns.entry("a very old house") == "old house" or nouns.entry("a very old house") == "house"
    assert nouns.entry("the") is None


def test_lesk_chooses_by_the_context(nouns: Taxonomy) -> None:
    """The example of every textbook."""
    lesk = Lesk(nouns)

    def gloss(context: str) -> str:
        sense = lesk.sense("bank", bag(context))
        assert sense is not None
        return nouns.glosses[sense]

    assert "slope" in gloss("the river flooded the sloping land beside the bank")
    assert "financial" in gloss("the bank accepts deposits and lends money")
    assert lesk.sense("bank", ()) == nouns.senses("bank")[0]  # nothing to go by: the commonest
    assert lesk.sense("qwertz", bag("money")) is None


def test_our_own_table_is_whole() -> None:
    small = from_table(SMALL)
    roots = {small.names[max(small.above(s), key=lambda t: len(small.parents[t]) == 0)][0] for s in small.names}
    assert roots == {"thing"}
    assert is_kind(small, "Eritrea", "country")
    assert is_kind(small, "headaches", "disease")
    assert not is_kind(small, "hammer", "animal")


def test_a_table_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("thing\t\tall\nlion\tanimal\ta cat\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"t\.tsv line 2: kind 'animal' has no line of its own"):
        from_table(path)
    path.write_text("thing\tall\n", encoding="utf-8")
    with pytest.raises(ProbandError, match="line 1: 2 cells instead of three"):
        from_table(path)
    with pytest.raises(ProbandError, match="no taxonomy 'cyc'"):
        open_taxonomy("cyc")
    with pytest.raises(ProbandError, match="WordNet is not installed"):
        open_taxonomy(f"wordnet:{tmp_path}")
