"""Items as what a net reads: words with people as numbers, the fact graph, the question and its answer.

Names are anonymised (section 3.4): every person gets a placeholder @entity-k, drawn without replacement from a small
fixed pool, of which men and women have one each, so that a placeholder tells what a name tells (`genders = false` draws
all from one, as the thesis does). The draw depends on the item's id alone, so that an item reads the same in any batch
and any process.

>>> item = Item(id="a", suite="kinship", prompt="Ann met Ben, her son.\\nBen is the ___ of Ann.",
...             facts={"names": ["Ben", "Ann"], "query": [1, 0], "edges": [[1, "son", 0]], "target": "son"})
>>> story_of_item(item, genders=True, file="x", line=1).words
(1, 'met', 0, ',', 'her', 'son', '.')
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items
from proband.core.types import Item
from proband.suites.kinship.nets.options import NetOptions
from proband.suites.kinship.world.relations import RELATIONS, UNDETERMINED
from proband.suites.kinship.world.rules import StoryFacts, facts_of, story_of

TOKEN = re.compile(r"@[\w-]+|\w+|[^\w\s\[\]]")
ENDS = frozenset(".!?")
NUMBER = {word: n for n, word in enumerate(RELATIONS)}
UNTYPED = len(RELATIONS)  # a fact whose relation the file does not give (noise in CLUTRR's releases)

GENDERS = {"male": 1, "female": 2}  # 0: not known
Edge = tuple[int, int, int]  # person, number of the relation, person


@dataclass(frozen=True, slots=True)
class NetStory:
    """`words`: a person's number or a word in lower case; `target` is None where the item has no answer."""

    id: str
    words: tuple[int | str, ...]
    people: int
    edges: tuple[Edge, ...]
    query: tuple[int, int]
    target: int | None
    split: str
    genders: tuple[int, ...] = ()  # of every person, MALE or FEMALE; nothing where they are not given


def read_stories(items: Path, options: NetOptions, *, graph: bool) -> Iterator[NetStory]:
    """The stories of a built folder; the first that a net cannot take ends it with its line and field."""
    path = items_path(items)
    for line, item in enumerate(read_items(items), start=1):
        yield readable_story(item, options, graph=graph, file=path, line=line)


def readable_story(
    item: Item, options: NetOptions, *, graph: bool = False, file: object, line: int | None = None
) -> NetStory:
    """The story of an item, if a net with this window and pool can take it."""
    story = story_of_item(item, genders=options.genders, file=file, line=line)
    problem = None
    if graph and not story.edges:
        problem = "has no fact graph: 'edges' is missing or empty"
    elif not graph and not story.words:
        problem = "has an empty story in 'prompt'"
    elif not graph and len(story.words) > options.window:
        words = f"{len(story.words)} words and marks in 'prompt'"
        problem = f"has a story of {words}, more than the net's window of {options.window}"
    elif story.people > options.pool:
        problem = f"has {story.people} people in 'names', more than the net's pool of {options.pool}"
    if problem:
        raise ProbandError(f"item {story.id!r} {problem}", file=file, line=line)
    return story


def story_of_item(item: Item, *, genders: bool, file: object, line: int | None = None) -> NetStory:
    missing = next((field for field in ("names", "query") if not item.facts.get(field)), None)
    if missing is not None:
        raise ProbandError(f"item {item.id!r} has no {missing!r} in its facts", file=file, line=line)
    facts = facts_of(item)
    target = None if facts.target == UNDETERMINED else facts.target  # which no net can say
    if target is not None and target not in NUMBER:
        raise ProbandError(f"item {item.id!r}: 'target' {target!r} is none of the 22 relations", file=file, line=line)
    return NetStory(
        id=item.id,
        words=tuple(words_of(story_of(item), facts.names)),
        people=len(facts.names),
        edges=tuple(_edges(item.id, facts, file=file, line=line)),
        query=facts.pair,
        target=None if target is None else NUMBER[target],
        split=item.split,
        genders=_genders(facts.genders) if genders else (),
    )


def _genders(words: Sequence[str]) -> tuple[int, ...]:
    """
    >>> _genders(["male", "female"]), _genders(["male", "none"])
    ((1, 2), ())
    """
    known = tuple(GENDERS.get(word, 0) for word in words)
    return known if all(known) else ()


def words_of(text: str, names: Sequence[str]) -> list[int | str]:
    """
    >>> words_of("[Mary Ann]'s son Bo left!", ["Bo", "Mary Ann"])
    [1, "'", 's', 'son', 0, 'left', '!']
    """
    number = {name: n for n, name in enumerate(names)}
    if all(name.isalnum() for name in names):
        tokens = TOKEN.findall(text)
    else:
        either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        tokens = re.findall(rf"(?<!\w)(?:{either})(?!\w)|{TOKEN.pattern}", text)
    return [number[token] if token in number else token.lower() for token in tokens]


def _edges(item: str, facts: StoryFacts, *, file: object, line: int | None) -> Iterator[Edge]:
    """The stated facts; noise whose relation the file leaves out comes as UNTYPED."""
    people = len(facts.names)
    for i, word, j in (*facts.edges, *(edge for edge, _ in facts.noise if edge[1] is None)):
        if word is not None and word not in NUMBER:
            raise ProbandError(f"item {item!r}: {word!r} in 'edges' is none of the 22 relations", file=file, line=line)
        if not (0 <= i < people and 0 <= j < people):
            raise ProbandError(f"item {item!r}: a fact names person {max(i, j)} of {people}", file=file, line=line)
        yield i, UNTYPED if word is None else NUMBER[word], j


def placeholders(story: NetStory, pool: int) -> list[int]:
    """Which of the pool's placeholders stands for each person; those of women follow after the pool.

    >>> places = placeholders(NetStory("a", (), 3, (), (0, 0), None, "train", genders=(1, 2, 1)), 20)
    >>> [place >= 20 for place in places]
    [False, True, False]
    """
    places = random.Random(zlib.crc32(story.id.encode())).sample(range(pool), story.people)
    return [place + pool * (gender == GENDERS["female"]) for place, gender in zip_longest(places, story.genders)]


def sentences(words: Sequence[int | str]) -> Iterator[list[int | str]]:
    """
    >>> list(sentences([0, "left", ".", "bye"]))
    [[0, 'left', '.'], ['bye']]
    """
    part: list[int | str] = []
    for word in words:
        part.append(word)
        if word in ENDS:
            yield part
            part = []
    if part:
        yield part
