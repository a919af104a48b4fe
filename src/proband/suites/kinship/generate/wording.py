"""Names, words and a question for a draft: what turns logic into an item, and what the manifest counts of it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.types import Item, Tag
from proband.suites.kinship.generate.hold_outs import names_of
from proband.suites.kinship.generate.options import CONSTRUCTED, BuildOptions, Cell, Plan
from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.logic.noise import WAYS
from proband.suites.kinship.reading.reader import unfaithful
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.bank import Bank, bank_of_build, crowd_folder
from proband.suites.kinship.telling.crowd_templates import ONLY
from proband.suites.kinship.telling.phrases import fact_phrases, masked_sentences
from proband.suites.kinship.telling.stories import Telling, plain, shown_names, tell
from proband.suites.kinship.world.families import NAMES, Random, shuffle
from proband.suites.kinship.world.relations import possibilities
from proband.suites.kinship.world.rules import NONE, Rules, canonical_clause, load, story_of

CERTIFIED_BY: Final = {"open": ("search",), "one-of": ("closure", "search")}  # the same of every story
ENTITIES = 40  # placeholders to draw from when names are anonymised
UNLIKE = 50  # draws of a name unlike those of the story; after that, any other name will do
TELLINGS = 200  # of one story, with templates of others
ONLY_TELLINGS = 20  # of one story, until none of ours is in it
REMEMBERED = 50_000  # clauses whose names are kept
SOUNDS: Final = (("ph", "f"), ("v", "f"), ("c", "k"), ("z", "s"), ("g", "j"))
UNHEARD: Final = str.maketrans("", "", "aeiouyh")


@dataclass(slots=True)
class Note:
    """What the manifest counts of an item."""

    cell: tuple[str, str, int]  # part, task, k
    target: str
    genders: str
    clause: str
    verdict: str
    searched: bool
    # templates, names, cluster, digests of the prompt, its sentences and its phrases; nothing where nothing is held out
    seen: tuple[Any, ...]
    bank_templates: tuple[int, int] = (0, 0)  # of the bank itself, and of ours that complete it
    fellows: int = 1  # stories of its balanced set


class Wording:
    """Words for the drafts of a plan."""

    def __init__(self, plan: Plan, rules: Rules) -> None:
        self.plan, self.options, self.rules = plan, plan.options, rules
        self.table = rules.sha256
        ours = [load(each).words for each in ("sound", "wide", "blended")]
        self.english = rules.world == "family" and rules.words in ours
        self.avoided = re.compile(self.options.avoid) if self.options.avoid else None
        self.spell = lru_cache(maxsize=REMEMBERED)(self._spell)

    @cached_property
    def bank(self) -> Bank:
        options = self.options
        return bank_of_build(
            options.bank,
            hold_out=self.plan.hold_out,
            share=options.held_paraphrases,
            constructions=options.constructions,
            seed=self.plan.seed,
        )

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """By part and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            given = NAMES if self.rules.gendered else {NONE: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **names_of(given, share=self.options.held_names, seed=self.plan.seed)}
        return {"": given, "train": given, "test": given}

    def item(
        self, draft: Draft, draw: Random, words: random.Random, *, cell: Cell, name: str, kind: str, searched: bool
    ) -> tuple[Item, Note]:
        """The item, and what the manifest counts of it. `draw` decides whom it is about,
        `words` how that is told."""
        names = self._names_for(draft.genders, cell.part, draw)
        telling = self._tell(draft, names, cell.phrases or cell.part, words)
        return self.item_about(draft, names, telling, words, cell=cell, name=name, kind=kind, searched=searched)

    def telling_of(self, item: Item) -> Telling:
        """How an item of ours was told."""
        return Telling(story_of(item), item.facts["templates"], item.facts["groups"])

    def item_about(
        self, draft: Draft, names: list[str], telling: Telling, words: random.Random,
        *, cell: Cell, name: str, kind: str, searched: bool = False,
    ) -> tuple[Item, Note]:  # fmt: skip
        """The item of a draft that is told so."""
        x, z = draft.query
        shown = shown_names(names, brackets=self.options.brackets)
        question = stories.ask(
            self.options.question, x=shown[x], z=shown[z], target=draft.target, rules=self.rules,
            draw=words.random, open=self.options.open > 0, gender=draft.genders[z],
        )  # fmt: skip
        prompt = f"{telling.text}\n{question.text}"
        clause, cluster = self.spell(draft.clause)
        item = Item(
            id=name,
            suite="kinship",
            prompt=prompt,
            choices=question.choices,
            gold=question.gold,
            tags=_tags(draft, cell, kind, self.options),
            facts={**self._facts(draft, names, telling, prompt, searched=searched), **question.facts},
            split=cell.split,
        )
        seen: tuple[Any, ...] = ()
        if cell.part:
            seen = (telling.templates, names, cluster, stories.digest(prompt), *self._phrases(telling.text, names))
        genders = f"{draft.genders[x]}-{draft.genders[z]}"
        cell_name = (cell.part, cell.task, cell.k)
        ours = sum(name in self.bank.added for name in telling.templates) if self.options.form == "story" else 0
        used = (len(telling.templates) - ours, ours)
        return item, Note(cell_name, draft.target, genders, clause, draft.verdict, searched, seen, used, draft.fellows)

    def _facts(
        self, draft: Draft, names: Sequence[str], telling: Telling, prompt: str, *, searched: bool
    ) -> dict[str, Any]:
        """What decides the answer and proves it, and how it is told."""
        clause, cluster = self.spell(draft.clause)
        proved = ("closure", "search") if searched else ("closure",)
        families = {"families": draft.families} if draft.families else {}
        return {
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
            **families,
            "certificate": draft.verdict,
            "certified_by": CERTIFIED_BY.get(draft.verdict, proved if draft.verdict == "entailed" else ()),
            "clause": clause,
            "clusters": [cluster, *([f"story {stories.seal(telling.text)}"] if self.options.questions > 1 else [])],
            "templates": telling.templates,
            "groups": telling.groups,
            "rules": self.rules.reference,
            "table": self.table,
            "seal": stories.seal(prompt),
        }

    def _phrases(self, text: str, names: Sequence[str]) -> tuple[list[bytes], list[bytes]]:
        """The sentences of a story and its phrases that tell a fact, names masked; nothing for other forms."""
        if self.options.form != "story" or not self.english:
            return [], []
        sentences = masked_sentences(text, names)
        phrases = fact_phrases(sentences, whole=bool(self.bank.settings))
        return [stories.digest(s) for s in sentences], [stories.digest(p) for p in phrases]

    def _spell(self, clause: tuple[int, ...]) -> tuple[str, str]:
        """A clause in words, and the name it shares with its reading from the other end."""
        neutrals, both = self.rules.neutrals, canonical_clause(clause, self.rules.inverse)
        return ".".join([neutrals[r] for r in clause]), ".".join([neutrals[r] for r in both])

    def _names_for(self, genders: Sequence[str], part: str, draw: Random) -> list[str]:
        """A different name for everybody, of the right gender; of our names, none too like another of the story."""
        if self.options.anonymise:
            order = shuffle(max(ENTITIES, len(genders)), draw)
            return [f"@entity-{order[i]}" for i in range(len(genders))]
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
        options, rules = self.options, self.rules
        if options.form == "story" and self.english:
            return self._story(draft, names, part, rng)
        shown = shown_names(names, brackets=options.brackets)
        order = shuffle(len(draft.edges), rng.random)
        while options.weave_noise and in_one_block(draft, order):
            order = shuffle(len(draft.edges), rng.random)
        edges, groups = [draft.edges[i] for i in order], tuple((i,) for i in order)
        # along the chain, words tell who is asked for
        genders = draft.genders if rules.gendered and not options.facts_along_chain else []
        if options.form == "graph":
            lines = [stories.triples(edges, shown), *stories.gender_lines(shown, genders)]
            return Telling("\n".join(lines), (), groups)
        if self.english:
            sentences = [*plain(edges, shown, draft.genders), *stories.gender_sentences(shown, genders)]
            return Telling(" ".join(sentences), (), groups)
        forms = rules.sentences if options.form == "story" else rules.sentences[:1]
        texts, used = [], []
        for i, word, j in edges:
            form = int(rng.random() * len(forms))
            texts.append(stories.capital(forms[form].format(i=shown[i], j=shown[j], word=word)))
            used.append(f"{rules.name}.{form}")
        return Telling(" ".join(texts), tuple(used), groups)

    def _woven(self, draft: Draft, path: Sequence[int], rng: random.Random) -> list[int]:
        """The facts in their order along the chain, those of the noise each at a place of its own among them."""
        noise = {edge for edge, _ in draft.noise}
        order = [place for place in path if draft.edges[place] not in noise]
        for place in path:
            if draft.edges[place] in noise:
                order.insert(int(rng.random() * (len(order) + 1)), place)
        return order

    def _story(self, draft: Draft, names: list[str], part: str, rng: random.Random) -> Telling:
        """A story in paraphrases. Ours can be joined freely. Those of others are checked one by one, but a pronoun may
        mean somebody else beside another paraphrase, so the whole story is read back, and told anew if it lies."""
        options, path = self.options, list(draft.path or range(len(draft.edges)))
        held = {"paraphrases", CONSTRUCTED} & set(self.plan.hold_out)
        only = options.bank.startswith(ONLY)
        for attempt in range(TELLINGS):
            path = self._woven(draft, path, rng) if options.weave_noise else path
            story = tell(
                [draft.edges[place] for place in path],
                names=shown_names(names, brackets=options.brackets),
                genders=draft.genders,
                bank=self.bank,
                rng=rng,
                split=(part or None) if held else None,
                reveal=draft.query[1] if options.anonymise else None,
                either_end=not options.facts_along_chain,
            )
            if self.avoided and self.avoided.search(story.text):
                continue
            if only and attempt < ONLY_TELLINGS and not self.bank.added.isdisjoint(story.templates):
                continue
            if options.weave_noise and in_one_block(draft, [path[fact] for group in story.groups for fact in group]):
                continue
            if options.bank == "proband" or not unfaithful(
                story.text,
                names=names,
                genders=draft.genders,
                edges=draft.edges,
                rules=self.rules,
                strict=crowd_folder(options.bank) is None,
            ):
                groups = tuple([tuple([path[fact] for fact in group]) for group in story.groups])
                return Telling(story.text, story.templates, groups)
        rule = "is read back to its facts" + (f" and free of {options.avoid!r} ('avoid')" if options.avoid else "")
        raise ProbandError(f"'bank' {options.bank}: no telling of {TELLINGS} {rule}")


def in_one_block(draft: Draft, order: Sequence[int]) -> bool:
    """Whether all noise stands before the other facts, or behind them, when they are told in this order."""
    noise = {edge for edge, _ in draft.noise}
    places = [at for at, fact in enumerate(order) if draft.edges[fact] in noise]
    return bool(places) and (places[-1] == len(places) - 1 or places[0] == len(order) - len(places))


def _tags(draft: Draft, cell: Cell, kind: str, options: BuildOptions) -> dict[str, Tag]:
    tags: dict[str, Tag] = {"task": cell.task, "k": draft.k, "depth": draft.depth, "target": draft.target}
    if cell.part:
        tags["split"] = cell.split
    if cell.slice:
        tags["slice"] = cell.slice
    if cell.task == "mixed":
        tags["kind"] = kind
    if cell.task in WAYS:  # simple proofs: ways that prove the answer alone
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
    """What a name shares with the names that look or sound like it, too alike for one story: its first three letters,
    its consonants as they sound, what is left of it without one letter.

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
