"""Phrases of a tree as positions of words: arguments, predicates, prepositions with their nouns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proband.english.extraction.factuality import NOT, unreal_noun
from proband.english.extraction.trees import QUANTITY, Tree
from proband.english.extraction.word_lists import GROUPS, QUANTITIES, RELATING, TIMES, TIMING

LONGEST = 7  # words of an argument
PARTS = ("det", "det:predet", "amod", "compound", "nummod", "flat", "nmod:poss", "goeswith")


def argument(tree: Tree, head: int, *, restricted: bool = False) -> tuple[int, ...]:
    """A noun with its articles, adjectives, names, numbers, possessors and one phrase with `of`; with `restricted` also
    other phrases that narrow it: "children under five should not eat honey"."""
    joined = tree.under(head, "conj") if _between(tree, head) else []
    parts = [argument(tree, other) for other in joined]
    if not _is_noun_or_year(tree, head) or unreal_noun(tree, head) or not all(parts):
        return ()
    inside = [head, *sum(parts, ()), *(at for other in joined for at in tree.under(other, "cc"))]
    adverbs = [at for at in tree.under(head, "advmod") if at < head] if tree.tokens[head].pos == QUANTITY else []
    for part in (*tree.under(head, *PARTS), *adverbs):  # "more than half of the students"; not: "the tower, 9 m tall"
        if part < head or tree.tokens[part].dep != "amod" or not tree.under(part, "punct"):
            inside += _all_under(tree, part)
    for part in tree.under(head, "appos"):  # "the river Thames"; after a comma it is another phrase
        adjacent = part == head + 1 and tree.tokens[part].pos == "PROPN" and tree.tokens[head].pos == "NOUN"
        dated = {tree.shown(head), tree.shown(part)} <= TIMES and not tree.under(part, "det")  # "Friday, 3 May"
        if adjacent or dated or _epithet(tree, head, part):
            inside += _all_under(tree, part)
    for part in tree.under(head, "nmod"):
        case = tree.under(part, "case")
        if part > head and [tree.shown(at) for at in case] == ["of"] and _is_noun_or_year(tree, part):
            inside += [*case, part, *(each for one in tree.under(part, *PARTS) for each in _all_under(tree, one))]
            one = tree.tokens[part].pos == "PROPN" or tree.tokens[head].pos == QUANTITY
            for inner in tree.under(part, "nmod") if one else ():
                # "of the University of Bergen", "most of the capitals of Europe"
                if [tree.shown(at) for at in tree.under(inner, "case")] == ["of"]:
                    inside += _all_under(tree, inner)
    for part in tree.under(head, "nmod") if restricted and not _definite(tree, head) else ():
        if (before := markers(tree, part)) and before[0] == max(inside) + 1:
            inside += [*before, *(argument(tree, part) or _all_under(tree, part))]
    words = _with_hyphens(tree, {*inside, *_before_quantity(tree, head, min(inside))})
    # a phrase with a gap (such as a parenthesis) is not used; an inner quotation mark may be left out
    whole = words[-1] - words[0] < len(words) + 2
    relative = any(tree.shown(at) in ("whose", "whom", "which") for at in (*words, *tree.under(head, "nmod")))
    return words if _count(tree, words) <= LONGEST and whole and not relative else ()


def _is_noun_or_year(tree: Tree, at: int) -> bool:
    return tree.is_noun(at) or tree.tokens[at].pos == "YEAR"


def _between(tree: Tree, head: int) -> bool:
    """Does "between" precede the noun? "between 1990 and 1994" cannot be split into two statements."""
    return any(tree.shown(case) == "between" for case in tree.under(head, "case"))


def _definite(tree: Tree, noun: int) -> bool:
    """Is the noun definite (the bridge, its workers, Italy)? It means the same thing without the following phrase."""
    articles = [tree.shown(at) for at in tree.under(noun, "det")]
    named = tree.tokens[noun].pos in ("PROPN", "PROPNS", QUANTITY)
    return named or bool(tree.under(noun, "nmod:poss")) or any(word in ("the", "") for word in articles)


def _epithet(tree: Tree, name: int, part: int) -> bool:
    """Is the part an epithet? In "Catherine the Great" it belongs to the name, because there is no comma."""
    the = [at for at in tree.under(part, "det") if at == part - 1 and tree.shown(at) == "the"]
    return bool(the) and tree.tokens[name].pos == "PROPN" and not tree.under(part, "punct", "nmod")


def _with_hyphens(tree: Tree, words: Iterable[int]) -> tuple[int, ...]:
    inside = set(words)
    hyphens = {at + 1 for at in inside if at + 2 in inside and tree.shown(at + 1) == "-"}
    return tuple(sorted(inside | hyphens))


def _count(tree: Tree, words: tuple[int, ...]) -> int:
    """The number of words, without hyphens and possessive endings."""
    return sum(tree.shown(at) not in ("-", "'s") for at in words)


def _before_quantity(tree: Tree, head: int, first: int) -> tuple[int, ...]:
    """The positions of "more than" or "at least" before a quantity, wherever a parser attaches the two words."""
    two = " ".join(tree.shown(at) for at in range(max(0, first - 2), first))
    number = tree.tokens[head].pos == QUANTITY or tree.under(head, "nummod") or tree.shown(head) in QUANTITIES
    return (first - 2, first - 1) if number and two in ("more than", "less than", "at least", "at most") else ()


def _all_under(tree: Tree, at: int) -> list[int]:
    return [at, *(each for child in tree.children[at] if _quiet(tree, child) for each in _all_under(tree, child))]


def _quiet(tree: Tree, at: int) -> bool:
    return tree.tokens[at].dep not in ("punct", "acl:relcl", "acl", "appos", "conj", "cc", "parataxis", "nmod")


def is_group(tree: Tree, noun: int) -> bool:
    """Is the noun a quantity or group ("thousands of farmers", "a team of surgeons")? Its `of` phrase belongs to it."""
    return tree.tokens[noun].pos == QUANTITY or tree.shown(noun) in GROUPS


def is_name(tree: Tree, noun: int, link: tuple[int, ...]) -> bool:
    """Are a noun and its phrase with `of` one unit? "the Duke of York", "two of the boys", "a team of surgeons", "a
    town of nine thousand people"."""
    whole = tree.tokens[noun].pos in ("PROPN", "PROPNS") or is_group(tree, noun)
    whole = whole or any(tree.under(part, "nummod") for part in tree.under(noun, "nmod") if part > link[-1])
    return whole and [tree.shown(at) for at in link] == ["of"]


