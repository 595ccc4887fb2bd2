"""Tests of `paddock camera` and `paddock serve --overhead-camera`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import paddock
from experiments.ecoli.overhead_camera.lab import SMALL, camera
from paddock.core.observation import Picture
from paddock.experiments.ecoli.commands.camera import (
    calibrate_source,
    choose_lens,
    choose_site,
    fit_lens,
    locate_robots,
    print_board,
    read_folder,
)
from paddock.experiments.ecoli.overhead_camera import OverheadCamera, load_overhead_camera
from paddock.experiments.ecoli.walk.walk_camera import show_boards
from paddock.perception.vision import IpCamera, Lens, TimedPicture
from paddock.simulation.worlds import load_world
from paddock.testing import PaddockProcess
from warm_start import run_python

pytestmark = pytest.mark.heavy
BOARD = {"square": 0.035, "marker": 0.026}
PRINT = {**BOARD, "robots": 3, "size": 0.052, "lid": 0.074, "force": False}


def test_robots_of_a_served_world_are_located(tmp_path: Path) -> None:
    spec = tmp_path / "eye.toml"
    spec.write_text('size = [800, 600]\nnetwork = { port = 0, user = "lab", password = "secret" }\n')
    world = load_world("line-crossing")
    lens = OverheadCamera(world, SMALL.from_toml(spec.read_text())).model.lens
    (tmp_path / "lens.toml").write_text(lens.scale_to((1600, 1200)).to_toml())  # as calibrated in larger pictures
    with PaddockProcess("serve", "line-crossing", "--bridge", f"overhead-camera={spec}") as server:
        url = server.line(r"(http://127\.0\.0\.1:\d+/stream\.mjpg)")
        options = ["--lens", "lens.toml", "--world", "line-crossing", "--user", "lab", "--password", "secret"]
        command = ["-m", "paddock", "camera", "locate", url, *options, "--pictures", "2", "--json"]
        done = run_python(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {row["robot"]: row for row in map(json.loads, done.stdout.splitlines())}
    for robot in world.robots:
        assert robot.at is not None
        assert found[robot.name]["x"] == pytest.approx(robot.at[0], abs=0.002)
        assert found[robot.name]["y"] == pytest.approx(robot.at[1], abs=0.002)
        assert found[robot.name]["found"] == 1.0


def test_file_of_a_simulated_camera_is_its_lens_and_another_lens_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    eye = tmp_path / "eye.toml"
    eye.write_text("mount = { height = 2.0, tilt_deg = [3.0, 1.0] }\nmarkers = { size = 0.05 }\n")
    world = load_world("line-crossing")
    above = OverheadCamera(world, load_overhead_camera(eye))
    places = {robot.name: robot.at or (0.0, 0.0) for robot in world.robots}
    view = above.take_picture(above.set_scene([(*at, 0.0) for at in places.values()]))
    monkeypatch.setattr(IpCamera, "stream", lambda self, **options: iter([TimedPicture(view, None, 0.0, b"")]))

    def locate(lens: Path | None) -> tuple[float, str]:
        options = {"site": None, "pictures": 1, "user": "", "password": "", "json_lines": True}
        locate_robots("http://camera/", lens, world="line-crossing", **options)
        said = capsys.readouterr()
        rows = [json.loads(line) for line in said.out.splitlines()]
        return max(math.dist((row["x"], row["y"]), places[row["robot"]]) for row in rows), said.err

    error, said = locate(eye)
    assert error < 0.0005
    assert said == ""
    error, said = locate(None)  # the lens of the default camera
    assert error > 0.003
    assert "the lens or the positions of the markers do not fit the picture" in said
    with pytest.raises(paddock.PaddockError, match=r"eye\.toml: this file describes a simulated camera"):
        choose_lens(eye, None)


@pytest.fixture(scope="module")
def views() -> list[Picture]:
    return list(show_boards(camera(), views=10, seed=2))


def test_views_taken_before_ctrl_c_give_a_lens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, views: list[Picture]
) -> None:
    def stream(self: IpCamera, **options: object) -> Iterator[TimedPicture]:
        yield from (TimedPicture(view, None, 0.0, b"") for view in views)
        raise KeyboardInterrupt

    monkeypatch.setattr(IpCamera, "stream", stream)
    options = {**BOARD, "views": 20, "seconds": 60.0, "user": "", "password": "", "force": False}
    calibrate_source("http://camera/", tmp_path / "lens.toml", chart=None, **options)
    lens = Lens.from_toml((tmp_path / "lens.toml").read_text())
    assert lens.focal == pytest.approx(camera().model.lens.focal, rel=0.02)


def test_folder_of_pictures_gives_a_lens(tmp_path: Path, views: list[Picture]) -> None:
    (tmp_path / "views").mkdir()
    for number, view in enumerate(views):
        view.to_pil().save(tmp_path / "views" / f"{number:02}.png")
    options = {**BOARD, "views": 20, "seconds": 1.0, "user": "", "password": "", "force": False}
    calibrate_source(str(tmp_path / "views"), tmp_path / "lens.toml", chart=tmp_path / "map.png", **options)
    lens = Lens.from_toml((tmp_path / "lens.toml").read_text())
    assert lens.focal == pytest.approx(camera().model.lens.focal, rel=0.01)
    with Image.open(tmp_path / "map.png") as chart:
        assert chart.width > 500
    with pytest.raises(paddock.PaddockError, match="already exists"):
        calibrate_source(str(tmp_path / "views"), tmp_path / "lens.toml", chart=None, **options)


def test_printed_sheets_have_true_size(tmp_path: Path) -> None:
    print_board(tmp_path / "markers.pdf", **PRINT)
    assert (tmp_path / "markers.pdf").read_bytes().count(b"/Type /Page\n") >= 3
    print_board(tmp_path / "board.png", **PRINT)
    with Image.open(tmp_path / "board.png") as picture:
        page = picture.convert("L")
    assert page.width == round(0.297 * 300 / 0.0254)
    middle = page.crop((0, page.height // 2, page.width, page.height // 2 + 1)).tobytes()
    dark = [x for x, level in enumerate(middle) if level < 128]
    assert (dark[-1] - dark[0] + 1) / (300 / 0.0254) == pytest.approx(7 * 0.035, abs=0.0003)


def test_invalid_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match=r"expected a name ending in \.pdf"):
        print_board(tmp_path / "board.gif", **PRINT)
    with pytest.raises(paddock.PaddockError, match="to fit on A4; make its squares smaller"):
        print_board(tmp_path / "board.pdf", **{**PRINT, "square": 0.05})
    for size in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(paddock.PaddockError, match=r"size: expected metres from 0\.005"):
            print_board(tmp_path / "board.pdf", **{**PRINT, "size": size})
    for lid in (0.0, 1e9, math.nan, math.inf):
        with pytest.raises(paddock.PaddockError, match=r"lid: expected at least .* less than A4"):
            print_board(tmp_path / "board.pdf", **{**PRINT, "lid": lid})
    with pytest.raises(paddock.PaddockError, match="expected a folder with pictures, or the address of a camera"):
        list(read_folder(tmp_path / "nowhere"))
    with pytest.raises(paddock.PaddockError, match="expected pictures"):
        list(read_folder(tmp_path))
    with pytest.raises(paddock.PaddockError, match="expected either --site FILE or --world NAME"):
        choose_site(None, None)
    with pytest.raises(paddock.PaddockError, match=r"none\.toml: no such file: `paddock camera lens` writes one"):
        choose_lens(tmp_path / "none.toml", None)
    assert choose_lens(None, "line-crossing") == OverheadCamera(load_world("line-crossing")).model.lens
    wide = np.zeros((720, 1280, 3), np.uint8)
    with pytest.raises(paddock.SpecError, match=r"^lens\.toml: the lens was calibrated with pictures of 640 × 480"):
        fit_lens(camera().model.lens, wide, Path("lens.toml"))
    (tmp_path / "cut.jpg").write_bytes(b"no picture")
    with pytest.raises(paddock.PaddockError, match=r"cut\.jpg: not a picture, or damaged or incomplete"):
        list(read_folder(tmp_path))
