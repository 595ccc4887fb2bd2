"""Run the example notebooks in clean kernels and store their output; `--check` only compares.

python tools/run_notebooks.py [--check] [NAME …]
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> Any:
    """Run the cells of a notebook in a temporary folder; return the notebook with their output."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources=where, coalesce_streams=True).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":  # standard error contains compilation messages, which are not repeatable
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def list_texts(notebook: Any) -> list[str]:
    """Return all text output of the cells, without memory addresses."""
    texts = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    return [re.sub(r"0x[0-9a-f]+", "0x", text) for text in texts]


def main() -> int:
    """Store or compare the output; return 1 if the output of a notebook differs from the stored one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="notebooks without .ipynb; default: all")
    parser.add_argument("--check", action="store_true", help="store nothing")
    options = parser.parse_args()
    paths = [FOLDER / f"{name}.ipynb" for name in options.names] or sorted(FOLDER.glob("*.ipynb"))
    status = 0
    for path in paths:
        stored, fresh = nbformat.read(path, as_version=4), execute(path)
        same = list_texts(stored) == list_texts(fresh)
        if not options.check:
            nbformat.write(fresh, path)
        elif not same:
            status = 1
        sys.stdout.write(f"{path.name}: {'as stored' if same else 'output differs from the stored one'}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
