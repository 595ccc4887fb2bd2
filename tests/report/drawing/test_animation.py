"""Tests of animations of runs and recordings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageChops

import paddock
from paddock.arena.episodes import Episode
from paddock.control.policies import explorer
from paddock.report import save_animation
from paddock.report.drawing.canvas import Canvas


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Episode, Path]:
    """Return a run of 2 s, and its recording."""
    file = tmp_path_factory.mktemp("run") / "run.mcap"
    with paddock.open("clutter", seed=1) as arena, paddock.record(arena, file):
        arena["red"].enable("proximity")
        return arena.run(2.0, explorer()), file


def read_frames(file: Path) -> list[Image.Image]:
    with Image.open(file) as film:
        frames = []
        for number in range(film.n_frames):  # type: ignore[attr-defined]
            film.seek(number)
            frames.append(film.convert("RGB"))
        assert film.info["duration"] == 200
        return frames


def test_run_and_its_recording_give_the_same_moving_picture(run: tuple[Episode, Path], tmp_path: Path) -> None:
    episode, file = run
    save_animation(episode, tmp_path / "run.gif", fps=5, size=200)
    save_animation(paddock.Recording(file), tmp_path / "recording.gif", fps=5, size=200)
    frames, others = read_frames(tmp_path / "run.gif"), read_frames(tmp_path / "recording.gif")
    assert len(frames) == len(others) == 11
    robots = [ImageChops.difference(a, b).getbbox() for a, b in pairwise(frames)]
    assert all(robots)  # it moves in every frame
    ours, theirs = frames[-1], others[-1]
    assert ImageChops.difference(ours.reduce(4), theirs.reduce(4)).getextrema() < ((60, 60),) * 3


def test_robots_without_a_trace_are_not_drawn_at_their_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with paddock.open("line-crossing") as arena:
        episode = arena.run(1.0, {"red": lambda _: (0.1, 0.1)})
    alone = replace(episode, robots={"red": episode.robots["red"]})
    names: list[str] = []
    monkeypatch.setattr(Canvas, "label", lambda _, pixel, away, text, *rest, **more: names.append(text))
    save_animation(alone, tmp_path / "red.gif", fps=1, size=200)
    assert set(names) == {"red"}


def test_part_of_a_recording_is_written_as_mp4(run: tuple[Episode, Path], tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2", reason="pip install opencv-python-headless")
    save_animation(paddock.Recording(run[1]), tmp_path / "run.mp4", start=0.5, end=1.5, speed=2, fps=10, size=200)
    film = cv2.VideoCapture(str(tmp_path / "run.mp4"))
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == 6
    film.release()


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("run.avi", {}, r"run.avi: expected a file name ending in .gif, .mp4"),
        ("run.gif", {"speed": 0}, "speed: expected a number > 0, got 0"),
        ("run.gif", {"start": 3.0}, r"expected times from 0(\.\d+)? to 2 s, got 3.0 to"),
        ("run.gif", {"fps": 1e5}, "expected at most 5000 frames, got 200001: increase the speed"),
    ],
)
def test_invalid_options_are_refused(
    run: tuple[Episode, Path], tmp_path: Path, name: str, options: dict[str, float], problem: str
) -> None:
    with pytest.raises(paddock.PaddockError, match=problem):
        save_animation(paddock.Recording(run[1]), tmp_path / name, **options)
