"""The notebook tutorial runs from top to bottom, and shows what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def test_the_tutorial(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code"), "kept without outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(tmp_path))
    shown = [output.data for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    html = [data["text/html"] for data in shown if "text/html" in data]
    pictures = [data["image/svg+xml"] for data in shown if "image/svg+xml" in data]
    assert len(html) == 4 and len(pictures) == 3
    assert "promela model" in html[0]
    assert "violated: assertion assert(balance == 20)" in html[1]
    assert "balance == 20 is false:  balance = 10" in html[1]
    assert "what paid asks for never comes: balance == 20" in html[2]
    assert "holds: all 2 properties" in html[3] and "every variable changes" in html[3]
    assert "clerk" in pictures[0] and "finished = 2" in pictures[1] and "!served" in pictures[2]
