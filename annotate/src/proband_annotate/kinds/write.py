"""Write: a short story that mentions the given facts and not the implied one (thesis on CLUTRR, section 3.2.3).

What a story must have before it is sent: every person, every fact's pair, whole sentences; and what it should not have:
the implied relation, a pronoun of a gender that nobody named has. The checks are rough on purpose, since they help
while one writes: reviewers read again, and so does the check of template banks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items, write_jsonl
from proband.core.types import Fact
from proband.suites.kinship.paper.tables import published_values
from proband.suites.kinship.reading.lexicon import PRONOUN
from proband.suites.kinship.reading.reader import read_facts
from proband.suites.kinship.world.relations import BACK, Edge, turned
from proband.suites.kinship.world.rules import facts_of
from proband_annotate.human_task import (
    Body,
    Check,
    Figure,
    Form,
    HumanTask,
    Invalid,
    Unit,
    mean,
    text_of,
    value,
)
from proband_annotate.kinds.review import story_of
from proband_annotate.results.collected import Collected

LONGEST_STORY = 2000  # characters
LONGEST = 3  # most facts in one story: template banks compose longer stories from these
SENTENCE: Final = re.compile(r"[^.!?]+[.!?]+[\"'”’)]*|[^.!?]+$")
WORD: Final = re.compile(r"[^\W\d_]+")
OWN_WORDS = 2  # words beyond the facts: 13 of the 6,005 stories of CLUTRR's crowd have fewer


def sentence(names: Sequence[str], edge: Any) -> str:
    """
    >>> sentence(["Ann", "Ben"], [0, "father", 1])
    'Ben is the father of Ann.'
    """
    i, relation, j = edge
    return f"{names[j]} is the {relation} of {names[i]}."


def units(path: Path) -> Iterator[Unit]:
    """Kinship items whose facts are a chain, each from one person to the next, of at most three facts."""
    for line, item in enumerate(read_items(path), start=1):
        if not {"names", "genders", "edges", "query", "target"} <= {*item.facts}:
            raise ProbandError("not a kinship item: facts need names, genders, edges, query", file=path, line=line)
        facts = facts_of(item)
        names, genders, edges = list(facts.names), list(facts.genders), [list(edge) for edge in facts.edges]
        (first, last), target = facts.pair, facts.target
        chain = [first, *(j for _, _, j in edges)]
        if any(edge[0] != chain[place] for place, edge in enumerate(edges)) or chain[-1] != last:
            reason = "the facts are not a chain; build with --task clean and facts-along-chain = true in a profile file"
            raise ProbandError(reason, file=items_path(path), line=line)
        if len(edges) > LONGEST:
            reason = f"{len(edges)} facts; a story has at most {LONGEST} (--k 2,3)"
            raise ProbandError(reason, file=items_path(path), line=line)
        yield Unit(
            id=item.id,
            clause="-".join(word for _, word, _ in facts.edges),
            body={
                "names": names,
                "genders": genders,
                "edges": edges,
                "chain": chain,
                "facts": [sentence(names, edge) for edge in edges],
                "implied": [first, target, last],
                "implied_fact": sentence(names, [first, target, last]),
            },
        )


def shown(body: Body) -> dict[str, str | int | list[str] | list[Check]]:
    empty = checks(body, {"story": ""})
    return {"facts": body["facts"], "implied": body["implied_fact"], "checks": empty, "most": LONGEST_STORY}


def answer(body: Body, form: Form) -> dict[str, str | bool]:
    """An unmet requirement is an error; an unwanted feature may be confirmed."""
    story = text_of(form, "story", most=LONGEST_STORY)
    unmet = [check for check in checks(body, {"story": story}) if not check.met and check.asks]
    for check in unmet:
        if check.stops:
            raise Invalid("story", "write.invalid_checks", what=check)
    if unmet and form.get("sure") != "yes":
        raise Invalid("sure", "write.invalid_sure", what=unmet[0])
    return {"story": story, "sure": bool(unmet)}


def fields(body: Body, given: Body) -> dict[str, str]:
    return {"story": given.get("story", ""), "sure": "yes" if given.get("sure") else ""}


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Of a trial: the share of checks that are met."""
    results = [check.met for check in checks(body, {"story": given["story"]}) if check.asks]
    return sum(results) / len(results)


