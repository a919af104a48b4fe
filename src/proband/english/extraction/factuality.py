"""What a sentence asserts, and what it only mentions: questions, conditions, reports, denials, what almost happened.

A clause is asserted unless a word on the path to the root prevents it. A plain negation (*not*, *never*) does not
remove a clause: it becomes part of the relation ("did not invade"). So do modal verbs ("may relieve"), except before
*have* for what did not happen ("would have won").

A complement clause is asserted only if its governor is factive: "showed that", "it is true that", but not "denied
that", "said that", "it is possible that". Only words of these lists are visible in a tree (trees.py).
"""

from __future__ import annotations

from proband.english.extraction.trees import QUANTITY, Tree
from proband.english.unreal import CONDITIONS, COULD_HAVE, DOUBTS, SAYING, VOUCHING

RELATIVE = ("that", "which", "who", "whom")
NOT = ("not", "n't", "never")
SCARCE = ("hardly", "barely", "scarcely")  # "hardly any of the doctors"
NO = ("no", "neither", "few", "little", "which", "what", "whatever", "whichever")
COMPLEMENTS = ("ccomp", "csubj", "csubj:pass", "csubj:outer")


def asserted(tree: Tree, at: int) -> bool:
    """Is the clause of a predicate, or the clause that a noun belongs to, asserted?"""
    seen: set[int] = set()
    while at >= 0 and at not in seen:
        seen.add(at)
        one = tree.tokens[at]
        if tree.is_noun(at) and unreal_noun(tree, at):
            return False
        if _open(tree, at) or _hypothetical(tree, at):
            return False
        if 0 <= one.head < len(tree.tokens) and not _carried(tree, at, one.head):
            return False
        at = one.head
    return True


def negated(tree: Tree, verb: int) -> bool:
    """Does a predicate have a plain negation, directly or at its copula?"""
    inside = (verb, *tree.under(verb, "cop", "aux"))
    return any(tree.shown(child) in NOT for at in inside for child in tree.under(at, "advmod", "neg"))


def unreal_noun(tree: Tree, noun: int) -> bool:
    """Is a noun denied, doubted, asked for or one of several? "no drug", "few drugs", "which drug", "cats or dogs"."""
    quantity = tree.tokens[noun].pos == QUANTITY
    articles = {tree.shown(at) for at in tree.under(noun, "det")}
    if quantity and tree.shown(noun) in ("none", *NO) and "a" not in articles:  # "none of the drugs"; but: a few of
        return True
    near = [tree.shown(at) for at in tree.under(noun, "det", "amod", "det:predet", "cc:preconj", "nummod")]
    if tree.tokens[noun].pos in ("NOUNS", "PROPNS"):  # "little boys", not "little water"
        near = [word for word in near if word != "little"]
    if any(word in NO for word in near) and not (articles & {"a", "the"} and "no" not in near):
        return True
    cop = tree.under(noun, "cop")
    doubts = SCARCE if quantity else DOUBTS  # "nearly half of them" are a quantity, "nearly Italy" is not Italy
    if not cop and any(tree.shown(at) in (*NOT, *doubts) for at in tree.under(noun, "advmod") if at < noun):
        return True
    if any(tree.shown(at) in NOT for part in tree.under(noun, "det", "amod") for at in tree.under(part, "advmod")):
        return True
    if any(tree.shown(at) == "rather" for at in tree.under(noun, "cc", "case")):  # "diplomacy rather than pressure"
        return True
    return _alternative(tree, noun)


def _alternative(tree: Tree, at: int) -> bool:
    """Is a word one of several joined by `or`? For negated verbs ("did not invade or conquer") both hold."""
    one = tree.tokens[at]
    first = one.head if one.dep == "conj" and one.head >= 0 else at
    joined = [mark for other in tree.under(first, "conj") for mark in tree.under(other, "cc")]
    return any(tree.shown(mark) in ("or", "nor") for mark in joined) and not negated(tree, first)


def _open(tree: Tree, at: int) -> bool:
    """Is the clause a question? It ends in a question mark, or an auxiliary precedes the subject."""
    if any(tree.shown(child) == "?" for child in tree.under(at, "punct")):
        return True
    subjects = tree.under(at, "nsubj", "nsubj:pass", "expl")
    early = tree.under(at, "aux", "aux:pass", "cop")
    return any(child < subject < at for child in early for subject in subjects)


def _hypothetical(tree: Tree, at: int) -> bool:
    """Is the clause unreal or conditional? "almost invaded", "would have won", "if it rains, the river floods it"."""
    adverbs = tree.under(at, "advmod", "cc", "cc:preconj", "neg")
    adverbs += [inner for child in adverbs for inner in tree.under(child, "advmod")]  # "no longer"
    if any(tree.shown(child) in (*DOUBTS, "neither", "nor") for child in adverbs):
        return True
    if not tree.is_noun(at) and _alternative(tree, at):
        return True
    auxiliaries = [tree.shown(child) for child in tree.under(at, "aux")]
    if any(word in COULD_HAVE for word in auxiliaries) and ("have" in auxiliaries or "'ve" in auxiliaries):
        return True
    if any(_attributed(tree, child) for child in tree.under(at, "obl", "nmod", "advmod", "advcl", "parataxis")):
        return True
    return _reported(tree, at) or any(_conditional(tree, child) for child in tree.under(at, "advcl", "advcl:relcl"))


def _attributed(tree: Tree, at: int) -> bool:
    """Is it a person's report, like "Smith said that"? "according to Smith", "in the view of Smith", "Smith says"."""
    if tree.shown(at) in ("opinion", "opinions", "view") and any(tree.shown(c) == "in" for c in tree.under(at, "case")):
        return True
    if tree.tokens[at].dep == "parataxis" and tree.shown(at) in SAYING:
        return True
    return any(tree.shown(one) == "according" for one in (at, *tree.under(at, "case", "mark", "advmod")))


def _reported(tree: Tree, at: int) -> bool:
    """Is a report inserted, as in "the drug, doctors believe, causes cancer"? Some parsers see a relative clause."""
    subjects = tree.under(at, "nsubj", "nsubj:pass")
    clauses = [clause for subject in subjects for clause in tree.under(subject, "acl:relcl")]
    return any(
        tree.shown(clause) in SAYING
        and tree.under(clause, "punct")
        and not any(tree.shown(one) in RELATIVE for one in tree.children[clause])
        for clause in clauses
    )


def _conditional(tree: Tree, clause: int) -> bool:
    marks = [one for mark in tree.under(clause, "mark", "advmod") for one in (mark, *tree.under(mark, "fixed"))]
    return any(tree.shown(mark) in CONDITIONS for mark in marks) or _open(tree, clause)


def _carried(tree: Tree, at: int, head: int) -> bool:
    """Is a clause asserted whenever the clause that contains it is?"""
    label = tree.tokens[at].dep
    content = label.startswith("acl") and any(tree.shown(mark) == "that" for mark in tree.under(at, "mark"))
    if label in COMPLEMENTS or content:  # "the claim that", which some parsers treat as a relative clause
        return tree.shown(head) in VOUCHING and not negated(tree, head) and not _conditional(tree, at)
    if label.startswith("advcl"):
        return not _conditional(tree, at)
    return True
