"""Verification of one item: the text is rendered again from its facts, and the checker replays the proof.

An item passes if the prompt matches its seal, rendering it again gives the same bytes, its k, depth,
noise, clause, task, split and id agree with its facts, its rules are those of its manifest, and the checker finds no
error. Texts by others (rows of CLUTRR, a crowd's bank) cannot be rendered again: they are read, which is a weaker
certificate and is counted separately.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.suite import Verified
from proband.core.types import Item
from proband.suites.kinship.logic.closure import asked_path, close, depth, distance, entailed
from proband.suites.kinship.logic.noise import SECOND, WAYS
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.reading.reader import mismatch_with_facts
from proband.suites.kinship.telling.bank import OURS, load_bank
from proband.suites.kinship.telling.stories import (
    FACTS,
    GRAPH,
    SENTENCES,
    SETS_QUESTION,
    STORY,
    Telling,
    in_world,
    render,
    right_answer,
    seal,
    set_choices,
    telling_of,
)
from proband.suites.kinship.verify.checker import check, check_open, read_table
from proband.suites.kinship.world.families import NAMES
from proband.suites.kinship.world.relations import ALL_NEUTRAL, UNDETERMINED, possibilities
from proband.suites.kinship.world.rules import (
    YES_NO,
    Rules,
    canonical_clause,
    of_item,
    proved_rules,
    question_of,
    story_of,
)

# ---- properties of an item, computed again from its facts: k, noise and its kinds, task, depth, split, id


ID: Final = re.compile(
    r"(?:(?P<part>train|valid|test)-)?(?:(?P<slice>[a-z-]+)-)?(?P<task>[a-z]+)-k(?P<k>\d+)-(?P<n>\d{6,})"
)
TASK_OF: Final = {
    (): ("clean", "memory"),
    ("supporting",): ("supporting",),
    ("irrelevant",): ("irrelevant",),
    ("disconnected",): ("disconnected",),
    ("disconnected", "irrelevant", "supporting"): ("all",),
    (SECOND,): WAYS,
}


def misstated(item: Item, rules: Rules) -> str | None:
    """The first property of the item that contradicts its facts, or None."""
    facts, tags = item.facts, item.tags
    for name in ("k", "depth", "target"):
        if tags.get(name) != facts.get(name):
            return f"tag {name!r} is {tags.get(name)!r}, the facts say {facts.get(name)!r}"
    several = len(possibilities(facts["target"])) if isinstance(facts["target"], str) else 0
    certificate = "open" if facts["target"] == UNDETERMINED else "one-of" if several > 1 else "entailed"
    if facts["certificate"] != certificate:
        return f"'target' is {facts['target']!r}, and the certificate is {facts['certificate']!r}"
    sets = any(len(possibilities(choice)) > 1 for choice in item.choices)
    if tags.get("possible") != (several if sets else None):
        return f"tag 'possible' is {tags.get('possible')!r}"
    if UNDETERMINED in item.choices and tags.get("answer") != (
        "open" if facts["target"] == UNDETERMINED else "follows"
    ):
        return f"tag 'answer' is {tags.get('answer')!r}"
    edges = [tuple(edge) for edge in facts["edges"]]
    noise = [(tuple(edge), kind) for edge, kind in facts.get("noise", ())]
    if unknown := next((edge for edge, _ in noise if edge not in edges), None):
        return f"{list(unknown)} in 'noise' is no fact of the item"
    chain = [edge for edge in edges if edge not in [edge for edge, _ in noise]]
    if len(chain) != facts["k"]:
        return f"'k' is {facts['k']}, and {len(chain)} facts are not noise"
    if list(facts.get("certified_by", ())) not in METHODS[certificate]:
        return f"'certified_by' is {facts.get('certified_by')!r}"
    if certificate != "entailed" and facts["family"] != facts["families"][0]:
        return "'family' is not the first of 'families'"
    kinds = chain, noise if certificate == "entailed" else [], facts["query"]  # others: noise of the paired story
    return (
        _wrong_kind(*kinds) or _wrong_task(item, edges, noise) or _wrong_depth(facts, rules)
        or _wrong_clause(item, chain, rules) or _wrong_name(item)
    )  # fmt: skip


def _wrong_kind(chain: Sequence[Any], noise: Sequence[Any], query: Sequence[int]) -> str | None:
    """Connected noise facts are supporting if they touch the chain twice, irrelevant if once."""
    path = {person for i, _, j in chain for person in (i, j)} | set(query)
    left = list(noise)
    while left:
        block = [left.pop()]
        people = {block[0][0][0], block[0][0][2]}
        while more := [each for each in left if (people - path) & {each[0][0], each[0][2]}]:
            block += more
            left = [each for each in left if each not in more]
            people |= {person for edge, _ in more for person in (edge[0], edge[2])}
        kind = {0: "disconnected", 1: "irrelevant"}.get(len(people & path), "supporting")
        if block[0][1] == SECOND and people & path == set(query):
            kind = SECOND
        if wrong := next((stated for _, stated in block if stated != kind), None):
            return f"noise called {wrong!r} is {kind}"
    return None


def _wrong_task(item: Item, edges: Sequence[Any], noise: Sequence[Any]) -> str | None:
    stated = item.tags.get("task")
    task = item.tags.get("kind") if stated == "mixed" else stated
    possible = TASK_OF.get(tuple(sorted({kind for _, kind in noise})), ())
    if task not in possible:
        return f"tag 'task' is {task!r}, the noise says {' or '.join(possible) or 'otherwise'}"
    if task in WAYS:
        return _wrong_ways(item, edges, noise)
    given = frozenset(item.facts["query"]) in {frozenset((i, j)) for i, _, j in edges}
    if possible == TASK_OF[()] and (task == "memory") != given and len(edges) > 1:
        return f"tag 'task' is {task!r}, and the answer is {'' if given else 'not '}stated"
    return None


def _wrong_ways(item: Item, edges: Sequence[Any], noise: Sequence[Any]) -> str | None:
    """The tag is the number of paths that prove the answer alone: two in `either`, none in `both`."""
    second = [edge for edge, _ in noise]
    ways, facts = (second, [edge for edge in edges if edge not in second]), item.facts
    proving = sum(entailed(of_item(item), facts["genders"], way, facts["query"]) is not None for way in ways)
    if item.tags.get("ways") != proving or proving != {"either": 2, "both": 0}[str(item.tags["task"])]:
        return f"tag 'ways' is {item.tags.get('ways')!r}, and {proving} of the two ways prove the answer"
    return None


def _wrong_depth(facts: Mapping[str, Any], rules: Rules) -> str | None:
    """No proof has fewer facts than the distance between the two people; one with as many is shortest. No chain proves
    several answers; those of a set have the distance as depth."""
    edges, (x, z) = [tuple(edge) for edge in facts["edges"]], facts["query"]
    least = 0 if facts["certificate"] == "open" else distance(edges, (x, z))
    if facts["certificate"] != "entailed":
        return None if facts["depth"] == least else f"'depth' is {facts['depth']}, not {least}"
    used = {tuple(edge) for step in facts["proof"] for edge in step[:-1]} & set(edges)
    proved_so = len(used) <= (least or 0) or rules.world != "family"
    if facts["depth"] != least or not proved_so:
        least = depth(rules, facts["genders"], edges, (x, z)) if rules.world == "family" else least
    return None if facts["depth"] == least else f"'depth' is {facts['depth']}, the shortest proof has {least}"


def _wrong_clause(item: Item, chain: Sequence[Any], rules: Rules) -> str | None:
    """The clause is the relations along the chain, from either end, and is the cluster of items with this clause; a
    variation has that of its source."""
    facts = item.facts
    inverse = dict(zip(rules.neutrals, (rules.neutrals[back] for back in rules.inverse[:-1])))

    def canonical(clause: str) -> tuple[str, ...]:
        return canonical_clause(tuple(clause.split(".")), inverse)

    path = asked_path(rules, facts["genders"], chain, facts["query"])
    clause = ".".join(rules.neutrals[rules.code[word]] for _, word, _ in path)
    if "variation" not in item.tags and canonical(facts["clusters"][0]) != canonical(facts["clause"]):
        return f"'clusters' is {list(facts['clusters'])}, the clause is {facts['clause']!r}"
    if facts["certificate"] != "entailed":  # the clause is that of the other story of its pair: the same relations
        stated = Counter(canonical(rules.neutrals[rules.code[word]]) for _, word, _ in chain)
        same = "variation" in item.tags or Counter(map(canonical, facts["clause"].split("."))) == stated
        return None if same else f"'clause' is {facts['clause']!r}, which has other relations than the facts"
    # no person occurs twice, and the chain ends at the people asked about
    if len(path) == len(chain) and canonical(clause) != canonical(facts["clause"]):
        return f"'clause' is {facts['clause']!r}, the chain is {clause!r}"
    return None


def _wrong_name(item: Item) -> str | None:
    """An id must match the item's properties; a variation is named after its source."""
    if "split" in item.tags and item.tags["split"] != item.split:
        return f"tag 'split' is {item.tags['split']!r}, the item is of {item.split!r}"
    if "variation" in item.tags:
        return None
    name = ID.fullmatch(item.id)
    if name is None:
        return "the id does not say task, k and number"
    task, part = item.tags["task"], item.tags.get("slice", "")
    stated = [name["part"] or "test", name["slice"] or "", name["task"], name["k"]]
    own = [item.split, str(part if part != task else ""), str(task), str(item.facts["k"])]
    if stated != own:
        return f"the id says {' '.join(filter(None, stated))}, the item {' '.join(filter(None, own))}"
    first = int(name["n"]) - int(name["n"]) % 2
    paired = UNDETERMINED in item.choices or "possible" in item.tags
    pair = [f"pair {item.id.removesuffix(name['n'])}{first:06d}"] if paired else []
    return None if list(item.facts["clusters"][1:]) == pair else f"'clusters' does not name its pair: {pair}"


