"""Tests of the behaviours of AP2DX with both sets of constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import paddock
from paddock.core.errors import PaddockError
from paddock.experiments.reproductions.ap2dx import CONSTANTS, FINAL, REPORT, Ap2dxBehaviours, BehaviourConstants
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import WorldSpec


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
