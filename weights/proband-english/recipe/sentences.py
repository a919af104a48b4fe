"""Plain sentences with their trees, from a lexicon: python sentences.py COUNT OUT.jsonl.gz [SEED].

The treebanks are web text and have few sentences such as "Rats carry diseases."; these have every tense, voice and number,
coordination, relative clauses, particles, prepositions, questions, conditions and reports. What the sentences say is
nonsense; the trees are those of Universal Dependencies as in EWT. Every verb and noun is of lexicon.toml.
"""

from __future__ import annotations

import gzip
import json
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

LEXICON = {name: words.split() for name, words in tomllib.loads((Path(__file__).with_name("lexicon.toml")).read_text()).items()}  # fmt: skip
PRESENT, PAST, PARTICIPLE = "VerbForm=Fin|Tense=Pres", "Tense=Past", "Tense=Past|VerbForm=Part"
FORMS = {"VB": "VerbForm=Inf", "VBG": "Tense=Pres|VerbForm=Part", "VBN": PARTICIPLE}
BE = {"VBZ": "is", "VBP": "are", "VBD": "was", "VB": "be", "VBG": "being", "VBN": "been"}
HAVE = {"VBZ": "has", "VBP": "have", "VBD": "had", "VB": "have", "VBG": "having", "VBN": "had"}
DO = {"VBZ": "does", "VBP": "do", "VBD": "did", "VB": "do"}
MODALS = ["can", "could", "may", "might", "must", "should", "will", "will", "will", "would"]
TENSES = ["present", "present", "present", "present", "past", "past", "past", "present+be", "past+be", "present+have", "past+have", "present+have+be", "will", "will", "modal", "modal+have", "modal+be", "do"]


@dataclass
class Node:
    form: str
    tag: str
    fine: str
    label: str
    left: list[Node] = field(default_factory=list)
    right: list[Node] = field(default_factory=list)
    glued: bool = False  # no space before it
    plural: bool = False


def rows(root: Node) -> dict[str, list[Any]]:
    """The sentence in order, with the position of each head (-1: the root)."""
    order: list[tuple[Node, Node | None]] = []

    def visit(node: Node, head: Node | None) -> None:
        for child in node.left:
            visit(child, node)
        order.append((node, head))
        for child in node.right:
            visit(child, node)

    visit(root, None)
    at = {id(node): number for number, (node, _) in enumerate(order)}
    words = [node.form for node, _ in order]
    words[0] = words[0][0].upper() + words[0][1:]
    return {
        "words": words,
        "spaces": [not after.glued for after, _ in order[1:]] + [True],
        "tags": [node.tag for node, _ in order],
        "fine": [node.fine for node, _ in order],
        "heads": [-1 if head is None else at[id(head)] for _, head in order],
        "labels": [node.label for node, _ in order],
    }


@cache
def inflected(lemma: str, fine: str) -> str:
    from lemminflect import getInflection

    return str((getInflection(lemma, fine) or (lemma,))[0])


def small(form: str, tag: str, fine: str, label: str, *, glued: bool = False) -> Node:
    return Node(form, tag, fine, label, glued=glued)


def case(form: str) -> Node:
    return small(form, "ADP", "IN", "case")


def comma() -> Node:
    return small(",", "PUNCT", ",", "punct", glued=True)


