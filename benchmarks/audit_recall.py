"""Recall and precision of the auditor: defects of ten kinds planted into clean rows of each domain.

    python benchmarks/audit_recall.py [--per-kind 500] [--domain grid] [--seed 0] [-o recall.json]

Clean rows come from worlds that are known before they are told (a walk on a grid, a family, intervals), so that their
labels do not rest on the auditor. A planted row counts as found if its verdict is not *entailed*, or if it is flagged
as leaked or as a duplicate; a clean row with either is falsely accused. Rows that the auditor calls unread are in
neither rate; the share that is read stands beside. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proband.english.domain import load
from proband.pipeline.checking import provers_of_suites
from proband.proof.decisions import VERDICTS
from proband.proof.rows import AuditRow
from proband.proof.run import audit_rows, judge_for

Edge = tuple[str, str, str]  # (a, relation or word, b): a is the relation of b
FLAGS = ("answer leaked", "duplicate with another label")


@dataclass(frozen=True)
class AuditCase:
    """A row before it is written: facts in order, the question, the label, how each fact is said."""

    facts: tuple[Edge, ...]
    question: tuple[str, str]
    label: str
    form: int
    story: str = ""  # told otherwise than fact by fact
    extra: str = ""
    negated: int = -1
    key: str = ""


# ---- clean rows ----------------------------------------------------------------------------------------------------

STEPS = {
    "left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1), "upper-left": (-1, 1), "upper-right": (1, 1),
    "lower-left": (-1, -1), "lower-right": (1, -1),
}  # fmt: skip
COMPASS = dict(zip(STEPS, ("west", "east", "north", "south", "northwest", "northeast", "southwest", "southeast")))
HOURS = dict(zip(STEPS, (9, 3, 12, 6, 10, 2, 7, 4)))
LETTERS = "BCDEFGHJKLMNOPQRSTUVWXYZ"


def direction(x: int, y: int) -> str:
    """The label of an offset."""
    sign = ((x > 0) - (x < 0), (y > 0) - (y < 0))
    return next((name for name, step in STEPS.items() if step == sign), "overlap")


def walks(rng: random.Random) -> Iterator[AuditCase]:
    """A chain of places, each one step from the one before; the label is the direction of the sum."""
    while True:
        k = rng.randint(1, 5)
        names = rng.sample(LETTERS, k + 1)
        steps = [rng.choice(list(STEPS)) for _ in range(k)]
        facts = tuple((names[n + 1], steps[n], names[n]) for n in range(k))
        label = direction(*(sum(STEPS[s][axis] for s in steps) for axis in (0, 1)))
        yield AuditCase(facts, (names[-1], names[0]), label, rng.randrange(4))


def places_in_words(fact: Edge, form: int, not_: str) -> str:
    a, relation, b = fact
    plain = relation if relation in ("above", "below") else f"to the {relation.replace('-', ' ')} of"
    return (
        f"{a} is {not_}{plain} {b}.",
        f"{a} lies {not_}{COMPASS[relation]} of {b}.",
        f"{a} is {not_}at the {HOURS[relation]} o'clock position relative to {b}.",
        f"The object {a} is {not_}positioned {plain} the object {b}.",
    )[form]


def families(rng: random.Random, count: int) -> Iterator[AuditCase]:
    """Items of our own builder: facts along a chain in a generated family, the label proved by rules."""
    from proband.cli import main
    from proband.core.files import read_items

    with tempfile.TemporaryDirectory() as folder:
        per_k = str(22 * (1 + count // 66))
        words = [
            "build",
            "kinship",
            "-o",
            folder,
            "--k",
            "2,3,4",
            "--per-k",
            per_k,
            "--seed",
            str(rng.randrange(10**6)),
        ]
        with redirect_stdout(io.StringIO()):
            assert main(words) == 0
        items = list(read_items(Path(folder) / "items.jsonl"))
    rng.shuffle(items)
    while True:
        for item in items:
            names, (i, j) = item.facts["names"], item.facts["query"]
            facts = tuple((names[b], word, names[a]) for a, word, b in item.facts["edges"])
            story = str(item.facts.get("story") or item.prompt.rpartition("\n")[0])
            yield AuditCase(facts, (names[j], names[i]), item.facts["target"], rng.randrange(4), story)


def kin_in_words(fact: Edge, form: int, not_: str) -> str:
    a, word, b = fact
    return (
        f"{a} is {not_}the {word} of {b}.",
        f"{a} is {not_}{b}'s {word}.",
        f"{b}'s {word} is {not_}{a}.",
        f"{a} is {not_}the {word} of {b}.",
    )[form]


EVENTS = (
    "Breakfast", "Lunch", "Dinner", "Supper", "Picnic", "Concert", "Parade", "Lecture", "Rehearsal", "Auction",
    "Regatta", "Marathon", "Wedding", "Recital", "Carnival", "Seminar", "Banquet", "Regency", "Festival",
    "Tournament", "Bazaar", "Sermon", "Symposium", "Gala", "Hackathon", "Biathlon", "Derby",
)  # fmt: skip
TURNED = {"before": "after", "after": "before", "during": "contains", "contains": "during"}


def schedules(rng: random.Random) -> Iterator[AuditCase]:
    """During ... before ... contains: whatever is inside the one is before whatever is inside the other."""
    while True:
        inside, order, outside = rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, 2)
        relations = ["during"] * inside + ["before"] * order + (["contains"] * outside if order else [])
        if not relations:
            continue
        names = rng.sample(EVENTS, len(relations) + 1)
        facts = [(names[n], relation, names[n + 1]) for n, relation in enumerate(relations)]
        label, question = ("before" if order else "during"), (names[0], names[-1])
        if rng.random() < 0.5:
            label, question = TURNED[label], question[::-1]
        yield AuditCase(tuple(facts), question, label, rng.randrange(3))


def events_in_words(fact: Edge, form: int, not_: str) -> str:
    a, relation, b = fact
    if relation == "contains":
        a, relation, b = b, "during", a
    verb = ("is", "happened", "took place")[form]
    return f"{a} {verb} {not_}{relation} {b}."


# ---- defects -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A domain as the benchmark plants into it."""

    name: str
    rows: Callable[[random.Random, int], Iterator[AuditCase]]
    in_words: Callable[[Edge, int, str], str]
    ask: str
    inverse: Callable[[str, AuditCase], str]  # the label of the question turned round
    other: Callable[[str, random.Random], str]  # a label near this one
    swapped: Callable[
        [AuditCase], str | None
    ]  # the right label, straight from the world; None: not the old one, for sure


