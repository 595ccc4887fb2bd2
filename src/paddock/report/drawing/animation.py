"""Animations of runs and recordings as GIF or MP4: the world from above, with the robots and their trails."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paddock.arena.episodes import Episode, Trace
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.files import whole_file
from paddock.core.geometry import Pose
from paddock.core.packages import import_package
from paddock.core.terminal.output_files import ANIMATIONS
from paddock.report.drawing.canvas import check_picture_size
from paddock.report.drawing.draw_world import draw_world
from paddock.simulation.worlds.placement import start_pose
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image

    from paddock.report.recordings import Recording

USUAL = 20.0  # maximum duration if no speed is given [s]
MAX_FRAMES = 5000


class ShownMoment(NamedTuple):
    """What one frame shows."""

    time: float  # [s]
    world: WorldSpec
    poses: Iterable[Iterable[float]]  # of the world's robots
    things: Iterable[Pose]  # poses of the world's things; empty if unknown
    trails: Mapping[str, Iterable[Iterable[float]]]  # up to this time, by robot


def save_animation(
    run: Episode | Recording,
    path: str | Path,
    *,
    start: float | None = None,
    end: float | None = None,
    speed: float | None = None,
    fps: float = 12.5,
    size: int = 640,
) -> None:
    """Write a run or a recording as an animation: GIF or MP4, by file name extension.

    Args:
        run: the run. An episode of a large world has traces of 100 robots, and only these are shown.
        path: the file. MP4 (VP9) needs OpenCV, `pip install 'paddock-lab[vision]'`.
        start: first time to show [s]; None: the beginning.
        end: last time to show [s]; None: the end.
        speed: simulated seconds per second; None: 1, or more, so that it lasts at most 20 s.
        fps: frames per second.
        size: width [pixels]; 20 … 8000.
    """
    path = Path(path)
    if path.suffix.lower() not in ANIMATIONS:
        raise PaddockError(f"{path}: expected a file name ending in {', '.join(ANIMATIONS)}")
    check_picture_size(size)
    for name, value in (("speed", 1.0 if speed is None else speed), ("fps", fps)):
        if not (all_finite(value) and value > 0):
            raise PaddockError(f"{name}: expected a number > 0, got {format_value(value)}")
    traces = [record.trace for record in run.robots.values() if len(record.trace)] if isinstance(run, Episode) else []
    if isinstance(run, Episode) and not traces:
        raise PaddockError("expected a run with at least one row in a trace, got none")
    known = (min(t.time[0] for t in traces), max(t.time[-1] for t in traces)) if traces else (run.start, run.end)  # type: ignore[union-attr]
    first, last = known[0] if start is None else start, known[1] if end is None else end
    if not (all_finite(first, last) and known[0] <= first <= last <= known[1]):
        raise PaddockError(f"expected times from {known[0]:g} to {known[1]:g} s, got {first!r} to {last!r}")
    speed = max(1.0, (last - first) / USUAL) if speed is None else speed
    count = 1 + math.ceil((last - first) * fps / speed - 1e-9)
    if count > MAX_FRAMES:
        raise PaddockError(f"expected at most {MAX_FRAMES} frames, got {count}: increase the speed")
    times = np.minimum(first + np.arange(count) * speed / fps, last).tolist()
    moments = _follow_episode(run, traces, times) if isinstance(run, Episode) else run.moments(times)
    frames = (_draw(moment, size) for moment in moments)
    (_write_gif if path.suffix.lower() == ".gif" else _write_mp4)(frames, path, fps)


def _follow_episode(episode: Episode, traces: Sequence[Trace], times: Iterable[float]) -> Iterator[ShownMoment]:
    world = episode.world
    if world is None:
        raise PaddockError("the world of this run is not known, so it cannot be drawn")
    traced = {trace.robot for trace in traces}  # where others are is not known
    world = world.with_robots(*(robot for robot in world.robots if robot.name in traced))
    starts = {robot.name: start_pose(world, robot) for robot in world.robots}
    paths = {trace.robot: trace.path() for trace in traces}
    for time in times:
        poses, trails = dict(starts), {}
        for trace in traces:
            rows = int(np.searchsorted(trace.time, time + 1e-9, side="right"))
            if rows and trace.robot in poses and np.isfinite(trace.pose[rows - 1]).all():
                poses[trace.robot] = trace.pose[rows - 1]
            trails[trace.robot] = paths[trace.robot][: rows + int(np.count_nonzero(trace.jumps[:rows]))]
        yield ShownMoment(time, world, poses.values(), (), trails)


def _draw(moment: ShownMoment, size: int) -> Image:
    time, world, poses, things, trails = moment
    there = {robot.name for robot in world.robots}
    trails = {robot: trail for robot, trail in trails.items() if robot in there}
    about = f"{time:.1f} s"
    return draw_world(world, poses=poses, things=things, trails=trails, rays=False, about=about, size=size)


def _write_gif(frames: Iterator[Image], path: Path, fps: float) -> None:
    from PIL.Image import Dither

    first = next(frames)
    palette = first.quantize(256)  # one for all frames, so that the colours do not flicker
    others = (frame.quantize(palette=palette, dither=Dither.NONE) for frame in frames)
    with whole_file(path, "wb") as file:
        palette.save(file, "GIF", save_all=True, append_images=others, duration=round(1000 / fps), loop=0)


def _write_mp4(frames: Iterator[Image], path: Path, fps: float) -> None:
    cv2 = import_package("cv2", "writing MP4", extra="vision", install="opencv-python-headless")
    first = next(frames)
    film = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"vp09"), fps, (first.width, first.height))
    if not film.isOpened():
        raise PaddockError(f"{path}: OpenCV cannot write this file; a .gif needs no OpenCV")
    for frame in chain([first], frames):
        film.write(np.asarray(frame.resize(first.size))[..., ::-1])  # robots that join may change the legend's height
    film.release()