class Writer:
    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def word(self, name: str) -> str:
        return self.rng.choice(LEXICON[name])

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # ---- noun phrases ----------------------------------------------------------------------------------------------

    def noun(self, label: str, depth: int = 0) -> Node:
        kind = self.rng.random()
        if kind < 0.16:
            return self.person(label)
        if kind < 0.34:
            return Node(
                self.word("places" if self.chance(0.75) else "organisations"), "PROPN Number=Sing", "NNP", label
            )
        if kind < 0.48:
            node = Node(self.word("mass"), "NOUN Number=Sing", "NN", label)
            if self.chance(0.3):
                node.left.append(small(self.word("adjectives"), "ADJ", "JJ", "amod"))
            return node
        return self.common(label, depth)

    def person(self, label: str) -> Node:
        node = Node(self.word("given"), "PROPN Number=Sing", "NNP", label)
        if self.chance(0.4):
            node.right.append(small(self.word("family"), "PROPN Number=Sing", "NNP", "flat"))
        return node

    def common(self, label: str, depth: int = 0) -> Node:
        plural = self.chance(0.55)
        lemma, fine = self.word("nouns"), "NNS" if plural else "NN"
        node = Node(
            inflected(lemma, "NNS") if plural else lemma, self._number("NOUN", plural), fine, label, plural=plural
        )
        before = [self.determiner(plural)] if not plural or self.chance(0.35) else []
        if self.chance(0.28):
            before.append(small(self.word("adjectives"), "ADJ", "JJ", "amod"))
        if self.chance(0.14):
            before.append(small(self.word("nouns"), "NOUN Number=Sing", "NN", "compound"))
        if (
            before
            and before[0].form == "a"
            and (before[1].form if len(before) > 1 else node.form)[0].lower() in "aeiou"
        ):
            before[0].form = "an"
        node.left = before
        if depth < 1 and self.chance(0.12):
            node.right.append(self.phrase("of", "nmod", depth + 1))
        return node

    def determiner(self, plural: bool) -> Node:
        kind = self.rng.random()
        if kind < 0.5:
            return small("the", "DET", "DT", "det")
        if kind < 0.62:
            owner = self.person("nmod:poss") if self.chance(0.5) else Node(self.word("places"), "PROPN Number=Sing", "NNP", "nmod:poss")  # fmt: skip
            owner.right.append(small("'s", "PART", "POS", "case", glued=True))
            return owner
        if kind < 0.7:
            form, number = self.rng.choice([("his", "Sing"), ("her", "Sing"), ("its", "Sing"), ("our", "Plur"), ("their", "Plur")])  # fmt: skip
            return small(form, f"PRON Number={number}", "PRP$", "nmod:poss")
        if not plural:
            return small(self.rng.choice(["a", "a", "a", "this", "every"]), "DET", "DT", "det") if self.chance(0.9) else small("no", "DET", "DT", "det")  # fmt: skip
        form = self.rng.choice(["some", "two", "three", "ten", "many", "most", "all", "no"])
        if form in ("two", "three", "ten"):
            return small(form, "NUM", "CD", "nummod")
        return small(form, "ADJ", "JJ", "amod") if form == "many" else small(form, "ADJ" if form == "most" else "DET", "JJS" if form == "most" else "DT", "amod" if form == "most" else "det")  # fmt: skip

    def nouns(self, label: str) -> Node:
        """A noun phrase; now and then several joined, or one with a clause or an apposition."""
        node = self.noun(label)
        kind = self.rng.random()
        if kind < 0.16:
            self.join(node, [self.noun("conj") for _ in range(self.rng.choice([1, 1, 2, 2, 3]))])
        elif kind < 0.26:
            node.right.append(self.relative(node))
        elif kind < 0.31:
            node.right.append(self.reduced(node))
        elif kind < 0.34:
            other = self.common("appos", depth=1)
            other.left[:0] = [comma()]
            other.right += [self.phrase("of", "nmod", 1), comma()]
            node.right.append(other)
        return node

    def join(self, first: Node, others: list[Node]) -> None:
        """A, B and C."""
        last = others[-1]
        conjunction = small(self.rng.choice(["and", "and", "and", "and", "or"]), "CCONJ", "CC", "cc")
        last.left[:0] = [conjunction]
        for each in others[:-1]:
            each.left[:0] = [comma()]
        if len(others) > 1 and self.chance(0.4):
            last.left[:0] = [comma()]
        if len(others) == 1 and first.label.startswith("nsubj") and conjunction.form == "and" and self.chance(0.15):
            first.left[:0] = [small("both", "CCONJ", "CC", "cc:preconj")]
        first.right += others
        first.plural = True

    def phrase(self, preposition: str, label: str, depth: int = 0) -> Node:
        node = self.noun(label, depth)
        node.left[:0] = [case(preposition)]
        return node

    # ---- verbs -----------------------------------------------------------------------------------------------------

    @staticmethod
    def _number(pos: str, plural: bool) -> str:
        return f"{pos} Number={'Plur' if plural else 'Sing'}"

    def form(self, table: dict[str, str] | str, fine: str, plural: bool, pos: str, label: str) -> Node:
        """A form of an auxiliary (its table) or of a verb (its lemma)."""
        text = inflected(table, fine) if isinstance(table, str) else table[fine]
        if table is BE and fine == "VBD" and plural:
            text = "were"
        features = FORMS.get(fine) or f"Number={'Plur' if plural else 'Sing'}|Tense={'Past' if fine == 'VBD' else 'Pres'}|VerbForm=Fin"  # fmt: skip
        return Node(text, f"{pos} {features}", fine, label)

    def group(self, lemma: str, plural: bool, label: str, *, passive: bool = False, tense: str = "", negation: float = 0.1) -> Node:  # fmt: skip
        """The verb with its auxiliaries to its left, and a negation or an adverb."""
        tense = tense or self.rng.choice(TENSES)
        first, *rest = tense.split("+")
        finite = "VBD" if first == "past" or (first == "do" and self.chance(0.5)) else "VBP" if plural else "VBZ"
        negated = self.chance(negation)
        chain: list[Any] = [{"have": HAVE, "be": BE}[each] for each in rest]
        if first in ("will", "modal"):
            chain.insert(0, "MD")
        elif first == "do" or (negated and not rest and not passive and self.chance(0.7)):
            chain.insert(0, DO)
        if passive and chain[:1] != [DO]:
            chain.append("passive")
        elif passive:
            chain = ["passive"]
        auxiliaries: list[Node] = []
        fine = finite
        for each in chain:
            if each == "MD":
                modal = "will" if first == "will" else self.rng.choice(MODALS)
                auxiliaries.append(small(modal, "AUX VerbForm=Fin", "MD", "aux"))
                fine = "VB"
            else:
                table = BE if each == "passive" else each
                auxiliaries.append(self.form(table, fine, plural, "AUX", "aux:pass" if each == "passive" else "aux"))
                fine = "VB" if each is DO else "VBN" if each in (HAVE, "passive") else "VBG"
        verb = self.form(lemma, fine, plural, "VERB", label)
        verb.left = auxiliaries
        if negated and auxiliaries:
            self._negate(auxiliaries)
        elif self.chance(0.12):
            name = "negative_adverbs" if self.chance(0.3) else "adverbs"
            verb.left.insert(1 if auxiliaries else 0, small(self.word(name), "ADV", "RB", "advmod"))
        return verb

    def _negate(self, auxiliaries: list[Node]) -> None:
        first = auxiliaries[0]
        if first.form not in ("may", "might", "will", "can") and self.chance(0.35):
            auxiliaries.insert(1, small("n't", "PART", "RB", "advmod", glued=True))
        elif first.form in ("will", "can") and self.chance(0.4):
            first.form = {"will": "wo", "can": "ca"}[first.form]
            auxiliaries.insert(1, small("n't", "PART", "RB", "advmod", glued=True))
        else:
            auxiliaries.insert(1, small("not", "PART", "RB", "advmod"))

    # ---- what a verb governs ---------------------------------------------------------------------------------------

    def predicate(self, plural: bool, label: str, *, simple: bool = False, tense: str = "", negation: float = 0.1) -> Node:  # fmt: skip
        kind = self.rng.random()
        things = self.noun if simple else self.nouns
        options = {"tense": tense, "negation": negation}
        if kind < 0.42:
            verb = self.group(self.word("transitive"), plural, label, **options)  # type: ignore[arg-type]
            verb.right.append(things("obj"))
        elif kind < 0.56:
            verb = self.group(self.word("transitive"), plural, label, passive=True, **options)  # type: ignore[arg-type]
            verb.right.append(self._with("by", things("obl:agent")) if self.chance(0.7) else self.phrase("in", "obl"))
        elif kind < 0.7:
            name, preposition = self.word("prepositional").split("_")
            verb = self.group(name, plural, label, **options)  # type: ignore[arg-type]
            verb.right.append(self._with(preposition, things("obl")))
        elif kind < 0.8:
            name, second = self.word("particle").split("_")
            verb = self.group(name, plural, label, **options)  # type: ignore[arg-type]
            moved = [small(second, "ADP", "RP", "compound:prt"), things("obj")]
            verb.right += moved[::-1] if self.chance(0.35) and not moved[1].right else moved
        elif kind < 0.9:
            name, preposition = self.word("ditransitive").split("_")
            verb = self.group(name, plural, label, **options)  # type: ignore[arg-type]
            verb.right += [self.noun("obj", depth=1), self.phrase(preposition, "obl")]
        elif kind < 0.95:
            verb = self.group(self.word("controlling"), plural, label, **options)  # type: ignore[arg-type]
            verb.right.append(self.infinitive())
        else:
            verb = self.copula(plural, label)
        if self.chance(0.12):
            verb.right.append(self.adjunct())
        return verb

    def _with(self, preposition: str, node: Node) -> Node:
        node.left[:0] = [case(preposition)]
        return node

    def infinitive(self) -> Node:
        verb = self.form(self.word("transitive"), "VB", False, "VERB", "xcomp")
        verb.left, verb.right = [small("to", "PART", "TO", "mark")], [self.noun("obj")]
        return verb

    def copula(self, plural: bool, label: str) -> Node:
        be = self.form(BE, self.rng.choice(["VBP" if plural else "VBZ", "VBD"]), plural, "AUX", "cop")
        kind = self.rng.random()
        if kind < 0.4:
            node = Node(self.word("adjectives"), "ADJ", "JJ", label)
            if self.chance(0.6):
                node.right.append(self.phrase(self.rng.choice(["for", "in", "to", "with"]), "obl"))
        elif kind < 0.75:
            node = self.common(label, depth=1)
            node.right.append(self.phrase("of", "nmod", 1))
        else:
            node = self.phrase(self.word("prepositions"), label, 1)
        node.left[:0] = [be]
        if self.chance(0.1):
            node.left.insert(1, small("not", "PART", "RB", "advmod"))
        return node

    def adjunct(self) -> Node:
        if self.chance(0.8):  # phrases after an object could belong to either; years cannot
            year = small(str(self.rng.randint(1700, 2020)), "NUM", "CD", "obl")
            year.left = [case("in")]
            return year
        return self.phrase(self.word("prepositions"), "obl", 1)

    # ---- clauses ---------------------------------------------------------------------------------------------------

    def clause(self, label: str, *, simple: bool = False, tense: str = "", negation: float = 0.1) -> Node:
        subject = self.noun("nsubj") if simple else self.nouns("nsubj")
        verb = self.predicate(subject.plural, label, simple=simple, tense=tense, negation=negation)
        if any(child.label == "aux:pass" for child in verb.left):
            subject.label = "nsubj:pass"
        verb.left[:0] = [subject]
        if not simple and self.chance(0.1):
            other = self.predicate(subject.plural, "conj", simple=True)
            if verb.tag.startswith("VERB") and other.tag.startswith("VERB"):
                other.left[:0] = [small(self.rng.choice(["and", "and", "but"]), "CCONJ", "CC", "cc")]
                verb.right.append(other)
        return verb

    def relative(self, noun: Node) -> Node:
        name = noun.tag.startswith("PROPN")
        pronoun = self.rng.choice(["who", "which"] if name else ["that", "that", "that", "which", "who"])
        fine = "WP" if pronoun == "who" else "WDT"
        if self.chance(0.6) or name:
            verb = self.predicate(noun.plural, "acl:relcl", simple=True)
            passive = any(child.label == "aux:pass" for child in verb.left)
            verb.left[:0] = [small(pronoun, "PRON", fine, "nsubj:pass" if passive else "nsubj")]
        else:
            subject = self.noun("nsubj", depth=1)
            verb = self.group(self.word("transitive"), subject.plural, "acl:relcl")
            gap = [small(pronoun, "PRON", fine, "obj")] if self.chance(0.6) else []
            verb.left[:0] = [*gap, subject]
        if name or (pronoun == "which" and verb.left[0].form == "which" and self.chance(0.5)):
            verb.left[:0] = [comma()]
            verb.right.append(comma())
        return verb

    def reduced(self, noun: Node) -> Node:
        if self.chance(0.6):
            verb = self.form(self.word("transitive"), "VBN", False, "VERB", "acl")
            verb.right.append(self.phrase("by", "obl:agent", 1) if self.chance(0.6) else self.phrase(self.word("prepositions"), "obl", 1))  # fmt: skip
        else:
            verb = self.form(self.word("transitive"), "VBG", False, "VERB", "acl")
            verb.right.append(self.noun("obj", depth=1))
        return verb

    def plain(self) -> Node:
        return self.clause("root", simple=self.chance(0.45))

    def report(self) -> Node:
        """X denied that Y did Z."""
        subject = self.noun("nsubj", depth=1)
        verb = self.group(self.word("saying"), subject.plural, "root", tense=self.rng.choice(["past", "past", "present"]), negation=0.2)  # fmt: skip
        inner = self.clause("ccomp", simple=True)
        if self.chance(0.75):
            inner.left[:0] = [small("that", "SCONJ", "IN", "mark")]
        verb.left[:0] = [subject]
        verb.right.append(inner)
        return verb

    def truth(self) -> Node:
        """It is not true that X did Y."""
        node = Node(
            self.rng.choice(["true", "false", "likely", "clear", "possible", "unclear", "certain", "doubtful"]), "ADJ", "JJ", "root"
        )
        node.left = [small("it", "PRON Number=Sing", "PRP", "expl"), self.form(BE, self.rng.choice(["VBZ", "VBD"]), False, "AUX", "cop")]  # fmt: skip
        if self.chance(0.5):
            node.left.append(small("not", "PART", "RB", "advmod"))
        inner = self.clause("csubj", simple=True)
        inner.left[:0] = [small("that", "SCONJ", "IN", "mark")]
        node.right = [inner]
        return node

    def condition(self) -> Node:
        """If X did Y, Z would follow; and the other way round, with other conjunctions."""
        mark = self.rng.choice(["if", "if", "if", "unless", "when", "because", "although", "while"])
        other = self.clause("advcl", simple=True)
        other.left[:0] = [small(mark, "ADV" if mark == "when" else "SCONJ", "WRB" if mark == "when" else "IN", "advmod" if mark == "when" else "mark")]  # fmt: skip
        main = self.clause("root", simple=True)
        if self.chance(0.55):
            other.right.append(comma())
            main.left[:0] = [other]
        else:
            main.right.append(other)
        return main

    def question(self) -> Node:
        kind = self.rng.random()
        if kind < 0.6:  # the first auxiliary goes before the subject
            main = self.clause(
                "root", simple=True, tense=self.rng.choice(["do", "do", "do", "present+have", "present+be", "will"])
            )
            at = next((n for n, child in enumerate(main.left) if child.label in ("aux", "aux:pass", "cop")), 0)
            main.left.insert(0, main.left.pop(at))
        elif kind < 0.85:
            main = self.clause("root", simple=True)
            passive = main.left[0].label
            if self.chance(0.5):
                main.left[0] = small(self.rng.choice(["who", "what"]), "PRON", "WP", passive)
            else:
                noun = Node(
                    self.word("nouns"), "NOUN Number=Sing", "NN", passive, left=[small("which", "DET", "WDT", "det")]
                )
                main.left[0] = noun
        else:
            subject = self.noun("nsubj", depth=1)
            main = self.group(self.word("transitive"), subject.plural, "root", tense="do", negation=0.0)
            main.left[:0] = [small(self.rng.choice(["what", "who"]), "PRON", "WP", "obj"), main.left.pop(0), subject]
        return main

    def neither(self) -> Node:
        first, second = self.noun("nsubj", depth=1), self.noun("conj", depth=1)
        first.left[:0] = [small("neither", "CCONJ", "CC", "cc:preconj")]
        second.left[:0] = [small("nor", "CCONJ", "CC", "cc")]
        first.right.append(second)
        verb = self.predicate(second.plural, "root", simple=True, negation=0.0)
        if any(child.label == "aux:pass" for child in verb.left):
            first.label = "nsubj:pass"
        verb.left[:0] = [first]
        return verb

    def two(self) -> Node:
        first, second = self.clause("root", simple=True), self.clause("conj", simple=True)
        second.left[:0] = [small(self.rng.choice(["and", "but", "or"]), "CCONJ", "CC", "cc")]
        if self.chance(0.6):
            second.left[:0] = [comma()]
        first.right.append(second)
        return first

    def sentence(self) -> dict[str, list[Any]]:
        kinds: list[Callable[[], Node]] = [self.plain, self.report, self.truth, self.condition, self.question, self.neither, self.two]  # fmt: skip
        make = self.rng.choices(kinds, [70, 7, 3, 7, 6, 3, 4])[0]
        root = make()
        if self.chance(0.93):
            mark = "?" if make == self.question else "!" if self.chance(0.02) else "."
            root.right.append(small(mark, "PUNCT", ".", "punct", glued=True))
        return _without_double_commas(rows(root))


def _without_double_commas(sentence: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """A closing comma before a mark or another comma is not written."""
    words = sentence["words"]
    drop = [at for at, word in enumerate(words) if word == "," and (at + 1 == len(words) or words[at + 1] in ",.?!")]
    for at in reversed(drop):
        sentence["heads"] = [head - (head > at) for head in sentence["heads"]]
        for column in sentence.values():
            del column[at]
    return sentence


def main(count: int, out: Path, seed: int = 0) -> None:
    writer = Writer(seed)
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for _ in range(count):
            file.write(json.dumps([writer.sentence()], ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:4]))
