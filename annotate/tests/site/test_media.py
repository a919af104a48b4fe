"""Pictures and clips of captions: whole and in parts, to those who were given the unit, and in a real browser."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import update

from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.site.context import open_project
from proband_annotate.store.schema import units
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.browsing import Browsing
    from annotate.tests.visitors import Person, write_lines
else:
    from browsing import Browsing
    from visitors import Person, write_lines

CLIP = """async () => {
  const canvas = document.createElement("canvas"), paint = canvas.getContext("2d");
  canvas.width = 64; canvas.height = 48;
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" }), parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.start();
  for (let frame = 0; frame < 12; frame++) {
    paint.fillStyle = `rgb(${frame * 20}, 80, 120)`; paint.fillRect(0, 0, 64, 48);
    await new Promise((go) => setTimeout(go, 40));
  }
  await new Promise((done) => { recorder.onstop = done; recorder.stop(); });
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""


def picture() -> bytes:
    """A PNG of 8 x 8 pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + bytes((30 * row, 90, 160)) * 8 for row in range(8))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def study(tmp_path: Path, media: dict[str, bytes]) -> Path:
    """A project whose captions have these pictures and clips."""
    source = tmp_path / "source"
    rows = [{"id": f"c{n}", "caption": f"Peel fruit {n}", "media": name} for n, name in enumerate(media)]
    for name, content in media.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(content)
    write_lines(source / "captions.jsonl", rows)
    made = init(tmp_path / "study", kind="simplify", items=source, settings_given={"people": {"overlap": 1}})
    assert made["media"] == len(media)
    return tmp_path / "study"


def test_whole_in_parts_and_for_nobody_else(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person]
) -> None:
    folder = study(tmp_path, {"pictures/a b.png": picture()})
    server, link = served(folder), new_link(secret_of(folder), "crowd")
    someone = person(server.url, link, participant="one")
    someone.begin()
    where = f"{someone.home}/media/{someone.hidden()['unit']}"
    assert f'src="{httpx.URL(where).path}"' in someone.html
    whole = someone.client.get(where)
    assert whole.content == picture()
    assert whole.headers["content-type"] == "image/png"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in whole.headers["content-security-policy"]
    assert whole.headers["cache-control"] == "private, max-age=3600"
    assert "a b.png" not in someone.html + str(whole.headers)  # a name may tell the answer
    part = someone.client.get(where, headers={"Range": "bytes=8-15"})
    assert (part.status_code, part.content) == (206, picture()[8:16])
    assert part.headers["content-range"] == f"bytes 8-15/{len(picture())}"
    assert someone.client.get(where, headers={"Range": "bytes=9999-"}).status_code == 416
    assert someone.client.get(where, headers={"Range": "pages=1"}).status_code in (200, 400)

    other = person(server.url, link, participant="two")  # the one unit is taken
    other.begin()
    assert other.client.get(f"{other.home}/media/{where.rpartition('/')[2]}").status_code == 404
    assert someone.client.get(f"{server.url}/v/forged/media/1").status_code == 404
    for trick in ("99999999999999999999", "-1", "1%2F..%2F..%2Fsecret", "..%2Fsecret"):
        assert someone.client.get(f"{someone.home}/media/{trick}").status_code == 404


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link.png", "gone.png", "."])
def test_a_name_that_leads_elsewhere_gives_nothing(
    tmp_path: Path, served: Callable[[Path], Any], person: Callable[..., Person], name: str
) -> None:
    """Even if it stood in the database, which `init` does not allow."""
    folder = study(tmp_path, {"a.png": picture()})
    (folder / "media" / "link.png").symlink_to(folder / "secret")
    opened = open_project(folder)
    body = json.dumps({"caption": "Peel", "media": name})
    opened.database.write(lambda c: c.execute(update(units).values(body=body)))
    opened.database.close()
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd"), participant="one")
    someone.begin()
    reply = someone.client.get(f"{someone.home}/media/{someone.hidden()['unit']}")
    assert reply.status_code == 404
    assert secret_of(folder).hex() not in reply.text


@pytest.mark.nightly
def test_a_browser_shows_the_picture_and_plays_the_clip(
    tmp_path: Path, served: Callable[[Path], Any], tab: Any
) -> None:
    clip = base64.b64decode(tab.evaluate(CLIP))
    folder = study(tmp_path, {"a.png": picture(), "clips/b.webm": clip})
    base = served(folder).url
    with Browsing(tab, width=320) as visit:
        visit.go(f"{base}/join/{new_link(secret_of(folder), 'crowd', name='one')}")
        visit.page.check("input[name=agree]")
        visit.page.click("button.primary")
        visit.page.click("button.primary")
        seen = set()
        for number in range(2):
            visit.page.wait_for_selector(".media")
            visit.fits()
            visit.axe("media")
            if visit.page.locator("video").count():
                visit.page.evaluate("() => document.querySelector('video').play()")
                visit.until("() => document.querySelector('video').currentTime > 0.1")
                seen.add("clip")
            else:
                visit.until("() => document.querySelector('img').naturalWidth === 8")
                seen.add("picture")
            visit.page.fill("#s0", f"Hold fruit {number} and take off its skin.")
            visit.send()
        assert seen == {"clip", "picture"}
        visit.page.wait_for_selector("#code")
