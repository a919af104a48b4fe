"""`proband audit` of a template bank: ours, one's own, or CLUTRR's crowd templates. Every template is read back.

rejected.csv     a line per template that does not tell exactly the facts of its label, and why
statistics.json  table 3.1 of the thesis for this bank: paraphrases, clauses, vocabulary, overlap of words
bank.md          both as tables, beside the published figures, and how far the words around the facts give labels away
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import csv_lines, markdown_table, write_json, write_text
from proband.suites.kinship.paper.published import published_values
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.telling.bank import Bank, completed, crowd_bank, faults_of_file, load_bank
from proband.suites.kinship.telling.bank_statistics import Statistics, statistics, words_of
from proband.suites.kinship.telling.crowd_templates import GOOD, REASONS, load_crowd
from proband.suites.kinship.telling.stories import tell
from proband.suites.kinship.telling.template_check import castings
from proband.suites.kinship.world.relations import WORDS
from proband.suites.kinship.world.rules import load, rule_bodies

# ---- do the words around the facts give the answer away? A bag of words without names and kin words guesses the label
#
# Stories of two facts, every label equally often, are told with a bank; a naive Bayes classifier that sees only which
# other words a story has is trained on four fifths of them and tested on the rest, five times. A bank whose paraphrases
# fit any relation gives chance; one with scenes for certain relations ("married for thirty years") does not.


NAMES: Final = ("Xa", "Xb", "Xc")
FOLDS: Final = 5


@dataclass(frozen=True)
class Guess:
    """How often the label was guessed from the other words alone; `noise` is two standard errors of chance."""

    accuracy: float
    chance: float
    noise: float
    stories: int


def guessed_labels(bank: Bank, *, per_label: int = 400, seed: int = 0) -> Guess:
    """
    >>> from proband.suites.kinship.telling.bank import load_bank
    >>> guess = guessed_labels(load_bank(), per_label=20)
    >>> abs(guess.accuracy - guess.chance) < 2 * guess.noise
    True
    """
    import numpy as np

    texts, labels = _stories(bank, per_label, random.Random(f"label words {seed}"))
    names = sorted(set(labels))
    gold = np.array([names.index(label) for label in labels])
    bags = [{w for w in words_of(text) if w not in KIN and not w.startswith("x")} for text in texts]
    place = {word: i for i, word in enumerate(sorted(set().union(*bags)))}
    seen = np.zeros((len(bags), len(place)), dtype=np.float32)
    for row, bag in enumerate(bags):
        seen[row, [place[word] for word in bag]] = 1
    fold = np.random.default_rng(seed).permutation(len(gold)) % FOLDS
    right = sum(_right(seen, gold, fold == held, len(names)) for held in range(FOLDS))
    chance = 1 / len(names)
    noise = 2 * (chance * (1 - chance) / len(gold)) ** 0.5
    return Guess(right / len(gold), chance, float(noise), len(gold))


def _stories(bank: Bank, per_label: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Stories of two facts with one outcome, and their labels."""
    rules = load("sound")
    texts, labels = [], []
    for target, (neutral, pair) in enumerate(WORDS.items()):
        bodies = [tuple(rules.neutrals[r] for r in body) for body in rule_bodies(rules)[target]]
        for female, label in enumerate(pair):
            for _ in range(per_label):
                genders: tuple[str, ...] = ()
                while not genders:
                    body = rng.choice(bodies)
                    fits = [g for g in castings(body) if (g[2] == "female") == bool(female)]
                    fits = [g for g in fits if neutral != "spouse" or g[0] != g[2]]
                    genders = rng.choice(fits) if fits else ()
                edges = [(i, WORDS[r][genders[i + 1] == "female"], i + 1) for i, r in enumerate(body)]
                texts.append(tell(edges, names=NAMES, genders=genders, bank=bank, rng=rng).text)
                labels.append(label)
    return texts, labels


def _right(seen: Any, gold: Any, test: Any, classes: int) -> int:
    """Naive Bayes over the words that a story has and those that it has not."""
    import numpy as np

    train = [seen[~test & (gold == c)] for c in range(classes)]
    share = np.stack([(part.sum(0) + 0.5) / (len(part) + 1) for part in train])
    score = seen[test] @ np.log(share).T + (1 - seen[test]) @ np.log(1 - share).T
    return int((score.argmax(1) == gold[test]).sum())


# ---- the audit of a bank -------------------------------------------------------------------------------------------


