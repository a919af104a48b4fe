"""Numbers in README and docs against the tables that they come from (the blocks themselves run in test_docs)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
AUDIT = (ROOT / "experiments" / "audit" / "README.md").read_text(encoding="utf-8")
ANALOGY = (ROOT / "docs" / "analogy.md").read_text(encoding="utf-8")
RESULTS = ROOT / "experiments" / "analogy" / "results"
NETS = (ROOT / "experiments" / "kinship" / "nets.md").read_text(encoding="utf-8")


def cells(text: str, first: str) -> list[str]:
    """The cells of the table row that begins with these words, emphasis taken off."""
    rows = [line for line in text.splitlines() if line.replace("*", "").replace("`", "").startswith(f"| {first} |")]
    assert rows, f"no row {first!r}"
    return [cell.strip().replace("*", "").replace("`", "") for cell in rows[0].strip("|").split("|")]


def number(cell: str) -> float:
    found = re.search(r"[−-]?[\d,]+(?:\.\d+)?", cell)
    assert found, cell
    return float(found[0].replace(",", "").replace("−", "-"))


def test_the_share_of_labels_that_follow_is_that_of_the_audit() -> None:
    rows, entailed, ambiguous = (number(cell) for cell in cells(AUDIT, "test")[1:4])
    assert f"{100 * entailed / rows:.0f} % follow from their stories" in README
    cautious, lenient = (
        number(cells(AUDIT, name)[1])
        for name in (
            "cautious: it answers only where one relation is possible",
            "lenient: it is right if the label is possible",
        )
    )
    assert cautious == pytest.approx(100 * entailed / rows, abs=0.05)
    assert lenient == pytest.approx(100 * (entailed + ambiguous) / rows, abs=0.05)


def test_the_sentence_about_glove_is_that_of_the_table_above_it() -> None:
    scores = {word: float(score) for word, score in re.findall(r"^(random|reverse) +([\d.]+) %", README, re.MULTILINE)}
    assert f"answer {scores['random']:.0f} % of the items correctly if one word of the wrong option" in README
    assert f"and {scores['reverse']:.0f} % if the wrong option is the reversed pair" in README


@pytest.mark.parametrize(
    ("line", "folder", "row"),
    [
        ("GloVe, right", "right", "embedded:glove"),
        ("GloVe, other", "other-tuple", "embedded:glove"),
        ("GloVe, paper", "printed", "embedded:glove"),
        ("published, fastText", "printed", "fastText"),
    ],
)
def test_the_readings_of_random_are_those_of_the_committed_tables(line: str, folder: str, row: str) -> None:
    """docs/analogy.md: zero-shot and supervised, mean over the groups."""
    published = [number(cell) for cell in cells(ANALOGY, line)[1:]]
    measured = []
    for table in ("analogy-groups.md", "analogy-2-groups.md"):
        lines = (RESULTS / folder / table).read_text(encoding="utf-8").splitlines()
        of_all = next(each for each in lines if each.startswith("| All |") and row in each)
        measured += [number(cell.replace("*", "")) for cell in of_all.strip("|").split("|")[2:]]
    assert published == measured


def test_gat_beside_the_published_figures() -> None:
    """experiments/kinship/nets.md: the published row is that of the package's data."""
    from proband.suites.kinship.paper.tables import published

    known = [100 * figure.value for figure in published() if figure.model == "GAT (uclnlp/ctp)"]
    printed = [number(cell) for cell in cells(NETS, "published: GAT of uclnlp/ctp, as R5 prints it")[2:9]]
    assert printed == pytest.approx(known)


def test_ratios_beside_lm_eval() -> None:
    text = (ROOT / "benchmarks" / "against_lm_eval.md").read_text(encoding="utf-8")
    cpu = list(map(number, cells(text, "log-likelihood of 1,650 answers")[1:4]))
    gpu = list(map(number, cells(text, "log-likelihood of 6,600 answers")[2:5]))
    for ours, theirs, ratio in (cpu, gpu):
        assert round(theirs / ours, 1) == ratio
    exports = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert f"({cpu[2]} times as fast)" in exports
    assert f"({gpu[2]} times)" in exports


def test_the_readme_has_the_coverage_of_the_calibration() -> None:
    text = (ROOT / "benchmarks" / "calibration.md").read_text(encoding="utf-8")
    designs = re.search(r"(\d+) designs", text)
    assert designs is not None
    assert f"{designs[1]} simulated designs" in README
    for method, sentence in (
        ("Proband", "in {} to {} % of repetitions"),
        ("lm-eval", "those of lm-eval in {} to {} %"),
    ):
        lowest, _, highest = re.findall(r"\d\.\d+", cells(text, method)[1])
        assert sentence.format(round(100 * float(lowest)), round(100 * float(highest))) in README
