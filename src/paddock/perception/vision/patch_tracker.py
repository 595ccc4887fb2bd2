"""PatchTracker: finds robots without markers by the colour of their lids, and identifies them by blinking LEDs."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from paddock.core.errors import PaddockError
from paddock.perception.vision.camera_model import CameraModel
from paddock.perception.vision.markers import Pixels8
from paddock.perception.vision.patches import BlinkCode, find_patches, read_blinks
from paddock.perception.vision.tracker import Coverages, MarkerSighting
from paddock.perception.vision.tracks import SpotTrack, SpotTracker

PLACE_ERROR = 0.004  # [m]: standard deviation of a patch's centre
LEAST_SPEED = 0.02  # [m/s]; the heading of a slower robot is unknown
AROUND = 1.2  # half width of the window with the LEDs' light, in radii
WORDS_KEPT = 2  # words of a blink code for which brightness samples are kept


class PatchTracker:
    """Tracks lids of one colour. Headings are the directions of motion, and NaN while a robot is stationary.

    Args:
        camera: the calibrated camera.
        color: colour of the lids.
        codes: blink code of the LED by robot. A single robot needs none: pass {name: None}.
        height: height of the lids above the floor [m].
        radius: radius of the lids [m].
        fastest: maximum speed of a robot [m/s].
    """

    def __init__(
        self,
        camera: CameraModel,
        color: str,
        codes: Mapping[str, BlinkCode | None],
        *,
        height: float,
        radius: float,
        fastest: float = 0.3,
    ) -> None:
        if len(codes) != 1 and None in codes.values():
            missing = [name for name, code in codes.items() if code is None]
            raise PaddockError(f"robots {missing} of the same colour: expected a blink code for each of several robots")
        self.camera, self.color, self.height, self.radius = camera, color, height, radius
        self.codes = dict(codes)
        self.spots = SpotTracker(fastest=fastest, error=PLACE_ERROR)
        self.coverages = Coverages(codes)
        self._names: dict[int, str] = {}  # by the numbers of tracks

    def locate(self, picture: Pixels8, time_of_exposure: float) -> list[MarkerSighting]:
        """Return the robots of a picture that are already identified."""
        self.camera.lens.check_size(picture)
        patches = find_patches(picture, self.color, self.camera, self.height, radius=self.radius)
        tracks = self.spots.update(time_of_exposure, [(patch.x, patch.y) for patch in patches])
        alive = {track.number for track in self.spots.tracks}
        self._names = {number: name for number, name in self._names.items() if number in alive}
        sightings = []
        for track in tracks:
            self._watch_led(track, picture)
            name = self._names.get(track.number) or self._identify(track)
            if name is not None:
                sightings.append(_sighting(name, track))
        self.coverages.count(sighting.robot for sighting in sightings)
        return sightings

    @property
    def coverage(self) -> dict[str, float]:
        """Share of all pictures in which each robot was found and identified."""
        return self.coverages.shares

    def _identify(self, track: SpotTrack) -> str | None:
        """Return the robot whose code the track's LED blinks, unless another track has that robot."""
        free = {name: code for name, code in self.codes.items() if name not in self._names.values()}
        if len(self.codes) == 1:
            found = next(iter(free), None)
        else:
            codes = {name: code for name, code in self.codes.items() if code is not None}
            number = read_blinks(track.brightness, list(codes.values()))
            found = None if number is None else list(codes)[number]
            found = found if found in free else None
        if found is not None:
            self._names[track.number] = found
        return found

    def _watch_led(self, track: SpotTrack, picture: Pixels8) -> None:
        """Record the brightness of the lid, for the duration of two words."""
        reach = AROUND * self.radius
        box = [(track.at[0] + dx, track.at[1] + dy, self.height) for dx in (-reach, reach) for dy in (-reach, reach)]
        pixels = np.nan_to_num(self.camera.project(box))
        left, top = np.maximum(0, np.floor(pixels.min(axis=0))).astype(int)
        right, bottom = np.ceil(pixels.max(axis=0)).astype(int) + 1
        window = np.asarray(picture)[top:bottom, left:right]
        if window.size:
            track.brightness.append((track.time, float(window.max(axis=2).mean())))
        longest = max((code.bit * code.bits for code in self.codes.values() if code), default=0.0) * WORDS_KEPT
        track.brightness[:] = [sample for sample in track.brightness if sample[0] >= track.time - longest]


def _sighting(name: str, track: SpotTrack) -> MarkerSighting:
    speed = math.hypot(*track.velocity)
    heading = math.atan2(track.velocity[1], track.velocity[0]) if speed >= LEAST_SPEED else math.nan
    turn = min(math.pi, PLACE_ERROR / speed) if speed >= LEAST_SPEED else math.pi
    covariance = np.diag([PLACE_ERROR**2, PLACE_ERROR**2, turn**2])
    return MarkerSighting(name, track.time, *track.at, heading, covariance)
