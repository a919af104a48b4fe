"""Each rule on trees written and answered by hand, in Universal Dependencies (UD) and in Stanford's labels (SD)."""

from __future__ import annotations

import pytest
from tests.english.extraction.conftest import found

from proband.english.extraction import rules
from proband.english.extraction.rules import OTHERS, PREDICATES, SUBJECTS

# rule -> (tree as word/tag/label/head, everything that follows)
CASES = {
    "own_subject transitive UD": (
        "Aspirin/PROPN/nsubj/2 relieves/VERB/ROOT/0 severe/ADJ/amod/4 pain/NOUN/obj/2",
        ["Aspirin | relieves | severe pain"],
    ),
    "own_subject transitive SD": (
        "The/DT/det/2 Romans/NNPS/nsubj/4 had/VBD/aux/4 conquered/VBN/ROOT/0 Gaul/NNP/dobj/4",
        ["The Romans | had conquered | Gaul"],
    ),
    "transitive passive with object": (
        "Curie/NNP/nsubjpass/3 was/VBD/auxpass/3 awarded/VBN/ROOT/0 the/DT/det/5 prize/NN/dobj/3",
        ["Curie | was awarded | the prize"],
    ),
    "transitive with a person told": (
        "Plato/PROPN/nsubj/2 told/VERB/ROOT/0 Dion/PROPN/iobj/2 that/SCONJ/mark/6 Rome/PROPN/nsubj/6 fell/VERB/ccomp/2",
        ["Plato | told | Dion"],
    ),
    "transitive negated": (
        "Italy/PROPN/nsubj/4 did/AUX/aux/4 not/PART/advmod/4 invade/VERB/ROOT/0 Kenya/PROPN/obj/4",
        ["Italy | did not invade | Kenya"],
    ),
    "fronted_participle": (
        "Born/VBN/advcl/7 in/IN/case/3 Rome/NNP/obl/1 ,/PUNCT/punct/1 the/DT/det/6 monk/NN/nsubj/7 wrote/VBD/ROOT/0"
        " hymns/NNS/dobj/7",
        ["the monk | was born in | Rome", "the monk | wrote | hymns"],
    ),
    "said_to_be": (
        "Rome/NNP/nsubj/2 made/VBD/ROOT/0 Gaul/NNP/dobj/2 a/DT/det/5 province/NN/xcomp/2",
        ["Rome | made gaul | a province"],
    ),
    "said_to_be of an adjective": (
        "Rome/NNP/nsubj/2 found/VBD/ROOT/0 Gaul/NNP/dobj/2 guilty/JJ/xcomp/2 of/IN/case/6 treason/NN/obl/4",
        ["Rome | found gaul guilty of | treason"],
    ),
    "transitive with a particle": (
        "Rome/NNP/nsubj/2 took/VBD/ROOT/0 over/RP/prt/2 Egypt/NNP/dobj/2",
        ["Rome | took over | Egypt"],
    ),
    "transitive joined arguments": (
        "Lions/NOUNS/nsubj/4 and/CCONJ/cc/3 tigers/NOUNS/conj/1 eat/VERB/ROOT/0 meat/NOUN/obj/4",
        ["Lions | eat | meat", "tigers | eat | meat"],
    ),
    "prepositional SD": (
        "The/DT/det/2 Nile/NNP/nsubj/3 flows/VBZ/ROOT/0 through/IN/prep/3 Egypt/NNP/pobj/4",
        ["The Nile | flows through | Egypt"],
    ),
    "prepositional after a direction": (
        "Kenya/PROPN/nsubj/2 lies/VERB/ROOT/0 south/ADV/advmod/2 of/ADP/case/5 Ethiopia/PROPN/obl/3",
        ["Kenya | lies south of | Ethiopia"],
    ),
    "prepositional after another adverb": (
        "Kenya/PROPN/nsubj/2 acts/VERB/ROOT/0 independently/ADV/advmod/2 of/ADP/case/5 Ethiopia/PROPN/obl/3",
        [],
    ),
    "prepositional UD passive": (
        "Chocolate/NOUN/nsubj:pass/3 is/AUX/aux:pass/3 made/VERB/ROOT/0 from/ADP/case/6 the/DET/det/6 bean/NOUN/obl/3",
        ["Chocolate | is made from | the bean"],
    ),
    "prepositional agent": (
        "Gaul/PROPN/nsubj:pass/3 was/AUX/aux:pass/3 invaded/VERB/ROOT/0 by/ADP/case/5 Rome/PROPN/obl:agent/3",
        ["Gaul | was invaded by | Rome"],
    ),
    "prepositional adjective": (
        "Aspirin/NNP/nsubj/3 is/VBZ/cop/3 good/JJ/ROOT/0 for/IN/prep/3 headaches/NNS/pobj/4",
        ["Aspirin | is good for | headaches"],
    ),
    "object_and_preposition": (
        "Canada/PROPN/nsubj/2 took/VERB/ROOT/0 action/NOUN/obj/2 against/ADP/case/5 China/PROPN/obl/2",
        ["Canada | took | action", "Canada | took action against | China"],
    ),
    "object_and_preposition of the object": (
        "Lions/NNS/nsubj/2 have/VBP/ROOT/0 a/DT/det/4 taste/NN/dobj/2 for/IN/prep/4 meat/NN/pobj/5",
        ["Lions | have | a taste", "Lions | have a taste for | meat"],
    ),
    "infinitive": (
        "Garlic/NOUN/nsubj/2 helps/VERB/ROOT/0 to/PART/mark/4 prevent/VERB/xcomp/2 colds/NOUNS/obj/4",
        ["Garlic | helps to prevent | colds"],
    ),
    "infinitive of purpose": (
        "Aspirin/NOUN/nsubj:pass/4 may/AUX/aux/4 be/AUX/aux:pass/4 used/VERB/ROOT/0 to/PART/mark/6 reduce/VERB/advcl/4"
        " fever/NOUN/obj/6",
        ["Aspirin | may be used to reduce | fever"],
    ),
    "made_to with an infinitive": (
        "Rails/NOUNS/nsubj/2 allowed/VERB/ROOT/0 troops/NOUNS/obj/2 to/PART/mark/5 reach/VERB/xcomp/2 Rome/PROPN/obj/5",
        ["Rails | allowed troops to reach | Rome"],
    ),
    "made_to prevented from": (
        "Wars/NOUNS/nsubj/2 kept/VERB/ROOT/0 men/NOUNS/obj/2 from/SCONJ/mark/5 seeing/VERBN/advcl/2 Rome/PROPN/obj/5",
        ["Wars | kept men from seeing | Rome"],
    ),
    "existence": (
        "There/PRON/expl/2 are/VERB/ROOT/0 ships/NOUNS/nsubj/2 in/ADP/case/5 Rome/PROPN/nmod/3",
        ["ships | are in | Rome"],
    ),
    "copula and copula_and_preposition UD": (
        "Paris/PROPN/nsubj/4 is/AUX/cop/4 the/DET/det/4 capital/NOUN/ROOT/0 of/ADP/case/6 France/PROPN/nmod/4",
        ["Paris | is the capital of | France"],
    ),
    "copula and copula_and_preposition ClearNLP": (
        "Paris/NNP/nsubj/2 became/VBD/ROOT/0 the/DT/det/4 capital/NN/attr/2 of/IN/prep/4 France/NNP/pobj/5",
        ["Paris | became the capital of | France"],
    ),
    "copula_and_preposition with a preposition before": (
        "Iran/PROPN/nsubj/4 was/AUX/cop/4 at/ADP/case/4 war/NOUN/ROOT/0 with/ADP/case/6 Iraq/PROPN/nmod/4",
        ["Iran | was at war with | Iraq", "Iran | was at | war"],
    ),
    "in_a_place": (
        "The/DET/det/2 museum/NOUN/nsubj/5 is/AUX/cop/5 in/ADP/case/5 Berlin/PROPN/ROOT/0",
        ["The museum | is in | Berlin"],
    ),
    "relative_subject": (
        "the/DT/det/2 drug/NN/pobj/0 that/WDT/nsubj/4 relieves/VBZ/rcmod/2 pain/NN/dobj/4",
        ["the drug | relieves | pain"],
    ),
    "reduced_relative": (
        "chocolate/NN/dobj/0 made/VBN/partmod/1 from/IN/prep/2 cocoa/NN/pobj/3",
        ["chocolate | is made from | cocoa"],
    ),
    "reduced_relative plural": (
        "rivers/NNS/dobj/0 flowing/VBG/vmod/1 through/IN/prep/2 Egypt/NNP/pobj/3",
        ["rivers | are flowing through | Egypt"],
    ),
    "reduced_relative of the past": (
        "Rome/NNP/nsubj/2 sold/VBD/ROOT/0 ships/NNS/dobj/2 built/VBN/partmod/3 by/IN/prep/4 slaves/NNS/pobj/5",
        ["Rome | sold | ships", "ships | were built by | slaves"],
    ),
    "shared_subject": (
        "Rome/NNP/nsubj/2 invaded/VBD/ROOT/0 Gaul/NNP/dobj/2 and/CC/cc/2 conquered/VBD/conj/2 Egypt/NNP/dobj/5",
        ["Rome | conquered | Egypt", "Rome | invaded | Gaul"],
    ),
    "shared_subject of participles": (
        "Gaul/NNP/nsubjpass/3 was/VBD/auxpass/3 invaded/VBN/ROOT/0 and/CC/cc/3 conquered/VBN/conj/3"
        " by/IN/prep/5 Rome/NNP/pobj/6",
        ["Gaul | was conquered by | Rome"],
    ),
    "shared_subject of a passive and an active": (
        "Bell/NNP/nsubjpass/3 was/VBD/auxpass/3 born/VBN/ROOT/0 and/CC/cc/3 grew/VBD/conj/3 up/RP/prt/5 in/IN/prep/5"
        " Edinburgh/NNP/pobj/7",
        ["Bell | grew up in | Edinburgh"],
    ),
    "shared_subject negated": (
        "Rome/NNP/nsubj/4 did/VBD/aux/4 not/RB/neg/4 invade/VB/ROOT/0 Gaul/NNP/dobj/4 or/CC/cc/4 conquer/VB/conj/4"
        " Egypt/NNP/dobj/7",
        ["Rome | did not conquer | Egypt", "Rome | did not invade | Gaul"],
    ),
    "shared_subject of a copula": (
        "Oslo/NNP/nsubj/4 is/VBZ/cop/4 a/DT/det/4 port/NN/ROOT/0 and/CC/cc/8 is/VBZ/cop/8 the/DT/det/8"
        " capital/NN/conj/4 of/IN/prep/8 Norway/NNP/pobj/9",
        ["Oslo | is the capital of | Norway", "Oslo | is | a port"],
    ),
    "complement": (
        "Saladin/PROPN/nsubj/2 became/VERB/ROOT/0 the/DET/det/4 master/NOUN/xcomp/2 of/ADP/case/6 Egypt/PROPN/nmod/4",
        ["Saladin | became the master of | Egypt"],
    ),
    "complement with an adjective": (
        "Owners/NOUNS/nsubj/2 become/VERB/ROOT/0 liable/ADJ/xcomp/2 for/ADP/case/6 the/DET/det/6 tax/NOUN/obl/3",
        ["Owners | become liable for | the tax"],
    ),
    "complement with an infinitive": (
        "Victoria/PROPN/nsubj/2 wished/VERB/ROOT/0 to/PART/mark/6 be/AUX/cop/6 an/DET/det/6 empress/NOUN/xcomp/2",
        ["Victoria | wished to be | an empress"],
    ),
    "transitive with an adjective as a noun": (
        "The/DET/det/2 British/ADJ/nsubj/3 conquered/VERB/ROOT/0 Burma/PROPN/obj/3",
        ["The British | conquered | Burma"],
    ),
    "prepositional adjective with an article": (
        "Cocoa/NOUN/nsubj/4 is/AUX/cop/4 the/DET/det/4 same/ADJ/ROOT/0 as/ADP/case/6 cacao/NOUN/obl/4",
        ["Cocoa | is the same as | cacao"],
    ),
    "apposition": (
        "Paris/PROPN/ROOT/0 ,/PUNCT/punct/4 the/DET/det/4 capital/NOUN/appos/1 of/ADP/case/6 France/PROPN/nmod/4",
        ["Paris | is the capital of | France"],
    ),
    "object_relative": (
        "the/DT/det/2 drugs/NNS/dobj/0 that/WDT/dobj/5 doctors/NNS/nsubj/5 prescribe/VBP/rcmod/2",
        ["doctors | prescribe | the drugs"],
    ),
    "object_relative without a pronoun": (
        "the/DET/det/2 land/NOUN/ROOT/0 Rome/PROPN/nsubj/4 conquered/VERB/acl:relcl/2",
        ["Rome | conquered | the land"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_by_hand(name: str) -> None:
    text, expected = CASES[name]
    assert found(text) == sorted(expected)


def test_every_rule_has_a_case() -> None:
    names = {rule.__name__ for group in (SUBJECTS, PREDICATES, OTHERS) for rule in group}
    assert {name for name in names if not any(name in case.split() for case in CASES)} == set()
    assert {name for name in vars(rules) if name in names} == names


@pytest.mark.parametrize(
    "text",
    [
        "He/PRON/nsubj/2 invaded/VERB/ROOT/0 Gaul/PROPN/obj/2",  # a pronoun has no type
        "Rome/PROPN/nsubj/2 fell/VERB/ROOT/0",  # nothing is related
        "invaded/VERB/ROOT/0 Gaul/PROPN/obj/1",  # no subject
        "Gaul/PROPN/obj/3 Rome/PROPN/nsubj/3 invaded/VERB/ROOT/0",  # the order of a question
        "the/DT/det/2 dog/NN/pobj/0",
        "time/NN/ROOT/0 for/IN/mark/5 Rome/NNP/nsubj/5 to/TO/mark/5 leave/VB/acl/1 Gaul/NNP/dobj/5",
        "families/NOUNS/ROOT/0 from/ADP/case/4 the/DET/det/4 villages/NOUNS/nmod/1 who/PRON/nsubj/6"
        " need/VERB/acl:relcl/4 doctors/NOUNS/obj/6",  # not the villages
    ],
)
def test_what_is_no_assertion(text: str) -> None:
    assert found(text) == []
