"""The syntactic rules, one function each: from a tree to (subject, relation, object), as positions of words.

SUBJECTS find the subject of a predicate, PREDICATES its object, and OTHERS extract an assertion from a noun. Each
rule's docstring has an example, with the assertion in brackets. Positions IS to WERE are words that the sentence leaves
out: "chocolate made from cocoa" gives (chocolate, is made from, cocoa).

The paper's supplement with its rules is not released; these rules are our own.
"""

from __future__ import annotations

from collections.abc import Iterator

from proband.english.extraction.factuality import NOT, asserted, negated, unreal_noun
from proband.english.extraction.phrases import (
    argument,
    is_group,
    is_name,
    light,
    markers,
    phrases,
    predicate,
    short_phrase,
    timed,
    together,
)
from proband.english.extraction.trees import FINITE, VERBS, Tree
from proband.english.extraction.word_lists import (
    CALLING,
    COMPASS,
    DANGLING,
    ELECTING,
    FORMER,
    OFFICES,
    PASSING,
    PERSUADING,
    RELATING,
    TIMES,
    TOPICS,
    UNIVERSAL,
)

IS, ARE, WAS, WERE = -1, -2, -3, -4
AssertionSpans = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # positions of subject, relation and object
Link = tuple[tuple[int, ...], int]  # words of the relation after the predicate, head of the object
PLACES = ("from", "to", "into", "in", "at", "on", "near", "outside", "inside", "under", "behind")
WITHIN = ("in", "near", "outside", "inside", "under", "behind", "above", "below", "beyond")
Subject = tuple[int, tuple[int, ...]]  # head of the subject, words that must be put before the predicate


# ---- the subject of a predicate ------------------------------------------------------------------------------------


def own_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """[Aspirin] relieves pain. Not: "for Rome to invade Gaul", "with most people living in villages"."""
    if tree.tokens[verb].pos == "VERBN" and tree.tokens[verb].head >= 0 and not tree.under(verb, "aux", "aux:pass"):
        return
    subjects = tree.under(verb, "nsubj", "nsubj:pass")
    if len(subjects) == 1 and tree.is_noun(subjects[0]) and subjects[0] < verb:  # two subjects are a parsing error
        yield subjects[0], ()


def relative_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """the [drug] that relieves pain."""
    one = tree.tokens[verb]
    if one.dep == "acl:relcl" and one.head >= 0 and tree.is_noun(one.head):
        for subject in tree.under(verb, "nsubj", "nsubj:pass"):
            if tree.shown(subject) in ("that", "which", "who") and one.head < subject < verb:
                if tree.shown(subject) == "who" and _of_a_place(tree, one.head):
                    continue  # "families from the villages who need a doctor": the villages are unlikely
                yield one.head, ()


def _of_a_place(tree: Tree, noun: int) -> bool:
    one, cases = tree.tokens[noun], [tree.shown(at) for at in markers(tree, noun)]
    many = one.pos == "NOUNS" and one.head >= 0 and tree.tokens[one.head].pos == "NOUNS"
    return one.dep == "nmod" and many and any(word in PLACES for word in cases)


def reduced_relative(tree: Tree, verb: int) -> Iterator[Subject]:
    """[chocolate] made from cocoa: (chocolate, is made from, cocoa); *was* for statements in the past."""
    one = tree.tokens[verb]
    if one.dep == "acl" and tree.is_verb(verb) and 0 <= one.head < verb and tree.is_noun(one.head):
        if tree.under(verb, "nsubj", "nsubj:pass", "aux", "mark", "cop"):
            return
        noun = one.head
        if tree.is_noun(verb - 1) and not _within(tree, verb - 1, noun):
            noun = verb - 1  # "the team lost a radio, and a ship chartered by a bank": the ship, whatever the parse
        elif tree.tokens[verb - 1].dep == "nmod" and not is_group(tree, noun):
            return  # "the wife of the general killed in Syria" is ambiguous
        yield noun, (_be(tree, noun, past=_past(tree, verb)),)


