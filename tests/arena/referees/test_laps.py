"""Laps are counted exactly for any path."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import paddock
from arena.referees.circles import CENTRE, LAPS, circle_world, compute_turns, crossing_times, drive_circle, ray
from paddock.arena.referees import Laps, make_referee, officiate
from paddock.arena.referees.gates import Gates, Passage
from paddock.core.errors import PaddockError, SpecError
from paddock.simulation.worlds import Floor, RobotPlacement, Start, Stroke, Wall, WorldSpec, load_world

RING = ((0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5))


def test_laps_and_times_match_turns_around_centre():
    with paddock.open(circle_world(0.1, 0.2, 0.35), seed=3) as arena, officiate(arena, LAPS) as game:
        for name in arena:
            drive_circle(arena, name)
        path = [arena.poses[:, :2]]
        for _ in range(4000):
            arena.step()
            path.append(arena.poses[:, :2])
    for number, name in enumerate(arena):
        expected = crossing_times(compute_turns(np.array(path)[:, number]), arena.dt)
        assert game.scores[name] == len(expected) > 2
        assert game.referee.times[name] == pytest.approx(expected, abs=1e-4)
    assert [line.robot for line in game.standings] == ["robot-0", "robot-1", "robot-2"]
    assert game.error == ""


@given(st.lists(st.tuples(st.floats(-0.45, 0.6), st.floats(0.05, 0.45)), min_size=1, max_size=40))
def test_laps_of_any_path_match_its_turns_around_centre(steps):
    """For any path, back and forth, in and out, the laps equal its largest number of turns."""
    gates = Gates(np.array([np.ravel(ray(degrees)) for degrees in (0, 90, 180, 270)]))
    ends = np.cumsum([-0.01, *(more for more, _ in steps)])
    assume(ends.min() > -1)  # else it would first cross the line backwards, and begin there
    shares = np.arange(30) / 30  # short ways: straight ones stay near the arc
    turns = np.concatenate([before + shares * (after - before) for before, after in pairwise(ends)])
    radii = np.repeat([radius for _, radius in steps], len(shares))
    angles = 2 * math.pi * turns
    places = np.stack([CENTRE[0] + radii * np.cos(angles), CENTRE[1] + radii * np.sin(angles)], axis=1)
    passage = Passage(len(gates))
    for before, now in pairwise(places):
        for _, _, gate, direction in gates.crossings(before[None], now[None]):
            passage.cross(gate, direction)
    assert passage.laps_forwards == max(0, math.floor(turns.max()))


def test_reversing_at_line_is_no_lap():
    with paddock.open(circle_world(0.2)) as arena, officiate(arena, LAPS) as game:
        for _ in range(5):
            for speed in (0.1, -0.1):
                drive_circle(arena, "robot-0", speed)
                arena.step(100)
        assert game.scores == {"robot-0": 0.0}


def test_backward_lap_counts_only_in_either_direction():
    for direction, laps in (("forwards", 0.0), ("either", 2.0)):
        with paddock.open(circle_world(0.1)) as arena, officiate(arena, LAPS | {"direction": direction}) as game:
            x, y, heading = arena["robot-0"].pose
            arena["robot-0"].set_pose(x, y, heading + math.pi)
            half = arena["robot-0"].spec.drive.wheel_separation / 2
            arena["robot-0"].wheels.set(0.1 * (1 + half / 0.1), 0.1 * (1 - half / 0.1))
            arena.step(1000)
            assert game.scores["robot-0"] == laps


def test_missed_checkpoint_gives_no_lap_and_foul():
    """A small circle crosses only the line and the checkpoint at 90 degrees."""
    world = WorldSpec(
        name="cut",
        bounds=(0, 0, 2, 2),
        robots=(RobotPlacement(name="a", type="e-puck", at=(1.1, 0.95), heading_deg=90),),
    )
    cut = LAPS | {"checkpoints": [ray(45), [[1.0, 1.6], [1.0, 1.5]], ray(90)]}
    with paddock.open(world) as arena, officiate(arena, cut) as game:
        half = arena["a"].spec.drive.wheel_separation / 2
        arena["a"].wheels.set(0.1 * (1 - half / 0.1), 0.1 * (1 + half / 0.1))
        arena.step(1500)
        assert game.scores == {"a": 0.0}
        assert {foul.text for foul in game.fouls} == {"missed checkpoint 2"}


def test_teleport_across_line_is_no_lap():
    with paddock.open(circle_world(0.3)) as arena, officiate(arena, LAPS) as game:
        for _ in range(3):
            for degrees in (5, 95, 185, 275, 355):
                angle = math.radians(degrees)
                arena["robot-0"].set_pose(CENTRE[0] + 0.3 * math.cos(angle), CENTRE[1] + 0.3 * math.sin(angle))
                arena.step()
        assert game.scores == {"robot-0": 0.0}
        assert len(game.fouls) == 15
        assert game.fouls[0].text == "was moved by hand"


def test_laps_are_kept_when_robots_are_spawned_and_removed():
    with paddock.open(circle_world(0.1, 0.35)) as arena, officiate(arena, LAPS) as game:
        drive_circle(arena, "robot-0")
        arena.step(800)
        arena.spawn("late", "e-puck", at=(1.25, 0.98), heading=math.pi / 2)
        arena.remove("robot-1")
        half = arena["late"].spec.drive.wheel_separation / 2
        arena["late"].wheels.set(0.1 * (1 - half / 0.25), 0.1 * (1 + half / 0.25))
        arena.step(1000)
        assert game.scores == {"robot-0": 5.0, "robot-1": 0.0, "late": 1.0}


def test_reset_starts_new_game():
    with paddock.open(circle_world(0.1)) as arena, officiate(arena, LAPS) as game:
        drive_circle(arena, "robot-0")
        arena.step(1000)
        assert game.scores["robot-0"] == 3.0
        arena.reset()
        assert game.scores["robot-0"] == 0.0
        drive_circle(arena, "robot-0")
        arena.step(500)
        assert game.scores["robot-0"] == 1.0


# ---- the track of a world


def test_line_is_ahead_of_first_start_and_gates_cross_track():
    arena = paddock.open("line-track")
    with officiate(arena, "laps") as game:
        gates = game.referee.tracks[0].gates.ends
    assert len(gates) == 8
    assert gates[0] == pytest.approx([0.81, 0.07, 0.81, 0.37], abs=0.01)
    turned = load_world("line-track")
    turned = turned.with_robots(RobotPlacement(name="red", type="e-puck", at=(0.8, 0.22), heading_deg=180))
    with officiate(paddock.open(turned), "laps") as game:
        assert game.referee.tracks[0].gates.ends[0] == pytest.approx([0.79, 0.37, 0.79, 0.07], abs=0.01)


def test_each_robot_is_counted_on_lane_of_its_start():
    squares = [((0.5, 0.5 + y), (0.9, 0.5 + y), (0.9, 0.9 + y), (0.5, 0.9 + y)) for y in (0.0, 0.8)]
    strokes = tuple(Stroke(points=points, closed=True) for points in squares)
    starts = tuple(Start(name=f"lane-{i}", at=(0.7, 0.5 + 0.8 * i)) for i in range(2))
    robots = tuple(RobotPlacement(name=name, type="e-puck", start=f"lane-{i}") for i, name in enumerate("ab"))
    world = WorldSpec(name="lanes", bounds=(0, 0, 2, 2), floor=Floor(strokes=strokes), starts=starts, robots=robots)
    with paddock.open(world) as arena, officiate(arena, "laps") as game:
        assert [tuple(track.gates.ends[0].round(3)) for track in game.referee.tracks] == [
            (0.71, 0.35, 0.71, 0.65),
            (0.71, 1.15, 0.71, 1.45),
        ]
        assert game.referee._lanes == {"a": 0, "b": 1}


def test_gates_surround_closed_wall():
    robots = (RobotPlacement(name="a", type="e-puck", at=(1.0, 0.25)),)
    world = WorldSpec(name="island", bounds=(0, 0, 2, 2), walls=(Wall(points=RING[::-1], closed=True),), robots=robots)
    with paddock.open(world) as arena, officiate(arena, {"kind": "laps", "gates": 4}) as game:
        ends = game.referee.tracks[0].gates.ends
        assert ends == pytest.approx(
            np.array([[1.01, 0, 1.01, 0.5], [2, 1.01, 1.5, 1.01], [0.99, 2, 0.99, 1.5], [0, 0.99, 0.5, 0.99]])
        )


def test_errors_in_options_are_reported():
    for table, told in (
        ({"kind": "lapps"}, "referee.kind: unknown referee 'lapps' (did you mean 'laps'?)"),
        ({"kind": "laps", "lin": 1}, "referee.lin: unknown key (did you mean 'line'?)"),
        ({"kind": "laps", "gates": 2}, "referee.gates: expected gates >= 3 and <= 100, got 2"),
        ({"kind": "laps", "checkpoints": [ray(0)]}, "referee.line: missing: checkpoints need a line to start from"),
    ):
        with pytest.raises(SpecError) as error:
            make_referee(table)
        assert str(error.value) == told
    with pytest.raises(PaddockError, match="neither a closed line on its floor nor a closed wall"):
        officiate(paddock.open("empty"), "laps")
    assert make_referee(LAPS).to_table() == {"kind": "laps", **{key: LAPS[key] for key in ("line", "checkpoints")}}
    assert make_referee(Laps(gates=5)) == Laps(gates=5)
