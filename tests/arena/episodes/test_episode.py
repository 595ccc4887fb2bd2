"""Tests of episodes: metrics, traces, interventions and errors."""

from __future__ import annotations

import contextlib
import itertools
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena.episodes import Event, Trace
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.arena.metrics import (
    Avoidance,
    Closeness,
    ContactTime,
    Coverage,
    Distance,
    Goal,
    Line,
    MeanReading,
    PathProgress,
)
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.core.errors import PaddockError, PaddockWarning
from paddock.core.npz import read_npz, write_npz
from paddock.simulation.worlds.world_spec import RobotPlacement
from paddock.testing import serve


def all_metrics() -> list[Any]:
    return [Distance(), ContactTime(), Coverage(), Closeness(), Avoidance(speed=0.1), Goal(at=(1.4, 1.4))]


def explore(seconds: float = 6.0, **how: Any) -> tuple[paddock.Arena, Any]:
    arena = paddock.open("clutter", seed=3)
    arena["red"].enable("proximity", "encoders")
    return arena, arena.run(seconds, explorer(0.1), metrics=all_metrics(), **how)


def straight(observation: Any) -> tuple[float, float]:
    return 0.08, 0.08


def test_metrics_are_bit_identical_in_every_loop() -> None:
    arena, compiled = explore(every=0.02)
    _, in_python = explore(every=0.02, on_step=lambda arena: None)
    batch_result = paddock.batch("clutter", 2, seed=3).run(6.0, explorer(0.1), metrics=all_metrics(), every=0.02)
    world = batch_result.episode(0)
    assert compiled.digest == in_python.digest == world.digest
    results = [compiled.metrics, in_python.metrics, compiled.trace.evaluate(all_metrics(), arena.world), world.metrics]
    for name, value in results[0].items():
        bits = {np.float64(other[name]).tobytes() for other in results}
        assert bits == {np.float64(value).tobytes()}, name
    assert compiled.metrics["distance"] > 0.3
    assert np.array_equal(compiled.trace.numbers, in_python.trace.numbers, equal_nan=True)
    assert np.array_equal(compiled.trace.reading("proximity"), in_python.trace.reading("proximity"))


@pytest.mark.parametrize("every", [0.02, 0.1, 0.13, 5.9, 50.0])
def test_trace_of_a_world_of_a_batch_is_that_of_an_arena(every: float) -> None:
    metrics = [*all_metrics(), MeanReading(device="encoders")]
    goal = [Goal(at=(0.75, 1.1), name="near")]  # reached between two rows
    for seconds, chosen in ((6.0, metrics), (6.0, [*metrics[:-2], metrics[-1], *goal])):
        with paddock.open("clutter", seed=4) as arena:
            arena["red"].enable("proximity", "encoders")
            alone = arena.run(seconds, explorer(0.1), metrics=chosen, every=every)
        batch = paddock.batch("clutter", 2, seed=3)
        world = batch.run(seconds, explorer(0.1), metrics=chosen, every=every).episode(1)
        assert list(world.trace.columns()) == list(alone.trace.columns())
        assert np.array_equal(world.trace.numbers, alone.trace.numbers, equal_nan=True)
        for device in ("proximity", "encoders"):
            assert np.array_equal(world.trace.reading(device), alone.trace.reading(device))
        assert (world.events, world.reason, world.digest) == (alone.events, alone.reason, alone.digest)
        assert list(map(str, world.metrics.values())) == list(map(str, alone.metrics.values()))


def test_trace_of_a_batch_has_the_readings_of_every_robot() -> None:
    metrics = [MeanReading(device="ground", robot="blue")]
    with paddock.open("line-crossing", seed=0) as arena:
        arena["red"].enable("proximity")
        arena["blue"].enable("ground")
        alone = arena.run(2.0, {"red": explorer()}, metrics=metrics, every=0.3)
    batch_result = paddock.batch("line-crossing", 2).run(2.0, {"red": explorer()}, metrics=metrics, every=0.3)
    for name, record in batch_result.episode(0).robots.items():
        expected = alone.robots[name].trace.channels()
        assert record.trace.channels().keys() == expected.keys()
        assert all(np.array_equal(values, expected[label]) for label, values in record.trace.channels().items())


def test_batch_without_traces_has_episodes_without_rows() -> None:
    batch = paddock.batch("clutter", 2)
    assert len(batch.run(1.0, explorer(), metrics=[Closeness()]).episode(1).trace) == 0
    unread = batch.run(1.0, explorer(), every=0.1, readings=False).episode(1).trace
    assert len(unread) == 11
    assert not unread.readings


