"""A recorder keeps up with its arena and never blocks it."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import command_line
import paddock
from paddock import PaddockWarning, Recording
from paddock.control.policies import explorer
from paddock.report.recordings.exact import KEYFRAME, MOST_TICKS
from paddock.report.recordings.recorder import Recorder


class WatchedMutex:
    """The mutex of an arena with a callback before it is acquired."""

    def __init__(self, mutex: Any, before: Callable[[], object]) -> None:
        self.mutex, self.before = mutex, before

    def __enter__(self) -> None:
        self.before()
        self.mutex.__enter__()

    def __exit__(self, *error: object) -> None:
        self.mutex.__exit__(*error)


def test_recording_may_start_while_compiled_run_waits_for_turn(tmp_path: Path) -> None:
    arena, recorders = paddock.open("clutter", seed=3), list[Recorder]()
    arena["red"].enable("proximity")
    mutex = arena.mutex

    def begin() -> None:
        if arena.tick > MOST_TICKS:  # slices are long by now
            arena.mutex = mutex
            recorders.append(paddock.record(arena, tmp_path / "run.mcap"))

    arena.mutex = WatchedMutex(mutex, begin)  # type: ignore[assignment]
    digest = arena.run(8 * MOST_TICKS * arena.dt, explorer()).digest
    recorders[0].close()
    recording = Recording(tmp_path / "run.mcap")
    ticks = [round(place.time / 1e9 / arena.dt) for place in recording.file.places(KEYFRAME)]
    assert np.diff(ticks).max() <= MOST_TICKS
    assert recording.arena().digest() == digest


@contextmanager
def full_disk(path: Path) -> Iterator[None]:
    """Limit the growth of a file to a few bytes."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_command_fails_if_its_recording_is_incomplete() -> None:
    done = command_line.paddock(
        "run", "line-track", "--seconds", "0.1", "--headless", "--record", "/dev/full", "--force"
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("paddock: /dev/full: the recording is incomplete: No space left")
    assert "wrote" not in done.stdout


def test_full_disk_ends_recording_but_not_run(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    arena = paddock.open("clutter", seed=1)
    recorder = paddock.record(arena, path)
    with arena.mutex, full_disk(path):  # nothing is flushed meanwhile
        arena.spawn("new", "e-puck")
        with pytest.warns(PaddockWarning, match=r"run\.mcap: cannot be written, recording has stopped"):
            recorder.close()
    assert arena.recorder is None
    assert recorder.failure
    arena.step(5)
    assert list(arena) == ["red", "new"]
    assert Recording(path).robots == ("red",)


def test_recorder_may_be_closed_by_thread_that_holds_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.report.recordings.recorder.FLUSH", 0.001)
    arena, flusher_waits = paddock.open("clutter"), threading.Event()
    mutex, mine = arena.mutex, threading.current_thread()
    arena.mutex = WatchedMutex(mutex, lambda: threading.current_thread() is mine or flusher_waits.set())  # type: ignore[assignment]
    with mutex:
        recorder = paddock.record(arena, tmp_path / "run.mcap")
        flusher_waits.wait()
        recorder.close()
    assert Recording(tmp_path / "run.mcap").is_whole


def test_recording_may_be_replaced_while_it_is_replayed(tmp_path: Path) -> None:
    path, link = tmp_path / "run.mcap", tmp_path / "latest.mcap"
    link.symlink_to(path)
    with paddock.open("clutter", seed=7) as arena, paddock.record(arena, path):
        arena["red"].wheels.set(0.05, 0.04)
        arena.step(200)
        digest = arena.digest()
    recording = Recording(path)
    content = bytes(recording.file._data)
    with paddock.record(recording.arena(1.0), link) as recorder:
        recorder.arena.step()
    assert path.stat().st_size < len(content)
    assert bytes(recording.file._data) == content
    assert recording.arena().digest() == digest
    assert link.is_symlink()
    assert Recording(path).last == recording.find_tick(1.0) + 1
