"""Writes docs/cli.md from the program's own help; `python tests/docs_cli.py` renews it, a test compares."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

HEAD = r"""# The command line

Every verb takes `--help` and `--json` (one JSON object and nothing else on standard output).

| exit code | meaning |
|---:|---|
| 0 | success |
| 1 | the program that reads the output stopped reading (`proband ... \| head`) |
| 2 | bad input, a missing package, a full disk; one line says which file, line and field, or which option |
| 3 | a check failed (`compare --fail-if-worse`, `audit --fail-on`, `verify`) |
| 70 | an error of Proband's own; `PROBAND_DEBUG=1` shows where |
| 130 | interrupted (Ctrl-C); the line says what is kept |

Long-running commands show progress on a terminal and resume when they are given again.
`proband --install-completion` installs completion for bash, zsh, fish and PowerShell. In a pipe, output is plain
text that is never wrapped. This page is generated from the program.
"""
STEPS = (
    *(
        "demo",
        "init",
        "plan",
        "serve",
        "links",
        "password",
        "rotate",
        "status",
        "erase",
        "payments",
        "aggregate",
        "export",
        "import",
    ),
    *("add", "owners", "backup", "restore"),
)


def pages() -> str:
    from proband import suites
    from proband.cli.main import verbs

    texts = [HEAD, section("## proband")]
    for verb in verbs():
        texts.append(section(f"## proband {verb}", verb))
        if verb == "build":
            texts += [section(f"### proband build {suite}", "build", suite) for suite in suites.BUILT_IN]
        if verb == "annotate":
            texts += [section(f"### proband annotate {step}", "annotate", step) for step in STEPS]
    for suite in map(suites.suite, suites.BUILT_IN):
        if suite.verbs:
            texts.append(section(f"## proband {suite.name}", suite.name))
        texts += [section(f"### proband {suite.name} {verb.name}", suite.name, verb.name) for verb in suite.verbs]
    return "\n".join(texts)


def section(title: str, *words: str) -> str:
    from proband.cli import main

    with redirect_stdout(io.StringIO()) as out:
        assert main([*words, "--help"]) == 0
    lines = [line.rstrip() for line in out.getvalue().strip().splitlines()]
    return "\n".join([title, "", "```text", *lines, "```", ""])


if __name__ == "__main__":
    Path(__file__).resolve().parents[1].joinpath("docs", "cli.md").write_text(pages(), encoding="utf-8")
