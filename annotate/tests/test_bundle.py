"""Imports that point out of their folder, are links or unpack to far too much are refused in one line."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband_annotate import bundle
from proband_annotate.bundle import copy_medium, opened

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def archive(path: Path, name: str, data: bytes = b"x", mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        made.writestr(entry, data)
    return path


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "c:out.txt", "a\\out.txt"])
def test_a_path_out_of_the_archive(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProbandError, match="points out"), opened(archive(tmp_path / "x.zip", name)):
        pass


def test_a_link_and_a_bomb(tmp_path: Path) -> None:
    with (
        pytest.raises(ProbandError, match="link"),
        opened(archive(tmp_path / "l.zip", "l", b"/etc/passwd", stat.S_IFLNK | 0o777)),
    ):
        pass
    with (
        pytest.raises(ProbandError, match="times its size"),
        opened(archive(tmp_path / "b.zip", "b", bytes(5_000_000))),
    ):
        pass


def test_a_sound_archive_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(archive(tmp_path / "x.zip", "folder/captions.jsonl", b"{}\n")) as folder:
        assert (folder / "captions.jsonl").read_bytes() == b"{}\n"
    monkeypatch.setattr(bundle, "LARGEST", 2)
    with pytest.raises(ProbandError, match="more than"), opened(archive(tmp_path / "y.zip", "a", b"{}\n")):
        pass


def test_pictures_must_be_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.png").write_bytes(PNG)
    (tmp_path / "in" / "bad.png").write_bytes(b"<svg onload=alert(1)>")
    (tmp_path / "in" / "page.svg").write_bytes(b"<svg/>")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "in" / "good.png")
    copy_medium(tmp_path / "in", "good.png", tmp_path / "out")
    assert (tmp_path / "out" / "good.png").read_bytes() == PNG
    for name in ("bad.png", "page.svg", "link.png", "../x.png", "none.png"):
        with pytest.raises(ProbandError):
            copy_medium(tmp_path / "in", name, tmp_path / "out")