def fronted_participle(tree: Tree, verb: int) -> Iterator[Subject]:
    """Born in Tartu, the [botanist] studied mosses: (the botanist, was born in, Tartu)."""
    one = tree.tokens[verb]
    if one.dep not in ("advcl", "acl") or one.pos != "VERBN" or tree.shown(verb) in DANGLING:
        return
    subjects = tree.under(one.head, "nsubj", "nsubj:pass") if one.head > verb else []
    own = tree.under(verb, "nsubj", "nsubj:pass", "aux", "mark", "cop", "obj", "xcomp", "advmod", "conj")
    if own or not tree.under(verb, "obl") or len(subjects) != 1 or not verb < subjects[0] < one.head:
        return
    noun = subjects[0]
    first = min((noun, *tree.under(noun, "det", "amod", "compound", "nmod:poss", "nummod")))
    if tree.is_noun(noun) and tree.tokens[first - 1].pos == "PUNCT":
        yield noun, (_be(tree, noun, past=_past(tree, verb)),)


def _be(tree: Tree, noun: int, *, past: bool) -> int:
    many = tree.tokens[noun].pos.endswith("NS")
    return (WERE if many else WAS) if past else ARE if many else IS


def _within(tree: Tree, at: int, above: int) -> bool:
    """Is a word inside the phrase of another?"""
    seen: set[int] = set()
    while at >= 0 and at != above and at not in seen:
        seen.add(at)
        at = tree.tokens[at].head
    return at == above


def _past(tree: Tree, verb: int) -> bool:
    """Is a participle without an auxiliary in the past? It has a day or a year, or its sentence is in the past."""
    if any(timed(tree, noun) for noun in tree.under(verb, "obl", "obl:tmod", "obl:unmarked")):
        return True
    at = tree.tokens[verb].head
    while at >= 0:
        early = [tree.shown(aux) for aux in tree.under(at, "aux", "aux:pass", "cop")]
        if early:
            return any(word in ("was", "were", "had", "did") for word in early)
        if tree.tokens[at].pos in FINITE:
            return tree.tokens[at].pos == "VERBD"
        at = tree.tokens[at].head
    return False


def shared_subject(tree: Tree, verb: int) -> Iterator[Subject]:
    """[Rome] invaded Gaul and conquered Egypt: (Rome, conquered, Egypt). An infinitive or participle shares auxiliaries
    too: "Gaul was invaded and conquered by Rome" gives (Gaul, was conquered by, Rome)."""
    one = tree.tokens[verb]
    if one.dep != "conj" or not 0 <= one.head < verb or tree.under(verb, "nsubj", "nsubj:pass"):
        return
    between = range(one.head + 1, verb)
    if any(tree.tokens[at].dep.startswith("nsubj") and tree.tokens[at].head not in between for at in between):
        return  # a subject between them belongs to the second, whatever the parse
    own = [tree.shown(at) for at in tree.under(verb, "aux", "aux:pass", "cop")]
    alone = any(word not in ("be", "been", "being") for word in own) or (one.pos in FINITE and not own)
    if not (tree.is_verb(verb) or tree.under(verb, "cop")) or (not alone and tree.under(one.head, "cop")):
        return
    front = () if alone else tuple(at for at in predicate(tree, one.head) if at < one.head)
    for head, before in (
        found for rule in (own_subject, relative_subject, reduced_relative) for found in rule(tree, one.head)
    ):
        yield head, (*before, *front)


# ---- the object of a predicate -------------------------------------------------------------------------------------


