"""Does a method add little to the lemma baseline, on one data set or on several together?

    proband build inference --data levy_dagan2016 -o ld                          # and levy_holt -o lh
    proband run ld -m solver:lemma --split all -o runs/ld-lemma                  # and on lh; then each method with on-lemma=yes
    python experiments/inference/both_sets.py runs/ld-lemma,runs/ld-glove runs/lh-lemma,runs/lh-glove

An argument is the run of the lemma baseline and that of the method on one set. Questions are the clusters; Levy/Holt asks
the questions of Levy and Dagan again, so a question is one cluster over both. How many questions would settle it:

    proband plan runs/ld-lemma runs/ld-glove --metric normalised_area -d 0.0103  # the distance of the gain from 0.05
"""

from __future__ import annotations

import argparse
from pathlib import Path

from proband.core.files import read_answers, read_items, read_run
from proband.stats import Scores, estimator_of
from proband.stats.ranking import score_and_truth
from proband.suites.inference.curves.figure import LITTLE
from proband.suites.inference.curves.measures import NORMALISED
from proband.suites.inference.items import facts_of


def records(folder: Path) -> dict[str, tuple[tuple[float, float], str]]:
    """Score and truth of each pair, and its question."""
    items = {item.id: item for item in read_items(folder / read_run(folder / "run.json").items)}
    found = {}
    for answer in read_answers(folder / "answers.jsonl"):
        item = items[answer.item_id]
        if (record := score_and_truth(item, answer)) is not None:
            found[f"{item.tags['source']} {item.id}"] = record, facts_of(item).question.lower()
    return found


def pooled(folders: list[Path]) -> Scores:
    every = {name: row for folder in folders for name, row in records(folder).items()}
    return Scores.of(
        [[record for record, _ in every.values()]],
        items=list(every),
        clusters=[question for _, question in every.values()],
        estimator=estimator_of(NORMALISED),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="LEMMA,METHOD")
    pairs = [[Path(each) for each in argument.split(",")] for argument in parser.parse_args().runs]
    lemma, method = (pooled([pair[side] for pair in pairs]) for side in (0, 1))
    gain = method.minus(lemma)
    against = lemma.minus(method, margin=-LITTLE)  # the lemma baseline plus the margin is ahead
    print(f"gain {gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}], {gain.n:,} pairs, {gain.clusters:,} questions")
    print(f"little (at most {LITTLE}): p {against.p:.3g}, {LITTLE - gain.value:+.4f} from the margin")


if __name__ == "__main__":
    main()
