"""The options of `proband build kinship` and the plan that follows from them: how many stories of which kind, checked
before the first one is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Literal

from proband.core.errors import ProbandError
from proband.core.plugins import Meta, OnCommandLine
from proband.core.types import Split
from proband.suites.kinship.logic.noise import KINDS, WAYS
from proband.suites.kinship.telling.bank import FAMILIES, OURS, checked_bank, names_in
from proband.suites.kinship.world.families import FamilyShape
from proband.suites.kinship.world.relations import STRICT
from proband.suites.kinship.world.rules import load

MIXED = ("clean", "supporting", "irrelevant", "disconnected", "all", "memory")
TASKS = (*MIXED, "mixed")  # for chains of any length
LONGEST_OF_BOTH = 4  # facts of the shorter of two ways that are both needed: longer ones hardly come up
LICENCE = "Apache-2.0 (rules, templates, names and stories are Proband's own)"
HOLD_OUTS = ("paraphrases", "clauses", "lengths", "names")
CONSTRUCTED = "constructions"  # held out by name, of a bank that has them
MOST_LEVELS = 8  # a family grows with each by as many times as couples have children
LEVELS_WITH_GREAT_GRANDPARENTS = 4
PARTED = 0.5  # share of the couples of the blended world
LARGEST = 200  # of k, noise-size and children
Share = Annotated[float, Meta(gt=0, lt=1)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]


RARE = OnCommandLine(in_profile=True)


def _says(text: str) -> Meta:
    return Meta(description=text)


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """What stories to make. `--data` takes CLUTRR's own rows instead; see RELEASED for what applies to them."""

    task: Annotated[str, _says(f"{', '.join((*TASKS, *WAYS))}; several with commas")] = "clean"
    k: Annotated[str | int, _says("facts per story, like 2,3,4 or 2..10")] = "2,3,4"
    per_k: Annotated[Count, _says("stories per task and k")] = 100
    hold_out: Annotated[
        str, _says(f"{', '.join(HOLD_OUTS)} (several with commas) or all; {CONSTRUCTED} (of a bank that has them)")
    ] = ""
    test_k: Annotated[
        str | int | None, _says("lengths of the test stories (default: k; with lengths held out: up to 10)")
    ] = None
    test_per_k: Annotated[
        Natural | None, _says("test stories per task and k (default with a hold-out: 100 at most)")
    ] = None
    held_paraphrases: Annotated[Share, _says("share of the paraphrases held out"), RARE] = 0.2
    held_clauses: Annotated[Share, _says("share of the clauses held out (only k > 2)"), RARE] = 0.1
    held_names: Annotated[Share, _says("share of the names held out"), RARE] = 0.2
    rules: Annotated[
        str, _says("sound, wide (great-grandparents, cousins), blended (half-, step-), clutrr, grid, or a TOML file")
    ] = "sound"
    certify: Annotated[
        Literal["full", "sample", "none"],
        _says("search for a counter-family: full, a random sample (1 in 500), none; the closure proves every item"),
    ] = "sample"
    labels: Annotated[
        Literal["balanced", "uniform"], _says("balanced: every target and gender equally often; uniform: drawn"), RARE
    ] = "balanced"
    balance: Annotated[
        Literal["none", "shortcuts"],
        _says("shortcuts: stories in sets with the same ends and generations and different answers"),
        RARE,
    ] = "none"
    max_per_clause: Annotated[Count | None, _says("largest number of stories of one clause per task and k"), RARE] = (
        None
    )
    noise_size: Annotated[
        str | int, _says("facts per noise path: a number, a range like 2..3, or by kind: supporting=2,irrelevant=1")
    ] = "2"
    open: Annotated[
        Probability, _says('share of the stories whose answer cannot be told; "cannot be told" is then a choice')
    ] = 0.0
    question: Annotated[
        Literal["choice", "text", "yes-no", "sets"],
        _says("choice, text, yes-no, or sets: all that somebody can be"),
    ] = "choice"
    questions: Annotated[
        Count, _says("questions about one story (task clean), the others about parts of its chain"), RARE
    ] = 1
    form: Annotated[Literal["story", "facts", "graph"], _says("story, facts (plain sentences) or graph (triples)")] = (
        "story"
    )
    brackets: Annotated[bool, _says("names in [brackets]")] = False
    anonymise: Annotated[bool, _says("@entity-k instead of names"), RARE] = False
    bank: Annotated[
        str,
        _says(
            "proband, scenes (with paraphrases for certain relations), constructions (kin told in ten ways), release2 "
            "(those and one more, in 154 settings), a bank file, "
            "clutrr:FOLDER (the crowd's, with ours where it has none) or clutrr-only:FOLDER"
        ),
    ] = "proband"
    constructions: Annotated[
        str,
        _says(f"those to tell with, or to keep for the test, of the bank: {', '.join(FAMILIES['release2'])}"),
    ] = ""
    weave_noise: Annotated[
        bool, _says("noise at random places among the facts, never all of it before or behind them")
    ] = False
    avoid: Annotated[
        str,
        _says("regular expression: a story whose text has it is told again in other words (with --form story)"),
        RARE,
    ] = ""
    revisit: Annotated[bool, _says("a chain may visit a person twice, as in CLUTRR"), RARE] = False
    facts_along_chain: Annotated[
        bool, _says("state every fact from the asker's side, in the order of the chain, as CLUTRR does")
    ] = False
    families: Annotated[int, Meta(ge=2), _says("number of families the stories come from"), RARE] = 12
    levels: Annotated[
        int, Meta(ge=2, le=MOST_LEVELS), _says(f"generations per family, at most {MOST_LEVELS}"), RARE
    ] = 3
    children: Annotated[str | int, _says("children per couple, a range"), RARE] = "1..4"
    marry: Annotated[Probability, _says("probability that a child marries"), RARE] = 0.8
    inlaws: Annotated[Probability, _says("probability that a person who marries in has parents"), RARE] = 0.6
    founders: Annotated[Count, _says("founding couples per family"), RARE] = 2
    workers: Annotated[Count, _says("processes; the result does not depend on it")] = 1
    data: Annotated[
        Path | None, _says("take CLUTRR's own rows instead: a CSV file, a release, or a folder of them")
    ] = None
    release: Annotated[
        str | int | None, _says("build a frozen set: its number, or a definition of your own as TOML file")
    ] = None
    unreadable: Annotated[
        Literal["fail", "skip"], _says("at a row of --data that cannot be read: fail and name it, or skip it")
    ] = "fail"


