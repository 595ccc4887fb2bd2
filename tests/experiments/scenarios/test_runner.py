"""A scenario runs to its end, deterministically."""

from __future__ import annotations

import json
import math
import re
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock import testing
from paddock.arena import episode_loop
from paddock.arena.base_arena import BaseArena
from paddock.arena.episode_plan import Pacer
from paddock.control.behaviours.tasks.motions import Wait
from paddock.core.errors import SimulationError
from paddock.core.observation import WheelSpeeds
from paddock.core.seeds import draw_uniform
from paddock.experiments.scenarios import ScenarioSpec, prepare, run_all, run_scenario, task, write_outputs
from paddock.simulation.robots import load_robot
from warm_start import start_python

TURN_AND_WANDER = (task("turn", degrees={"random": [-180, 180]}), task("wander", seconds=5), task("stop"))


def scenario(*tasks: Any, world: Any = "empty", **more: Any) -> ScenarioSpec:
    return ScenarioSpec.from_table({"name": "test", "world": world, "tasks": list(tasks or TURN_AND_WANDER), **more})


def test_equal_seeds_give_bit_identical_runs() -> None:
    first, second = (run_scenario(scenario(), seed=7) for _ in range(2))
    assert first.to_table() == second.to_table()
    assert first.digest == second.digest


def test_reading_sensors_does_not_change_run() -> None:
    seen = run_scenario(scenario(), seed=7, every=0.5, on_step=lambda arena: arena["red"].sense())
    assert seen.to_table() == run_scenario(scenario(), seed=7).to_table()


def test_different_seeds_draw_different_parameters() -> None:
    spec = scenario(task("turn", degrees={"random": [-180, 180]}))
    draws = {run_scenario(spec, seed=seed).tasks[0].parameters["degrees"] for seed in range(5)}
    assert len(draws) == 5


COUNTING = """
from dataclasses import dataclass
from paddock.control.behaviours.tasks import Task, TaskSpec

@dataclass(frozen=True, kw_only=True, slots=True)
class CountSpec(TaskSpec):
    ticks: int

class Count(Task[CountSpec]):
    parameters = CountSpec
    moves = drives = False

    def decide(self, observation, elapsed):
        return self.end("counted") if elapsed >= self.spec.ticks * self.context.dt else (0.0, 0.0)
"""


