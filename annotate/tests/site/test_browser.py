"""Whole visits in a real browser, at 320 pixels and with the keyboard alone: from the link to the completion code, with
a reload in the middle and a lost connection; every page and state under axe."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband_annotate.create import init
from proband_annotate.demo import SETTINGS
from proband_annotate.project import secret_of
from proband_annotate.tasks import names, task
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.browsing import Browsing, answer_by_keyboard
    from annotate.tests.visitors import Person, questionnaires, write_lines
else:
    from browsing import Browsing, answer_by_keyboard
    from visitors import Person, questionnaires, write_lines

SAMPLES = {name: Path(str(files("proband_annotate"))) / task(name).sample.partition(":")[2] for name in names()}


@pytest.fixture
def served_kind(tmp_path: Path, served: Callable[[Path], Any]) -> Callable[[str], tuple[Path, str, str]]:
    """A project of a kind with its sample units; gives its folder, its address and the owner's password."""

    def start(kind: str) -> tuple[Path, str, str]:
        folder = tmp_path / kind
        made = init(folder, kind=kind, items=SAMPLES[kind], settings_given=SETTINGS)
        return folder, served(folder).url, made["password"]

    return start


BY_DAY = ("judge",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in SAMPLES]
)
def test_a_whole_visit(kind: str, served_kind: Callable[[str], tuple[Path, str, str]], tab: Any) -> None:
    """Pages that every kind has go through axe with the first kind, those that differ with each."""
    folder, base, password = served_kind(kind)
    first = kind == next(iter(SAMPLES))
    with Browsing(tab, width=320) as visit:
        visit.go(f"{base}/join/{new_link(secret_of(folder), 'crowd', name='one')}")
        visit.fits()
        if first:
            visit.axe("consent")
        visit.tab_to("input[name=agree]")
        visit.press("Space")
        visit.tab_to("input[name=signals]")
        visit.press("Space")
        visit.submit("button.primary")
        visit.axe("instructions")
        visit.fits()
        visit.tab_to("input[name=q0]")  # wrong on purpose, then right
        wrong, right = (
            visit.page.locator("label.option", has_text=words).locator("input").get_attribute("value") or ""
            for words in ("No", "Yes")
        )
        visit.choose("q0", wrong)
        visit.submit("button.primary")
        visit.says("last try")
        visit.choose("q0", right)
        visit.submit("button.primary")
        for number in range(3):
            visit.page.wait_for_selector("#task")
            if visit.page.locator("h1", has_text="A short check").count():
                if first:
                    visit.axe("attention")
                words = visit.page.locator("legend").inner_text()
                options = visit.page.locator("label.option").all_inner_texts()
                named = next(option.strip() for option in options if f" {option.strip()}" in words)
                place = visit.page.locator("label.option", has_text=named).locator("input").get_attribute("value")
                visit.choose("choice", place or "")
                visit.send()
            visit.fits()
            if number == 0:
                visit.axe("unit")
                visit.press_send()  # nothing filled in yet
                visit.page.wait_for_selector("#problem:not([hidden])")
                visit.axe("unit with a problem")
            answer_by_keyboard(kind, visit)
            if number == 0:
                visit.until("() => document.getElementById('saved').textContent === 'Saved'")
                before = visit.filled()
                visit.page.reload()
                visit.page.wait_for_selector("#task")
                assert visit.filled() == before, "a reload lost the draft"
            if number == 1:
                unit = visit.page.locator("#task input[name=unit]").get_attribute("value")
                visit.cut_connection()
                visit.press_send()
                visit.page.wait_for_selector("#offline:not([hidden])")
                if first:
                    visit.axe("offline")
                visit.restore_connection()
                visit.moved_on(unit)
            else:
                visit.send()
        visit.page.wait_for_selector("#code")
        visit.says("Everything you sent is stored: 4 tasks.")
        if first:
            visit.axe("end")
        visit.fits()
        code = visit.page.locator("#code").inner_text()
        assert f'done = "{code}"' in (folder / "project.toml").read_text()
    dashboard_of(tab, base, password, whole=first)


def test_whoever_waits_gets_what_becomes_free(tmp_path: Path, served: Callable[[Path], Any], browser: Any) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(1, 2))
    folder = tmp_path / "study"
    init(folder, kind="judge", items=items, settings_given={"people": {"overlap": 1}})
    base, secret = served(folder).url, secret_of(folder)
    first = Person(base, new_link(secret, "crowd", name="first"))
    first.begin()
    page = browser.new_page()  # of its own: its clock is moved
    with Browsing(page, width=320) as visit:
        visit.page.clock.install()
        visit.go(f"{base}/join/{new_link(secret, 'crowd', name='second')}")
        visit.page.check("input[name=agree]")
        visit.page.click("button.primary")
        visit.page.click("button.primary")
        visit.says("All tasks are taken at the moment")
        visit.axe("wait")
        visit.fits()
        first.client.post(f"{first.home}/stop", data={"form": first.hidden()["form"]})
        visit.page.clock.fast_forward(31_000)
        visit.page.wait_for_selector("#task")
    page.close()
    first.client.close()


def dashboard_of(page: Any, base: str, password: str, *, whole: bool) -> None:
    """The owner's pages, with what the visit left; unless `whole`, those that show answers."""
    with Browsing(page, width=320) as owner:
        owner.go(f"{base}/owner")
        if whole:
            owner.axe("login")
        owner.page.fill("#password", password)
        owner.page.keyboard.press("Enter")
        owner.page.wait_for_selector("dl.figures")
        for place in (
            ("", "/people", "/person/1", "/disputes", "/plan", "/links") if whole else ("/person/1", "/disputes")
        ):
            owner.go(f"{base}/owner{place}")
            owner.axe(f"owner{place}")
            owner.fits()
        if not whole:
            return
        owner.go(f"{base}/join/nothing")
        owner.axe("message")
        owner.expected.append("404")
