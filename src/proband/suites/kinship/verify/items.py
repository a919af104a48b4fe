"""One item, from its text to its label: the text is told again from its facts, the checker replays the proof.

An item passes if the prompt is the sealed one, text and question come out byte for byte when they are told again
(retelling.py), k, depth, noise, clause, task, split and id are what the facts say, and `checker.check` finds nothing
wrong. Words of others (rows of CLUTRR, somebody's bank) cannot be told again: they are read, which is a weaker
certificate and is counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from proband.core.suite import Verified
from proband.core.types import Item
from proband.suites.kinship.logic.closure import depth, distance, entailed, shortest_path
from proband.suites.kinship.logic.noise import SECOND, WAYS
from proband.suites.kinship.reading.reader import unfaithful
from proband.suites.kinship.telling.bank import OURS
from proband.suites.kinship.telling.stories import seal, shown_names
from proband.suites.kinship.verify.checker import check, check_one_of, check_open, check_ways, read_table
from proband.suites.kinship.verify.retelling import misasked, ours, untold
from proband.suites.kinship.world.relations import BLENDED_WORLD, STRICT, UNTOLD, WIDE_WORLD, possibilities
from proband.suites.kinship.world.rules import Rules, converse, load, of_item, story_of

# ---- what an item says of itself, worked out again from its facts: k, noise and its kinds, task, depth, split, id


ID: Final = re.compile(
    r"(?:(?P<part>train|valid|test|hidden)-)?(?:(?P<slice>[a-z-]+)-)?(?P<task>[a-z]+)-k(?P<k>\d+)-\d{6,}"
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
    """The first thing that the item says of itself and its facts do not bear out, or None."""
    facts, tags = item.facts, item.tags
    for name in ("k", "depth", "target"):
        if tags.get(name) != facts.get(name):
            return f"tag {name!r} is {tags.get(name)!r}, the facts say {facts.get(name)!r}"
    if (facts["target"] == UNTOLD) != (facts["certificate"] == "open"):
        return f"'target' is {facts['target']!r}, and the certificate is {facts['certificate']!r}"
    several = len(possibilities(facts["target"])) if isinstance(facts["target"], str) else 0
    if (several > 1) != (facts["certificate"] == "one-of"):
        return f"'target' is {facts['target']!r}, and the certificate is {facts['certificate']!r}"
    sets = any(len(possibilities(choice)) > 1 for choice in item.choices)
    if tags.get("possible") != (several if sets else None):
        return f"tag 'possible' is {tags.get('possible')!r}"
    if UNTOLD in item.choices and tags.get("answer") != ("open" if facts["target"] == UNTOLD else "follows"):
        return f"tag 'answer' is {tags.get('answer')!r}"
    edges = [tuple(edge) for edge in facts["edges"]]
    noise = [(tuple(edge), kind) for edge, kind in facts.get("noise", ())]
    if strange := next((edge for edge, _ in noise if edge not in edges), None):
        return f"{list(strange)} in 'noise' is no fact of the item"
    chain = [edge for edge in edges if edge not in [edge for edge, _ in noise]]
    if len(chain) != facts["k"]:
        return f"'k' is {facts['k']}, and {len(chain)} facts are no noise"
    return (
        _wrong_kind(chain, noise, facts["query"]) or _wrong_task(item, edges, noise) or _wrong_depth(facts, rules)
        or _wrong_clause(item, chain, rules) or _wrong_name(item)
    )  # fmt: skip


def _wrong_kind(chain: Sequence[Any], noise: Sequence[Any], query: Sequence[int]) -> str | None:
    """Noise facts that hang together are supporting if they meet the chain twice, irrelevant if once."""
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
    told = frozenset(item.facts["query"]) in {frozenset((i, j)) for i, _, j in edges}
    revisits = len({person for i, _, j in edges for person in (i, j)}) <= len(edges)  # a chain that passes people twice
    if possible == TASK_OF[()] and (task == "memory") != told and not (told and revisits):
        return f"tag 'task' is {task!r}, and the answer is {'' if told else 'not '}told"
    return None


def _wrong_ways(item: Item, edges: Sequence[Any], noise: Sequence[Any]) -> str | None:
    """The tag counts the ways that prove the answer alone: two in `either`, none in `both`."""
    second = [edge for edge, _ in noise]
    ways, facts = (second, [edge for edge in edges if edge not in second]), item.facts
    proving = sum(entailed(of_item(item), facts["genders"], way, tuple(facts["query"])) is not None for way in ways)
    if item.tags.get("ways") != proving or proving != {"either": 2, "both": 0}[str(item.tags["task"])]:
        return f"tag 'ways' is {item.tags.get('ways')!r}, and {proving} of the two ways prove the answer"
    return None


def _wrong_depth(facts: Mapping[str, Any], rules: Rules) -> str | None:
    edges, (x, z) = [tuple(edge) for edge in facts["edges"]], facts["query"]
    if facts["certificate"] == "open":
        return None if facts["depth"] == 0 else f"'depth' is {facts['depth']}, and nothing is proved"
    derived = rules.world == "family" and facts["certificate"] != "one-of"
    least = depth(rules, facts["genders"], edges, (x, z)) if derived else distance(edges, (x, z))
    return None if facts["depth"] == least else f"'depth' is {facts['depth']}, the shortest proof has {least}"


def _wrong_clause(item: Item, chain: Sequence[Any], rules: Rules) -> str | None:
    """The relations along the chain, from either end, are the clause, and the cluster that items of one clause share;
    a variation has its source's."""
    facts = item.facts
    if "clause" not in facts:
        return None
    readings = {facts["clause"], _from_the_other_end(facts["clause"], rules)}
    path = shortest_path(chain, facts["query"]) or []
    if len(path) == len(chain):  # nobody is passed twice, and the chain does not lead beyond the people asked about
        here, along = facts["query"][0], list[str]()
        for edge in path:
            _, word, here = edge if edge[0] == here else converse(rules, edge, facts["genders"])
            along.append(rules.neutrals[rules.code[word]])
        if ".".join(along) not in readings:
            return f"'clause' is {facts['clause']!r}, the chain is {'.'.join(along)!r}"
    one, *story = facts["clusters"]
    shared = [f"story {seal(story_of(item))}"]  # where there are several questions about it
    if "variation" not in item.tags and (one not in readings or story not in ([], shared)):
        return f"'clusters' is {list(facts['clusters'])}, the clause is {facts['clause']!r}"
    return None


