"""Output files of a mapping run: the map for map_server, pictures, and quality figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from paddock.arena import make_map_truth
from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.perception.mapping import MapTruth, MapView, OccupancyGrid, assess_map, save_map
from paddock.report import coverage_chart, map_view_chart, save_figure
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec

MAP = "map.yaml"


@dataclass(frozen=True, kw_only=True)
class MapResult:
    """A map, and data about the run that built it."""

    grid: OccupancyGrid
    view: MapView
    path: ArrayLike  # path of the robot, x, y [m], shape (n, 2) or more columns
    growth: Sequence[tuple[float, float]]  # times [s], and the known free space at each [m²]
    title: str
    ended: str
    frontiers: int | None = None  # number of remaining frontiers
    truth: MapTruth | None = None
    alignment: Pose | None = None  # pose of the map frame in the ground-truth frame; None: best fit


def write_map(result: MapResult, folder: Path) -> None:
    """Write the result into a folder, the map first, so that a later error does not lose it."""
    save_map(result.grid, folder / MAP)
    figures: dict[str, object] = {"ended": result.ended, "free_m2": result.growth[-1][1]}
    if result.frontiers is not None:
        figures["frontiers"] = result.frontiers
    most = None
    if (truth := result.truth) is not None:
        quality = assess_map(result.grid, truth, alignment=result.alignment)
        figures |= {"mapped": quality.mapped, "f1": quality.f1}
        most = float(np.count_nonzero(truth.free)) * truth.frame.resolution**2
    write_text(folder / "map_quality.json", json.dumps(figures, indent=2) + "\n")
    picture = map_view_chart(result.view, result.path, title=f"Map: {result.title}", about=result.ended)
    save_figure(picture, folder / "map_view.png")
    save_figure(coverage_chart({"known": result.growth}, total=most), folder / "coverage.png")


def find_truth(world: WorldSpec, robot: RobotSpec, start: Pose) -> MapTruth | None:
    """Return the ground truth of the mappable part of a world; None with several robots, which move, or if it has none.

    For example, in a world without walls nothing can be compared with the map.
    """
    if len(world.robots) > 1:
        return None
    try:
        return make_map_truth(world, robot, start)
    except PaddockError:
        return None
