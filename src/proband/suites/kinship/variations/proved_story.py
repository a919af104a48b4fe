"""An item taken apart into facts, question and certificate, so that a variation can change one of them.

Rows of CLUTRR get a proof and a family of their own where their label follows; noise facts without a relation get the
one that their text states. Where a variation keeps somebody else's text, that text must be read back to its facts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from proband.core.files import read_manifest
from proband.core.types import Item
from proband.suites.kinship.audit.story_text import read_story, type_noise
from proband.suites.kinship.logic.closure import Edge, depth, derivation, entailed
from proband.suites.kinship.logic.search import entailed as searched
from proband.suites.kinship.logic.search import family_of
from proband.suites.kinship.reading.reader import TRIPLE, unfaithful
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.bank import Bank, bank_of_build, load_bank
from proband.suites.kinship.telling.settings import AND, Setting
from proband.suites.kinship.telling.stories import Telling, plain, shown_names, tell
from proband.suites.kinship.verify.items import misstated, of_the_crowd
from proband.suites.kinship.verify.retelling import Retold, ours, retell, untold
from proband.suites.kinship.world.families import rows_of
from proband.suites.kinship.world.relations import STRICT
from proband.suites.kinship.world.rules import facts_of, of_item, question_of
from proband.suites.kinship.world.rules import story_of as prompt_story

TRIES = 30
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z\[@])")
UNREAD = "its text is not read back to its facts"


class TextUnit(NamedTuple):
    """A piece of a text."""

    text: str
    templates: Sequence[str] = ()
    groups: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class ProvedStory:
    """An item taken apart: what it tells, how it asks, and the part of its facts that a certificate consists of."""

    item: Item
    names: list[str]
    genders: list[str]
    edges: list[Edge]
    query: tuple[int, int]
    target: str
    noise: list[Any]
    certificate: Mapping[str, Any]

    @property
    def text(self) -> str:
        return prompt_story(self.item)

    @property
    def question(self) -> str:
        return question_of(self.item)

    @property
    def form(self) -> str:
        if TRIPLE.match(self.text):
            return "graph"
        sentences = set(SENTENCE.split(self.text))
        return "facts" if set(plain(self.edges, self.shown, self.genders)) <= sentences else "story"

    @property
    def brackets(self) -> bool:
        return all(f"[{name}]" in self.item.prompt for name in self.names)

    @property
    def shown(self) -> list[str]:
        return shown_names(self.names, brackets=self.brackets)

    def with_text(self, text: str, *, question: str = "", **facts: Any) -> Item:
        """The item with another text, and another question if there is one; its certificate stays."""
        prompt = f"{text}\n{question or self.question}"
        own = {name: value for name, value in self.item.facts.items() if name not in ("story", "clean_story")}
        changed = {**own, **self.certificate, "seal": stories.seal(prompt), **facts}
        tags = {**self.item.tags, **({"depth": changed["depth"]} if self.certificate else {})}
        return msgspec.structs.replace(self.item, prompt=prompt, facts=changed, tags=tags)

    def accepts(self, varied: Item) -> bool:
        """Whether `verify` will: the text is told again or, where the source's is somebody else's, read back."""
        rules, facts = of_item(varied), varied.facts
        if untold(varied, rules, foreign_names=bool(self.certificate)) is None:
            return True
        if self.retold is not None or ours(varied):
            return False
        people = {"names": facts["names"], "genders": facts["genders"], "edges": facts["edges"], "rules": rules}
        return not unfaithful(prompt_story(varied), **people, strict=not of_the_crowd(facts["templates"]))

    @cached_property
    def retold(self) -> Retold | None:
        """The source's own text as it is told again; None for somebody else's."""
        if self.certificate or untold(self.item, of_item(self.item)) is not None:
            return None
        return retell(self.item, of_item(self.item))

    @cached_property
    def readable(self) -> bool:
        """Whether the source's own text tells its facts: somebody else's may not."""
        return self.accepts(self.with_text(self.text))

    @property
    def templates(self) -> Sequence[str]:
        return [] if self.certificate else list(self.item.facts.get("templates", ()))

    def units(self) -> list[TextUnit]:
        """The text in pieces that can change places, each with the facts it tells (somebody else's: without): the lines
        of facts and triples; sentences, those that begin with `Then` with the one before. The first of a story may be
        an opening, which names nobody."""
        between = "\n" if self.form == "graph" else " "
        lines = self.text.split("\n") if self.form == "graph" else SENTENCE.split(self.text)
        parts = _that_follow(lines, self.shown) if self.form == "story" else [[line] for line in lines]
        if self.retold is None:
            return [TextUnit(between.join(part)) for part in parts]
        if any(AND in template for template in self.templates):
            return self._frames()
        units, at, told = list[TextUnit](), 0, 0
        for part in parts:
            text, first = between.join(part), told
            at += len(text + between)
            while told < len(self.retold.ends) and self.retold.ends[told] < at:
                told += 1
            units.append(TextUnit(text, self.templates[first:told], self.item.facts["groups"][first:told]))
        return units

    def _frames(self) -> list[TextUnit]:
        """The frames of a story in settings, each apart; where a setting begins, its opening."""
        assert self.retold is not None
        openings = [opening for each in load_bank("release2").settings for opening in each.openings]
        units, at = list[TextUnit](), 0
        for end, template, group in zip(self.retold.ends, self.templates, self.item.facts["groups"], strict=True):
            text = self.text[at:end]
            if opening := next((each for each in openings if text.startswith(f"{each} ")), ""):
                units.append(TextUnit(opening))
            units.append(TextUnit(text[len(opening) :].strip(), [template], [group]))
            at = end + 1
        return units

    def with_units(self, units: Sequence[TextUnit], **facts: Any) -> Item:
        """The item with these pieces as its text."""
        text = ("\n" if self.form == "graph" else " ").join(unit.text for unit in units)
        if self.retold is not None:
            facts["templates"] = [template for unit in units for template in unit.templates]
            facts["groups"] = [group for unit in units for group in unit.groups]
        return self.with_text(text, **facts)


def _that_follow(sentences: Sequence[str], names: Sequence[str]) -> list[list[str]]:
    """Sentences with those that make sense only behind them: `Then Ann`, and what names nobody."""
    parts = list[list[str]]()
    for sentence in sentences:
        first = min((at for name in names if (at := sentence.find(name)) >= 0), default=-1)
        follows = first < 0 or (first > 0 and "," not in sentence[:first])
        if follows and parts:
            parts[-1].append(sentence)
        else:
            parts.append([sentence])
    return parts


def prove_story(item: Item) -> ProvedStory | str:
    """The item as a story that is proved, or why it is none."""
    if "edges" not in item.facts or "names" not in item.facts:
        return "it has no facts"
    facts = facts_of(item)
    rules = of_item(item)
    if rules.world != "family" or not rules.gendered:
        return "its world is not that of families"
    if rules.kin != STRICT:
        return "its relations are not the 22 that variations know"
    parts: dict[str, Any] = {
        "item": item,
        "names": list(facts.names),
        "genders": list(facts.genders),
        "query": facts.pair,
        "target": facts.target,
    }
    if "seal" in item.facts:
        if facts.certificate not in ("entailed", "one-of"):
            return "it carries no certificate"
        return ProvedStory(**parts, edges=list(facts.edges), noise=list(facts.noise), certificate={})
    return _released(parts, list(facts.edges))


def _released(parts: dict[str, Any], edges: list[Edge]) -> ProvedStory | str:
    """The story of somebody else's row, with a certificate of our own."""
    item, genders, query, target = (parts[name] for name in ("item", "genders", "query", "target"))
    rules = of_item(item)
    if entailed(rules, genders, edges, query) != target:
        return "its label does not follow from its facts"
    noise = typed_noise(item)
    if noise is None:
        return "its text does not state the relation of a noise fact"
    edges = all_edges(edges, noise)
    certificate = certified(item, genders, edges, query, target)
    if isinstance(certificate, str):
        return certificate
    certificate |= {"rules": rules.reference, "table": rules.sha256, "templates": [], "groups": []}
    certificate |= {"edges": edges, "noise": noise}
    story = ProvedStory(**parts, edges=edges, noise=noise, certificate=certificate)
    varied = story.with_text(story.text)
    if misstated(msgspec.structs.replace(varied, tags={**varied.tags, "variation": ""}), rules):
        return "its columns give another k, task or kind of noise than its facts"
    return story


def typed_noise(item: Item) -> list[tuple[Edge, str]] | None:
    """The noise facts of an item, where they have no relation with the one that the text states; None unless all do."""
    facts = facts_of(item)
    noise = [((i, word, j), kind) for (i, word, j), kind in facts.noise if word is not None]
    if len(noise) == len(facts.noise):
        return noise
    text = read_story(str(item.facts.get("story", "")), facts.names, facts.genders)
    typed = type_noise(text, [edge for edge, _ in facts.noise], facts.genders)
    return None if typed is None else [(edge, kind) for edge, (_, kind) in zip(typed, facts.noise, strict=True)]


def all_edges(edges: Sequence[Edge], noise: Sequence[tuple[Edge, str]]) -> list[Edge]:
    """The facts of an item and the noise facts that are not among them."""
    own = [tuple(edge) for edge in edges]
    return [*own, *(edge for edge, _ in noise if edge not in own)]


def certified(
    item: Item, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int], target: str
) -> dict[str, Any] | str:
    """Proof, family and depth of an answer, or why there are none."""
    rules = of_item(item)
    if any(relation is None for _, relation, _ in edges):
        return "a fact has no relation"
    proof, family = derivation(rules, genders, edges, query), family_of(genders, edges, query)
    if proof is None:
        return "no line of rules proves its answer"
    if family is None:
        return "its facts contradict each other"
    return {
        "proof": proof,
        "family": rows_of(family),
        "depth": depth(rules, genders, edges, query),
        "proofs": 1,
        "certificate": "entailed",
        "certified_by": ["closure", "search"] if searched(genders, edges, query, target) else ["closure"],
    }