COLUMNS = ("template", "line", "relations", "genders", "verdict", "why", "text")
Rejected = tuple[str, int | str, str, str, str, str, str]


def is_bank(path: Path) -> bool:
    """A folder with the crowd's templates, or a text file with `== clause` headers."""
    if path.is_dir():
        return any((path / f"amt_{split}.csv").is_file() for split in ("train", "test"))
    if path.suffix != ".txt" or not path.is_file():
        return False
    lines = (line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return next((line.startswith("==") for line in lines if line and not line.startswith("#")), False)


def audit_bank(source: str | Path, *, out: Path) -> Mapping[str, Any]:
    """Read every template of a bank back, and count what it holds."""
    path = Path(source)
    if path.is_dir():
        crowd = load_crowd(path)
        bank, verdicts = crowd_bank(crowd), crowd.counts()
        rejected: list[Rejected] = [
            (row.id, "", " ".join(row.words), " ".join(row.genders), verdict, REASONS[verdict], row.text)
            for row in crowd.rows
            if (verdict := crowd.verdicts[row.id]) != GOOD
        ]
    else:
        bank = load_bank(str(path))
        rejected = [
            (fault.template, line, " ".join(fault.words), " ".join(fault.genders), "rejected", fault.reason, fault.text)
            for line, fault in faults_of_file(bank, path)
        ]
        verdicts = {GOOD: len(bank.templates) - len(rejected), "rejected": len(rejected)}
        faulty = {line[0] for line in rejected}
        bank = Bank(bank.name, tuple(t for t in bank.templates if t.id not in faulty))
    if not sum(verdicts.values()):
        raise ProbandError("contains no templates", file=path)
    stats, guess = statistics(bank), guessed_labels(completed(bank))
    write_text(out / "rejected.csv", "".join(csv_lines([COLUMNS, *rejected])))
    write_json(out / "statistics.json", {"verdicts": verdicts, **asdict(stats), "label_words": asdict(guess)})
    write_text(out / "bank.md", markdown(path.name, verdicts, stats, guess))
    return {
        "templates": sum(verdicts.values()),
        "verdicts": verdicts,
        "overlap within clauses": round(stats.unigrams.pooled, 4),
        "label guessed without kin words": f"{guess.accuracy:.1%} (chance {guess.chance:.1%})",
        "tables": str(out / "bank.md"),
        "rejected": str(out / "rejected.csv"),
    }


def markdown(name: str, verdicts: Mapping[str, int], stats: Statistics, guess: Guess) -> str:
    """The verdicts, and table 3.1 with the published column; overlaps are of the templates that passed."""
    total = sum(verdicts.values())
    counts = [(verdict, f"{n:,}", f"{n / total:.1%}", REASONS.get(verdict, "")) for verdict, n in verdicts.items()]
    table = markdown_table(["verdict", "templates", "share", ""], counts)
    paper = published_values()
    rows: list[tuple[str, str, str]] = []
    unigrams, bigrams = (paper[f"jaccard_{what}"][None] for what in ("unigrams", "bigrams"))
    for what in ("paraphrases", "clauses"):
        ours, theirs = getattr(stats, what), paper[what]
        rows += [(f"{what} of {n} fact{'s' * (n > 1)}", f"{ours[n]:,}", f"{theirs[n]:,}") for n in ours]
    rows += [
        ("different words", f"{stats.vocabulary:,}", f"{paper['unique_words'][None]:,}"),
        ("Jaccard, unigrams, all pairs within clauses", f"{stats.unigrams.pooled:.3f}", str(unigrams)),
        ("Jaccard, unigrams, mean of the clauses' means", f"{stats.unigrams.by_clause:.3f}", ""),
        ("Jaccard, unigrams, across clauses", f"{stats.unigrams.across:.3f}", ""),
        ("Jaccard, bigrams, all pairs within clauses", f"{stats.bigrams.pooled:.3f}", str(bigrams)),
    ]
    accepted = markdown_table(["", "this bank", "crowd, published"], rows)
    guessed = (
        f"A bag of words without names and kin words guesses the label of {guess.stories:,} stories of two facts in "
        f"{guess.accuracy:.1%} (chance {guess.chance:.1%}, two standard errors {guess.noise:.1%})."
    )
    return "\n\n".join([f"# Templates of {name}", table, "Of the accepted ones:", accepted, guessed]) + "\n"
