"""From several people's labels to one: the paper's rule, majority, Dawid & Skene, MACE; then the owner's own word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proband.annotate.results.collected import Collected, own_rule
from proband.core.agreement.aggregation import dawid_skene, mace
from proband.core.agreement.votes import Aggregate, Votes, majority
from proband.core.human_task import Labels

RULES: Mapping[str, Callable[[Collected], Callable[[Votes], Aggregate]]] = {
    "paper": own_rule,
    "majority": lambda found: majority,
    "dawid-skene": lambda found: dawid_skene,
    "mace": lambda found: mace,
}


def labels(found: Collected, rule: str = "paper") -> Labels:
    """Part -> label, None where the rule leaves it open; what the owner decided stands."""
    if rule == "paper":
        return found.labels
    made = dict(RULES[rule](found)(found.votes).labels) if found.votes is not None else {}
    for (unit, part), label in found.decided.items():
        made[found.part_name(unit, part)] = label
    return made


def disputed(found: Collected, *, most: int) -> list[dict[str, Any]]:
    """The parts that the paper's rule leaves open, those with the most even votes first; decided ones last. Not more
    than `most`."""
    if found.votes is None:
        return []
    votes, decided = found.votes, {found.part_name(*key): label for key, label in found.decided.items()}
    open_parts = own_rule(found)(votes).labels
    people = votes.count.sum(axis=1)
    top = (votes.count.max(axis=1) / people).tolist()
    several = (people > 1).tolist()
    places = [n for n, name in enumerate(votes.items) if (open_parts[name] is None and several[n]) or name in decided]
    places.sort(key=lambda n: (votes.items[n] in decided, top[n], votes.items[n]))
    rows = []
    for place in places[:most]:
        name = votes.items[place]
        said = {label: int(n) for label, n in zip(votes.labels, votes.count[place], strict=True) if n}
        rows.append(
            {"part": name, "unit": found.groups[name], "votes": said, "top": top[place], "decided": decided.get(name)}
        )
    return rows
