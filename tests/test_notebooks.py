"""Tests of notebooks: HTML representations, the live page in a cell, and the executed example notebooks."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddock
from paddock.arena.metrics import Distance
from paddock.control.policies import explorer
from paddock.core.spec import rgb
from paddock.simulation.robots import load_robot, robot_names
from paddock.simulation.worlds import load_world, world_names
from pages import DOCS, run_examples

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
LARGEST = 150_000  # bytes of a notebook


@pytest.mark.parametrize("name", world_names())
def test_world_html_has_a_picture_and_a_table(name: str) -> None:
    shown = load_world(name)._repr_html_()
    assert shown is not None
    assert shown.count('<img alt="World') == 1
    assert "<td" in shown


@pytest.mark.parametrize("name", robot_names())
def test_robot_html_has_its_top_speed(name: str) -> None:
    assert "top speed" in (load_robot(name)._repr_html_() or "")


def test_arena_robot_episode_and_trace_have_html() -> None:
    with paddock.open("clutter", seed=1) as arena:
        red = arena["red"]
        red.proximity.enable()
        before = arena._repr_html_()
        episode = arena.run(2, explorer(), metrics=[Distance()])
        shown = {"arena": arena, "robot": red, "episode": episode, "trace": episode.trace}
        texts = {name: thing._repr_html_() or "" for name, thing in shown.items()}  # type: ignore[attr-defined]
    assert all(text.count("<img") == 1 for text in texts.values())
    assert texts["arena"] != before
    assert f"{episode.metrics['distance']:.4g}" in texts["episode"]
    assert "enabled" in texts["robot"]
    assert all(len(text) < 60_000 for text in texts.values())


def test_episode_picture_shows_world_and_robot_colours() -> None:
    with paddock.open("line-crossing", seed=1) as arena:
        for robot in arena.robots.values():
            robot.wheels.set(0.08, 0.08)
        episode = arena.run(2)
    shown = re.search(r'base64,([^"]+)"', episode._repr_html_() or "")
    assert shown is not None
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(shown[1]))).convert("RGB")).reshape(-1, 3).astype(int)
    for color in ("#d1495b", "#3d6fb4", "#5b8fb9"):  # both robots, and an obstacle
        assert (np.abs(pixels - rgb(color)).max(axis=1) < 12).sum() > 20, color
    assert len(episode._repr_html_() or "") < 60_000


def test_recording_html_shows_robot_paths(tmp_path: Path) -> None:
    with paddock.open("clutter", seed=1) as arena, paddock.record(arena, tmp_path / "drive.mcap"):
        arena["red"].wheels.set(0.05, 0.06)
        arena.step(100)
    shown = paddock.Recording(tmp_path / "drive.mcap")._repr_html_() or ""
    assert shown.count("<img") == 1
    assert "0 … 2 s" in shown
    assert "truncated" not in shown


def test_names_are_escaped_in_html() -> None:
    world = paddock.WorldSpec(name="w", title="<script>alert(1)</script>", bounds=(0, 0, 1, 1))
    assert "<script" not in (world._repr_html_() or "")


def test_display_modules_are_imported_lazily() -> None:
    program = (
        "import sys, paddock; arena = paddock.open('empty'); episode = arena.run(0.1)\n"
        "print([name for name in ('paddock.report.display', 'matplotlib', 'IPython') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.heavy
def test_examples_of_the_page_run() -> None:
    assert run_examples(DOCS / "report/notebooks.md")


# ---- kernels


def run_cells(*sources: str) -> list[Any]:
    """Run each cell in a kernel; return the outputs."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [[output for output in cell.outputs if output.get("name") != "stderr"] for cell in notebook.cells]


@pytest.mark.heavy
def test_show_embeds_the_live_page_in_each_run_of_the_cell() -> None:
    ask = "import urllib.request; print(urllib.request.urlopen(page.url).headers['Content-Security-Policy'])"
    first, again, policy = run_cells(
        "import paddock\narena = paddock.open('empty')\npage = paddock.show(arena, port=0)",
        "page = paddock.show(arena)",
        ask,
    )
    (html,) = [output["data"]["text/html"] for output in first]
    assert re.search(r'<iframe src="http://127\.0\.0\.1:\d+/"', html)
    assert "ssh -L" in html
    assert again[0]["data"]["text/html"] == html
    assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy[0]["text"]


def test_page_cannot_be_framed_outside_of_notebooks() -> None:
    with (
        paddock.show(paddock.open("empty"), port=0, open_page=False) as page,
        urllib.request.urlopen(page.url) as answer,
    ):
        assert answer.headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


# ---- the notebooks of the examples


def test_there_are_four_notebooks() -> None:
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_executed_and_small(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert any("<img" in "".join(output.get("data", {}).get("text/html", "")) or "image/png" in output.get("data", {})
               for output in outputs)  # fmt: skip


@pytest.mark.long
def test_notebooks_run_from_a_clean_kernel_with_the_stored_output() -> None:
    program = [sys.executable, str(ROOT / "tools" / "run_notebooks.py"), "--check"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("as stored") == len(NOTEBOOKS)