def test_integer_parameters_are_drawn_as_integers(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    spec = scenario({"task": f"{tmp_path / 'counting.py'}:Count", "ticks": {"random": [1, 4]}})
    draws = [run_scenario(spec, seed=seed).tasks[0].parameters["ticks"] for seed in range(20)]
    assert set(draws) == {1, 2, 3, 4}
    assert all(isinstance(drawn, int) for drawn in draws)


def test_scenario_name_is_refused_and_metrics_may_be_named() -> None:
    with pytest.raises(
        paddock.PaddockError, match=r"expected a ScenarioSpec, got 'turn-and-go'; load_scenario\('turn-and-go'\)"
    ):
        run_scenario("turn-and-go", seed=1)  # type: ignore[arg-type]
    result = run_scenario(scenario(task("wait", seconds=0.1)), seed=1, metrics=["distance", "coverage"])
    assert result.episode.metrics["visited"] == 1
    with pytest.raises(paddock.PaddockError, match="every: expected seconds > 0"):
        run_scenario(scenario(), seed=1, every=0)


def test_draw_depends_only_on_seed_task_and_key() -> None:
    turn = task("turn", degrees={"random": [-180, 180]})
    go = task("go-to", x={"random": [0, 1]}, y={"random": [0, 1]}, seconds=3)
    assert turn.draw(3, 0) == turn.draw(3, 0)
    assert turn.draw(3, 0) != turn.draw(3, 1)
    drawn, other = go.draw(3, 0), task("go-to", y={"random": [0, 1]}, x=0.5).draw(3, 0)
    assert drawn.table()["x"] != drawn.table()["y"]
    assert drawn.table()["y"] == other.table()["y"]


def test_draws_are_equal_on_every_machine() -> None:
    assert draw_uniform(0, 0, "degrees") == pytest.approx(0.20898781, abs=1e-7)


@given(seed=st.integers(0, 2**63 - 1), low=st.floats(-180, 180), width=st.floats(0, 100))
def test_draw_lies_in_its_range(seed: int, low: float, width: float) -> None:
    drawn = task("turn", degrees={"random": [low, low + width]}).draw(seed, 0).table()["degrees"]
    assert low <= drawn <= low + width


def test_every_choice_is_drawn() -> None:
    follow = task("wall-follow", follower="min", gain=1.3, direction="random")
    assert {follow.draw(seed, 2).table().get("direction", "cw") for seed in range(20)} == {"cw", "ccw"}
    wait = task("wait", seconds={"choice": [1, 2, 3]})
    assert {wait.draw(seed, 0).table()["seconds"] for seed in range(30)} == {1, 2, 3}


def test_result_states_when_and_why_tasks_ended() -> None:
    result = run_scenario(scenario(task("wait", seconds=1), task("move", speed=0.1, seconds=2)), seed=0)
    assert [(t.name, t.began, t.ended, t.why, t.done) for t in result.tasks] == [
        ("wait", 0.0, 1.0, "1 s elapsed", True),
        ("move", 1.0, 3.0, "2 s elapsed", True),
    ]
    assert (result.ended, result.complete) == ("all tasks have ended", True)
    assert (result.seconds, result.episode.ticks) == (3.0, 150)
    assert result.distance == pytest.approx(0.2, rel=0.01)


def test_time_limit_ends_run() -> None:
    result = run_scenario(scenario(task("wait", seconds=60), task("stop"), stop={"seconds": 2}), seed=0)
    assert (result.ended, result.seconds, result.complete) == ("2 s elapsed", 2.0, False)
    assert [t.why for t in result.tasks] == ["2 s elapsed"]


def test_contact_ends_run_if_configured() -> None:
    into_the_wall = task("move", speed=0.12, seconds=30)
    off = {"enabled": False}
    result = run_scenario(scenario(into_the_wall, safety=off, stop={"contact": True}), seed=0)
    assert (result.ended, result.contact_time) == ("contact", 0.02)
    result = run_scenario(scenario(into_the_wall, safety=off), seed=0)
    assert result.ended == "all tasks have ended"
    assert result.contact_time > 10


def test_ctrl_c_ends_run_with_result_and_stops_robot() -> None:
    arenas: list[BaseArena] = []

    def press(arena: BaseArena) -> None:
        arenas.append(arena)
        if arena.tick == 50:
            raise KeyboardInterrupt

    result = run_scenario(scenario(task("move", speed=0.1, seconds=9), task("stop")), seed=0, on_step=press)
    assert (result.ended, result.interrupted, result.complete, result.seconds) == ("interrupted", True, False, 1.0)
    assert [t.why for t in result.tasks] == ["interrupted"]
    arenas[-1].step()
    assert arenas[-1]["red"].wheels.speeds == (0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for one process")
def test_sigint_ends_process_with_result() -> None:
    program = """
from paddock.experiments.scenarios import ScenarioSpec, run_scenario, task
spec = ScenarioSpec(name="long", world="empty", tasks=(task("wait", seconds=500),))
started = lambda arena: arena.tick == 1 and print("started", flush=True)
print(run_scenario(spec, seed=0, speed=1, on_step=started).ended)
"""
    with start_python(["-c", program]) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120)[0] == "interrupted\n"
    assert process.returncode == 0


def test_ctrl_c_ends_series_of_runs() -> None:
    def press(arena: BaseArena) -> None:
        if arena.seed == 1:
            raise KeyboardInterrupt

    results = list(run_all(scenario(task("wait", seconds=1), seeds=5), on_step=press))
    assert [(r.seed, r.interrupted) for r in results] == [(0, False), (1, True)]


def test_series_has_one_run_per_seed_and_repetition() -> None:
    spec = scenario(task("wait", seconds=0.1), seeds=[4, 9], repetitions=3)
    seeds = [result.seed for result in run_all(spec)]
    assert seeds == spec.run_seeds()
    assert len(set(seeds)) == 6
    assert (seeds[0], seeds[3]) == (4, 9)


def test_speed_paces_run(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(episode_loop, "Pacer", partial(Pacer, now=lambda: sum(slept), sleep=slept.append))
    result = run_scenario(scenario(task("wait", seconds=1)), seed=0, speed=4)
    assert sum(slept) == pytest.approx(result.seconds / 4, abs=0.02)
    with pytest.raises(SimulationError, match="speed"):
        run_scenario(scenario(), seed=0, speed=0)


def test_trace_has_row_per_tick_and_event_per_task() -> None:
    result = run_scenario(scenario(task("turn", degrees=30), task("move", speed=0.1, seconds=1)), seed=0)
    trace = result.episode.trace
    assert len(trace) == result.episode.ticks + 1  # and the end
    assert [span.task for span in trace.spans()] == ["turn", "move", ""]
    assert [event.text for event in trace.events][:1] == ["task 1: turn (degrees = 30.0)"]
    assert trace.events[-1].text == "ended: all tasks have ended"
    assert {"encoders.0", "proximity.7"} <= set(trace.channels())
    assert math.dist(trace.estimated_pose[-1, :2], trace.pose[-1, :2]) < 0.01


def test_tasks_of_same_name_are_separate_spans_of_trace() -> None:
    tasks = [task("turn", degrees=30), task("turn", degrees=-60), task("wait", seconds=1)]
    trace = run_scenario(scenario(*tasks), seed=0).episode.trace
    first, second, *_ = trace.spans()
    assert [span.task for span in trace.spans()] == ["turn", "turn", "wait", ""]
    assert 0 < first.end == second.start < second.end
    stopped = run_scenario(scenario(task("wait", seconds=9), stop={"seconds": 2.0}), seed=0).episode.trace
    assert [span.task for span in stopped.spans()] == ["wait", ""]


def test_odometry_estimate_follows_true_pose_on_both_robots() -> None:
    for world in ("empty", "wall-loop"):
        trace = run_scenario(scenario(task("wander", seconds=30), world=world), seed=2).episode.trace
        assert abs(trace.estimated_pose[1:] - trace.pose[1:])[:, :2].max() < 0.05


def test_larger_assumed_wheel_diameter_lengthens_estimate() -> None:
    def ends(**odometry: float) -> tuple[Any, Any]:
        spec = scenario(task("move", speed=0.3, seconds=4), world="wall-loop", odometry=odometry)
        trace = run_scenario(spec, seed=0).episode.trace
        return trace.estimated_pose[-1] - trace.pose[0], trace.pose[-1] - trace.pose[0]

    exact, way = ends()
    doubled, same_way = ends(wheel_diameter=2 * load_robot("pioneer-p3dx").drive.wheel_diameter)
    assert exact[0] == pytest.approx(way[0], abs=0.01)
    assert doubled[0] == pytest.approx(2 * same_way[0], abs=0.02)
    assert same_way[0] == pytest.approx(way[0])


def test_larger_assumed_wheel_separation_increases_turn() -> None:
    odometry = {"wheel_separation": 2 * load_robot("e-puck").drive.wheel_separation}
    result = run_scenario(scenario(task("turn", degrees=90), odometry=odometry), seed=0)
    assert result.complete
    pose = result.episode.trace.pose
    assert math.degrees(pose[-1, 2] - pose[0, 2]) % 360 == pytest.approx(180, abs=2)


TEAM = {
    "name": "team",
    "world": "line-crossing",
    "safety": {"enabled": False},
    "team": [
        {"robot": "red", "tasks": [{"task": "turn", "degrees": {"random": [20, 90]}}]},
        {"robot": "blue", "tasks": [{"task": "wait", "seconds": 3}, {"task": "turn", "degrees": 10}]},
    ],
}


def test_robots_of_team_do_own_tasks_concurrently() -> None:
    result = run_scenario(ScenarioSpec.from_table(TEAM), seed=1)
    assert result.complete
    assert [(t.robot, t.name) for t in result.tasks] == [("red", "turn"), ("blue", "wait"), ("blue", "turn")]
    assert set(result.episode.robots) == {"red", "blue"}
    assert result.tasks[1].began == 0.0
    assert ScenarioSpec.from_toml(ScenarioSpec.from_table(TEAM).to_toml()) == ScenarioSpec.from_table(TEAM)


def test_scenario_runs_on_existing_arena() -> None:
    plan = prepare(scenario(task("turn", degrees=45), world="empty"))
    with paddock.open("clutter", seed=4) as arena:
        result = run_scenario(plan, seed=4, arena=arena)
        assert result.complete
        assert math.degrees(arena["red"].pose.heading) == pytest.approx(90 + 45, abs=2)


def test_scenario_runs_with_another_robot_of_arena(tmp_path: Path) -> None:
    plan = prepare(scenario(task("turn", degrees=45)))
    with paddock.open("line-crossing", seed=4) as arena:
        before = arena["red"].pose, arena["blue"].pose
        result = run_scenario(plan, seed=4, arena=arena, robot="blue")
        assert result.complete
        assert {task.robot for task in result.tasks} == {"blue"}
        assert result.world.name == "line-crossing"
        assert arena["red"].pose == before[0]
        assert abs(arena["blue"].pose.heading - before[1].heading) > 0.5
        with pytest.raises(paddock.UnknownName, match="green"):
            run_scenario(plan, seed=4, arena=arena, robot="green")
        with pytest.raises(SimulationError, match="this scenario drives red, blue: leave robot out"):
            run_scenario(ScenarioSpec.from_table(TEAM), seed=4, arena=arena, robot="blue")
    folder = write_outputs(plan, result, tmp_path)[0].parent
    assert json.loads((folder / "summary.json").read_text())["world"] == "line-crossing"


def test_reset_of_served_arena_restarts_run_and_estimate() -> None:
    spec = scenario(task("move", speed=0.1, seconds=1), task("wait", seconds=60), stop={"seconds": 2})
    with testing.serve("empty") as server, paddock.connect(server.url(scheme="ws")) as arena:
        start = arena["red"].pose
        arena["red"].set_pose(0.3, 0.3, 0.0)
        arena.step(100)
        resets = []

        def reset(arena: BaseArena) -> None:
            if not resets and arena.time >= 2.5:
                resets.append(arena.time)
                arena.reset()

        result = run_scenario(spec, seed=0, arena=arena, on_step=reset)
    trace = result.episode.trace
    assert resets
    assert (result.ended, result.seconds) == ("2 s elapsed", 2.0)
    assert trace.pose[0, :2] == pytest.approx(start[:2])
    assert abs(trace.estimated_pose - trace.pose)[:, :2].max() < 0.01


def test_failing_task_keeps_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Wait, observation: Any, elapsed: float) -> Any:
        if elapsed > 0.5:
            raise ValueError("no more")
        return WheelSpeeds(0.0, 0.0)

    monkeypatch.setattr(Wait, "decide", fail)
    result = run_scenario(scenario(task("wait", seconds=2)), seed=0)
    assert isinstance(result.error, ValueError)
    assert result.ended.endswith("ValueError: no more")
    assert len(result.episode.trace) > 25


def write_log(tmp_path: Path, level: str) -> str:
    """Run a scenario whose wall follower is faster than its robot, and return the lines of its log without settings."""
    (tmp_path / "rush.py").write_text(RUSH)
    spec = scenario(
        task("turn", degrees=90),
        {"task": f"{tmp_path / 'rush.py'}:Rush"},
        outputs={"folder": level, "files": ["log", "summary"], "log_level": level},
    )
    plan = prepare(spec)
    write_outputs(plan, run_scenario(plan, seed=1), tmp_path)
    return (tmp_path / f"{level}-001" / "run.log").read_text().partition("\n\n      ")[2]


RUSH = """
from paddock.control.behaviours.tasks import Task, TaskSpec

class Rush(Task):
    parameters = TaskSpec

    def decide(self, observation, elapsed):
        return self.end("arrived") if elapsed > 1 else (0.15, 0.15)
"""


def test_log_warns_of_capped_commands_and_has_turns_of_the_wheels(tmp_path: Path) -> None:
    log = write_log(tmp_path, "info")
    assert re.search(r"warning: \d+ commands were capped at 0.128805 m/s, the maximum wheel speed", log)
    turns = json.loads((tmp_path / "info-001" / "summary.json").read_text())["robots"]["red"]["wheel_turns"]
    diameter = load_robot("e-puck").drive.wheel_diameter
    assert sum(turns) / 2 == pytest.approx(1.0 * 0.1288 / (math.pi * diameter), rel=0.05)  # of the drive straight on
    assert f"left {turns[0]:.2f}, right {turns[1]:.2f}" in log


@pytest.mark.parametrize(
    ("level", "tasks", "motion"), [("warning", False, False), ("info", True, False), ("debug", True, True)]
)
def test_log_level_selects_events(tmp_path: Path, level: str, tasks: bool, motion: bool) -> None:
    log = write_log(tmp_path, level)
    assert "commands were capped" in log
    assert "ended: all tasks have ended" in log
    assert ("task 1: turn" in log) is tasks
    assert ("commanded" in log.replace("commands", "")) is motion


def test_only_requested_outputs_are_written(tmp_path: Path) -> None:
    plan = prepare(scenario(task("move", seconds=2), outputs={"folder": "mine", "files": ["trace", "report"]}))
    result = run_scenario(plan, seed=0)
    files = write_outputs(plan, result, tmp_path)
    assert {file.name for file in files} == {"trace.csv", "report.html"}
    assert files[0].parent == tmp_path / "mine-001"


def test_robot_pose_and_type_can_be_changed() -> None:
    change = {
        "name": "red",
        "at": [0.5, 0.4],
        "heading_deg": 90,
        "type": {"base": "e-puck", "drive": {"max_speed": 0.2}},
    }
    plan = prepare(scenario(task("move", speed=0.2, seconds=1), robot=change, world={"base": "empty", "dt": 0.01}))
    poses: list[Any] = []
    run_scenario(plan, seed=0, on_step=lambda arena: poses.append(arena["red"].pose))
    assert poses[-1].x == pytest.approx(0.5, abs=1e-3)
    assert poses[-1].y == pytest.approx(0.6, abs=5e-3)
    assert len(poses) == 100


def test_named_start_replaces_position() -> None:
    world = {"base": "empty", "starts": [{"name": "corner", "at": [0.2, 0.2], "heading_deg": 45}]}
    plan = prepare(scenario(task("stop"), world=world, robot={"name": "red", "start": "corner"}))
    assert plan.world.robots[0].start == "corner"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"follower": "geometry"}, r"tasks\[0\]\.task: robot 'red' \(e-puck\): this wall follower needs sensors from"),
        ({"follower": "pid", "reverse": True}, r"tasks\[0\]\.task: .*reverse: needs the sixteen sonars of a Pioneer"),
        ({"follower": "pid", "clearance": 9.0}, r"tasks\[0\]\.task: .*clearance: expected less than the sensor range"),
    ],
)
def test_wall_follower_that_does_not_fit_robot_is_refused_before_running(parameters: Any, message: str) -> None:
    with pytest.raises(paddock.SpecError, match=message):
        prepare(scenario(task("wall-follow", **parameters)))