def grid_swapped(case: AuditCase) -> str | None:
    place = {case.facts[0][2]: (0, 0)}
    for a, relation, b in case.facts:
        (x, y), known = STEPS[relation], b if b in place else a
        sign = 1 if known == b else -1
        place[a if known == b else b] = (place[known][0] + sign * x, place[known][1] + sign * y)
    a, b = case.question
    return direction(place[a][0] - place[b][0], place[a][1] - place[b][1])


def kin_swapped(case: AuditCase) -> str | None:
    """By the closure under the composition table, which the auditor's search does not use."""
    from proband.core.types import Fact
    from proband.proof.problem import Problem
    from proband.suites.kinship.audit.family_prover import check
    from proband.suites.kinship.world.families import GENDER_OF

    domain = load("kinship")
    facts = tuple(Fact(a, word.relation, b, word.gender) for a, text, b in case.facts if (word := domain.word(text)))
    by_word = {fact.who for fact in facts if fact.gender}
    genders = tuple((name, GENDER_OF.get(name)) for name in {n for f in facts for n in (f.who, f.of)} - by_word)
    left = check(Problem(facts, case.question, genders), "strict")
    return case.label if left == {case.label} else None


def kin_inverse(label: str, case: AuditCase) -> str:
    from proband.suites.kinship.world.families import GENDER_OF
    from proband.suites.kinship.world.relations import INVERSE, NEUTRAL, word

    return word(INVERSE[NEUTRAL[label]], GENDER_OF[case.question[1]])


