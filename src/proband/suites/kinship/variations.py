"""The same kinship question asked otherwise. What a variation keeps or changes is certain: facts, proof and family are
those of the source or are proved anew, and a changed text is read back before it is used.

    rename          other names of the same genders
    reword          the same facts in other paraphrases of the bank
    reorder         the same sentences in another order
    noise           further facts, supporting, irrelevant or disconnected: what was proved stays proved
    plain           one plain sentence per fact
    inverse         asked from the other end
    counterfactual  one fact replaced, in the text by one word, so that another answer follows
    twin            the same facts about other people, told in other words

Rows of CLUTRR can be varied where their label follows from their facts: they get a proof and a family of their own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.kinship.certify.search import entailed as searched
from proband.suites.kinship.certify.search import family_of
from proband.suites.kinship.generate.story_logic import converse
from proband.suites.kinship.logic.closure import Edge, depth, derivation, entailed, shortest_path
from proband.suites.kinship.logic.noise import KINDS
from proband.suites.kinship.logic.witness import rows_of
from proband.suites.kinship.reading.reader import TRIPLE, unfaithful
from proband.suites.kinship.telling import questions
from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.bank_sources import load_bank
from proband.suites.kinship.telling.stories import plain, tell
from proband.suites.kinship.world.kernel import Family
from proband.suites.kinship.world.names import NAMES
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL
from proband.suites.kinship.world.rules import of_item

TRIES = 30
WORD = re.compile(r"@?\w[\w-]*")
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z\[@])")


@dataclass(frozen=True)
class Story:
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
        return questions.story_of(self.item)

    @property
    def question(self) -> str:
        return self.item.prompt.rsplit("\n", 1)[-1]

    @property
    def form(self) -> str:
        if TRIPLE.match(self.text):
            return "graph"
        told = set(SENTENCE.split(self.text))
        return "facts" if set(plain(self.edges, self.shown, self.genders)) <= told else "story"

    @property
    def brackets(self) -> bool:
        return all(f"[{name}]" in self.item.prompt for name in self.names)

    @property
    def shown(self) -> list[str]:
        return [f"[{name}]" for name in self.names] if self.brackets else self.names

    def with_text(self, text: str, *, question: str = "", **facts: Any) -> Item:
        """The item with another text, and another question if there is one; its certificate stays."""
        prompt = f"{text}\n{question or self.question}"
        own = {name: value for name, value in self.item.facts.items() if name not in ("story", "clean_story")}
        made = {**own, **self.certificate, "seal": questions.seal(prompt), **facts}
        return msgspec.structs.replace(self.item, prompt=prompt, facts=made)

    def faithful(self, text: str, edges: Sequence[Edge], names: Sequence[str] = ()) -> bool:
        rules = of_item(self.item)
        return not unfaithful(text, names=names or self.names, genders=self.genders, edges=edges, rules=rules)


def story_of(item: Item) -> Story | str:
    """The item as a story that is proved, or why it is none; of the item that was asked for last, at once."""
    global _last
    if _last is None or _last[0] is not item:
        _last = item, _story_of(item)
    return _last[1]


_last: tuple[Item, Story | str] | None = None


def _story_of(item: Item) -> Story | str:
    facts = item.facts
    if "edges" not in facts or "names" not in facts:
        return "it has no facts"
    rules = of_item(item)
    if rules.world != "family" or not rules.gendered:
        return "its world is not that of families"
    genders, query, target = list(facts["genders"]), tuple(facts["query"]), facts["target"]
    edges = [tuple(edge) for edge in facts["edges"]]
    if "seal" in facts:
        if facts.get("certificate") != "entailed":
            return "it carries no certificate"
        certificate: Mapping[str, Any] = {}
    else:
        if entailed(rules, genders, edges, query) != target:
            return "its label does not follow from its facts"
        found = _certified(item, genders, edges, query, target)
        if isinstance(found, str):
            return found
        certificate = {**found, "rules": rules.reference, "table": rules.sha256, "templates": [], "groups": []}
    return Story(item, list(facts["names"]), genders, edges, query, target, list(facts.get("noise", ())), certificate)


def _certified(
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


# ---- the words ---------------------------------------------------------------------------------------------------


def rename(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    names = _names(story, rng)
    return names if isinstance(names, str) else _renamed(story, names)


def _names(story: Story, rng: random.Random) -> list[str] | str:
    """Other names of the same genders, none of them in the story now, no two alike."""
    names = list[str]()
    for gender in story.genders:
        for _ in range(100 * TRIES):
            name = rng.choice(NAMES[gender])
            if name not in story.names and all(name[:3] != other[:3] for other in names):
                names.append(name)
                break
        else:
            return "there are too few names"
    return names


def _renamed(story: Story, names: Sequence[str]) -> Item:
    other = dict(zip(story.names, names))
    text, question = (_exchanged(part, other) for part in (story.text, story.question))
    return story.with_text(text, question=question, names=list(names))


def _exchanged(text: str, other: Mapping[str, str]) -> str:
    """The text with other names."""
    return WORD.sub(lambda found: other.get(found[0], found[0]), text)


@lru_cache(maxsize=4)
def _bank(folder: Path) -> tuple[Bank, bool]:
    """The bank that the items of a folder are told from, and whether a part of it is held out."""
    manifest = read_json(folder / "manifest.json") if (folder / "manifest.json").exists() else {}
    options = manifest.get("options", {})
    bank = load_bank(options.get("bank") or "proband")
    held = "paraphrases" in str(options.get("hold-out", ""))
    return (bank.hold_out(options["held-paraphrases"], manifest["seed"]) if held else bank), held


def _retold(story: Story, names: Sequence[str], rng: random.Random, folder: Path) -> Item | str:
    """The facts told anew, with as few paraphrases of the source as there can be."""
    if story.form != "story":
        return _shuffled(story, names, rng)
    bank, held = _bank(folder)
    ours = bank.name == load_bank("proband").name  # its paraphrases can be joined freely
    along = story.item.tags.get("facts") == "along-chain" or "seal" not in story.item.facts
    before, best = set(story.item.facts.get("templates", ())), None
    path = _path_first(story)
    for _ in range(TRIES):
        telling = tell(
            [story.edges[place] for place in path],
            names=names,
            genders=story.genders,
            bank=bank,
            rng=rng,
            split=str(story.item.tags["split"]) if held and "split" in story.item.tags else None,
            brackets=story.brackets,
            either_end=not along,
        )
        if telling.text == story.text or not (ours or story.faithful(telling.text, story.edges, names)):
            continue
        shared = len(before.intersection(telling.templates))
        if best is None or shared < best[0]:
            best = shared, telling
        if not shared:
            break
    if best is None:
        return "no other words of the bank tell its facts"
    groups = [tuple(path[fact] for fact in group) for group in best[1].groups]
    question = _exchanged(story.question, dict(zip(story.names, names)))
    return story.with_text(
        best[1].text, question=question, names=list(names), templates=best[1].templates, groups=groups
    )


def _path_first(story: Story) -> list[int]:
    """The places of the facts, those of the shortest way between the two people first and in its order."""
    way = shortest_path(story.edges, story.query) or []
    first = [story.edges.index(edge) for edge in way]
    return [*first, *(place for place in range(len(story.edges)) if place not in first)]


def reword(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    return _retold(story, story.names, rng, folder) if story.form == "story" else "it is told in plain facts"


def twin(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    names = _names(story, rng)
    return names if isinstance(names, str) else _retold(story, names, rng, folder)


def reorder(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    if story.form != "story":
        return _shuffled(story, story.names, rng)
    sentences = SENTENCE.split(story.text)
    for _ in range(TRIES if len(sentences) > 1 else 0):
        order = rng.sample(sentences, len(sentences))
        if order != sentences and story.faithful(" ".join(order), story.edges):
            return story.with_text(" ".join(order))
    return "it has one sentence" if len(sentences) == 1 else "its sentences make sense in one order only"


def _shuffled(story: Story, names: Sequence[str], rng: random.Random) -> Item | str:
    """Plain sentences or triples in another order."""
    between = "\n" if story.form == "graph" else " "
    lines = story.text.split("\n") if story.form == "graph" else SENTENCE.split(story.text)
    for _ in range(TRIES):
        order = rng.sample(lines, len(lines))
        if order != lines or list(names) != story.names:
            moved = story.with_text(between.join(order))
            return _renamed(Story(**{**vars(story), "item": moved}), names) if list(names) != story.names else moved
    return "it has one sentence"


def plain_sentences(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    if story.form == "facts":
        return "it is told in plain sentences already"
    order = rng.sample(range(len(story.edges)), len(story.edges))
    lines = plain([story.edges[place] for place in order], story.shown, story.genders)
    if story.item.tags.get("facts") != "along-chain":
        lines += questions.gender_sentences(story.shown, story.genders)
    text = " ".join(lines)
    if not story.faithful(text, story.edges):
        return "its plain sentences are not read back"
    return story.with_text(text, templates=[], groups=[(place,) for place in order])


# ---- the question, the facts -------------------------------------------------------------------------------------


def inverse(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    rules, (x, z) = of_item(item), story.query
    told = (x, story.target, z)
    turned = converse(rules, told, story.genders)
    proof = [*(story.certificate or item.facts)["proof"], (told, turned)]
    return _asked(story, (z, x), turned[1], rng, proof=proof)


def _asked(story: Story, query: tuple[int, int], target: str, rng: random.Random, **facts: Any) -> Item:
    """The same text with a question about `query`."""
    rules, (x, z) = of_item(story.item), query
    kind = "yes-no" if story.item.choices == ("yes", "no") else "choice" if "___" in story.question else "text"
    question, choices, gold = questions.ask(
        kind, x=story.shown[x], z=story.shown[z], target=target, rules=rules, draw=rng.random
    )
    depths = {"depth": facts["depth"]} if "depth" in facts else {}
    clause = _clause(facts.get("edges", story.edges), query, story.genders, story.item)
    made = story.with_text(
        facts.pop("text", story.text), question=question, query=query, target=target, **clause, **facts
    )
    tags = {**made.tags, "target": target, **depths}
    return msgspec.structs.replace(made, choices=choices, gold=gold, tags=tags)


def _clause(edges: Sequence[Edge], query: tuple[int, int], genders: Sequence[str], item: Item) -> dict[str, str]:
    """The relations along the chain from the one who asks, where the item names them."""
    if "clause" not in item.facts:
        return {}
    rules, here, names = of_item(item), query[0], list[str]()
    for edge in shortest_path(edges, query) or []:
        side = edge if edge[0] == here else converse(rules, edge, genders)
        names.append(NEUTRAL[side[1]])
        here = side[2]
    return {"clause": ".".join(names)}


def counterfactual(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    rules = of_item(item)
    noise = [tuple(edge) for edge, _ in story.noise]
    chain = [edge for edge in story.edges if edge not in noise]
    for edge in rng.sample(chain, len(chain)):
        i, old, j = edge
        others = [w for w, gender in GENDER.items() if gender == GENDER[old] and w != old]
        for new in rng.sample(others, len(others)):
            edges = [(i, new, j) if each == edge else each for each in story.edges]
            target = entailed(rules, story.genders, edges, story.query)
            if target is None or target == story.target:
                continue
            text = next(_replaced(story, edge, (i, new, j), edges), None)
            if text is None:
                continue
            found = _certified(item, story.genders, edges, story.query, target)
            if not isinstance(found, str) and "search" in found["certified_by"]:
                return _asked(story, story.query, target, rng, text=text, edges=edges, **found)
    return "no single word of it can be replaced so that another answer follows"


def _replaced(story: Story, old: Edge, new: Edge, edges: Sequence[Edge]) -> Iterator[str]:
    """Texts that tell the new fact in place of the old one and differ from the source's in one word."""
    rules = of_item(story.item)
    sides = [(old[1], new[1])]
    sides.append(tuple(converse(rules, edge, story.genders)[1] for edge in (old, new)))  # type: ignore[arg-type]
    for before, after in dict.fromkeys(sides):
        for place in re.finditer(rf"(?<![\w-]){before}(?![\w-])", story.text):
            article = re.search(r"\b(an?) $", story.text[: place.start()])
            if article and (article[1] == "an") != (after[0] in "aeiou"):
                continue
            text = story.text[: place.start()] + after + story.text[place.end() :]
            if story.faithful(text, edges):
                yield text


