"""Dependency trees in one dialect: Universal Dependencies. Stanford's and ClearNLP's labels are rewritten to it.

A token shows its word only where that is one of the closed list `SHOWN`; rules therefore depend on shapes, and what
they find in one syntactic n-gram holds for every n-gram of that shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proband.core.files import group_by_key
from proband.english.extraction.word_lists import (
    BESIDE,
    CALLING,
    ELECTING,
    IN_FRONT,
    NAMING,
    OFFICES,
    QUANTITIES,
    SHOWN,
    TIMES,
)

# Stanford basic dependencies (syntactic n-grams) and ClearNLP (spaCy's own models) -> Universal Dependencies
LABELS = {
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
    "dobj": "obj",
    "dative": "iobj",
    "nn": "compound",
    "num": "nummod",
    "number": "nummod",
    "poss": "nmod:poss",
    "possessive": "case",
    "prt": "compound:prt",
    "rcmod": "acl:relcl",
    "relcl": "acl:relcl",
    "partmod": "acl",
    "vmod": "acl",
    "infmod": "acl:to",
    "complm": "mark",
    "abbrev": "appos",
    "quantmod": "advmod",
    "predet": "det:predet",
    "preconj": "cc:preconj",
    "npadvmod": "obl:npmod",
    "tmod": "obl:tmod",
    "purpcl": "advcl",
    "oprd": "xcomp",
    "agent": "prep",
    "neg": "advmod",
    "nsubj:outer": "nsubj",
    "obl:agent": "obl",
    "acl:relcl:pass": "acl:relcl",
    "nmod:desc": "compound",
    "flat:foreign": "flat",
    "flat:name": "flat",
    "ROOT": "root",
}
# Penn Treebank tags -> universal parts of speech; a plural noun is marked, since "is" or "are" may be put before it
TAGS = {
    "NN": "NOUN",
    "NNS": "NOUNS",
    "NNP": "PROPN",
    "NNPS": "PROPNS",
    "CD": "NUM",
    "CC": "CCONJ",
    "MD": "AUX",
    "SYM": "SYM",
    "UH": "INTJ",
    "VBD": "VERBD",
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "EX", "WDT"), "PRON"),
    **dict.fromkeys(("DT", "PDT"), "DET"),
    **dict.fromkeys(("IN", "RP"), "ADP"),
    **dict.fromkeys(("TO", "POS"), "PART"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "ADV"),
    **dict.fromkeys(("FW", "LS"), "X"),
    **dict.fromkeys(("VBP", "VBZ"), "VERB"),
    **dict.fromkeys(("VB", "VBG", "VBN"), "VERBN"),
}
QUANTITY = "QUANTITY"  # a number or similar word before a phrase with `of`, as part of one noun phrase
NOUNS = ("NOUN", "NOUNS", "PROPN", "PROPNS", QUANTITY)
FINITE = ("VERB", "VERBD")
VERBS = (*FINITE, "VERBN")
YEAR = re.compile("1[0-9]{3}|20[0-9]{2}")
BOUNDS = ("over", "under", "above", "below")
NOMINAL = ("nsubj", "nsubj:pass", "obj", "iobj", "obl", "nmod")  # labels of nouns


@dataclass(frozen=True)
class TreeToken:
    shown: str  # the word in lower case if it is in SHOWN, else ""
    pos: str  # universal part of speech; NOUNS and PROPNS for plurals, VERBN for infinitives and participles, VERBD for
    # the past, YEAR for numbers that may be one
    dep: str
    head: int  # position of the head, -1 for the root


@dataclass(frozen=True)
class Tree:
    tokens: tuple[TreeToken, ...]
    children: tuple[tuple[int, ...], ...]

    def under(self, at: int, *labels: str) -> list[int]:
        """The dependents of a token with one of these labels, in order."""
        return [child for child in self.children[at] if self.tokens[child].dep in labels]

    def is_noun(self, at: int) -> bool:
        return self.tokens[at].pos in NOUNS

    def is_verb(self, at: int) -> bool:
        return self.tokens[at].pos in VERBS

    def shown(self, at: int) -> str:
        return self.tokens[at].shown


def token(word: str, pos: str, dep: str, head: int) -> TreeToken:
    """
    >>> token("Of", "IN", "prep", 2), token("cats", "NNS", "dobj", 0).pos
    (TreeToken(shown='of', pos='ADP', dep='prep', head=2), 'NOUNS')
    """
    word, pos = word.lower(), TAGS.get(pos, pos)
    year = pos == "NUM" and YEAR.fullmatch(word)
    return TreeToken(word if word in SHOWN else "", "YEAR" if year else pos, LABELS.get(dep, dep), head)


def tree(tokens: Iterable[TreeToken]) -> Tree:
    """A tree in Universal Dependencies, from tokens in any dialect."""
    given = _with_copulas(_with_long_prepositions(_with_cases_of_heads(_with_cases(tuple(tokens)))))
    given = _with_dates(_with_ages(given))
    plain = _with_shares(_with_nominal_subjects(_with_nominal_adjectives(given)))
    return _built(_with_quantities(_with_receivers(_with_offices(plain))))


def _built(tokens: Sequence[TreeToken]) -> Tree:
    children: list[list[int]] = [[] for _ in tokens]
    for at, one in enumerate(tokens):
        if 0 <= one.head < len(tokens) and one.head != at:
            children[one.head].append(at)
    return Tree(tuple(tokens), tuple(map(tuple, children)))


def _with_cases(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """prep(h, p) and pobj(p, n) become obl(h, n) or nmod(h, n) and case(n, p), for the first object."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        if one.dep != "pobj" or one.head < 0 or tokens[one.head].dep not in ("prep", "pcomp"):
            continue
        marker, above = one.head, tokens[one.head].head
        if above < 0 or out[marker].dep == "case":
            continue
        label = "nmod" if tokens[above].pos in NOUNS else "obl"
        out[at] = replace(one, dep=label, head=above)
        out[marker] = replace(tokens[marker], dep="case", head=at)
    return out


