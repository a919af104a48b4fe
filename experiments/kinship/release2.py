"""What can be had on release 2 without composing, and an oracle of another kind on its labels:

    proband build kinship --release 2 -o release
    python experiments/kinship/release2.py release              # writes tables/release2-shortcuts.md, added-shortcuts.md
    python experiments/kinship/release2.py release --oracle     # the complete search for families on every item
    python experiments/kinship/release2.py --clauses            # how many different clauses there can be at all

Shortcuts are counted on the training stories; in slices whose answers training does not have, on all other stories of
the slice. `best by path` is no shortcut but a bound: for each length, genders,
first and last fact and generations, the label that is commonest in the slice itself. `a guess by one way` is what a
guess among the answers has that one of the two ways leaves, and by the way that leaves fewer. Intervals count a clause
once.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from pathlib import Path

from proband.core.files import read_items
from proband.core.types import Item
from proband.stats import Scores
from proband.suites.kinship.baselines import SHORTCUTS, Clues, CountedLabels, LabelCounts
from proband.suites.kinship.generate.release import load_release
from proband.suites.kinship.logic.closure import chart, close
from proband.suites.kinship.logic.search import entailed, possible
from proband.suites.kinship.world.relations import FEMALE, MALE, possibilities
from proband.suites.kinship.world.rules import Rules, canonical_clause, load, of_item

HERE = Path(__file__).parent
TABLE = HERE / "tables" / "release2-shortcuts.md"
ADDED_TABLE = HERE / "tables" / "added-shortcuts.md"
FOREIGN = (
    "one-of",
    "wide",
    "one-of-distinct",
    "wide-distinct",
    "wide-three",
    "blended",
)  # with answers that training lacks


def neutral_way(clues: Clues) -> list[str]:
    return [clues.rules.neutrals[clues.rules.code[word]] for word in clues.way]


def in_laws(clues: Clues) -> Hashable:
    marriages = sum(name == "spouse" or name.endswith("-in-law") for name in neutral_way(clues))
    return clues.path, clues.genders, marriages


def siblings(clues: Clues) -> Hashable:
    """What the blended world's table is mostly about: whether an answer follows can nearly be counted by it."""
    way = neutral_way(clues)
    beyond = any(name.startswith(("half-", "step-")) for name in way)
    return clues.path, clues.genders, len(way), way.count("sibling"), beyond


# invented after the sets were balanced, and not balanced against
NEW: dict[str, Callable[[Clues], Hashable]] = {
    "path, genders": lambda clues: (clues.path, clues.genders),
    "path, number of in-laws": in_laws,
    "path, second fact": lambda clues: (clues.path, clues.genders, *neutral_way(clues)[1:2]),
    "bag of relations": lambda clues: (clues.genders, tuple(sorted(neutral_way(clues)))),
}


def main(arguments: Sequence[str]) -> int:
    if "--clauses" in arguments:
        for rules in (load("sound"), load("wide"), load("blended")):
            print(rules.name, *(f"k = {k}: {clauses(rules, k)}" for k in (2, 3, 4)), sep=", ")
        return 0
    items = list(read_items(Path(arguments[0])))
    if "--oracle" in arguments:
        return oracle(items)
    added = {part.slice for part in load_release(2).part if part.added}
    frozen = [item for item in items if item.tags.get("slice") not in added]
    if frozen:
        TABLE.write_text(shortcut_table(frozen), encoding="utf-8")
    foreign = [item for item in items if item.tags.get("slice") in FOREIGN]
    ADDED_TABLE.write_text(added_table(foreign), encoding="utf-8")
    return 0


def clauses(rules: Rules, k: int) -> int:
    """How many clauses of k facts, read from either end, prove an answer for some genders of the people in them."""
    every = {canonical_clause(clause, rules.inverse) for clause in product(range(len(rules.neutrals)), repeat=k)}
    cast = list(product((MALE, FEMALE), repeat=k + 1))
    return sum(any(proves(rules, clause, genders) for genders in cast) for clause in every)


def proves(rules: Rules, clause: Sequence[int], genders: Sequence[str]) -> bool:
    left, _ = chart(rules, clause, genders)
    if left & (left - 1) or not 0 < left < 1 << len(rules.neutrals):
        return False
    edges = [(i, rules.word(relation, genders[i + 1]), i + 1) for i, relation in enumerate(clause)]
    return close(rules, genders, edges).consistent


def oracle(items: Sequence[Item]) -> int:
    """The complete search agrees with every label, and finds more than one answer where it cannot be told."""
    agreed, wrong = Counter[str](), list[str]()
    for item in items:
        facts = item.facts
        told = facts["genders"], [tuple(edge) for edge in facts["edges"]], tuple(facts["query"])
        certificate, world = facts["certificate"], of_item(item).kin
        if certificate == "open":
            right = len(possible(*told, world=world)) > 1
        elif certificate == "one-of":
            right = possible(*told) == possibilities(facts["target"])
        else:
            right = entailed(*told, facts["target"], world=world)
        agreed[{"open": "cannot be told", "one-of": "sets"}.get(certificate, "labels")] += right
        wrong += [] if right else [item.id]
    print(f"agreed: {dict(agreed)}; disagreed: {len(wrong)} {wrong[:5]}")
    return 1 if wrong else 0


