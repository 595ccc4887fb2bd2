"""Tests of `paddock robot calibrate` with a simulated robot and with a robot on a serial line."""

from __future__ import annotations

import io
import math
import sys
from pathlib import Path

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.test_epuck import connected
from command_line import Printed
from command_line import paddock as run
from paddock.arena import Arena, get_wheels, make_odometry
from paddock.bridges.epuck import EPuckEmulators
from paddock.core.geometry import relative
from paddock.experiments.ecoli.overhead_camera import OverheadCamera
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec
from paddock.testing import PaddockProcess

LAB = """
name = "lab"
bounds = [-1.0, -1.0, 1.0, 1.0]
[[robots]]
name = "e-puck_2479"
type = "{type}"
at = [0.0, 0.0]
wheel_diameter_error = {errors}
wheel_separation_error = {separation}
slip_noise = 0.002
"""


def calibrate(folder: Path, *more: str) -> Printed:
    (folder / "lab.toml").write_text(LAB.format(type="e-puck", errors=[-0.0200, -0.0100], separation=0.02))
    return run("robot", "calibrate", "lab.toml", "--runs", "2", "--side", "0.4", *more, folder=folder)


def table(done: Printed) -> dict[str, tuple[float, ...]]:
    """Return the printed rows: before and after."""
    rows = [line.split("│")[1:4] for line in done.stdout.splitlines() if "│" in line]
    return {name.strip(): tuple(map(float, numbers)) for name, *numbers in rows}


def test_calibration_of_a_simulated_robot_recovers_its_wheels(tmp_path: Path) -> None:
    done = calibrate(tmp_path, "--chart", "squares.png", "-o", "mine.toml", "--rounds", "2")
    assert done.returncode == 0, done.stderr
    before, after = table(done)["E_max,syst [mm]"]
    assert after < 0.2 * before
    assert table(done)["E_d, right to left wheel"][0] == pytest.approx(0.99 / 0.98, abs=0.001)
    spec = load_robot(tmp_path / "mine.toml")
    measured = spec.drive.measured
    assert measured is not None
    assert measured.left_diameter == pytest.approx(0.98 * 0.041, rel=0.002)
    assert measured.right_diameter == pytest.approx(0.99 * 0.041, rel=0.002)
    assert measured.wheel_separation == pytest.approx(1.02 * 0.053, rel=0.004)
    assert "UMBmark, 2 squares of 0.4 m each way, in 2 rounds, and a straight run" in measured.method
    assert len(measured.date) == 10
    assert (tmp_path / "squares.png").stat().st_size > 5000


def test_fit_over_all_corners_recovers_wheels_without_a_straight_run(tmp_path: Path) -> None:
    done = calibrate(tmp_path, "--method", "fit", "-o", "mine.toml", "--no-check")
    assert done.returncode == 0, done.stderr
    measured = load_robot(tmp_path / "mine.toml").drive.measured
    assert measured is not None
    assert measured.left_diameter == pytest.approx(0.98 * 0.041, rel=0.001)
    assert measured.right_diameter == pytest.approx(0.99 * 0.041, rel=0.001)
    assert measured.wheel_separation == pytest.approx(1.02 * 0.053, rel=0.004)
    assert measured.method == "least squares, 2 squares of 0.4 m each way"


@pytest.mark.parametrize(
    ("more", "status", "told"),
    [
        (("--side", "0.2"), 0, "warning: e-puck_2479: squares still do not close, by "),
        (("--side", "0.4", "--runs", "2", "--method", "fit"), 2, "no plausible wheels fit these runs"),
        (("--side", "0.1", "--rounds", "3"), 0, ""),
        (("--side", "0.4", "--rounds", "3"), 2, "these squares give implausible wheels"),
    ],
)
def test_wheels_too_different_for_the_squares_are_reported(
    tmp_path: Path, more: tuple[str, ...], status: int, told: str
) -> None:
    lab = LAB.format(type="e-puck", errors=[0.10, -0.10], separation=0.1).replace("1.0", "3.0")
    (tmp_path / "lab.toml").write_text(lab)
    done = run("robot", "calibrate", "lab.toml", "-o", "mine.toml", "--runs", "1", *more, folder=tmp_path)
    assert done.returncode == status
    assert told in done.stderr
    assert bool(done.stderr) == bool(told)


