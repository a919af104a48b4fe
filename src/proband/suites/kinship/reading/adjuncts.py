"""What may stand before and behind a clause that says who is whose kin: times and places, from closed lists.

Whatever else opens such a clause (`When the test comes back, ...`, `On stage, ...`) or follows it (`... on paper`) may
mean that it is not so, or not yet, or no more. What happened (`married`) may have any time or place of the lists; what
is so has no place and no day.

>>> from proband.suites.kinship.reading.tokens import sentences_of
>>> def words(text): return sentences_of(text)[0].tokens
>>> [opening(words(each)[:-4]) for each in ("In 1980 , Ann is it.", "Last spring Ann is it.", "On paper , Ann is it.")]
['state', 'event', '']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.reading.tokens import KIN, NAME, PLACE, QUOTE, Token

STATE, EVENT = "state", "event"
ADVERBS: Final = word_set("""
    now today nowadays currently also too still already both later then recently yesterday finally eventually meanwhile
    afterwards soon here there furthermore moreover besides luckily happily sadly
    """)
_PHRASES = """
    of course|in fact|by the way|long ago|at last|in time|in addition|after all|these days|at present|as well
    at the time|at that time|as it happens|as you know|in turn|on the other hand|for example|by now|ever since
    for the record|in short|to be clear|just to say|just to say that|this is to announce that|this is to say that
    please note that|for your information|as a matter of fact|it so happens that|dear all|dear friends|by then
    we are delighted to announce that|we are pleased to announce that|we are happy to announce that|quick one
    """
PHRASES: Final = tuple(tuple(phrase.split()) for phrase in re.split(r"[|\n]", _PHRASES) if phrase.strip())
# they say that what follows is so
FACTIVE: Final = word_set(
    "and but so while whereas because since although though yes oh well no hello hi where that first second third next"
)
IN_TIME: Final = word_set("when after before while as since until once")  # with what happened, they say that it did
TIMES: Final = word_set("""
    day days night nights evening evenings morning mornings afternoon afternoons noon midnight dawn dusk week weeks
    weekend month months year years decade decades summer summers winter winters spring autumn fall christmas easter
    thanksgiving birthday anniversary january february march april may june july august september october november
    december monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays war holidays hour hours minute minutes time eve
    """)
PLACES: Final = word_set("""
    church chapel cathedral town village city country countryside hospital home house garden beach farm island hall
    boat ship park street road mountains coast seaside lake river registry office cottage castle hotel courthouse abroad
    """)
NUMBERS: Final = word_set("""
    a an one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred many several few some
    """)
BEFORE_A_TIME: Final = word_set("in on at last this that one every each during early late by since after before over")
WITHIN: Final = word_set(
    "the a an his her their my our this that same last next very early late following first small tiny old local"
    " shortest longest hottest coldest wettest"
)
COUNT: Final = re.compile(r"\d[\d,.]*")
YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d(?:s)?")
PRONOUNS: Final = word_set("he she they i we you it his her their my our your the a an both all one that this")
FOLLOWING: Final = word_set("and but while whereas who whose whom so because too though although where")
# a sentence that begins so tells nothing of what is, unless nothing but a time follows
FRAMES: Final = word_set("""
    when once as after before until till with without given assuming supposing granted provided if unless whether in on
    at for to from by under according judging during come inside outside within throughout among between
    """)
SAYS: Final = re.compile(r"(?:say|says|said|think|thinks|thought|claim\w*|believe\w*|hear|heard|guess|hope|told|tells)")


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) and tokens[at].kind not in (NAME, KIN, QUOTE) else ""


def adjunct(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """Where the time or place that begins here ends, and with what it may stand: `state` with anything, `event` with
    what happened; (at, "") if none begins here."""
    for phrase in PHRASES:
        if all(_text(tokens, at + n) == word for n, word in enumerate(phrase)):
            return at + len(phrase), STATE
    word = _text(tokens, at)
    if word == "the" and at == 0 and _text(tokens, 1) == "couple":
        return 2, STATE
    if word == "the" and at == 0 and _is(tokens, 1, PLACE) and _text(tokens, 2) in (",", "-", "("):
        return 2, STATE  # The Hendersons, Paul and Joyce,
    if word in ("mr", "mrs", "ms", "dr", "old", "little", "young", "poor", "dear"):
        return at + 1, STATE
    if word in ADVERBS:
        return at + 1, STATE
    before = at + (word in ("in", "since", "from", "around", "about", "by", "back") or word in BEFORE_A_TIME)
    before += _text(tokens, before) in ("the", "in", "early", "late", "about")
    if YEAR.fullmatch(_text(tokens, before)):
        return before + 1, STATE if word != "by" else EVENT
    for end, kind in (_duration(tokens, at), _time(tokens, at), _place(tokens, at)):
        if end > at:
            return end, kind
    return at, ""


def _duration(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """`two years later`, `five months ago`, `for ten years`, `for a long time`."""
    here = at + (_text(tokens, at) == "for")
    while _text(tokens, here) in ("about", "almost", "nearly", "over", "the", "last", "past", "more", "than", "just"):
        here += 1
    if _text(tokens, here) in TIMES and _text(tokens, here + 1) in ("ago", "later", "earlier", "afterwards"):
        return here + 2, EVENT
    if not (_text(tokens, here) in NUMBERS or COUNT.fullmatch(_text(tokens, here))):
        return at, ""
    while _text(tokens, here) in NUMBERS or COUNT.fullmatch(_text(tokens, here)) or _text(tokens, here) == "long":
        here += 1
    if _text(tokens, here) not in TIMES:
        return at, ""
    if _text(tokens, at) == "for":
        return here + 1, STATE
    if _text(tokens, here + 1) in ("ago", "later", "earlier", "before", "afterwards"):
        return here + 2, EVENT
    return at, ""


def _time(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """`last spring`, `on a Monday`, `one day`, `this morning`, `in June 1990`."""
    if _text(tokens, at) not in BEFORE_A_TIME and _text(tokens, at) not in WITHIN:
        return at, ""
    here = at
    while _text(tokens, here) in BEFORE_A_TIME or _text(tokens, here) in WITHIN or _text(tokens, here) in NUMBERS:
        here += 1
    first = here
    while _text(tokens, here) in TIMES or _is(tokens, here, PLACE) or COUNT.fullmatch(_text(tokens, here)):
        here += 1
    if not any(_text(tokens, n).lower() in TIMES for n in range(first, here)):
        return at, ""
    if _text(tokens, here) == "of" and _text(tokens, here + 1) == "the" and _text(tokens, here + 2) in TIMES:
        here += 3
    if _text(tokens, here) == "of" and (YEAR.fullmatch(_text(tokens, here + 1)) or _text(tokens, here + 1) == "last"):
        here += 2 + (_text(tokens, here + 1) == "last")
    return here, EVENT


def _place(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """`in Porto`, `at the town hall`."""
    if _text(tokens, at) not in ("in", "at", "near", "from", "outside", "on", "by", "to"):
        return at, ""
    here = at + 1
    while _text(tokens, here) in WITHIN:
        here += 1
    first = here
    while _is(tokens, here, PLACE) or _text(tokens, here) in PLACES:
        here += 1
    return (here, EVENT) if here > first else (at, "")


def _is(tokens: Sequence[Token], at: int, kind: str) -> bool:
    return 0 <= at < len(tokens) and tokens[at].kind == kind


def opening(tokens: Sequence[Token]) -> str:
    """With what the words before a clause may stand: `state`, `event`, or nothing that is told."""
    at, kind = 0, STATE
    while at < len(tokens):
        if tokens[at].kind in (QUOTE, "mark") or tokens[at].text in FACTIVE:
            at += 1
            continue
        end, own = adjunct(tokens, at)
        if end == at and at == 0 and tokens[0].text in IN_TIME:
            return EVENT
        if end == at:
            return ""
        kind, at = (EVENT if EVENT in (kind, own) else STATE), end
    return kind


def goes_on_well(
    tokens: Sequence[Token], at: int, *, happened: bool = False, somewhere: bool = False, relative: bool = False
) -> bool:
    """Can what follows a clause about kin not take it back? `happened`: it tells an event; `somewhere`: it may say
    where the kin are (`has a brother in Porto`); `relative`: the verb of another clause may follow its comma."""
    while True:
        end, kind = adjunct(tokens, at)
        place = somewhere and kind == EVENT and any(_is(tokens, n, PLACE) for n in range(at, end))
        if end == at or not (kind == STATE or happened or place):
            break
        at = end
    if at >= len(tokens):
        return True
    token = tokens[at]
    if token.text in (".", "!", ";", ")", "?", ":") or token.text in FOLLOWING:
        return not _says_so(tokens, at + 1)
    if happened and at and _text(tokens, at - 1) in TIMES and token.text in PRONOUNS:
        return True  # the year the bridge opened
    if happened and (token.text in IN_TIME or (token.text == "the" and _text(tokens, at + 1) in TIMES)):
        return True
    if token.text not in (",", "-", "("):
        return False
    following = at + 1
    if following >= len(tokens) or _says_so(tokens, following):
        return following >= len(tokens)
    after = tokens[following]
    if after.kind in (NAME, KIN, PLACE, QUOTE) or after.text in PRONOUNS or after.text in FOLLOWING:
        return True
    if happened and after.text in IN_TIME:
        return True
    if COUNT.fullmatch(after.text) and (following + 1 >= len(tokens) or tokens[following + 1].kind == "mark"):
        return True  # Ann, 12.
    if relative and after.kind == "word" and (after.text not in FRAMES or after.text == "to"):
        return True
    if token.text in ("(", "-") and (COUNT.fullmatch(after.text) or after.text in NUMBERS):
        return True
    return adjunct(tokens, following)[0] > following and goes_on_well(tokens, following, happened=happened)


def _says_so(tokens: Sequence[Token], at: int) -> bool:
    """`Ann is his sister, she says`: is it said by somebody?"""
    if QUOTE in [token.kind for token in tokens]:
        return False
    return any(SAYS.fullmatch(_text(tokens, n)) is not None for n in range(at, at + 3))
