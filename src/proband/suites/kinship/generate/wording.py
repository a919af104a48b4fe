"""Names, words and a question for a draft: what turns logic into an item."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from proband.core.errors import ProbandError
from proband.core.types import Item, Tag
from proband.suites.kinship.generate.hold_outs import names_of
from proband.suites.kinship.generate.options import BuildOptions, BuildPlan, StoryCell
from proband.suites.kinship.generate.pairs import Neighbour
from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.logic.noise import WAYS
from proband.suites.kinship.reading.reader import mismatch_with_facts
from proband.suites.kinship.telling.bank import OURS, Bank, bank_of_build, constructions_held
from proband.suites.kinship.telling.stories import SENTENCES, Telling, ask, render, seal, tell
from proband.suites.kinship.world.families import NAMES, Random, shuffle
from proband.suites.kinship.world.relations import possibilities
from proband.suites.kinship.world.rules import NONE, Rules, canonical_clause, load

CERTIFIED_BY: Final = {"open": ("search",), "one-of": ("closure", "search")}  # the same for every story
UNLIKE = 50  # draws of a dissimilar name before any other name is accepted
TELLINGS = 200  # attempts per story with templates of others
SOUNDS: Final = (("ph", "f"), ("v", "f"), ("c", "k"), ("z", "s"), ("g", "j"))
UNHEARD: Final = str.maketrans("", "", "aeiouyh")


class Wording:
    """Words for the drafts of a plan."""

    def __init__(self, plan: BuildPlan, rules: Rules) -> None:
        self.plan, self.options, self.rules = plan, plan.options, rules
        ours = [load(each).words for each in ("sound", "wide", "blended")]
        self.english = rules.world == "family" and rules.words in ours
        self.bank_of = lru_cache(maxsize=4)(self._bank_of)

    @cached_property
    def bank(self) -> Bank:
        plan = self.plan
        return bank_of_build(self.options.bank, hold_out=plan.hold_out, share=plan.held["paraphrases"], seed=plan.seed)

    def _bank_of(self, part: str) -> Bank:
        """The bank for the stories of a part; it depends on the part if phrases or constructions are held out."""
        held = constructions_held(self.plan.hold_out) or "paraphrases" in self.plan.hold_out
        return self.bank.of_split(part) if part and held else self.bank

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """Names by part and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            given = NAMES if self.rules.gendered else {NONE: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **names_of(given, share=self.plan.held["names"], seed=self.plan.seed)}
        return {"": given, "train": given, "test": given}

    def item(
        self, draft: Draft, draw: Random, words: random.Random, *, cell: StoryCell, name: str, kind: str, searched: bool
    ) -> Item:
        """The item of a draft. `draw` chooses its people, `words` its wording."""
        names = self._names_for(draft.genders, cell.part, draw)
        telling = self._tell(draft, names, cell.phrases or cell.part, words)
        return self.item_about(draft, names, telling, words, cell=cell, name=name, kind=kind, searched=searched)

    def item_about(
        self, draft: Draft, names: list[str], telling: Telling, words: random.Random,
        *, cell: StoryCell, name: str, kind: str, searched: bool = False,
    ) -> Item:  # fmt: skip
        """The item of a draft in this wording."""
        x, z = draft.query
        question = ask(
            self.options.question, x=names[x], z=names[z], target=draft.target, rules=self.rules,
            draw=words.random, open=self.options.open > 0, gender=draft.genders[z],
        )  # fmt: skip
        bank = self.bank if telling.scenes else None
        text = render(telling, draft.edges, names=names, genders=draft.genders, bank=bank, rules=self.rules)
        prompt = f"{text}\n{question.text}"
        both = canonical_clause(draft.clause, self.rules.inverse)  # the same clause from either end
        clause, cluster = (".".join([self.rules.neutrals[r] for r in each]) for each in (draft.clause, both))
        proved = ("closure", "search") if searched else ("closure",)
        facts = {  # the facts and the proof of the answer, and their wording
            "names": names,
            "genders": draft.genders,
            "edges": draft.edges,
            "query": draft.query,
            "target": draft.target,
            "k": draft.k,
            "depth": draft.depth,
            "noise": draft.noise,
            "proof": draft.proof,
            "proofs": draft.proofs,
            "family": draft.family,
            **({"families": draft.families} if draft.families else {}),
            "certificate": draft.verdict,
            "certified_by": CERTIFIED_BY.get(draft.verdict, proved if draft.verdict == "entailed" else ()),
            "clause": clause,
            "clusters": [cluster, *filter(None, [draft.pair])],
            "telling": msgspec.to_builtins(telling),
            "rules": self.rules.reference,
            "table": self.rules.sha256,
            "seal": seal(prompt),
            **question.facts,
        }
        return Item(
            id=name,
            suite="kinship",
            prompt=prompt,
            choices=question.choices,
            gold=question.gold,
            tags=_tags(draft, cell, kind, self.options),
            facts=facts,
            split=cell.split,
        )

    def _names_for(self, genders: Sequence[str], part: str, draw: Random) -> list[str]:
        """A different name of the right gender for each person; similar names of ours are not used together."""
        lists, names = self.names[part], list[str]()
        for gender in dict.fromkeys(genders):
            needed, given = genders.count(gender), len(lists.get(gender, ()))
            if needed > given:
                raise ProbandError(f"a story needs {needed} names ({gender}); there are {given}")
        taken: set[str] = set()
        for gender in genders:
            free, tries = lists[gender], 0 if self.rules.names else UNLIKE
            while (name := free[int(draw() * len(free))]) in names or (
                tries > 0 and not taken.isdisjoint(likeness(name))
            ):
                tries -= 1
            names.append(name)
            taken |= likeness(name)
        return names

    def _tell(self, draft: Draft, names: list[str], part: str, rng: random.Random) -> Telling:
        options = self.options
        if options.form == "story" and self.english:
            return self._story(draft, names, part, rng)
        order = shuffle(len(draft.edges), rng.random)
        while in_one_block(draft, order):
            order = shuffle(len(draft.edges), rng.random)
        if not self.english and options.form != "graph":
            forms = len(self.rules.sentences) if options.form == "story" else 1
            lines = tuple((place, int(rng.random() * forms)) for place in order)
            return Telling(form=SENTENCES, lines=lines)
        # along the chain, the words reveal who is asked about
        genders = self.rules.gendered and not options.facts_along_chain
        lines = tuple((place, 0) for place in order)
        return Telling(form=options.form, lines=lines, genders=genders)

    def _woven(self, draft: Draft, path: Sequence[int], rng: random.Random) -> list[int]:
        """The facts in the order of the chain, with each noise fact at its own position among them."""
        noise = {edge for edge, _ in draft.noise}
        order = [place for place in path if draft.edges[place] not in noise]
        for place in path:
            if draft.edges[place] in noise:
                order.insert(int(rng.random() * (len(order) + 1)), place)
        return order

    def _story(self, draft: Draft, names: list[str], part: str, rng: random.Random) -> Telling:
        """A story in the frames of the bank. Our frames can be joined freely. Frames of others are checked one by one,
        but a pronoun may be ambiguous next to another frame, so the whole story is read back and worded again if the
        reading differs."""
        options, path = self.options, list(draft.path or range(len(draft.edges)))
        bank = self.bank_of(part)
        for _ in range(TELLINGS):
            telling = tell(
                draft.edges,
                genders=draft.genders,
                bank=bank,
                rng=rng,
                along_chain=options.facts_along_chain,
                order=self._woven(draft, path, rng),
                alone=draft.alone,
            )
            if in_one_block(draft, telling.order(draft.edges)):
                continue
            if options.bank == OURS:
                return telling
            if not mismatch_with_facts(
                render(telling, draft.edges, names=names, genders=draft.genders, bank=bank),
                names=names,
                genders=draft.genders,
                edges=draft.edges,
                rules=self.rules,
            ):
                return telling
        raise ProbandError(f"'bank' {options.bank}: none of {TELLINGS} texts is read back to its facts")


