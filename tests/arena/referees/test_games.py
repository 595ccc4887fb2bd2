"""The referees of maze, coverage, ring, foraging and meeting games against known trajectories."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.arena.metrics import Coverage
from paddock.arena.referees import REFEREES, make_referee, officiate
from paddock.core.errors import PaddockError, UnknownName
from paddock.simulation.worlds import RobotPlacement, Start, WorldSpec


def room(*robots, **options):
    """A room of 2 × 2 m with noise-free e-pucks: (name, x, y, heading in degrees)."""
    placed = tuple(
        RobotPlacement(name=name, type="e-puck", at=(x, y), heading_deg=heading, noise=False)
        for name, x, y, heading in robots
    )  # fmt: skip
    return paddock.open(WorldSpec(name="room", bounds=(0.0, 0.0, 2.0, 2.0), robots=placed, **options))


def drive(arena, **speeds):
    for name, speed in speeds.items():
        arena[name].wheels.set(speed, speed)


def test_all_shipped_referees_run_and_have_labels():
    worlds = {"laps": "line-track", "maze-race": "maze"}
    for name in REFEREES.builtin:
        with paddock.open(worlds.get(name, "line-crossing")) as arena, officiate(arena, name) as game:
            arena.step(2)
            assert set(game.scores) == set(arena)
            assert game.referee.label
            assert not game.finished
            assert make_referee(game.referee.to_table()) == game.referee


def test_time_to_goal_matches_distance():
    goal = (Start(name="goal", at=(1.5, 1.0)),)
    with room(("a", 0.5, 1.0, 0), ("b", 0.5, 0.5, 0), starts=goal) as arena, officiate(arena, "maze-race") as game:
        drive(arena, a=0.1, b=0.05)
        arena.run(20, until=game.is_over)
        speed = arena["a"].wheels.speeds.left
        assert game.referee.distances["a"] == pytest.approx(0.92)
        assert game.scores["a"] == pytest.approx(0.92 / speed, abs=0.03)  # but for the start
        assert game.scores["b"] == math.inf
        assert [(line.robot, line.place) for line in game.standings] == [("a", 1), ("b", 2)]
        assert not game.finished
    with pytest.raises(PaddockError, match="no start called 'exit' or 'goal'"):
        officiate(room(("a", 0.5, 1.0, 0)), "maze-race")


def test_unfinished_robots_are_ranked_by_distance_to_goal():
    with room(("far", 0.2, 0.2, 0), ("near", 0.8, 0.8, 0)) as arena:
        with officiate(arena, {"kind": "maze-race", "goal": [1.5, 1.5]}) as game:
            arena.step(5)
        assert [(line.robot, line.place) for line in game.standings] == [("near", 1), ("far", 2)]


def test_distance_to_goal_in_maze_follows_corridors():
    with paddock.open("maze") as arena, officiate(arena, "maze-race") as game:
        arena.step()
        assert game.referee.tie_break()["scout"] == pytest.approx(32 * 0.25)  # 33 cells from start to exit


def test_coverage_score_equals_coverage_metric():
    with paddock.open("clutter") as arena, officiate(arena, "coverage") as game:
        drive(arena, red=0.08)
        episode = arena.run(15, metrics=[Coverage()])
        assert game.scores == {"red": episode.robots["red"].metrics["visited"]}
        assert game.scores["red"] > 3


def test_robot_that_leaves_ring_is_out_and_last_one_wins():
    with room(("a", 1.0, 1.2, 0), ("b", 1.0, 1.0, 180), ("c", 1.0, 0.8, 0)) as arena:
        with officiate(arena, {"kind": "sumo", "radius": 0.5}) as game:
            drive(arena, a=0.1, b=0.05)
            arena.run(60, until=game.is_over)
        ahead = math.sqrt(0.5**2 - 0.2**2)
        assert game.scores["a"] == pytest.approx(ahead / arena["a"].wheels.speeds.left, abs=0.03)
        assert game.scores["b"] == pytest.approx(0.5 / arena["b"].wheels.speeds.left, abs=0.03)
        assert arena.time == pytest.approx(game.scores["b"], abs=arena.dt)
        assert [line.robot for line in game.standings] == ["c", "b", "a"]


def test_hill_scores_only_single_robot_on_it():
    hill = {"kind": "king-of-the-hill", "radius": 0.25}
    with room(("a", 0.5, 1.0, 0), ("b", 1.0, 1.7, -90)) as arena, officiate(arena, hill) as game:
        drive(arena, a=0.1)
        arena.run(4)  # a is at 0.9
        drive(arena, a=0.0)
        alone = game.scores["a"]
        assert alone == pytest.approx((0.9 - 0.75) / 0.1, abs=0.05)
        drive(arena, b=0.1)
        arena.run(4.4)  # b is not there before y = 1.25
        assert game.scores["a"] == pytest.approx(alone + 4.4, abs=0.05)
        arena.run(4)
        assert game.scores["a"] == pytest.approx(alone + 4.5, abs=0.1)
        assert game.scores["b"] == 0.0


def test_items_are_collected_once_by_first_robot():
    things = {"kind": "foraging", "things": [[0.8, 1.0], [1.2, 1.0], [1.6, 1.0]]}
    with room(("a", 0.5, 1.0, 0), ("b", 1.9, 1.0, 180)) as arena, officiate(arena, things) as game:
        drive(arena, a=0.1, b=0.1)
        arena.run(30, until=game.is_over)
        assert game.finished
        assert game.scores == {"a": 1.0, "b": 2.0} or game.scores == {"a": 2.0, "b": 1.0}
        times = sorted(time for collected in game.referee.collected.values() for time, _ in collected)
        assert times[:2] == pytest.approx([2.5, 2.5], abs=0.1)
    drawn = []
    for seed in (1, 1, 2):
        with paddock.open("clutter", seed=seed) as arena, officiate(arena, {"kind": "foraging", "count": 5}) as game:
            drawn.append(game.referee.left)
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 5


def test_robots_meet_when_they_stand_near_each_other():
    with room(("a", 0.5, 1.0, 0), ("b", 1.5, 1.0, 180), ("c", 1.5, 1.5, 0)) as arena:
        with officiate(arena, {"kind": "meet", "robots": ["a", "b"], "seconds": 0.5}) as game:
            drive(arena, a=0.1, b=0.1)
            arena.run(4.5)
            assert game.scores == {"a": math.inf, "b": math.inf}  # near, but they drive
            drive(arena, a=0.0, b=0.0)
            arena.run(5, until=game.is_over)
            assert game.scores["a"] == game.scores["b"] == pytest.approx(5.0, abs=0.15)
        with pytest.raises(UnknownName, match="bb"):
            officiate(arena, {"kind": "meet", "robots": ["a", "bb"]})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (
            {"kind": "foraging", "things": [[0.5, 0.5], [99, 0]]},
            r"things: \(99, 0\) is outside of empty: expected x from 0 to 2",
        ),
        ({"kind": "maze-race", "goal": [0.5, -1]}, r"goal: \(0.5, -1\) is outside of empty"),
        ({"kind": "sumo", "centre": [3, 1]}, r"centre: \(3, 1\) is outside of empty"),
        ({"kind": "meet", "robots": ["red", "red"]}, r"referee.robots: expected different robots, got 'red' twice"),
        ({"kind": "laps", "line": [[1, 0], [1, 0]]}, r"referee.line: expected two different points"),
        (
            {"kind": "laps", "line": [[1, 0], [1, 1]], "checkpoints": [[[0, 1], [0, 1]]]},
            r"referee.checkpoints\[0\]: expected two different points",
        ),
    ],
)
def test_impossible_options_are_refused(table, problem):
    with paddock.open("empty") as arena, pytest.raises(PaddockError, match=problem):
        officiate(arena, table)


def test_removed_robots_do_not_meet():
    with paddock.open("line-crossing") as arena, officiate(arena, "meet") as game:
        for name in list(arena.robots):
            arena.remove(name)
        arena.step(100)
        assert (game.error, game.finished) == ("", False)