def transitive(tree: Tree, verb: int) -> Iterator[Link]:
    """Aspirin [relieves] pain; Curie [was awarded] the prize; Plato [told] Dion that he would come; the queen
    [persuaded] the duke to resign; the nurse [gave the patient] a glass of water."""
    if tree.under(verb, "cop") or kept_from_doing(tree, verb) or _without(tree, verb):
        return
    if doers(tree, verb) and tree.shown(verb) not in PERSUADING:
        return
    if _office_and_holder(tree, verb):
        return
    if (beside := complemented(tree, verb)) is not None:
        things = [] if tree.shown(verb) in CALLING else [beside]
    else:
        things = tree.under(verb, "obj") or tree.under(verb, "iobj")
    to = [at for at in tree.under(verb, "iobj") if at > verb and at not in things and tree.is_noun(at)]
    receiver = short_phrase(tree, to[0]) if to else ()
    for thing in things:
        if thing > verb and not tree.under(thing, "case"):
            yield receiver, thing
            if beside is not None and tree.shown(verb) in ELECTING:
                yield from _office(tree, verb, beside)


def _office(tree: Tree, verb: int, person: int) -> Iterator[Link]:
    """The delegates [elected Smith] president of the club."""
    for office in tree.under(verb, "obj", "xcomp"):
        if office > person and tree.is_noun(office) and not tree.under(office, "case", "cop", "mark"):
            yield argument(tree, person), office


def _office_and_holder(tree: Tree, verb: int) -> bool:
    """Is the number of people ambiguous? "elected the general president" may name one person or two."""
    things = tree.under(verb, "obj", "xcomp") if tree.shown(verb) in ELECTING else []
    if len(things) != 1 or tree.shown(things[0]) not in OFFICES:
        return False
    one = things[0]
    other = tree.under(one, "compound") or [at for at in tree.under(one, "amod") if tree.shown(at) in OFFICES]
    return bool(other) and any(tree.shown(at) == "the" for at in tree.under(one, "det"))


def said_to_be(tree: Tree, verb: int) -> Iterator[Link]:
    """The law [made the island] a reserve; the jury [found the captain guilty of] theft."""
    thing = complemented(tree, verb) if tree.shown(verb) in CALLING else None
    inner = short_phrase(tree, thing) if thing is not None and tree.is_noun(thing) else ()
    for what in tree.under(verb, "obj", "xcomp") if inner else ():
        first = min((what, *tree.under(what, "det", "amod", "compound", "nummod", "advmod")))
        if first != inner[-1] + 1 or tree.under(what, "case", "cop", "mark", "aux"):
            continue
        if tree.is_noun(what):
            yield inner, what
        elif tree.tokens[what].pos == "ADJ" and first == what:
            for before, noun in phrases(tree, what, "obl", "nmod"):
                if before[0] == what + 1:
                    yield (*inner, what, *before), noun


def complemented(tree: Tree, verb: int) -> int | None:
    """elected [Smith] president, called [the play] a failure: the object that has a second noun or an adjective as its
    complement; a parser may take both for objects."""
    if tree.shown(verb) not in ELECTING | CALLING:
        return None
    clauses = [at for at in tree.under(verb, "ccomp") if not tree.under(at, "nsubj", "nsubj:pass", "mark")]
    after = sorted(at for at in (*tree.under(verb, "obj", "iobj", "xcomp"), *clauses) if at > verb)
    nouns = [at for at in after if tree.is_noun(at) or tree.tokens[at].pos in ("ADJ", "PRON")]
    return nouns[0] if len(nouns) > 1 else None


def kept_from_doing(tree: Tree, verb: int) -> list[int]:
    """The verbs of "prevented the virus from [entering] cells": the entering is prevented, not the virus."""
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


def doers(tree: Tree, verb: int) -> list[int]:
    """The verbs of "requires drivers to [wear] belts", "made the boy [apologise]"."""
    things = tree.under(verb, "obj") or tree.under(verb, "iobj")
    clauses = tree.under(verb, "xcomp") if len(things) == 1 and things[0] > verb else []
    return [at for at in clauses if tree.is_verb(at) and at > things[0]]