def example_options(options: BuildOptions) -> BuildOptions | None:
    """A few stories of the same kinds, to show as worked examples; CLUTRR's rows have a train split of their own."""
    if options.data is not None or options.release is not None:
        return None
    return replace(options, per_k=44, certify="none", workers=1)


RELEASED = ("data", "question", "form", "brackets", "certify", "unreadable")  # what applies to CLUTRR's own rows


def refuse_others(options: BuildOptions, allowed: Sequence[str], why: str) -> None:
    """An option that is set and not among those allowed is an error."""
    for field in fields(options):
        if field.name not in allowed and getattr(options, field.name) != field.default:
            raise ProbandError(f"{field.name.replace('_', '-')!r} does not apply to {why}")


def parse_range(text: str | int, name: str = "k") -> tuple[int, ...]:
    """
    >>> parse_range("2..5"), parse_range("2,4,10"), parse_range(3)
    ((2, 3, 4, 5), (2, 4, 10), (3,))
    """
    numbers: list[int] = []
    try:
        for part in str(text).split(","):
            low, dots, high = part.partition("..")
            first, last = int(low), int(high if dots else low)
            if last > LARGEST:
                raise ProbandError(f"{name!r} is {text!r}; the largest is {LARGEST}")
            numbers += range(first, last + 1)
    except ValueError:
        raise ProbandError(f"{name!r} is {text!r}; write it like 2,3,4 or 2..10") from None
    if not numbers or min(numbers) < 0:
        raise ProbandError(f"{name!r} is {text!r}, which names no length")
    return tuple(dict.fromkeys(numbers))