def together(tree: Tree, head: int) -> list[int]:
    """A noun and the nouns coordinated with it: "lions and tigers"."""
    others = [] if _between(tree, head) else tree.under(head, "conj")
    return [head, *(other for other in others if tree.is_noun(other))]


def predicate(tree: Tree, verb: int) -> tuple[int, ...]:
    """The verb with auxiliaries, copula, negation and particle: "had not been picked up", "is to be given"."""
    early = tree.under(verb, "aux", "aux:pass", "cop")
    group = [verb, *early, *tree.under(verb, "compound:prt")]
    group += [at for at in tree.under(verb, "mark") if tree.shown(at) == "to" and early and early[0] < at]
    group += [at for at in tree.under(verb, "advmod") if tree.shown(at) in NOT]
    if tree.tokens[verb].pos == "ADJ":  # "is the same as"
        group += tree.under(verb, "det")
    for copula in tree.under(verb, "cop"):
        group += [*tree.under(copula, "aux"), *(at for at in tree.under(copula, "advmod") if tree.shown(at) in NOT)]
    return tuple(sorted(group))


def markers(tree: Tree, noun: int) -> tuple[int, ...]:
    """The preposition before a noun, of one word or more: "because of"."""
    results = [each for case in tree.under(noun, "case") for each in (case, *tree.under(case, "fixed", "mwe", "pcomp"))]
    return tuple(sorted(at for at in results if at < noun))


def phrases(tree: Tree, head: int, *labels: str) -> Iterator[tuple[tuple[int, ...], int]]:
    """(preposition, noun) for each noun that a preposition attaches to a head."""
    for noun in tree.under(head, *labels):
        if _is_noun_or_year(tree, noun) and noun > head and (before := markers(tree, noun)):
            yield before, noun


def short_phrase(tree: Tree, noun: int) -> tuple[int, ...]:
    """A noun as part of a relation: with at most four words, and its article."""
    inside = [noun, *(at for part in tree.under(noun, *PARTS) for at in _all_under(tree, part))]
    words = _with_hyphens(tree, inside)
    whole = words[-1] - words[0] == len(words) - 1 and not any(tree.shown(at) == "whose" for at in words)
    articles = sum(tree.shown(at) in ("a", "an", "the") for at in words)
    return words if _count(tree, words) - articles <= 4 and whole else ()


def timed(tree: Tree, noun: int) -> bool:
    """on Friday, in 1871, after the war, for ten years; but not: sentenced to six years."""
    cases = [tree.shown(case) for case in tree.under(noun, "case")]
    head = tree.tokens[noun].pos == "YEAR" or tree.shown(noun) in TIMES
    return (head and not {"to", "into", "with", "as"} & set(cases)) or any(case in TIMING for case in cases)


def light(tree: Tree, noun: int) -> bool:
    """Is a noun part of the predicate rather than a thing? "took action", "has a taste", "reduces the risk", but not
    "the letters of Liszt", "a new budget for schools"."""
    if tree.shown(noun) in RELATING:
        return True
    articles = tree.under(noun, "det")
    if tree.under(noun, "nmod:poss", "nummod") or any(tree.shown(at) not in ("a", "an") for at in articles):
        return False
    return not articles or not tree.under(noun, "amod", "compound")
