"""Tests of the behaviours of AP2DX with both sets of constants."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.arena.controllers import load_controllers
from paddock.core.errors import PaddockError
from paddock.experiments.reproductions.ap2dx import CONSTANTS, FINAL, REPORT, Ap2dxBehaviours, BehaviourConstants
from paddock.network.nodes import load_modules, run_together
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import WorldSpec
from pages import DOCS


def drive(
    constants: BehaviourConstants, seconds: float, *, at: tuple[float, float], **things: object
) -> tuple[Ap2dxBehaviours, paddock.Trace]:
    robot = {"name": "pioneer", "type": "pioneer-p2dx", "at": list(at)}
    border = {"height": 1.2}
    table = {"name": "room", "bounds": [0, 0, 8, 6], "border": border, "robots": [robot], **things}
    arena = paddock.open(WorldSpec.from_table(table), seed=1)
    pioneer = arena["pioneer"]
    pioneer.enable("sonar", "encoders", "ins")
    behaviours = Ap2dxBehaviours(pioneer.spec, constants)
    return behaviours, arena.run(seconds, behaviours, every=0.1).trace


@pytest.mark.parametrize("constants", CONSTANTS.values(), ids=list(CONSTANTS))
def test_reflex_stops_before_a_wall(constants: BehaviourConstants) -> None:
    behaviours, trace = drive(constants, 60.0, at=(6.0, 3.0))
    assert behaviours.stops >= 1
    assert trace.contacts.max() == 0
    assert 7.4 < trace.pose[:, 0].max() < 7.8


def test_report_constants_turn_away_from_wall_and_final_ones_do_not() -> None:
    # Stopped at 0.3 m and backed by 0.15 m, the middle sonars see 0.4 m at once: that is deep enough to drive on.
    away, before = (drive(constants, 60.0, at=(6.0, 3.0))[1].pose for constants in (REPORT, FINAL))
    assert np.ptp(away[:, 2]) > np.radians(60)
    assert before[-1, 0] > 7.0


def test_robot_enters_a_gap_in_a_wall() -> None:
    wall = {"thickness": 0.1, "height": 1.2}
    walls = [{"points": [[0, 3.5], [4, 3.5]], **wall}, {"points": [[5.2, 3.5], [8, 3.5]], **wall}]
    behaviours, trace = drive(FINAL, 60.0, at=(1.0, 3.0), walls=walls)
    assert behaviours.holes >= 1
    assert trace.pose[:, 1].max() > 4.0
    assert trace.contacts.max() == 0


def test_robot_recovers_when_held_by_obstacle_below_sonars() -> None:
    sill = {"at": [4.0, 3.0], "size": [0.1, 3.0], "height": 0.1}
    behaviours, trace = drive(FINAL, 60.0, at=(3.0, 3.0), boxes=[sill])
    assert behaviours.times_stuck >= 1
    assert trace.contacts.max() >= 1
    assert np.ptp(trace.pose[:, 1]) > 0.3  # it turned away from the sill, and drove on


def test_report_threshold_classifies_slow_robot_as_stuck() -> None:
    behaviours, trace = drive(replace(REPORT, forward_speed=0.05), 25.0, at=(1.0, 3.0))
    assert behaviours.stops == 0
    assert behaviours.times_stuck == 1  # after a hundred readings, though nothing was in its way
    assert trace.contacts.max() == 0


def test_robot_without_eight_sonars_is_refused() -> None:
    with pytest.raises(PaddockError, match="needs 8 sonars"):
        Ap2dxBehaviours(load_robot("e-puck"))


def test_files_of_the_page_drive_as_a_controller_and_as_the_planner_of_the_modules(tmp_path: Path) -> None:
    page = (DOCS / "experiments" / "ap2dx.md").read_text(encoding="utf-8")
    for block, name in re.findall(r"^```(?:python|toml)\n(# ([\w.]+).*?)^```", page, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(block, encoding="utf-8")
    with paddock.open("yellow-rooms") as arena:
        arena["pioneer"].enable("sonar", "encoders", "ins")
        controllers = load_controllers(tmp_path / "drive.py", arena)
        assert controllers["pioneer"].constants.wall_distance == 0.4
        assert np.ptp(arena.run(10.0, controllers, every=0.1).trace.pose[:, :2], axis=0).max() > 1
    spec = load_modules(tmp_path / "ap2dx.toml")
    modules = run_together(replace(spec, lock_step=True, seconds=40.0))
    assert modules["coordinator"].contacts == 0
    assert modules["planner"].controller.constants.needed_depth == 0.6
    assert modules["planner"].controller.stops > 0