# ---- items ---------------------------------------------------------------------------------------------------------


NEEDED: Final = (
    *("names", "genders", "edges", "query", "target", "proof", "family", "rules", "table", "seal", "telling"),
    *("clause", "clusters"),
)
BOTH: Final = ["closure", "search"]
METHODS: Final = {"entailed": (["closure"], BOTH), "one-of": (BOTH,), "open": (["search"],)}  # that agree on an answer
RENDERED: Final = "text rendered again"
READ: Final = "text by others, read only"
BY_PROVED: Final = {
    "entailed": "proof replayed with the rule table proved in Coq, family checked",
    "one-of": "a family checked for each answer, and with the table proved in Coq that there is no other",
    "open": "two families checked between which the answer differs",
}
COUNTED: Final = "--allow-uncertified counts such items"


def verify(item: Item, manifest: Mapping[str, Any] = MappingProxyType({})) -> Verified:
    """How the item was checked, and the first error. The manifest of its folder has the source of the words and the
    rules."""
    facts, verdict = item.facts, str(item.facts.get("certificate", "none"))
    if verdict not in ("entailed", "open", "one-of") or "table" not in facts:
        method = f"no certificate to replay ({verdict})"
        return Verified(method=method, uncertified=f"{method}; {COUNTED}")
    missing = next((name for name in NEEDED if name not in facts), None)
    if missing:
        return Verified(method="failed", problem=f"facts lack {missing!r}")
    rules = of_item(item)
    try:
        words, problem = _words(item, rules, manifest)
        problem = problem or misstated(item, rules) or _replayed(facts, rules)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        words, problem = "", f"the certificate is malformed ({type(error).__name__}: {error})"
    if problem:
        return Verified(method="failed", problem=problem)
    proof, certified = _certified(facts, rules)
    method = f"{words}, {proof}"
    return Verified(method=method, uncertified="" if certified else f"{method}; {COUNTED}")


