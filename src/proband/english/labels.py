"""The meaning of a label or an answer: a relation, yes or no, a thing, an option, or "cannot be determined".

>>> split_options("Where is the river? (A) west (B) east (C) south")
('Where is the river?', {'a': 'west', 'b': 'east', 'c': 'south'})
>>> split_options("The church is (A) east (B) west of the bank.", is_answer={"east", "west"}.__contains__)
('The church is ___ of the bank.', {'a': 'east', 'b': 'west'})
>>> from proband.english.domain import load
>>> asked = AskedRelation("Tom", "Ann")
>>> read = lambda text: read_label(text, domain=load("kinship"), asked=asked, options={}, things=["Tom", "Ann", "Bo"])
>>> {read(text).word for text in ("her uncle", "He's her uncle.", "Ann's uncle", "Tom is Ann's uncle")}
{Word(relation='pibling', gender='male')}
>>> read("elder brother"), read("Bo's uncle")
(None, None)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from proband.english.domain import OTHER, Domain, Word
from proband.english.first_names import gender_of_name
from proband.english.people import PRONOUNS
from proband.english.reading import AskedRelation, Label
from proband.english.things import thing_meant
from proband.english.tokens import normalised

YES, NO, UNKNOWN = "yes", "no", "cannot be determined"
OPTION: Final = re.compile(
    r"(?<![\w(])(?:\(([A-Ha-h1-8])\)|([A-Ha-h1-8])\)|([A-H])\.(?= [a-z])|(?<=[?:;] )([A-H])(?= [a-z]))\s*"
)
NO_RELATIONS: Final = frozenset(("beside", "next to", "near", "behind", "in front of", "inside", "at the same time as"))
UNTOLD: Final = re.compile(
    r"(?:it |this )?(?:(?:cannot|can't|can not) (?:be )?(?:told|tell|say|said|know|known|determined?|inferred|decided)"
    r"|unknown|undetermined|indeterminate|not enough information|impossible to (?:say|tell|know)|maybe"
    r"|not (?:stated|told|given|known|specified)|there is no way to tell)"
)
UNRELATED: Final = frozenset(("none", "no relation", "not related", "unrelated", "no relation of these"))
_IT: Final = r"(?:(?:it|that)(?: is|'s) )?"
_AGAIN: Final = r"(?:s?he|it|they|that) (?:is|are|was|were|do|does|did)"
TRUE: Final = re.compile(rf"(?:yes|yep|yeah|{_IT}(?:true|right|correct)|it is)(?:, {_AGAIN})?")
FALSE: Final = re.compile(
    rf"(?:no|nope|{_IT}(?:not true|not right|not correct|false|wrong|incorrect)|it(?: is|'s) not|it isn't)"
    rf"(?:, {_AGAIN}(?: not|n't))?"
)
_DIRECTIONS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
STEPS: Final = {short: step for name, step in _DIRECTIONS.items() for short in (name, name[0])}
ANSWER: Final = re.compile(
    r"(?:(?P<x>s?he|it|they|that|@\d+)(?: is| was| are| were) |(?:s?he|it|that)'s )?"
    r"(?:(?:the|an?|his|her|their|its|(?P<y>@\d+)'s) )?(?P<r>[a-z][a-z -]*?)"
    r"(?: (?:of|to) (?P<z>@\d+|him|her|them))?"
)


def split_options(
    question: str, *, is_answer: Callable[[str], object] = lambda text: False
) -> tuple[str, dict[str, str]]:
    """A question without its options, and the options by letter. If options are in the middle of a statement, the text
    after the last one that `is_answer` belongs to the statement."""
    marks = list(OPTION.finditer(question))
    letters = [next(filter(None, mark.groups())).lower() for mark in marks]
    if len(marks) < 2 or letters != sorted(set(letters)) or letters[0] not in ("a", "1"):
        return question, {}
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    options = {
        letter: question[mark.end() : end].strip().rstrip(",;") for letter, mark, end in zip(letters, marks, ends)
    }
    stem = re.sub(r"(?:Options|Choices|Choose(?: one)?):?\s*$", "", question[: marks[0].start()].rstrip()).rstrip(" :")
    stem = re.sub(r"\.\.\.|…", "___", stem)
    if "?" not in stem and "___" not in stem:
        words = options[letters[-1]].split()
        starts = ((n, " ".join(words[:n]).rstrip(".?!")) for n in range(len(words), 0, -1))
        own = next((n for n, start in starts if start in NO_RELATIONS or is_answer(start)), len(words))
        options[letters[-1]] = " ".join(words[:own])
        stem = " ".join([stem, "___", *words[own:]])
    return stem, {letter: text.rstrip(".?!") for letter, text in options.items()}


def read_label(
    text: str, *, domain: Domain, asked: AskedRelation, options: Mapping[str, str], things: Iterable[str]
) -> Label | None:
    """The meaning of a label for this question; None if it does not answer it."""
    plain = normalised(text).strip("\"'`* ").rstrip(".!")
    letter = plain.strip("()[]. ").lower()
    if options:
        marked = OPTION.match(plain)
        if not marked and letter in options and letter in (each.lower() for each in options.values()):
            return None  # a thing that is called as an option
        letter = next(filter(None, marked.groups())).lower() if marked else letter
        plain = options.get(letter, plain)
    lower = plain.lower()
    if UNTOLD.fullmatch(lower):
        return Label(None, UNKNOWN)
    if asked.route:
        steps = [STEPS.get(step) for step in re.findall(r"[a-z]+", lower)]
        known = [step for step in steps if step]
        return Label(None, moved(sum(x for x, _ in known), sum(y for _, y in known))) if all(steps) and steps else None
    if asked.word and asked.who:
        answer = YES if TRUE.fullmatch(lower) else NO if FALSE.fullmatch(lower) else ""
        return Label(None, answer) if answer else None
    if asked.word:
        named = re.sub(r"^(?:it is|it's|that is|that's|the answer is) ", "", lower)
        thing = thing_meant(named, things)
        return Label(None, thing) if thing else None
    if domain.other and lower in UNRELATED:
        return Label(Word(OTHER), OTHER)
    return _relation(plain, domain, asked, [*things, *filter(None, asked.pair)])


def _relation(text: str, domain: Domain, asked: AskedRelation, things: Sequence[str]) -> Label | None:
    plain = re.sub(r"(?i)^(to|on|at) (?:its|his|her|their) ", r"\1 the ", text)
    if pronoun := re.match(r"(?i)s?he\b", text):  # it means `who` if the name fits, or if it cannot mean the other
        gender = PRONOUNS[pronoun[0].lower()]
        who, of = (gender_of_name(name, certain=True) for name in asked.pair)
        if who != gender and (who or (asked.of not in text and of in (None, gender))):
            return None
    plain = re.sub(r"(?i)^(?:it|he|she|they)(?:'s| is| are| was| were) ", "", plain)
    if word := domain.word(re.sub(r"(?i)(?: (?:of|to|than|from))?(?: (?:it|her|him|them))?$", "", plain)):
        return None if _undirected(word, domain, asked) else Label(word, domain.word_for(word))
    order = list(dict.fromkeys(sorted(things, key=len, reverse=True)))
    either = "|".join(map(re.escape, order))
    masked = re.sub(rf"(?<!\w)\[?({either})\]?(?!\w)", lambda m: f"@{order.index(m[1])}", text) if order else text
    match = ANSWER.fullmatch(re.sub(r"\bgreat (?=grand|aunt|uncle|niece|nephew)", "great-", masked.lower()))
    if match is None:
        return None
    word = domain.word(match["r"]) or domain.beyond.get(match["r"])
    if word is None and asked.either_way and match["r"] in domain.plurals:  # they are cousins, they are sisters
        word = domain.plurals[match["r"]]
    if word is None:
        return None
    x, of = (order[int(each[1:])] if each and each[0] == "@" else "" for each in (match["x"], match["y"] or match["z"]))
    who, of = x or asked.who, of or (asked.who if x == asked.of else asked.of)
    if {who, of} != set(asked.pair) and set(asked.pair) <= set(things):
        return None  # it is about other people
    if not x and not match["y"] and match["r"] not in domain.plurals and _undirected(word, domain, asked):
        return None
    shown = domain.word_for(word) if word.relation in domain.inverse else match["r"]
    return Label(word, shown, (who, of) if (who, of) != asked.pair else None)


def moved(x: int, y: int) -> str:
    """The end of a route."""
    return f"{x:+d} right, {y:+d} up"


def _undirected(word: Word, domain: Domain, asked: AskedRelation) -> bool:
    """Does the question leave open of whom a word is said (*how are A and B related?*), and does it matter?"""
    genders = {gender_of_name(name, certain=True) for name in asked.pair}
    one_way = domain.inverse.get(word.relation, word.relation) != word.relation
    return asked.either_way and (one_way or (word.gender is not None and genders != {word.gender}))