# ---- how its facts are told --------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _bank(folder: Path) -> tuple[Bank, bool]:
    """The bank that the items of a folder are told from, and whether a part of it is held out."""
    manifest = read_manifest(folder)
    options = manifest.get("options", {})
    hold_out = [part.strip() for part in str(options.get("hold-out", "")).split(",")]
    held = [
        name for name in ("paraphrases", "constructions") if name in hold_out or (name[0] == "p" and "all" in hold_out)
    ]
    bank = bank_of_build(
        options.get("bank") or "proband",
        hold_out=held,
        share=options.get("held-paraphrases", 0.2),
        constructions=options.get("constructions", ""),
        seed=manifest.get("seed", 0),
    )
    return bank, bool(held)


def tell_facts(
    story: ProvedStory,
    facts: Sequence[Edge],
    *,
    names: Sequence[str],
    rng: random.Random,
    folder: Path,
    genders: Sequence[str] = (),
    scenes: bool = False,
    setting: Setting | None = None,
) -> Telling:
    """Facts in paraphrases of the bank that the story's folder is told from, of its split. `scenes`: they stand among
    somebody else's words, where an occasion would be out of place; `setting`: the one where the story is."""
    bank, held = _bank(folder)
    if scenes and (bank.occasions or bank.settings):
        bank, held = load_bank("scenes"), False
    if setting is not None:
        bank = bank.within(setting)
    along = story.item.tags.get("facts") == "along-chain" or "seal" not in story.item.facts
    return tell(
        facts,
        names=shown_names(names, brackets=story.brackets),
        genders=genders or story.genders,
        bank=bank,
        rng=rng,
        split=str(story.item.tags["split"]) if held and "split" in story.item.tags else None,
        either_end=not along,
    )
