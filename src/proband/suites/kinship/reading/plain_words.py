"""Words that change nothing about who is whose kin: everyday things and doings, and the small words between them.

Three closed lists. `data/kinship/plain_words.txt` has nouns, verbs and adjectives of WordNet whose senses are of
everyday matters (`benchmarks/reading/word_lists.py` makes it); `everyday_words.txt` adds, by hand, what WordNet also
knows in a sense of speech, thought or persons; SMALL are function words. Left out on purpose, and so never read over:
words of truth and doubt (true, claim, allegedly, probably), of roles and fiction (play, film, dream, story), of
likeness, of what is past or to come (former, once, future), and all words of kin and marriage that the grammar does not
know.

>>> [is_plain(word) for word in ("grilled", "sausages", "the", "nurse", "stopped")]
[True, True, True, True, True]
>>> [word for word in "probably soon-to-be former cousin pretends film true once not".split() if is_plain(word)]
[]
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from proband.core.files import DATA, read_toml, read_utf8
from proband.suites.kinship.reading.lexicon import word_set

SMALL: Final = word_set("""
    the a an and but so while when because after before until till since where wherever whenever then there
    here it its
    itself this that these those of in on at to from by with for into onto about around near over under up
    down off out
    through across along behind beside besides between among against during without within toward towards inside
    outside past upon above below beyond per via as like than too also very quite rather really still again always
    often sometimes usually never seldom rarely mostly mainly every all both each some many much more most other
    others another own one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand first second third fourth fifth last next few several enough
    his her their my our your he she they him them i me we us you himself herself themselves myself yourself
    who which what whose how why is are was were be been being am has have had having do does did doing done can could
    will would shall should may might must 's 're 've 'll 'd 'm n't not neither nor if whether no any anyone anybody
    anything everyone everybody everything someone somebody something nothing nobody else only just even already soon
    later early late now today yesterday tomorrow tonight ever ago away back together apart home abroad
    forward upstairs
    downstairs indoors outdoors nearby somewhere everywhere instead perhaps half such
    """)
ENDINGS: Final = (
    ("ies", "y"),
    ("ied", "y"),
    ("es", ""),
    ("s", ""),
    ("ed", ""),
    ("ed", "e"),
    ("d", ""),
    ("ing", ""),
    ("ing", "e"),
    ("er", ""),
    ("er", "e"),
    ("est", ""),
    ("iest", "y"),
    ("ier", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("n", ""),
)
# phrases of words that are plain together and may not be alone
_IDIOMS: Final = """
    at once|once a day|once a week|once a month|once a year|half past|half the|half an hour|half hour|half of the
    in half|the end of|end to end|in the end|by the end|from end to end|until the end|at the end|wishing well
    fairy lights|spirit level|black tie|ghost story|bedtime story|stories|ended at|past the|days past|not far
    as well as|as well
    such as|so that|no time|any more than|dress rehearsal|stage fright|jump rope|years ago|long ago|weeks ago|days ago
    a year ago|months ago|an hour ago|in a single day|tied together|tied up|as soon as|as far as the|each other
    to the movies|at the movies|see a movie|saw a movie|watch a movie|watched a movie|watching a movie|seeing a movie
    movie theater|movie night|movie tickets|see the movie|saw the movie|watch the movie|watched the movie|to a movie
    to see a play|saw a play|watched a play|the movies together
    adopted a dog|adopted a cat|adopted a puppy|adopted a kitten
    told jokes|tells jokes|telling jokes|cracked jokes|tell jokes|the whole clan|so far
    in his spare time|in her spare time
    every single|did nothing wrong|done nothing wrong|pretends not to|pretended not to|pretends to be pleased
    anyone else|anybody else|everyone else|everybody else|nobody else|can n't either|could n't either|any more
    like any mother|like any father|like any grandmother|like any grandfather|like any parent|over the moon
    one another|to wish|wished him|wished her|wished them|rain or shine|by the way|as everybody knows|as everyone knows
    """
IDIOMS: Final = {
    first: tuple(phrase for phrase in phrases if phrase[0] == first)
    for phrases in [[tuple(phrase.split()) for phrase in re.split(r"[|\n]", _IDIOMS) if phrase.strip()]]
    for first in {phrase[0] for phrase in phrases}
}
NUMBER: Final = re.compile(r"\d[\d,.:]*(?:st|nd|rd|th|s|am|pm|kg|km|m)?")
AGE: Final = re.compile(r"[\w-]+-(?:year|month|week|day)s?(?:-old)?")


@cache
def _listed() -> frozenset[str]:
    return word_set("\n".join(read_utf8(DATA / "english" / f"{name}_words.txt") for name in ("plain", "everyday")))


@cache
def own_asides() -> frozenset[str]:
    """The sentences without people that our own stories open with."""
    sentences: set[str] = set()
    for path in (DATA / "kinship" / "bank").glob("*.toml"):
        for occasion in read_toml(path)["occasion"]:
            for opening in occasion["openings"]:
                sentences.update(re.split(r"(?<=[.!?;])\s+", opening))
    sentences.add("Some time later they were all together again.")  # the bridge to another occasion
    return frozenset(sentences)


@cache
def own_words() -> frozenset[str]:
    """All words of our own stories: in these, and in these alone, each of them is plain."""
    texts = [read_utf8(path) for path in (DATA / "kinship" / "bank").iterdir()]
    return word_set(re.sub(r"[^a-z'-]+", " ", "\n".join(texts).lower()))


@lru_cache(maxsize=100_000)
def is_own(word: str) -> bool:
    """Is it, in any form, a word of our own stories?"""
    return word in own_words() or _stem_known(word, own_words())


@lru_cache(maxsize=100_000)
def is_plain(word: str) -> bool:
    """Is it, in any form, a word of the lists? `word` in small letters."""
    known = _listed()
    if word in SMALL_NEVER_PLAIN or word in NEVER:
        return False
    if word in known or word in PLAIN_SMALL or NUMBER.fullmatch(word) or AGE.fullmatch(word):
        return True
    if word.endswith("ly") and word not in DOUBTFUL and _of_manner(word[:-2], known):
        return True
    if "-" in word:
        return all(part in known or part in PLAIN_SMALL or _stem_known(part, known) for part in word.split("-") if part)
    return _stem_known(word, known)


def _of_manner(stem: str, known: frozenset[str]) -> bool:
    """`dreadfully`, `happily`: of an adjective of the lists."""
    return any(each in known for each in (stem, stem + "le", stem + "l", stem[:-1] + "y" if stem[-1:] == "i" else stem))


def _stem_known(word: str, known: frozenset[str]) -> bool:
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            if stem + instead in known:
                return True
            doubled = len(stem) > 3 and (stem[-1] == stem[-2] or stem.endswith("ck"))
            if ending in ("ed", "ing", "er", "est") and doubled and stem[:-1] in known:
                return True
    return False


# small words that need a place of their own in the grammar and are read over nowhere else
SMALL_NEVER_PLAIN: Final = word_set("""
    if whether not never n't neither nor no nobody nothing none can could will would shall should may might must any
    anyone anybody anything i me my we us our you your myself yourself who whose which what how why perhaps half such
    once ago same hardly seldom rarely 'd 'll else instead like as than past or
    """)
# adverbs of truth and doubt, of how far something is so, of law and of likeness: never read over
DOUBTFUL: Final = word_set("""
    apparently allegedly supposedly reportedly presumably seemingly probably possibly likely unlikely nearly hardly
    barely scarcely practically virtually effectively basically essentially technically legally officially formally
    nominally notionally theoretically hypothetically ideally figuratively metaphorically symbolically spiritually
    falsely wrongly mistakenly incorrectly jokingly playfully ironically sarcastically purportedly ostensibly evidently
    conceivably arguably doubtfully questionably fictionally formerly originally previously eventually ultimately
    temporarily briefly partly half-heartedly mostly largely roughly approximately certainly surely truly really
    honestly biologically genetically adoptively only early family fatherly motherly brotherly sisterly
    initially currently lately newly usually normally commonly generally
    """)
# in no form of another word either
NEVER: Final = word_set("""
    lying lied kidding joking soon-to-be would-be to-be married marries wed wedding divorced former formerly
    dream dreamed dreams so-called
    provided in-law birthright roleplay video-game brother mother father sister parent seeming seemed supposed
    pretended played play plays invented invent invents cartoon cartoons puppet puppets
    sorry oops mean means meant correction mistake wrong wrongly
    family families couple couples related relation twin partner partners ex blood-brother deny denied doubted
    """)
PLAIN_SMALL: Final = SMALL - SMALL_NEVER_PLAIN
