"""What a sentence asserts, and what it only mentions: questions, conditions, reports, denials, what almost happened.

A clause is asserted if nothing on its way to the root says otherwise. A plain negation (*not*, *never*) does not
remove a clause: it stays in the relation and marks it ("did not invade"). So do modal verbs ("may relieve"), but for
those before *have* that speak of what did not happen ("would have won").

A complement clause is asserted only where its governor vouches for it: "showed that", "it is true that", but not
"denied that", "said that", "it is possible that". Words of these lists are visible in a tree (trees.py), no others.
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
    """Whether the clause of a predicate, or the clause that a noun belongs to, is asserted."""
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
    """Whether a predicate has a plain negation, also where the copula governs it."""
    inside = (verb, *tree.under(verb, "cop", "aux"))
    return any(tree.shown(child) in NOT for at in inside for child in tree.under(at, "advmod", "neg"))


def unreal_noun(tree: Tree, noun: int) -> bool:
    """no drug, neither country, few drugs (but: a few), not Italy (but Germany), which country; "Italy or Germany"."""
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
    doubts = (
        (*NOT, *SCARCE) if quantity else (*NOT, *DOUBTS)
    )  # "nearly half of them" are a quantity, "nearly Italy" is not Italy
    if not cop and any(tree.shown(at) in doubts for at in tree.under(noun, "advmod") if at < noun):
        return True
    if any(tree.shown(at) in NOT for part in tree.under(noun, "det", "amod") for at in tree.under(part, "advmod")):
        return True
    if any(tree.shown(at) == "rather" for at in tree.under(noun, "cc", "case")):  # "diplomacy rather than pressure"
        return True
    return _alternative(tree, noun)


def _alternative(tree: Tree, at: int) -> bool:
    """Whether a word is one of several joined by `or`; of negated verbs ("did not invade or conquer") both hold."""
    one = tree.tokens[at]
    first = one.head if one.dep == "conj" and one.head >= 0 else at
    joined = [mark for other in tree.under(first, "conj") for mark in tree.under(other, "cc")]
    return any(tree.shown(mark) in ("or", "nor") for mark in joined) and not negated(tree, first)


def _open(tree: Tree, at: int) -> bool:
    """A question: it ends in a question mark, or an auxiliary precedes the subject."""
    if any(tree.shown(child) == "?" for child in tree.under(at, "punct")):
        return True
    subjects = tree.under(at, "nsubj", "nsubj:pass", "expl")
    early = tree.under(at, "aux", "aux:pass", "cop")
    return any(child < subject < at for child in early for subject in subjects)


def _hypothetical(tree: Tree, at: int) -> bool:
    """hardly relieves, almost invaded, would have won; with a condition: "if it rains, the river floods the town"."""
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
    """according to Smith, in the opinion of Smith, Smith says: a report of a person's, as "Smith said that" is."""
    if tree.shown(at) in ("opinion", "opinions", "view") and any(tree.shown(c) == "in" for c in tree.under(at, "case")):
        return True
    if tree.tokens[at].dep == "parataxis" and tree.shown(at) in SAYING:
        return True
    return any(tree.shown(one) == "according" for one in (at, *tree.under(at, "case", "mark", "advmod")))


def _reported(tree: Tree, at: int) -> bool:
    """The drug, doctors believe, causes cancer: which a parser may take for a relative clause."""
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
    """Whether a clause that is part of another is asserted with it."""
    label = tree.tokens[at].dep
    content = label.startswith("acl") and any(tree.shown(mark) == "that" for mark in tree.under(at, "mark"))
    if label in COMPLEMENTS or content:  # "the claim that", which some parsers take for a relative clause
        return tree.shown(head) in VOUCHING and not negated(tree, head) and not _conditional(tree, at)
    if label.startswith("advcl"):
        return not _conditional(tree, at)
    return True
