"""Finds candidate answers to questions in a store of assertions: the three criteria of section 3.1, and filters against
candidates that make no sense (`proband inference candidates`).

1. q_arg is an argument of the assertion, up to stop words and inflection (`CandidateSearch.about`)
2. the other argument, the answer, is a kind of q_type (`Kinds`)
3. the relation is not the question's own (`same_relation`), and the assertion is a sentence (the other filters)

A negated assertion never answers a positive question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import sha256_file, write_json
from proband.core.progress import track
from proband.lexicon.inflection import STOP_WORDS, key, lemma
from proband.lexicon.taxonomy import Lesk, Sense, Taxonomy, bag, open_taxonomy
from proband.suites.inference.assertions.store import Assertion, Side, Store
from proband.suites.inference.items import ARTICLE, AUXILIARY, PREPOSITION, phrase
from proband.suites.inference.questionnaire import Candidate, questionnaires, write
from proband.suites.inference.questions import THING, TypedQuestion, read

# ---- filters: functions that are True for candidates to remove; the first that applies is counted --------------------


LONGEST_RELATION, LONGEST_ARGUMENT = 7, 6  # words
LETTERS = re.compile(r"[^\W\d_]")
PLAIN = re.compile(r"[\w'’.&-]+")
DANGLING = frozenset(("and", "or", "but", "not", "n't", "that", "which", "who"))


def same_relation(one: Candidate, question: TypedQuestion) -> bool:
    """Criterion 3: the relation is the question's own, up to inflection and articles, with the answer on its side."""
    return one.side == "subject" and _plain(one.relation) == _plain(question.q_rel)


def _plain(relation: str) -> tuple[str, ...]:
    return tuple(lemma(word) for word in relation.lower().split() if word not in ARTICLE)


def same_argument(one: Candidate, question: TypedQuestion) -> bool:
    """The answer is the argument itself."""
    return key(one.answer) == key(question.q_arg)


def answer_is_the_type(one: Candidate, question: TypedQuestion) -> bool:
    """The answer only names the type: "the country invaded Ethiopia"."""
    return key(one.answer) == key(question.q_type)


def no_content(one: Candidate, question: TypedQuestion) -> bool:
    """The answer is a pronoun, other function words or a number."""
    words = one.answer.lower().split()
    return all(word in STOP_WORDS or not LETTERS.search(word) for word in words)


def odd_characters(one: Candidate, question: TypedQuestion) -> bool:
    """The assertion contains brackets, symbols or similar characters."""
    text = f"{one.subject} {one.relation} {one.object}"
    return not all(PLAIN.fullmatch(word) for word in text.split())


def no_verb(one: Candidate, question: TypedQuestion) -> bool:
    """The relation begins with a preposition or a conjunction."""
    return one.relation.split()[0] in PREPOSITION | DANGLING


def dangling(one: Candidate, question: TypedQuestion) -> bool:
    """The relation ends in an article, a conjunction or a negation."""
    return one.relation.split()[-1] in ARTICLE | DANGLING


def bare_copula(one: Candidate, question: TypedQuestion) -> bool:
    """The relation is only "is", which describes and does not relate."""
    return all(word in AUXILIARY for word in one.relation.split())


def too_long(one: Candidate, question: TypedQuestion) -> bool:
    """The assertion has more words than a fragment."""
    arguments = (one.subject, one.object)
    return len(one.relation.split()) > LONGEST_RELATION or any(len(a.split()) > LONGEST_ARGUMENT for a in arguments)


Filter = Callable[[Candidate, TypedQuestion], bool]
FILTERS: Mapping[str, Filter] = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        same_relation,
        same_argument,
        answer_is_the_type,
        no_content,
        odd_characters,
        no_verb,
        dangling,
        bare_copula,
        too_long,
    )
}


def filters_without(without: Sequence[str]) -> dict[str, Filter]:
    """All filters except the named ones."""
    for name in without:
        if name not in FILTERS:
            raise ProbandError(f"no filter {name!r}; there are {', '.join(FILTERS)}")
    return {name: rule for name, rule in FILTERS.items() if name not in without}


# ---- search ----------------------------------------------------------------------------------------------------------