def _without(tree: Tree, verb: int) -> bool:
    """Is there a phrase with "without"? In "left the village without water" nobody left the village."""
    cases = [case for noun in tree.under(verb, "obl", "nmod") for case in tree.under(noun, "case")]
    return tree.shown(verb) in CALLING and any(tree.shown(case) == "without" for case in cases)


def made_to(tree: Tree, verb: int) -> Iterator[Link]:
    """The law [requires drivers to wear] belts; the vaccine [prevented the virus from entering] cells: the verb applies
    to the action, not to the drivers."""
    things = tree.under(verb, "obj") or tree.under(verb, "iobj")
    if len(things) != 1 or things[0] < verb:
        return
    whole = is_group(tree, things[0])  # "forced thousands of farmers to"
    inner = (argument if whole else short_phrase)(tree, things[0]) if tree.is_noun(things[0]) else ()
    for second in dict.fromkeys((*doers(tree, verb), *kept_from_doing(tree, verb))):
        front = (*tree.under(second, "mark", "case"), *predicate(tree, second))
        for rule in (transitive, prepositional):
            for link, noun in rule(tree, second) if inner else ():
                yield tuple(sorted({*inner, *front, *link})), noun


def prepositional(tree: Tree, verb: int) -> Iterator[Link]:
    """The Nile [flows through] Egypt; chocolate [is made from] cocoa; aspirin [is good for] headaches; Kenya [lies
    south of] Ethiopia."""
    if not tree.under(verb, "obj", "iobj") and not tree.is_noun(verb) and complemented(tree, verb) is None:
        if verb + 1 in tree.under(verb, "advmod") and tree.shown(verb + 1) in COMPASS:
            yield from (((verb + 1, *of), noun) for of, noun in phrases(tree, verb + 1, "obl", "nmod"))
        # a time is an object only if there is no other: "fell by a third in May"
        seen = bool(tree.under(verb, "xcomp", "ccomp"))
        former = None
        for before, noun in phrases(tree, verb, "obl", "nmod"):
            if not (seen and timed(tree, noun)) and not _place_in_a_place(tree, former, before):
                yield before, noun
            seen, former = True, (before, noun)


def _place_in_a_place(tree: Tree, former: Link | None, before: tuple[int, ...]) -> bool:
    """Does the second place locate the first? In "came from mines [in] Silesia" the mines are in Silesia."""
    if former is None or tree.shown(before[-1]) not in WITHIN or tree.shown(former[0][-1]) not in PLACES:
        return False
    return not timed(tree, former[1]) and before[0] == max((former[1], *argument(tree, former[1]))) + 1


def object_and_preposition(tree: Tree, verb: int) -> Iterator[Link]:
    """Canada [took action against] China; "lions [have a taste for] meat" with a phrase that belongs to the object."""
    for thing in tree.under(verb, "obj") if complemented(tree, verb) is None and not tree.under(verb, "iobj") else ():
        whole = is_group(tree, thing) or any(at == thing + 1 for at in tree.under(thing, "appos"))  # "the river Elbe"
        inner = (argument if whole else short_phrase)(tree, thing) if tree.is_noun(thing) and thing > verb else ()
        if inner and not tree.under(thing, "case", "conj"):
            own = tree.shown(verb) in ("has", "have", "had") and tree.under(thing, "nmod:poss")  # "has its seat in"
            inside = phrases(tree, thing, "nmod") if light(tree, thing) or own else ()
            end, former = inner[-1], None
            full = argument(tree, thing) if tree.shown(thing) not in RELATING else ()
            for before, noun in (*phrases(tree, verb, "obl"), *inside):
                if full and before[0] == full[-1] + 1 > end + 1 and former is None:  # "took samples of snow from"
                    inner, end = full, full[-1]
                if before[0] == end + 1 and not is_name(tree, thing, before):
                    if not timed(tree, noun) and not _place_in_a_place(tree, former, before):
                        yield (*inner, *before), noun
                    former = before, noun
                    if tree.tokens[noun].head == verb:  # "sold the islands to the United States for 25 million dollars"
                        end = max((*argument(tree, noun), noun))


