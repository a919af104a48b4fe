"""Items as input of a net: words with people as numbers, the fact graph, the question and its answer.

Names are anonymised (section 3.4): every person gets a placeholder @entity-k, drawn without replacement from a small
fixed pool. Men and women have a pool each, so a placeholder shows the gender as a name does (`genders = false` uses one
pool, as in the thesis). The draw depends only on the item's id, so an item is the same in any batch and process.

>>> item = Item(id="a", suite="kinship", prompt="Ann met Ben, her son.\\nBen is the ___ of Ann.",
...             facts={"names": ["Ben", "Ann"], "query": [1, 0], "edges": [[1, "son", 0]], "target": "son"})
>>> readable_story(item, NetOptions(), file="x").words
(1, 'met', 0, ',', 'her', 'son', '.')
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship.nets.options import NetOptions
from proband.suites.kinship.world.relations import RELATIONS, UNDETERMINED
from proband.suites.kinship.world.rules import facts_of, story_of

TOKEN = re.compile(r"@[\w-]+|\w+|[^\w\s\[\]]")
ENDS = frozenset(".!?")
NUMBER = {word: n for n, word in enumerate(RELATIONS)}
UNTYPED = len(RELATIONS)  # a fact without a relation in the file (noise in CLUTRR's releases)
GENDERS = {"male": 1, "female": 2}  # 0: unknown
Edge = tuple[int, int, int]  # person, number of the relation, person


@dataclass(frozen=True, slots=True)
class NetStory:
    """`words`: a person's number or a word in lower case; `target` is None if the item has no answer."""

    id: str
    words: tuple[int | str, ...]
    people: int
    edges: tuple[Edge, ...]
    query: tuple[int, int]
    target: int | None
    split: str
    genders: tuple[int, ...] = ()  # of every person, MALE or FEMALE; empty if unknown


def readable_story(
    item: Item, options: NetOptions, *, graph: bool = False, file: object, line: int | None = None
) -> NetStory:
    """The story of an item; an error if it exceeds the net's window or pool."""

    def unfit(problem: str) -> ProbandError:
        return ProbandError(f"item {item.id!r} {problem}", file=file, line=line)

    if missing := next((field for field in ("names", "query") if not item.facts.get(field)), None):
        raise unfit(f"has no {missing!r} in its facts")
    facts = facts_of(item)
    target = None if facts.target == UNDETERMINED else facts.target  # no net can answer this
    if target is not None and target not in NUMBER:
        raise unfit(f"has the 'target' {target!r}, none of the 22 relations")
    words, people = words_of(story_of(item), facts.names), len(facts.names)
    genders = tuple(GENDERS.get(gender, 0) for gender in facts.genders)
    edges = [*facts.edges, *(edge for edge, _ in facts.noise if edge[1] is None)]  # noise of unknown relation
    if unknown := next((word for _, word, _ in edges if word is not None and word not in NUMBER), None):
        raise unfit(f"has {unknown!r} in 'edges', none of the 22 relations")
    if strange := next((x for i, _, j in edges for x in (i, j) if not 0 <= x < people), None):
        raise unfit(f"has a fact about person {strange} of {people}")
    if graph and not edges:
        raise unfit("has no fact graph: 'edges' is missing or empty")
    if not graph and not words:
        raise unfit("has an empty story in 'prompt'")
    if not graph and len(words) > options.window:
        size = f"{len(words)} words and marks in 'prompt'"
        raise unfit(f"has a story of {size}, more than the net's window of {options.window}")
    if people > options.pool:
        raise unfit(f"has {people} people in 'names', more than the net's pool of {options.pool}")
    return NetStory(
        id=item.id,
        words=tuple(words),
        people=people,
        edges=tuple((i, UNTYPED if word is None else NUMBER[word], j) for i, word, j in edges),
        query=facts.pair,
        target=None if target is None else NUMBER[target],
        split=item.split,
        genders=genders if options.genders and all(genders) else (),
    )


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


def placeholders(story: NetStory, pool: int) -> list[int]:
    """The placeholder of each person; those of women follow those of men.

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
