"""An overhead camera with pictures that are rendered, compressed, and measured by their markers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paddock.arena import Arena
from paddock.core.named_arrays import Picture
from paddock.experiments.ecoli.overhead_camera import OverheadCamera, OverheadSpec
from paddock.experiments.ecoli.walk.walk_camera import calibrate_camera
from paddock.perception.estimation import PoseFix
from paddock.perception.vision import MarkerTracker, find_camera_pose, find_markers
from paddock.perception.vision.opencv import decode_jpeg

SIZE = (1280, 960)
LATENCY, PERIOD = 0.08, 0.1  # [s] from exposure to arrival, and between two pictures
ALIKE = 1.0  # [s] correlation time: the errors of a calibrated camera depend on the position, not on time


class RenderedCamera:
    """Measures one robot of an arena with latency; lens and pose are calibrated from a board and floor markers."""

    def __init__(self, arena: Arena, robot: str, *, seed: int = 0) -> None:
        self._arena, self._robot = arena, robot
        self._camera = OverheadCamera(arena.world, OverheadSpec(size=SIZE), seed=seed)
        lens, site = calibrate_camera(self._camera, seed=seed).lens, self._camera.site
        markers = find_markers(self._take_picture(), [marker.marker for marker in site.floor])
        self._tracker = MarkerTracker(find_camera_pose(lens, site, markers, tolerance=3.0), site)
        self._pictures, self._under_way = 0, list[PoseFix]()

    def take_fixes(self, time: float) -> Iterable[PoseFix]:
        """Return the fixes received by a time [s]; call once per tick."""
        if time >= self._pictures * PERIOD - 1e-9:
            self._pictures += 1
            sightings = self._tracker.locate(self._take_picture(), time)
            self._under_way += [self._weaken(seen.fix) for seen in sightings if seen.robot == self._robot]
        ready = [fix for fix in self._under_way if fix.time_of_exposure + LATENCY <= time + 1e-9]
        self._under_way = self._under_way[len(ready) :]
        return ready

    def _weaken(self, fix: PoseFix) -> PoseFix:
        """Increase the covariance so that all pictures of a second have the information of one."""
        return replace(fix, covariance=fix.covariance * ALIKE / PERIOD)

    def _take_picture(self) -> Picture:
        return decode_jpeg(self._camera.take_jpeg(self._camera.look_at(self._arena)))
