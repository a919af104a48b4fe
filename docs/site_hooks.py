"""Hooks of the documentation site: pages outside docs/ join it, and links between all of them are checked.

In the repository a page links to files (`../benchmarks/calibration.md`, `../src/proband/core/files.py`). On the site,
Markdown pages of other folders are pages too; a link to source code becomes its path.
"""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
OTHER_PAGES = (
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "benchmarks/*.md",
    "proofs/*.md",
    "experiments/**/*.md",
)
NAMED_BLOCK = re.compile(r"^```(\w+) ([\w./-]+)$", re.MULTILINE)  # a block that the tests write into that file
LINK = re.compile(r"(!?)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    files.append(File.generated(config, "index.md", abs_src_path=str(ROOT / "README.md")))
    for pattern in OTHER_PAGES:
        for path in sorted(ROOT.glob(pattern)):
            files.append(File.generated(config, str(path.relative_to(ROOT)), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, files: Files, **_: Any) -> str:
    source = Path(page.file.abs_src_path)

    def rewritten(match: re.Match[str]) -> str:
        image, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = (source.parent / target).resolve()
        at = site_path(path)
        if files.get_file_from_path(at) is None:
            if not path.exists() or path.is_relative_to(DOCS):
                return match[0]  # a broken link: the strict build names it
            return text if text.startswith("`") else f"{text} (`{path.relative_to(ROOT)}`)"
        return f"{image}[{text}]({os.path.relpath(at, Path(page.file.src_uri).parent)}{anchor})"

    return NAMED_BLOCK.sub(r'```\1 title="\2"', LINK.sub(rewritten, markdown))


def site_path(path: Path) -> str:
    if path == ROOT / "README.md":
        return "index.md"
    return path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).as_posix() if path.is_relative_to(ROOT) else ""