def _replayed(facts: Mapping[str, Any], rules: Rules) -> str | None:
    if rules.world != "family" and not close(rules, facts["genders"], facts["edges"]).consistent:
        return "its facts contradict each other"
    replay = check_open if facts["certificate"] == "open" else check
    return replay(dict(facts), read_table(rules.text))


def _certified(facts: Mapping[str, Any], rules: Rules) -> tuple[str, bool]:
    """How the proof was replayed, and whether this certifies the label. Kin words need a proved table; a proof by other
    rules may also be valid in it."""
    if rules.world != "family":
        kin = next((word for word in rules.choices if word.strip().casefold() in {*ALL_NEUTRAL, *KIN}), None)
        method = f"proof replayed with the rule base {rules.name!r}"
        return (method, True) if kin is None else (f"{method}, which nothing proves of the kin word {kin!r}", False)
    proved = proved_rules(rules.kin)
    if not rules.proved and (proved.words != rules.words or _replayed(facts, proved) is not None):
        return f"family checked; the proof needs rules of {rules.name!r} that are not proved", False
    return BY_PROVED[facts["certificate"]], True


def _words(item: Item, rules: Rules, manifest: Mapping[str, Any]) -> tuple[str, str | None]:
    """How the text was checked, and the first error in it."""
    facts, source = item.facts, manifest.get("source", manifest)
    if facts["table"] != rules.sha256:
        return "", "the proof was made with another rule table ('table')"
    if source and rules.sha256 not in (source.get("rules") or {}).values():
        return "", f"its rules {rules.name!r} are not those of its manifest ('rules')"
    if facts["seal"] != seal(item.prompt):
        return "", "the prompt does not match its stored hash ('seal')"
    names, genders = facts["names"], facts["genders"]
    if len(set(names)) != len(genders) or len(names) != len(genders):
        return "", "'names' and 'genders' do not go together"
    options = source.get("options") or {}  # the source of the words is in the manifest, never in the item
    rows, bank = options.get("data") is not None, options.get("bank", OURS) != OURS
    if facts["telling"].get("bank", OURS) == OURS:
        return RENDERED, mismatch_with_telling(item, rules, foreign_names=rows)
    if not (rows or bank):
        return "", "it uses a bank that its manifest does not name"
    wrong = mismatch_with_facts(story_of(item), names=names, genders=genders, edges=facts["edges"], rules=rules)
    return READ, wrong or wrong_question(item, rules)


