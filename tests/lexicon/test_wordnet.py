"""A small WordNet in its own format: kinds, and links between words."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon.taxonomy import Taxonomy, from_files
from proband.lexicon.wordnet import Links

# names of a synset, its kind (an instance's is marked by =), gloss
SYNSETS = {
    "entity": ("entity", "", "that which exists"),
    "animal": ("animal beast", "entity", "a living organism that moves"),
    "lion": ("lion king_of_beasts", "animal", "a large cat"),
    "leo": ("lion celebrity", "entity", "somebody admired"),
    "country": ("country state", "entity", "a territory of a nation; 'he visited several'"),
    "eritrea": ("Eritrea", "=country", "a country on the Red Sea"),
}
SPEECHES = ("noun", "verb", "adj", "adv")


def is_kind(taxonomy: Taxonomy, text: str, kind: str) -> bool:
    """Whether any sense of a text is a kind of any sense of another."""
    return any(set(taxonomy.senses(kind)) & taxonomy.above(sense) for sense in taxonomy.senses(text))


def write_wndb(folder: Path) -> Path:
    """WordNet's own format: synsets are named by the byte they begin at, so lines are laid out twice."""
    folder.mkdir(parents=True)
    for speech in SPEECHES:
        for name in (f"data.{speech}", f"index.{speech}", f"{speech}.exc"):
            (folder / name).write_text("  1 WordNet 3.0 Copyright\n" if name == "data.adj" else "")
    (folder / "lexnames").write_text("".join(f"{at:02} noun.{at} 1\n" for at in range(45)))
    for name in ("cntlist.rev", "index.sense"):
        (folder / name).write_text("")
    at: dict[str, int] = dict.fromkeys(SYNSETS, 0)
    for _ in range(2):
        text, place = "  1 a licence is indented\n", dict(at)
        for name, (words, kind, gloss) in SYNSETS.items():
            place[name] = len(text)
            names = words.split()
            up = [("@i" if kind[0] == "=" else "@", kind.removeprefix("="))] if kind else []
            pointers = "".join(f" {symbol} {at[target]:08} n 0000" for symbol, target in up)
            forms = " ".join(f"{word} 0" for word in names)
            text += f"{at[name]:08} 03 n {len(names):02x} {forms} {len(up):03}{pointers} | {gloss}  \n"
        at = place
    (folder / "data.noun").write_text(text)
    lemmas: dict[str, list[int]] = {}
    for name, (words, _, _) in SYNSETS.items():
        for word in words.lower().split():
            lemmas.setdefault(word, []).append(at[name])
    index = "  1 a licence is indented\n"
    for word, offsets in sorted(lemmas.items()):
        places = " ".join(f"{offset:08}" for offset in offsets)
        index += f"{word} n {len(offsets)} 1 @ {len(offsets)} 0 {places}  \n"
    (folder / "index.noun").write_text(index)
    return folder


def facts(found: Taxonomy) -> dict[str, list[tuple[set[str], set[str]]]]:
    """word -> for each sense its names and the names of all it is a kind of; senses have other numbers everywhere."""

    def names(sense: int) -> set[str]:
        return {name.lower() for name in found.names[sense]}

    return {
        word: [(names(sense), set().union(*map(names, found.above(sense)))) for sense in senses]
        for word, senses in found.index.items()
    }


@pytest.fixture
def files(tmp_path: Path) -> Taxonomy:
    return from_files(write_wndb(tmp_path / "dict"))


def test_files(files: Taxonomy) -> None:
    assert facts(files)["lion"] == [
        ({"lion", "king of beasts"}, {"lion", "king of beasts", "animal", "beast", "entity"}),
        ({"lion", "celebrity"}, {"lion", "celebrity", "entity"}),
    ]
    assert is_kind(files, "Eritrea", "state")
    assert not is_kind(files, "Eritrea", "animal")
    assert is_kind(files, "the king of beasts", "animal")  # an entry of its own
    assert not is_kind(files, "the enemies of Eritrea", "country")
    assert files.glosses[files.senses("Eritrea")[0]] == "a country on the Red Sea"


def test_a_damaged_folder_is_one_line(tmp_path: Path) -> None:
    folder = write_wndb(tmp_path / "dict")
    (folder / "data.noun").write_text("00000001 03 n zz lion\n")
    with pytest.raises(ProbandError, match="is not a folder of WordNet's files"):
        from_files(folder)


def test_links_between_words(tmp_path: Path) -> None:
    links = Links(write_wndb(tmp_path / "dict"), {"lion", "animal", "beast", "entity"})
    assert links.between("Lion", "animal") == {"hypernym"}
    assert links.between("animal", "lion") == {"has hypernym"}
    assert links.between("animal", "beast") == {"synonym"}
    assert links.between("lion", "country") == frozenset()
