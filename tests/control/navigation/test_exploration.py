"""Tests of frontiers, their selection, the blacklist, and whole explorations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import paddock as paddock_lab
from command_line import paddock
from control.navigation.rooms import TWO_ROOMS, open_rooms
from marks import mostly
from paddock.arena import make_mapper
from paddock.arena.episodes import Trace
from paddock.control.navigation import EXPLORATION, CostMap, Explorer, Footprint, find_frontiers, search_grid
from paddock.control.navigation.exploration import Blacklist, first_of_tour
from paddock.core.geometry import Disc
from paddock.perception.mapping import GridFrame, load_map
from paddock.testing import wait_for
from warm_start import start_python

FRAME = GridFrame(0.0, 0.0, 0.1, 40, 60)
BODY = Footprint.of(Disc(0.0, 0.0, 0.2))


def known_room() -> np.ndarray:
    """Return a known room of 2.8 m × 3.8 m with a door of 1 m on the right; all else is unknown."""
    states = np.full(FRAME.shape, -1, np.int8)
    states[1:39, 1:29] = 0
    states[[0, 39], :30] = states[:, [0, 29]] = 1
    states[15:25, 29] = 0
    return states


def test_frontier_lies_at_the_edge_of_known_space_with_a_frontal_view() -> None:
    costmap = CostMap.of(known_room(), FRAME, BODY)
    (frontier,) = find_frontiers(costmap, search_grid(costmap.costs, (20, 5)))
    assert frontier.centre == pytest.approx((2.95, 2.0), abs=0.2)
    assert frontier.length == pytest.approx(1.0)
    assert abs(frontier.view.heading) < 0.6
    assert costmap.is_free(frontier.view)
    assert frontier.gain > 1.0


def test_unreachable_or_short_frontiers_are_ignored() -> None:
    states = known_room()
    states[12:28, 20] = 1  # a screen before the door leaves gaps that are too narrow
    states[[12, 28], 20:29] = 1
    costmap = CostMap.of(states, FRAME, BODY)
    assert find_frontiers(costmap, search_grid(costmap.costs, (20, 5))) == []
    states = known_room()
    states[16:25, 29] = 1
    costmap = CostMap.of(states, FRAME, BODY)
    assert find_frontiers(costmap, search_grid(costmap.costs, (20, 5))) == []


def test_tour_starts_at_the_frontier_that_would_be_left_behind() -> None:
    places = np.array([1.0, -1.5, 2.0, 8.0])  # on a line, from 0
    between = np.abs(places[:, None] - places)
    assert first_of_tour(np.abs(places), between, np.zeros(4), 1.0, np.empty((16, 4))) == 1


def test_tour_prefers_high_gain_unless_the_detour_is_too_long() -> None:
    places, worths = np.array([-1.0, 2.0, 3.0]), np.array([0.0, 0.0, 20.0])
    between = np.abs(places[:, None] - places)
    assert first_of_tour(np.abs(places), between, worths, 1.0, np.empty((8, 3))) == 1  # on the way to the last
    assert first_of_tour(np.abs(places), between, worths, 50.0, np.empty((8, 3))) == 0


def test_failed_goals_are_blacklisted_longer_each_time() -> None:
    blacklist = Blacklist(radius=0.4, seconds=60.0)
    blacklist.add((1.0, 1.0), 0.0)
    assert not blacklist.holds((1.1, 1.1), 1.0)  # the first time is forgiven
    blacklist.add((1.1, 1.0), 2.0)
    assert blacklist.holds((1.0, 1.0), 61.0)
    assert not blacklist.holds((2.0, 1.0), 3.0)
    assert not blacklist.holds((1.0, 1.0), 62.0)
    assert blacklist.unblock((1.0, 1.0), 3.0)
    blacklist.add((1.0, 1.0), 5.0)
    assert blacklist.holds((1.0, 1.0), 120.0)
    assert not blacklist.unblock((1.0, 1.0), 6.0)


@pytest.mark.heavy
@pytest.mark.parametrize("method", mostly(["tour"], EXPLORATION.builtin))
def test_flat_is_explored_without_contact_and_the_run_ends(method: str) -> None:
    with open_rooms() as arena:
        robot = arena["pioneer"]
        explorer = Explorer(make_mapper(robot, pose=robot.pose), robot.spec, method=method)
        episode = arena.run(300, explorer)
    assert episode.trace.contacts.max() == 0
    states, frame = explorer.mapper.grid.states(), explorer.mapper.grid.frame
    assert (states[frame.cell(5.8, 3.3)], states[frame.cell(5.8, 0.2)]) == (0, 0)
    assert (states >= 0).sum() * frame.resolution**2 > 20.0  # of 21 m²
    assert episode.reason == "explored: no reachable frontier is left"
    assert explorer.state == episode.reason
    assert not len(explorer.map_view.frontiers)
    assert {"driving", "turning"} & set(episode.trace.tasks)


@pytest.mark.heavy
def test_small_robot_explores_a_maze_without_contact() -> None:
    with paddock_lab.open("maze", seed=1) as arena:
        robot = arena["scout"]
        explorer = Explorer(make_mapper(robot, pose=robot.pose), robot.spec)
        episode = arena.run(80, explorer)
    assert episode.trace.contacts.max() == 0
    assert explorer.growth[-1][1] > explorer.growth[0][1]
    assert not explorer.done  # with cells of 5 cm it takes narrow corridors for walls


def test_robot_with_three_beams_looks_around_before_it_finishes() -> None:
    with paddock_lab.open("maze", seed=12) as arena:
        robot = arena["scout"]
        explorer = Explorer(make_mapper(robot, pose=robot.pose, resolution=0.05), robot.spec)
        arena.run(2.0, explorer)
    assert not explorer.done
    assert explorer.current is not None


@pytest.mark.heavy
def test_exploration_is_deterministic_per_seed() -> None:
    digests = set()
    for _ in range(2):
        with open_rooms(seed=3) as arena:
            robot = arena["pioneer"]
            explorer = Explorer(make_mapper(robot, pose=robot.pose), robot.spec, follower="mppi", seed=3)
            digests.add((arena.run(12, explorer).digest, explorer.mapper.grid.digest()))
    assert len(digests) == 1


@pytest.mark.heavy
def test_map_with_an_abandoned_frontier_is_incomplete() -> None:
    done = paddock("map", "explore", "line-track", "--headless", "--seconds", "60")
    assert "except those that were visited three times in vain" in " ".join(done.stdout.split())
    assert done.returncode == 1


@pytest.mark.heavy
def test_command_writes_the_map_and_its_quality(tmp_path: Path) -> None:
    world = tmp_path / "flat.toml"
    world.write_text(TWO_ROOMS.to_toml(), encoding="utf-8")
    done = paddock("map", "explore", str(world), "--headless", "--out", str(tmp_path / "runs"), "--mapping", "odometry")
    assert done.returncode == 0, done.stderr
    assert "0 frontiers left" in done.stdout
    assert "reachable space mapped" in done.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    assert json.loads((folder / "map_quality.json").read_text())["mapped"] > 0.9
    assert json.loads((folder / "summary.json").read_text())["config"]["mapping"] == "odometry"
    done = paddock("map", "explore", str(world), "--headless", "--seconds", "1")
    assert done.returncode == 1
    assert "not finished after 1 s" in done.stdout
    assert {"map.yaml", "map.pgm", "map_view.png", "coverage.png", "trace.csv"} <= {f.name for f in folder.iterdir()}


@pytest.mark.heavy
def test_killed_exploration_keeps_its_trace_and_map(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    options = ["--headless", "--method", "random-walk", "--seconds", "100000", "--out", str(runs)]
    with start_python(["-m", "paddock", "map", "explore", "yellow-rooms", *options]) as process:
        wait_for(lambda: list(runs.glob("*/map.yaml")))
        (folder,) = runs.iterdir()
        wait_for(lambda: (folder / "trace.csv").read_bytes().count(b"\n") > 10)
        process.kill()
    trace = Trace.load(folder / "trace.csv")
    assert len(trace) > 5
    assert len(trace) == round(trace.time[-1] / trace.dt) + 1
    assert load_map(folder / "map.yaml").frame.rows
    assert not (folder / "summary.json").exists()
