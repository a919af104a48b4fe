"""Findings of the paper that compare differences: leads, gaps and sizes, relation by relation.

    accuracy(model, relation, probe), as in table 1; a finding is then a t-test over relations

What each needs is told where it is open for want of it: two sizes of one model, a language model beside static vectors,
or one model alone.

Does word frequency explain the errors? (section 4, "Word Frequency")

The frequency of an output tuple is the harmonic mean of its two words' frequencies. For each relation, items of the
random probe answered rightly and wrongly are compared by a two-sample Kolmogorov-Smirnov test, as in the paper; forty
tests at once are corrected by Holm's method, and an effect size is given: Cliff's delta, P(right > wrong) - P(right <
wrong).

Items made of one tuple are not independent, so that test finds effects where there are none. Beside it stands one that
takes the tuple as its unit: Spearman's correlation of a tuple's frequency with the share of its items answered rightly.

The outcome is the paper's sentence "for most relation types (over two thirds), p-values are higher than 0.05": the
share of relations without an effect minus two thirds, by a binomial test over relations.
"""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.metrics import accuracy_of
from proband.core.suite import Analysis, Claim, Outcome, Results, Sheet
from proband.core.types import Answer, Item
from proband.stats import holm
from proband.suites.analogy.relations import Pair, facts_of

SIZE = "a larger model is above a smaller one of its family"
GAP = "the gap of semantic and morphological relations is smaller for language models"
LEAD = "the lead of reverse and type over random is larger for static vectors"
CLOSE = "reverse is above type, above all for relations of close categories"
EXCEPTIONS = "frequency matters for male : female and adjective : comparative"
# the number of parameters, or its word, in a model's name; of two models with the same rest the later is larger
SIZES = re.compile(r"(?<![a-z])(tiny|mini|small|base|medium|large|xl|\d+(?:\.\d+)?[mb])(?![a-z])", re.IGNORECASE)
WORDS = ("tiny", "mini", "small", "base", "medium", "large", "xl")
LANGUAGE_MODELS, STATIC = ("pppl",), ("difference",)
EXCEPTED = ("male : female", "adjective : comparative", "adj : comparative")
CLOSE_GROUP = "LS"  # lexicographic relations: head and tail are words of one kind (part : whole, hyponym : hypernym)

SAME = 1e-9  # of accuracies: no relation differs
Cell = tuple[str, str]  # relation, probe
Table = Mapping[Cell, float]


def size_of(model: str) -> tuple[str, float] | None:
    """A model's family and its size.

    >>> size_of("hf:roberta-base"), size_of("hf:org/qwen2.5-1.5b"), size_of("embedded:mlm")
    (('hf:roberta-', 3.0), ('hf:org/qwen2.5-', 1500000000.0), None)
    """
    match = SIZES.search(model)
    if match is None:
        return None
    word, family = match[1].lower(), model[: match.start()] + model[match.end() :]
    if word in WORDS:
        return family, float(WORDS.index(word))
    return family, float(word[:-1]) * (1e9 if word.endswith("b") else 1e6)


def table_of(results: Results, run: int) -> Table:
    """Mean accuracy of each relation in each probe."""
    cells: dict[Cell, list[float]] = defaultdict(list)
    for item, answer in results.scored(run):
        value = accuracy_of(item, answer)
        if value is not None:
            cells[str(item.tags["relation"]), str(item.tags["paper_probe"])].append(value)
    return {cell: float(np.mean(values)) for cell, values in cells.items()}


def paired(differences: Sequence[float], evidence: str) -> Outcome:
    """The mean over relations against 0."""
    from scipy.stats import ttest_1samp

    text = f"{evidence}, {len(differences)} relations"
    if len(differences) < 3 or np.ptp(differences) < SAME:
        return Outcome(difference=None, p=None, evidence=f"{text}: too few to tell")
    return Outcome(difference=float(np.mean(differences)), p=float(ttest_1samp(differences, 0).pvalue), evidence=text)


