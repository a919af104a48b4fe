"""One small WordNet in the formats of a WNDB folder, of NLTK's corpus and of the package `wn`: the same kinds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon.taxonomy import Taxonomy, from_files, from_nltk, from_wn

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


def write_wndb(folder: Path) -> Path:
    """WordNet's own format: synsets are named by the byte they begin at, so lines are laid out twice."""
    folder.mkdir(parents=True)
    for speech in SPEECHES:
        for name in (f"data.{speech}", f"index.{speech}", f"{speech}.exc"):
            (folder / name).write_text("  1 WordNet 3.0 Copyright\n" if name == "data.adj" else "")  # where NLTK looks
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


def write_lmf(path: Path) -> Path:
    entries: dict[str, list[str]] = {}
    for name, (words, _, _) in SYNSETS.items():
        for word in words.split():
            entries.setdefault(word.replace("_", " "), []).append(name)
    written = "".join(
        f'<LexicalEntry id="t-e{at}"><Lemma writtenForm="{word}" partOfSpeech="n"/>'
        + "".join(f'<Sense id="t-{at}-{name}" synset="t-{name}"/>' for name in names)
        + "</LexicalEntry>"
        for at, (word, names) in enumerate(entries.items())
    )
    for name, (_, kind, gloss) in SYNSETS.items():
        relation = "instance_hypernym" if kind.startswith("=") else "hypernym"
        up = f'<SynsetRelation relType="{relation}" target="t-{kind.removeprefix("=")}"/>' if kind else ""
        written += f'<Synset id="t-{name}" ili="" partOfSpeech="n"><Definition>{gloss}</Definition>{up}</Synset>'
    about = 'id="t" label="small" language="en" email="a@b.c" license="none" version="1"'
    doctype = '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n{doctype}\n'
    dublin = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    body = f"<LexicalResource {dublin}><Lexicon {about}>{written}</Lexicon></LexicalResource>"
    path.write_text(head + body, encoding="utf-8")
    return path


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
    assert files.is_kind("Eritrea", "state")
    assert not files.is_kind("Eritrea", "animal")
    assert files.is_kind("the king of beasts", "animal")  # an entry of its own
    assert not files.is_kind("the enemies of Eritrea", "country")
    assert files.glosses[files.senses("Eritrea")[0]] == "a country on the Red Sea"


@pytest.fixture
def without_nltk_corpora() -> Iterator[None]:
    """The corpus is loaded once in a process; the next test loads it again."""
    yield
    for name in [name for name in sys.modules if name.startswith("nltk.corpus")]:
        del sys.modules[name]


@pytest.mark.usefixtures("without_nltk_corpora")
def test_nltk(files: Taxonomy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "none")])
    with pytest.raises(ProbandError, match="nltk has no WordNet: python -m nltk"):
        from_nltk()
    write_wndb(tmp_path / "nltk" / "corpora" / "wordnet")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])
    found = from_nltk()
    assert facts(found) == facts(files)
    assert "he visited several" in found.glosses[found.senses("country")[0]]


def test_wn(files: Taxonomy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", str(tmp_path / "wn"))
    with pytest.raises(ProbandError, match="wn has no"):
        from_wn()
    wn.add(write_lmf(tmp_path / "small.xml"), progress_handler=None)
    assert facts(from_wn("t:1")) == facts(from_wn()) == facts(files)
    with pytest.raises(ProbandError, match="wn has no such lexicon"):
        from_wn("other:1")
