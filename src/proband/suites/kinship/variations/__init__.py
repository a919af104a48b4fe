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
from collections.abc import Callable, Mapping, Sequence
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
from proband.suites.kinship.variations.proved_story import ProvedStory, exchanged, prove_story
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.rules import converse, facts_of, of_item, question_of, story_of

# ---- what must be true of a varied item next to its source -------------------------------------------------------


def _facts(item: Item) -> set[frozenset[tuple[int, str, int]]]:
    """Each fact from both sides."""
    rules, facts = of_item(item), facts_of(item)
    edges = {*facts.edges, *((i, word, j) for (i, word, j), _ in facts.noise if word is not None)}
    return {frozenset({edge, converse(rules, edge, facts.genders)}) for edge in edges}


def compared(source: Item, varied: Item) -> dict[str, bool]:
    """What a varied item has of its source, or should have changed."""
    (before, after), s, v = (_facts(source), _facts(varied)), source.facts, varied.facts
    renamed = partial(exchanged, other=dict(zip(s["names"], v["names"])))
    scenes, rest = v["telling"].get("scenes"), iter(varied.prompt.split())
    same_words = sorted(source.prompt.split()) == sorted(varied.prompt.split())
    one, other = (re.findall(r"[\w-]+|\W", story_of(item)) for item in (source, varied))
    return {
        "its source's facts": before == after and list(s["genders"]) == list(v["genders"]),
        "its source's facts and more": before < after,
        "one other fact": len(before - after) == len(after - before) == 1,
        "its source's answer": s["target"] == v["target"],
        "another answer": s["target"] != v["target"],
        "its source's question": question_of(varied) == renamed(question_of(source)),
        "its source's pair of people": list(s["query"]) == list(v["query"]),
        "its source's pair the other way round": list(s["query"])[::-1] == list(v["query"]),
        "its source's people": list(s["names"]) == list(v["names"]),
        "other people": not set(s["names"]) & set(v["names"]),
        "its source's text": story_of(source) == story_of(varied),
        "its source's text and more": all(word in rest for word in source.prompt.split()),
        "its source's text with other names": varied.prompt == renamed(source.prompt),
        "another text": not scenes or varied.prompt != renamed(source.prompt),
        "one other word": len(one) == len(other) and sum(a != b for a, b in zip(one, other)) == 1,
        "its source's words": same_words,
        "other words of a bank": bool(scenes) and not same_words,
        "plain sentences": v["telling"].get("form") == "facts",
    }


def _check(wanted: Sequence[str], source: Item, varied: Item) -> str | None:
    known = compared(source, varied)
    return next((f"it does not have {what}" for what in wanted if not known[what]), None)


# ---- the list ----------------------------------------------------------------------------------------------------

Vary = Callable[[ProvedStory, random.Random], Item | str]
_last: tuple[Item, ProvedStory | str] | None = None  # the item that was varied last: all its variations are asked for


@lru_cache(maxsize=4)
def _manifest(folder: Path) -> Mapping[str, Any]:
    return read_manifest(folder)


def _vary(vary: Vary, wanted: Sequence[str], item: Item, *, rng: random.Random, folder: Path) -> Item | str:
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
    return verify(marked, _manifest(folder)).problem or _check(wanted, item, varied) or varied


def _variation(
    name: str, help: str, effect: Literal["keeps", "changes", "twin"], vary: Vary, *wanted: str
) -> Variation:
    return Variation(
        name=name, help=help, effect=effect, make=partial(_vary, vary, wanted), check=partial(_check, wanted)
    )


SAME = ("its source's facts", "its source's answer", "its source's question")
TOLD = (*SAME, "its source's people")
VARIATIONS = (
    _variation("rename", "other names", "keeps", rename, *SAME, "its source's text with other names"),
    _variation("reword", "other words of the bank", "keeps", reword, *TOLD, "other words of a bank"),
    _variation("reorder", "another order of the sentences", "keeps", reorder, *TOLD, "its source's words"),
    _variation(
        *("noise", "further facts", "keeps", noise),
        *("its source's facts and more", "its source's text and more", *SAME[1:]),
    ),
    _variation("plain", "plain sentences", "keeps", plain_sentences, *TOLD, "plain sentences"),
    _variation(
        *("inverse", "asked from the other end", "changes", inverse),
        *("its source's facts", "its source's text", "its source's pair the other way round"),
    ),
    _variation(
        *("counterfactual", "one fact replaced, another answer", "changes", counterfactual),
        *("one other fact", "one other word", "its source's pair of people", "another answer"),
    ),
    _variation("twin", "the same facts, other people and words", "twin", twin, *SAME, "other people", "another text"),
)