def infinitive(tree: Tree, verb: int) -> Iterator[Link]:
    """Garlic [helps to prevent] colds; Rome [tried to take control of] Gaul; aspirin [is used to reduce] fever."""
    if tree.under(verb, "obj", "iobj"):
        return
    purpose = [
        at for at in tree.under(verb, "advcl") if verb + 1 in tree.under(at, "mark") and tree.shown(verb + 1) == "to"
    ]
    passive = [  # "was prevented from entering"
        at
        for at in tree.under(verb, "advcl", "xcomp")
        if verb + 1 in tree.under(at, "mark", "case") and tree.shown(verb + 1) == "from"
    ]
    for second in dict.fromkeys((*tree.under(verb, "xcomp"), *purpose, *passive)):
        if tree.is_verb(second) and second > verb and not tree.under(second, "nsubj"):
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
            inner = short_phrase(tree, noun)
            links = [link for link in phrases(tree, noun, "nmod") if inner and link[0][0] == noun + 1]
            links = [link for link in links if not is_name(tree, noun, link[0])]
            if not any(tree.shown(before[-1]) == "of" for before, _ in links):
                yield front, noun
            for before, other in links:
                yield (*front, *inner, *before), other


def copula(tree: Tree, noun: int) -> Iterator[Link]:
    """Paris [is] a city: the object is the predicate itself."""
    whole = any(tree.shown(link[-1]) == "of" for link, _ in copula_and_preposition(tree, noun))  # "is the capital of"
    if tree.is_noun(noun) and tree.under(noun, "cop") and not tree.under(noun, "case") and not whole:
        yield (), noun


def copula_and_preposition(tree: Tree, noun: int) -> Iterator[Link]:
    """Paris [is the capital of] France; Iran [was at war with] Iraq."""
    if tree.is_noun(noun) and tree.under(noun, "cop"):
        inner = short_phrase(tree, noun)
        for before, other in phrases(tree, noun, "nmod"):
            if inner and before[0] == noun + 1 and not is_name(tree, noun, before):
                yield (*markers(tree, noun), *(at for at in inner if at != noun), *before), other


def in_a_place(tree: Tree, noun: int) -> Iterator[Link]:
    """The museum [is in] Berlin; the cat [is on] the roof."""
    if tree.is_noun(noun) and tree.under(noun, "cop") and (before := markers(tree, noun)):
        yield before, noun


# ---- assertions from a noun ----------------------------------------------------------------------------------------


def apposition(tree: Tree, noun: int) -> Iterator[AssertionSpans]:
    """Paris, the capital of France: (Paris, is the capital of, France); Bell, an inventor: (Bell, is, an inventor)."""
    for other in tree.under(noun, "appos") if asserted(tree, noun) else ():
        named = _called(tree, noun, other)
        if not (tree.is_noun(other) and other > noun and (named or tree.under(other, "det", "nmod:poss"))):
            continue
        if tree.tokens[noun].dep == "obl" and tree.tokens[noun].pos == "NOUN" and argument(tree, noun) == (noun,):
            continue  # "travel by bus, a journey of two hours"
        if unreal_noun(tree, other):  # "Sydney, not the capital"
            continue
        if any(noun < at < other and tree.shown(at - 1) != "of" for at in tree.under(noun, "nmod")):
            continue  # "the museum in the castle, a former prison"
        if not all(_within(tree, at, noun) for at in range(noun + 1, other) if tree.tokens[at].pos != "PUNCT"):
            continue  # "released water at night, a habit that kills fish"
        former = any(tree.shown(at) in FORMER for at in tree.under(other, "advmod", "mark"))
        one, many = (WAS, WERE) if former else (IS, ARE)
        be, inner = many if tree.tokens[other].pos.endswith("NS") else one, short_phrase(tree, other)
        links = [link for link in phrases(tree, other, "nmod") if link[0][0] == other + 1]
        parts = [link for link in links if inner and not is_name(tree, other, link[0])]
        for before, thing in parts:
            yield argument(tree, noun), (be, *inner, *before), argument(tree, thing)
        # "the owner of the tanker, a Greek" is ambiguous; "Henry the Navigator"
        whole = any(tree.shown(before[-1]) == "of" for before, _ in parts)
        if not whole and tree.under(other, "punct") and tree.tokens[noun].dep != "nmod":
            yield argument(tree, noun), (be,), argument(tree, other)


