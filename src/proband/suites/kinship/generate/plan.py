"""From options to a plan: how many stories of which kind, checked before the first one is made."""

from __future__ import annotations

from dataclasses import dataclass

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.kinship.generate.options import TASKS, BuildOptions, parse_hold_out, parse_range
from proband.suites.kinship.logic.noise import KINDS
from proband.suites.kinship.telling.bank_sources import OURS, checked_bank
from proband.suites.kinship.world.families import Shape
from proband.suites.kinship.world.rules import load

MIXED = TASKS[:-1]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """`count` stories of one kind. `part` is "train" or "test" where stories are held out, else nothing."""

    part: str
    task: str
    k: int
    count: int

    @property
    def split(self) -> Split:
        return "train" if self.part == "train" else "test"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that decides a build: seed, options, and what follows from them."""

    seed: int
    options: BuildOptions
    cells: tuple[Cell, ...]
    hold_out: tuple[str, ...]
    noise_size: dict[str, range]  # by kind
    shape: Shape


def make_plan(options: BuildOptions, *, seed: int) -> Plan:
    """The plan for the options; fails at once, in a sentence, for what cannot be built."""
    children_range = parse_range(options.children, "children")
    held = parse_hold_out(options.hold_out)
    plan = Plan(
        seed=seed,
        options=options,
        cells=_cells(options, held),
        hold_out=held,
        noise_size=_noise_sizes(str(options.noise_size)),
        shape=Shape(
            levels=options.levels,
            children=(min(children_range), max(children_range)),
            marry=options.marry,
            inlaws=options.inlaws,
            founders=options.founders,
        ),
    )
    _check(plan)
    return plan


def _cells(options: BuildOptions, held: tuple[str, ...]) -> tuple[Cell, ...]:
    tasks, lengths = list(dict.fromkeys(part.strip() for part in options.task.split(","))), parse_range(options.k)
    if wrong := next((name for name in tasks if name not in TASKS), None):
        raise ProbandError(f"no task {wrong!r}; there are {', '.join(TASKS)}")
    if not held and not options.test_per_k and options.test_k is None:
        return tuple(Cell(part="", task=t, k=n, count=options.per_k) for t in tasks for n in lengths)
    longer = f"{max(lengths) + 1}..{max(10, max(lengths) + 1)}"
    default = longer if "lengths" in held else options.k
    test = parse_range(default if options.test_k is None else options.test_k, "test-k")
    if "lengths" in held and min(test) <= max(lengths):
        raise ProbandError(
            f"'hold-out' lengths: test stories of {min(test)} facts are not longer than all training ones"
        )
    count = min(options.per_k, 100) if options.test_per_k is None else options.test_per_k
    train = [Cell(part="train", task=t, k=n, count=options.per_k) for t in tasks for n in lengths]
    return (*train, *(Cell(part="test", task=t, k=n, count=count) for t in tasks for n in test if count))


def _noise_sizes(text: str) -> dict[str, range]:
    """
    >>> _noise_sizes("supporting=2..3,irrelevant=1")
    {'supporting': range(2, 4), 'irrelevant': range(1, 2), 'disconnected': range(2, 3)}
    """
    by_kind = dict.fromkeys(KINDS, "2" if "=" in text else text)
    for part in text.split(",") if "=" in text else []:
        kind, _, size = (word.strip() for word in part.partition("="))
        if kind not in KINDS:
            raise ProbandError(f"'noise-size' names {kind!r}; kinds of noise are {', '.join(KINDS)}")
        by_kind[kind] = size
    sizes = {kind: parse_range(size, "noise-size") for kind, size in by_kind.items()}
    return {kind: range(min(size), max(size) + 1) for kind, size in sizes.items()}


def _check(plan: Plan) -> None:
    options, rules = plan.options, load(plan.options.rules)
    kinds, noise = {cell.task for cell in plan.cells}, min(size.start for size in plan.noise_size.values())
    shortest = min((cell.k for cell in plan.cells if cell.task != "memory"), default=2)
    if shortest < 2 or any(cell.k < 1 for cell in plan.cells):
        raise ProbandError(f"'k' is {shortest}; a story whose answer is not told has at least 2 facts")
    if noise < 1:
        raise ProbandError(f"'noise-size' is {noise}; it must be at least 1")
    if plan.noise_size["supporting"].start < 2 and kinds & {"supporting", "all", "mixed"}:
        raise ProbandError("'noise-size' is 1; a supporting path has at least 2 facts, or it would be a short cut")
    if rules.world != "family" and (options.certify == "full" or options.revisit):
        raise ProbandError(
            f"rule base {rules.name!r} has no families: 'certify' full and 'revisit' need world = \"family\""
        )
    if "paraphrases" in plan.hold_out and (options.form != "story" or rules.world != "family"):
        raise ProbandError("'hold-out' paraphrases needs --form story and the family world: nothing else has any")
    if options.anonymise and "names" in plan.hold_out:
        raise ProbandError("'hold-out' names and 'anonymise' exclude each other")
    if options.unreadable != BuildOptions.unreadable:
        raise ProbandError("'unreadable' is about the rows of --data, which is not given")
    if options.form == "story" and rules.world == "family" and options.bank not in OURS:
        checked_bank(options.bank)
