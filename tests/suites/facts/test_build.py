"""Items of facts: no right answer is counted as wrong, no gold answer is not right."""

from __future__ import annotations

from pathlib import Path

from tests.suites.facts.conftest import capitals, items_of

from proband.suites.facts.sources import read


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