# ---- texts of ours, rendered again -----------------------------------------------------------------------------------


WORD: Final = re.compile(r"[A-Z][a-z]+")
AGAIN: Final = "the text cannot be rendered again from its facts"


def mismatch_with_telling(item: Item, rules: Rules, *, foreign_names: bool = False) -> str | None:
    """Why text and question differ from what we render for these facts, or None if they are equal byte for byte.

    An item records every choice of the generator (`facts.telling`: occasion, opening, frames, phrases, positions), so
    there is one text for these facts in any form. It is also an error if a fact is stated twice or not at all, or if a
    phrase does not fit its frame."""
    facts = item.facts
    names, genders, edges = list(facts["names"]), list(facts["genders"]), [tuple(edge) for edge in facts["edges"]]
    if wrong := _misnamed(names, genders, rules, foreign=foreign_names):
        return wrong
    try:
        telling = telling_of(facts)
    except ProbandError as error:
        return f"{AGAIN}: {error}"
    if sorted(telling.order(edges)) != list(range(len(edges))):
        return f"{AGAIN}: not every fact is stated once"
    if wrong := _unlike_ours(telling, rules):
        return f"{AGAIN}: {wrong}"
    try:
        text = render(telling, edges, names=names, genders=genders, rules=rules)
    except (KeyError, IndexError) as error:
        return f"{AGAIN}: {type(error).__name__} {error}"
    story = story_of(item)
    if text != story:
        at = next((n for n, (a, b) in enumerate(zip(text, story)) if a != b), min(len(text), len(story)))
        return f"{AGAIN}: the generator does not write {story[at : at + 40]!r} there"
    return wrong_question(item, rules)


def _unlike_ours(telling: Telling, rules: Rules) -> str | None:
    """The first feature of the telling that the generator never produces, or None."""
    if telling.form not in (STORY, FACTS, GRAPH, SENTENCES) or telling.bank != OURS:
        return "it does not use our bank"
    bank, used = load_bank(), list[str]()
    for scene in telling.scenes:
        occasion, moments = bank.occasion[scene.occasion], list[int]()
        if not 0 <= scene.opening < len(occasion.openings):
            return "it has an opening that its occasion does not have"
        for sentence in scene.sentences:
            frame, phrases = bank.by_id[sentence.frame], [occasion.by_id[each] for each in sentence.phrases]
            fits = len(phrases) == len(frame.slots) and all(s.fits(p) for s, p in zip(frame.slots, phrases))
            if not fits or frame.facts != len(sentence.people) - 1 or (sentence.moment >= 0 and not frame.timed):
                return f"a sentence does not fit its frame {frame.id}"
            used += sentence.phrases
            moments += [sentence.moment] * (sentence.moment >= 0)
        if moments != sorted(set(moments)):
            return "its moments are not in temporal order"
    return "a phrase is used twice" if len(set(used)) < len(used) else None


def _misnamed(names: Sequence[str], genders: Sequence[str], rules: Rules, *, foreign: bool) -> str | None:
    """An unknown name, or one of the wrong gender."""
    own: Mapping[str, Iterable[str]] = rules.names or NAMES
    for name, gender in zip(names, genders):
        known = own.get(gender) or [each for some in own.values() for each in some]
        if not (name in known or (foreign and WORD.fullmatch(name))):
            return f"{name!r} is not a {gender} name of the generator"
    return None


def wrong_question(item: Item, rules: Rules) -> str | None:
    """Is the question ours, about the two people of the query, with the target as the gold answer?"""
    x, z = (item.facts["names"][person] for person in item.facts["query"])
    question, asked = question_of(item), item.facts.get("asked")
    sets = question == in_world(SETS_QUESTION.format(x=x, z=z), rules)
    stated = sets or UNDETERMINED in item.choices
    right = right_answer(question, x=x, z=z, target=item.facts["target"], rules=rules, asked=asked, stated=stated)
    if right is None:
        return f"the question does not ask what {z} is to {x}" + (", or not in its world" if stated else "")
    open = (UNDETERMINED,) if "answer" in item.tags else ()
    choices = YES_NO if right in YES_NO else (*rules.choices, *open)
    if sets:
        choices = set_choices(rules, item.facts["genders"][item.facts["query"][1]])
    if tuple(item.choices) != choices:
        return "the choices are not those of the question"
    if (asked is None) == (right in YES_NO):
        return "'asked' is for the relation of a yes/no question"
    if item.gold is None or not 0 <= item.gold < len(item.choices) or item.choices[item.gold] != right:
        return f"the gold answer is not {right!r}"
    return None
