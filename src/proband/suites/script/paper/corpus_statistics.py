"""Table 1 and the new words of section 2.1, from the counts in the manifest, beside the printed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.suite import Analysis, Results, Sheet
from proband.suites.script.corpus.readers import SPLITS
from proband.suites.script.paper.published import KIDSCOOK, SOURCE, rows, value

FIGURES = ("sequences", "padded_tokens", "vocabulary", "abstract_length", "padded_length")
Counts = Mapping[str, Mapping[str, Any]]  # split -> figure -> count


def corpus_statistics(results: Results, seed: int) -> Sequence[Sheet]:
    """Counts by split, new words, and captions that stand in two splits."""
    manifest = results.manifest
    if "table1" not in manifest:
        return ()
    counted = {
        f"published ({SOURCE})": printed() if manifest.get("fingerprint") in KIDSCOOK else {},
        "released sequences": {row["split"]: row for row in manifest.get("sequences", ())},
        "these items": {row["split"]: row for row in manifest["table1"]},
    }
    return (
        Sheet(
            name="table1",
            title="Table 1: the corpus",
            header=("split", "source", "sequences", "tokens", "types", "abstract length", "concrete length"),
            rows=tuple(
                (split, source, *(found[split].get(figure) for figure in FIGURES))
                for split in SPLITS
                for source, found in counted.items()
                if split in found
            ),
            note="Tokens count one for each of the five steps that is empty. Rare words of the released sequences read "
            "#UNK#, so their types are fewer; the cloze texts have full words but lack the texts without blanks.",
        ),
        new_words(manifest),
        Sheet(
            name="overlaps",
            title="Repeated pairs, and captions that stand in two splits",
            header=("what", "count"),
            rows=tuple((name.replace("_", " "), count) for name, count in manifest["overlaps"].items()),
        ),
    )


def printed() -> Counts:
    """
    >>> printed()["train"]["sequences"], printed()["train"]["abstract_length"]
    (8125, 10.0)
    """
    found: dict[str, dict[str, int | float]] = {}
    for row in rows():
        if row["table"] == "table1":
            text = row["value"]
            found.setdefault(row["row"], {})[row["column"]] = int(text) if text.isdigit() else float(text)
    return found


def new_words(manifest: Mapping[str, Any]) -> Sheet:
    """Words that only the concrete side has."""
    lines: list[tuple[str, int, int]] = []
    if manifest.get("fingerprint") in KIDSCOOK:
        types, lemmas = (int(value("section2.1", "new words", column)) for column in ("types", "lemmas"))
        lines.append((f"published ({SOURCE}, section 2.1)", types, lemmas))
    against = {"new_words": "abstract lines", "new_words_with_captions": "abstract lines and YouCook2's captions"}
    for name, known in against.items():
        if name in manifest:
            lines.append((f"these items, against {known}", manifest[name]["types"], manifest[name]["lemmas"]))
    return Sheet(
        name="new-words",
        title="Words of the concrete texts that are new",
        header=("source", "types", "lemmas"),
        rows=tuple(lines),
    )


CORPUS = Analysis(name="table1", help="the corpus in figures, beside table 1", of=corpus_statistics)