def test_tick_of_a_controller_crash_is_not_counted() -> None:
    arena = paddock.open("line-track", seed=1)
    (name,) = arena.robots

    def crash(observation: Any) -> tuple[float, float]:
        assert arena.tick < 10
        return 0.02, 0.02

    with pytest.raises(AssertionError):
        arena.run(1.0, {name: crash}, metrics=[Line()])
    assert arena.episode is not None
    assert arena.episode.ticks == 10
    assert arena.episode.robots[name].metrics["on_line"] == 1


@pytest.mark.parametrize("how", [{}, {"on_step": lambda arena: None}, {"every": 0.5, "on_step": lambda arena: None}])
def test_metrics_use_sensors_of_robots_without_controller(how: Any) -> None:
    arena = paddock.open("line-track", seed=1)
    (name,) = arena.robots
    arena.spawn("idle", "e-puck", at=(0.2, 0.2))
    metrics = [Line(), MeanReading(device="proximity")]
    episode = arena.run(1.0, {name: explorer(0.05)} if not how else {name: straight}, metrics=metrics, **how)
    assert episode.robots["idle"].metrics["off_centre"] == 1.0  # there is no line below it
    assert episode.robots["idle"].metrics["mean_reading"] == pytest.approx(0.07, rel=0.1)  # nothing is near


def test_metric_of_an_unknown_robot_is_refused() -> None:
    with pytest.raises(PaddockError, match="no robot called 'blue'"):
        paddock.open("clutter").run(1.0, straight, metrics=[Distance(robot="blue")])


def test_metric_of_a_camera_is_refused() -> None:
    arena = paddock.open("clutter")
    arena["red"].enable()
    with pytest.raises(PaddockError, match=r"red\.camera is a camera: policies and metrics cannot use images"):
        arena.run(1.0, straight, metrics=[MeanReading(device="camera")])


def test_metrics_do_not_depend_on_the_recording_period() -> None:
    often, seldom = explore(every=0.02)[1], explore(every=0.5)[1]
    assert {k: v for k, v in often.metrics.items() if k != "goal_time"} == {
        k: v for k, v in seldom.metrics.items() if k != "goal_time"
    }
    assert len(often.trace) == 301
    assert len(seldom.trace) == 13
    assert often.trace.time[-1] == seldom.trace.time[-1] == 6.0


def test_commanded_and_actual_wheel_speeds_are_separate_columns() -> None:
    with paddock.open("wall-loop", seed=0) as arena:  # its motors need time to speed up
        trace = arena.run(1.0, lambda seen: (0.5, 0.5), every=arena.dt).trace
    assert trace.commands[0].tolist() == [0.5, 0.5]
    assert trace.wheels[0].tolist() == [0.0, 0.0]
    assert 0 < trace.wheels[3, 0] < 0.5


def test_until_ends_a_run_with_its_reason() -> None:
    with paddock.open("empty", seed=0) as arena:
        goal = (arena["red"].pose.x + 0.2, arena["red"].pose.y)
        episode = arena.run(30, straight, until=paddock.reached(goal, 0.05))
        assert episode.reason == f"reached ({goal[0]:g}, {goal[1]:g})"
        assert 1 < episode.seconds < 3
        assert arena.run(0.1, straight, until=lambda arena: True).ticks == 0


def test_controller_crash_keeps_the_trace_and_stops_the_robot() -> None:
    def crash(observation: Any) -> tuple[float, float]:
        if observation.time > 0.5:
            raise IndexError("too far")
        return 0.1, 0.1

    with paddock.open("empty", seed=0) as arena:
        with pytest.raises(IndexError, match="too far"):
            arena.run(5, crash, metrics=[Distance()], every=arena.dt)
        episode = arena.episode
        assert episode is not None
        assert episode.reason.endswith("IndexError: too far")
        assert "test_episode.py line" in episode.reason
        assert (episode.failed, episode.culprit) == (True, "red")
        assert episode.metrics["distance"] == pytest.approx(0.052, abs=0.003)
        assert len(episode.trace) == 27
        arena.step()
        assert arena["red"].wheels.speeds == (0, 0)


