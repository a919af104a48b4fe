"""A task in a platform's frame: a page of another site embeds it, no cookie is set, the visit ends with its code."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proband_annotate.create import init
from proband_annotate.project import read_project, secret_of
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.browsing import Browsing
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from browsing import Browsing
    from visitors import questionnaires, write_lines

FRAME = '<!doctype html><title>Platform</title><iframe src="{}" width="1000" height="700" sandbox="{}"></iframe>'
PHASEOUT = "--test-third-party-cookie-phaseout"
RIGHTS = "allow-scripts allow-forms allow-same-origin allow-popups"


@contextmanager
def platform(html: Callable[[], str]) -> Iterator[int]:
    """A web site with one page; gives its port."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html().encode())

        def log_message(self, *_: Any) -> None:
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    yield site.server_address[1]
    site.shutdown()
    site.server_close()


@pytest.mark.nightly
def test_a_whole_visit_in_a_frame(tmp_path: Path, served: Callable[[Path], Any], launch: Callable[..., Any]) -> None:
    embedded: list[str] = []
    with platform(lambda: FRAME.format(embedded[0], RIGHTS)) as port, launch(PHASEOUT) as browser:
        items = write_lines(tmp_path / "q.jsonl", questionnaires(2, 3))
        settings = {"people": {"overlap": 1}, "platform": {"frames": [f"http://localhost:{port}"]}}
        init(tmp_path / "study", kind="judge", items=items, settings_given=settings)
        folder, server = tmp_path / "study", served(tmp_path / "study")
        embedded.append(f"{server.url}/join/{new_link(secret_of(folder), 'crowd')}?participant=p1")
        with Browsing(browser.new_page()) as visit:
            visit.go(f"http://localhost:{port}/")  # another site than 127.0.0.1
            frame = visit.page.frame_locator("iframe")
            frame.locator("input[name=agree]").check()
            frame.locator("button.primary").click()
            frame.locator("button.primary").click()
            for _ in range(2):
                frame.locator("#task").wait_for()
                unit = frame.locator("#task input[name=unit]").get_attribute("value")
                for place in range(3):
                    frame.locator(f"input[name=c{place}][value=no]").check()
                frame.locator("#saved", has_text="Saved").wait_for()
                frame.locator("#task button[type=submit]").click()
                frame.locator(f"#code, #task input[name=unit]:not([value='{unit}'])").first.wait_for(state="attached")
            assert frame.locator("#code").inner_text() == read_project(folder).codes.done
            assert visit.context.cookies() == []
            assert visit.page.url == f"http://localhost:{port}/"

        with Browsing(browser.new_page()) as stranger:  # a site that project.toml does not name
            stranger.expected += ["frame-ancestors", "Framing"]
            stranger.go(f"http://127.0.0.1:{port}/")
            while not any("frame-ancestors" in words for words in stranger.trouble):
                stranger.page.wait_for_timeout(50)
            assert stranger.page.frame_locator("iframe").locator("input[name=agree]").count() == 0