# ---- live checks ---------------------------------------------------------------------------------------------------


def checks(body: Body, form: Form) -> list[Check]:
    implied = body["implied"]
    return story_checks(
        form.get("story", "").strip(),
        names=body["names"],
        genders=body["genders"],
        edges=[tuple(edge) for edge in body["edges"]],
        implied=tuple(implied) if len(body["edges"]) > 1 else None,
    )


def story_checks(
    text: str, *, names: Sequence[str], genders: Sequence[str], edges: Sequence[Edge], implied: Edge | None
) -> list[Check]:
    """Every check, met or not. `edges` and `implied` are [i, relation, j]: j is the relation of i.

    >>> people = {"names": ["Ann", "Ben"], "genders": ["female", "male"]}
    >>> [c.text for c in story_checks("Ann rang.", **people, edges=[(0, "father", 1)], implied=None) if not c.met]
    ['write.check_names', 'write.check_pair', 'write.check_own', 'write.check_read']
    """
    missing = [name for name in names if not named(text, name)]
    parts = [part.strip() for part in SENTENCE.findall(text) if part.strip()]
    pairs = list(dict.fromkeys((names[i], names[j]) for i, _, j in edges))
    wrong = stray_pronoun(parts, names, genders)
    made = [
        Check(
            met=not missing,
            text="write.check_names" if missing else "write.check_names_met",
            values={"missing": ", ".join(missing)},
        ),
        *(Check(met=together(parts, a, b), text="write.check_pair", values={"a": a, "b": b}) for a, b in pairs),
        Check(met=bool(text) and not broken_sentences(parts, names), text="write.check_sentences"),
        Check(met=len(own_words(text, names, edges)) >= OWN_WORDS, text="write.check_own"),
        Check(
            met=wrong is None,
            text="write.check_pronouns" if wrong else "write.check_pronouns_met",
            values={"word": wrong},
            stops=False,
        ),
    ]
    if implied is not None:
        i, relation, j = implied
        values = {"a": names[j], "word": relation, "b": names[i]}
        stated = tells(text, names=names, genders=genders, fact=implied)
        made.append(Check(met=not stated, text="write.check_implied", values=values, stops=False))
    for edge in dict.fromkeys(edges):
        i, relation, j = edge
        values = {"a": names[j], "word": relation, "b": names[i]}
        stated = tells(text, names=names, genders=genders, fact=edge)
        made.append(Check(met=stated, text="write.check_read", values=values, stops=False, asks=False))
    return made


def own_words(text: str, names: Sequence[str], edges: Sequence[Edge]) -> set[str]:
    """Words that are neither in the facts nor names.

    >>> sorted(own_words("Ben is the father of Ann. Ben sang to Ann.", ["Ann", "Ben"], [(0, "father", 1)]))
    ['sang', 'to']
    """
    facts = " ".join(sentence(names, edge) for edge in edges)
    return set(WORD.findall(text.casefold())) - set(WORD.findall(facts.casefold())) - {n.casefold() for n in names}


def repeated(body: Body, given: Body, earlier: Sequence[tuple[Body, Body]]) -> str:
    """The field of a story that was sent before, about these people or others."""
    mine = without_names(given["story"], body["names"])
    return "story" if any(without_names(each["story"], other["names"]) == mine for other, each in earlier) else ""


def without_names(text: str, names: Sequence[str]) -> str:
    """A story with numbered people in order of appearance instead of names.

    >>> without_names("Ben rang Ann.  Ann sang.", ["Ann", "Ben"]) == without_names("Al rang Jo. Jo sang!", ["Jo", "Al"])
    True
    """
    known, places = {name.casefold() for name in names}, dict[str, int]()
    words = WORD.findall(text.casefold())
    return " ".join(f"@{places.setdefault(word, len(places))}" if word in known else word for word in words)


