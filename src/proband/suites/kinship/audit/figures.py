"""The figures of an audit: verdicts by release, split and k; rules; depth; labels; overlap; text; noise; worlds.

Rows are counted as they go by; nothing of a row is kept but counts and, of training rows, digests of their texts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from proband.auditing.causes import Cause
from proband.auditing.judging import VERDICTS, Judged
from proband.auditing.tally import Tally
from proband.suites.kinship.audit.judged_rows import JudgedRow, Seen
from proband.suites.kinship.audit.verdicts import OTHERS, Verdict
from proband.suites.kinship.clutrr.rows import Unreadable
from proband.suites.kinship.world.relations import RELATIONS

LISTED: Final = 50  # unread rows
STRICT: Final = "strict"  # the world of the verdicts
Count = Callable[[Seen, Verdict], int]
FLAWS: Final[Mapping[str, Count]] = {
    "unsound rule used": lambda seen, _: bool(seen.unsound),
    "person met twice": lambda seen, _: seen.revisits,
    "shorter path": lambda seen, _: seen.path is not None and seen.path < seen.row.k,
}
PROOFS: Final[Mapping[str, Count]] = {
    "rows with a proof": lambda seen, _: seen.has_proof,
    "rows that use an unsound rule": FLAWS["unsound rule used"],
    "of these entailed all the same": lambda seen, verdict: bool(seen.unsound) and verdict.verdict == "entailed",
}
TEXTS: Final[Mapping[str, Count]] = {
    "facts read from the stories": lambda seen, _: seen.read,
    "facts that contradict the columns": lambda seen, _: len(seen.contradicted),
    "rows whose text contradicts the columns": lambda seen, _: bool(seen.contradicted),
    "rows with a gender slip": lambda seen, _: bool(seen.slips),
    "rows with people the story never mentions": lambda seen, _: bool(seen.untold),
}
OTHER_COUNTS: Final[Mapping[str, Count]] = {
    "rows with noise": lambda seen, _: bool(seen.row.noise),
    "correctable": lambda _, verdict: verdict.right is not None,
    "entailed by fewer than k facts": lambda seen, verdict: (verdict.depth or seen.row.k) < seen.row.k,
    "sum of depths": lambda _, verdict: verdict.depth or 0,
}
COUNTS: Final = {**FLAWS, **PROOFS, **TEXTS, **OTHER_COUNTS}  # of the rows of a release, split and k
COUNTED: Final = (*VERDICTS[:4], *FLAWS)


class Figures:
    """Counts over the rows of an audit."""

    def __init__(self, overlaps: Mapping[str, Overlap]) -> None:
        self.overlaps, self.tally = overlaps, Tally()
        self.counts: defaultdict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)  # by release, split, k
        self.labels: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # release, split -> label
        self.clauses: defaultdict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
        self.used: Counter[str] = Counter()
        self.blamed: Counter[str] = Counter()
        self.noise: Counter[str] = Counter()  # verdict without and with noise
        self.splits: defaultdict[str, Tally] = defaultdict(Tally)
        self.unread: list[str] = []  # the first few

    def add_unread(self, row: Unreadable) -> None:
        self.tally.add(Judged(verdict="unread"), file=row.file, place=str(row), unread=(row.what, ""))
        if len(self.unread) < LISTED:
            self.unread.append(str(row))

    def add(self, row: JudgedRow, *, cause: Cause | None, example: Callable[[], dict[str, Any]]) -> None:
        seen, verdict, judged = row.seen, row.verdict, row.judged
        self.tally.add(judged, file=seen.row.file, cause=cause, example=example)
        self.splits[seen.row.split].add(judged, file=seen.row.file)
        counts = self.counts[seen.release, seen.row.split, seen.row.k]
        counts.update(["rows", verdict.verdict])
        counts.update({name: n for name, count in COUNTS.items() if (n := count(seen, verdict))})
        self._label(row)
        self.used.update(seen.unsound)
        if verdict.verdict in ("ambiguous", "false"):
            self.blamed[verdict.blame or "no rule"] += 1
        if row.noisy:
            self.noise[f"{verdict.verdict} -> {row.noisy}"] += 1
        if seen.row.split == "test" and seen.release in self.overlaps:
            self.overlaps[seen.release].add_test(seen)

    def _label(self, row: JudgedRow) -> None:
        """Of a clause, which label it has: the number of the only one, or -1 where there are several."""
        seen, group = row.seen, (row.seen.release, row.seen.row.split)
        self.labels[group][seen.row.target] += 1
        clause, label = (seen.clause, str(row.case.pattern[0][0])), RELATIONS.index(seen.row.target)
        if self.clauses[group].setdefault(clause, label) != label:
            self.clauses[group][clause] = -1

    # ---- as they are written -----------------------------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        total = sum(self.counts.values(), Counter[str]())
        return {
            "rows": sum(self.tally.verdicts.values()),
            "verdicts": self.tally.verdicts,
            "by_split": self.table("split"),
            "by_k": self.table("k"),
            "by_release": self.table("release", "split", "k"),
            "rules": {
                **{name: total[name] for name in PROOFS},
                "used": dict(self.used.most_common()),
                "blamed": dict(self.blamed.most_common()),
            },
            "depth": self._depths(),
            "labels": self._labels(),
            "overlap": {release: overlap.figures() for release, overlap in sorted(self.overlaps.items())},
            "text": {name: total[name] for name in TEXTS},
            "noise": {
                "rows with noise": total["rows with noise"],
                "all noise facts typed by the text": self.noise.total(),
                "verdict without and with them": dict(sorted(self.noise.items())),
            },
            "worlds": {name: dict(sorted(self.tally.worlds[name].items())) for name in OTHERS},
            **self._readings(),
            "correctable": total["correctable"],
            "unread": self.unread,
        }

    def _readings(self) -> dict[str, Any]:
        """By split, in percent: what a perfect reasoner scores that answers where one relation is possible (cautious),
        guesses among the possible ones, or is right if the label is possible (lenient); and the labels that follow in
        each world."""
        readings, follow = {}, {}
        for split, tally in sorted(self.splits.items()):
            scores = dict(zip(("cautious", "guess", "lenient"), tally.readings().values()))
            readings[split] = {"rows": tally.read, **scores}
            follow[split] = {STRICT: scores["cautious"], **{name: tally.entailed_in(name) for name in OTHERS}}
        return {"readings": readings, "follow": follow}

    def _groups(self, *names: str) -> list[tuple[tuple[Any, ...], Counter[str]]]:
        """The counts of the rows that share a release, a split or a k, or several of these."""
        places = [("release", "split", "k").index(name) for name in names]
        groups: defaultdict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
        for cell, counts in self.counts.items():
            groups[tuple(cell[place] for place in places)].update(counts)
        return sorted(groups.items(), key=lambda group: group[0])

    def table(self, *names: str) -> list[dict[str, Any]]:
        """A line per group: its key, its rows, and how many have each verdict and each flaw."""
        return [
            {**dict(zip(names, group)), **{name: counts[name] for name in ("rows", *COUNTED)}}
            for group, counts in self._groups(*names)
        ]

    def _depths(self) -> dict[str, Any]:
        names = ("rows", "person met twice", "shorter path", "entailed", "entailed by fewer than k facts")
        return {
            str(k): {
                **{name: counts[name] for name in names},
                "mean depth of the entailed": (
                    round(counts["sum of depths"] / counts["entailed"], 3) if counts["entailed"] else None
                ),
            }
            for (k,), counts in self._groups("k")
        }

    def _labels(self) -> dict[str, Any]:
        labels = {}
        for group, counts in sorted(self.labels.items()):
            total, clauses = counts.total(), self.clauses[group]
            majority, most = max(counts.items(), key=lambda label: label[1])
            labels[" ".join(group).strip()] = {
                "rows": total,
                "counts": {r: counts[r] for r in RELATIONS},
                "majority": majority,
                "majority share": round(most / total, 4),
                "entropy in bits": round(-sum(n / total * math.log2(n / total) for n in counts.values()), 3),
                "uniform over 22 would be": round(math.log2(len(RELATIONS)), 3),
                "never a label": [r for r in RELATIONS if not counts[r]],
                "clauses": len(clauses),
                "clauses with one label only": sum(label >= 0 for label in clauses.values()),
            }
        return labels


# ---- train and test ------------------------------------------------------------------------------------------------

SHARED: Final[Mapping[str, Callable[[Seen, Mapping[str, int]], int]]] = {  # of a test row, and what of it was seen
    "test: same story in training": lambda _, known: known["story"],
    "test: same story but for names": lambda _, known: known["template"],
    "test sentences": lambda seen, _: len(seen.sentences),
    "test sentences seen in training but for names": lambda _, known: known["sentences"],
    "test phrases that tell a fact": lambda seen, _: len(seen.phrases),
    "test phrases that tell a fact seen in training": lambda _, known: known["phrases"],
    "test rows of a length trained on": lambda _, known: known["length"],
    "of these with a clause seen in training": lambda _, known: known["clause"],  # which has that length
    "test: every name seen in training": lambda seen, known: known["names"] == len(seen.row.names),
}


class Overlap:
    """What the test rows of a release share with its training rows."""

    def __init__(self) -> None:
        self.seen: defaultdict[str, set[Any]] = defaultdict(set)  # what -> of the training rows
        self.train = self.test = 0
        self.counts: Counter[str] = Counter()

    def add_train(self, seen: Seen) -> None:
        self.train += 1
        for what, values in _texts(seen).items():
            self.seen[what].update(values)

    def add_test(self, seen: Seen) -> None:
        texts = _texts(seen)
        known = {what: sum(value in self.seen[what] for value in values) for what, values in texts.items()}
        self.counts.update({name: count(seen, known) for name, count in SHARED.items()})
        self.test += 1

    def figures(self) -> dict[str, int]:
        return {
            "train rows": self.train,
            "test rows": self.test,
            "training stories told twice": self.train - len(self.seen["story"]),
            **{name: self.counts[name] for name in SHARED},
        }


def _texts(seen: Seen) -> dict[str, Sequence[Any]]:
    """What test rows may share with training rows."""
    return {
        "story": (seen.story,),
        "template": (seen.template,),
        "sentences": seen.sentences,
        "phrases": seen.phrases,
        "clause": ((seen.row.k, seen.clause),),
        "names": seen.row.names,
        "length": (seen.row.k,),
    }


def overlaps(rows: Iterable[JudgedRow | Unreadable]) -> dict[str, Overlap]:
    """By release: what is known of its training rows; to be read before the test rows are counted."""
    by_release: defaultdict[str, Overlap] = defaultdict(Overlap)
    for row in rows:
        if not isinstance(row, Unreadable):
            overlap = by_release[row.seen.release]
            if row.seen.row.split == "train":
                overlap.add_train(row.seen)
    return dict(by_release)
