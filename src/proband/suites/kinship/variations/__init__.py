"""Variations of kinship items. Their effect is certain: facts, proof and family are those of the source or are proved
again, and a varied item is verified before it is written.

docs/variations.md lists them. Rows of CLUTRR support rename, reword, plain and twin if their label follows from their
facts: they get a proof and their own family. Their own sentences are not changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import read_manifest
from proband.core.suite import Variation
from proband.core.types import Item
from proband.suites.kinship.variations import changes
from proband.suites.kinship.variations.proved_story import ProvedStory, exchanged, prove_story
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.relations import turned
from proband.suites.kinship.world.rules import facts_of, of_item, question_of, story_of

# ---- what must hold between a varied item and its source -------------------------------------------------------------


def _facts(item: Item) -> set[frozenset[tuple[int, str, int]]]:
    """The facts, each from both sides."""
    rules, facts = of_item(item), facts_of(item)
    edges = {*facts.edges, *((i, word, j) for (i, word, j), _ in facts.noise if word is not None)}
    return {frozenset({edge, turned(edge, facts.genders, rules.back)}) for edge in edges}


def compared(source: Item, varied: Item) -> dict[str, bool]:
    """The properties of a varied item that must equal those of its source, or differ."""
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
    return next((f"check failed: {what}" for what in wanted if not known[what]), None)


# ---- the list ----------------------------------------------------------------------------------------------------

Vary = Callable[[ProvedStory, random.Random], Item | str]
_last: tuple[Item, ProvedStory | str, dict[str, Any]] | None = None  # the last item: its variations come in a row


def _vary(vary: Vary, wanted: Sequence[str], item: Item, *, rng: random.Random, folder: Path) -> Item | str:
    """A varied item that passes `verify`, or the reason why this item cannot be varied."""
    global _last
    if _last is None or _last[0] is not item:
        manifest = read_manifest(folder)
        _last = item, prove_story(item, manifest), manifest
    _, story, manifest = _last
    if isinstance(story, str):
        return story
    try:
        varied = vary(story, rng)
    except ProbandError as error:
        return str(error)
    if isinstance(varied, str):
        return varied
    marked = replace(varied, tags={**varied.tags, "variation": ""})
    return verify(marked, manifest).problem or _check(wanted, item, varied) or varied


def _variation(
    name: str, help: str, effect: Literal["keeps", "changes", "twin"], vary: Vary, *wanted: str
) -> Variation:
    return Variation(
        name=name, help=help, effect=effect, make=partial(_vary, vary, wanted), check=partial(_check, wanted)
    )


SAME = ("its source's facts", "its source's answer", "its source's question")
RENDERED = (*SAME, "its source's people")
VARIATIONS = (
    _variation("rename", "other names", "keeps", changes.rename, *SAME, "its source's text with other names"),
    _variation("reword", "other words of the bank", "keeps", changes.reword, *RENDERED, "other words of a bank"),
    _variation("reorder", "another order of the sentences", "keeps", changes.reorder, *RENDERED, "its source's words"),
    _variation(
        *("noise", "further facts", "keeps", changes.noise),
        *("its source's facts and more", "its source's text and more", *SAME[1:]),
    ),
    _variation("plain", "plain sentences", "keeps", changes.plain_sentences, *RENDERED, "plain sentences"),
    _variation(
        *("inverse", "asked from the other end", "changes", changes.inverse),
        *("its source's facts", "its source's text", "its source's pair the other way round"),
    ),
    _variation(
        *("counterfactual", "one fact replaced, another answer", "changes", changes.counterfactual),
        *("one other fact", "one other word", "its source's pair of people", "another answer"),
    ),
    _variation(
        "twin", "the same facts, other people and words", "twin", changes.twin, *SAME, "other people", "another text"
    ),
)
