"""Pairs of stories with the same words: the answer follows from one, and the other leaves several (`--open`,
`--question sets`). So no word of a story can say whether its answer is determined.

For a story whose answer follows, a neighbour is searched in this order:

    1  the two names of one fact exchanged (*Ann's father Ben* becomes *Ben's father Ann*, where genders allow it)
    2  one name of one fact replaced by that of another person of the story with the same gender
    3  the stated kin words at other facts of the chain: the same multiset of words

A neighbour counts if its facts hold in a family, and the search finds families in which the answer differs (for `sets`:
one for each relation that the closure leaves). The two people of the question stay connected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

import msgspec

from proband.core.files import group_by_key
from proband.stats.ranking import area_under_roc
from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.logic.certificates import certificate
from proband.suites.kinship.logic.closure import close, shortest_path
from proband.suites.kinship.telling.stories import Telling
from proband.suites.kinship.world.families import Random, shuffle
from proband.suites.kinship.world.relations import Edge
from proband.suites.kinship.world.rules import Rules

REARRANGED: Final = 20  # other positions of the kin words that are tried
FOLDS: Final = 5  # for the kin-word detector
RIDGE: Final = 1.0


class Neighbour(NamedTuple):
    """The facts of a neighbour, the index of the changed fact (-1: several), and the new person in it."""

    edges: list[Edge]
    place: int = -1
    other: tuple[tuple[int, int], ...] = ()


def neighbours(draft: Draft, draw: Random) -> Iterator[Neighbour]:
    """Stories with the same words."""
    edges, genders = draft.edges, draft.genders
    noise = {edge for edge, _ in draft.noise}
    places = [place for place in shuffle(len(edges), draw) if edges[place] not in noise]
    for place in places:
        i, kin, j = edges[place]
        if genders[i] == genders[j]:
            yield Neighbour([*edges[:place], (j, kin, i), *edges[place + 1 :]], place, ((i, j), (j, i)))
    for place in places:
        i, kin, j = edges[place]
        for old, kept in ((i, j), (j, i)):
            for new in shuffle(len(genders), draw):
                fact = (new, kin, j) if old == i else (i, kin, new)
                if new not in (i, j) and genders[new] == genders[old]:
                    yield Neighbour([*edges[:place], fact, *edges[place + 1 :]], place, ((old, new), (kept, kept)))
    for _ in range(REARRANGED):
        by_gender: dict[str, list[int]] = {}
        for place in places:
            by_gender.setdefault(genders[edges[place][2]], []).append(place)
        moved = list(edges)
        for some in by_gender.values():
            order = shuffle(len(some), draw)
            for place, at in zip(some, order):
                moved[place] = (edges[place][0], edges[some[at]][1], edges[place][2])
        if moved != edges:
            yield Neighbour(moved)


def open_partner(draft: Draft, rules: Rules, draw: Random, *, sets: bool) -> tuple[Draft, Neighbour] | None:
    """A neighbour whose answer cannot be determined or, with `sets`, is one of several relations."""
    for neighbour in neighbours(draft, draw):
        if not _readable(draft, neighbour.edges):
            continue
        x, z = draft.query
        left = close(rules, draft.genders, neighbour.edges).sets[x][z]
        if not left & (left - 1):
            continue
        several: Literal["one-of", "open"] = "one-of" if sets else "open"
        made = certificate(rules, draft.genders, neighbour.edges, draft.query, several=several)
        if not isinstance(made, str):
            place = dict(zip(draft.edges, neighbour.edges))
            noise = [(place[edge], kind) for edge, kind in draft.noise]
            made = {name: value for name, value in made.items() if name not in ("certificate", "certified_by")}
            return replace(draft, edges=neighbour.edges, noise=noise, verdict=several, **made), neighbour
    return None


def _readable(draft: Draft, edges: Sequence[Edge]) -> bool:
    """Is everybody still named, is each pair of people in one fact at most, and do the facts connect the two people of
    the question without stating their relation?"""
    pairs = {frozenset((i, j)) for i, _, j in edges}
    everybody = {person for pair in pairs for person in pair}
    if len(pairs) < len(edges) or len(everybody) < len(draft.genders) or frozenset(draft.query) in pairs:
        return False
    return shortest_path(edges, draft.query) is not None


def with_names_exchanged(telling: Telling, neighbour: Neighbour) -> Telling:
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


# ---- do kin words reveal whether an answer is determined? ------------------------------------------------------------


def kin_word_auc(stories: Sequence[tuple[Sequence[str], bool, str]]) -> float:
    """How well a linear detector predicts whether an answer is open, from (stated kin words, whether it is open, pair)
    of each story. It sees only how often each kin word is stated.

    Ridge regression of the label on the counts of the words, fitted on four fifths of the stories and scored on the
    rest, five times (the two stories of a pair are always on the same side). The figure is the area under the ROC curve
    over all stories: 0.5 is a coin (or nothing to learn), 1 a word that decides.

    >>> spotted = [(("uncle",), True, f"a{n}") for n in range(20)] + [(("son",), False, f"b{n}") for n in range(20)]
    >>> kin_word_auc(spotted)
    1.0
    >>> matched = [(("uncle", "son"), bool(n % 2), f"pair {n // 2}") for n in range(40)]
    >>> kin_word_auc(matched)
    0.5
    """
    import numpy as np

    labels = np.array([several for _, several, _ in stories], dtype=float)
    words = {word: place for place, word in enumerate(sorted({word for some, _, _ in stories for word in some}))}
    counts = np.zeros((len(stories), len(words) + 1))
    counts[:, -1] = 1.0
    for row, (some, _, _) in enumerate(stories):
        np.add.at(counts[row], [words[word] for word in some], 1.0)
    pairs = {pair: number for number, pair in enumerate(group_by_key((pair, pair) for _, _, pair in stories))}
    folds = np.array([pairs[pair] % FOLDS for _, _, pair in stories])
    scores = np.zeros(len(stories))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        seen, wanted = counts[train], labels[train] - labels[train].mean() if train.any() else labels[train]
        weights = np.linalg.solve(seen.T @ seen + RIDGE * np.eye(seen.shape[1]), seen.T @ wanted)
        scores[test] = counts[test] @ weights
    return round(area_under_roc(np.column_stack([np.round(scores, 9), labels]), np.ones(len(labels))), 4)