def _called(tree: Tree, noun: int, name: int) -> bool:
    """Is the name an apposition between two commas? "the firm's founder, Lena Ortiz, owns" is about one person."""
    if tree.tokens[noun].pos != "NOUN" or tree.tokens[name].pos != "PROPN" or tree.under(noun, "conj"):
        return False
    definite = tree.under(noun, "nmod:poss") or any(tree.shown(at) == "the" for at in tree.under(noun, "det"))
    words = argument(tree, name)
    if not definite or not words or words[-1] + 1 >= len(tree.tokens) or tree.under(name, "conj", "appos", "nmod"):
        return False
    return tree.tokens[words[0] - 1].pos == tree.tokens[words[-1] + 1].pos == "PUNCT"


def object_relative(tree: Tree, noun: int) -> Iterator[AssertionSpans]:
    """the drugs that doctors prescribe: (doctors, prescribe, the drugs)."""
    for verb in tree.under(noun, "acl:relcl"):
        gap = [at for at in tree.under(verb, "obj") if tree.shown(at) in ("that", "which", "whom", "who")]
        subjects = [at for at in tree.under(verb, "nsubj") if tree.is_noun(at) and at < verb]
        if not gap and (tree.under(verb, "obj", "obl", "ccomp", "xcomp", "iobj") or tree.under(verb, "aux:pass")):
            continue
        if tree.is_verb(verb) and (gap or not tree.under(verb, "advmod")) and asserted(tree, verb):
            for subject in subjects:
                yield argument(tree, subject), predicate(tree, verb), argument(tree, noun)


def existence(tree: Tree, noun: int) -> Iterator[AssertionSpans]:
    """There are three hospitals in Leeds: (three hospitals, are in, Leeds)."""
    verb = tree.tokens[noun].head
    if tree.tokens[noun].dep != "nsubj" or not 0 <= verb < noun or not tree.under(verb, "expl"):
        return
    if tree.shown(verb) in ("is", "are", "was", "were", "be", "been", "'s") and asserted(tree, verb):
        for before, place in (*phrases(tree, noun, "nmod"), *phrases(tree, verb, "obl")):
            topic = tree.shown(noun) in TOPICS and tree.shown(before[0]) == "on"
            if place > noun and tree.shown(before[0]) not in ("of", "for", "to", "about", "against") and not topic:
                for one in together(tree, noun):
                    yield argument(tree, one), (*predicate(tree, verb), *before), argument(tree, place)


def said_of_some(tree: Tree, noun: int, verb: int) -> bool:
    """Does a statement hold only for some? "patients who take aspirin should not drink alcohol", "every child that was
    born here". What happened to some did happen: "workers who lost their jobs marched"."""
    clauses = [at for at in tree.under(noun, "acl", "acl:relcl") if not tree.under(at, "punct")]
    near = [tree.shown(at) for at in tree.under(noun, "det", "det:predet", "amod")]
    duty = negated(tree, verb) or any(tree.shown(at) in ("should", "must") for at in tree.under(verb, "aux"))
    bare = not near and not tree.under(noun, "nmod:poss", "nummod") and tree.tokens[noun].pos == "NOUNS"
    early = [tree.shown(at) for at in tree.under(verb, "aux", "aux:pass", "cop")]
    general = tree.tokens[verb].pos != "VERBD" and not any(word in ("was", "were", "had", "did") for word in early)
    general = general and any(tree.tokens[at].dep == "acl:relcl" for at in clauses)
    rule = bare and (duty or general) and verb not in clauses
    return bool(clauses) and (rule or any(word in UNIVERSAL for word in near))


