"""Formats and units: every line is read once however a file is cut, and a bad one is named."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.assertions import sources
from proband.suites.inference.assertions.parts import extractor
from proband.suites.inference.assertions.sources import ExtractionOptions, guess, reader, units

NGRAMS = [
    "invaded\tItaly/NNP/nsubj/2 invaded/VBD/ccomp/0 Ethiopia/NNP/dobj/2\t12\t1936,5\t1937,7",
    "dog\tthe/DT/det/2 dog/NN/pobj/0\t99\t1990,99",
    "and/or\tand/or/CC/dep/2 Rome/NNP/nsubj/3 fell/VBD/ROOT/0\t3\t1990,3",
    "flows\tNile/NNP/nsubj/2 flows/VBZ/ROOT/0 through/IN/prep/2 Egypt/NNP/pobj/3\t5\t1999,5",
]
SENTENCE = """# text = Aspirin relieves pain.
1\tAspirin\taspirin\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_
2\trelieves\trelieve\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tpain\tpain\tNOUN\tNN\tNumber=Sing\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_
"""


def everything(path: Path, options: ExtractionOptions = ExtractionOptions()) -> list[tuple[tuple[str, str, str], int]]:  # noqa: B008
    read = reader(options)
    return [one for unit in units([path], options) for one in read(unit)]


def test_syntactic_ngrams(tmp_path: Path) -> None:
    path = tmp_path / "biarcs.00-of-99"
    path.write_text("\n".join(NGRAMS) + "\n", encoding="utf-8")
    italy, nile = (("Italy", "invaded", "Ethiopia"), 12), (("Nile", "flows through", "Egypt"), 5)
    assert everything(path) == [italy, nile]
    packed = tmp_path / "arcs.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert everything(packed) == [italy, nile]


def test_conllu(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(f"{SENTENCE}\n{SENTENCE}\n{SENTENCE}", encoding="utf-8")
    assert everything(path) == [(("Aspirin", "relieves", "pain"), 1)] * 3


@pytest.mark.parametrize("size", [1, 7, 40, 100, 1000])
def test_each_line_and_sentence_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """However small the units."""
    monkeypatch.setattr(sources, "UNIT", {})
    monkeypatch.setattr(sources, "UNIT_OTHERWISE", size)
    table, parsed = tmp_path / "a.tsv", tmp_path / "b.conllu"
    table.write_text("".join(f"a{n}\tsees\tb{n}\t{n}\n" for n in range(1, 30)), encoding="utf-8")
    parsed.write_text("\n".join(SENTENCE.replace("pain", f"pain{n}") for n in range(9)), encoding="utf-8")
    assert [count for _, count in everything(table)] == list(range(1, 30))
    assert [one[2] for one, _ in everything(parsed)] == [f"pain{n}" for n in range(9)]


def test_odd_spaces_capitals_and_quotation_marks_of_a_table(tmp_path: Path) -> None:
    rows = ['The  cat\t Sat ON\tthe "mat\t2', "a\u00a0dog\tbarks  at\tit \t1", "Izmir\tIS IN\tTurkey\t4294967295"]
    path = tmp_path / "a.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    cat, dog = ("The cat", "sat on", 'the "mat'), ("a dog", "barks at", "it")
    assert everything(path) == [(cat, 2), (dog, 1), (("Izmir", "is in", "Turkey"), 4294967295)]
    path.write_text("a\tb\tc\t1\na\t\u00a0\tc\t1\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"a\.tsv line 2: must be subject"):
        list(extractor(ExtractionOptions())(units([path], ExtractionOptions())[0]))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "a\tb\tc\t1\nx\ty\n", r"a\.tsv line 2: must be subject, relation, object"),
        ("a.tsv", "a\tb\tc\t1\na\tb\tc\tmany\n", r"a\.tsv line 2: count 'many' is not a whole number"),
        ("arcs.1", "x\n", r"arcs\.1 line 1: not a syntactic n-gram"),
        ("arcs.1", "a\tdog/nsubj\t3\n", r"arcs\.1 line 1: 'dog/nsubj' is not word/tag/label/head"),
        (
            "arcs.1",
            f"{NGRAMS[0]}\na\tdog/NN/nsubj/x\t3\n",
            r"arcs\.1 line 2: 'dog/NN/nsubj/x' is not word/tag/label/head",
        ),
        ("arcs.1", "\n" + NGRAMS[0].replace("12", "many") + "\n", r"arcs\.1 line 2: counts must be whole numbers"),
        ("a.conllu", "1\ta\n", r"a\.conllu line 1: has 2 columns instead of ten"),
        ("a.conllu", SENTENCE.replace("\t2\tobj", "\tx\tobj"), r"a\.conllu line 4: HEAD is 'x'"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        everything(path)


def test_a_line_far_into_a_file_is_counted_from_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "UNIT", {"tsv": 50})
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tb\tc\t1\n" * 40 + b"broken\n" + b"a\tb\tc\t1\n" * 3)
    with pytest.raises(ProbandError, match=r"a\.tsv line 41: must be"):
        everything(path)
    path.write_bytes(b"a\tb\tc\t1\n" * 40 + b"\xff\tb\tc\t1\n")
    with pytest.raises(ProbandError, match=r"a\.tsv line 41: not UTF-8"):
        everything(path)


def test_damaged_archives_are_named(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(NGRAMS).encode())
    for name, data in (("arcs1.gz", b"no archive"), ("arcs2.gz", packed[:-6]), ("arcs3.gz", packed[:30] + b"x" * 40)):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ProbandError, match=rf"{name}: cannot be decompressed"):
            everything(path)


def test_formats_are_guessed(tmp_path: Path) -> None:
    path = tmp_path / "data"
    kinds = ((NGRAMS[0], "ngrams"), ("a\tb\tc", "tsv"), ("a\tb\tc\t2", "tsv"), ("Some plain text.", "text"))
    for text, expected in (*kinds, ("\tAn indented paragraph.", "text")):
        path.write_text(f"{text}\n", encoding="utf-8")
        assert guess(path) == expected
    (tmp_path / "data.txt").write_text(f"{NGRAMS[0]}\n", encoding="utf-8")  # whatever its name says
    assert guess(tmp_path / "data.txt") == "ngrams"
    for data in (b'{"id": "a"}\n', b"PAR1\0\0"):
        path.write_bytes(data)
        with pytest.raises(ProbandError, match="is JSON or binary"):
            guess(path)
    for name, line in (("table.csv", "head,tail\n"), ("table.txt", "athens\tgreece\n"), ("table", "athens\tgreece\n")):
        (tmp_path / name).write_text(line, encoding="utf-8")
        with pytest.raises(ProbandError, match=f"{name}: is a table; needed"):
            guess(tmp_path / name)
    with pytest.raises(ProbandError, match="no such file or folder"):
        units([tmp_path / "none"], ExtractionOptions())