@pytest.mark.parametrize("controller", [straight, explorer(0.1)], ids=["python", "compiled"])
def test_metric_crash_keeps_the_trace_and_stops_the_robot(controller: Any) -> None:
    class Broken(Distance):
        def compute_results(self, *_: Any) -> Any:
            raise ValueError("no figures")

    with paddock.open("clutter", seed=0) as arena:
        arena["red"].enable("proximity")
        with pytest.raises(ValueError, match="no figures"):
            arena.run(1.0, controller, metrics=[Broken()])
        assert arena.episode is not None
        assert arena.episode.failed
        assert arena.episode.ticks == 50
        assert len(arena.episode.trace) == 11
        arena.step()
        assert arena["red"].wheels.speeds == (0, 0)


def test_crash_in_an_attribute_of_a_controller_keeps_the_trace() -> None:
    class Wrong:
        def act(self, observation: Any) -> tuple[float, float]:
            self.time = observation.time
            return 0.05, 0.05

        @property
        def task(self) -> str:
            if getattr(self, "time", 0) > 0.5:
                raise KeyError("phase")
            return "go"

    with paddock.open("empty", seed=0) as arena:
        with pytest.raises(KeyError, match="phase"):
            arena.run(1.0, Wrong(), metrics=[Distance()], every=arena.dt)
        assert arena.episode is not None
        assert arena.episode.reason.endswith("KeyError: 'phase'")
        assert arena.episode.culprit == "red"
        assert arena.episode.trace.tasks == ("go",) * 26
        assert arena.episode.metrics["distance"] == pytest.approx(0.026, abs=0.001)


@pytest.mark.parametrize("fresh", [{"red": 5}, None])
def test_crash_while_controllers_are_renewed_keeps_the_duration(fresh: Any) -> None:
    with paddock.open("empty", seed=0) as arena:
        with pytest.raises((PaddockError, AttributeError)):
            arena.run(1.0, straight, on_step=lambda a: a.tick == 20 and a.reset(), renew=lambda: fresh)
        assert arena.episode is not None
        assert arena.episode.ticks == 20


def test_teleport_adds_no_distance_and_breaks_the_trail() -> None:
    def stand(observation: Any) -> tuple[float, float]:
        return 0.0, 0.0

    with paddock.open("empty", seed=0) as arena:

        def move(arena: Any) -> None:
            if arena.tick in (20, 40):
                arena["red"].set_pose(0.3 + 0.01 * arena.tick, 0.4)

        moved = threading.Thread  # someone else's hand, in another thread
        episode = arena.run(
            2.0, stand, metrics=[Distance()], every=arena.dt, on_step=lambda a: run_in(moved, lambda: move(a))
        )
    assert episode.metrics["distance"] == 0
    assert episode.trace.evaluate([Distance()])["distance"] == 0
    assert [event.kind for event in episode.interventions] == ["teleport", "teleport"]
    assert not episode.repeatable
    assert np.flatnonzero(episode.trace.jumps).tolist() == [20, 40]
    assert np.isnan(episode.trace.path()).any(axis=1).sum() == 2


@pytest.mark.parametrize("place", ["here", "lock-step", "free-running"])
def test_row_with_the_pose_after_a_teleport_has_the_jump(place: str) -> None:
    """The robot is moved between a step and the next row."""
    with contextlib.ExitStack() as stack:
        arena = hand = paddock.open("empty", seed=0)
        if place != "here":
            server = stack.enter_context(serve("empty", lock_step=place == "lock-step", speed=2))
            arena = stack.enter_context(paddock.connect(server.url()))
            hand = stack.enter_context(paddock.connect(server.url(), lock_step=False))
        calls = itertools.count()

        def move(arena: Any) -> bool:
            call = next(calls)
            if call == 10:
                run_in(threading.Thread, lambda: hand["red"].set_pose(0.8, 0.8))
            return call == 20

        trace = arena.run(60.0, {"red": straight}, every=arena.dt, until=move).robots["red"].trace
    steps = np.hypot(*np.diff(trace.pose[:, :2], axis=0).T)
    assert np.flatnonzero(trace.jumps).tolist() == [steps.argmax() + 1]
    assert trace.evaluate([Distance()])["distance"] == pytest.approx(steps.sum() - steps.max())


def run_in(thread: Any, work: Any) -> None:
    other = thread(target=work)
    other.start()
    other.join()