def apart(one: Sequence[float], other: Sequence[float], evidence: str) -> Outcome:
    """The mean of one group of relations less that of another (Welch)."""
    from scipy.stats import ttest_ind

    text = f"{evidence}, {len(one)} and {len(other)} relations"
    if min(len(one), len(other)) < 3 or max(np.ptp(one), np.ptp(other)) < SAME:
        return Outcome(difference=None, p=None, evidence=f"{text}: too few to tell")
    with warnings.catch_warnings():  # one of the groups may have no spread
        warnings.simplefilter("ignore", RuntimeWarning)
        p = float(ttest_ind(one, other, equal_var=False).pvalue)
    return Outcome(difference=float(np.mean(one) - np.mean(other)), p=p, evidence=text)


def lead(table: Table, relation: str, probe: str) -> float:
    return table[relation, probe] - table[relation, "random"]


def findings(results: Results, seed: int) -> Sequence[Sheet]:
    items = list(results.items())
    if not items or "paper_probe" not in items[0].tags:
        return ()
    groups = {str(item.tags["relation"]): str(item.tags["group"]) for item in items}
    outcomes: dict[str, dict[str, Outcome]] = defaultdict(dict)
    tables = [table_of(results, at) for at in range(len(results.runs))]
    for at, table in enumerate(tables):
        for test, outcome in alone(table, groups):
            outcomes[test][results.labels[at]] = outcome
        if (frequency := exceptions(results, at)) is not None:
            outcomes[EXCEPTIONS][results.labels[at]] = frequency
    for a, b in permutations(range(len(tables)), 2):
        for test, outcome in between(results, a, b, tables, groups):
            outcomes[test][f"{results.labels[a]} / {results.labels[b]}"] = outcome
    rows = tuple(
        (test, runs, each.difference, each.p, each.evidence)
        for test, by_runs in outcomes.items()
        for runs, each in by_runs.items()
    )
    note = "Differences of accuracies (1 is 100 %), tested over relations; p is not corrected here, the claims are."
    header = ("finding", "runs", "difference", "p", "evidence")
    title = "Leads, gaps and sizes, relation by relation"
    return (Sheet(name="leads", title=title, header=header, rows=rows, note=note, outcomes=outcomes),)


def alone(table: Table, groups: Mapping[str, str]) -> Iterator[tuple[str, Outcome]]:
    """What is asked of one model."""
    both = [r for r in groups if (r, "reverse") in table and (r, "type") in table]
    ahead = {r: table[r, "reverse"] - table[r, "type"] for r in both}
    close = [ahead[r] for r in both if groups[r] == CLOSE_GROUP]
    other = [ahead[r] for r in both if groups[r] != CLOSE_GROUP]
    if close and other:
        yield CLOSE, apart(close, other, "reverse less type, close categories (LS) against the others")


def exceptions(results: Results, run: int) -> Outcome | None:
    """That both of the paper's exceptions have p < 0.05 in the frequency analysis (the larger p, against 0.05), where
    at most a third of the other relations have: otherwise they are no exceptions, and the claim is open."""
    effects = {each.relation: each.p for each in effects_of(results.scored(run), from_wordfreq()) if each.p is not None}
    known = {relation: p for relation, p in effects.items() if relation in EXCEPTED}
    if not known:
        return None
    shown = ", ".join(f"{relation} p {p:.3g}" for relation, p in known.items())
    if len(known) < 2:
        return Outcome(difference=None, p=None, evidence=f"{shown}: one of the two is missing")
    others = [p for relation, p in effects.items() if relation not in EXCEPTED]
    below = sum(p < 0.05 for p in others)
    worst = max(known.values())
    holds = worst < 0.05 and 3 * below <= len(others)
    evidence = f"{shown}; {below} of {len(others)} other relations below 0.05"
    return Outcome(difference=0.05 - worst, p=worst if holds else None, evidence=evidence)


