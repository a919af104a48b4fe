"""Executes docs/results.ipynb; `python tests/docs_notebook.py` writes it with its outputs, and a test executes it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "results.ipynb"


def read() -> Any:
    return import_module("nbformat").read(NOTEBOOK, as_version=4)


def executed() -> Any:
    """The notebook, run from top to bottom in a kernel of its own."""
    from nbclient import NotebookClient

    notebook = read()
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}  # times of execution
    return notebook


def outputs(notebook: Any) -> list[list[str]]:
    """What each cell of code shows, as text."""
    return [
        [each.get("text") or each["data"].get("text/plain", "") for each in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


if __name__ == "__main__":
    import_module("nbformat").write(executed(), NOTEBOOK)
