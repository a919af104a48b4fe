"""Phrases of a tree as positions of words: arguments, predicates, prepositions with their nouns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proband.english.extraction.factuality import NOT, unreal_noun
from proband.english.extraction.trees import QUANTITY, Tree
from proband.english.extraction.word_lists import GROUPS, QUANTITIES, RELATING, TIMES, TIMING

LONGEST = 7  # words of an argument
PARTS = (
    "det",
    "det:predet",
    "amod",
    "compound",
    "nummod",
    "flat",
    "nmod:poss",
    "goeswith",
    "flat:foreign",
    "flat:name",
)


def argument(tree: Tree, head: int, *, restricted: bool = False) -> tuple[int, ...]:
    """A noun with what belongs to it: articles, adjectives, names, numbers, possessors, one phrase with `of`; where
    more would be said without them (`restricted`), other phrases too: "children under five should not eat honey"."""
    if tree.tokens[head].pos == "YEAR":
        return (head,)
    if not tree.is_noun(head) or unreal_noun(tree, head):
        return ()
    inside = [head]
    adverbs = [at for at in tree.under(head, "advmod") if at < head] if tree.tokens[head].pos == QUANTITY else []
    for part in (*tree.under(head, *PARTS), *adverbs):  # "more than half of the students"
        if (
            part < head or tree.tokens[part].dep != "amod" or not tree.under(part, "punct")
        ):  # not: "the tower, 9 m tall"
            inside += _all_under(tree, part)
    for part in tree.under(head, "appos"):  # "the river Thames"; after a comma it is another phrase
        beside = part == head + 1 and tree.tokens[part].pos == "PROPN" and tree.tokens[head].pos == "NOUN"
        if beside or _epithet(tree, head, part):
            inside += _all_under(tree, part)
    for part in tree.under(head, "nmod"):
        case = tree.under(part, "case")
        if part > head and [tree.shown(at) for at in case] == ["of"] and tree.is_noun(part):
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
    # a phrase with a hole in it (a parenthesis, say) is no phrase; an inner quotation mark may be left out
    whole = words[-1] - words[0] < len(words) + 2
    relative = any(tree.shown(at) in ("whose", "whom", "which") for at in (*words, *tree.under(head, "nmod")))
    return words if _count(tree, words) <= LONGEST and whole and not relative else ()


def _definite(tree: Tree, noun: int) -> bool:
    """the bridge, its workers, Italy: the same thing whether or not a phrase follows."""
    articles = [tree.shown(at) for at in tree.under(noun, "det")]
    named = tree.tokens[noun].pos in ("PROPN", "PROPNS", QUANTITY)
    return named or bool(tree.under(noun, "nmod:poss")) or any(word in ("the", "") for word in articles)


def _epithet(tree: Tree, name: int, part: int) -> bool:
    """Catherine the Great: without a comma it is part of the name."""
    the = [at for at in tree.under(part, "det") if at == part - 1 and tree.shown(at) == "the"]
    return bool(the) and tree.tokens[name].pos == "PROPN" and not tree.under(part, "punct", "nmod")


def _with_hyphens(tree: Tree, words: Iterable[int]) -> tuple[int, ...]:
    inside = set(words)
    hyphens = {at + 1 for at in inside if at + 2 in inside and tree.shown(at + 1) == "-"}
    return tuple(sorted(inside | hyphens))


def _count(tree: Tree, words: tuple[int, ...]) -> int:
    """Words as one counts them: without hyphens and possessive endings."""
    return sum(tree.shown(at) not in ("-", "'s") for at in words)


def _before_quantity(tree: Tree, head: int, first: int) -> tuple[int, ...]:
    """more than, at least: before a quantity, wherever a parser hangs them."""
    two = " ".join(tree.shown(at) for at in range(max(0, first - 2), first))
    number = tree.tokens[head].pos == QUANTITY or tree.under(head, "nummod") or tree.shown(head) in QUANTITIES
    return (first - 2, first - 1) if number and two in ("more than", "less than", "at least", "at most") else ()


def _all_under(tree: Tree, at: int) -> list[int]:
    return [at, *(each for child in tree.children[at] if _quiet(tree, child) for each in _all_under(tree, child))]


def _quiet(tree: Tree, at: int) -> bool:
    return tree.tokens[at].dep not in ("punct", "acl:relcl", "acl", "appos", "conj", "cc", "parataxis", "nmod")


def is_name(tree: Tree, noun: int, link: tuple[int, ...]) -> bool:
    """Whether a noun and its phrase with `of` are one: "the Duke of York", "two of the boys", "a team of surgeons", "a
    town of nine thousand people"."""
    whole = tree.tokens[noun].pos in ("PROPN", "PROPNS", QUANTITY) or tree.shown(noun) in GROUPS
    whole = whole or any(tree.under(part, "nummod") for part in tree.under(noun, "nmod") if part > link[-1])
    return whole and [tree.shown(at) for at in link] == ["of"]


def together(tree: Tree, head: int) -> list[int]:
    """A noun and those joined to it: "lions and tigers"."""
    return [head, *(other for other in tree.under(head, "conj") if tree.is_noun(other))]


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
    """(preposition, noun) for each noun that a preposition ties to a head."""
    for noun in tree.under(head, *labels):
        named = tree.is_noun(noun) or tree.tokens[noun].pos == "YEAR"
        if named and noun > head and (before := markers(tree, noun)):
            yield before, noun


def short_phrase(tree: Tree, noun: int) -> tuple[int, ...]:
    """A noun as part of a relation: with modifiers no more than four words, and its article."""
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
    """Whether a noun is part of what is said rather than its own thing: "took action", "has a taste", "reduces the
    risk", but not "the letters of Liszt", "a new budget for schools"."""
    if tree.shown(noun) in RELATING:
        return True
    articles = tree.under(noun, "det")
    if tree.under(noun, "nmod:poss", "nummod") or any(tree.shown(at) not in ("a", "an") for at in articles):
        return False
    return not articles or not tree.under(noun, "amod", "compound")
