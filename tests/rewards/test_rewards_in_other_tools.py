"""Packages that the stream serves and that are not installed."""

from __future__ import annotations

import importlib
import sys

import pytest

from proband.core.errors import ProbandError


@pytest.mark.parametrize(
    ("module", "package"),
    [("for_reasoning_gym", "reasoning_gym"), ("for_verifiers", "verifiers"), ("for_openenv", "openenv")],
)
def test_a_package_that_is_missing_is_named_with_what_installs_it(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"proband.rewards.{module}", raising=False)
    with pytest.raises(ProbandError, match="pip install"):
        importlib.import_module(f"proband.rewards.{module}")