def test_interventions_of_the_program_keep_a_run_repeatable() -> None:
    def jump_once(arena: Any) -> None:
        if arena.tick == 10:
            arena["red"].set_pose(0.5, 0.5)

    with paddock.open("empty", seed=0) as arena:
        first = arena.run(1.0, straight, on_step=jump_once)
        assert [event.kind for event in first.events] == ["teleport", "end"]
        assert first.repeatable
        arena.reset()
        assert arena.run(1.0, straight, on_step=jump_once).digest == first.digest


class Counting:
    """A controller with a memory."""

    def __init__(self) -> None:
        self.calls = 0

    def reset(self) -> None:
        self.calls = 0

    def act(self, observation: Any) -> tuple[float, float]:
        self.calls += 1
        return 0.05, 0.05


def test_reset_restarts_the_run_with_fresh_controllers_and_trace() -> None:
    controller, resets = Counting(), []

    def press(arena: Any) -> None:
        if arena.tick == 30 and not resets:
            resets.append(arena.tick)
            run_in(threading.Thread, arena.reset)

    with paddock.open("empty", seed=0) as arena:
        episode = arena.run(1.0, controller, every=arena.dt, metrics=[Distance()], on_step=press)
        undisturbed = arena.digest()
        arena.reset()
        assert arena.run(1.0, Counting()).digest == undisturbed
    assert controller.calls == 50
    assert episode.trace.time[0] == 0
    assert len(episode.trace) == 51
    assert episode.events[0].kind == "reset"
    assert episode.repeatable  # it is the run from the start: only a reset came from outside
    assert episode.digest == undisturbed
    assert episode.metrics["distance"] == pytest.approx(0.05, abs=0.002)


def test_renewed_controllers_are_used_after_a_reset() -> None:
    made: list[Counting] = []

    def renew() -> dict[str, Any]:
        made.append(Counting())
        return {"red": made[-1]}

    first = Counting()
    with paddock.open("empty", seed=0) as arena:
        arena.run(1.0, first, renew=renew, on_step=lambda a: a.tick == 5 and len(made) == 0 and a.reset())
    assert (first.calls, made[0].calls) == (5, 50)


def test_controller_that_always_returns_none_causes_a_warning() -> None:
    with paddock.open("empty", seed=0) as arena, pytest.warns(PaddockWarning, match="always returned None") as told:
        arena.run(2.0, lambda observation: None)
    assert told[0].filename == __file__


def test_several_robots_have_separate_traces_and_metrics() -> None:
    with paddock.open("line-crossing", seed=0) as arena:
        episode = arena.run(1.0, {"red": straight}, metrics=[Distance()])
        assert set(episode.robots) == {"red", "blue"}
        assert episode.robots["red"].metrics["distance"] > 0.05
        assert episode.robots["blue"].metrics["distance"] == 0
        with pytest.raises(paddock.PaddockError, match=r"episode\.robots\['red'\]\.trace"):
            episode.trace  # noqa: B018


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_trace_survives_save_and_load(tmp_path: Any, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="the extra `data` is not installed")
    trace = explore(1.0)[1].trace
    path = tmp_path / f"trace-red.{ending}"
    trace.save(path)
    again = Trace.load(path)
    assert again.robot == "red"
    assert np.array_equal(again.numbers, trace.numbers, equal_nan=True)
    assert np.array_equal(again.reading("proximity"), trace.reading("proximity"))
    assert [event.text for event in again.events] == [event.text for event in trace.events]
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["file", "about", "allow_pickle", "time_", "error"])
def test_devices_with_any_name_survive_all_formats(tmp_path: Path, name: str) -> None:
    recorder = TraceRecorder("red", 0.02)
    recorder.add(0.0, paddock.Pose(0, 0, 0), readings={name: 1.5})
    for ending in (".csv", ".npz", ".parquet"):
        recorder.trace().save(tmp_path / f"trace{ending}")
        assert Trace.load(tmp_path / f"trace{ending}").reading(name).tolist() == [[1.5]]


def test_csv_file_that_a_spreadsheet_saved_is_read(tmp_path: Path) -> None:
    trace = explore()[1].trace
    trace.save(tmp_path / "red.csv")
    text = (tmp_path / "red.csv").read_text(encoding="utf-8")
    (tmp_path / "red.csv").write_text(text.replace("\n", "\r\n") + "\r\n", encoding="utf-8-sig", newline="")
    assert np.array_equal(Trace.load(tmp_path / "red.csv").numbers, trace.numbers, equal_nan=True)


