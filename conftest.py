"""Shared fixtures: where the papers' own files stand; property tests draw the same examples every time."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from proband.core.files import cache_folder
from proband.lexicon import wordnet

# `make test` gives the same verdict every time; `make explore` draws new examples
settings.register_profile("fixed", derandomize=True, database=None, deadline=None, print_blob=False)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("PROBAND_EXAMPLES", "fixed"))
if "PROBAND_EXAMPLES" not in os.environ and hasattr(providers, "_get_local_constants"):
    # Hypothesis reads constants out of every module that happens to be imported and draws them too: the examples would
    # depend on which tests ran before, and the reading takes ten seconds of each worker
    providers._get_local_constants = lambda: providers._local_constants

ROOT = Path(__file__).resolve().parent
OTHERS = {
    "for_nemo_gym": "reasoning_gym",
    "for_openenv": "openenv",
    "for_reasoning_gym": "reasoning_gym",
    "for_verifiers": "verifiers",
}
collect_ignore = [f"src/proband/rewards/{name}.py" for name, needs in OTHERS.items() if find_spec(needs) is None]


def data_folder() -> Path | None:
    named = os.environ.get("PROBAND_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Only files with an example are read for examples: to look for them in 900 others takes seconds of each worker."""
    found = yield
    if file_path.suffix == ".py" and b">>> " not in file_path.read_bytes():
        return [each for each in found if type(each) is pytest.Module]
    return found


def pytest_collection_finish() -> None:
    """What 4,000 tests have imported stays: a full garbage collection would look at it for a third of a second."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "test_wheel" not in item.nodeid)  # takes minutes: one worker begins with it
    absent = {}
    if data_folder() is None:
        absent["data"] = "the papers' files are absent: set PROBAND_DATA to a folder that holds them"
    if wordnet.installed() is None:
        absent["wordnet"] = "WordNet is absent: install it (Debian: apt install wordnet-base)"
    for item in items:
        for mark in absent.keys() & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=absent[mark]))


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without answers. What is converted once (GGUF files, word vectors) is that of the user, or a test would
    spend most of its time on it."""
    made = tmp_path / ".cache"
    made.mkdir(exist_ok=True)
    for name in ("gguf", "vectors"):
        cache_folder(name).mkdir(parents=True, exist_ok=True)
        (made / name).symlink_to(cache_folder(name))
    monkeypatch.setenv("PROBAND_CACHE", str(made))
    return made


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Any]]:
    """Start a Chromium with further flags. From then on, an event loop runs in this thread."""
    if os.environ.get("PROBAND_NO_BROWSER") == "1":
        pytest.skip("PROBAND_NO_BROWSER=1: no page was opened")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((place for name in names if (place := shutil.which(name))), None)
    if path is None:
        pytest.fail("no Chromium: install it (Debian: apt install chromium) or set PROBAND_NO_BROWSER=1", pytrace=False)
    from playwright.sync_api import sync_playwright

    flags = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    more = "--disable-component-update --disable-sync --disable-dev-shm-usage"
    with sync_playwright() as play:
        yield lambda *own: play.chromium.launch(executable_path=path, args=[*flags.split(), *more.split(), *own])


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Any]) -> Iterator[Any]:
    opened = launch()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tab(browser: Any) -> Any:
    """One page that most tests share: a new one takes Chromium a second, an address opened in it half of that."""
    return browser.new_context().new_page()


@pytest.fixture(autouse=True)
def _search_path_as_before() -> Iterator[None]:
    """What is imported by name is also looked for in the current folder, which is another one in most tests."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with bats/, clutrr/, kidscook/...; tests that use it carry the marker `data`."""
    folder = data_folder()
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