SUBJECTS = (own_subject, relative_subject, reduced_relative, fronted_participle, shared_subject)
VERBAL = (transitive, prepositional, object_and_preposition, said_to_be, made_to, infinitive, complement)
COPULAR = (copula, copula_and_preposition, in_a_place)
PREDICATES = (*VERBAL, *COPULAR)
OTHERS = (apposition, object_relative, existence)


def extract(tree: Tree) -> list[AssertionSpans]:
    """Every assertion of a tree, each once; what is only mentioned is left out."""
    results: dict[AssertionSpans, None] = {}
    for at, one in enumerate(tree.tokens):
        if (one.pos in (*VERBS, "ADJ", "AUX") or tree.under(at, "cop")) and asserted(tree, at):
            _of_predicate(tree, at, results)
        if tree.is_noun(at):
            for rule in OTHERS:
                results.update((one, None) for one in rule(tree, at) if all(one) and not set(one[0]) & set(one[2]))
    return [one for one in results if not _denies(tree, one) or _whole(tree, one)]


def _denies(tree: Tree, one: AssertionSpans) -> bool:
    return any(at >= 0 and tree.shown(at) in NOT for at in one[1])


def _whole(tree: Tree, one: AssertionSpans) -> bool:
    """Does a negated assertion contain all that its sentence denies? "did not invade Kenya in 1935" is not "never
    did"."""
    inside = {at for part in one for at in part if at >= 0}
    heads = [
        at
        for at in inside
        if (at in one[1] and (tree.is_verb(at) or tree.tokens[at].pos == "ADJ")) or tree.under(at, "cop")
    ]
    if any(tree.tokens[at].dep == "acl:relcl" and tree.tokens[at].head not in inside for at in heads):
        return False  # "the drugs that doctors did not prescribe in 1998": they prescribed others
    if any(not tree.under(clause, "punct") for at in one[2] for clause in tree.under(at, "acl", "acl:relcl")):
        return False  # "does not heal wounds that are infected": it heals others
    return all(each in inside for head in heads for each in tree.children[head] if _narrows(tree, head, each))


def _narrows(tree: Tree, head: int, at: int) -> bool:
    """Does this word narrow a negation? in 1935, yesterday, to please her father, fully."""
    label, word = tree.tokens[at].dep, tree.shown(at)
    if label.startswith("advcl"):
        return not tree.under(at, "punct")
    if label == "advmod":
        return word not in (*NOT, *PASSING) and (at > head - 2 or word in TIMES | FORMER)
    return label.startswith("obl") or label in ("xcomp", "ccomp") or (label == "nmod" and bool(tree.under(head, "cop")))


def _of_predicate(tree: Tree, verb: int, results: dict[AssertionSpans, None]) -> None:
    for who in SUBJECTS:
        for head, front in who(tree, verb):
            for rule in PREDICATES:
                # a copula's noun is part of the relation unless it is an argument
                group = _copula_group(tree, verb, with_noun=rule is copula_and_preposition, copular=rule in COPULAR)
                for link, thing in rule(tree, verb):
                    relation = (*front, *sorted((*group, *link)))
                    for subject in together(tree, head):
                        if said_of_some(tree, subject, verb):
                            continue
                        for other in together(tree, thing) if rule is not copula else [thing]:
                            one = (
                                argument(tree, subject, restricted=True),
                                relation,
                                argument(tree, other, restricted=negated(tree, verb)),
                            )
                            if all(one) and not set(one[0]) & set(one[2]):
                                results[one] = None


def _copula_group(tree: Tree, verb: int, *, with_noun: bool, copular: bool) -> tuple[int, ...]:
    group = predicate(tree, verb)
    return group if with_noun or not copular else tuple(at for at in group if at != verb)
