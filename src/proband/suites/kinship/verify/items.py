"""One item, from its text to its label: the story is read back to exactly its facts, the checker replays the proof.

An item passes if the prompt is the sealed one, the story tells the facts and no others and takes none back, the
question asks for the label, k, depth, noise, task, split and id are what the facts say (metadata.py), and
`checker.check` finds nothing wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proband.core.suite import Verified
from proband.core.types import Item
from proband.suites.kinship.reading.reader import unfaithful
from proband.suites.kinship.telling.questions import asks, seal, story_of
from proband.suites.kinship.verify.checker import check, read_table
from proband.suites.kinship.verify.metadata import misstated
from proband.suites.kinship.world.rules import Rules, load, of_item

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
    crowd = any(str(template).startswith(CROWD) for template in facts.get("templates", ()))
    told = unfaithful(story_of(item), names=names, genders=genders, edges=facts["edges"], rules=rules, strict=not crowd)
    if wrong := told or _misasked(item, facts, rules):
        return wrong
    return misstated(item, rules) or check(dict(facts), read_table(rules.text))


def _misasked(item: Item, facts: Mapping[str, Any], rules: Rules) -> str | None:
    """Whether the question is about the two people of the query and the gold answer is the target."""
    x, z = (facts["names"][person] for person in facts["query"])
    right = asks(item.prompt.rsplit("\n", 1)[-1], x=x, z=z, target=facts["target"], rules=rules)
    if right is None:
        return f"the question does not ask what {z} is to {x}"
    if item.gold is None or not 0 <= item.gold < len(item.choices) or item.choices[item.gold] != right:
        return f"the gold answer is not {right!r}"
    return None
