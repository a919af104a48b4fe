"""The options of a run that other verbs share are options of a run, with the same kinds of values."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from proband.pipeline.run_options import ReaderOptions, RunOptions, SharedRunOptions


@pytest.mark.parametrize("shared", [ReaderOptions, SharedRunOptions])
def test_shared_options_are_those_of_a_run(shared: Any) -> None:
    own, theirs = get_type_hints(RunOptions), get_type_hints(shared)
    assert {name: own.get(name) for name in theirs} == theirs


def test_every_option_is_explained_once() -> None:
    text = RunOptions.__doc__ or ""
    assert [name for name in get_type_hints(RunOptions) if text.count(f":param {name}:") != 1] == []
