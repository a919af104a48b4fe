"""Entailment graphs in the formats that Berant released.

typed 2011     `<contain::fruit::metal> -> <be find in::metal::fruit>`: predicate, edge, predicate. The arguments follow
               the types: here the first of the one is the second of the other. Where both types are the same the edge
               says it: `->` straight, `-R>` swapped.
untyped 2012   `head@R@<TAB>be led by`: entailing and entailed ReVerb relation; `@R@` marks swapped arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.inference.datasets.rows import text_lines
from proband.suites.inference.methods.rule_files import Rule, RuleBase, canonical

SWAPPED = "@R@"


@lru_cache(maxsize=8)
def read_graph(path: Path) -> RuleBase:
    return RuleBase(rules(path))


def rules(path: Path) -> Iterator[Rule]:
    for number, line in text_lines(path):
        cells = line.split("\t")
        if len(cells) == 3 and cells[1] in ("->", "-R>"):
            yield typed(cells[0], cells[1], cells[2], path, number)
        elif len(cells) == 2:
            yield untyped(*cells)
        else:
            raise ProbandError(
                "is neither `entailing<TAB>entailed` nor `<a::t::u><TAB>-><TAB><b::t::u>`", file=path, line=number
            )


def typed(premise: str, edge: str, hypothesis: str, path: Path, line: int) -> Rule:
    parts = [each.strip("<>").split("::") for each in (premise, hypothesis)]
    if any(len(each) != 3 for each in parts):
        raise ProbandError("a typed predicate is <text::type::type>", file=path, line=line)
    (name, first, second), (other, *types) = parts
    swapped = edge == "-R>" if first == second else [first, second] != types
    return Rule(canonical(name), canonical(other), swapped, (first, second))


def untyped(premise: str, hypothesis: str) -> Rule:
    """
    >>> untyped("revolutionize@R@", "be changed by")
    Rule(premise='revolutionize', hypothesis='be change by', swapped=True, types=('', ''))
    """
    swapped = premise.endswith(SWAPPED) != hypothesis.endswith(SWAPPED)
    return Rule(canonical(premise.removesuffix(SWAPPED)), canonical(hypothesis.removesuffix(SWAPPED)), swapped)