def _with_cases_of_heads(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """of Mount Ararat: a preposition attached to the first word of a name belongs to the name."""
    return [
        replace(one, head=tokens[one.head].head)
        if one.dep == "case" and at < one.head < tokens[one.head].head and tokens[one.head].dep in ("compound", "amod")
        else one
        for at, one in enumerate(tokens)
    ]


def _with_long_prepositions(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """next to the station, in front of the hall: all words before the noun are its preposition."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        middle = one.head
        cases = [n for n, each in enumerate(tokens) if each.head == at and each.dep == "case"]
        if one.dep not in ("obl", "nmod") or not 0 <= middle < at or cases != [middle + 1]:
            continue
        word, above = tokens[middle], tokens[middle].head
        compound = (
            word.shown in BESIDE and out[cases[0]].shown == "to" and word.dep in ("advmod", "amod", "obl", "nmod")
        )
        first = [n for n, each in enumerate(tokens) if each.head == middle and each.dep == "case"]
        front = word.shown in IN_FRONT and out[cases[0]].shown == "of" and first == [middle - 1]
        if 0 <= above < middle and (compound or (front and word.dep in ("obl", "nmod"))):
            out[at] = replace(one, dep="nmod" if tokens[above].pos in NOUNS else "obl", head=above)
            for n in (*first, middle):
                out[n] = replace(out[n], pos="ADP", dep="case", head=at)
    return out


def _with_ages(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """in people over 65, infants under six months: a bound after a plural belongs to it, whatever the parse."""
    out = list(tokens)
    for at in range(len(tokens) - 2):
        noun, bound, number = tokens[at : at + 3]
        age = bound.head  # the number, or the noun that it counts
        if noun.pos != "NOUNS" or bound.shown not in BOUNDS or number.pos != "NUM" or age < at + 2:
            continue
        counted = age == at + 2 or (number.head == age == at + 3 and tokens[age].shown in TIMES)
        if counted and 0 <= tokens[age].head < at and tokens[tokens[age].head].pos not in NOUNS:
            out[age] = replace(tokens[age], dep="nmod", head=at)
    return out


def _with_dates(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """on 3 May 1998, on May 3, 1998, in May 1998: the month is the head, of the day and of the year."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        day = one.head
        if one.shown in TIMES and one.dep in ("nmod:unmarked", "compound") and day >= 0 and tokens[day].pos == "NUM":
            out = [replace(each, head=at) if each.head == day else each for each in out]
            out[at] = replace(one, dep=out[day].dep, head=out[day].head)
            out[day] = replace(out[day], dep="nummod", head=at)
    for at, one in enumerate(out):
        if one.pos == "YEAR" and one.dep == "nmod:unmarked" and 0 <= one.head < at and out[one.head].shown in TIMES:
            whole = all(one.head <= each.head <= at for each in out[one.head + 1 : at])
            out[at] = replace(one, dep="flat") if whole else one
    return out


def _with_copulas(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """attr(v, n) and acomp(v, n) become the head, with cop(n, v), as in UD; the verb's other dependents move."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        verb = one.head
        if one.dep not in ("attr", "acomp") or verb < 0 or out[verb].dep == "cop":
            continue
        out[at] = replace(one, dep=tokens[verb].dep, head=tokens[verb].head)
        for other, each in enumerate(out):
            if each.head == verb and other != at and each.dep not in ("aux", "aux:pass", "advmod"):
                out[other] = replace(each, head=at)
        out[verb] = replace(tokens[verb], dep="cop", head=at)
    return out


def _with_nominal_adjectives(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """the British, the poor, the oldest of the bridges: an adjective with an article in the place of a noun is a plural
    noun, and a following phrase with `of` belongs to it."""
    articles = {one.head for one in tokens if one.dep == "det" and one.shown == "the"}
    of = {one.head for one in tokens if one.dep == "case" and one.shown == "of"}
    nouns = {at for at, one in enumerate(tokens) if one.pos == "ADJ" and one.dep in NOMINAL and at in articles}
    return [
        replace(one, pos="NOUNS")
        if at in nouns
        else replace(one, dep="nmod")
        if one.head in nouns and one.dep == "obl" and at in of
        else one
        for at, one in enumerate(tokens)
    ]


def _with_nominal_subjects(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """Smoking is the cause: a noun or a single participle is a nominal subject, whatever the parse."""
    heads = {one.head for one in tokens}
    return [
        replace(one, dep="nsubj", pos=one.pos if one.pos in NOUNS else "NOUN")
        if one.dep == "csubj" and (one.pos in NOUNS or (one.pos == "VERBN" and at not in heads))
        else one
        for at, one in enumerate(tokens)
    ]


def _with_shares(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """one in five customers: the noun is customers, however a parser attaches the numbers."""
    out = list(tokens)
    for at in range(len(tokens) - 3):
        first, within, second, noun = tokens[at : at + 4]
        if first.pos == second.pos == "NUM" and within.shown == "in" and noun.pos in ("NOUNS", "PROPNS"):
            if noun.head == at:
                out[at + 3] = replace(noun, dep=first.dep, head=first.head)
            out[at] = replace(first, dep="nummod", head=at + 3)
            out[at + 1] = replace(within, dep="case", head=at + 2)
            out[at + 2] = replace(second, dep="nummod", head=at)
    return out


def _with_offices(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """appointed his brother Joseph king of Spain: the office is not part of the name before it, nor the reverse."""
    out = list(tokens)
    for at, one in enumerate(tokens):
        if _named(tokens, at):  # "named the town Londinium"
            out[at] = replace(one, dep="xcomp", head=tokens[one.head].head)
            continue
        names = [n for n, each in enumerate(tokens) if each.head == at and each.dep in ("compound", "flat") and n < at]
        named = names and all(tokens[n].pos in ("PROPN", "PROPNS") for n in names) and one.pos in ("NOUN", "NOUNS")
        elected = one.dep in ("obj", "xcomp") and 0 <= one.head < at and tokens[one.head].shown in ELECTING
        if named and elected and not any(each.head == at and each.dep in ("det", "amod", "cop") for each in tokens):
            out[names[0]] = replace(tokens[names[0]], dep="obj", head=one.head)
            for other in names[1:]:
                out[other] = replace(tokens[other], dep="flat", head=names[0])
            out[at] = replace(one, dep="xcomp")
            continue
        office = one.dep == "appos" and one.pos == "NOUN"  # "appointed Julia Stein chief executive"
        if (
            not (office or one.shown in OFFICES)
            or one.dep not in ("flat", "appos", "compound")
            or not 0 <= one.head < at
        ):
            continue
        thing = one.head
        while tokens[thing].dep in ("flat", "appos", "compound") and 0 <= tokens[thing].head < thing:
            thing = tokens[thing].head
        verb = tokens[thing].head
        own = any(each.head == at and each.dep in ("det", "punct") for each in tokens)
        if tokens[thing].dep == "obj" and verb >= 0 and tokens[verb].shown in ELECTING and not own:
            out[at] = replace(one, pos="NOUN", dep="xcomp", head=verb)
    return out


def _named(tokens: Sequence[TreeToken], at: int) -> bool:
    thing = tokens[at].head
    if tokens[at].dep != "appos" or tokens[at].pos != "PROPN" or thing != at - 1 or tokens[thing].dep != "obj":
        return False
    verb = tokens[thing].head
    before = {each.shown for each in tokens if each.head == thing and each.dep == "det"}
    alone = not any(each.head == verb and each.dep in ("xcomp", "ccomp") for each in tokens)
    return tokens[verb].shown in NAMING and tokens[thing].pos == "NOUN" and bool(before & {"the"}) and alone


def _with_receivers(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """brought Mr. Hill a cup of tea: the first of two objects receives the second."""
    out = list(tokens)
    objects = group_by_key(
        (one.head, at) for at, one in enumerate(tokens) if one.dep == "obj" and 0 <= one.head < at and one.pos in NOUNS
    )
    for verb, things in objects.items():
        if len(things) == 2 and tokens[verb].shown not in ELECTING | CALLING:
            out[things[0]] = replace(tokens[things[0]], dep="iobj")
    return out


def _with_quantities(tokens: Sequence[TreeToken]) -> list[TreeToken]:
    """two of the five patients, most of the soldiers, more than half of the students: one phrase with a QUANTITY as its
    head."""
    of = {one.head for one in tokens if one.dep == "case" and one.shown == "of"}
    found = [at for at, one in enumerate(tokens) if one.dep in ("nmod", "obl") and at in of and 0 <= one.head < at]
    parts = {
        tokens[at].head: at
        for at in found
        if tokens[tokens[at].head].pos == "NUM" or tokens[tokens[at].head].shown in QUANTITIES
    }
    whole = set(parts.values())  # "by most of the delegates": parsers make an obl of the adjective
    return [
        replace(one, pos=QUANTITY)
        if at in parts and one.dep != "root"
        else replace(one, dep="nmod")
        if at in whole
        else one
        for at, one in enumerate(tokens)
    ]


def universal_pos(pos: str, features: str) -> str:
    """The part of speech for `token`, from a universal one and its features.

    >>> universal_pos("NOUN", "Number=Plur"), universal_pos("VERB", "Tense=Past|VerbForm=Part")
    ('NOUNS', 'VERBN')
    >>> universal_pos("VERB", "Tense=Past|VerbForm=Fin"), universal_pos("VERB", "_")
    ('VERBD', 'VERB')
    """
    if pos in ("NOUN", "PROPN") and "Number=Plur" in features:
        return f"{pos}S"
    if pos != "VERB" or "VerbForm=" not in features:
        return pos
    return "VERBN" if "VerbForm=Fin" not in features else "VERBD" if "Tense=Past" in features else "VERB"
