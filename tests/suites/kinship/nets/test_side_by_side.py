"""Seeds trained as one computation end where each ends alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._dynamo.exc import TorchDynamoException

from proband.suites.kinship import SUITE
from proband.suites.kinship.nets.options import RmcOptions
from proband.suites.kinship.nets.recurrence import Recurrence, fused, fused_back, plain, plain_back
from proband.suites.kinship.nets.task import KinshipTask, task
from proband.suites.kinship.nets.text.rmc import RelationalMemory
from proband.suites.kinship.nets.text.rmc_at_once import or_plain
from proband.training.fit import Fitted, fit, fit_many, grouped
from proband.training.side_by_side import Nets

SEEDS = (0, 1, 2)


def plans(kind: str, items: Path, options: Any, encoder: Any) -> list[KinshipTask]:
    model = encoder if SUITE.net(kind).needs else None
    return [task(items, kind=kind, options=options, seed=seed, model=model) for seed in SEEDS]


def apart(one: Fitted, other: Fitted) -> float:
    pairs = zip(one.net.parameters(), other.net.parameters(), strict=True)
    return max(float((p.detach() - q.detach()).abs().max()) for p, q in pairs)


@pytest.mark.parametrize("kind", ["bilstm-attention", "relation-network", "rmc", "mac", "bert-lstm", "gat", "composer"])
def test_each_seed_ends_where_it_ends_alone(kind: str, fifty: Path, small: Callable[..., Any], encoder: Any) -> None:
    """At three epochs of two steps; dropout, which is one draw for all seeds, is off."""
    options = small(kind, epochs=3, held_out=0.2, rate=0.05 if kind == "composer" else 0.001)
    tasks = plans(kind, fifty, options, encoder)
    assert [list(group) for _, group in grouped(tasks, SEEDS, True)] == [[0, 1, 2]]
    alone = [fit(each, seed=seed) for each, seed in zip(tasks, SEEDS)]
    both = fit_many(tasks, seeds=SEEDS, side_by_side=True)
    assert apart(both[0], both[1]) > 1e-3
    for one, other in zip(alone, both, strict=True):
        assert apart(one, other) < 1e-3
        assert [line["loss"] for line in other.curve] == pytest.approx([line["loss"] for line in one.curve], abs=1e-3)
        assert [line["valid"] for line in other.curve] == pytest.approx([line["valid"] for line in one.curve], abs=1e-4)


def test_a_net_that_has_finished_keeps_its_weights(fifty: Path, small: Callable[..., Any], encoder: Any) -> None:
    """The others go on; its curve and its best weights are those of stopping early alone."""
    options = small("bert", epochs=30, held_out=0.2, patience=2, rate=0.02)
    tasks = plans("bert", fifty, options, encoder)
    alone = [fit(each, seed=seed) for each, seed in zip(tasks, SEEDS)]
    both = fit_many(tasks, seeds=SEEDS, side_by_side=True)
    assert len({len(one.curve) for one in alone}) > 1
    for one, other in zip(alone, both, strict=True):
        assert (len(one.curve), one.kept) == (len(other.curve), other.kept)
        assert apart(one, other) < 1e-3


def test_interrupted_seeds_go_on_together(
    fifty: Path, small: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    def stop(number: int, line: Any) -> None:
        if line["epoch"] == 1:
            raise Killed

    monkeypatch.setattr("proband.training.fit.SECONDS", 0)
    tasks = plans("gat", fifty, small("gat", epochs=3, held_out=0.2), None)
    folders = [tmp_path / str(seed) for seed in SEEDS]
    how: dict[str, Any] = {"seeds": SEEDS, "side_by_side": True}
    whole = fit_many(tasks, **how)
    with pytest.raises(Killed):
        fit_many(tasks, folders=folders, told=stop, **how)
    told: list[float] = []
    again = fit_many(tasks, folders=folders, told=lambda number, line: told.append(line["epoch"]), **how)
    assert told == [2, 2, 2]
    assert max(apart(one, other) for one, other in zip(whole, again, strict=True)) == 0


def test_the_recurrence_is_that_of_lstms() -> None:
    torch.manual_seed(0)
    cells: list[Any] = [torch.nn.LSTM(5, 4, batch_first=True) for _ in range(3)]
    x = torch.randn(3, 2, 6, 5)
    told = [F.linear(y, cell.weight_ih_l0, cell.bias_ih_l0 + cell.bias_hh_l0) for y, cell in zip(x, cells)]
    weights = torch.stack([cell.weight_hh_l0 for cell in cells])
    found, *_ = Recurrence.apply(torch.stack(told), weights)  # type: ignore[no-untyped-call]
    same = torch.stack([cell(y)[0] for y, cell in zip(x, cells)])
    torch.testing.assert_close(found, same)
    every, wanted = [p for cell in cells for p in cell.parameters()], torch.randn_like(same)
    for one, other in zip(*(torch.autograd.grad(states, every, wanted) for states in (found, same))):
        torch.testing.assert_close(one, other)


def test_memories_at_once_are_those_of_one_step_after_another() -> None:
    """With their gradients, in double precision."""
    torch.manual_seed(0)
    sizes = RmcOptions(head=8, key=4, heads=2, width=6)
    each = [RelationalMemory(sizes).double() for _ in range(3)]
    nets, lengths = Nets(each), torch.tensor([4, 7, 1, 7, 2])
    x, there = torch.randn(3, 5, 7, 6, dtype=torch.float64), torch.arange(7) < lengths[:, None]

    nets.one.forward = nets.one.at_once  # type: ignore[assignment]
    states = nets.each_on(lambda net, x: net(x, there), x)
    gradients = torch.autograd.grad(states.square().sum(), list(nets.parameters.values()))
    places = torch.arange(35).view(5, 7)
    for n, memory in enumerate(each):
        alone = memory(x[n].flatten(0, 1), places, lengths)
        torch.testing.assert_close(states[n], alone)
        of_one = torch.autograd.grad(alone.square().sum(), [memory.get_parameter(name) for name in nets.parameters])
        torch.testing.assert_close([g[n] for g in gradients], list(of_one))


def test_steps_that_cannot_be_compiled_are_taken_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*given: Any) -> Any:
        raise TorchDynamoException("no compiler")

    monkeypatch.setattr(torch, "compile", lambda work: never)
    take = or_plain(lambda x: x + 1)
    assert [take(1), take(2)] == [2, 3]
    assert capsys.readouterr().err.count("no compiler") == 1


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_the_kernel_of_a_cell_is_the_equation() -> None:
    given, hidden, c = (torch.randn(2, 3, size, device="cuda") for size in (20, 20, 5))
    found = fused(given, hidden, c)
    torch.testing.assert_close(found, plain(given, hidden, c))
    torch.testing.assert_close(fused_back(c, c, c, *found[1:]), plain_back(c, c, c, *found[1:]))