def test_trace_of_a_newer_version_is_read_and_a_damaged_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "red.npz"
    explore()[1].trace.save(path)
    about, arrays = read_npz(path, "a trace")
    about["events"][0]["novelty"] = 1
    write_npz(path, {**about, "novelty": 2}, arrays)
    assert [event.kind for event in Trace.load(path).events] == ["end"]
    del about["labels"]
    write_npz(path, about, arrays)
    with pytest.raises(PaddockError, match=r"red.npz: expected a trace saved by Paddock: .*labels"):
        Trace.load(path)


def test_slice_against_the_order_of_time_is_refused() -> None:
    with pytest.raises(PaddockError, match="in order of time"):
        explore()[1].trace[::-1]


def test_loaded_csv_trace_gives_the_same_metrics(tmp_path: Path) -> None:
    arena, episode = explore(2.0, every=0.02)
    episode.trace.save(tmp_path / "trace-red.csv")
    again = Trace.load(tmp_path / "trace-red.csv")
    assert again.dt == 0.02
    results = episode.trace.evaluate(all_metrics(), arena.world)
    assert again.evaluate(all_metrics(), arena.world) == pytest.approx(results, rel=0, abs=0, nan_ok=True)
    episode.trace[:1].save(tmp_path / "trace-red.csv")
    assert Trace.load(tmp_path / "trace-red.csv").dt == 0  # of a single row it is unknown


def test_events_with_punctuation_survive_the_csv_file(tmp_path: Path) -> None:
    said = [Event(time=0.5, kind="note", text="a; b: c"), Event(time=0.5, kind="warning", text="one; two")]
    trace = replace(explore(1.0)[1].trace, events=tuple(said))
    trace.save(tmp_path / "trace-red.csv")
    again = Trace.load(tmp_path / "trace-red.csv")
    assert [(event.kind, event.text) for event in again.events] == [(event.kind, event.text) for event in said]


def test_slice_of_a_trace_is_a_trace() -> None:
    trace = explore(2.0, every=0.02)[1].trace
    part = trace[10:20]
    assert len(part) == 10
    assert part.time[0] == pytest.approx(0.2)
    assert part.events == ()
    assert len(trace[-5:].events) == 1


def test_unknown_format_and_invalid_trace_file_are_refused(tmp_path: Any) -> None:
    trace = explore(0.1)[1].trace
    with pytest.raises(paddock.UnknownName, match=r"no format of a trace called '\.xls'"):
        trace.save(tmp_path / "trace.xls")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(paddock.PaddockError, match="there is no column 'time'"):
        Trace.load(tmp_path / "bad.csv")


def test_broken_csv_is_refused_with_line_and_column(tmp_path: Any) -> None:
    path = tmp_path / "trace-red.csv"
    explore(0.1)[1].trace.save(path)
    head, first, *rest = path.read_text().splitlines()
    broken = {
        "": "trace-red.csv: expected a trace saved by Paddock: there is no header line with the column names",
        f"{head}\n{first}\n1.0,2.0\n": "trace-red.csv line 3: expected .* cells as in line 1, got 2",
        "\n".join([head, "soon" + first[first.index(",") :], *rest]): "line 2, column 'time': expected a number",
        f"{head},time\n": "two columns 'time'",
    }
    for text, message in broken.items():
        path.write_text(text)
        with pytest.raises(paddock.PaddockError, match=message):
            Trace.load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(paddock.PaddockError, match="this is not a table in UTF-8"):
        Trace.load(path)


def test_goals_end_a_run_identically_in_both_loops() -> None:
    def drive(**how: Any) -> Any:
        arena = paddock.open("empty", seed=0)
        arena["red"].enable("proximity")
        at = (arena["red"].pose.x + 0.15, arena["red"].pose.y)
        return arena.run(20, explorer(0.1), metrics=[Goal(at=at, radius=0.05)], **how)

    compiled, in_python = drive(), drive(on_step=lambda arena: None)
    assert compiled.reason == in_python.reason == "all goals are reached"
    assert compiled.metrics == in_python.metrics
    assert compiled.ticks == in_python.ticks < 200


def test_missing_enable_is_reported_with_the_fix() -> None:
    with (
        paddock.open("empty", seed=0) as arena,
        pytest.raises(paddock.PaddockError, match=r"enable it with robot\.enable\(\"proximity\"\) before arena\.run"),
    ):
        arena.run(1.0, lambda seen: (seen.proximity[0], 0.1))


