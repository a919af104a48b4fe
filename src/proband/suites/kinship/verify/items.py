"""One item, from its text to its label: the story is read back to exactly its facts, the checker replays the proof.

An item passes if the prompt is the sealed one, the story tells the facts and no others and takes none back, the
question asks for the label, k, depth, noise, task, split and id are what the facts say, and
`checker.check` finds nothing wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from proband.core.suite import Verified
from proband.core.types import Item
from proband.suites.kinship.logic.closure import depth, distance
from proband.suites.kinship.reading.reader import story_of, unfaithful
from proband.suites.kinship.telling.stories import right_answer, seal
from proband.suites.kinship.verify.checker import check, read_table
from proband.suites.kinship.world.rules import Rules, load, of_item

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
}


def misstated(item: Item, rules: Rules) -> str | None:
    """The first thing that the item says of itself and its facts do not bear out, or None."""
    facts, tags = item.facts, item.tags
    for name in ("k", "depth", "target"):
        if tags.get(name) != facts.get(name):
            return f"tag {name!r} is {tags.get(name)!r}, the facts say {facts.get(name)!r}"
    edges = [tuple(edge) for edge in facts["edges"]]
    noise = [(tuple(edge), kind) for edge, kind in facts.get("noise", ())]
    if strange := next((edge for edge, _ in noise if edge not in edges), None):
        return f"{list(strange)} in 'noise' is no fact of the item"
    chain = [edge for edge in edges if edge not in [edge for edge, _ in noise]]
    if len(chain) != facts["k"]:
        return f"'k' is {facts['k']}, and {len(chain)} facts are no noise"
    return (
        _wrong_kind(chain, noise, facts["query"]) or _wrong_task(item, edges, noise) or _wrong_depth(facts, rules)
        or _wrong_name(item)
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
        if wrong := next((stated for _, stated in block if stated != kind), None):
            return f"noise called {wrong!r} is {kind}"
    return None


def _wrong_task(item: Item, edges: Sequence[Any], noise: Sequence[Any]) -> str | None:
    stated = item.tags.get("task")
    task = item.tags.get("kind") if stated == "mixed" else stated
    possible = TASK_OF.get(tuple(sorted({kind for _, kind in noise})), ())
    if task not in possible:
        return f"tag 'task' is {task!r}, the noise says {' or '.join(possible) or 'otherwise'}"
    told = frozenset(item.facts["query"]) in {frozenset((i, j)) for i, _, j in edges}
    revisits = len({person for i, _, j in edges for person in (i, j)}) <= len(edges)  # a chain that passes people twice
    if possible == TASK_OF[()] and (task == "memory") != told and not (told and revisits):
        return f"tag 'task' is {task!r}, and the answer is {'' if told else 'not '}told"
    return None


def _wrong_depth(facts: Mapping[str, Any], rules: Rules) -> str | None:
    edges, (x, z) = [tuple(edge) for edge in facts["edges"]], facts["query"]
    least = depth(rules, facts["genders"], edges, (x, z)) if rules.world == "family" else distance(edges, (x, z))
    return None if facts["depth"] == least else f"'depth' is {facts['depth']}, the shortest proof has {least}"


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


PROVED: Final = "551fe508fd801a40e351c706566b49c01850af9104a2086e8b586c1574ef3491"  # the table of proofs/Table.v
CROWD: Final = "clutrr."  # ids of the crowd's templates, which are read freely
NEEDED: Final = ("names", "genders", "edges", "query", "target", "proof", "family", "rules", "table", "seal")


def verify(item: Item) -> Verified:
    """How the item was checked, and what is wrong with it."""
    facts, verdict = item.facts, str(item.facts.get("certificate", "none"))
    if verdict != "entailed" or "table" not in facts:
        how = f"no certificate to replay ({verdict})"
        return Verified(how=how, uncertified=f"{how}; --allow-uncertified counts such items")
    missing = next((name for name in NEEDED if name not in facts), None)
    if missing:
        return Verified(how="failed", problem=f"facts lack {missing!r}")
    rules = of_item(item)
    try:
        problem = _problem(item, facts, rules)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        problem = f"the certificate is malformed ({type(error).__name__}: {error})"
    if problem:
        return Verified(how="failed", problem=problem)
    how = _how(dict(facts), rules)
    return Verified(how=how, uncertified=f"{how}; --allow-uncertified counts such items" if "not proved" in how else "")


def _how(facts: dict[str, Any], rules: Rules) -> str:
    """With what the proof was replayed: a proof by other rules may be one by the proved table all the same."""
    replayed = "text read back, proof replayed with the rule table proved in Coq, family checked"
    if rules.world != "family":
        return f"text read back, proof replayed with the rule base {rules.name!r}"
    if rules.sha256 == PROVED or check(facts, read_table(load("sound").text)) is None:
        return replayed
    return f"text read back, family checked; the proof needs rules of {rules.name!r} that are not proved"


def _problem(item: Item, facts: Mapping[str, Any], rules: Rules) -> str | None:
    if facts["table"] != rules.sha256:
        return "the proof was made with another rule table ('table')"
    if facts["seal"] != seal(item.prompt):
        return "the prompt is not the one that was sealed ('seal')"
    names, genders = facts["names"], facts["genders"]
    if len(set(names)) != len(genders) or len(names) != len(genders):
        return "'names' and 'genders' do not go together"
    strict = not of_the_crowd(facts.get("templates", ()))
    told = unfaithful(story_of(item), names=names, genders=genders, edges=facts["edges"], rules=rules, strict=strict)
    if wrong := told or _misasked(item, facts, rules):
        return wrong
    return misstated(item, rules) or check(dict(facts), read_table(rules.text))


def of_the_crowd(templates: Iterable[str]) -> bool:
    """Whether a story is told in the crowd's words, which are read freely."""
    return any(str(template).startswith(CROWD) for template in templates)


def _misasked(item: Item, facts: Mapping[str, Any], rules: Rules) -> str | None:
    """Whether the question is about the two people of the query and the gold answer is the target."""
    x, z = (facts["names"][person] for person in facts["query"])
    right = right_answer(item.prompt.rsplit("\n", 1)[-1], x=x, z=z, target=facts["target"], rules=rules)
    if right is None:
        return f"the question does not ask what {z} is to {x}"
    if item.gold is None or not 0 <= item.gold < len(item.choices) or item.choices[item.gold] != right:
        return f"the gold answer is not {right!r}"
    return None
