"""A real browser: pages used by keyboard, what they complain of, and axe."""

from __future__ import annotations

import contextlib
import time
from typing import Any


class Browsing:
    """A page that is used by keyboard, and everything it complained of."""

    def __init__(self, page: Any, *, width: int = 1280) -> None:
        self.page, self.context, self.width = page, page.context, width
        self.trouble: list[str] = []
        self.expected: list[str] = []  # words of complaints that the test provokes
        self.listeners = {"pageerror": self._error, "dialog": self._dialog, "console": self._message}
        for event, listener in self.listeners.items():
            page.on(event, listener)
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(media="screen", color_scheme="light")

    def __enter__(self) -> Browsing:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        """Leave the page as it was, for the next one who uses it."""
        self.page.unroute_all()
        self.page.goto("about:blank")
        self.context.set_offline(False)
        self.context.clear_cookies()
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        if kind is None:
            expected = (*self.expected, "422", "ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED")
            assert [t for t in self.trouble if not any(word in t for word in expected)] == []

    def _error(self, error: Any) -> None:
        self.trouble.append(str(error))

    def _message(self, message: Any) -> None:
        if message.type == "error":
            self.trouble.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.trouble.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def go(self, address: str) -> None:
        self.page.goto(address)

    def says(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    def fits(self) -> None:
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.width, f"{self.page.url} is {wide} pixels wide"

    def axe(self, state: str) -> None:
        """No serious finding of axe, by the rules of WCAG 2.2 A and AA."""
        from axe_playwright_python.sync_playwright import Axe

        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = Axe().run(self.page, options={"runOnly": tags, "resultTypes": ["violations"]}).response["violations"]
        serious = [
            f"{each['id']}: {node['html'][:160]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]
        assert not serious, f"{state}: {serious}"

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def focused(self, selector: str) -> bool:
        return bool(self.page.evaluate("s => document.activeElement.matches(s)", selector))

    def tab_to(self, selector: str, most: int = 120) -> None:
        """Press Tab until something has the focus."""
        for _ in range(most):
            if self.focused(selector):
                return
            self.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    def choose(self, name: str, value: str) -> None:
        """A radio button, by Tab, Space and the arrow keys."""
        self.tab_to(f"input[name={name}]")
        self.press("Space")
        for _ in range(40):
            if self.page.locator(f"input[name={name}]:checked").get_attribute("value") == value:
                return
            self.press("ArrowDown")
        raise AssertionError(f"the keyboard does not reach {name} = {value}")

    def submit(self, selector: str) -> None:
        """A plain form: its button, by keyboard, and the page that follows."""
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.press("Enter")

    def press_send(self) -> None:
        self.tab_to("#task button[type=submit]")
        self.press("Enter")

    def send(self) -> None:
        before = self.page.locator("#task input[name=unit]").get_attribute("value")
        self.press_send()
        self.moved_on(before)

    def moved_on(self, before: str | None) -> None:
        self.until(
            "b => document.getElementById('code') || document.querySelector('#task input[name=unit]')?.value !== b",
            before,
        )

    def until(self, script: str, value: Any = None, seconds: float = 20.0) -> None:
        """Wait until a script says so; it runs from outside the page, which allows no evaluation of its own."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(Exception):  # the page is being replaced
                if self.page.evaluate(script, value):
                    return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{self.page.url}: waited in vain for {script}")

    def filled(self) -> dict[str, str]:
        """What the form holds, without its tokens and the id of the answer."""
        every = self.page.evaluate("Object.fromEntries(new FormData(document.getElementById('task')))")
        return {name: value for name, value in every.items() if name not in ("form", "unit", "id")}

    def cut_connection(self) -> None:
        self.context.set_offline(True)

    def restore_connection(self) -> None:
        self.context.set_offline(False)


def answer_by_keyboard(kind: str, visit: Browsing) -> None:
    """Fill in the task on the page as a careful person would."""
    if kind == "judge":
        count = visit.page.locator("fieldset").count()
        visit.tab_to("input[name=c0]")
        for _ in range(count):
            visit.press("2")
    elif kind == "review":
        for place in range(visit.page.locator("section").count()):
            visit.choose(f"v{place}", "bad" if place == 1 else "good")
            if place == 1:
                visit.choose(f"r{place}", "facts")
    elif kind == "solve":
        visit.choose("choice", "5")
        visit.choose("difficulty", "4")
    elif kind == "simplify":
        caption = visit.page.locator("h1").inner_text()  # the same steps for every caption are refused
        visit.tab_to("#s0")
        visit.page.keyboard.type(f"Take a big pot and say: {caption}.")
        visit.press("Tab")
        visit.page.keyboard.type("Ask a grown-up to help.")
    else:
        facts = visit.page.locator(".facts li").all_inner_texts()
        visit.tab_to("#story")
        visit.page.keyboard.type(" ".join(fact.replace(" is the ", " is always the proud ") for fact in facts))
        visit.tab_to("input[name=sure]")
        if not visit.page.locator("input[name=sure]").is_checked():
            visit.press("Space")