def between(
    results: Results, a: int, b: int, tables: Sequence[Table], groups: Mapping[str, str]
) -> Iterator[tuple[str, Outcome]]:
    """What is asked of two runs: of a larger and a smaller model, of a language model and static vectors."""
    one, other = tables[a], tables[b]
    shared = sorted(set(one) & set(other))
    sizes = size_of(results.runs[a].model), size_of(results.runs[b].model)
    same_solver = results.runs[a].solver == results.runs[b].solver
    if sizes[0] and sizes[1] and same_solver and sizes[0][0] == sizes[1][0] and sizes[0][1] > sizes[1][1]:
        means = group_by_key((relation, one[relation, probe] - other[relation, probe]) for relation, probe in shared)
        yield SIZE, paired([float(np.mean(each)) for each in means.values()], "the larger less the smaller")
    if results.runs[a].solver in LANGUAGE_MODELS and results.runs[b].solver in STATIC:
        leads: dict[str, list[float]] = defaultdict(list)  # of a relation the mean over probes: they share its random
        for relation, probe in shared:
            if probe != "random" and (relation, "random") in one and (relation, "random") in other:
                leads[relation].append(lead(other, relation, probe) - lead(one, relation, probe))
        evidence = "lead over random, static vectors less the language model, mean of reverse and type"
        yield LEAD, paired([float(np.mean(each)) for each in leads.values()], evidence)
        ahead = {r: other[r, p] - one[r, p] for r, p in shared if p == "random"}
        morphological = [value for r, value in ahead.items() if groups[r] in ("DM", "IM")]
        semantic = [value for r, value in ahead.items() if groups[r] in ("ES", "LS")]
        evidence = "static vectors less the language model in random, morphological against semantic"
        yield GAP, apart(morphological, semantic, evidence)


def zero_shot_above_supervised(sets: Sequence[Results]) -> Mapping[str, Outcome]:
    """Of each model that was run in both settings: random zero-shot less random supervised, by relation. Chance is one
    half in both: one of two tuples, or yes and no."""
    tables: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for results in sets:
        setting = next((str(item.tags.get("setting")) for item in results.items()), "")
        for at, run in enumerate(results.runs):
            for (relation, probe), value in table_of(results, at).items() if setting != "retrieval" else ():
                if probe == "random":
                    tables[run.model, setting][relation] = value
    outcomes = {}
    for model in dict.fromkeys(model for model, _ in tables):
        one, other = tables[model, "zero-shot"], tables[model, "supervised"]
        if shared := sorted(set(one) & set(other)):
            evidence = "random, zero-shot less supervised"
            outcomes[model] = paired([one[each] - other[each] for each in shared], evidence)
    return outcomes


# ---- figure 1 --------------------------------------------------------------------------------------------------------


def sample_pairs(results: Results, seed: int) -> Sequence[Sheet]:
    """One query with a positive and a negative tuple of each probe, as in figure 1, and what each model chose."""
    items = [item for item in results.items() if item.tags.get("setting") == "zero-shot" and len(item.choices) == 2]
    by_query: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        by_query[str(item.facts.get("query"))].setdefault(str(item.tags["paper_probe"]), item)
    if not by_query:
        return ()
    query = max(by_query, key=lambda each: (len(by_query[each]), "Paris" in each or "paris" in each))
    chosen = {item.id: item for item in by_query[query].values()}
    answers: dict[str, list[str]] = {name: [] for name in chosen}
    for at in range(len(results.runs)):
        values = {item.id: accuracy_of(item, answer) for item, answer in results.scored(at) if item.id in chosen}
        for name in chosen:
            value = values.get(name)
            answers[name].append("–" if value is None else "positive" if value > 0.5 else "negative")
    rows = []
    for probe, item in sorted(by_query[query].items()):
        right = item.gold or 0
        rows.append((probe, item.choices[right], item.choices[1 - right], *answers[item.id]))
    words = " : ".join(map(str, by_query[query][rows[0][0]].facts.get("query", ())))
    title = f"Figure 1: positive and negative tuples of the probes given {words}, and which one each model chose"
    header = ("probe", "positive", "negative", *results.labels)
    return (Sheet(name="figure1", title=title, header=header, rows=tuple(rows)),)