def test_capped_speeds_are_reported_in_the_trace() -> None:
    with paddock.open("empty", seed=0) as arena, pytest.warns(PaddockWarning, match="is capped") as told:
        episode = arena.run(0.1, lambda seen: (500, 500))
    assert told[0].filename == __file__
    assert [event.kind for event in episode.trace.events] == ["warning", "end"]
    assert "5 commands were capped" in episode.trace.events[0].text


@pytest.mark.parametrize("where", ["python", "compiled"])
def test_teleport_from_another_thread_is_handled_in_both_loops(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled loop ends at an intervention, and the Python loop continues with its sums."""
    with paddock.open("empty", seed=0) as arena:
        red = arena["red"]
        red.enable("proximity")
        standing = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.0, 0.0))
        advance, hooks = arena.advance_kernel, {}

        def intervene() -> None:
            run_in(threading.Thread, lambda: red.set_pose(0.4, 0.4))

        def advance_in_two(ticks: int, *more: Any, **how: Any) -> None:
            advance(100, *more, **how)
            intervene()
            advance(ticks - 100, *more, **how)

        if where == "compiled":
            monkeypatch.setattr(arena, "advance_kernel", advance_in_two)
        else:
            hooks = {"on_step": lambda arena: intervene() if arena.tick == 100 else None}
        episode = arena.run(10.0, standing, metrics=[Distance(), Coverage()], **hooks)
    assert [event.kind for event in episode.interventions] == ["teleport"]
    assert episode.metrics["distance"] == 0
    assert episode.metrics["visited"] == 2
    assert episode.trace.jumps.sum() == 1
    assert episode.ticks == 500


def test_reset_during_a_controller_call_restarts_the_run() -> None:
    with paddock.open("empty", seed=0) as arena:
        calls = []

        def act(observation: Any) -> tuple[float, float]:
            calls.append(observation.time)
            if len(calls) == 7:
                run_in(threading.Thread, arena.reset)
            return 0.05, 0.05

        episode = arena.run(1.0, act, every=arena.dt, metrics=[Distance()])
        assert len(calls) == 7 + 50
        assert len(episode.trace) == 51
        assert episode.metrics["mean_speed"] == pytest.approx(episode.metrics["distance"])
        digest = episode.digest
        arena.reset()
        assert arena.run(1.0, straight_slowly).digest == digest


def straight_slowly(observation: Any) -> tuple[float, float]:
    return 0.05, 0.05


class Odd:
    """A controller whose attributes have the names of recorded values but other meanings."""

    events, error, target, task, estimated_pose = ("text",), np.zeros(3), (1, 2), 7, "here"

    def act(self, observation: Any) -> tuple[float, float]:
        if observation.time > 0.1:
            raise IndexError("the first mistake")
        return 0.05, 0.05

    def end(self, reason: str) -> None:
        raise AttributeError("the second mistake")


def test_unrelated_controller_attributes_do_not_affect_the_trace() -> None:
    with paddock.open("empty", seed=0) as arena:
        with pytest.raises(IndexError, match="the first mistake"):
            arena.run(1.0, Odd(), every=arena.dt)
        assert arena.episode is not None
        assert arena.episode.reason.endswith("IndexError: the first mistake")
        assert len(arena.episode.trace) == 7
        assert "the second mistake" in arena.episode.trace.events[0].text
        assert arena.episode.trace.target is None


class Other:
    """A controller with attribute names that arenas also use."""

    modules = 3

    def act(self, observation: Any) -> tuple[float, float]:
        return 0.05, 0.05

    def events(self) -> None: ...
    def done(self) -> bool: ...  # type: ignore[empty-body]
    def reason(self) -> str: ...  # type: ignore[empty-body]


def test_methods_called_done_reason_and_events_do_not_end_a_run() -> None:
    with paddock.open("empty", seed=0) as arena:
        assert arena.run(1.0, Other()).reason == "1 s elapsed"


def test_nested_run_does_not_end_the_events_of_the_outer_one() -> None:
    with paddock.open("empty", seed=0) as arena:
        done = []

        def nested(arena: Any) -> None:
            if arena.tick == 5 and not done:
                done.append(arena.run(0.1))
                run_in(threading.Thread, lambda: arena["red"].set_pose(0.3, 0.3))

        episode = arena.run(1.0, straight_slowly, on_step=nested, metrics=[Distance()])
    assert [event.kind for event in episode.interventions] == ["teleport"]
    assert episode.metrics["distance"] < 0.06


def test_slice_of_a_trace_keeps_jumps_of_omitted_rows() -> None:
    with paddock.open("empty", seed=0) as arena:
        jump = lambda a: a.tick == 10 and a["red"].set_pose(0.3, 0.3)  # noqa: E731
        trace = arena.run(0.5, lambda seen: (0, 0), on_step=jump, every=arena.dt).trace
    assert trace.jumps.sum() == trace[1::2].jumps.sum() == trace[::3].jumps.sum() == 1
    assert trace[1::2].evaluate([Distance()])["distance"] == 0


def drive_slowly(observation: Any) -> tuple[float, float]:
    return 0.02, 0.02


@pytest.mark.parametrize("hand", ["its own program's", "another thread's"])
def test_removed_robot_ends_its_trace_and_others_continue(hand: str) -> None:
    arena = paddock.open("line-crossing", seed=0)

    def take_out(arena: Any) -> None:
        if arena.tick == 20:
            work = lambda: arena.remove("red")  # noqa: E731
            work() if hand == "its own program's" else run_in(threading.Thread, work)

    controllers = dict.fromkeys(arena.robots, drive_slowly)
    others = set(controllers) - {"red"}
    episode = arena.run(1, controllers, metrics=[Distance()], every=arena.dt, on_step=take_out)
    gone = episode.robots["red"]
    assert [(event.kind, str(event)) for event in gone.trace.events] == [("remove", "red was removed")]
    assert gone.trace.time[-1] == pytest.approx(19 * arena.dt)
    assert gone.metrics["distance"] > 0
    assert {name: episode.robots[name].trace.time[-1] for name in others} == dict.fromkeys(others, 1.0)
    assert episode.repeatable == (hand == "its own program's")
    arena.reset()  # and it can run on without
    assert arena.run(0.1, dict.fromkeys(others, drive_slowly)).reason == "0.1 s elapsed"


def test_run_ends_when_the_last_robot_removes_itself() -> None:
    with paddock.open("empty", seed=0) as arena:

        def leave(observation: Any) -> tuple[float, float]:
            if observation.time > 0.2:
                arena.remove("red")
            return 0.02, 0.02

        assert arena.run(5, leave).reason == "all robots have left"


@pytest.mark.parametrize("act", ["remove", "restore"])
def test_interventions_during_the_compiled_loop_are_handled(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = paddock.open("line-crossing", seed=0)
    arena["red"].enable("proximity")
    arena["blue"].enable("proximity")
    start, advance = arena.snapshot(), arena.advance_kernel

    def advance_in_two(ticks: int, *more: Any, **how: Any) -> None:
        advance(100, *more, **how)
        work = (lambda: arena.remove("red")) if act == "remove" else (lambda: arena.restore(start))
        run_in(threading.Thread, work)
        advance(ticks - 100, *more, **how)

    monkeypatch.setattr(arena, "advance_kernel", advance_in_two)
    episode = arena.run(5.0, {"red": explorer(0.05), "blue": explorer(0.05)}, metrics=[Distance()])
    assert episode.seconds == 5.0
    assert episode.robots["blue"].trace.time[-1] == 5.0
    assert episode.robots["blue"].trace.evaluate([Distance()])["distance"] == pytest.approx(
        episode.robots["blue"].metrics["distance"], abs=0.01
    )
    red = episode.robots["red"].trace
    assert [event.kind for event in red.events] == (["remove"] if act == "remove" else ["restore", "end"])
    assert red.time[-1] == (pytest.approx(1.9) if act == "remove" else 5.0)


@pytest.mark.parametrize("hand", ["its own program's", "another thread's"])
def test_restore_during_a_run_keeps_time_and_metrics_consistent(hand: str) -> None:
    with paddock.open("empty", seed=0) as arena:
        arena.run(0.2, straight)
        before, start = arena.snapshot(), arena.time

        def go_back(arena: Any) -> None:
            if len(rows) == 25:
                work = lambda: arena.restore(before)  # noqa: E731
                work() if hand == "its own program's" else run_in(threading.Thread, work)

        rows: list[float] = []
        episode = arena.run(
            1.0,
            straight,
            metrics=[Distance()],
            every=arena.dt,
            on_step=lambda arena: (rows.append(arena.time), go_back(arena)),
        )
    trace = episode.trace
    assert episode.seconds == 1.0
    assert np.allclose(np.diff(trace.time), arena.dt)
    assert (trace.time[0], trace.time[-1]) == (start, pytest.approx(start + 1.0))
    assert np.flatnonzero(trace.jumps).tolist() == [25]
    assert [event.kind for event in trace.events] == ["restore", "end"]
    assert trace.events[0].time == pytest.approx(start + 0.5)
    assert episode.metrics["distance"] == pytest.approx(0.08 * 49 * arena.dt, rel=1e-3)
    assert trace.evaluate([Distance()])["distance"] == pytest.approx(episode.metrics["distance"])


def test_restoring_a_later_snapshot_does_not_end_a_run() -> None:
    with paddock.open("empty", seed=0) as arena:
        start = arena.snapshot()
        arena.run(10, straight)
        late = arena.snapshot()
        arena.restore(start)
        episode = arena.run(1.0, straight, on_step=lambda arena: arena.tick == 10 and arena.restore(late))
    assert episode.seconds == 1.0
    assert episode.trace.time[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("how", ["compiled", "python"])
def test_metric_is_nan_for_a_robot_without_its_device(how: str) -> None:
    seeing, blind = (
        RobotPlacement(name="seeing", type="e-puck", at=(0.5, 0.5)),
        RobotPlacement(name="blind", type="khepera", at=(1, 1)),
    )
    arena = paddock.open(paddock.WorldSpec(name="mixed", bounds=(0, 0, 2, 2), robots=(seeing, blind)))
    arena["seeing"].enable("proximity")
    hooks: Any = {} if how == "compiled" else {"on_step": lambda arena: None}
    with pytest.warns(PaddockWarning, match="Line: no figures for blind: no device 'ground'") as told:
        episode = arena.run(1.0, {"seeing": explorer(0.05)}, metrics=[Line(), Distance()], **hooks)
    assert (len(told), told[0].filename) == (1, __file__)
    assert np.isnan(episode.robots["blind"].metrics["on_line"])
    assert episode.robots["seeing"].metrics["on_line"] == 0
    assert episode.robots["blind"].metrics["distance"] == 0
    with pytest.raises(paddock.UnknownName, match="ground"):
        arena.run(1.0, {"seeing": explorer(0.05)}, metrics=[Line(robot="blind")], **hooks)


OWN_METRIC = """
from paddock.arena.metrics import Distance
class Way(Distance):
    def names(self):
        return "way", "speed", "turn"
"""


def test_metrics_of_a_run_may_be_given_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_metric.py").write_text(OWN_METRIC)
    monkeypatch.chdir(tmp_path)
    with paddock.open("clutter", seed=3) as arena:
        drive = {"red": lambda seen: (0.05, 0.05)}
        results = arena.run(1.0, drive, metrics=["distance", ContactTime(), "own_metric.py:Way"]).robots["red"].metrics
        assert results["way"] == results["distance"] > 0.03
        assert results["contact_time"] == 0
        with pytest.raises(
            PaddockError, match=r"run: metrics\[0\]: no metric called 'distnce' \(did you mean 'distance'\?\)"
        ):
            arena.run(1.0, drive, metrics=["distnce"])
        with pytest.raises(PaddockError, match=r"metrics: expected a list such as \[Distance\(\)\], got 'distance'"):
            arena.run(1.0, drive, metrics="distance")
        trace = arena.run(1.0, drive, every=arena.dt).trace
        assert trace.evaluate(["own_metric.py:Way", "distance"])["way"] == pytest.approx(0.05, rel=0.01)
        with pytest.raises(
            PaddockError, match=r"evaluate: metrics: expected a list such as \[Distance\(\)\], got a Distance"
        ):
            trace.evaluate(Distance())  # type: ignore[arg-type]
    with pytest.raises(PaddockError, match=r"run: metrics: expected a list such as \[Distance\(\)\], got a Distance"):
        paddock.batch("clutter", 2).run(1.0, explorer(), metrics=Distance())  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [
    lambda: Goal(at=[[0, 0], [1]]), lambda: PathProgress(points=5),
    lambda: PathProgress(points=[(0, 0), (1, 1)], width="far"),  # type: ignore[arg-type]
    lambda: PathProgress(points=[[(0, 0), (1, 1)], [(0, 0), (1,)]]), lambda: PathProgress(points=None),  # type: ignore[list-item, arg-type]
])  # fmt: skip
def test_metric_with_invalid_points_is_refused(wrong: Any) -> None:
    with pytest.raises(PaddockError, match=r"(Goal: at|PathProgress: (points|width)): expected .*, got "):
        wrong()
