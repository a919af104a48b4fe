"""An example as an item: the prompt, two choices, tags and facts; and the other way, for methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.inference.controls import shares_lemma
from proband.suites.inference.triples import Example, Triple

YES, NO = "yes", "no"
CHOICES = (YES, NO)


def items(
    examples: Sequence[Example],
    *,
    control: str = "none",
    plain: Sequence[Example] | None = None,
    kept: Sequence[int] | None = None,
) -> Iterator[Item]:
    """Tags `source`, `direction`, `directional`, `lemma` (whether the relations share one), `control`, `split`. Under a
    control, all tags are those of the `plain` example, and `facts.source` is its item. `kept` are the places of the
    examples that become items; the others are counted, so that a sample has the ids of the whole."""
    for at in range(len(examples)) if kept is None else kept:
        each, original = examples[at], (plain or examples)[at]
        name = f"{each.source}-{each.split}-{at + 1:05d}"
        facts = {
            "premise": list(each.premise),
            "hypothesis": list(each.hypothesis),
            "straight": each.straight,
            "pair": each.pair,
            "question": each.question,
            "clusters": [each.question],
        }
        yield Item(
            id=name if control == "none" else f"{name}-{control}",
            suite="inference",
            prompt=prompt(each.premise, each.hypothesis),
            choices=CHOICES,
            gold=None if each.entailed is None else int(not each.entailed),
            tags={
                "source": each.source,
                "direction": each.direction,
                "directional": each.directional,
                "lemma": "shared" if shares_lemma(original) else "none shared",
                "control": control,
                "split": each.split,
            },
            facts=facts
            | ({"types": list(each.typed)} if any(each.typed) else {})
            | ({} if control == "none" else {"source": name}),
            split=each.split,
        )


def prompt(premise: Triple, hypothesis: Triple) -> str:
    """
    >>> print(prompt(Triple("aspirin", "eliminates", "headaches"), Triple("aspirin", "treats", "headaches")))
    Premise: Aspirin eliminates headaches.
    Hypothesis: Aspirin treats headaches.
    Is the hypothesis true, given the premise?
    """
    given = f"Premise: {sentence(premise)}\n" if premise.relation else ""
    end = "Is the hypothesis true, given the premise?" if given else "Is the hypothesis true?"
    return f"{given}Hypothesis: {sentence(hypothesis)}\n{end}"


def sentence(triple: Triple) -> str:
    """
    >>> sentence(Triple("the oil", "is exported by", "angola"))
    'The oil is exported by angola.'
    """
    text = triple.text
    return f"{text[:1].upper()}{text[1:]}." if text else ""


@dataclass(frozen=True)
class Asked:
    """What a method reads of an item."""

    premise: Triple
    hypothesis: Triple
    straight: bool
    types: tuple[str, str]


def asked(item: Item) -> Asked:
    facts = item.facts
    first, second = facts.get("types", ("", ""))
    return Asked(Triple(*facts["premise"]), Triple(*facts["hypothesis"]), bool(facts["straight"]), (first, second))


def premises(folder: Path) -> list[Triple]:
    """The distinct premises of a folder of items, whatever their split; labels are not looked at."""
    found = (Triple(*item.facts["premise"]) for item in read_items(folder))
    return list(dict.fromkeys(each for each in found if each.relation))


def show(item: Item) -> str:
    """The prompt, the label, and how the arguments stand."""
    gold = "unknown" if item.gold is None else item.choices[item.gold]
    order = "straight" if item.facts["straight"] else "swapped"
    return f"{item.prompt}\nlabel: {gold}; arguments {order}; question: {item.facts['question']}"
