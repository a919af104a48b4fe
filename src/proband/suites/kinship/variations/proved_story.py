"""An item as its parts (facts, telling, question and certificate), so that a variation can change one of them.

A text of ours is rendered from its telling: a variation changes names, facts or the telling, and renders it again. Rows
of CLUTRR have texts by others. They get their own certificate if their label follows, can be stated in our words, and
their names can be exchanged; their own sentences stay unchanged.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from proband.core.types import Item
from proband.suites.kinship.generate.hold_outs import names_of
from proband.suites.kinship.generate.options import parse_hold_out, parse_shares
from proband.suites.kinship.logic.certificates import certificate
from proband.suites.kinship.logic.closure import Edge, asked_path, shortest_path
from proband.suites.kinship.telling.bank import OURS, Bank, bank_of_build, load_bank
from proband.suites.kinship.telling.stories import NAME, STORY, Telling, ask, render, seal, tell, telling_of
from proband.suites.kinship.world.families import NAMES, likeness
from proband.suites.kinship.world.relations import ALL_NEUTRAL, UNDETERMINED, possibilities
from proband.suites.kinship.world.rules import YES_NO, Rules, facts_of, of_item, question_of
from proband.suites.kinship.world.rules import story_of as prompt_story

ROWS = "rows of others"  # the bank of texts by others


@dataclass(frozen=True)
class ProvedStory:
    """The parts of an item. `telling` is None for a text by others."""

    item: Item
    rules: Rules
    names: list[str]
    genders: list[str]
    edges: list[Edge]
    query: tuple[int, int]
    noise: list[Any]
    telling: Telling | None
    own: Mapping[str, Any]  # the facts of its certificate
    bank: Bank
    given: Mapping[str, Sequence[str]] = field(default_factory=lambda: NAMES)  # the names of its split, by gender

    @property
    def text(self) -> str:
        return prompt_story(self.item)

    @property
    def several(self) -> Any:
        """The kind of certificate of the item if several relations are possible."""
        if UNDETERMINED in self.item.choices:
            return "open"
        return "one-of" if "possible" in self.item.tags else ""

    def certified(self) -> dict[str, Any] | str:
        return certificate(self.rules, self.genders, self.edges, self.query, several=self.several)

    def varied(self, *, question: str = "", text: str = "", tags: Mapping[str, Any] | None = None) -> Item:
        """The item with these names, facts and telling; its text is rendered unless it is given."""
        telling = self.telling or Telling(bank=ROWS)
        if not text:
            bank = self.bank if telling.form == STORY else None
            people = {"names": self.names, "genders": self.genders, "rules": self.rules}
            text = render(telling, self.edges, bank=bank, **people)  # type: ignore[arg-type]
        prompt = f"{text}\n{question or question_of(self.item)}"
        facts = {name: value for name, value in self.item.facts.items() if name not in ("story", "clean_story")}
        facts |= {
            "names": list(self.names),
            "genders": list(self.genders),
            "edges": list(self.edges),
            "query": list(self.query),
            "noise": list(self.noise),
            **self.own,
            "telling": msgspec.to_builtins(telling),
            "rules": self.rules.reference,
            "table": self.rules.sha256,
            "seal": seal(prompt),
        }
        changed = {**self.item.tags, "depth": facts["depth"], "target": facts["target"], **(tags or {})}
        return msgspec.structs.replace(self.item, prompt=prompt, facts=facts, tags=changed)

    def with_question(self, rng: random.Random, *, target: str) -> Item:
        """The item with a question of the same kind about `query` whose answer is `target`."""
        item, (x, z) = self.item, self.query
        kind = "yes-no" if item.choices == YES_NO else "choice" if "___" in question_of(item) else "text"
        question = ask(
            "sets" if "possible" in item.tags else kind,
            x=self.names[x],
            z=self.names[z],
            target=target,
            rules=self.rules,
            draw=rng.random,
            open=UNDETERMINED in item.choices,
            gender=self.genders[z],
        )
        own = {**self.own, **question.facts, **self._clause()}
        tags: dict[str, Any] = {}
        if "answer" in item.tags:
            tags["answer"] = "open" if target == UNDETERMINED else "follows"
        if "possible" in item.tags:
            tags["possible"] = len(possibilities(target))
        varied = replace(self, own=own).varied(question=question.text, tags=tags)
        return msgspec.structs.replace(varied, choices=question.choices, gold=question.gold)

    def _clause(self) -> dict[str, str]:
        """The relations along the chain from the asker, if the item has a clause."""
        if "clause" not in self.item.facts:
            return {}
        noise = [tuple(edge) for edge, _ in self.noise]
        chain = [edge for edge in self.edges if tuple(edge) not in noise]
        names = [ALL_NEUTRAL[kin] for _, kin, _ in asked_path(self.rules, self.genders, chain, self.query)]
        return {"clause": ".".join(names)} if names else {}

    def new_telling(self, rng: random.Random) -> Telling:
        """The same facts in new words, with the chain between the two people first."""
        way = [tuple(edge) for edge in shortest_path(self.edges, self.query) or []]
        first = [self.edges.index(edge) for edge in way]
        order = [*first, *(place for place in range(len(self.edges)) if place not in first)]
        along_chain = self.item.tags.get("facts") == "along-chain"
        return tell(self.edges, genders=self.genders, bank=self.bank, rng=rng, along_chain=along_chain, order=order)


def exchanged(text: str, other: Mapping[str, str]) -> str:
    """The text with other names."""
    return NAME.sub(lambda match: other.get(match[0], match[0]), text)


def fresh_names(
    genders: Sequence[str],
    rng: random.Random,
    *,
    given: Mapping[str, Sequence[str]] = NAMES,
    avoided: Sequence[str] = (),
    unlike: Sequence[str] = (),
) -> list[str]:
    """One of the `given` names for each gender, dissimilar to the others and to `unlike`, none of `avoided`; fewer if
    names run out."""
    taken = {key for name in unlike for key in likeness(name)}
    names = list[str]()
    for gender in genders:
        free = [name for name in given[gender] if name not in avoided and taken.isdisjoint(likeness(name))]
        if not free:
            break
        names.append(rng.choice(free))
        taken |= likeness(names[-1])
    return names


# ---- taking an item apart ------------------------------------------------------------------------------------------


def _given(manifest: Mapping[str, Any], split: str | None) -> tuple[Bank, Mapping[str, Sequence[str]]]:
    """The bank and the names of a split of built items."""
    options, seed = manifest.get("options") or {}, manifest.get("seed", 0)
    if options.get("data") or options.get("release") or options.get("bank", OURS) != OURS:
        return load_bank(), NAMES
    held, shares = parse_hold_out(options.get("hold-out") or ""), parse_shares(options.get("held") or "")
    bank = bank_of_build(OURS, hold_out=held, share=shares["paraphrases"], seed=seed)
    names = names_of(NAMES, share=shares["names"], seed=seed)[split] if split and "names" in held else NAMES
    return bank.of_split(split), names


def prove_story(item: Item, manifest: Mapping[str, Any]) -> ProvedStory | str:
    """The item as a proved story, or the reason why it is none."""
    if "edges" not in item.facts or "names" not in item.facts:
        return "it has no facts"
    facts, rules = facts_of(item), of_item(item)
    if rules.world != "family" or not rules.proved:
        return "its world is not one of families whose rules are proved"
    split = str(item.tags["split"]) if "split" in item.tags else None
    bank, given = _given(manifest, split)
    story = ProvedStory(
        item=item,
        rules=rules,
        names=list(facts.names),
        genders=list(facts.genders),
        edges=list(facts.edges),
        query=facts.pair,
        noise=list(facts.noise),
        telling=None,
        own={},
        bank=bank,
        given=given,
    )
    if "seal" not in item.facts:
        return _of_a_row(story)
    if facts.certificate not in ("entailed", "one-of", "open"):
        return "it carries no certificate"
    telling = telling_of(item.facts)
    return story if telling.bank != OURS else replace(story, telling=telling)


def _of_a_row(story: ProvedStory) -> ProvedStory | str:
    """The story of a row by others, with our own certificate."""
    if any(edge[1] is None for edge, _ in story.noise):
        return "its columns do not state the relation of a noise fact"
    own = [tuple(edge) for edge in story.edges]
    story = replace(story, edges=[*own, *(edge for edge, _ in story.noise if tuple(edge) not in own)])
    made = story.certified()
    if isinstance(made, str):
        return made
    if made["target"] != story.item.facts["target"]:
        return "its label does not follow from its facts"
    return replace(story, own=made)