def kin_other(label: str, rng: random.Random) -> str:
    from proband.suites.kinship.world.relations import GENDER, NEUTRALS, word

    return rng.choice([w for w in (word(neutral, GENDER[label]) for neutral in NEUTRALS) if w != label])


def turned_direction(label: str, _: AuditCase) -> str:
    return "overlap" if label == "overlap" else direction(*(-n for n in STEPS[label]))


KINDS = {
    "grid": Kind(
        name="grid",
        rows=lambda rng, _: walks(rng),
        in_words=places_in_words,
        ask="What is the relation of the agent {} to the agent {}?",
        inverse=turned_direction,
        other=lambda label, rng: rng.choice([each for each in (*STEPS, "overlap") if each != label]),
        swapped=grid_swapped,
    ),
    "kinship": Kind(
        name="kinship",
        rows=families,
        in_words=kin_in_words,
        ask="How is {} related to {}?",
        inverse=kin_inverse,
        other=kin_other,
        swapped=kin_swapped,
    ),
    "temporal": Kind(
        name="temporal",
        rows=lambda rng, _: schedules(rng),
        in_words=events_in_words,
        ask="What is {} to {}?",
        inverse=lambda label, _: TURNED[label],
        other=lambda label, rng: rng.choice([each for each in TURNED if each != label]),
        swapped=lambda _: None,
    ),
}
LEAKS = ("The answer is {}.", "Answer: {}.", "The correct label is {}.", "Hint: {}.")


def planted(kind: str, domain: Kind, case: AuditCase, rng: random.Random) -> AuditCase | None:
    """The row with the defect; None where it would be none."""
    at = rng.randrange(len(case.facts))
    a, relation, b = case.facts[at]
    if kind == "label: inverse":
        label = domain.inverse(case.label, case)
        return replace(case, label=label) if label != case.label else None
    if kind == "label: another relation":
        return replace(case, label=domain.other(case.label, rng))
    if kind == "label: wrong gender":
        from proband.suites.kinship.world.relations import WORDS

        pairs = {one: two for pair in WORDS.values() for one, two in (pair, pair[::-1])}
        return replace(case, label=pairs[case.label]) if domain.name == "kinship" else None
    if kind == "sentence: negated":
        return replace(case, negated=at, story="")
    if kind == "sentence: names swapped":
        facts = (*case.facts[:at], (b, relation, a), *case.facts[at + 1 :])
        swapped = replace(case, facts=facts, story="")
        return swapped if domain.swapped(swapped) != case.label else None
    if kind == "fact: dropped":
        return replace(case, facts=case.facts[:at] + case.facts[at + 1 :], story="") if len(case.facts) > 1 else None
    if kind == "fact: added, no world fits":
        clash = (a, next(r for r in iter(lambda: domain.other(relation, rng), "") if r != "overlap"), b)
        return replace(case, facts=(*case.facts, clash), story="")
    if kind == "question: turned round":
        turned = replace(case, question=case.question[::-1])
        return turned if domain.inverse(case.label, case) != case.label else None
    if kind == "duplicate: another label":
        return replace(case, label=domain.other(case.label, rng))
    return replace(case, extra=rng.choice(LEAKS).format(case.label))


DEFECTS = (
    "label: inverse",
    "label: another relation",
    "label: wrong gender",
    "sentence: negated",
    "sentence: names swapped",
    "fact: dropped",
    "fact: added, no world fits",
    "question: turned round",
    "duplicate: another label",
    "text: answer leaked",
)


def written(case: AuditCase, domain: Kind, *, key: str, number: int, plain: bool) -> AuditRow:
    said = [domain.in_words(fact, case.form, "not " if n == case.negated else "") for n, fact in enumerate(case.facts)]
    text = case.story if case.story and not plain else " ".join(said)
    question = domain.ask.format(*case.question)
    cells = {"text": text, "question": question, "answer": case.label}
    return AuditRow(
        file="planted.jsonl", line=number, key=key, cells=cells,
        text=f"{text} {case.extra}".strip(), question=question, answer=case.label,
    )  # fmt: skip


