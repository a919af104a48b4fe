"""The suite `facts`: sources, items, scores by wording, metrics, variations. Scores come from a model that knows some
pairs, so what must come out is known beforehand."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_manifest
from proband.core.protocols import Score, Text
from proband.core.types import Item
from proband.pipeline.build import build as build_folder
from proband.pipeline.vary import vary
from proband.suites import suite
from proband.suites.facts.build import BuildOptions, build
from proband.suites.facts.recall import (
    RecallOptions,
    consistent,
    known,
    offset,
    prior,
    read_reply,
    recall,
    recalled,
)
from proband.suites.facts.relations import FactRelation, SubjectFact
from proband.suites.facts.sources import read
from proband.suites.facts.variations import VARIATIONS


def items_of(**options: object) -> list[Item]:
    return [item for item in build(BuildOptions(**options), seed=0).items if isinstance(item, Item)]  # type: ignore[arg-type]


class Knows:
    """Finds sentences with these pairs likely, unless they are in a wording that it does not understand; prefers one
    answer whatever is asked."""

    name = "knows"
    methods: tuple[str, ...] = ("ll",)

    def __init__(self, pairs: set[tuple[str, str]], *, deaf_to: str = "\0", prefers: str = "\0") -> None:
        self.pairs, self.deaf_to, self.prefers = pairs, deaf_to, prefers

    def identity(self) -> dict[str, str]:
        return {"kind": "knows"}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        return [Score(self._total(text.text), 4, 3) for text in texts]

    def _total(self, text: str) -> float:
        known_pair = any(_named(x, text) and _named(y, text) for x, y in self.pairs) and self.deaf_to not in text
        return -10.0 + 5.0 * known_pair + 2.0 * (self.prefers in text)


def _named(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def capitals() -> list[Item]:
    return items_of(relations="capital")


# ---- what must not happen: a right answer counted as wrong, a gold answer that is not right -------------------------


def test_no_item_has_another_right_answer_among_its_choices() -> None:
    relations, *_ = read()
    right = {(r.name, f.subject): {o.casefold() for o in f.objects} for r in relations for f in r.facts}
    for item in items_of():
        others = {choice.casefold() for at, choice in enumerate(item.choices) if at != item.gold}
        assert not others & right[str(item.tags["relation"]), item.facts["subject"]], item.id


def test_objects_listed_for_the_same_subject_elsewhere_are_no_wrong_answers(tmp_path: Path) -> None:
    rows = [("Bolivia", "La Paz"), ("Bolivia", "Sucre"), ("Peru", "Lima"), ("Chile", "Santiago")]
    file = tmp_path / "capital.csv"
    file.write_text("subject,object\n" + "".join(f"{a},{b}\n" for a, b in rows), encoding="utf-8")
    first, second, *_ = items_of(data=str(file))
    assert first.choices == ("La Paz", "Lima", "Santiago")
    assert first.tags["cardinality"] == "one to many"
    assert second.choices == ("Sucre", "Lima", "Santiago")


def test_what_ships_is_large_enough_and_each_wording_can_be_asked() -> None:
    items = items_of()
    assert len(items) >= 400
    assert len({item.tags["relation"] for item in items}) >= 12
    for item in items:
        assert len(item.facts["prompts"]) == 3
        assert all(
            prompt.count("___") == 1 and item.facts["object"] not in prompt.split() for prompt in item.facts["prompts"]
        )
        assert item.choices[item.gold or 0] == item.facts["object"]
        assert len(set(item.choices)) == len(item.choices)


def test_every_relation_that_analogy_has_too_has_its_pairs() -> None:
    """Item by item: what an analogy is made of can be asked as a fact."""
    by_relation = {str(item.tags["relation"]): item for item in items_of()}
    assert {"capital", "hypernym", "part", "colour", "language"} <= set(by_relation)
    assert "Lisbon" in {item.facts["object"] for item in capitals()}


# ---- scores ---------------------------------------------------------------------------------------------------------


def test_a_model_that_knows_everything_is_right_in_every_wording_and_a_prior_is_at_chance() -> None:
    items = capitals()
    model = Knows({(item.facts["subject"], item.facts["object"]) for item in items})
    answers = recall(items, model, seed=0, options=RecallOptions())
    assert [recalled(i, a) for i, a in zip(items, answers)] == [1.0] * len(items)
    assert {known(i, a) for i, a in zip(items, answers)} == {1.0}
    without = prior(items, model, seed=0, options=RecallOptions())
    chance = np.mean([recalled(i, a) or 0.0 for i, a in zip(items, without)])
    assert chance == pytest.approx(1 / len(items[0].choices))


def test_a_wording_that_is_not_understood_costs_a_third_and_is_inconsistent() -> None:
    items = capitals()
    pairs = {(item.facts["subject"], item.facts["object"]) for item in items}
    model = Knows(pairs, deaf_to="capital city", prefers="Zagreb")
    answers = recall(items, model, seed=0, options=RecallOptions())
    assert recalled(items[0], answers[0]) == pytest.approx((2 + 1 / 44) / 3)
    assert known(items[0], answers[0]) == 0.0
    moved = next(at for at, item in enumerate(items) if item.gold)  # ties take the first: those beyond it differ
    assert consistent(items[moved], answers[moved]) == pytest.approx(1 / 3)


def test_a_model_that_prefers_one_answer_is_right_about_one_fact() -> None:
    items = capitals()
    pairs = {(item.facts["subject"], item.facts["object"]) for item in items}
    favours = Knows(pairs, prefers="Lisbon")
    favours.pairs = set()
    plain = recall(items, favours, seed=0, options=RecallOptions())
    assert all(int(np.argmax(answer.scores)) == item.choices.index("Lisbon") for item, answer in zip(items, plain))
    assert np.mean([recalled(i, a) or 0.0 for i, a in zip(items, plain)]) == pytest.approx(1 / len(items))


def test_word_vectors_with_one_step_for_all_pairs_are_right_and_unknown_names_are_not_covered() -> None:
    items = capitals()
    rng = np.random.default_rng(0)
    step, table = rng.normal(size=16), dict[str, np.ndarray]()
    for item in items:
        if item.facts["subject"] == "Peru":
            continue
        table[item.facts["subject"]] = rng.normal(size=16)
        table[item.facts["object"]] = table[item.facts["subject"]] + step

    class Vectors:
        vocabulary: Sequence[str] = ()
        matrix = np.zeros((0, 16), dtype=np.float32)

        def vectors(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
            known_words = np.array([word in table for word in words])
            return np.array([table.get(word, np.zeros(16)) for word in words]), known_words

    answers = offset(items, Vectors(), seed=0, options=None)
    covered = [(i, a) for i, a in zip(items, answers) if not a.status]
    assert len(covered) > 30
    assert all(recalled(i, a) == 1.0 for i, a in covered)
    assert [i.facts["subject"] for i, a in zip(items, answers) if a.status == "not covered"] == ["Peru"]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Czechia's capital is Prague.", 1.0),
        ("prague", 1.0),
        ("Vienna", 0.0),
        ("", 0.0),
        ("Zagreb", 0.0),
        ("Prague or Riga", 0.0),
    ],
)
def test_replies_are_read_by_name_and_a_name_outside_the_answers_is_wrong(reply: str, score: float) -> None:
    item = next(item for item in capitals() if item.facts["object"] == "Prague")
    assert recalled(item, read_reply(item, reply, "")) == score


def test_another_name_of_the_right_answer_is_accepted() -> None:
    item = next(item for item in items_of(relations="currency") if item.facts["subject"] == "China")
    assert item.facts["accepted"][:2] == ["yuan", "renminbi"]
    assert recalled(item, read_reply(item, "the renminbi", "")) == 1.0


# ---- sources --------------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_bear_has_its_published_size_and_keeps_its_answer_spaces(data: Path) -> None:
    relations, licence, _ = read(str(data / "bear" / "BEAR"))
    assert (len(relations), sum(len(r.facts) for r in relations)) == (60, 7731)
    assert "do not redistribute" in licence
    declared = json.loads((data / "bear" / "BEAR" / "metadata_relations.json").read_text(encoding="utf-8"))
    assert all(r.answers == tuple(declared[r.name]["answer_space_labels"]) for r in relations)


def test_lama_pararel_and_lre_are_read(tmp_path: Path) -> None:
    facts = [("France", "Paris"), ("Italy", "Rome")]
    lama = tmp_path / "lama"
    lama.mkdir()
    lines = [json.dumps({"predicate_id": "P36", "sub_label": x, "obj_label": y}) for x, y in [*facts, facts[0]]]
    (lama / "P36.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (lama / "relations.jsonl").write_text(
        json.dumps({"relation": "P36", "template": "The capital of [X] is [Y] ."}), encoding="utf-8"
    )
    assert [item.prompt for item in items_of(data=str(lama))] == [f"The capital of {x} is ___." for x, _ in facts]
    patterns = tmp_path / "pararel"
    patterns.mkdir()
    (patterns / "P36.jsonl").write_text('{"pattern": "[X], whose capital is [Y] ."}\n{"pattern": "[Y] governs [X]."}')
    reworded = items_of(data=str(lama), patterns=str(patterns))
    assert reworded[0].facts["prompts"] == ["France, whose capital is ___.", "___ governs France."]
    (lama / "P36.jsonl").write_text('{"sub_label": "Plato", "obj_label": ["Athens", "Aegina"]}\n' + lines[0])
    (listed, _) = items_of(data=str(lama))
    assert (listed.choices, listed.facts["accepted"]) == (("Athens", "Paris"), ["Athens", "Aegina"])
    rows = [{"pred": "AtLocation", "sub": x, "obj": y, "obj_label": y, "masked_sentences": []} for x, y in facts]
    (tmp_path / "conceptnet.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert items_of(data=str(tmp_path / "conceptnet.jsonl"))[0].prompt == "The AtLocation of France is ___."
    lre = tmp_path / "capital.json"
    samples = [{"subject": x, "object": y} for x, y in facts]
    lre.write_text(json.dumps({"name": "capital", "prompt_templates": ["The capital of {} is"], "samples": samples}))
    assert items_of(data=str(lre))[1].prompt == "The capital of Italy is ___."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "subject,object\nFrance,Paris\n", "relation 'a' has one answer; a choice needs two"),
        ("a.csv", "subject,object\nFrance,\nItaly,\n", "row 2: no object: one of the columns object, obj_label"),
        ("a.csv", "id,subject,object\n7,France,Paris\n7,Italy,Rome\n", "row 3: the id '7' occurs twice"),
        ("a.csv", "subject,object\n", "contains no facts"),
        ("a.jsonl", "", "contains no facts"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError) as caught:
        items_of(data=str(file))
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("template", "place", "message"),
    [
        ("The capital of [X] is [Y].", 7, "P36.jsonl line 2: column 'answer_idx': is 7, but there are 2 answers"),
        (
            "The capital of [X] is Rome.",
            1,
            "metadata_relations.json: relation 'P36': 'The capital of [X] is Rome.' must",
        ),
        ("Its capital is [Y].", 1, "metadata_relations.json: relation 'P36': 'Its capital is [Y].' must have [X] once"),
    ],
)
def test_bad_rows_and_templates_of_bear_are_refused(tmp_path: Path, template: str, place: int, message: str) -> None:
    about = {"P36": {"templates": [template], "answer_space_labels": ["Paris", "Rome"]}}
    (tmp_path / "metadata_relations.json").write_text(json.dumps(about), encoding="utf-8")
    rows = [("France", "Paris", 0), ("Italy", "Rome", place)]
    lines = [json.dumps({"sub_label": x, "obj_label": y, "answer_idx": at}) for x, y, at in rows]
    (tmp_path / "P36.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ProbandError) as caught:
        items_of(data=str(tmp_path))
    assert message in str(caught.value)


def test_an_empty_file_and_an_id_twice_are_refused_in_bear_too(tmp_path: Path) -> None:
    about = {"P36": {"templates": ["[X] has [Y]."], "answer_space_labels": ["Paris", "Rome"]}}
    (tmp_path / "metadata_relations.json").write_text(json.dumps(about), encoding="utf-8")
    for text, message in (
        ("", "P36.jsonl: contains no facts"),
        ('{"id": 1}\n{"id": 1}', "line 2: the id 1 occurs twice"),
    ):
        (tmp_path / "P36.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(ProbandError, match=message):
            items_of(data=str(tmp_path))


def test_the_folder_above_bear_is_told_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "BEAR").mkdir()
    (tmp_path / "BEAR" / "metadata_relations.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"has BEAR in a folder below it: --data .*/BEAR names it"):
        items_of(data=str(tmp_path))


def test_patterns_of_other_relations_are_refused(tmp_path: Path) -> None:
    facts, patterns = tmp_path / "P36.csv", tmp_path / "patterns.csv"
    facts.write_text("subject,object\nFrance,Paris\nItaly,Rome\n", encoding="utf-8")
    patterns.write_text("relation,wording\nP99,[X] has [Y].\n", encoding="utf-8")
    for data in (str(facts), ""):
        with pytest.raises(ProbandError, match=r"patterns.csv: has wordings of P99; the facts have no such relation"):
            items_of(data=data, patterns=str(patterns))


def test_a_pattern_without_its_slots_is_refused_with_its_row(tmp_path: Path) -> None:
    facts, patterns = tmp_path / "P36.csv", tmp_path / "patterns.csv"
    facts.write_text("subject,object\nFrance,Paris\nItaly,Rome\n", encoding="utf-8")
    patterns.write_text("relation,wording\nP36,[X] has [Y].\nP36,[X] has a capital.\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"patterns.csv.*row 3.*'\[X\] has a capital.' must have \[Y\] once"):
        items_of(data=str(facts), patterns=str(patterns))


def test_rows_that_cannot_be_asked_are_left_out_and_listed(tmp_path: Path) -> None:
    """As LRE and LAMA have them: a subject that is its own object (right, and tagged), rows without an object, facts in
    two spellings, a relation of one answer, a subject for which every answer is right."""
    past = [("cut", "cut"), ("go", "went"), ("Go", "Went"), ("be", "was"), ("be", "went"), ("be", "cut"), ("see", "")]
    samples = [{"subject": x, "object": y} for x, y in past]
    lre = {"name": "past", "prompt_templates": ["The past tense of {} is"], "samples": samples}
    (tmp_path / "past.json").write_text(json.dumps(lre), encoding="utf-8")
    sizes = {**lre, "name": "size", "samples": [{"subject": x, "object": "big"} for x in ("ox", "whale")]}
    (tmp_path / "size.json").write_text(json.dumps(sizes), encoding="utf-8")
    lama = [("Walter Scott", "Walter Scott"), ("Emma", "Jane Austen"), ("Emma", None)]
    rows = [json.dumps({"predicate_id": "P50", "sub_label": x, "obj_label": y}) for x, y in lama]
    (tmp_path / "P50.jsonl").write_text("\n".join(rows), encoding="utf-8")
    built = build(BuildOptions(data=str(tmp_path)), seed=0)
    asked = [(item.facts["subject"], item.facts["object"], item.tags["leak"]) for item in built.items]
    assert asked == [
        ("Walter Scott", "Walter Scott", True),
        ("Emma", "Jane Austen", False),
        ("cut", "cut", True),
        ("go", "went", False),
    ]
    left_out = built.summary()["left_out"]
    assert left_out["rows"] == 6
    for place, reason in (
        ("P50.jsonl", "no object"),
        ("past.json", "row 7"),
        ("past.json", "every answer is right for 'be'"),
        ("size.json", "relation 'size' has one answer"),
    ):
        assert any(place in each and reason in each for each in left_out["listed"]), (place, left_out)
    proband.build("facts", out=tmp_path / "items", data=str(tmp_path))
    made = proband.run(tmp_path / "items", model="baseline:majority", out=tmp_path / "run")
    assert len(made.answers()) == 4
    assert read_manifest(tmp_path / "items")["left_out"]["rows"] == 6


def test_an_answer_outside_the_space_is_left_out() -> None:
    rome, oslo = SubjectFact(subject="Italy", objects=("Rome",)), SubjectFact(subject="Norway", objects=("Oslo",))
    made = FactRelation(name="c", wordings=("[X] [Y]",), facts=(rome, oslo), space=("Paris", "Oslo")).checked()
    assert made.facts == (oslo,)
    assert "'Rome' is not an answer" in made.left_out[0]


def test_leaks_are_tagged(tmp_path: Path) -> None:
    file = tmp_path / "country.csv"
    file.write_text("subject,object\nBank of Scotland,Scotland\nRenault,France\n", encoding="utf-8")
    assert [item.tags["leak"] for item in items_of(data=str(file))] == [True, False]


# ---- variations -----------------------------------------------------------------------------------------------------


def test_variations_ask_for_the_same_fact_and_the_reverse_for_its_subject(tmp_path: Path) -> None:
    build_folder("facts", out=tmp_path / "items", relations="capital,currency")
    items = list(read_items(tmp_path / "items" / "items.jsonl"))
    make = {variation.name: variation.make for variation in VARIATIONS}
    rng = random.Random(0)
    reworded = make["wording"](items[0], rng=rng, folder=tmp_path / "items")
    assert isinstance(reworded, Item)
    assert reworded.prompt in items[0].facts["prompts"][1:]
    assert reworded.gold == items[0].gold
    turned = make["reverse"](items[0], rng=rng, folder=tmp_path / "items")
    assert isinstance(turned, Item)
    assert turned.prompt == "The capital of ___ is Lisbon."
    assert turned.choices[turned.gold or 0] == "Portugal"
    assert suite("facts").check(turned) is None
    euro = next(item for item in items if item.facts["object"] == "euro")
    assert make["reverse"](euro, rng=rng, folder=tmp_path / "items") == "several subjects have its object"


def test_a_subject_of_which_the_object_is_right_too_is_no_wrong_answer_of_the_reverse(tmp_path: Path) -> None:
    file = tmp_path / "opposite.jsonl"
    rows = [("big", "small", ["little"]), ("large", "little", []), ("hot", "cold", [])]
    file.write_text(
        "\n".join(json.dumps({"subject": x, "object": y, "objects": z}) for x, y, z in rows), encoding="utf-8"
    )
    build_folder("facts", out=tmp_path / "items", data=str(file))
    vary(tmp_path / "items", out=tmp_path / "varied", as_="reverse")
    turned = {
        item.facts["subject"]: item for item in read_items(tmp_path / "varied" / "items.jsonl") if "reverse" in item.id
    }
    assert turned["little"].choices == ("large", "hot")  # the opposite of big is little too
    assert turned["small"].choices == ("big", "large", "hot")