@pytest.mark.long
def test_overhead_camera_of_a_served_world_calibrates_a_robot(tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="pip install opencv-python-headless")
    above = OverheadCamera(load_world("petri-dish"))
    (tmp_path / "lens.toml").write_text(above.model.lens.to_toml())
    (tmp_path / "site.toml").write_text(above.site.to_toml())
    with PaddockProcess("serve", "petri-dish", "--bridge", "overhead-camera=0", "--speed", "3") as server:
        done = run(
            *("robot", "calibrate", "--robot", f"{server.url}?robot=e-puck_2481", "--method", "fit", "--side", "0.1"),
            *("--camera", server.line(r"(http://\S+/stream.mjpg)"), "--lens", "lens.toml", "--site", "site.toml"),
            *("--runs", "1", "--no-check", "-o", "mine.toml"),
            folder=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    measured = load_robot(tmp_path / "mine.toml").drive.measured
    assert measured is not None
    assert measured.left_diameter == pytest.approx(0.041, rel=0.01)
    assert measured.wheel_separation == pytest.approx(0.053, rel=0.01)
    assert "measured by a camera" in measured.method


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--method", "fitt"), "no method of calibration called 'fitt' (did you mean 'fit'?)"),
        (("--method", "fit", "--straight", "1"), "--straight belongs to --method umbmark"),
        (("--lens", "lens.toml"), "--lens and --site belong to a camera: add --camera URL"),
        (("--camera", "http://localhost:1/"), "--camera: expected --lens and --site, too"),
        (("--method", "fit", "--no-check", "--chart", "a.png"), "--chart draws UMBmark squares"),
    ],
)
def test_incompatible_options_are_refused(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    done = calibrate(tmp_path, *more)
    assert done.returncode == 2
    assert told in done.stderr


def test_calibrated_robot_loads_as_a_type_with_corrected_odometry(tmp_path: Path) -> None:
    assert calibrate(tmp_path, "--no-check").returncode == 0
    (tmp_path / "lab.toml").write_text(LAB.format(type="e-puck_2479.toml", errors=[0.0, 0.0], separation=0.0))
    arena = paddock.open(load_world(tmp_path / "lab.toml"))
    robot = arena["e-puck_2479"]
    robot.enable("encoders")
    odometry = make_odometry(robot.spec)
    nominal = make_odometry(load_robot("e-puck"))
    for tick in range(400):
        for estimator in (odometry, nominal):
            estimator.update(*robot.encoders.read())
        robot.wheels.set(0.1, 0.1 if tick < 200 else 0.05)
        arena.step()
    for estimator in (odometry, nominal):
        estimator.update(*robot.encoders.read())
    true = robot.pose
    assert math.dist(odometry.pose[:2], true[:2]) < 0.002
    assert math.dist(nominal.pose[:2], true[:2]) > 0.01
    again = run("robot", "calibrate", "lab.toml", "--runs", "1", "--side", "0.3", "--force", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert table(again)["E_d, right to left wheel"][0] == pytest.approx(1.0, abs=0.002)


def test_uncalibrated_robot_is_bit_identical() -> None:
    robot = RobotPlacement(name="r", type="e-puck", at=(0.0, 0.0), wheel_diameter_error=(0.01, -0.02))
    arena = paddock.open(WorldSpec(name="same", bounds=(-1, -1, 1, 1), robots=(robot,)))
    left, right = arena.model.robots[0, 5:7].tolist()
    assert (left, right) == (1 + 0.01, 1 - 0.02)
    assert get_wheels(arena["r"].spec) == (0.053, 1.0, 1.0)


def test_calibration_errors_are_reported(tmp_path: Path) -> None:
    assert calibrate(tmp_path).returncode == 0
    assert "e-puck_2479.toml already exists" in calibrate(tmp_path).stderr
    wall = run("robot", "calibrate", "lab.toml", "--side", "1.5", "--force", folder=tmp_path)
    assert wall.returncode == 2
    assert "it touched something" in wall.stderr
    assert "choose a shorter side or another world" in wall.stderr
    assert "which robot? Add --robot NAME" in run("robot", "calibrate", "petri-dish", folder=tmp_path).stderr
    assert "expected a world, or --robot with an address" in run("robot", "calibrate", folder=tmp_path).stderr


class Person(io.StringIO):
    """Places the robot at its mark before each run and measures its pose after it."""

    def __init__(self, arena: Arena, name: str) -> None:
        super().__init__()
        self.robot, self.start, self.asked = arena[name], arena[name].pose, 0

    def readline(self, size: int = -1, /) -> str:
        self.asked += 1
        if self.asked == 2:
            return "about here\n"  # no two numbers: asked again
        if self.asked == 1 or self.asked % 2 == 0:
            self.robot.set_pose(*self.start)
            return "\n"
        x, y, _ = relative(self.start, self.robot.pose)
        return f"{1000 * x:.2f} {1000 * y:.2f}\n"


def test_calibration_of_a_real_robot_asks_for_its_measured_pose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("serial", reason="pip install pyserial")
    pytest.importorskip("pty", reason="no pseudo terminals here")
    room = bench().world
    lame = RobotPlacement(name="red", type="e-puck", at=(0.0, 0.0), wheel_diameter_error=(0.0, 0.02), noise=False)
    world = WorldSpec(name="lab", bounds=(-1, -1, 1, 1), robots=(lame, *room.robots[1:]))
    arena = paddock.open(world)
    with EPuckEmulators(arena, serial=["red"]) as emulators, connected(arena, emulators, "serial") as robot:
        person = Person(arena, "red")
        monkeypatch.setattr(sys, "stdin", person)
        monkeypatch.setattr(paddock, "connect", lambda url: robot)
        done = run(
            *("robot", "calibrate", "--robot", "epuck:///dev/x", "--runs", "1", "--side", "0.15", "--rounds", "2"),
            *("--straight", "0", "--no-check"),
            folder=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    assert "expected two numbers such as: -12 8.5, got 'about here'" in done.stdout
    assert person.asked == 2 * 4 + 1
    measured = load_robot(tmp_path / "red.toml").drive.measured
    assert measured is not None
    assert measured.right_diameter / measured.left_diameter == pytest.approx(1.02, abs=0.004)
    monkeypatch.undo()
    with EPuckEmulators(arena, serial=["red"]) as emulators:
        address = f"epuck://{emulators.devices['red']}"
        blind = run("robot", "calibrate", "--robot", address, "--method", "fit", "-o", "blind.toml", folder=tmp_path)
        assert "a fit needs positions and headings of the robot, measured by a camera" in blind.stderr
    with (
        EPuckEmulators(arena, serial=["red"]) as emulators,
        paddock.connect(f"epuck://{emulators.devices['red']}?type={tmp_path / 'red.toml'}", timeout=60) as known,
    ):
        assert known.spec.drive.measured == measured
        assert get_wheels(known.spec).right_to_left == pytest.approx(1.02, abs=0.004)