def rows_of(domain: Kind, per_kind: int, seed: int) -> list[AuditRow]:
    """Clean rows and, per kind of defect, as many planted ones; each from a clean row of its own."""
    rng = random.Random(seed)
    source = domain.rows(rng, per_kind * (len(DEFECTS) + 1))
    rows: list[AuditRow] = []
    seen: set[tuple[str, str]] = set()

    def add(case: AuditCase, key: str) -> bool:
        """Whether the row is new: the same text twice would be a duplicate that nobody planted."""
        row = written(case, domain, key=key, number=len(rows) + 1, plain=rng.random() < 0.5)
        new = (row.text, row.question) not in seen or (key.startswith("duplicate") and row.text == rows[-1].text)
        if new:
            seen.add((row.text, row.question))
            rows.append(row)
        return new

    while len(rows) < per_kind:
        add(next(source), "clean")
    for kind in DEFECTS:
        made = 0
        for case in source:
            changed = planted(kind, domain, case, rng)
            if kind == "label: wrong gender" and domain.name != "kinship":
                break
            if changed is None:
                continue
            if kind.startswith("duplicate"):
                case = replace(case, story="")
                changed = replace(case, label=changed.label)
                if not add(case, "original"):
                    continue
            made += add(changed, kind)
            if made == per_kind:
                break
    return rows


# ---- figures -------------------------------------------------------------------------------------------------------


def share(part: int, whole: int) -> dict[str, Any]:
    from scipy.stats import binomtest

    if not whole:
        return {"of": 0}
    ends = binomtest(part, whole).proportion_ci(method="wilson")
    return {"n": part, "of": whole, "%": round(100 * part / whole, 2), "95 %": [round(100 * e, 2) for e in ends]}


def measure(name: str, per_kind: int, seed: int) -> dict[str, Any]:
    """What is found, missed, falsely accused and unread, by kind of defect."""
    world = {"grid": "unit", "kinship": "strict"}.get(name, "")  # that of the walks, and of the families
    domain, judge = KINDS[name], judge_for(name, provers_of_suites(), world=world, templates=True)
    counts: dict[str, Counter[str]] = {}
    examples: dict[str, list[str]] = {}
    with tempfile.TemporaryFile() as spool:
        for row, judged in audit_rows(rows_of(domain, per_kind, seed), judge, spool):
            flagged = any(note.startswith(FLAGS) for note in judged.notes)
            outcome = "unread" if judged.verdict == "unread" and not flagged else "clean"
            if judged.verdict not in ("entailed", "unread") or flagged:
                outcome = "found"
            count = counts.setdefault(row.key, Counter())
            count.update({outcome, judged.verdict})  # unread is both
            if (row.key == "clean") == (outcome == "found") or outcome == "unread":
                examples.setdefault(row.key, []).append(
                    f"{row.text} {row.question} {row.answer}: {judged.verdict} {judged.unread or ''}"
                )
    kinds = [kind for kind in DEFECTS if kind in counts]
    found = sum(counts[kind]["found"] for kind in kinds)
    read = sum(counts[kind]["found"] + counts[kind]["clean"] for kind in kinds)
    accused = counts["clean"]["found"]
    return {
        "recall": share(found, read),
        "precision": share(found, found + accused),
        "clean rows falsely accused": share(accused, counts["clean"]["found"] + counts["clean"]["clean"]),
        "read": share(
            sum(c["found"] + c["clean"] for c in counts.values()),
            sum(c["found"] + c["clean"] + c["unread"] for c in counts.values()),
        ),
        "kinds": {
            kind: {
                "found": share(counts[kind]["found"], counts[kind]["found"] + counts[kind]["clean"]),
                "unread": counts[kind]["unread"],
                "verdicts": {verdict: counts[kind][verdict] for verdict in VERDICTS if counts[kind][verdict]},
            }
            for kind in ("clean", *kinds)
        },
        "first missed, accused or unread": {kind: lines[:3] for kind, lines in examples.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-kind", type=int, default=500)
    parser.add_argument("--domain", choices=list(KINDS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    made = {name: measure(name, options.per_kind, options.seed) for name in options.domain or KINDS}
    text = json.dumps(made, indent=1, ensure_ascii=False)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