def _from_the_other_end(clause: str, rules: Rules) -> str:
    places = [rules.inverse[rules.neutrals.index(name)] for name in clause.split(".")]
    return ".".join(rules.neutrals[place] for place in reversed(places))


def _wrong_name(item: Item) -> str | None:
    """Where an id says what the item is, it says so rightly; a variation is named after its source."""
    if "split" in item.tags and item.tags["split"] != item.split:
        return f"tag 'split' is {item.tags['split']!r}, the item is of {item.split!r}"
    if "variation" in item.tags:
        return None
    name = ID.fullmatch(item.id)
    if name is None:
        return "the id does not say task, k and number"
    own_slice = item.tags.get("slice", "")
    stated = (name["part"] or "test", name["slice"] or "", name["task"], int(name["k"]))
    part = "hidden" if name["part"] == "hidden" and item.split == "test" else item.split
    own = (part, own_slice if own_slice != item.tags["task"] else "", item.tags["task"], item.facts["k"])
    return None if stated == own else f"the id says {_spelled(stated)}, the item {_spelled(own)}"


def _spelled(parts: Sequence[object]) -> str:
    return " ".join(str(part) for part in parts if part != "")


# ---- items ---------------------------------------------------------------------------------------------------------


PROVED: Final = (  # the tables of proofs/Table.v, proofs/wide/Table.v and proofs/blended/Table.v
    "551fe508fd801a40e351c706566b49c01850af9104a2086e8b586c1574ef3491",
    "391457cb72b6e9be4836c02e4fd18357c9d98a24d56da25bbdcd47405d1d7f0f",
    "09fbfa82da75fa3967f75e8e6dfe2d6b3479995879a0df1fe3824bc2209aa908",
)
PROVED_OF: Final = {STRICT: "sound", WIDE_WORLD: "wide", BLENDED_WORLD: "blended"}
CROWD: Final = "clutrr."  # ids of the crowd's templates, which are read freely
NEEDED: Final = (
    "names", "genders", "edges", "query", "target", "proof", "family", "rules", "table", "seal", "templates", "groups",
)  # fmt: skip
TOLD: Final = "text told again"
ONE_OF: Final = "a family checked for each answer, and with the table proved in Coq that there is no other"
REPLAYED: Final = {"entailed": check, "open": check_open, "one-of": check_one_of}
READ: Final = "text of others, read only"


