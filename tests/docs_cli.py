"""Writes docs/cli.md from the program's own help; `python tests/docs_cli.py` renews it, a test compares."""

from __future__ import annotations

import os
from pathlib import Path

HEAD = """# The command line

Every verb takes `--help` and `--json`. Exit code 0 means success, 2 bad input (one line says which file, line and
field), 130 an interruption. Long work shows progress on a terminal and resumes when the same command is given again.
This page is generated from the program.

"""


def pages() -> str:
    os.environ["COLUMNS"] = "100"
    from proband import suites
    from proband.cli import parser

    verbs = next(a for a in parser([])._actions if a.choices and "build" in a.choices).choices
    assert isinstance(verbs, dict)
    texts = [HEAD]
    for name in verbs:
        texts.append(f"## proband {name}\n\n```text\n{verbs[name].format_help().strip()}\n```\n")
        if name == "build":
            for suite in suites.NAMES:
                top = next(a for a in parser(["build", suite])._actions if a.choices and "build" in a.choices).choices
                assert isinstance(top, dict)
                texts.append(f"### proband build {suite}\n\n```text\n{top['build'].format_help().strip()}\n```\n")
    return "\n".join(texts)


if __name__ == "__main__":
    Path(__file__).resolve().parents[1].joinpath("docs", "cli.md").write_text(pages(), encoding="utf-8")
