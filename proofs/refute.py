"""Refutations.v: for every outcome that a table does not list, why it cannot be.
python proofs/refute.py src/proband/data/kinship/blended.toml > Refutations.v

A refutation is a list of instances of the axioms of blended/Sound.v, each of which leaves one literal or none, with a
case distinction where none does. A SAT solver finds which instances are needed; Coq checks each step again
(blended/Sound.v), so nothing here need be trusted."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from pysat.solvers import Minisat22
from table import constructor, meaning

Atom = tuple[str, int, int]  # predicate, two constants
Literal = tuple[bool, Atom]
Clause = tuple[Literal, ...]
Instance = tuple[str, tuple[int, ...]]  # name of an axiom of Sound.v, its constants

HEAD = """(* made by refute.py: for each outcome that is not listed, why it cannot be *)
Require Import List World Table Ground. Import ListNotations."""


def no(predicate: str, i: int, j: int = 0) -> Literal:
    return False, (predicate, i, j)


def so(predicate: str, i: int, j: int = 0) -> Literal:
    return True, (predicate, i, j)


# The axioms as clauses, the same as `clause` of Ground.v: Par i p: p is a parent of i; Sp: spouses; Eq: the same
# person; Man i; Anc i a: a is an ancestor of i; Kin; Mate: partners; Bes i s: s is beside i; One, Two: they share a
# parent, two parents.
AXIOMS: dict[str, Callable[..., Clause]] = {
    "Eq_refl": lambda i: (so("Eq", i, i),),
    "Eq_sym": lambda i, j: (no("Eq", i, j), so("Eq", j, i)),
    "Eq_trans": lambda i, j, k: (no("Eq", i, j), no("Eq", j, k), so("Eq", i, k)),
    "Par_left": lambda i, j, p: (no("Eq", i, j), no("Par", i, p), so("Par", j, p)),
    "Par_right": lambda p, q, i: (no("Eq", p, q), no("Par", i, p), so("Par", i, q)),
    "Sp_same": lambda i, j, k: (no("Eq", i, j), no("Sp", i, k), so("Sp", j, k)),
    "Sp_sym": lambda i, j: (no("Sp", i, j), so("Sp", j, i)),
    "Sp_one": lambda i, j, k: (no("Sp", i, j), no("Sp", i, k), so("Eq", j, k)),
    "Man_same": lambda i, j: (no("Eq", i, j), no("Man", i), so("Man", j)),
    "Fathers": lambda i, p, q: (no("Par", i, p), no("Par", i, q), no("Man", p), no("Man", q), so("Eq", p, q)),
    "Mothers": lambda i, p, q: (no("Par", i, p), no("Par", i, q), so("Man", p), so("Man", q), so("Eq", p, q)),
    "Anc_one": lambda i, p: (no("Par", i, p), so("Anc", i, p)),
    "Anc_more": lambda i, p, a: (no("Par", i, p), no("Anc", p, a), so("Anc", i, a)),
    "Anc_not": lambda i: (no("Anc", i, i),),
    "Kin_same": lambda i, j: (no("Eq", i, j), so("Kin", i, j)),
    "Kin_up": lambda i, p, j: (no("Par", i, p), no("Kin", p, j), so("Kin", i, j)),
    "Kin_sym": lambda i, j: (no("Kin", i, j), so("Kin", j, i)),
    "Mate_married": lambda i, j: (no("Sp", i, j), so("Mate", i, j)),
    "Mate_parents": lambda c, i, j: (no("Par", c, i), no("Par", c, j), so("Eq", i, j), so("Mate", i, j)),
    "Mate_sym": lambda i, j: (no("Mate", i, j), so("Mate", j, i)),
    "Mate_kin": lambda i, j: (no("Mate", i, j), no("Kin", i, j)),
    "Bes_is": lambda i, p, s: (no("Par", i, p), no("Mate", p, s), so("Par", i, s), so("Bes", i, s)),
    "Bes_kin": lambda i, s: (no("Bes", i, s), no("Kin", i, s)),
    "Bes_mate": lambda i, s, j: (no("Bes", i, s), no("Mate", i, j), no("Kin", s, j)),
    "Bes_bes": lambda i, s, t: (no("Bes", i, s), no("Bes", i, t), so("Eq", s, t), no("Kin", s, t)),
    "Bes_on": lambda i, s, j: (no("Bes", i, s), no("Mate", s, j), so("Par", i, j), no("Kin", i, j)),
    "One_is": lambda i, j, p: (no("Par", i, p), no("Par", j, p), so("One", i, j)),
    "One_sym": lambda i, j: (no("One", i, j), so("One", j, i)),
    "One_two": lambda i, j, k: (no("Two", i, j), no("One", i, k), so("One", j, k)),
    "Two_is": lambda i, j, p, q: (
        no("Par", i, p), no("Par", j, p), no("Par", i, q), no("Par", j, q), so("Eq", p, q), so("Two", i, j),
    ),
    "Two_par": lambda i, j, p: (no("Two", i, j), no("Par", i, p), so("Par", j, p)),
    "Two_sym": lambda i, j: (no("Two", i, j), so("Two", j, i)),
    # where a relation holds of two people
    "Is_parent": lambda i, j: (no("Par", i, j), so("parent_kin", i, j)),
    "Is_sibling": lambda i, j: (so("Eq", i, j), no("Two", i, j), so("sibling_kin", i, j)),
    "Is_spouse": lambda i, j: (no("Sp", i, j), so("spouse_kin", i, j)),
    "Is_grandparent": lambda i, j, u: (no("Par", i, u), no("Par", u, j), so("grandparent_kin", i, j)),
    "Is_pibling": lambda i, j, u: (no("Par", i, u), so("Eq", u, j), no("One", u, j), so("pibling_kin", i, j)),
    "Is_half": lambda i, j: (so("Eq", i, j), no("One", i, j), so("Two", i, j), so("half_sibling_kin", i, j)),
    "Is_step_parent": lambda i, j, u: (no("Par", i, u), no("Sp", u, j), so("Par", i, j), so("step_parent_kin", i, j)),
    "Is_step_sibling": lambda i, j, u, w: (
        no("Par", i, u), no("Sp", u, w), no("Par", j, w), so("One", i, j), so("step_sibling_kin", i, j),
    ),
}  # fmt: skip


def told(kin: str, i: int, j: int, n: int) -> list[Literal]:
    """What holds when j is the kin of i, over the witnesses n and n + 1: `told` of Ground.v."""
    m = n + 1
    return {
        "parent_kin": [so("Par", i, j)],
        "sibling_kin": [
            no("Eq", i, j), so("Par", i, n), so("Par", j, n), so("Par", i, m), so("Par", j, m), no("Eq", n, m),
        ],
        "spouse_kin": [so("Sp", i, j)],
        "grandparent_kin": [so("Par", i, n), so("Par", n, j)],
        "pibling_kin": [so("Par", i, n), no("Eq", n, j), so("Par", n, m), so("Par", j, m)],
        "half_sibling_kin": [no("Eq", i, j), no("Two", i, j), so("Par", i, n), so("Par", j, n)],
        "step_parent_kin": [no("Par", i, j), so("Par", i, n), so("Sp", n, j)],
        "step_sibling_kin": [no("One", i, j), so("Par", i, n), so("Sp", n, m), so("Par", j, m)],
    }[kin]  # fmt: skip


def stated(relation: tuple[str, bool], i: int, j: int, n: int) -> list[Literal]:
    kin, turned = relation
    return told(kin, j, i, n) if turned else told(kin, i, j, n)


def instances(constants: Sequence[int], asked: Sequence[tuple[int, int]]) -> Iterator[Instance]:
    for name, make in AXIOMS.items():
        arity = make.__code__.co_argcount
        if not name.startswith("Is_"):
            yield from ((name, some) for some in product(constants, repeat=arity))
        else:
            yield from ((name, (*pair, *rest)) for pair in asked for rest in product(constants, repeat=arity - 2))


def useful(clause: Clause) -> bool:
    """No clause that says nothing, as `p or not p`."""
    return not any((not sign, atom) in clause for sign, atom in clause)


# ---- which instances are needed ------------------------------------------------------------------------------------


class Ground:
    """A solver over the instances for some constants; each instance can be left out."""

    def __init__(self, constants: Sequence[int], asked: Sequence[tuple[int, int]]) -> None:
        self.number: dict[Atom, int] = {}
        self.clauses = {
            instance: tuple(dict.fromkeys(clause))
            for instance in instances(constants, asked)
            if useful(clause := AXIOMS[instance[0]](*instance[1]))
        }
        numbered = [[self.literal(literal) for literal in clause] for clause in self.clauses.values()]
        first = len(self.number) + 100  # room for atoms of facts that are in no clause
        self.switch = {instance: first + n for n, instance in enumerate(self.clauses)}
        self.instance = {switch: instance for instance, switch in self.switch.items()}
        self.solver = Minisat22([[-switch, *clause] for switch, clause in zip(self.instance, numbered, strict=True)])

    def literal(self, literal: Literal) -> int:
        sign, atom = literal
        return self.number.setdefault(atom, len(self.number) + 1) * (1 if sign else -1)

    def core(self, facts: Sequence[Literal]) -> list[Instance] | None:
        """Instances that the facts contradict, none of them idle; None where they contradict none."""
        needed = self._needed(list(self.clauses), facts)
        if needed is None:
            return None
        while len(fewer := self._needed(needed, facts) or []) < len(needed):
            needed = fewer
        for instance in list(needed):
            rest = [each for each in needed if each != instance]
            if (kept := self._needed(rest, facts)) is not None:
                needed = [each for each in needed if each in set(kept)]
        return needed

    def _needed(self, instances: Sequence[Instance], facts: Sequence[Literal]) -> list[Instance] | None:
        assumed = [*map(self.literal, facts), *(self.switch[instance] for instance in instances)]
        if self.solver.solve(assumptions=assumed):
            return None
        return [self.instance[each] for each in self.solver.get_core() or [] if each in self.instance]


# ---- from these to steps -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tree:
    text: str
    used: frozenset[Literal]  # facts that it rests on
    size: int


def refute(clauses: dict[Instance, Clause], facts: frozenset[Literal]) -> Tree:
    """Steps that end in a contradiction, the idle ones left out."""
    known, steps = set(facts), list[tuple[Instance, Literal, Clause]]()
    while True:
        for instance, clause in clauses.items():
            left = [each for each in clause if (not each[0], each[1]) not in known]
            if not left:
                tree = Tree(f"Last {spelled(instance)}", frozenset((not s, a) for s, a in clause), 1)
                return _with_steps(steps, tree)
            if len(left) == 1 and left[0] not in known:
                known.add(left[0])
                steps.append((instance, left[0], clause))
                break
        else:
            return _with_steps(steps, _cases(clauses, frozenset(known)))


def _with_steps(steps: Sequence[tuple[Instance, Literal, Clause]], tree: Tree) -> Tree:
    for instance, gained, clause in reversed(steps):
        if gained in tree.used:
            because = frozenset((not s, a) for s, a in clause if (s, a) != gained)
            tree = Tree(f"Step {spelled(instance)} ({tree.text})", tree.used - {gained} | because, tree.size + 1)
    return tree


def _cases(clauses: dict[Instance, Clause], known: frozenset[Literal]) -> Tree:
    """The case distinction with the fewest steps, looked for one level deep."""
    decided = {atom for _, atom in known}
    open_atoms = {atom: 0 for clause in clauses.values() for _, atom in clause if atom not in decided}
    for clause in clauses.values():
        left = [atom for sign, atom in clause if (not sign, atom) not in known]
        if not any(each in known for each in clause):
            for atom in left:
                open_atoms[atom] += 1 if len(left) > 2 else 3
    atom = max(open_atoms, key=lambda each: (open_atoms[each], each))
    yes = refute(clauses, known | {(True, atom)})
    if (True, atom) not in yes.used:
        return yes
    not_so = refute(clauses, known | {(False, atom)})
    if (False, atom) not in not_so.used:
        return not_so
    used = yes.used - {(True, atom)} | not_so.used - {(False, atom)}
    return Tree(f"Split {shown(atom)} ({yes.text}) ({not_so.text})", used, yes.size + not_so.size + 1)


def spelled(instance: Instance) -> str:
    return f"({instance[0]} {' '.join(map(str, instance[1]))})"


def shown(atom: Atom) -> str:
    predicate, i, j = atom
    if predicate.endswith("_kin"):
        return f"(Rel {predicate} {i} {j})"
    return f"(Man {i})" if predicate == "Man" else f"({predicate} {i} {j})"


# ---- what is to be refuted -----------------------------------------------------------------------------------------


class Refuter:
    """Refutations of lists of literals; the clauses for the same people are made once."""

    def __init__(self) -> None:
        self.grounds: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], Ground] = {}

    def __call__(self, facts: Sequence[Literal]) -> str:
        constants = tuple(sorted({constant for _, (_, i, j) in facts for constant in (i, j)}))
        asked = tuple(sorted({(i, j) for _, (predicate, i, j) in facts if predicate.endswith("_kin")}))
        ground = self.grounds.setdefault((constants, asked), Ground(constants, asked))
        if both := next((atom for sign, atom in facts if sign and (False, atom) in facts), None):
            return f"Last (Both {shown(both)})"
        needed = ground.core(facts)
        if needed is None:
            raise SystemExit(f"no contradiction: {facts}")
        return refute({instance: ground.clauses[instance] for instance in needed}, frozenset(facts)).text


def lines(toml: str) -> Iterator[str]:
    raw = tomllib.loads(toml)
    defined = {name: meaning(name, entry["inverse"]) for name, entry in raw["relations"].items()}
    means = {name: (text[1:].split(",")[0], text.endswith("true)")) for name, text in defined.items()}
    refuted = Refuter()
    yield HEAD
    yield "\nDefinition refuted (a b : relation) (s : option relation) : list refutation :=\n  match a, b, s with"
    for a, b in product(means, repeat=2):
        entry = raw["compose"][a][b]
        listed = [entry] if isinstance(entry, str) else entry
        facts = [no("Eq", 0, 1), no("Eq", 1, 2), no("Eq", 0, 2), *stated(means[a], 0, 1, 3), *stated(means[b], 1, 2, 5)]
        for s in means:
            if s not in listed:
                yield case(
                    f"{constructor(a)}, {constructor(b)}, Some {constructor(s)}",
                    refuted([*facts, *stated(means[s], 0, 2, 7)]),
                )
        if "other" not in listed:
            pairs = [(kin, (2, 0) if turned else (0, 2)) for kin, turned in map(means.__getitem__, listed)]
            yield case(
                f"{constructor(a)}, {constructor(b)}, None", refuted([*facts, *(no(kin, *pair) for kin, pair in pairs)])
            )
    yield "  | _, _, _ => []\n  end."
    yield "\nDefinition twice (r s : relation) : list refutation :=\n  match r, s with"
    for r, s in product(means, repeat=2):
        if r != s:
            facts = [no("Eq", 0, 1), *stated(means[r], 0, 1, 3), *stated(means[s], 0, 1, 5)]
            yield case(f"{constructor(r)}, {constructor(s)}", refuted(facts))
    yield "  | _, _ => []\n  end."


def case(pattern: str, refutation: str) -> str:
    return f"  | {pattern} => [{refutation}]"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    print("\n".join(lines(parser.parse_args().table.read_text(encoding="utf-8"))))