FIGURE1 = Analysis(
    name="figure1",
    help="sample tuples of the three probes and the models' choices (figure 1)",
    of=sample_pairs,
    always=True,
)
FINDINGS = Analysis(
    name="leads", help="leads, gaps and sizes: findings that compare differences", of=findings, always=True
)
ZERO_SHOT, SUPERVISED = {"setting": "zero-shot"}, {"setting": "supervised"}
CLAIMS = (
    Claim(
        statement="a larger model is above a smaller one of its family",
        source="section 3.2 (RoBERTa-large and -base)",
        needs="runs of two sizes of one model",
        test=SIZE,
    ),
    Claim(
        statement="the gap between semantic and morphological relations is smaller for a language model",
        source="section 3.2, zero-shot",
        needs="a language model (pppl) and static vectors (difference)",
        where=ZERO_SHOT,
        test=GAP,
    ),
    Claim(
        statement="the lead of reverse and type over random is larger for static vectors",
        source="section 3.2, zero-shot",
        needs="a language model (pppl) and static vectors (difference)",
        where=ZERO_SHOT,
        test=LEAD,
    ),
    Claim(
        statement="random is easier zero-shot than supervised",
        source="section 5: better equipped when comparing pairs",
        needs="one model run in both settings",
        across=zero_shot_above_supervised,
    ),
    Claim(
        statement="reverse is above type by more where head and tail are of close categories",
        source="section 4 (RoBERTa-large)",
        needs="one model",
        where=SUPERVISED,
        test=CLOSE,
    ),
    Claim(
        statement="frequency tells right from wrong answers of male : female and of adjective : comparative",
        source="section 4 (RoBERTa-large)",
        needs="one model and wordfreq",
        where=SUPERVISED,
        test=EXCEPTIONS,
    ),
)


# ---- frequency -------------------------------------------------------------------------------------------------------


Frequency = Callable[[str], float]
ALPHA, TWO_THIRDS = 0.05, 2 / 3
BY_ITEM, BY_TUPLE = "frequency", "frequency by tuple"


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One relation's tests; None where there was nothing to test."""

    relation: str
    right: int
    wrong: int
    gap: float | None  # the Kolmogorov-Smirnov statistic
    p: float | None
    delta: float | None  # Cliff's
    tuples: int
    rho: float | None  # Spearman's, over tuples
    p_tuples: float | None


def analysis(results: Results, seed: int) -> list[Sheet]:
    """One table over all runs; the tests draw nothing at random."""
    known = from_wordfreq()
    setting = str(next(results.items()).tags["setting"])
    rows: list[tuple[str | float | int | None, ...]] = []
    outcomes: dict[str, dict[str, Outcome]] = {BY_ITEM: {}, BY_TUPLE: {}}
    for number, label in enumerate(results.labels):
        effects = effects_of(results.scored(number), known)
        p, p_tuples = [e.p for e in effects], [e.p_tuples for e in effects]
        by_item, by_tuple = _corrected(p), _corrected(p_tuples)
        for e, holm_item, holm_tuple in zip(effects, by_item, by_tuple, strict=True):
            first = (label, e.relation, e.right, e.wrong, e.gap, e.p, holm_item, e.delta)
            rows.append((*first, e.tuples, e.rho, e.p_tuples, holm_tuple))
        outcomes[BY_ITEM][label] = outcome(setting, p, corrected=by_item, sizes=[e.delta for e in effects])
        outcomes[BY_TUPLE][label] = outcome(setting, p_tuples, corrected=by_tuple, sizes=[e.rho for e in effects])
    header = "run,relation,right,wrong,KS,p,p (Holm),delta,tuples,rho,p by tuple,p by tuple (Holm)"
    return [
        Sheet(
            name="frequency",
            title="Word frequency of right and wrong answers, random probe",
            header=tuple(header.split(",")),
            rows=tuple(rows),
            note="KS compares items, which share tuples and are not independent; rho compares tuples.",
            outcomes=outcomes,
        )
    ]


FREQUENCY = Analysis(name="frequency", help="does word frequency explain the errors? (section 4)", of=analysis)


def from_wordfreq() -> Frequency:
    """wordfreq's estimate for English (the share of all words)."""
    try:
        from wordfreq import word_frequency
    except ImportError:
        raise ProbandError("the frequency analysis needs wordfreq: pip install 'proband[words]'") from None
    return lambda word: float(word_frequency(word, "en"))


