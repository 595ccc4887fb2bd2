"""Tests of lens calibration with rendered views of the board, and of the documentation page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddock
from experiments.ecoli.overhead_camera.lab import SMALL, camera
from paddock.core.observation import Picture
from paddock.experiments.ecoli.overhead_camera import OverheadSpec, show_board
from paddock.experiments.ecoli.walk.walk_camera import draw_error_map, measure_camera, show_boards
from paddock.perception.vision import BoardSpec, SiteSpec, calibrate_lens

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def views() -> list[Picture]:
    return list(show_boards(camera(), views=10, seed=1))


def test_lens_is_calibrated_and_held_out_views_fit(views: list[Picture]) -> None:
    blank = np.full((SMALL.size[1], SMALL.size[0], 3), 128, np.uint8)
    found = calibrate_lens([*views, blank])
    truth = camera().model.lens
    assert (found.views, found.held_out, found.refused) == (8, 2, 1)
    assert found.rms < 0.3
    assert found.hold_out_rms < 0.3
    assert found.lens.focal == pytest.approx(truth.focal, rel=0.01)
    assert found.lens.centre == pytest.approx(truth.centre, abs=4)
    grid = np.stack(np.meshgrid(np.linspace(0, 639, 9), np.linspace(0, 479, 7)), axis=-1)
    near = np.hypot(*(found.lens.find_rays(grid) - truth.find_rays(grid)).T) * truth.focal[0]
    assert np.median(near) < 4  # pixels; the pose takes up what is common to all
    assert len(found.corners) == len(found.errors) == len(found.is_held_out)


def test_calibration_is_repeatable_to_the_last_bit(views: list[Picture]) -> None:
    found = [calibrate_lens(views) for _ in range(12)]
    assert {(each.lens, each.rms) for each in found} == {(found[0].lens, found[0].rms)}


def test_too_few_views_and_mixed_cameras_are_refused(views: list[Picture]) -> None:
    with pytest.raises(paddock.PaddockError, match="at least 6 views of the board to calibrate with, got 3"):
        calibrate_lens(views[:3])
    with pytest.raises(paddock.PaddockError, match="picture 2 is 639 × 480, the previous ones are 640 × 480"):
        calibrate_lens([views[0], views[1][:, 1:]])


def test_identical_views_are_refused() -> None:
    eye = camera()
    alike = [show_board(eye.model.lens, eye.spec, BoardSpec(), (0, 0, 0.5), (0, 0, 0), number=k) for k in range(8)]
    with pytest.raises(paddock.PaddockError, match=r"the 7 views do not determine the lens .*tilted differently"):
        calibrate_lens(alike)


def test_reproduction_figures_hold_at_small_scale() -> None:
    results = measure_camera((640, 480), pictures=3, views=10)
    assert results.detected >= 0.95
    assert results.mean < 1
    assert 15 < results.floor_plane_mean < 25
    assert 20 < results.distorted_mean < 40
    assert draw_error_map(results).get_xlabel() == "x [m]"


def test_python_examples_of_the_page_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "experiments/ecoli/overhead-camera.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert len(list(tmp_path.glob("pictures/*.png"))) == 16


def test_toml_files_of_the_page_are_valid() -> None:
    text = (DOCS / "experiments/ecoli/overhead-camera.md").read_text(encoding="utf-8")
    camera_file, site_file = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert OverheadSpec.from_toml(camera_file).network.latency == 0.12
    assert SiteSpec.from_toml(site_file).robots[0].name == "e-puck_2479"


def test_missing_opencv_is_reported_with_the_fix() -> None:
    program = (
        "import sys; sys.modules['cv2'] = None\n"
        "import numpy, paddock, paddock.perception.vision, paddock.experiments.ecoli.overhead_camera\n"
        "try: paddock.perception.vision.find_markers(numpy.zeros((9, 9), numpy.uint8))\n"
        "except paddock.PaddockError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("finding markers needs OpenCV: pip install -e '.[vision]'")