class Kinds:
    """Criterion 2: the answer is a kind of the question's type, by hypernyms after Lesk's word-sense disambiguation.
    The sense of an answer is chosen in the context of its assertion. A type may have any of its senses, since a
    question has too few words to choose one. A type without its own entry uses that of its head ("US president":
    president)."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy, self.lesk = taxonomy, Lesk(taxonomy)
        self.known: dict[tuple[str, str], Sense | None] = {}

    def wanted(self, q_type: str) -> frozenset[Sense] | None:
        """The senses of a type: None if everything fits, empty if the taxonomy does not know the word."""
        return None if q_type == THING else frozenset(self.taxonomy.senses(q_type))

    def fits(self, answer: str, context: str, wanted: frozenset[Sense] | None) -> bool:
        """Whether an answer, in the context of the rest of its assertion, is a kind of what is wanted."""
        if wanted is None:
            return True
        entry = self.taxonomy.entry(answer) if wanted else None
        if entry is None:
            return False
        if not any(wanted & self.taxonomy.above(sense) for sense in self.taxonomy.index[entry]):
            return False  # no sense fits, so neither does the intended one
        if (entry, context) not in self.known:
            self.known[entry, context] = self.lesk.sense(entry, bag(context))
        sense = self.known[entry, context]
        return sense is not None and bool(wanted & self.taxonomy.above(sense))


WRONG_TYPE, RARE, REPEATED, NEGATED = "wrong-type", "rare", "repeated", "negated"


class CandidateSearch:
    """Searches one store for candidates. `removed` counts the candidates that each criterion and filter removed,
    `answered` the questions that have candidates."""

    def __init__(self, store: Store, kinds: Kinds, filters: Mapping[str, Filter], *, least: int = 1) -> None:
        self.store, self.kinds, self.filters, self.least = store, kinds, filters, least
        self.removed: Counter[str] = Counter(dict.fromkeys((RARE, NEGATED, *filters, WRONG_TYPE, REPEATED), 0))
        self.matching = self.answered = 0
        self.unknown_types: set[str] = set()
        self.known: dict[str, list[tuple[Side, Assertion]]] = {}

    def prepare(self, questions: Iterable[TypedQuestion]) -> None:
        """Look up the arguments of many questions together, which is faster."""
        self.known |= self.store.look_up([question.q_arg for question in questions])

    def about(self, question: TypedQuestion) -> Iterator[Candidate]:
        """Criterion 1: assertions with q_arg on either side, up to stop words and inflection."""
        if question.q_arg not in self.known:
            self.prepare([question])
        for side, one in self.known[question.q_arg]:
            answers = "object" if side == "subject" else "subject"
            yield Candidate(one.subject, one.relation, one.object, one.count, answers, one.negated)

    def candidates(self, question: TypedQuestion) -> list[Candidate]:
        """The candidates, most frequent first; the same relation with the same answer is one candidate."""
        wanted = self.kinds.wanted(question.q_type)
        if wanted == frozenset():
            self.unknown_types.add(question.q_type)
        kept: dict[tuple[str, str, str], Candidate] = {}
        for one in self.about(question):
            self.matching += 1
            why = self._why_not(one, question, wanted)
            if why:
                self.removed[why] += 1
                continue
            name = (one.side, one.relation, key(one.answer))
            if name in kept:
                self.removed[REPEATED] += 1
                best = max(kept[name], one, key=lambda each: (each.count, each.subject, each.object))
                one = replace(best, count=kept[name].count + one.count)
            kept[name] = one
        self.answered += bool(kept)
        return sorted(kept.values(), key=lambda each: (-each.count, each.subject, each.relation, each.object))

    def counts(self) -> dict[str, int | dict[str, int]]:
        """For the manifest."""
        return {
            "questions_with_candidates": self.answered,
            "assertions": len(self.store),
            "matching": self.matching,
            "removed": dict(self.removed),
            "candidates": self.matching - self.removed.total(),
        }

    def _why_not(self, one: Candidate, question: TypedQuestion, wanted: frozenset[Sense] | None) -> str:
        if one.count < self.least:
            return RARE
        if one.negated and not phrase(question.q_rel).negated:
            return NEGATED
        for name, rule in self.filters.items():
            if rule(one, question):
                return name
        fits = self.kinds.fits(one.answer, f"{one.relation} {one.argument}", wanted)
        return "" if fits else WRONG_TYPE


# ---- the command -----------------------------------------------------------------------------------------------------


def candidates(
    store: Path,
    /,
    *,
    questions: Path,
    out: Path,
    seed: int = 0,
    taxonomy: str = "auto",
    without: Sequence[str] = (),
    min_count: int = 1,
    max_candidates: int | None = None,
) -> dict[str, Any]:
    """Find candidate answers to questions in a store and write them as questionnaires for people to judge.

    What each criterion and filter removed is in manifest.json.

    Example: proband inference candidates store --questions questions.txt -o sheets

    :param store: Folder that `proband inference assertions` wrote.
    :param questions: Questions: lines `type, relation, argument` (country, borders, Ethiopia).
    :param taxonomy: Word types from auto, wordnet[:FOLDER] or small.
    :param without: Filter to switch off; repeatable.
    :param min_count: Smallest count of an assertion.
    :param max_candidates: Largest number of candidates per question.
    """
    if max_candidates is not None and max_candidates < 1:
        raise ProbandError(f"--max-candidates is {max_candidates}, not 1 or more")
    to_answer, filters = read(questions), filters_without(without)
    search = CandidateSearch(Store(store), Kinds(open_taxonomy(taxonomy)), filters, least=min_count)
    search.prepare(to_answer)
    sheets = (
        sheet
        for number, question in enumerate(track(to_answer, "questions", total=len(to_answer)), start=1)
        for sheet in questionnaires(question, number, search.candidates(question), seed=seed, most=max_candidates)
    )
    count, written = write(out, sheets)
    manifest = {
        "questions": len(to_answer),
        **search.counts(),
        "written": written,
        "questionnaires": count,
        "unknown_types": sorted(search.unknown_types),
        "taxonomy": search.kinds.taxonomy.source.partition(":")[0],
        "options": {"seed": seed, "min-count": min_count, "max-candidates": max_candidates, "without": list(without)},
        "sha256": {name: sha256_file(out / name) for name in ("questionnaires.jsonl", "questionnaires.tsv")},
    }
    write_json(out / "manifest.json", manifest)
    return {"out": str(out), **manifest}


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['written']:,} candidates in {result['questionnaires']:,} questionnaires in {result['out']}"
    skip = {"written", "questionnaires", "out", "options", "sha256"}
    yield {name: value for name, value in result.items() if name not in skip}
