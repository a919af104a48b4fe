"""Propositional formulas: what premises entail, and knights who tell the truth and knaves who lie.

Truth tables decide; the second prover is a SAT solver over the same formulas made into clauses.

>>> parsed = read_premises("Given:\\n1. (P → Q)\\n.2. P\\n.What can we conclude from the above statements?")
>>> follows("P ∧ Q", parsed, ""), follows("¬Q", parsed, ""), follows("P ∨ ¬P", parsed, "")
(True, False, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from typing import Any, Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

Formula = tuple[Any, ...]  # ("var", name) or (operator, formula, ...)
BINARY: Final[tuple[tuple[str, str], ...]] = (("↔", "iff"), ("→", "if"), ("∨", "or"), ("∧", "and"))  # loosest first
SPELLED: Final = {
    "<->": "↔", "<=>": "↔", "⟺": "↔", "⇔": "↔", "≡": "↔", "->": "→", "=>": "→", "⇒": "→", "⊃": "→", "\\/": "∨",
    "|": "∨", "/\\": "∧", "&": "∧", "~": "¬", "!": "¬",
}  # fmt: skip
MOST_VARIABLES: Final = 12


def true(formula: Formula, world: Mapping[str, bool]) -> bool:
    operator, *parts = formula
    if operator == "var":
        return world[parts[0]]
    values = [true(part, world) for part in parts]
    if operator == "not":
        return not values[0]
    if operator == "and":
        return all(values)
    if operator == "or":
        return any(values)
    return values[0] == values[1] if operator == "iff" else values[1] or not values[0]


def variables(*formulas: Formula) -> list[str]:
    def walk(formula: Formula) -> Iterator[str]:
        if formula[0] == "var":
            yield formula[1]
        else:
            for part in formula[1:]:
                yield from walk(part)

    return sorted({name for each in formulas for name in walk(each)})


def models(formulas: list[Formula], names: list[str]) -> list[dict[str, bool]]:
    rows = (dict(zip(names, row)) for row in product((True, False), repeat=len(names)))
    return [row for row in rows if all(true(each, row) for each in formulas)]


def satisfiable(formulas: list[Formula]) -> bool:
    """By clauses and a SAT solver: every part of a formula gets a name of its own (Tseitin)."""
    from pysat.solvers import Solver

    numbers: dict[Formula, int] = {}
    clauses: list[list[int]] = []

    def name(formula: Formula) -> int:
        if formula in numbers:
            return numbers[formula]
        parts = [name(part) for part in formula[1:]] if formula[0] != "var" else []
        own = numbers[formula] = len(numbers) + 1
        if formula[0] == "not":
            clauses.extend(([-own, -parts[0]], [own, parts[0]]))
        elif formula[0] in ("and", "or"):
            sign = 1 if formula[0] == "and" else -1
            clauses.extend([-sign * own, sign * part] for part in parts)
            clauses.append([sign * own, *(-sign * part for part in parts)])
        elif formula[0] == "if":
            clauses.extend(([own, parts[0]], [own, -parts[1]], [-own, -parts[0], parts[1]]))
        elif formula[0] == "iff":
            a, b = parts
            clauses.extend(([-own, -a, b], [-own, a, -b], [own, a, b], [own, -a, -b]))
        return own

    clauses.extend([[name(each)] for each in formulas])
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


# ---- what follows from premises ------------------------------------------------------------------------------------

PREMISE: Final = re.compile(r"(?m)^\.?\d+\. (.+)$")


def parse(text: str) -> Formula | None:
    """
    >>> parse("¬P -> (Q & R)")
    ('if', ('not', ('var', 'P')), ('and', ('var', 'Q'), ('var', 'R')))
    """
    for spelling, symbol in SPELLED.items():
        text = text.replace(spelling, symbol)
    tokens = re.findall(r"[A-Z]|[¬()∨∧→↔]", re.sub(r"\s", "", text))
    if "".join(tokens) != re.sub(r"\s", "", text) or len(tokens) > 400:
        return None
    try:
        formula, rest = _binary(tokens, 0)
    except (IndexError, ValueError, RecursionError):
        return None
    return formula if not rest else None


def _binary(tokens: list[str], level: int) -> tuple[Formula, list[str]]:
    if level == len(BINARY):
        return _unary(tokens)
    symbol, operator = BINARY[level]
    left, tokens = _binary(tokens, level + 1)
    while tokens and tokens[0] == symbol:
        right, tokens = _binary(tokens[1:], level if symbol == "→" else level + 1)
        left = (operator, left, right)
    return left, tokens


def _unary(tokens: list[str]) -> tuple[Formula, list[str]]:
    first, *rest = tokens
    if first == "¬":
        inner, rest = _unary(rest)
        return ("not", inner), rest
    if first == "(":
        inner, rest = _binary(rest, 0)
        if rest[0] != ")":
            raise ValueError
        return inner, rest[1:]
    if not first.isalpha():
        raise ValueError
    return ("var", first), rest


def read_premises(question: str) -> tuple[Formula, ...] | None:
    if "What can we conclude" not in question:
        return None
    premises = [parse(text.strip()) for text in PREMISE.findall(question)]
    known = [each for each in premises if each]
    fits = known and len(known) == len(premises) and len(variables(*known)) <= MOST_VARIABLES
    return tuple(known) if fits else None


def solve_premises(parsed: tuple[Formula, ...], world: str) -> Solution:
    count = len(models(list(parsed), variables(*parsed)))
    return solution(("what follows",) if count else (), f"{count} of {2 ** len(variables(*parsed))} rows are true")


def check_premises(parsed: tuple[Formula, ...], world: str) -> frozenset[str]:
    return frozenset(("what follows",) if satisfiable(list(parsed)) else ())


def follows(text: str, parsed: tuple[Formula, ...], world: str) -> bool | None:
    """Is it a formula of the premises' letters that holds in every row in which they do, and not in all rows? None
    where the premises contradict each other: then anything follows."""
    formula = parse(text.strip().strip(".`$*"))
    if not models(list(parsed), variables(*parsed)):
        return None
    if formula is None or not set(variables(formula)) <= set(variables(*parsed)):
        return False
    names = variables(*parsed)
    return all(true(formula, row) for row in models(list(parsed), names)) and bool(models([("not", formula)], names))


PROPOSITIONAL: Final = Puzzle(
    name="propositional_logic",
    gym_world="",
    worlds={"truth tables": "every letter is true or false"},
    read=read_premises,
    solve=solve_premises,
    check=check_premises,
    answer=lambda text, parsed: None,
    statements=lambda parsed: tuple(map(_shown, parsed)),
    form=lambda parsed: "premises",
    right=follows,
)


def _shown(formula: Formula) -> str:
    operator, *parts = formula
    if operator == "var":
        return str(parts[0])
    symbol = {"not": "¬", **{name: symbol for symbol, name in BINARY}}[operator]
    return f"¬{_shown(parts[0])}" if operator == "not" else f"({f' {symbol} '.join(map(_shown, parts))})"


# ---- knights and knaves --------------------------------------------------------------------------------------------

ISLAND: Final = re.compile(
    r"A very special island is inhabited only by (\w+?)s and (\w+?)s\. \w+ always tell the truth, and \w+ always lie\. "
    r"You meet \d+ inhabitants?: (.+?)\. (.+) So who is an? \w+ and who is an? \w+\?"
)
SPOKEN: Final = re.compile(
    r"(?:According to (?P<a>\w+), |In (?P<b>\w+)'s words: |As (?P<c>\w+) put it, |In a statement by (?P<d>\w+): |"
    r"(?P<e>\w+) (?:said|stated|remarked|was heard saying|commented|noted), |(?P<f>\w+) asserted: )"
    r'"(?P<quoted>[^"]+?)\.?"\.?\s*|'
    r'"(?P<first>[^"]+?),?"(?: -)? (?P<g>\w+)(?: declared| mentioned| claimed)?\.\s*|'
    r"(?P<h>\w+) (?:said|told you|expressed) that (?P<plain>[^.]+)\.\s*"
)


class Island(NamedTuple):
    names: tuple[str, ...]
    roles: tuple[str, str]  # who tells the truth, who lies
    claims: tuple[tuple[str, str, Formula], ...]  # who, in words, what

    def constraints(self) -> list[Formula]:
        """A speaker is truthful iff the claim is true."""
        return [("iff", ("var", who), formula) for who, _, formula in self.claims]


def read_island(question: str) -> Island | None:
    island = ISLAND.search(question)
    if not island:
        return None
    names = tuple(re.findall(r"[A-Z]\w+", island[3]))
    claims, at = [], 0
    while at < len(island[4]):
        spoken = SPOKEN.match(island[4], at)
        if not spoken:
            return None
        parts = spoken.groupdict()
        who = next(parts[key] for key in "abcdefgh" if parts[key])
        words = parts["quoted"] or parts["first"] or parts["plain"]
        formula = statement(words, names, (island[1], island[2]))
        if formula is None or who not in names:
            return None
        claims.append((who, words, formula))
        at = spoken.end()
    return Island(names, (island[1], island[2]), tuple(claims)) if claims else None


def statement(text: str, names: tuple[str, ...], roles: tuple[str, str]) -> Formula | None:
    """
    >>> statement("if Al is a knave then (Bo is a knight or Al is a knight)", ("Al", "Bo"), ("knight", "knave"))
    ('if', ('not', ('var', 'Al')), ('or', ('var', 'Bo'), ('var', 'Al')))
    """
    text = _unwrapped(text.strip())
    if match := re.fullmatch(r"(\w+) is an? (\w+)", text):
        if match[1] in names and match[2] in roles:
            return ("var", match[1]) if match[2] == roles[0] else ("not", ("var", match[1]))
        return None

    def compound(operator: str, *parts: str) -> Formula | None:
        read = [statement(part, names, roles) for part in parts]
        return (operator, *read) if all(read) else None

    if text.startswith("it is not the case that "):
        return compound("not", text.removeprefix("it is not the case that "))
    if text.startswith("if "):
        parts = _split(text.removeprefix("if "), " then ")
        return compound("if", *parts) if len(parts) == 2 else None
    for word, operator in ((" if and only if ", "iff"), (" and ", "and"), (" or ", "or")):
        parts = _split(text, word)
        if len(parts) > 1 and (operator != "iff" or len(parts) == 2):
            return compound(operator, *parts)
    return None


def _split(text: str, word: str) -> list[str]:
    """The text between the places of a word that stand outside brackets."""
    parts, depth, begun, at = [], 0, 0, 0
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth and text.startswith(word, at) and not (word == " and " and text[:at].endswith(" if")):
            parts.append(text[begun:at])
            begun = at = at + len(word)
        else:
            at += 1
    return [*parts, text[begun:]]


def _unwrapped(text: str) -> str:
    while text.startswith("(") and text.endswith(")"):
        depths = reduce(lambda made, c: [*made, made[-1] + {"(": 1, ")": -1}.get(c, 0)], text, [0])
        if 0 in depths[1:-1]:
            break
        text = text[1:-1]
    return text


def _in_words(island: Island, world: Mapping[str, bool]) -> str:
    return ", ".join(f"{name} is a {island.roles[not world[name]]}" for name in island.names)


def solve_island(parsed: Island, world: str) -> Solution:
    rows = models(parsed.constraints(), list(parsed.names))
    return solution(tuple(_in_words(parsed, row) for row in rows), f"{len(rows)} of {2 ** len(parsed.names)} rows fit")


def check_island(parsed: Island, world: str) -> frozenset[str]:
    def fits(row: Mapping[str, bool]) -> bool:
        roles = (("var", n) if row[n] else ("not", ("var", n)) for n in parsed.names)
        return satisfiable([*parsed.constraints(), *roles])

    rows = (dict(zip(parsed.names, row)) for row in product((True, False), repeat=len(parsed.names)))
    return frozenset(_in_words(parsed, row) for row in rows if fits(row))


ROLE: Final = re.compile(r"(\w+) is (?:an? )?(\w+)(?![\w/])")


def island_answer(text: str, parsed: Island) -> str | None:
    """Who is what, in the order of the question; None unless each is named once, and nothing else is said."""
    pairs = re.findall(ROLE, text)
    roles = dict(pairs)
    count = len(pairs)
    named = set(roles) == set(parsed.names) and count == len(parsed.names) and set(roles.values()) <= set(parsed.roles)
    if not named or not re.fullmatch(r"(?:and|so|therefore|[\W_])*", re.sub(ROLE, "", text), re.IGNORECASE):
        return None
    return _in_words(parsed, {name: roles[name] == parsed.roles[0] for name in parsed.names})


KNIGHTS: Final = Puzzle(
    name="knights_knaves",
    gym_world="",
    worlds={"island": "who speaks tells the truth always or never"},
    read=read_island,
    solve=solve_island,
    check=check_island,
    answer=island_answer,
    statements=lambda parsed: tuple(f"{who}: {words}" for who, words, _ in parsed.claims),
    form=lambda parsed: f"{len(parsed.names)} inhabitants",
)