def named(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def together(parts: Sequence[str], a: str, b: str) -> bool:
    """Are two people named in one sentence, or in two neighbouring ones?"""
    windows = [f"{first} {second}" for first, second in zip(parts, [*parts[1:], ""], strict=False)]
    return any(named(window, a) and named(window, b) for window in windows)


def broken_sentences(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Does some sentence lack a capital or an end, or consist of one word or only names?"""
    known = {name.casefold() for name in names}
    return not parts or any(
        not re.match(r"[\"'“‘(]*[A-Z0-9\[]", part)
        or not re.search(r"[.!?][\"'”’)]*$", part)
        or len(part.split()) < 2
        or not set(WORD.findall(part.casefold())) - known
        for part in parts
    )


def stray_pronoun(parts: Sequence[str], names: Sequence[str], genders: Sequence[str]) -> str | None:
    """A pronoun before a person of its gender is named, sentence by sentence."""
    so_far: set[str] = set()
    for part in parts:
        so_far |= {gender for name, gender in zip(names, genders, strict=True) if named(part, name)}
        for each in re.findall(r"[A-Za-z]+", part):
            if PRONOUN.get(each.lower(), "") not in {"", *so_far}:
                return str(each)
    return None


def tells(text: str, *, names: Sequence[str], genders: Sequence[str], fact: Edge) -> bool:
    """Does the suite's reader find a fact in the text, from either side?

    >>> people = {"names": ["Ann", "Ben"], "genders": ["female", "male"], "fact": (0, "father", 1)}
    >>> tells("Ben is Ann's dad.", **people), tells("Ben rang his girl. Ann is Ben's daughter.", **people)
    (True, True)
    >>> tells("Ann went to see her brother Ben.", **people)
    False
    """
    stated = [fact, turned(fact, genders)] if fact[1] in BACK else [fact]
    sides = {Fact(names[j], relation, names[i]) for i, relation, j in stated}
    return not sides.isdisjoint(read_facts(text, dict(zip(names, genders, strict=True)), ours=True).facts)


# ---- results -------------------------------------------------------------------------------------------------------


def figures(results: Collected) -> dict[str, Figure]:
    """Table 3.1: paraphrases and clauses by the number of facts, different words, overlap within a clause."""
    per: dict[int, dict[str, list[list[str]]]] = defaultdict(lambda: defaultdict(list))
    for each in results.counted():
        clause = "-".join(edge[1] for edge in each.body["edges"])
        per[len(each.body["edges"])][clause].append(re.findall(r"[\w'-]+", each.answer["story"].casefold()))
    made, paper = {}, published_values()
    for k, clauses in sorted(per.items()):
        made[f"paraphrases, k = {k}"] = value(sum(map(len, clauses.values())), paper["paraphrases"].get(k))
        made[f"clauses, k = {k}"] = value(len(clauses), paper["clauses"].get(k))
    groups = [stories for clauses in per.values() for stories in clauses.values()]
    words = {each for group in groups for story in group for each in story}
    made["unique_words"] = value(len(words), paper["unique_words"][None])
    for name, size in (("jaccard_unigrams", 1), ("jaccard_bigrams", 2)):
        overlaps = [
            jaccard(
                set(zip(*(a[n:] for n in range(size)), strict=False)),
                set(zip(*(b[n:] for n in range(size)), strict=False)),
            )
            for group in groups
            for a, b in combinations(group, 2)
        ]
        made[name] = mean(overlaps, paper[name][None])
    return made


def jaccard(a: set[Any], b: set[Any]) -> float:
    """
    >>> jaccard({1, 2}, {2, 3})
    0.3333333333333333
    """
    return len(a & b) / len(a | b) if a or b else 1.0


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, int | str]:
    """stories.jsonl, for a project of the kind review."""
    count = write_jsonl(folder / "stories.jsonl", map(story_of, results.counted()))
    return {"stories": count, "next": f"proband annotate init review --kind review --items {folder}"}


WRITE = HumanTask(
    name="write",
    page="proband_annotate.kinds:write.html",
    guide="stories_guide.html",
    texts="proband_annotate.kinds:write.toml",
    sample="proband_annotate:samples/write.jsonl",
    units=units,
    shown=shown,
    unit_text=lambda body: " ".join(body["facts"]),
    answer=answer,
    fields=fields,
    agreed=agreed,
    checks=checks,
    repeated=repeated,
    writing=lambda given: [given.get("story", "")],
    reviewed=True,
    figures=figures,
    suite_input=suite_input,
    defaults={
        "people": {"overlap": 3, "units-per-person": 10},
        "time": {"expected-seconds": 150},
        "pay": {"per-unit": 0.5},
    },
)
