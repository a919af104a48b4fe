"""The 22 relations and the world they are defined in (docs/kinship.md tells it at length).

A family is a set of people, each male or female, with partial functions father and mother and a symmetric partial
function spouse, such that

1. a father is male, a mother is female, spouses are of different genders;
2. a father and a mother of one person are married to each other; nobody has only one of them unmarried to the other:
   if both are known they are spouses, and the spouse of a known parent is the other parent;
3. ancestry has no cycle;
4. spouses are of different families: they have no common ancestor and neither is an ancestor of the other;
5. different names are different people.

With p(x) the parents of x, s(x) the spouse and b(x) the siblings (others with the same parents):

    parent p    child p^-1    sibling b    spouse s    grandparent p p    grandchild its inverse
    pibling (uncle, aunt) p b, by blood    nibling (nephew, niece) b p^-1, its inverse
    parent-in-law s p    child-in-law p^-1 s, its inverse    sibling-in-law s b or b s, its own inverse

Each definition is existential, so leaving people out of a family never makes a relation true. In a family at most
one of the eleven holds between two people (rule 4 excludes the doubles).
An edge [i, relation, j] reads "person j is the relation of person i"; the word tells the gender of j.
"""

from __future__ import annotations

from typing import Final

MALE, FEMALE = "male", "female"

# neutral name -> (word for a man, word for a woman)
WORDS: Final = {
    "parent": ("father", "mother"),
    "child": ("son", "daughter"),
    "sibling": ("brother", "sister"),
    "spouse": ("husband", "wife"),
    "grandparent": ("grandfather", "grandmother"),
    "grandchild": ("grandson", "granddaughter"),
    "pibling": ("uncle", "aunt"),
    "nibling": ("nephew", "niece"),
    "parent-in-law": ("father-in-law", "mother-in-law"),
    "child-in-law": ("son-in-law", "daughter-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law"),
}
NEUTRALS: Final = tuple(WORDS)
RELATIONS: Final = tuple(word for pair in WORDS.values() for word in pair)
NEUTRAL: Final = {word: neutral for neutral, pair in WORDS.items() for word in pair}
GENDER: Final = {word: gender for pair in WORDS.values() for word, gender in zip(pair, (MALE, FEMALE), strict=True)}
INVERSE: Final = {
    "parent": "child",
    "child": "parent",
    "sibling": "sibling",
    "spouse": "spouse",
    "grandparent": "grandchild",
    "grandchild": "grandparent",
    "pibling": "nibling",
    "nibling": "pibling",
    "parent-in-law": "child-in-law",
    "child-in-law": "parent-in-law",
    "sibling-in-law": "sibling-in-law",
}


def word(neutral: str, gender: str) -> str:
    """
    >>> word("pibling", "female")
    'aunt'
    """
    return WORDS[neutral][gender == FEMALE]