def parse_hold_out(text: str) -> tuple[str, ...]:
    """
    >>> parse_hold_out("names,clauses"), len(parse_hold_out("all")), parse_hold_out("")
    (('clauses', 'names'), 4, ())
    """
    names = [part.strip() for part in text.split(",") if part.strip()]
    if names == ["all"]:
        return HOLD_OUTS
    known = (*HOLD_OUTS, CONSTRUCTED)
    if wrong := next((name for name in names if name not in known), None):
        raise ProbandError(f"'hold-out' has no {wrong!r}; it takes {', '.join(known)} or all")
    return tuple(name for name in known if name in names)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """`count` stories of one kind. `part` is "train" or "test" where stories are held out, else nothing.

    A release (release.py) also has the `split` valid, whose stories follow those of training, and hidden, and slices of
    the test, of which some are told in the phrases of training.
    """

    part: str
    task: str
    k: int
    count: int
    first: int = 0  # round to begin with
    name: str = ""  # of the split, where it is not that of the part
    slice: str = ""
    phrases: str = ""  # "train": of training, whatever the part

    @property
    def split(self) -> Split:
        name = self.name or self.part
        return "train" if name == "train" else "valid" if name == "valid" else "test"

    @property
    def prefix(self) -> str:
        """
        >>> Cell(part="test", task="clean", k=2, count=1, slice="plain").prefix
        'test-plain-clean-k2'
        """
        names = (self.name or self.part, self.slice if self.slice != self.task else "", self.task, f"k{self.k}")
        return "-".join(filter(None, names))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that decides a build: seed, options, and what follows from them."""

    seed: int
    options: BuildOptions
    cells: tuple[Cell, ...]
    hold_out: tuple[str, ...]
    noise_size: dict[str, range]  # by kind
    shape: FamilyShape
    secret: str = ""  # with the seed, decides stories that nobody can make without it; hold-outs are the seed's alone

    @property
    def balanced(self) -> bool:
        """Whether stories come in sets with the same ends and generations."""
        return self.options.balance != "none" or self.options.question == "sets"


def make_plan(options: BuildOptions, *, seed: int) -> Plan:
    """The plan for the options; fails at once, in a sentence, for what cannot be built."""
    children_range = parse_range(options.children, "children")
    held, world = parse_hold_out(options.hold_out), load(options.rules).kin
    plan = Plan(
        seed=seed,
        options=options,
        cells=_cells(options, held),
        hold_out=held,
        noise_size=_noise_sizes(str(options.noise_size)),
        shape=FamilyShape(
            levels=max(options.levels, LEVELS_WITH_GREAT_GRANDPARENTS if world.wide else 2),
            children=(min(children_range), max(children_range)),
            marry=options.marry,
            inlaws=options.inlaws,
            founders=options.founders,
            part=PARTED if world.blended else 0.0,
            cross=0.0 if world.blended else FamilyShape.cross,  # or step-siblings might marry
        ),
    )
    _check(plan)
    return plan


def _cells(options: BuildOptions, held: tuple[str, ...]) -> tuple[Cell, ...]:
    tasks, lengths = list(dict.fromkeys(part.strip() for part in options.task.split(","))), parse_range(options.k)
    if wrong := next((name for name in tasks if name not in (*TASKS, *WAYS)), None):
        raise ProbandError(f"no task {wrong!r}; there are {', '.join((*TASKS, *WAYS))}")
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
    by_kind = dict.fromkeys(KINDS, str(BuildOptions.noise_size) if "=" in text else text)
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
    _check_constructions(plan)
    if rules.kin != STRICT and options.form == "story" and options.bank != OURS[0]:
        raise ProbandError(f"'bank' {options.bank} has no words for the relations of {rules.name!r}: --bank {OURS[0]}")
    if options.open:
        if rules.world != "family" or options.question in ("yes-no", "sets") or options.revisit or options.anonymise:
            raise ProbandError("'open' needs the family world, --question choice or text, no 'revisit', no 'anonymise'")
        if kinds & set(WAYS):
            raise ProbandError("'open' has no meaning for tasks 'either' and 'both', whose answers follow")
        if kinds & {"memory", "mixed"}:
            raise ProbandError("'open' has no meaning for tasks 'memory' and 'mixed', where answers are told")
    if kinds & set(WAYS) and (rules.name != "sound" or options.revisit or options.anonymise):
        raise ProbandError("tasks 'either' and 'both' need the rules 'sound', no 'revisit', no 'anonymise'")
    if any(cell.task == "both" and cell.k > LONGEST_OF_BOTH for cell in plan.cells):
        raise ProbandError(f"task 'both' has ways of {LONGEST_OF_BOTH} facts at most (k)")
    if options.questions > 1 and options.question == "sets":
        raise ProbandError("'question' sets asks one question about a story ('questions')")
    if options.questions > 1 and (kinds != {"clean"} or rules.name != "sound" or options.revisit or options.anonymise):
        raise ProbandError("'questions' needs the task 'clean', the rules 'sound', no 'revisit', no 'anonymise'")
    if plan.balanced:
        balance = "'balance'" if options.balance != "none" else "'question' sets"
        if rules.name != "sound" or options.revisit or options.anonymise or options.max_per_clause:
            raise ProbandError(f"{balance} needs the rules 'sound', no 'revisit', 'anonymise' or 'max-per-clause'")
        if kinds & {"memory", "mixed", *WAYS}:
            raise ProbandError(f"{balance} needs tasks with one chain whose answer is not told")
    if options.avoid:
        try:
            re.compile(options.avoid)
        except re.error as error:
            raise ProbandError(f"'avoid' is no regular expression: {error}") from None
    if options.anonymise and "names" in plan.hold_out:
        raise ProbandError("'hold-out' names and 'anonymise' exclude each other")
    if options.unreadable != BuildOptions.unreadable:
        raise ProbandError("'unreadable' is about the rows of --data, which is not given")
    if options.form == "story" and rules.world == "family" and options.bank not in OURS:
        checked_bank(options.bank)


def _check_constructions(plan: Plan) -> None:
    named, families = names_in(plan.options.constructions), FAMILIES.get(plan.options.bank, ())
    if (named or CONSTRUCTED in plan.hold_out) and not families:
        raise ProbandError(f"'constructions' needs --bank {' or '.join(FAMILIES)}")
    if wrong := next((name for name in named if name not in families), None):
        raise ProbandError(f"'constructions' has no {wrong!r}; there are {', '.join(families)}")
    if CONSTRUCTED in plan.hold_out and not 0 < len(named) < len(families):
        raise ProbandError("'hold-out' constructions: --constructions names those that are kept for the test")
    if CONSTRUCTED in plan.hold_out and "paraphrases" in plan.hold_out and plan.options.bank == CONSTRUCTED:
        raise ProbandError("'hold-out' constructions keeps their paraphrases for the test: leave out 'paraphrases'")
