"""Executes a notebook of docs/; `python tests/docs_notebook.py NAME` writes it with its outputs; tests execute it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"


def read(name: str = "results") -> Any:
    return import_module("nbformat").read(DOCS / f"{name}.ipynb", as_version=4)


def executed(name: str = "results") -> Any:
    """The notebook, run from top to bottom in a kernel of its own; cells tagged `skip-execution` (they install
    packages) are left out."""
    from nbclient import NotebookClient

    notebook = read(name)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {"tags": cell.metadata.tags} if "tags" in cell.metadata else {}  # no times of execution
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def outputs(notebook: Any) -> list[list[str]]:
    """What each cell of code that was run shows, as text."""
    return [
        [each.get("text") or each["data"].get("text/plain", "") for each in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code" and "tags" not in cell.metadata
    ]


if __name__ == "__main__":
    chosen = sys.argv[1] if sys.argv[1:] else "results"
    import_module("nbformat").write(executed(chosen), DOCS / f"{chosen}.ipynb")
