"""A row of anybody's data, story and question, as the auditor wants it: by the grammar, and by the parse.

>>> reading = read_by_grammar("Tom has two sons, Bob and Al. Al's daughter is Mia.", "What is Bob to Mia?", {})
>>> [(fact.who, fact.relation, fact.of) for fact in reading.facts], reading.question[:2]
([('Bob', 'child', 'Tom'), ('Al', 'child', 'Tom'), ('Mia', 'child', 'Al')], ('Bob', 'Mia'))
>>> read_by_grammar("Tom was once the husband of Ann.", "What is Tom to Ann?", {}).unread.reason
"'Tom was once the husband of'"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from proband.core.types import Fact
from proband.english.reading import AskedRelation, Reading, Unread
from proband.suites.kinship.reading.dependencies import read_parsed_story
from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.reading.questions import KinQuestion, is_instruction, masked, read_question, split_options
from proband.suites.kinship.reading.story import Story, read_story
from proband.suites.kinship.reading.tokens import (
    ABBREVIATED,
    NAME,
    NO_PERSON,
    NotUnderstood,
    Sentence,
    normalised,
    sentences_of,
    without_titles,
)

SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|\n+")
CAPITAL: Final = re.compile(r"(?<![\w'])[A-Z][\w-]*(?: [A-Z][\w-]*)*")


class Parts(NamedTuple):
    """A row taken apart: its story, what it asks, and the people it names."""

    story: str
    question: KinQuestion
    people: frozenset[str]


def read_by_grammar(text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
    """The first reader."""

    def read(parts: Parts) -> Story:
        return read_story(parts.story, names=parts.people, genders=genders)

    return _reading(text, question, genders, read)


def read_by_parse(text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
    """The second reader. It asks what the first one does; the story it reads in a way of its own."""
    return _reading(text, question, genders, lambda parts: read_parsed_story(parts.story, genders=genders))


def _reading(text: str, question: str, genders: Mapping[str, str | None], read: Callable[[Parts], Story]) -> Reading:
    try:
        parts = take_apart(text, question, genders)
    except NotUnderstood as error:
        return Reading(unread=Unread(str(error), question[-200:]))
    told = read(parts)
    if told.unread:
        return Reading(unread=Unread(told.unread.why, told.unread.sentence[:200]))
    if not told.facts:
        return Reading(unread=Unread("the story states no fact"))
    asked = parts.question
    named = {name for f in told.facts for name in (f.owner, f.person)}
    for name in (asked.who, asked.of):
        if name and name not in named:  # a sentence about them may have been taken for one about nobody's kin
            return Reading(unread=Unread(f"nothing that was read relates {name} to anybody"))
    unnamed = any("'s " in name or name.startswith("somebody") for name in named)
    if unnamed and asked.who and asked.of and not _connected(told, asked.who, asked.of):
        return Reading(unread=Unread(f"somebody without a name may link {asked.who} and {asked.of}"))
    return Reading(
        facts=tuple(Fact(f.person, f.relation, f.owner, f.gender, f.negated, f.sentence) for f in told.facts),
        question=AskedRelation(asked.who, asked.of, asked.word, either_way=asked.either_way),
        genders={name: gender for name, gender in told.genders.items() if name not in told.by_name},
        sentences=told.sentences,
        shapes=tuple(masked(sentence, parts.people)[0] for sentence in told.sentences),
    )


def _connected(told: Story, one: str, other: str) -> bool:
    """Do facts lead from the one to the other?"""
    met, waiting = {one}, [one]
    for here in waiting:
        near = {f.person if f.owner == here else f.owner for f in told.facts if here in (f.owner, f.person)}
        waiting += sorted(near - met)
        met |= near
    return other in met


# ---- story and question --------------------------------------------------------------------------------------------


def take_apart(text: str, question: str, genders: Mapping[str, str | None]) -> Parts:
    """The story, the question and the people of a row; where `text` is empty, `question` holds both."""
    if not text.strip():
        text, question = _story_and_question(question, genders)
    question = without_titles(ABBREVIATED.sub(r"\1", question), text)
    people = people_of(text, question, genders)
    return Parts(text, _asked(question, people), people)


def _asked(question: str, people: Collection[str]) -> KinQuestion:
    """The one sentence that asks; what stands beside it may only say how to answer."""
    bare, options = split_options(normalised(question))
    sentences = [sentence for sentence in SENTENCE.split(bare) if sentence.strip() and not is_instruction(sentence)]
    found = read_question(" ".join(sentences), people)
    return KinQuestion(who=found.who, of=found.of, word=found.word, either_way=found.either_way, options=options)


def _story_and_question(both: str, genders: Mapping[str, str | None]) -> tuple[str, str]:
    """A story with its question behind it: from which sentence on it asks."""
    bare, _ = split_options(both)
    sentences = [sentence.strip() for sentence in SENTENCE.split(bare) if sentence.strip()]
    for place in range(len(sentences) - 1, 0, -1):
        story, rest = " ".join(sentences[:place]), " ".join(sentences[place:])
        if rest.rstrip().endswith((".", "?", "_", ":")) or "_" in rest:
            try:
                _asked(rest, people_of(story, rest, genders))
            except NotUnderstood:
                continue
            return story, rest + both[len(bare) :]
    raise NotUnderstood("no form of question covers it")


def people_of(text: str, question: str, genders: Mapping[str, str | None]) -> frozenset[str]:
    """The names of a story: what its sentences have as names, with the question's capitals in mind."""
    plain = normalised(text)
    asked = {c for each in CAPITAL.findall(normalised(question)) for c in _runs(each) if _is_in(c, plain)}
    given = {*genders, *(name for name in asked if name not in NO_PERSON and name.lower() not in OPENERS)}
    whole = {
        name
        for name in given
        if " " in name and not any(_is_in(part, plain.replace(name, "")) for part in name.split())
    }
    given -= {part for name in whole for part in name.split()}
    single = {name for name in given if not (" " in name and all(part in given for part in name.split()))}
    return frozenset(_names(sentences_of(text, single | set(genders))))


OPENERS: Final = word_set("how what who is in tell name pick true which are was does whose state give say complete can")


def _runs(capitals: str) -> Iterator[str]:
    """The words and what stands together of them: *Is Balwinder Kaur Rupinder's aunt*."""
    words = capitals.split()
    for begin in range(len(words)):
        for end in range(begin + 1, len(words) + 1):
            yield " ".join(words[begin:end])


def _is_in(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _names(sentences: Collection[Sentence]) -> Iterator[str]:
    for sentence in sentences:
        yield from (token.text for token in sentence.tokens if token.kind == NAME)
        for quote in sentence.quotes:
            yield from _names(quote)
