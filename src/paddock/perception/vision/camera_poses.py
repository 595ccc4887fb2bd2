"""Poses of robots, measured by the camera above the arena."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from paddock.core.errors import PaddockError, SpecError
from paddock.core.geometry import Pose, wrap
from paddock.core.reason import explain
from paddock.core.spec import spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.perception.vision.camera_client import IpCamera
from paddock.perception.vision.camera_model import Lens
from paddock.perception.vision.floor_pose import find_camera_pose, load_site
from paddock.perception.vision.markers import Pixels8, find_markers
from paddock.perception.vision.tracker import MarkerSighting, MarkerTracker

OLD_PICTURES = 8  # pictures to skip, because they may have been taken before the robot stopped
PICTURES = 5  # pictures with the marker to evaluate
MAX_PICTURES = 50  # limit of all pictures, including those without the marker


class CameraPoses:
    """Measures the poses of stationary robots."""

    def __init__(self, url: str, lens_file: Path, site_file: Path) -> None:
        """
        Args:
            url: address of the camera's stream.
            lens_file: file of its lens, written by `paddock camera lens`.
            site_file: file of the markers on floor and robots.
        """
        lens, site = load_lens(lens_file), load_site(site_file)
        self.camera = IpCamera(url)
        picture = self.camera.take_picture().picture
        floor = find_markers(picture, [marker.marker for marker in site.floor])
        self.tracker = MarkerTracker(find_camera_pose(fit_lens(lens, picture, lens_file), site, floor), site)

    def read_pose(self, name: str) -> Pose:
        """Return the pose of a robot, the median over some pictures."""
        seen = list(islice(self._look_for(name), PICTURES))
        if not seen:
            raise PaddockError(
                explain(
                    "{robot}: the camera does not detect its marker: check the robot's marker and the view of {url}",
                    robot=name,
                    url=self.camera.url,
                )
            )
        first = seen[0].heading
        return Pose(
            statistics.median(sighting.x for sighting in seen),
            statistics.median(sighting.y for sighting in seen),
            wrap(first + statistics.median(wrap(sighting.heading - first) for sighting in seen)),
        )

    def _look_for(self, name: str) -> Iterator[MarkerSighting]:
        for picture in islice(self.camera.stream(most_reconnects=3, repeats=True), OLD_PICTURES, MAX_PICTURES):
            for sighting in self.tracker.locate(picture.picture, picture.time_of_exposure or 0.0):
                if sighting.robot == name:
                    yield sighting


def load_lens(file: Path) -> Lens:
    """Load a lens that `paddock camera lens` has written."""
    return spec_from_table(Lens, read_toml_file(file), file=TomlName(file))


def fit_lens(lens: Lens, picture: Pixels8, file: Path) -> Lens:
    """Return the lens scaled to the size of a picture; a SpecError names its file."""
    try:
        return lens.scale_to((picture.shape[1], picture.shape[0]))
    except SpecError as error:
        raise error.within(file=TomlName(file)) from None
