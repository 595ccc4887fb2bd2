"""A recording restores every state bit for bit, and the run can continue from it."""

from __future__ import annotations

import itertools
import math
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock import PaddockError, Recording, Refused, SimulationError
from paddock.arena.metrics import Distance
from paddock.control.policies import explorer
from paddock.network.server.process import PaddockProcess
from paddock.report.recordings import StreamRates
from paddock.simulation.worlds import Field, WorldSpec
from paddock.simulation.worlds.world_spec import Floor, RobotPlacement
from paddock.testing import wait_for
from report.recordings import drives

POINTS = 20


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, dict[int, str]]:
    path = tmp_path_factory.mktemp("recorded") / "run.mcap"
    digests = dict(drives.drive(drives.open_arena(), path))
    return Recording(path), digests


def test_every_tick_is_restored_in_any_order(recorded: tuple[Recording, dict[int, str]]) -> None:
    recording, digests = recorded
    assert (recording.first, recording.last, recording.is_whole) == (0, max(digests), True)
    arena = recording.replay()
    assert [tick for tick in digests if (arena.seek(tick), arena.digest())[1] != digests[tick]] == []
    ticks = random.Random(1).sample(sorted(digests), POINTS)
    assert [tick for tick in ticks if (arena.seek(tick), arena.digest())[1] != digests[tick]] == []
    arena.seek(recording.first)
    arena.step(60)
    assert arena.digest() == digests[60]
    recording.check()


def test_recording_lists_interventions_and_robots(recorded: tuple[Recording, dict[int, str]]) -> None:
    recording, _ = recorded
    assert [event.kind for event in recording.events] == ["teleport", "restore", "spawn", "remove", "reset"]
    assert [event.robot for event in recording.events] == ["red", None, "green", "blue", None]
    assert recording.robots == ("red", "blue", "green")
    arena = recording.replay()
    arena.seek(recording.last)
    assert list(arena) == ["red", "green"]
    assert arena.seed == 9


def test_live_arena_continues_like_original(tmp_path: Path) -> None:
    def drive(arena: paddock.Arena, seconds: float) -> str:
        arena["red"].enable("proximity", "ground")
        arena.run(seconds, explorer(), on_step=lambda arena: None)  # in Python: commands at each tick
        return arena.digest()

    with paddock.open("clutter", seed=3) as original, paddock.record(original, tmp_path / "run.mcap"):
        end = drive(original, 6.0)
    assert drive(Recording(tmp_path / "run.mcap").arena(2.5), 3.5) == end


def test_recording_leaves_compiled_run_bit_identical(tmp_path: Path) -> None:
    arenas = [paddock.open("clutter", seed=3) for _ in range(2)]
    episodes = []
    for arena, path in zip(arenas, ("run.mcap", None), strict=True):
        arena["red"].enable("proximity", "ground")
        recorder = paddock.record(arena, tmp_path / path) if path else None
        episodes.append(arena.run(400.0, explorer(), every=0.5))
        if recorder is not None:
            recorder.close()
    assert episodes[0].digest == episodes[1].digest
    recording = Recording(tmp_path / "run.mcap")
    assert recording.arena().digest() == episodes[0].digest
    recording.check()
    trace, first = recording.trace("red", every=0.5, devices="proximity"), episodes[0].trace
    assert np.array_equal(trace.pose, first.pose)
    assert np.array_equal(trace.wheels, first.wheels)
    assert np.array_equal(trace.commands[:-1], first.commands[:-1])
    assert np.array_equal(trace.reading("proximity"), first.reading("proximity"))


def test_interrupted_run_is_recorded_up_to_last_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with paddock.open("clutter") as arena, paddock.record(arena, tmp_path / "run.mcap"):
        step = arena.step

        def step_until_interrupted() -> None:
            step()
            if arena.tick == 20:
                raise KeyboardInterrupt

        monkeypatch.setattr(arena, "step", step_until_interrupted)
        with pytest.raises(KeyboardInterrupt):
            arena.run(60.0, {"red": lambda seen: (0.05, 0.04)}, metrics=[Distance()])
        assert arena["red"].body.command == (0, 0)  # it stands, which is no part of the last tick
    recording, episode = Recording(tmp_path / "run.mcap"), arena.episode
    assert episode is not None
    assert recording.check() == recording.end == episode.seconds == pytest.approx(20 * arena.dt)
    assert recording.arena()["red"].pose == arena["red"].pose
    assert episode.metrics["distance"] == pytest.approx(math.dist(*episode.trace.pose[[0, -1], :2]), rel=0.01)


