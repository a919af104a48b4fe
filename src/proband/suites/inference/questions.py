"""Questions: (q_type, q_rel, q_arg), given in words or as columns.

In words: `Which TYPE REL ARG?`, `What TYPE REL ARG?`, `Who REL ARG?` (TYPE is person) and `What REL ARG?` (TYPE is
thing: anything). The relation begins at the first verb and ends with the verb group or the first preposition after it:

>>> parse("Which food is included in chocolate?")
TypedQuestion(q_type='food', q_rel='is included in', q_arg='chocolate')
>>> parse("What food is included in chocolate?")
TypedQuestion(q_type='food', q_rel='is included in', q_arg='chocolate')
>>> parse("What causes headaches?")
TypedQuestion(q_type='thing', q_rel='causes', q_arg='headaches')
>>> parse("Who invented the telephone?")
TypedQuestion(q_type='person', q_rel='invented', q_arg='the telephone')

As columns, for who wants to be sure: `TYPE <TAB> REL <TAB> ARG`, with or without that header line. A file of Levy and
Dagan's (`type, rel, arg <TAB> answer <TAB> y|n`) gives its questions, each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import text_lines
from proband.lexicon.inflection import lemma, verb_lemma

PERSON, THING = "person", "thing"
HEADER = ("q_type", "q_rel", "q_arg")
BE_AND_HAVE = "am is are was were be been being has have had having"
MODALS = frozenset(("do", "does", "did", "will", "would", "shall", "should", "can", "could", "may", "might", "must"))
AUXILIARIES = MODALS | frozenset(BE_AND_HAVE.split())
PREPOSITION_WORDS = """of in on at to from by with for into onto upon as about against among between through throughout
over under above below near off out up down along across around after before during since until within without toward
towards than like next inside outside beyond behind beside"""
PREPOSITIONS = frozenset(PREPOSITION_WORDS.split())
# what begins a relation, what is no part of its argument, and what another verb follows
BEGINNINGS = AUXILIARIES - {"be", "been", "being", "having"}
NEGATIONS = frozenset(("not", "never"))
HELP = frozenset(("help", "helps", "helped"))
WORDS_BEFORE_TO = """used able needed required known thought said believed tends tend tried tries wants wanted begins
began continues fails failed refuses refused helps helped learns learned"""
BEFORE_TO = frozenset(WORDS_BEFORE_TO.split())
# base forms that are verbs after a plural (`What animals eat grass?`), and whose -s form is one after `What`
COMMON_VERBS = """absorb affect attack attract become belong bite border breed build burn buy carry cause come conduct
connect consist contain control cost cross cure damage defeat depend destroy drive eat emit enter
excrete export fear feed fight flow fly follow give go govern grow harm hate have heal help hunt
import improve include increase infect influence inhabit invade join kill know lack lay lead lie
like live lose love make mean need occupy offer oppose own pollute prevent produce protect provide
receive reduce regulate release relieve represent require rise rule run secrete see sell serve sing
speak spread stimulate stop strengthen supply support surround survive swim teach transmit treat use
visit wear win work worship write"""
VERBS = frozenset(COMMON_VERBS.split())
# plurals that do not end in -s, and nouns that are their own
PLURAL_WORDS = "people men women children mice geese feet teeth bacteria fungi cattle police fish sheep deer"
PLURALS = frozenset(PLURAL_WORDS.split())
ARTICLES = frozenset(("the", "a", "an", "his", "her", "its", "their", "this", "that", "some", "any"))
WORD = re.compile(r"[^\s?]+")


@dataclass(frozen=True)
class TypedQuestion:
    q_type: str
    q_rel: str
    q_arg: str

    @property
    def text(self) -> str:
        """
        >>> TypedQuestion("country", "borders", "Ethiopia").text, TypedQuestion("person", "invented", "the wheel").text
        ('Which country borders Ethiopia?', 'Who invented the wheel?')
        """
        begin = {PERSON: "Who", THING: "What"}.get(self.q_type, f"Which {self.q_type}")
        return f"{begin} {self.q_rel} {self.q_arg}?"


def parse(text: str, *, file: object = None, line: int | None = None) -> TypedQuestion:
    """A question in words."""

    def wrong(why: str) -> ProbandError:
        return ProbandError(f"{text.strip()!r} {why}", file=file, line=line)

    words = WORD.findall(text)
    pronoun = words[0].lower() if words else ""
    if pronoun not in ("which", "who", "what"):
        raise wrong("must begin with Which, Who or What")
    rest = words[1:]
    first = 0
    if pronoun == "which" or (pronoun == "what" and _is_type(rest)):
        first = next((at for at in range(1, len(rest)) if _is_verb(rest, at)), 0)
        if not first and pronoun == "which":
            raise wrong("has no verb after its type: Which TYPE REL ARG?")
    if len(rest) - first < 2:
        raise wrong("has no argument: Which TYPE REL ARG?")
    if rest[first].lower() in ("do", "does", "did") and rest[first + 1].lower() not in NEGATIONS:
        raise wrong("asks for an object; say it with the answer first, as in `Which country was invaded by Italy?`")
    end = _relation_end(rest, first)
    q_type = " ".join(rest[:first]) if first else {"who": PERSON, "what": THING}[pronoun]
    return TypedQuestion(q_type, " ".join(rest[first:end]).lower(), " ".join(rest[end:]))


def _is_type(words: list[str]) -> bool:
    """Whether a noun follows `What`: the first word is no form that a relation begins with (`is`, `wrote`, `causes`),
    or it is a plural before an auxiliary, a verb or `of` (`What drugs are used in ...`, `What drugs treat ...`)."""
    word, after = (each.lower() for each in [*words, "", ""][:2])
    inflected = word.endswith("s") and lemma(word) != word
    plural = after in BEGINNINGS or after == "of" or (_plain_verb(words, 1) and lemma(word) not in VERBS)
    return bool(word) and not _sure_verb(word) and (not inflected or plural)


def _is_verb(words: list[str], at: int) -> bool:
    """Whether a verb may begin here: an auxiliary, an inflected form, or anything after a plural; but not where a surer
    verb follows soon (`united states president came from`)."""
    word, before = words[at].lower(), words[at - 1]
    if _sure_verb(word):
        return at < len(words) - 1
    several = before.islower() and before.endswith("s") and lemma(before) != before
    plural = several or before.lower() in PLURALS
    if _plain_verb(words, at) and plural:
        return True
    verb_follows = at + 1 < len(words) and (words[at + 1].lower() in BEGINNINGS or _plain_verb(words, at + 1))
    if verb_follows and word.endswith("s") and lemma(word) not in VERBS:
        return False  # `farm animals eat`
    inflected = lemma(word) != word and word.endswith("s")
    if not (inflected or plural) or word in PREPOSITIONS | ARTICLES | {"being", "be", "been", "having"}:
        return False
    surer = at + (2 if inflected else 1)
    between = words[at + 1].lower() if surer == at + 2 and at + 1 < len(words) else ""
    follows = surer < len(words) - 1 and between not in ARTICLES | PREPOSITIONS and _sure_verb(words[surer].lower())
    return at < len(words) - 1 and not follows


def _plain_verb(words: list[str], at: int) -> bool:
    """A common verb in its base form, with something after it that is not `of` (`use of coal`)."""
    return at < len(words) - 1 and words[at].lower() in VERBS and words[at + 1].lower() != "of"


def _sure_verb(word: str) -> bool:
    """An auxiliary or a past form."""
    if word in PLURALS:
        return False
    past = verb_lemma(word) != word and not word.endswith(("s", "ing", "er", "est"))
    return word in BEGINNINGS or (past and word not in PREPOSITIONS | ARTICLES | {"be", "been"})


def _relation_end(words: list[str], first: int) -> int:
    """Where the argument begins: after the first run of prepositions (and the verb of `used to make`), or after the
    verb group."""
    lowered = [word.lower() for word in words]
    last = len(words) - 1
    for at in range(first + 1, last):
        if lowered[at] in PREPOSITIONS:
            before = lowered[at - 1]
            while at + 1 < last and lowered[at + 1] in PREPOSITIONS:
                at += 1
            verb = lowered[at] == "to" and before in BEFORE_TO and at + 1 < last
            return at + 2 if verb else at + 1
    end = first
    while end < last and lowered[end] in AUXILIARIES | NEGATIONS:
        end += 1
    # after a modal or `helps` comes a verb; a participle belongs to the verbs before it, an article or a name does not
    if end > first and MODALS & set(lowered[first:end]):
        return end + 1
    if lowered[end] in HELP and end + 1 < last and lowered[end + 1] not in ARTICLES:
        return end + 2
    alone = end in (first, last) or lowered[end] in ARTICLES or lemma(lowered[end]) == lowered[end]
    return max(first + 1, end if alone and end > first else end + 1)


def read(path: Path) -> list[TypedQuestion]:
    """The questions of a file: one in words a line, or columns; lines that begin with # and empty ones do not count."""
    questions: dict[TypedQuestion, None] = {}
    for number, line in _lines(path):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) == 1:
            questions[parse(line, file=path, line=number)] = None
        elif len(cells) == 3 and cells[2] in ("y", "n") and cells[0].count(",") >= 2:
            one, two, three = (part.strip() for part in cells[0].split(",", 2))
            questions[TypedQuestion(one, two, three)] = None
        elif len(cells) != 3 or not all(cells):
            raise ProbandError(
                "must be a question in words or three columns: type, relation, argument", file=path, line=number
            )
        elif tuple(cells) != HEADER:
            questions[TypedQuestion(*cells)] = None
    if not questions:
        raise ProbandError("contains no questions", file=path)
    return list(questions)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in text_lines(path) if not line.startswith("#"))
