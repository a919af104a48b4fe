"""The figures of an audit: verdicts by release, split and k; rules; depth; labels; overlap; text; worlds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from proband.suites.kinship.audit.sources import Seen
from proband.suites.kinship.audit.verdicts import OTHERS, VERDICTS, Case, Verdict
from proband.suites.kinship.clutrr.rows import Unreadable
from proband.suites.kinship.world.relations import RELATIONS

Judged = tuple[Seen, Verdict]


def whole(seen: Seen, verdicts: Mapping[Case, Verdict]) -> Verdict:
    """The verdict on a row: that on its case, unless facts off the question have no family."""
    if any(verdicts[case].verdict == "inconsistent" for case in seen.rest):
        return Verdict(verdict="inconsistent")
    return verdicts[seen.case]


def with_noise(seen: Seen, verdicts: Mapping[Case, Verdict]) -> str | None:
    """The verdict's word with the noise facts that the text types, where it types all."""
    if not seen.noisy:
        return None
    case, *rest = seen.noisy
    broken = any(verdicts[each].verdict == "inconsistent" for each in rest)
    return "inconsistent" if broken else verdicts[case].verdict


def summary(
    judged: Sequence[Judged], unreadable: Sequence[Unreadable], cases: Mapping[Case, Verdict]
) -> dict[str, Any]:
    verdicts = Counter(v.verdict for _, v in judged)
    verdicts["unreadable"] += len(unreadable)
    return {
        "rows": len(judged) + len(unreadable),
        "verdicts": {name: verdicts[name] for name in VERDICTS},
        "by_split": table(judged, lambda s: (s.split,), ("split",)),
        "by_k": table(judged, lambda s: (s.k,), ("k",)),
        "by_release": table(judged, lambda s: (s.release, s.split, s.k), ("release", "split", "k")),
        "rules": rules(judged),
        "depth": depths(judged),
        "labels": labels(judged),
        "overlap": {release: overlap(rows) for release, rows in _groups(judged, lambda s: s.release)},
        "text": text(judged),
        "noise": noise(judged, cases),
        "worlds": worlds(judged),
        "correctable": sum(correct(v) is not None for _, v in judged),
        "unreadable": [str(row) for row in unreadable[:50]],
    }


def _groups(judged: Iterable[Judged], key: Callable[[Seen], Any]) -> list[tuple[Any, list[Judged]]]:
    found: dict[Any, list[Judged]] = {}
    for row in judged:
        found.setdefault(key(row[0]), []).append(row)
    return sorted(found.items())


def correct(verdict: Verdict) -> str | None:
    """The right label of a row whose own is false, where only one relation is possible."""
    only = len(verdict.possible) == 1 and verdict.possible[0] in RELATIONS
    return verdict.possible[0] if verdict.verdict == "false" and only else None


# ---- the table by k ------------------------------------------------------------------------------------------------

COUNTED: Final = (*VERDICTS[:4], "unsound rule used", "person met twice", "shorter path")


