"""What an item says of itself, worked out again from its facts: k, noise and its kinds, task, depth, split, id."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from proband.core.types import Item
from proband.suites.kinship.logic.closure import depth, distance
from proband.suites.kinship.world.rules import Rules

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
