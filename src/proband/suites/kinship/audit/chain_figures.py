"""What is counted of CLUTRR's rows and of our items beside the verdicts: by release, split and k; rules of the proofs
that do not hold; depth; labels; what test shares with train; text against columns; noise; other worlds.

by_k.md, by_k.csv  the table by release, split and k

Rows are counted as they go by; nothing of a row is kept but counts and, of training rows, digests of their texts.
A release is the folder a file stands in; train and test rows of one release are compared with each other.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from proband.core.files import markdown_table, md, write_csv, write_text
from proband.proof.rows import AuditRow
from proband.proof.tally import Tally
from proband.proof.verdicts import VERDICTS, Cause, RowVerdict
from proband.suites.kinship.audit.other_worlds import OTHERS, in_other_worlds, verdict_in
from proband.suites.kinship.audit.story_text import TextReading, contradicted, read_story, type_noise
from proband.suites.kinship.clutrr.rows import ClutrrRow
from proband.suites.kinship.logic import search
from proband.suites.kinship.logic.closure import distance
from proband.suites.kinship.logic.search import Pattern, parts
from proband.suites.kinship.telling.phrases import fact_phrases, masked_sentences
from proband.suites.kinship.world.relations import NEUTRAL, RELATIONS, STRICT, Edge

NAME: Final = re.compile(r"\[([^\][]+)\]")
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
WORLD_MEANS: Final = {
    "one-generation": "nobody marries into another generation",
    "uncles-by-marriage": "an uncle or aunt may be a parent's sibling's spouse",
    "remarriage": "people may marry again: step-parents, half-siblings",
    "cousins-marry": "spouses may be of one family",
    "all-three": "the last three together",
}


# ---- what is looked at in a row --------------------------------------------------------------------------------------


class ProofStep(NamedTuple):
    """Two facts and what is said to follow from them."""

    first: Edge
    second: Edge
    conclusion: Edge

    @property
    def rule(self) -> str:
        """
        >>> ProofStep((0, "son", 1), (1, "uncle", 2), (0, "brother", 2)).rule
        'child∘uncle/aunt → sibling'
        """
        names = {"pibling": "uncle/aunt", "nibling": "nephew/niece"}
        first, second, head = (names.get(NEUTRAL[r], NEUTRAL[r]) for _, r, _ in self)
        return f"{first}∘{second} → {head}"

    def follows(self, genders: Sequence[str | None], edges: Sequence[Edge]) -> bool:
        """Does the conclusion follow from these facts?"""
        i, relation, j = self.conclusion
        return i != j and search.entailed(genders, edges, (i, j), relation)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """A row looked at apart from its label."""

    row: ClutrrRow
    release: str
    pattern: Pattern
    others: tuple[Pattern, ...]  # facts that are not connected with the question
    proof: tuple[ProofStep, ...]
    unsound: tuple[ProofStep, ...]  # steps whose rules do not hold in general
    path: int | None  # facts on the shortest way between the two people
    text: TextReading
    contradicted: tuple[Edge, ...]

    @property
    def revisits(self) -> bool:
        return len({x for i, _, j in self.row.chain for x in (i, j)}) <= self.row.k

    @property
    def untold(self) -> list[str]:
        """People of the columns whom the story never mentions."""
        mentioned = set(NAME.findall(self.row.story))
        return [name for name in self.row.names if mentioned and name not in mentioned]


def look_at(row: ClutrrRow, release: str) -> Chain:
    facts = row.typed_facts
    pattern, order, others = parts(row.genders, facts, row.query)
    proof = _proof(row, order)
    text = read_story(row.story, row.names, row.genders)
    return Chain(
        row=row,
        release=release,
        pattern=pattern,
        others=tuple(others),
        proof=proof,
        unsound=tuple(step for step in proof if not step.follows(pattern[0], step[:2])),
        path=distance(facts, row.query),
        text=text,
        contradicted=tuple(contradicted(text, facts, row.genders)),
    )


def _proof(row: ClutrrRow, order: list[int]) -> tuple[ProofStep, ...]:
    """The row's proof from the facts up, in the pattern's numbers; steps of another shape are left out."""
    number = {row.names[x]: n for n, x in enumerate(order)}
    steps: list[ProofStep] = []
    for head, body in reversed(row.proof):
        facts: list[Any] = [*body, head]
        known = all(a in number and b in number and r in NEUTRAL for a, r, b in facts)
        if len(facts) == 3 and known:
            steps.append(ProofStep(*((number[a], r, number[b]) for a, r, b in facts)))
    return tuple(steps)


def blamed(chain: Chain, judged: RowVerdict) -> str | None:
    """Of a label that does not follow: the first unsound rule whose conclusion does not follow from the facts."""
    if judged.verdict not in ("ambiguous", "false"):
        return None
    genders, edges, _ = chain.pattern
    return next((step.rule for step in chain.unsound if not step.follows(genders, edges)), None)


def verdict_with_noise(row: ClutrrRow, text: TextReading) -> str | None:
    """The verdict with the noise facts that the columns leave untyped, where the text types all of them."""
    untyped = any(word is None for _, word, _ in row.noise)
    noise = type_noise(text, row.noise, row.genders) if untyped else None
    if not noise:
        return None
    pattern, _, others = parts(row.genders, [*row.chain, *noise], row.query)
    if any(verdict_in(each, each[1][0][1], STRICT) == "inconsistent" for each in others):
        return "inconsistent"
    return verdict_in(pattern, row.target, STRICT)


def masked(text: str) -> str:
    """The text with people numbered as they come, so that the same words about others are the same.

    >>> masked("[Ann] and [Bo] met. [Ann] left.")
    '[0] and [1] met. [0] left.'
    """
    numbers: dict[str, int] = {}
    return NAME.sub(lambda name: f"[{numbers.setdefault(name[1], len(numbers))}]", text)


# ---- counts ----------------------------------------------------------------------------------------------------------

Count = Callable[[Chain, RowVerdict], int]
FLAWS: Final[Mapping[str, Count]] = {
    "unsound rule used": lambda chain, _: bool(chain.unsound),
    "person met twice": lambda chain, _: chain.revisits,
    "shorter path": lambda chain, _: chain.path is not None and chain.path < chain.row.k,
}
PROOFS: Final[Mapping[str, Count]] = {
    "rows with a proof": lambda chain, _: bool(chain.proof),
    "rows that use an unsound rule": FLAWS["unsound rule used"],
    "of these entailed all the same": lambda chain, judged: bool(chain.unsound) and judged.verdict == "entailed",
}
TEXTS: Final[Mapping[str, Count]] = {
    "facts read from the stories": lambda chain, _: len(chain.text.facts),
    "facts that contradict the columns": lambda chain, _: len(chain.contradicted),
    "rows whose text contradicts the columns": lambda chain, _: bool(chain.contradicted),
    "rows with a gender slip": lambda chain, _: bool(chain.text.slips),
    "rows with people the story never mentions": lambda chain, _: bool(chain.untold),
}
DEPTHS: Final[Mapping[str, Count]] = {
    "entailed by fewer than k facts": lambda chain, judged: _depth(judged, chain.row.k) < chain.row.k,
    "sum of depths": lambda _, judged: _depth(judged, 0),
}
COUNTS: Final[Mapping[str, Count]] = {
    **FLAWS,
    **PROOFS,
    **TEXTS,
    **DEPTHS,
    "rows with noise": lambda chain, _: bool(chain.row.noise),
}
COUNTED: Final = (*VERDICTS[:4], *FLAWS)


def _depth(judged: RowVerdict, otherwise: int) -> int:
    """The facts from which an entailed label follows."""
    return len(judged.proof) if judged.verdict == "entailed" else otherwise


class ChainFigures:
    """Counts over the rows of an audit, in two passes: training rows are known before test rows are counted."""

    def __init__(self) -> None:
        self.overlaps: defaultdict[str, Overlap] = defaultdict(Overlap)  # by release
        self.counts: defaultdict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)  # by release, split, k
        self.labels: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # release, split -> label
        self.clauses: defaultdict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
        self.used: Counter[str] = Counter()
        self.blamed: Counter[str] = Counter()
        self.noise: Counter[str] = Counter()  # verdict without and with noise
        self.worlds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.followed: defaultdict[str, Counter[str]] = defaultdict(Counter)  # split -> world -> entailed rows
        self.splits: defaultdict[str, Tally] = defaultdict(Tally)
        self.looked_at: tuple[AuditRow | None, Chain | None] = (None, None)

    def _chain(self, row: AuditRow) -> Chain:
        if self.looked_at[0] is not row:
            self.looked_at = row, look_at(row.record, row.folder)
        chain = self.looked_at[1]
        assert chain
        return chain

    def learn(self, row: AuditRow) -> None:
        overlap = self.overlaps[row.folder]
        if row.record.split == "train":
            overlap.add_train(row.record)

    def cause(self, row: AuditRow, judged: RowVerdict) -> Cause | None:
        """A row is put down to the rule of its proof that does not hold."""
        if judged.verdict == "unread" or not (rule := blamed(self._chain(row), judged)):
            return None
        claim = f"the label rests on the rule {rule}, which does not hold in general"
        return Cause(key=f"rule:{rule}", claim=claim, kind="rule")

    def add(self, row: AuditRow, judged: RowVerdict) -> dict[str, Any]:
        if judged.verdict == "unread":
            return {}
        chain = self._chain(row)
        clutrr, rule = chain.row, blamed(chain, judged)
        noisy = verdict_with_noise(clutrr, chain.text)
        broken = judged.verdict == "inconsistent" and bool(search.families_of(chain.pattern))  # by unconnected facts
        worlds = {} if broken else in_other_worlds(chain.pattern, clutrr.target, judged.verdict)
        unsound = tuple(dict.fromkeys(step.rule for step in chain.unsound))
        counts = self.counts[chain.release, clutrr.split, clutrr.k]
        counts.update(["rows", judged.verdict])
        counts.update({name: n for name, count in COUNTS.items() if (n := count(chain, judged))})
        self.splits[clutrr.split].add(replace(judged, by_world={}), file=row.file)
        self.followed[clutrr.split].update(world for world, verdict in worlds.items() if verdict == "entailed")
        self._label(chain)
        self.used.update(unsound)
        if judged.verdict in ("ambiguous", "false"):
            self.blamed[rule or "no rule"] += 1
        if noisy:
            self.noise[f"{judged.verdict} -> {noisy}"] += 1
        for world, verdict in worlds.items():
            self.worlds[world][f"{judged.verdict} -> {verdict}"] += 1
        if clutrr.split == "test":
            self.overlaps[chain.release].add_test(clutrr)
        return {
            "split": clutrr.split,
            "task": clutrr.task,
            "k": clutrr.k,
            "depth": _depth(judged, 0) or None,
            "path": chain.path,
            "revisits": chain.revisits,
            "unsound": unsound,
            "blame": rule,
            "with_noise": noisy,
            "other_worlds": worlds,
            "gender_slips": chain.text.slips,
            "text_contradicts": [[clutrr.names[i], kin, clutrr.names[j]] for i, kin, j in chain.contradicted],
            "untold": chain.untold,
        }

    def _label(self, chain: Chain) -> None:
        """Of a clause, which label it has: the number of the only one, or -1 where there are several."""
        row, group = chain.row, (chain.release, chain.row.split)
        self.labels[group][row.target] += 1
        clause, label = (clause_of(row), str(chain.pattern[0][0])), RELATIONS.index(row.target)
        if self.clauses[group].setdefault(clause, label) != label:
            self.clauses[group][clause] = -1

    # ---- as they are written ---------------------------------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        total = sum(self.counts.values(), Counter[str]())
        readings, follow = self._readings()
        return {
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
            "texts": {name: total[name] for name in TEXTS},
            "noise": {
                "rows with noise": total["rows with noise"],
                "all noise facts typed by the text": self.noise.total(),
                "verdict without and with them": dict(sorted(self.noise.items())),
            },
            "families of other kinds": {name: dict(sorted(self.worlds[name].items())) for name in OTHERS},
            "readings by split": readings,
            "labels that follow": follow,
        }

    def headlines(self) -> dict[str, dict[str, str] | dict[str, int]]:
        return {
            "entailed by k": {str(line["k"]): f"{line['entailed']} of {line['rows']}" for line in self.table("k")},
            "blamed": dict(self.blamed.most_common()),
        }

    def write(self, out: Path) -> None:
        lines, counted = self.table("release", "split", "k"), ("rows", *COUNTED)
        names = ["release", "split", "k", *counted]
        rows = [list(line.values()) for line in lines]
        rows.append(["all", "", "", *(sum(line[name] for line in lines) for name in counted)])
        write_csv(out / "by_k.csv", names, rows)
        body = [[md(str(cell)) for cell in row] for row in rows]
        write_text(out / "by_k.md", markdown_table(names, body, right=len(counted)) + "\n")

    def _readings(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """By split, in percent: what a perfect reasoner scores that answers where one relation is possible (cautious),
        guesses among the possible ones, or is right if the label is possible (lenient); and the labels that follow in
        each world."""
        readings, follow = {}, {}
        for split, tally in sorted(self.splits.items()):
            scores = dict(zip(("cautious", "guess", "lenient"), tally.readings().values()))
            readings[split] = {"rows": tally.read, **scores}
            shares = {name: round(100 * self.followed[split][name] / tally.read, 1) for name in OTHERS}
            follow[split] = {"strict": scores["cautious"], **shares}
        return readings, follow

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

    def _depths(self) -> dict[str, dict[str, float | None]]:
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

    def tables(self) -> list[tuple[str, str, Sequence[str], Sequence[Sequence[Any]]]]:
        """What the page shows."""
        figures = self.summary()
        overlap = {r: line for r, line in figures["overlap"].items() if line["train rows"] and line["test rows"]}
        used, rules = figures["rules"]["used"], figures["rules"]["blamed"]
        moves = sorted({move for line in figures["families of other kinds"].values() for move in line})
        noise = {name: n for name, n in figures["noise"].items() if isinstance(n, int) and n}
        noise |= {f"… verdict without -> with them: {move}": n for move, n in sorted(self.noise.items())}
        return [
            _table("Train and test rows", "", figures["by_split"] if len(figures["by_split"]) > 1 else []),
            _table("By number of facts k", "", figures["by_k"]),
            (
                "Rules to blame",
                "The rule to blame is the first step of a row's proof whose conclusion does not follow from its facts.",
                ("rule", "rows that use it", "blamed for a label that does not follow"),
                [(rule, used.get(rule, 0), rules.get(rule, 0)) for rule in dict.fromkeys([*used, *rules])],
            ),
            _table("By release, split and k", "", figures["by_release"]),
            _table(
                "Is k the depth?",
                "Where a chain meets a person twice, fewer than k facts may connect the two people asked about, and "
                "the label may follow from fewer.",
                [{"k": k, **line} for k, line in figures["depth"].items()],
            ),
            (
                "Labels",
                "",
                ("label", *figures["labels"]),
                [(r, *(line["counts"][r] for line in figures["labels"].values())) for r in RELATIONS],
            ),
            (
                "What test shares with train",
                "",
                ("", *overlap),
                [(what, *(line[what] for line in overlap.values())) for what in next(iter(overlap.values()), ())],
            ),
            (
                "Text against columns",
                "A cautious reader takes only the plainest constructions: these are counts of what it found, not of "
                "everything.",
                ("", "rows"),
                list({**figures["texts"], **noise}.items()),
            ),
            _table(
                "What a perfect reasoner scores, by split",
                "",
                [{"split": split, **line} for split, line in figures["readings by split"].items()],
            ),
            _table(
                "Labels that follow in families of other kinds, in percent",
                "; ".join(f"{world}: {means}" for world, means in WORLD_MEANS.items()),
                [{"split": split, **line} for split, line in figures["labels that follow"].items()],
            ),
            (
                "The same rows in families of other kinds",
                "",
                ("verdict: strict -> other", *OTHERS),
                [(move, *(self.worlds[name].get(move, 0) for name in OTHERS)) for move in moves],
            ),
        ]


def _table(title: str, means: str, lines: Sequence[Mapping[str, Any]]) -> tuple[str, str, list[str], list[list[Any]]]:
    return title, means, list(lines[0]) if lines else [], [list(line.values()) for line in lines]


# ---- train and test ------------------------------------------------------------------------------------------------

SHARED: Final[Mapping[str, Callable[[Mapping[str, int], Mapping[str, int]], int]]] = {  # of a test row: all, and known
    "test: same story in training": lambda _, known: known["story"],
    "test: same story but for names": lambda _, known: known["template"],
    "test sentences": lambda all_, _: all_["sentences"],
    "test sentences seen in training but for names": lambda _, known: known["sentences"],
    "test phrases that tell a fact": lambda all_, _: all_["phrases"],
    "test phrases that tell a fact seen in training": lambda _, known: known["phrases"],
    "test rows of a length trained on": lambda _, known: known["length"],
    "of these with a clause seen in training": lambda _, known: known["clause"],  # which has that length
    "test: every name seen in training": lambda all_, known: known["names"] == all_["names"],
}


class Overlap:
    """What the test rows of a release share with its training rows."""

    def __init__(self) -> None:
        self.trained_on: defaultdict[str, set[Any]] = defaultdict(set)
        self.train = self.test = 0
        self.counts: Counter[str] = Counter()

    def add_train(self, row: ClutrrRow) -> None:
        self.train += 1
        for what, values in _texts(row).items():
            self.trained_on[what].update(values)

    def add_test(self, row: ClutrrRow) -> None:
        texts = _texts(row)
        known = {what: sum(value in self.trained_on[what] for value in values) for what, values in texts.items()}
        total = {what: len(values) for what, values in texts.items()}
        self.counts.update({name: count(total, known) for name, count in SHARED.items()})
        self.test += 1

    def figures(self) -> dict[str, int]:
        return {
            "train rows": self.train,
            "test rows": self.test,
            "training stories told twice": self.train - len(self.trained_on["story"]),
            **{name: self.counts[name] for name in SHARED},
        }


def clause_of(row: ClutrrRow) -> str:
    """The relations along the chain."""
    return " ".join([relation for _, relation, _ in row.chain])


def _texts(row: ClutrrRow) -> dict[str, Sequence[Any]]:
    """What test rows may share with training rows; texts as digests."""
    return {
        "story": (_digest(row.story),),
        "template": (_digest(masked(row.story)),),
        "sentences": tuple(_digest(masked(s)) for s in SENTENCE.split(row.story) if "[" in s),
        "phrases": tuple(_digest(p) for p in fact_phrases(masked_sentences(row.story, row.names))),
        "clause": ((row.k, clause_of(row)),),
        "names": row.names,
        "length": (row.k,),
    }


def _digest(text: str) -> bytes:
    """Eight bytes that stand for a text where texts are compared."""
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=8).digest()
