"""Referees in use: custom referees, errors, CPU budget, fouls and the start signal."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import paddock
from command_line import paddock as command
from paddock.arena.referees import Referee, make_referee, officiate, rank
from paddock.core.errors import PaddockError
from paddock.simulation.worlds import RobotPlacement, WorldSpec

OWN = '''
from dataclasses import dataclass
from paddock.arena.episodes import Foul
from paddock.arena.referees import Referee

@dataclass(kw_only=True)
class Northmost(Referee):
    """Who was farthest up."""
    label = "metres up"
    unit = "m"
    from_y: float = 0.0

    def start(self, arena):
        self.best = dict.fromkeys(arena, 0.0)

    def tick(self, arena):
        for name, robot in arena.robots.items():
            self.best[name] = max(self.best[name], robot.pose.y - self.from_y)

    def score(self):
        return self.best

    def fouls(self):
        return [Foul(robot=name, time=0.0, text="is too low") for name, y in self.best.items() if y < 0.1]
'''


class Failing(Referee):
    """A referee that fails at every second call."""

    period = 0.1

    def start(self, arena):
        self.calls = 0

    def tick(self, arena):
        self.calls += 1
        if self.calls % 2:
            raise ZeroDivisionError("a mistake")

    def score(self):
        return {"red": self.calls}


class Slow(Failing):
    """A referee that takes ten milliseconds of CPU time per call."""

    def tick(self, arena):
        self.calls += 1
        sum(range(400_000))


def face_to_face(**options):
    robots = (
        RobotPlacement(name="a", type="e-puck", at=(0.5, 0.5)),
        RobotPlacement(name="b", type="e-puck", at=(0.8, 0.5), heading_deg=180),
    )
    return paddock.open(WorldSpec(name="pair", bounds=(0.0, 0.0, 2.0, 1.0), robots=robots, **options))


def test_custom_referee_is_loaded_from_file(tmp_path: Path):
    (tmp_path / "mine.py").write_text(OWN)
    table = {"kind": "mine.py:Northmost", "from_y": 0.2}
    with face_to_face() as arena, officiate(arena, table, folder=tmp_path) as game:
        arena["a"].set_pose(0.5, 0.25)
        arena.step()
        assert game.scores == {"a": pytest.approx(0.05), "b": pytest.approx(0.3)}
        assert [foul.text for foul in game.fouls] == ["was moved by hand", "is too low"]
        assert game.referee.unit == "m"
    done = command("run", "line-crossing", "--headless", "--seconds", "1", "--referee", "mine.py:Northmost",
                   folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "metres up" in done.stdout


def test_referee_is_called_once_per_period_of_simulated_time():
    with paddock.open("empty") as arena:
        calls = []

        class Counting(Failing):
            def tick(self, arena):
                calls.append(arena.tick)

            def score(self):
                return {}

        with officiate(arena, Counting()):
            arena.step(11)
            arena.step(5)
        arena.step(10)
        assert calls == [5, 10, 15]


def test_errors_of_referee_are_reported_and_run_continues(caplog: pytest.LogCaptureFixture):
    with paddock.open("empty") as arena, officiate(arena, Failing()) as game:
        arena.run(1.0)
        assert game.scores == {"red": 10.0}
        assert "ZeroDivisionError: a mistake" in game.error
        assert "test_officiating.py line" in game.error
        assert caplog.text.count("the referee failed") == 1


def test_referee_that_always_fails_is_stopped(caplog: pytest.LogCaptureFixture):
    class Hopeless(Failing):
        def tick(self, arena):
            self.calls += 1
            raise ValueError(f"mistake {self.calls}")

    with paddock.open("empty") as arena, officiate(arena, Hopeless()) as game:
        arena.step(1000 * 5)
        assert game.referee.calls == 100
        assert "mistake 100; it was stopped after 100 failures in a row" in game.error
        assert caplog.text.count("the referee failed") == 100


def test_foul_list_is_limited_and_all_fouls_are_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("paddock.arena.referees.fouls.MAX_FOULS", 3)

    class Calm(Failing):
        def tick(self, arena):
            """Do nothing."""

        def score(self):
            return dict.fromkeys("ab", 0.0)

    with face_to_face() as arena, officiate(arena, Calm()) as game:
        for i in range(5):
            arena["a"].set_pose(0.5, 0.25 + 0.01 * i)
        assert len(game.fouls) == 3
        assert game.foul_counts == {"a": 5}
        assert {line.robot: line.fouls for line in game.standings}["a"] == 5


def test_referee_over_cpu_budget_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("paddock.arena.referees.budget.WARNING", 1e-4)
    monkeypatch.setattr("paddock.arena.referees.budget.LIMIT", 0.1)
    with paddock.open("empty") as arena, officiate(arena, Slow(), budget=1e-4) as game:
        arena.run(0.1)
        assert "ms of CPU per call, 0.1 ms are allowed" in game.error
        assert "stopped" not in game.error
        arena.run(20)
        assert "it was stopped, and scores no longer change" in game.error
        stopped = game.scores["red"]
        assert 1 < stopped < 200
        arena.run(1)
        assert game.scores["red"] == stopped
    with paddock.open("empty") as arena, officiate(arena, Slow()) as game:
        arena.run(2)
        assert game.error == ""


def test_only_robot_that_drives_into_another_commits_foul():
    with face_to_face() as arena, officiate(arena, "coverage") as game:
        arena["a"].wheels.set(0.1, 0.1)
        episode = arena.run(5)
        assert [(foul.robot, foul.text) for foul in game.fouls] == [("a", "drove into b")]
        assert game.fouls[0].time == pytest.approx(2.3, abs=0.1)
        assert "foul: a drove into b" in [event.text for event in episode.events]
        arena["a"].wheels.set(-0.1, -0.1)
        arena.run(1)
        arena["a"].stop()
        arena["b"].wheels.set(0.1, 0.1)
        arena.run(5)
        assert [foul.robot for foul in game.fouls] == ["a", "b"]
        assert {line.robot: line.fouls for line in game.standings} == {"a": 1, "b": 1}


def test_wall_contact_is_no_foul_and_sumo_permits_pushing():
    with paddock.open("empty") as arena, officiate(arena, "coverage") as game:
        arena["red"].wheels.set(0.12, 0.12)
        arena.run(30)
        assert arena["red"].contacts
        assert game.fouls == ()
    with face_to_face() as arena, officiate(arena, {"kind": "sumo", "radius": 2.0}) as game:
        arena["a"].wheels.set(0.1, 0.1)
        arena.run(5)
        assert arena["a"].contacts
        assert game.fouls == ()


def test_leaving_open_arena_is_foul_each_time():
    with face_to_face(open=True) as arena, officiate(arena, "coverage") as game:
        arena["b"].wheels.set(-0.12, -0.12)
        arena.run(14)
        arena["b"].wheels.set(0.12, 0.12)
        arena.run(8)
        assert [(foul.robot, foul.text) for foul in game.fouls] == [("b", "left the arena")]


def test_moving_before_start_signal_is_foul_and_scores_nothing():
    line = {"kind": "laps", "line": [[0.6, 0.3], [0.6, 0.7]], "direction": "either"}
    with face_to_face() as arena, officiate(arena, line, countdown=1.0) as game:
        arena["a"].wheels.set(0.05, 0.05)
        arena.run(0.5)
        assert game.seconds == pytest.approx(-0.5)
        assert game.scores == {}
        arena.run(1.0)
        assert [(foul.robot, foul.text) for foul in game.fouls] == [("a", "moved before the start signal")]
        assert game.seconds == pytest.approx(0.5)
        assert game.scores == {"a": 0.0, "b": 0.0}


def test_rules_can_be_disabled():
    with face_to_face() as arena, officiate(arena, {"kind": "coverage", "rules": ["leaving"]}) as game:
        arena["a"].wheels.set(0.1, 0.1)
        arena.run(3)
        arena["a"].set_pose(0.3, 0.3)
        arena.step()
        assert game.fouls == ()
    with pytest.raises(PaddockError, match="did you mean 'contact'"):
        make_referee({"kind": "coverage", "rules": ["contacts"]})


def test_equal_scores_share_place_and_lower_may_be_better():
    places = {line.robot: line.place for line in rank({"a": 3, "b": 5, "c": 3, "d": 1})}
    assert places == {"b": 1, "a": 2, "c": 2, "d": 4}
    lines = rank({"a": 3.0, "b": math.inf, "c": math.inf}, higher_is_better=False, tie_break={"b": 2.0, "c": 1.0})
    assert [(line.robot, line.place) for line in lines] == [("a", 1), ("c", 2), ("b", 3)]


def test_remote_arena_cannot_have_referee():
    with pytest.raises(PaddockError, match="expected an arena of this process"):
        officiate("clutter", "coverage")  # type: ignore[arg-type]