def retold(telling: Telling, neighbour: Neighbour) -> Telling:
    """The same sentences about the facts of a neighbour, with other names in one of them."""
    other = dict(neighbour.other)

    def renamed(people: tuple[int, ...]) -> tuple[int, ...]:
        here = set(people) == set(other) and len(people) == 2
        return tuple(other[person] for person in people) if here else people

    scenes = tuple(
        msgspec.structs.replace(
            scene,
            sentences=tuple(msgspec.structs.replace(each, people=renamed(each.people)) for each in scene.sentences),
        )
        for scene in telling.scenes
    )
    return msgspec.structs.replace(telling, scenes=scenes)


def in_one_block(draft: Draft, order: Sequence[int]) -> bool:
    """Whether all noise facts come before, or after, the other facts in this order (if there are several of each)."""
    noise = {edge for edge, _ in draft.noise}
    if len(noise) < 2 or len(order) - len(noise) < 2:
        return False
    places = [at for at, fact in enumerate(order) if draft.edges[fact] in noise]
    return bool(places) and (places[-1] == len(places) - 1 or places[0] == len(order) - len(places))


def _tags(draft: Draft, cell: StoryCell, kind: str, options: BuildOptions) -> dict[str, Tag]:
    tags: dict[str, Tag] = {"task": cell.task, "k": draft.k, "depth": draft.depth, "target": draft.target}
    if cell.part:
        tags["split"] = cell.split
    if cell.slice:
        tags["slice"] = cell.slice
    if cell.task == "mixed":
        tags["kind"] = kind
    if cell.task in WAYS:  # number of paths that prove the answer alone
        tags["ways"] = 2 if cell.task == "either" else 0
    if options.facts_along_chain:
        tags["facts"] = "along-chain"
    if options.open:
        tags["answer"] = "open" if draft.verdict == "open" else "follows"
    if options.question == "sets":
        tags["possible"] = len(possibilities(draft.target))
    return tags


@lru_cache(maxsize=10_000)
def likeness(name: str) -> frozenset[str]:
    """Keys that a name shares with names that look or sound alike: its first three letters, its consonants by sound,
    and the name without one letter.

    >>> [bool(likeness(a) & likeness(b)) for a, b in (("Brian", "Bryan"), ("Sara", "Sarah"), ("Joan", "Roy"))]
    [True, True, False]
    >>> sorted(likeness("Joe"))
    ['je', 'jo', 'joe', 'joe...', 'j~', 'oe']
    """
    low = name.lower()
    sound = low
    for letters, one in SOUNDS:
        sound = sound.replace(letters, one)
    sound = sound.translate(UNHEARD)
    skeleton = "".join(c for i, c in enumerate(sound) if i == 0 or c != sound[i - 1])
    return frozenset({low, low[:3] + "...", skeleton + "~", *(low[:i] + low[i + 1 :] for i in range(len(low)))})