def test_recording_of_killed_process_is_readable(tmp_path: Path) -> None:
    path, printed = tmp_path / "run.mcap", tmp_path / "printed.txt"
    with printed.open("w") as out:
        process = subprocess.Popen([sys.executable, drives.__file__, str(path)], stdout=out)
        try:
            wait_for(lambda: has_ticks(path, 400))
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    said = printed.read_text().rpartition("\n")[0]  # whole lines
    digests = {int(tick): digest for tick, digest in (line.split() for line in said.splitlines())}
    recording = Recording(path)
    assert not recording.is_whole
    assert 400 <= recording.last <= max(digests) + 1
    arena = recording.replay()
    ticks = random.Random(2).sample(range(1, min(recording.last, max(digests)) + 1), POINTS)
    assert [tick for tick in ticks if (arena.seek(tick), arena.digest())[1] != digests[tick]] == []
    whole = path.read_bytes()
    for size in (*range(len(whole) - 1, len(whole) - 300, -30), len(whole) * 2 // 3, len(whole) // 2):  # anywhere
        (tmp_path / "cut.mcap").write_bytes(whole[:size])
        cut = Recording(tmp_path / "cut.mcap")
        assert cut.last <= recording.last
        if (tick := min(cut.last, max(digests))) > 0:  # it may have died before it said how its last tick was
            arena = cut.replay()
            arena.seek(tick)
            assert arena.digest() == digests[tick]


def test_recording_is_flushed_while_clock_stands(tmp_path: Path) -> None:
    with paddock.open("clutter") as arena, paddock.record(arena, tmp_path / "run.mcap"):
        arena["red"].wheels.set(0.05, 0.04)
        arena.step(10)
        wait_for(lambda: has_ticks(tmp_path / "run.mcap", 10))
        assert Recording(tmp_path / "run.mcap").arena().digest() == arena.digest()
        arena["red"].enable("proximity")
        arena.run(1.0, explorer())  # compiled
        arena.step(30)  # at once, after it
        end = arena.digest()
    assert Recording(tmp_path / "run.mcap").arena().digest() == end


def test_recording_is_exact_while_another_thread_steers(tmp_path: Path) -> None:
    arena, over = paddock.open("clutter"), threading.Event()

    def steer() -> None:
        for speed in itertools.takewhile(lambda _: not over.is_set(), itertools.cycle(np.linspace(0.02, 0.1, 997))):
            arena["red"].wheels.set(speed, 0.05)

    with paddock.record(arena, tmp_path / "run.mcap"):
        thread = threading.Thread(target=steer)
        thread.start()
        for _ in range(200):
            arena.step(50)
        over.set()
        thread.join()
    recording = Recording(tmp_path / "run.mcap")
    recording.check()
    assert recording.last == 10_000
    assert recording.arena()["red"].pose == arena["red"].pose


def test_recording_of_killed_server_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with PaddockProcess("serve", "clutter", "--record", str(path), "--speed", "5") as server:
        wait_for(lambda: has_ticks(path, 100))
        server.process.kill()
    recording = Recording(path)
    assert not recording.is_whole
    assert recording.file.places("/red/readings")
    recording.check()


def has_ticks(path: Path, ticks: int) -> bool:
    """Whether a file that is being written already has this many ticks."""
    try:
        return Recording(path).last >= ticks
    except PaddockError:  # it has no whole chunk yet
        return False


def test_replay_refuses_changes_until_it_goes_live(recorded: tuple[Recording, dict[int, str]]) -> None:
    recording, digests = recorded
    arena = recording.replay(0.2)
    red = arena["red"]
    for change in (
        lambda: red.wheels.set(0.1, 0.1),
        lambda: red.leds.set("led0", 1.0),
        lambda: red.speaker.play(440.0),
        lambda: red.set_pose(0.5, 0.25),
        lambda: arena.spawn("other", "e-puck"),
        lambda: arena.remove("red"),
        lambda: arena.restore(arena.snapshot()),
        lambda: arena.reset(seed=8),
        lambda: paddock.record(arena, recording.path),
    ):
        with pytest.raises(Refused, match="a replay cannot be changed"):
            change()
    assert arena.digest() == digests[10]
    arena.reset()  # to the start of the recording
    arena.step(10)
    assert arena.digest() == digests[10]
    arena.go_live()
    red.wheels.set(0.1, 0.1)
    arena.step()
    assert arena.digest() != digests[11]
    with pytest.raises(Refused, match="went live at"):
        arena.seek(3)


def test_recording_contains_images_of_world(tmp_path: Path) -> None:
    from PIL import Image

    beside = tmp_path / "beside"
    beside.mkdir()
    Image.new("RGB", (40, 40), "black").save(beside / "floor.png")
    Image.linear_gradient("L").resize((40, 40)).save(beside / "smell.png")
    world = WorldSpec(
        name="dark",
        bounds=(0, 0, 1, 1),
        floor=Floor(image="floor.png", pixels_per_metre=40),
        fields=(Field(name="smell", shape="image", image="smell.png", pixels_per_metre=40),),
        robots=(RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5)),),
        folder=str(beside),
    )
    with paddock.open(world, dt=0.05) as arena, paddock.record(arena, tmp_path / "run.mcap"):
        arena["red"].wheels.set(0.05, 0.04)
        arena.step(10)
        digest = arena.digest()
    for file in beside.iterdir():
        file.unlink()
    replayed = Recording(tmp_path / "run.mcap").arena()
    assert replayed.digest() == digest
    replayed["red"].enable("ground")
    assert replayed["red"].ground.read().max() < 0.2