def verify(item: Item, manifest: Mapping[str, Any] = MappingProxyType({})) -> Verified:
    """How the item was checked, and what is wrong with it. Its folder's manifest says whose words it is told in."""
    facts, verdict = item.facts, str(item.facts.get("certificate", "none"))
    if verdict not in REPLAYED or "table" not in facts:
        how = f"no certificate to replay ({verdict})"
        return Verified(how=how, uncertified=f"{how}; --allow-uncertified counts such items")
    missing = next((name for name in NEEDED if name not in facts), None)
    if missing:
        return Verified(how="failed", problem=f"facts lack {missing!r}")
    rules = of_item(item)
    try:
        words, problem = _words(item, rules, manifest)
        replay = check_ways if verdict == "entailed" and item.tags.get("task") == "both" else REPLAYED[verdict]
        problem = problem or misstated(item, rules) or replay(dict(facts), read_table(rules.text))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        words, problem = "", f"the certificate is malformed ({type(error).__name__}: {error})"
    if problem:
        return Verified(how="failed", problem=problem)
    if verdict == "open":
        return Verified(how=f"{words}, two families checked between which the answer differs")
    if verdict == "one-of" and rules.sha256 in PROVED:
        return Verified(how=f"{words}, {ONE_OF}")
    how = f"{words}, {_how(dict(facts), rules)}"
    return Verified(how=how, uncertified=f"{how}; --allow-uncertified counts such items" if "not proved" in how else "")


def _how(facts: dict[str, Any], rules: Rules) -> str:
    """With what the proof was replayed: a proof by other rules may be one by the proved table all the same."""
    if rules.world != "family":
        return f"proof replayed with the rule base {rules.name!r}"
    if (
        rules.sha256 in PROVED
        or REPLAYED[facts["certificate"]](facts, read_table(load(PROVED_OF[rules.kin]).text)) is None
    ):
        return "proof replayed with the rule table proved in Coq, family checked"
    return f"family checked; the proof needs rules of {rules.name!r} that are not proved"


def _words(item: Item, rules: Rules, manifest: Mapping[str, Any]) -> tuple[str, str | None]:
    """How the text was checked, and what is wrong with it."""
    facts = item.facts
    if facts["table"] != rules.sha256:
        return "", "the proof was made with another rule table ('table')"
    if facts["seal"] != seal(item.prompt):
        return "", "the prompt is not the one that was sealed ('seal')"
    names, genders = facts["names"], facts["genders"]
    if len(set(names)) != len(genders) or len(names) != len(genders):
        return "", "'names' and 'genders' do not go together"
    rows, bank = of_others(manifest)
    wrong = untold(item, rules, foreign_names=rows)
    if wrong is None or not (rows or bank) or ours(item):
        return TOLD, wrong
    strict = not of_the_crowd(facts["templates"])
    story = story_of(item)
    told = unfaithful(story, names=names, genders=genders, edges=facts["edges"], rules=rules, strict=strict)
    return READ, told or misasked(item, rules, shown_names(names, brackets=f"[{names[0]}]" in story))


def of_others(manifest: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a folder holds rows of others (`--data`), or stories told with a bank of others: its manifest says so,
    never an item."""
    options = manifest.get("source", manifest).get("options") or {}
    return options.get("data") is not None, options.get("bank", OURS[0]) not in OURS


def of_the_crowd(templates: Iterable[str]) -> bool:
    """Whether a story is told in the crowd's words, which are read freely."""
    return any(str(template).startswith(CROWD) for template in templates)