def table(
    judged: Sequence[Judged], key: Callable[[Seen], tuple[Any, ...]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """A line per group: its key, its rows, and how many have each verdict and each flaw."""
    lines = []
    for group, rows in _groups(judged, key):
        counts = Counter(v.verdict for _, v in rows)
        counts["unsound rule used"] = sum(bool(v.unsound) for _, v in rows)
        counts["person met twice"] = sum(s.revisits for s, _ in rows)
        counts["shorter path"] = sum(shorter(s) for s, _ in rows)
        lines.append({**dict(zip(names, group)), "rows": len(rows), **{name: counts[name] for name in COUNTED}})
    return lines


def shorter(seen: Seen) -> bool:
    """Are the two people fewer facts apart than k?"""
    return seen.path is not None and seen.path < seen.k


def rules(judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "rows with a proof": sum(bool(s.case.proof) for s, _ in judged),
        "rows that use an unsound rule": sum(bool(v.unsound) for _, v in judged),
        "of these entailed all the same": sum(bool(v.unsound) and v.verdict == "entailed" for _, v in judged),
        "used": dict(Counter(rule for _, v in judged for rule in v.unsound).most_common()),
        "blamed": dict(
            Counter(v.blame or "no rule" for _, v in judged if v.verdict in ("ambiguous", "false")).most_common()
        ),
    }


def depths(judged: Sequence[Judged]) -> dict[str, Any]:
    by_k = {}
    for k, rows in _groups(judged, lambda s: s.k):
        known = [v.depth for _, v in rows if v.depth is not None]
        by_k[str(k)] = {
            "rows": len(rows),
            "person met twice": sum(s.revisits for s, _ in rows),
            "shorter path": sum(shorter(s) for s, _ in rows),
            "entailed": len(known),
            "entailed by fewer than k facts": sum(d < k for d in known),
            "mean depth of the entailed": round(sum(known) / len(known), 3) if known else None,
        }
    return by_k


# ---- labels --------------------------------------------------------------------------------------------------------


def labels(judged: Sequence[Judged]) -> dict[str, Any]:
    found = {}
    for (release, split), rows in _groups(judged, lambda s: (s.release, s.split)):
        counts = Counter(s.target for s, _ in rows)
        total = len(rows)
        clause: dict[tuple[str, ...], Counter[str]] = {}
        for s, _ in rows:
            clause.setdefault((s.clause, str(s.case.pattern[0][0])), Counter())[s.target] += 1
        found[f"{release} {split}".strip()] = {
            "rows": total,
            "counts": {r: counts[r] for r in RELATIONS},
            "majority": counts.most_common(1)[0][0],
            "majority share": round(counts.most_common(1)[0][1] / total, 4),
            "entropy in bits": round(-sum(n / total * math.log2(n / total) for n in counts.values()), 3),
            "uniform over 22 would be": round(math.log2(len(RELATIONS)), 3),
            "never a label": [r for r in RELATIONS if not counts[r]],
            "clauses": len(clause),
            "clauses with one label only": sum(len(c) == 1 for c in clause.values()),
        }
    return found


# ---- train and test ------------------------------------------------------------------------------------------------


def overlap(judged: Sequence[Judged]) -> dict[str, Any]:
    """What the test rows of a release share with its training rows."""
    train, test = ([s for s, _ in judged if s.split == split] for split in ("train", "test"))
    stories, templates = {s.story for s in train}, {s.template for s in train}
    sentences = {each for s in train for each in s.sentences}
    clauses, names = {(s.k, s.clause) for s in train}, {n for s in train for n in s.names}
    lengths = {s.k for s in train}
    told = [each for s in test for each in s.sentences]
    seen_length = [s for s in test if s.k in lengths]
    return {
        "train rows": len(train),
        "test rows": len(test),
        "training stories told twice": len(train) - len(stories),
        "test: same story in training": sum(s.story in stories for s in test),
        "test: same story but for names": sum(s.template in templates for s in test),
        "test sentences": len(told),
        "test sentences seen in training but for names": sum(each in sentences for each in told),
        "test rows of a length trained on": len(seen_length),
        "of these with a clause seen in training": sum((s.k, s.clause) in clauses for s in seen_length),
        "test: every name seen in training": sum(all(n in names for n in s.names) for s in test),
    }


# ---- text, noise, worlds -------------------------------------------------------------------------------------------


def text(judged: Sequence[Judged]) -> dict[str, int]:
    return {
        "facts read from the stories": sum(s.read for s, _ in judged),
        "facts that contradict the columns": sum(len(s.contradicted) for s, _ in judged),
        "rows whose text contradicts the columns": sum(bool(s.contradicted) for s, _ in judged),
        "rows with a gender slip": sum(bool(s.slips) for s, _ in judged),
        "rows with people the story never mentions": sum(bool(s.untold) for s, _ in judged),
    }


def noise(judged: Sequence[Judged], cases: Mapping[Case, Verdict]) -> dict[str, Any]:
    typed = [(v.verdict, word) for s, v in judged if (word := with_noise(s, cases))]
    return {
        "rows with noise": sum(s.has_noise for s, _ in judged),
        "all noise facts typed by the text": len(typed),
        "verdict without and with them": {f"{a} -> {b}": n for (a, b), n in sorted(Counter(typed).items())},
    }


def worlds(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    found = {}
    for name in OTHERS:
        moves = Counter((v.verdict, v.worlds[name]) for _, v in judged if name in v.worlds)
        found[name] = {f"{a} -> {b}": n for (a, b), n in sorted(moves.items())}
    return found