def shortcuts() -> dict[str, Callable[[], CountedLabels]]:
    makers: dict[str, Callable[[], CountedLabels]] = {f"baseline:{name}": make for name, make in SHORTCUTS.items()}
    return makers | {f"*{name}*": lambda name=name, key=key: LabelCounts(name, key) for name, key in NEW.items()}


def added_table(items: Sequence[Item]) -> str:
    """What shortcuts have on the added slices, each story answered from all others of its slice."""
    slices = {name: [item for item in items if item.tags["slice"] == name] for name in FOREIGN}
    rows = {"majority": {name: majority(test, test) for name, test in slices.items()}}
    counted: dict[str, Callable[[], CountedLabels]] = {
        "*path, number of siblings*": lambda: LabelCounts("path, number of siblings", siblings)
    }
    for name, make in (shortcuts() | counted).items():
        rows[name] = {part: accuracy(make().learn(test), test) for part, test in slices.items()}
    rows["**best by path**"] = {name: f"{100 * best_by_path(test):.1f}" for name, test in slices.items()}
    clauses = {name: str(len({item.facts["clusters"][0] for item in test})) for name, test in slices.items()}
    rows["different clauses"] = clauses
    lines = [f"| {name} | {' | '.join(row[part] for part in slices)} |" for name, row in rows.items()]
    head = f"| what it uses | {' | '.join(f'{name} ({len(test):,})' for name, test in slices.items())} |"
    title = (
        "**Release 2, shortcuts on the slices that were added** (accuracy, percent, ± half a 95 % interval by clause)"
    )
    return "\n".join([title, "", head, "|---|" + "---:|" * len(slices), *lines, ""])


def shortcut_table(items: Sequence[Item]) -> str:
    makers = shortcuts()
    train = [item for item in items if item.split == "train"]
    slices: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.split == "test":
            slices[str(item.tags["slice"])].append(item)
    rows = {"majority": {name: majority(train, test) for name, test in slices.items()}}
    for name, make in makers.items():
        learned = make().learn(train)
        rows[name] = {part: accuracy(learned, test) for part, test in slices.items()}
    rows["**best by path**"] = {name: f"{100 * best_by_path(test):.1f}" for name, test in slices.items()}
    rows["*a guess by one way*"] = {name: one_way(test) for name, test in slices.items()}
    lines = [f"| {name} | {' | '.join(row[part] for part in slices)} |" for name, row in rows.items()]
    head = f"| what it uses | {' | '.join(f'{name} ({len(test):,})' for name, test in slices.items())} |"
    title = "**Release 2, shortcuts by slice** (accuracy, percent, ± half a 95 % interval by clause)"
    return "\n".join([title, "", head, "|---|" + "---:|" * len(slices), *lines, ""])


def majority(train: Sequence[Item], test: Sequence[Item]) -> str:
    label = Counter(item.facts["target"] for item in train).most_common(1)[0][0]
    return _estimate([item.facts["target"] == label for item in test], test)


def accuracy(learned: CountedLabels, test: Sequence[Item]) -> str:
    right = [answer.scores.index(max(answer.scores)) == item.gold for answer, item in zip(learned.answer(test), test)]
    return _estimate(right, test)


def _estimate(right: Sequence[bool], test: Sequence[Item]) -> str:
    found = Scores.of(list(right), clusters=[item.facts["clusters"][0] for item in test]).interval()
    return f"{100 * found.mean:.1f}" + ("" if found.few else f" ± {50 * (found.high - found.low):.1f}")


def best_by_path(test: Sequence[Item]) -> float:
    labels: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for item in test:
        clues = Clues(item, needed_by="release2.py")
        labels[item.tags["k"], clues.path, clues.genders][item.facts["target"]] += 1
    return sum(max(counts.values()) for counts in labels.values()) / len(test)


def one_way(test: Sequence[Item]) -> str:
    """Who follows one of two ways and guesses among the answers that it leaves; nothing where there is one way."""
    shares = []
    for item in test:
        facts = item.facts
        second = [tuple(edge) for edge, kind in facts.get("noise", ()) if kind == "second"]
        if not second:
            return ""
        first = [tuple(edge) for edge in facts["edges"] if tuple(edge) not in second]
        left = [close(load("sound"), facts["genders"], way).answers(*facts["query"]) for way in (first, second)]
        shares.append([1 / len(words) if facts["target"] in words else 0.0 for words in left])
    means = [100 * sum(column) / len(shares) for column in zip(*shares)]
    fewer = 100 * sum(max(row) for row in shares) / len(shares)
    return f"{means[0]:.1f}, {means[1]:.1f}; {fewer:.1f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
