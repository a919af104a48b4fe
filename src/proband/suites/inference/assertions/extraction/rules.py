"""The syntactic rules, one function each: from a tree to (subject, relation, object), as positions of words.

Who the subject of a predicate is, is found by SUBJECTS; what it relates the subject to, by PREDICATES; OTHERS read an
assertion off a noun. Each rule's docstring has its example, with the assertion in brackets. Positions IS and ARE stand
for words that the sentence leaves out: "chocolate made from cocoa" gives (chocolate, is made from, cocoa).

The rules of the paper are in a supplement that is not released with its data; these are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from proband.suites.inference.assertions.extraction.factuality import NOT, asserted, unreal_noun
from proband.suites.inference.assertions.extraction.trees import CALLING, ELECTING, QUANTITY, VERBS, Tree

IS, ARE = -1, -2
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

Found = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # positions of subject, relation and object
Link = tuple[tuple[int, ...], int]  # words of the relation after the predicate, head of the object
Subject = tuple[int, tuple[int, ...]]  # head of the subject, words that must be put before the predicate


# ---- phrases -------------------------------------------------------------------------------------------------------


def argument(tree: Tree, head: int) -> tuple[int, ...]:
    """A noun with what belongs to it: articles, adjectives, names, numbers, possessors, one phrase with `of`."""
    if not tree.is_noun(head) or unreal_noun(tree, head):
        return ()
    inside = [head]
    adverbs = [at for at in tree.under(head, "advmod") if at < head] if tree.tokens[head].pos == QUANTITY else []
    for part in (*tree.under(head, *PARTS), *adverbs):  # "more than half of the students"
        inside += _all_under(tree, part)
    for part in tree.under(head, "appos"):  # "the river Thames"; after a comma it is another phrase
        if part == head + 1 and tree.tokens[part].pos == "PROPN" and tree.tokens[head].pos == "NOUN":
            inside += _all_under(tree, part)
    for part in tree.under(head, "nmod"):
        case = tree.under(part, "case")
        if part > head and [tree.shown(at) for at in case] == ["of"] and tree.is_noun(part):
            inside += [*case, part, *(each for one in tree.under(part, *PARTS) for each in _all_under(tree, one))]
    words = tuple(sorted({*inside, *_before_quantity(tree, head, min(inside))}))
    # a phrase with a hole in it (a parenthesis, say) is no phrase; a hyphen or an inner quotation mark may be left out
    whole = words[-1] - words[0] < len(words) + 2
    return words if len(words) <= LONGEST and whole else ()


def _before_quantity(tree: Tree, head: int, first: int) -> tuple[int, ...]:
    """more than, less than: before a quantity, wherever a parser hangs them."""
    two = [tree.shown(at) for at in range(max(0, first - 2), first)]
    there = tree.tokens[head].pos == QUANTITY and two in (["more", "than"], ["less", "than"])
    return (first - 2, first - 1) if there else ()


def _all_under(tree: Tree, at: int) -> list[int]:
    return [at, *(each for child in tree.children[at] if _quiet(tree, child) for each in _all_under(tree, child))]


def _quiet(tree: Tree, at: int) -> bool:
    return tree.tokens[at].dep not in ("punct", "acl:relcl", "acl", "appos", "conj", "cc", "parataxis", "nmod")


def is_name(tree: Tree, noun: int, link: tuple[int, ...]) -> bool:
    """Whether a noun and its phrase with `of` are one: "the Duke of York", "two of the patients"."""
    whole = tree.tokens[noun].pos in ("PROPN", "PROPNS", QUANTITY)
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
        if tree.is_noun(noun) and noun > head and (before := markers(tree, noun)):
            yield before, noun


# ---- whose predicate it is -----------------------------------------------------------------------------------------


def own_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """[Aspirin] relieves pain. Not: "for Rome to invade Gaul", "with most people living in villages"."""
    if tree.tokens[verb].pos == "VERBN" and tree.tokens[verb].head >= 0 and not tree.under(verb, "aux", "aux:pass"):
        return
    subjects = tree.under(verb, "nsubj", "nsubj:pass")
    if len(subjects) == 1 and tree.is_noun(subjects[0]) and subjects[0] < verb:  # with two, the parser is at a loss
        yield subjects[0], ()


def relative_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """the [drug] that relieves pain."""
    one = tree.tokens[verb]
    if one.dep == "acl:relcl" and one.head >= 0 and tree.is_noun(one.head):
        for subject in tree.under(verb, "nsubj", "nsubj:pass"):
            if tree.shown(subject) in ("that", "which", "who") and one.head < subject < verb:
                yield one.head, ()


def reduced_relative(tree: Tree, verb: int) -> Iterator[Subject]:
    """[chocolate] made from cocoa: (chocolate, is made from, cocoa)."""
    one = tree.tokens[verb]
    if one.dep == "acl" and tree.is_verb(verb) and 0 <= one.head < verb and tree.is_noun(one.head):
        if tree.under(verb, "nsubj", "nsubj:pass", "aux", "mark", "cop"):
            return
        yield one.head, (ARE if tree.tokens[one.head].pos.endswith("NS") else IS,)


def shared_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """[Rome] invaded Gaul and conquered Egypt: (Rome, conquered, Egypt). An infinitive or participle shares auxiliaries
    too: "Gaul was invaded and conquered by Rome" gives (Gaul, was conquered by, Rome)."""
    one = tree.tokens[verb]
    if one.dep != "conj" or not 0 <= one.head < verb or tree.under(verb, "nsubj", "nsubj:pass"):
        return
    between = range(one.head + 1, verb)
    if any(tree.tokens[at].dep.startswith("nsubj") and tree.tokens[at].head not in between for at in between):
        return  # a subject that stands between them belongs to the second, whatever the parser says
    own = [tree.shown(at) for at in tree.under(verb, "aux", "aux:pass", "cop")]
    alone = any(word not in ("be", "been", "being") for word in own) or (one.pos == "VERB" and not own)
    if not (tree.is_verb(verb) or tree.under(verb, "cop")) or (not alone and tree.under(one.head, "cop")):
        return
    front = () if alone else tuple(at for at in predicate(tree, one.head) if at < one.head)
    for head, before in (*own_subject(tree, one.head), *relative_subject(tree, one.head)):
        yield head, (*before, *front)


# ---- what it relates to --------------------------------------------------------------------------------------------


def transitive(tree: Tree, verb: int) -> Iterator[Link]:
    """Aspirin [relieves] pain; Curie [was awarded] the prize; Plato [told] Dion that he would come."""
    if tree.under(verb, "cop") or kept_from_doing(tree, verb) or any(made_to(tree, verb)):
        return
    if (beside := complemented(tree, verb)) is not None:
        things = [] if tree.shown(verb) in CALLING else [beside]
    else:
        things = tree.under(verb, "obj") or tree.under(verb, "iobj")
    for thing in things:
        if thing > verb and not tree.under(thing, "case"):
            yield (), thing


def complemented(tree: Tree, verb: int) -> int | None:
    """elected [Smith] president, called [the play] a failure: what has another noun or an adjective beside it that says
    what it is. A parser may take the one for a part of the other (`Smith president`), or both for objects."""
    if tree.shown(verb) not in ELECTING | CALLING:
        return None
    after = [at for at in tree.under(verb, "obj", "iobj", "xcomp") if at > verb]
    nouns = [at for at in after if tree.is_noun(at) or tree.tokens[at].pos in ("ADJ", "PRON")]
    if len(nouns) > 1:
        return nouns[0]
    for whole in nouns:
        parts = tree.under(whole, "compound", "flat")
        own = tree.under(whole, "det", "amod", "nmod:poss", "mark", "cop")
        office = parts and not own and tree.tokens[whole].pos in ("NOUN", "NOUNS") and parts[0] > verb
        if office and tree.tokens[parts[0]].pos in ("PROPN", "PROPNS"):
            return parts[0]
    return None


def kept_from_doing(tree: Tree, verb: int) -> list[int]:
    """The verbs of "prevented the virus from [entering] cells": what is prevented is not the virus."""
    things = tree.under(verb, "obj")
    clauses = [
        *tree.under(verb, "advcl", "xcomp", "ccomp"),
        *(at for thing in things for at in tree.under(thing, "acl")),
    ]
    return [
        at
        for at in clauses
        if things and at > things[0] and any(tree.shown(mark) == "from" for mark in tree.under(at, "mark", "case"))
    ]


def made_to(tree: Tree, verb: int) -> Iterator[Link]:
    """The law [requires drivers to wear] belts; the vaccine [prevented the virus from entering] cells: what is required
    is not the drivers."""
    things = tree.under(verb, "obj")
    if len(things) != 1 or things[0] < verb:
        return
    inner = _short(tree, things[0]) if tree.is_noun(things[0]) else ()
    does = [at for at in tree.under(verb, "xcomp") if tree.is_verb(at) and at > things[0]]
    for second in dict.fromkeys((*does, *kept_from_doing(tree, verb))):
        front = (*tree.under(second, "mark", "case"), *predicate(tree, second))
        for rule in (transitive, prepositional):
            for link, noun in rule(tree, second) if inner else ():
                yield tuple(sorted({*inner, *front, *link})), noun


def prepositional(tree: Tree, verb: int) -> Iterator[Link]:
    """The Nile [flows through] Egypt; chocolate [is made from] cocoa; aspirin [is good for] headaches."""
    if not tree.under(verb, "obj", "iobj") and not tree.is_noun(verb) and complemented(tree, verb) is None:
        yield from phrases(tree, verb, "obl", "nmod")


def phrase_with_of(tree: Tree, verb: int) -> Iterator[Link]:
    """Ozone [is formed in the presence of] sunlight."""
    if tree.under(verb, "obj", "iobj") or tree.is_noun(verb) or complemented(tree, verb) is not None:
        return
    for before, noun in phrases(tree, verb, "obl"):
        inner = _short(tree, noun)
        if inner and before[-1] + 1 == inner[0] and not tree.under(noun, "nmod:poss", "conj"):
            for of, other in phrases(tree, noun, "nmod"):
                if of == (noun + 1,) and tree.shown(noun + 1) == "of" and not is_name(tree, noun, of):
                    yield (*before, *inner, *of), other


def object_and_preposition(tree: Tree, verb: int) -> Iterator[Link]:
    """Canada [took action against] China; "lions [have a taste for] meat" with a phrase that belongs to the object."""
    for thing in tree.under(verb, "obj") if complemented(tree, verb) is None else ():
        inner = _short(tree, thing) if tree.is_noun(thing) and thing > verb else ()
        if inner and not tree.under(thing, "case", "nmod:poss", "conj"):
            for before, noun in (*phrases(tree, verb, "obl"), *phrases(tree, thing, "nmod")):
                if before[0] == thing + 1 and not is_name(tree, thing, before):
                    yield (*inner, *before), noun


def infinitive(tree: Tree, verb: int) -> Iterator[Link]:
    """Garlic [helps to prevent] colds; Rome [tried to take control of] Gaul; aspirin [is used to reduce] fever."""
    purpose = [
        at for at in tree.under(verb, "advcl") if verb + 1 in tree.under(at, "mark") and tree.shown(verb + 1) == "to"
    ]
    passive = [  # "was prevented from entering"
        at
        for at in tree.under(verb, "advcl", "xcomp")
        if verb + 1 in tree.under(at, "mark", "case") and tree.shown(verb + 1) == "from"
    ]
    for second in dict.fromkeys((*tree.under(verb, "xcomp"), *purpose, *passive)):
        if (
            tree.is_verb(second)
            and second > verb
            and not (tree.under(verb, "obj", "iobj") or tree.under(second, "nsubj"))
        ):
            start = tree.under(second, "case") if second in passive else []
            front = tuple({*tree.under(second, "mark"), *start, *predicate(tree, second)})
            for rule in (transitive, prepositional, object_and_preposition):
                for link, noun in rule(tree, second):
                    yield tuple(sorted((*front, *link))), noun


def complement(tree: Tree, verb: int) -> Iterator[Link]:
    """Vienna [became] a city; Saladin [became the master of] Egypt; the queen [wished to be] an atheist; the donee
    [becomes liable for] the tax."""
    alone = not tree.under(verb, "obj") and complemented(tree, verb) is None
    for noun in tree.under(verb, "xcomp") if alone else ():
        if tree.tokens[noun].pos == "ADJ" and noun > verb:
            for before, other in phrases(tree, noun, "obl"):
                yield tuple(sorted({*tree.under(noun, "mark"), *predicate(tree, noun), *before})), other
        if tree.is_noun(noun) and noun > verb and not tree.under(noun, "case"):
            front = tuple(at for at in (*tree.under(noun, "mark"), *predicate(tree, noun)) if at != noun)
            yield front, noun
            inner = _short(tree, noun)
            for before, other in phrases(tree, noun, "nmod"):
                if inner and before[0] == noun + 1 and not is_name(tree, noun, before):
                    yield (*front, *inner, *before), other


def copula(tree: Tree, noun: int) -> Iterator[Link]:
    """Paris [is] a city: the object is the predicate itself."""
    if tree.is_noun(noun) and tree.under(noun, "cop") and not tree.under(noun, "case"):
        yield (), noun


def copula_and_preposition(tree: Tree, noun: int) -> Iterator[Link]:
    """Paris [is the capital of] France; Iran [was at war with] Iraq."""
    if tree.is_noun(noun) and tree.under(noun, "cop"):
        inner = _short(tree, noun)
        for before, other in phrases(tree, noun, "nmod"):
            if inner and before[0] == noun + 1 and not is_name(tree, noun, before):
                yield (*markers(tree, noun), *(at for at in inner if at != noun), *before), other


def in_a_place(tree: Tree, noun: int) -> Iterator[Link]:
    """The museum [is in] Berlin; the cat [is on] the roof."""
    if tree.is_noun(noun) and tree.under(noun, "cop") and (before := markers(tree, noun)):
        yield before, noun


def _short(tree: Tree, noun: int) -> tuple[int, ...]:
    """A noun as part of a relation: with article and modifiers, no more than four words."""
    words = tuple(sorted([noun, *(at for part in tree.under(noun, *PARTS) for at in _all_under(tree, part))]))
    return words if len(words) <= 4 and words[-1] - words[0] == len(words) - 1 else ()


# ---- read off a noun -----------------------------------------------------------------------------------------------


def apposition(tree: Tree, noun: int) -> Iterator[Found]:
    """Paris, the capital of France: (Paris, is the capital of, France)."""
    for other in tree.under(noun, "appos") if asserted(tree, noun) else ():
        inner = _short(tree, other) if tree.is_noun(noun) and tree.is_noun(other) and other > noun else ()
        for before, thing in phrases(tree, other, "nmod"):
            if inner and tree.under(other, "det") and before[0] == other + 1 and not is_name(tree, other, before):
                be = ARE if tree.tokens[other].pos.endswith("NS") else IS
                yield argument(tree, noun), (be, *inner, *before), argument(tree, thing)


def object_relative(tree: Tree, noun: int) -> Iterator[Found]:
    """the drugs that doctors prescribe: (doctors, prescribe, the drugs)."""
    for verb in tree.under(noun, "acl:relcl"):
        gap = [at for at in tree.under(verb, "obj") if tree.shown(at) in ("that", "which", "whom", "who")]
        subjects = [at for at in tree.under(verb, "nsubj") if tree.is_noun(at) and at < verb]
        if not gap and (tree.under(verb, "obj", "obl", "ccomp", "xcomp", "iobj") or tree.under(verb, "aux:pass")):
            continue
        if tree.is_verb(verb) and (gap or not tree.under(verb, "advmod")) and asserted(tree, verb):
            for subject in subjects:
                yield argument(tree, subject), predicate(tree, verb), argument(tree, noun)


def existence(tree: Tree, noun: int) -> Iterator[Found]:
    """There are three hospitals in Leeds: (three hospitals, are in, Leeds)."""
    verb = tree.tokens[noun].head
    if tree.tokens[noun].dep != "nsubj" or not 0 <= verb < noun or not tree.under(verb, "expl"):
        return
    if tree.shown(verb) in ("is", "are", "was", "were", "be", "been", "'s") and asserted(tree, verb):
        for before, place in (*phrases(tree, noun, "nmod"), *phrases(tree, verb, "obl")):
            if place > noun and tree.shown(before[0]) != "of":
                for one in together(tree, noun):
                    yield argument(tree, one), (*predicate(tree, verb), *before), argument(tree, place)


SUBJECTS: tuple[Callable[[Tree, int], Iterator[Subject]], ...] = (
    own_subject,
    relative_subject,
    reduced_relative,
    shared_subject,
)
PREDICATES: tuple[Callable[[Tree, int], Iterator[Link]], ...] = (
    transitive,
    prepositional,
    phrase_with_of,
    object_and_preposition,
    made_to,
    infinitive,
    complement,
    copula,
    copula_and_preposition,
    in_a_place,
)
OTHERS: tuple[Callable[[Tree, int], Iterator[Found]], ...] = (apposition, object_relative, existence)
COPULAR = (copula, copula_and_preposition, in_a_place)


def extract(tree: Tree) -> list[Found]:
    """Every assertion of a tree, each once; what the sentence only mentions is left out."""
    results: dict[Found, None] = {}
    for at, one in enumerate(tree.tokens):
        if (one.pos in (*VERBS, "ADJ", "AUX") or tree.under(at, "cop")) and asserted(tree, at):
            _of_predicate(tree, at, results)
        if tree.is_noun(at):
            for rule in OTHERS:
                results.update((one, None) for one in rule(tree, at) if all(one) and not set(one[0]) & set(one[2]))
    return list(results)


def _of_predicate(tree: Tree, verb: int, results: dict[Found, None]) -> None:
    for who in SUBJECTS:
        for head, front in who(tree, verb):
            for rule in PREDICATES:
                # a copula's noun is in the relation only where it is no argument
                group = _copula_group(tree, verb, with_noun=rule is copula_and_preposition, copular=rule in COPULAR)
                for link, thing in rule(tree, verb):
                    relation = (*front, *sorted((*group, *link)))
                    for subject in together(tree, head):
                        for other in together(tree, thing) if rule is not copula else [thing]:
                            one = (argument(tree, subject), relation, argument(tree, other))
                            if all(one) and not set(one[0]) & set(one[2]):
                                results[one] = None


def _copula_group(tree: Tree, verb: int, *, with_noun: bool, copular: bool) -> tuple[int, ...]:
    group = predicate(tree, verb)
    return group if with_noun or not copular else tuple(at for at in group if at != verb)