def harmonic(pair: Pair, frequency: Frequency) -> float:
    """2 f(h) f(t) / (f(h) + f(t))

    >>> harmonic(("a", "b"), {"a": 1.0, "b": 3.0}.__getitem__)
    1.5
    """
    h, t = frequency(pair[0]), frequency(pair[1])
    return 2 * h * t / (h + t) if h > 0 and t > 0 else 0.0


def output_pair(item: Item) -> Pair:
    """The tuple a model has to judge: the option of a true/false item, the right option of a choice."""
    facts = facts_of(item)
    return facts.option or facts.options[item.gold or 0]


def effects_of(answered: Iterable[tuple[Item, Answer]], frequency: Frequency, *, probe: str = "random") -> list[Effect]:
    """The tests of every relation."""
    by_relation: dict[str, list[tuple[float, Pair]]] = defaultdict(list)
    known: dict[Pair, float] = {}
    for item, answer in answered:
        value = accuracy_of(item, answer)
        if value is not None and item.tags["paper_probe"] == probe:
            pair = output_pair(item)
            if pair not in known:
                known[pair] = harmonic(pair, frequency)
            by_relation[str(item.tags["relation"])].append((value, pair))
    return [_effect(relation, rows, known) for relation, rows in by_relation.items()]


def _effect(relation: str, rows: Sequence[tuple[float, Pair]], known: dict[Pair, float]) -> Effect:
    from scipy.stats import ks_2samp, spearmanr

    right, wrong = ([known[pair] for value, pair in rows if (value > 0.5) is side] for side in (True, False))
    with warnings.catch_warnings():  # where the exact p-value cannot be computed, scipy takes the asymptotic one
        warnings.simplefilter("ignore", RuntimeWarning)
        test = ks_2samp(right, wrong) if right and wrong else None
    share = group_by_key((pair, value) for value, pair in rows)
    often, well = [known[pair] for pair in share], [float(np.mean(values)) for values in share.values()]
    vary = len(share) >= 4 and np.ptp(often) > 0 and np.ptp(well) > 0
    ranked = spearmanr(often, well) if vary else None
    return Effect(
        relation=relation,
        right=len(right),
        wrong=len(wrong),
        gap=float(test.statistic) if test else None,
        p=float(test.pvalue) if test else None,
        delta=cliffs_delta(right, wrong) if test else None,
        tuples=len(share),
        rho=float(ranked.statistic) if ranked else None,
        p_tuples=float(ranked.pvalue) if ranked else None,
    )


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """P(a > b) - P(a < b)

    >>> cliffs_delta([3, 4], [1, 3])
    0.75
    """
    x, y = np.asarray(a), np.sort(np.asarray(b))
    below = np.searchsorted(y, x, side="left").sum()
    above = (len(y) - np.searchsorted(y, x, side="right")).sum()
    return float((below - above) / (len(x) * len(y)))


def _corrected(values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction of those that are numbers.

    >>> _corrected([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    fixed = iter(holm([p for p in values if p is not None]))
    return [None if p is None else next(fixed) for p in values]


def outcome(
    setting: str, raw: Sequence[float | None], *, corrected: Sequence[float | None], sizes: Sequence[float | None]
) -> Outcome:
    """The share of relations without an effect (p >= 0.05), minus two thirds."""
    from scipy.stats import binomtest

    tested = [p for p in raw if p is not None]
    if not tested:
        return Outcome(difference=None, p=None, evidence=f"{setting}: no relation has both right and wrong answers")
    quiet = sum(p >= ALPHA for p in tested)
    after = sum(p is not None and p < ALPHA for p in corrected)
    size = float(np.median([abs(each) for each in sizes if each is not None]))
    counts = f"p < 0.05 in {len(tested) - quiet} of {len(tested)} relations, {after} after Holm"
    return Outcome(
        difference=quiet / len(tested) - TWO_THIRDS,
        p=float(binomtest(quiet, len(tested), TWO_THIRDS).pvalue),
        evidence=f"{setting}: {counts}; median effect {size:.2f}",
    )
