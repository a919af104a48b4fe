"""Which runs are one system, and what it is called."""

from __future__ import annotations

import msgspec

from proband.core.types import Run
from proband.reporting.numbers.formatting import run_labels, systems


def trained(model: str, seed: int, items: str = "a") -> Run:
    net = {"net": "gat", "seed": seed, "options": {"epochs": 5}, "items_sha": items}
    return Run(suite="kinship", solver="direct", model=model, seed=0, items_sha="", net=net, identity={"kind": "net"})


def test_seeds_of_one_net_of_a_study_keep_the_name_that_claims_ask_for() -> None:
    runs = [trained("net:k23-gat", 0), trained("net:k23-gat", 1), trained("net:k234-gat", 0, "b")]
    found = systems(runs)
    assert [system.runs for system in found] == [(0, 1), (2,)]
    assert [system.tags["run.model"] for system in found] == ["net:k23-gat", "net:k234-gat"]
    assert [system.label for system in found] == ["net:k23-gat", "net:k234-gat"]


def test_seeds_in_folders_of_their_own_are_called_by_the_kind_of_net() -> None:
    (found,) = systems([trained("net:out/seed-0", 0), trained("net:out/seed-1", 1)])
    assert (found.tags["run.model"], found.label, found.tags["run.kind"]) == ("net:gat", "net:gat", "net")


def test_one_file_by_two_names_shows_its_first_token_where_it_differs() -> None:
    def causal(model: str, first: str, weights: str = "b179") -> Run:
        own = {"kind": "causal", "weights": weights, "bos": first, "bos_without_context": first}
        return Run(suite="facts", solver="pppl", model=model, seed=0, items_sha="", identity=own)

    alike = [causal("hf:a.gguf", "<s>"), causal("embedded:a", "<s>"), causal("hf:b.gguf", "none", "c0de")]
    assert [each.label for each in systems(alike)] == ["hf:a.gguf", "embedded:a", "hf:b.gguf"]
    apart = [causal("hf:a.gguf", "none"), causal("embedded:a", "<s>"), causal("hf:b.gguf", "none", "c0de")]
    assert [each.label for each in systems(apart)] == [
        "hf:a.gguf · first token none", "embedded:a · first token <s>", "hf:b.gguf",
    ]  # fmt: skip
    options = [causal("hf:a.gguf", "none"), causal("hf:a.gguf", "<s>")]  # --model-set bos=
    assert len({each.label.rpartition("first token ")[2] for each in systems(options)}) == 2


def run(**changes: object) -> Run:
    return msgspec.structs.replace(Run(suite="s", solver="direct", model="m", seed=0, items_sha=""), **changes)


def test_runs_of_one_model_are_told_apart() -> None:
    assert run_labels([run(), run(seed=1)]) == ("m · seed 0", "m · seed 1")
    assert run_labels([run(settings={"t": 1}), run(settings={"t": 2})]) == ("m · t=1", "m · t=2")
    assert run_labels([run(), run()]) == ("m", "m #2")


def test_runs_that_differ_only_in_training_seed_are_one_system() -> None:
    nets = [
        run(model=f"net:{kind}-{seed}", net={"net": kind, "seed": seed, "options": {"dim": dim}})
        for kind, dim in (("gat", 8), ("gat", 16), ("lstm", 8))
        for seed in (0, 1)
    ]
    found = systems([*nets, run()])
    assert [(s.label, s.runs) for s in found] == [
        ("net:gat · dim=8", (0, 1)),
        ("net:gat · dim=16", (2, 3)),
        ("net:lstm", (4, 5)),
        ("m", (6,)),
    ]
    assert found[0].tags["run.net"] == "gat"


def test_nets_trained_on_different_items_are_different_systems() -> None:
    nets = [
        run(model=f"net:/there/{data}-{seed}", net={"net": "gat", "seed": seed, "items_sha": data * 9})
        for data in ("ab", "cd")
        for seed in (0, 1)
    ]
    assert [(s.label, s.runs) for s in systems(nets)] == [
        ("net:gat · trained on abababab", (0, 1)),
        ("net:gat · trained on cdcdcdcd", (2, 3)),
    ]
    assert run_labels(nets[:2]) == ("net:ab-0", "net:ab-1")