def test_trace_table_and_picture_are_made_from_recording(recorded: tuple[Recording, dict[int, str]]) -> None:
    recording, _ = recorded
    trace = recording.trace("red", every=0.1)
    assert trace.jumps.sum() == 3  # the teleport, the snapshot, the reset
    table = recording.to_pandas("green", devices=("proximity",))
    assert len(table) > 10
    assert {"x", "command_left", "proximity.7"} <= set(table)
    picture = recording.picture(1.0)
    assert picture.width > 100
    with pytest.raises(paddock.UnknownName, match=r"no recorded robot called 'rde' .*'red'"):
        recording.trace("rde")


def test_one_hour_of_ten_robots_with_all_sensors_fits_into_100_megabytes(tmp_path: Path) -> None:
    world = WorldSpec(
        name="ten",
        bounds=(0, 0, 2, 2),
        robots=tuple(
            RobotPlacement(name=f"r{i}", type="e-puck", at=(0.2 + 0.17 * i, 0.3 + 0.15 * i)) for i in range(10)
        ),
    )
    seconds = 20.0
    with paddock.open(world) as arena, paddock.record(arena, tmp_path / "run.mcap", all_devices=True):
        for robot in arena.robots.values():
            robot.enable("proximity", "ground")
        arena.run(seconds, dict.fromkeys(arena, explorer()), on_step=lambda arena: None)
    assert (tmp_path / "run.mcap").stat().st_size * 3600 / seconds <= 100e6


def test_invalid_recordings_and_options_are_reported(
    recorded: tuple[Recording, dict[int, str]], tmp_path: Path
) -> None:
    recording, _ = recorded
    with pytest.raises(PaddockError, match=r"expected a time from 0 to 3\.84 s, got 99"):
        recording.replay(99)
    with pytest.raises(PaddockError, match="cannot be read: No such file"):
        Recording(tmp_path / "none.mcap")
    for content, problem in ((b"", "it is empty"), (b"something else", r"expected a recording \(an MCAP file\)")):
        (tmp_path / "other.mcap").write_bytes(content)
        with pytest.raises(PaddockError, match=problem):
            Recording(tmp_path / "other.mcap")
    (tmp_path / "other.mcap").write_bytes(recording.path.read_bytes()[:60])
    with pytest.raises(PaddockError, match="no exact states"):
        Recording(tmp_path / "other.mcap")
    with pytest.raises(PaddockError, match=r"rates\.poses: expected messages per second > 0, got 0"):
        StreamRates(poses=0)
    arena = drives.open_arena()
    with pytest.raises(PaddockError, match="cannot be written"):
        paddock.record(arena, tmp_path / "nowhere" / "run.mcap")
    with paddock.record(arena, tmp_path / "run.mcap"), pytest.raises(SimulationError, match="already being recorded"):
        paddock.record(arena, tmp_path / "run2.mcap")


def test_missing_mcap_package_is_reported_with_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcap.stream_reader", None)
    with pytest.raises(
        PaddockError, match=r"needs the package mcap: pip install -e '\.\[record\]', or pip install mcap"
    ):
        paddock.record(drives.open_arena(), tmp_path / "run.mcap")
