"""The checker: its own axioms agree with the kernel's, and it accepts the instances of rules and no others."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path

from proband.suites.kinship.verify import checker
from proband.suites.kinship.world.families import make_family, rows_of
from proband.suites.kinship.world.relations import NEUTRALS, WORDS, Family
from proband.suites.kinship.world.rules import load

SOUND = (files("proband") / "data" / "kinship" / "sound.toml").read_text(encoding="utf-8")


def test_it_is_small_and_shares_nothing() -> None:
    text = Path(checker.__file__).read_text(encoding="utf-8")
    assert text.count("\n") <= 330  # three worlds, whose axioms are written out
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not any("proband" in ast.unparse(node) for node in imports)


def test_relations_as_the_kernel_reads_them() -> None:
    for seed in range(6):
        family = make_family(random.Random(seed))
        rows, parents = rows_of(family), [set(p) for p in family.parents]
        assert checker.broken(rows, parents) is None
        for i, j in product(range(len(family)), repeat=2):
            found = {name for name in NEUTRALS if checker.HOLDS[name](rows, parents, i, j)} if i != j else set()
            assert found == (set(family.neutral_relations(i, j)) if i != j else set())


def damaged(family: Family, rng: random.Random) -> Family:
    """One pointer of the family changed."""
    person, other = rng.randrange(len(family)), rng.choice([None, *range(len(family))])
    field = rng.choice(("father", "mother", "spouses"))
    values: list[object] = list(getattr(family, field))
    values[person] = other if field != "spouses" else () if other is None else (other,)
    return replace(family, **{field: tuple(values)})  # type: ignore[arg-type]


def test_axioms_as_the_kernel_reads_them() -> None:
    rng, wrong = random.Random(1), 0
    small = [make_family(random.Random(seed)) for seed in range(4)]
    for _ in range(400):
        family = damaged(rng.choice(small), rng)
        verdict = checker.broken(rows_of(family), [set(p) for p in family.parents])
        assert (verdict is None) == (family.broken() is None)
        wrong += verdict is not None
    assert wrong > 200


def test_steps_are_the_single_outcomes_of_the_table() -> None:
    rules, table = load("sound"), checker.read_table(SOUND)
    accepted = 0
    for a, b, c in product(NEUTRALS, repeat=3):
        for genders in product(("male", "female"), repeat=3):
            female = [gender == "female" for gender in genders]
            step = (
                (0, WORDS[a][female[1]], 1),
                (1, WORDS[b][female[2]], 2),
                (0, WORDS[c][female[2]], 2),
            )
            row = (rules.same if genders[0] == genders[2] else rules.table)[NEUTRALS.index(a)]
            single = row[NEUTRALS.index(b)] == 1 << NEUTRALS.index(c)
            if any(checker.misnamed(edge, genders, table) for edge in step):
                continue
            known = {(0, 1): {a}, (1, 2): {b}}
            left = checker.left_by(step, known, genders, table)
            assert (left == {c}) == single, (step, left)
            accepted += single
    assert accepted == 240


def test_a_step_needs_its_premises_and_three_people() -> None:
    table, genders = checker.read_table(SOUND), ["male", "male", "male"]
    step = [[0, "father", 1], [1, "father", 2], [0, "grandfather", 2]]
    both = {(0, 1): {"parent"}, (1, 2): {"parent"}}
    assert checker.left_by(step, both, genders, table) == {"grandparent"}
    assert "premise" in str(checker.left_by(step, {(0, 1): {"parent"}}, genders, table))
    assert "three people" in str(checker.left_by([step[0], step[1], [1, "grandfather", 2]], both, genders, table))
    circle = [[0, "brother", 1], [1, "brother", 0], [0, "brother", 0]]
    assert isinstance(checker.left_by(circle, {(0, 1): {"sibling"}, (1, 0): {"sibling"}}, genders, table), str)


def test_premises_that_contradict_each_other_prove_nothing() -> None:
    """Without a family to show that the facts can be true, two facts could prove anything."""
    rules = 'name = "x"\n[relations]\na = { inverse = "a" }\nb = { inverse = "b" }\n[compose.a]\na = []\n'
    table, genders = checker.read_table(rules), ["none"] * 3
    step = [[0, "a", 1], [1, "a", 2], [0, "b", 2]]
    assert "contradict" in str(checker.left_by(step, {(0, 1): {"a"}, (1, 2): {"a"}}, genders, table))
    facts = {"genders": genders, "edges": [[0, "a", 1], [0, "b", 1]], "query": [0, 1], "target": "b", "proof": []}
    assert "different things" in str(checker.check(facts, table))