# ---- further facts -----------------------------------------------------------------------------------------------


def noise(item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    story = story_of(item)
    if isinstance(story, str):
        return story
    if story.noise:
        return "it has noise facts already"
    for kind in rng.sample(KINDS, len(KINDS)):
        made = _with_noise(story, kind, rng, folder)
        if made is not None:
            return made
    return "its family has no room for further facts"


def _with_noise(story: Story, kind: str, rng: random.Random, folder: Path) -> Item | None:
    rows = [list(row) for row in (story.certificate or story.item.facts)["family"]]
    count = len(story.genders)
    if kind == "supporting":
        way = _supporting(story, rows, rng)
    else:
        start = rng.choice(story.query) if kind == "irrelevant" else _person(rows, rng)
        child = _child(rows, start, rng)
        spouse = _person(rows, rng, gender=FEMALE if rows[child][0] == MALE else MALE)
        rows[child][3], rows[spouse][3] = spouse, child
        way = [start, child, spouse]
    if way is None:
        return None
    fresh = [person for person in way if person >= count]
    order = [*range(count), *fresh, *(p for p in range(count, len(rows)) if p not in fresh)]
    number = {old: new for new, old in enumerate(order)}
    family = [[rows[p][0], *(number.get(q) if q is not None else None for q in rows[p][1:])] for p in order]
    genders = [row[0] for row in family[: count + len(fresh)]]
    world = _family(family)
    way = [number[person] for person in way]
    facts = [(a, min(world.relations(a, b)), b) for a, b in pairwise(way) if world.relations(a, b)]
    if world.broken() or len(facts) < 2:
        return None
    if rng.random() < 0.5:
        facts = [converse(of_item(story.item), fact, genders) for fact in facts]
    names = _fresh_names(story, genders[count:], rng)
    larger = Story(**{**vars(story), "names": names, "genders": genders, "edges": [*story.edges, *facts]})
    return _told_beside(story, larger, facts, kind=kind, family=family, rng=rng, folder=folder)


def _told_beside(
    story: Story, larger: Story, facts: list[Edge], *, kind: str, family: Any, rng: random.Random, folder: Path
) -> Item | None:
    """The source's own text with further sentences before or after it."""
    bank, _ = _bank(folder)
    shown = [f"[{name}]" for name in larger.names] if story.brackets else larger.names
    for _ in range(TRIES):
        if story.form == "story":
            more = tell(facts, names=larger.names, genders=larger.genders, bank=bank, rng=rng, brackets=story.brackets)
            text, between = more.text, " "
        elif story.form == "graph":
            text, between = questions.triples(facts, shown), "\n"
        else:
            text, between = " ".join(plain(facts, shown, larger.genders)), " "
        whole = between.join((text, story.text) if rng.random() < 0.5 else (story.text, text))
        if larger.faithful(whole, larger.edges):
            break
    else:
        return None
    made = story.with_text(
        whole,
        names=larger.names,
        genders=larger.genders,
        edges=larger.edges,
        noise=[(fact, kind) for fact in facts],
        family=family,
        templates=[],
        groups=[],
    )
    return msgspec.structs.replace(made, tags={**made.tags, "task": kind})


def _supporting(story: Story, rows: list[list[Any]], rng: random.Random) -> list[int] | None:
    """Somebody of the family who is not named, between two people that a fact joins."""
    count, world = len(story.genders), _family(rows)
    ways = [
        [i, person, j]
        for i, _, j in story.edges
        for person in range(count, len(rows))
        if world.relations(i, person) and world.relations(person, j)
    ]
    return rng.choice(ways) if ways else None


def _person(rows: list[list[Any]], rng: random.Random, *, gender: str = "") -> int:
    rows.append([gender or rng.choice((MALE, FEMALE)), None, None, None])
    return len(rows) - 1


def _child(rows: list[list[Any]], parent: int, rng: random.Random) -> int:
    """A new child of a person and of whom they are married to."""
    child, spouse = _person(rows, rng), rows[parent][3]
    for person in (parent, spouse):
        if person is not None:
            rows[child][1 if rows[person][0] == MALE else 2] = person
    return child


def _fresh_names(story: Story, genders: Sequence[str], rng: random.Random) -> list[str]:
    names = list(story.names)
    for gender in genders:
        free = [name for name in NAMES[gender] if all(name[:3] != other[:3] for other in names)]
        if not free:
            raise ProbandError(f"item {story.item.id!r}: there are no further names")
        names.append(rng.choice(free))
    return names


def _family(rows: Sequence[Sequence[Any]]) -> Family:
    return Family(
        named=len(rows),
        genders=tuple(row[0] for row in rows),
        father=tuple(row[1] for row in rows),
        mother=tuple(row[2] for row in rows),
        spouses=tuple(() if row[3] is None else (row[3],) for row in rows),
    )


# ---- what must be true of a varied item beside its source --------------------------------------------------------


def _facts(item: Item) -> set[frozenset[tuple[int, str, int]]]:
    """Each fact from both sides."""
    rules, genders = of_item(item), item.facts["genders"]
    return {
        frozenset({tuple(edge), converse(rules, tuple(edge), genders)})
        for edge in item.facts["edges"]
        if edge[1] is not None
    }


def same_facts(source: Item, varied: Item) -> str | None:
    if _facts(source) != _facts(varied) or list(source.facts["genders"]) != list(varied.facts["genders"]):
        return "its facts are not those of its source"
    return None if varied.facts["target"] == source.facts["target"] else "its answer is not that of its source"


def more_facts(source: Item, varied: Item) -> str | None:
    if not _facts(source) < _facts(varied):
        return "it does not tell the facts of its source and more"
    return None if varied.facts["target"] == source.facts["target"] else "its answer is not that of its source"


def turned_round(source: Item, varied: Item) -> str | None:
    if _facts(source) != _facts(varied):
        return "its facts are not those of its source"
    same = list(varied.facts["query"]) == list(source.facts["query"])[::-1]
    return None if same else "its question is not that of its source from the other end"


def one_fact_changed(source: Item, varied: Item) -> str | None:
    before, after = _facts(source), _facts(varied)
    if len(before - after) != 1 or len(after - before) != 1:
        return f"it differs from its source in {len(before - after)} facts, not in one"
    return "its answer is that of its source" if varied.facts["target"] == source.facts["target"] else None


VARIATIONS = (
    Variation(name="rename", help="other names", effect="keeps", make=rename, check=same_facts),
    Variation(name="reword", help="other words of the bank", effect="keeps", make=reword, check=same_facts),
    Variation(name="reorder", help="another order of the sentences", effect="keeps", make=reorder, check=same_facts),
    Variation(name="noise", help="further facts", effect="keeps", make=noise, check=more_facts),
    Variation(name="plain", help="plain sentences", effect="keeps", make=plain_sentences, check=same_facts),
    Variation(name="inverse", help="asked from the other end", effect="changes", make=inverse, check=turned_round),
    Variation(
        name="counterfactual",
        help="one fact replaced, another answer",
        effect="changes",
        make=counterfactual,
        check=one_fact_changed,
    ),
    Variation(name="twin", help="the same facts, other people and words", effect="twin", make=twin, check=same_facts),
)
