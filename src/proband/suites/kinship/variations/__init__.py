"""The same kinship question asked differently. What a variation keeps or changes is certain: facts, proof and family
are those of the source or are proved anew, and a varied item is verified before it is written.

    rename          other names of the same genders
    reword          the same facts in other paraphrases of the bank
    reorder         the same sentences in another order
    noise           further facts, supporting, irrelevant or disconnected: what was proved stays proved
    plain           one plain sentence per fact
    inverse         asked from the other end
    counterfactual  one fact replaced, in the text by one word, so that another answer follows
    twin            the same facts about other people, told in other words

Rows of CLUTRR can be renamed, reworded, told plainly and twinned where their label follows from their facts: they get a
proof and their own family. Their own sentences are not changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import read_manifest
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.kinship.variations.changes import (
    counterfactual,
    inverse,
    noise,
    plain_sentences,
    rename,
    reorder,
    reword,
    twin,
)
from proband.suites.kinship.variations.proved_story import (
    ProvedStory,
    exchanged,
    prove_story,
)
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.rules import converse, facts_of, of_item, question_of, story_of

# ---- what must be true of a varied item next to its source -------------------------------------------------------


def _facts(item: Item) -> set[frozenset[tuple[int, str, int]]]:
    """Each fact from both sides."""
    rules, facts = of_item(item), facts_of(item)
    edges = {*facts.edges, *((i, word, j) for (i, word, j), _ in facts.noise if word is not None)}
    return {frozenset({edge, converse(rules, edge, facts.genders)}) for edge in edges}


def same_facts(source: Item, varied: Item) -> str | None:
    if _facts(source) != _facts(varied) or list(source.facts["genders"]) != list(varied.facts["genders"]):
        return "its facts are not those of its source"
    if varied.facts["target"] != source.facts["target"]:
        return "its answer is not that of its source"
    if question_of(varied) != exchanged(question_of(source), _other_names(source, varied)):
        return "its question is not that of its source"
    return None


def same_people(source: Item, varied: Item) -> str | None:
    if list(source.facts["names"]) != list(varied.facts["names"]):
        return "its people are not those of its source"
    return same_facts(source, varied)


def other_words(source: Item, varied: Item) -> str | None:
    if sorted(source.prompt.split()) == sorted(varied.prompt.split()) or not varied.facts["telling"].get("scenes"):
        return "its words are not other words of a bank"
    return same_people(source, varied)


def in_plain_sentences(source: Item, varied: Item) -> str | None:
    if varied.facts["telling"].get("form") != "facts":
        return "it is not in plain sentences"
    return same_people(source, varied)


def other_people(source: Item, varied: Item) -> str | None:
    if set(source.facts["names"]) & set(varied.facts["names"]):
        return "its people are those of its source"
    if varied.facts["telling"].get("scenes") and varied.prompt == exchanged(
        source.prompt, _other_names(source, varied)
    ):
        return "its text is that of its source with other names"
    return same_facts(source, varied)


def names_exchanged(source: Item, varied: Item) -> str | None:
    if wrong := same_facts(source, varied):
        return wrong
    same = varied.prompt == exchanged(source.prompt, _other_names(source, varied))
    return None if same else "its text is not that of its source with other names"


def sentences_moved(source: Item, varied: Item) -> str | None:
    if sorted(source.prompt.split()) != sorted(varied.prompt.split()):
        return "its words are not those of its source"
    return same_people(source, varied)


def more_facts(source: Item, varied: Item) -> str | None:
    if not _facts(source) < _facts(varied):
        return "it does not tell the facts of its source and more"
    rest = iter(varied.prompt.split())
    if not all(word in rest for word in source.prompt.split()):
        return "its text is not that of its source and more"
    same = varied.facts["target"] == source.facts["target"] and question_of(source) == question_of(varied)
    return None if same else "its question or its answer is not that of its source"


def other_end(source: Item, varied: Item) -> str | None:
    if _facts(source) != _facts(varied) or story_of(source) != story_of(varied):
        return "its facts or its text are not those of its source"
    same = list(varied.facts["query"]) == list(source.facts["query"])[::-1]
    return None if same else "its question is not that of its source from the other end"


def one_fact_changed(source: Item, varied: Item) -> str | None:
    before, after = _facts(source), _facts(varied)
    if len(before - after) != 1 or len(after - before) != 1:
        return f"it differs from its source in {len(before - after)} facts, not in one"
    words = [re.findall(r"[\w-]+|\W", story_of(item)) for item in (source, varied)]
    if len(words[0]) != len(words[1]) or sum(a != b for a, b in zip(*words)) != 1:
        return "its text does not differ from its source's in one word"
    if list(varied.facts["query"]) != list(source.facts["query"]):
        return "it does not ask about the people of its source"
    return "its answer is that of its source" if varied.facts["target"] == source.facts["target"] else None


def _other_names(source: Item, varied: Item) -> dict[str, str]:
    return dict(zip(source.facts["names"], varied.facts["names"]))


# ---- the list ----------------------------------------------------------------------------------------------------

Vary = Callable[[ProvedStory, random.Random], Item | str]
_last: tuple[Item, ProvedStory | str] | None = None  # the item that was varied last: all its variations are asked for


@lru_cache(maxsize=4)
def _manifest(folder: Path) -> Mapping[str, Any]:
    return read_manifest(folder)


def _vary(
    vary: Vary, check: Callable[[Item, Item], str | None], item: Item, *, rng: random.Random, folder: Path
) -> Item | str:
    """A varied item that verifies, or why this one cannot be varied."""
    global _last
    if _last is None or _last[0] is not item:
        _last = item, prove_story(item, folder)
    story = _last[1]
    if isinstance(story, str):
        return story
    try:
        varied = vary(story, rng)
    except ProbandError as error:
        return str(error)
    if isinstance(varied, str):
        return varied
    marked = replace(varied, tags={**varied.tags, "variation": ""})
    return verify(marked, _manifest(folder)).problem or check(item, varied) or varied


def _variation(
    name: str,
    help: str,
    effect: Literal["keeps", "changes", "twin"],
    vary: Vary,
    check: Callable[[Item, Item], str | None] = same_facts,
) -> Variation:
    return Variation(name=name, help=help, effect=effect, make=partial(_vary, vary, check), check=check)


VARIATIONS = (
    _variation("rename", "other names", "keeps", rename, names_exchanged),
    _variation("reword", "other words of the bank", "keeps", reword, other_words),
    _variation("reorder", "another order of the sentences", "keeps", reorder, sentences_moved),
    _variation("noise", "further facts", "keeps", noise, more_facts),
    _variation("plain", "plain sentences", "keeps", plain_sentences, in_plain_sentences),
    _variation("inverse", "asked from the other end", "changes", inverse, other_end),
    _variation("counterfactual", "one fact replaced, another answer", "changes", counterfactual, one_fact_changed),
    _variation("twin", "the same facts, other people and words", "twin", twin, other_people),
)
