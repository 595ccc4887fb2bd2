"""Find robots without a marker as coloured patches in the plane of their lids, and track them by their blinks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, SpecError
from paddock.core.spec import is_color, rgb
from paddock.perception.vision.camera_model import CameraModel, Floats
from paddock.perception.vision.markers import Pixels8, check_colours
from paddock.perception.vision.opencv import import_opencv
from paddock.perception.vision.tracker import Coverages, MarkerSighting
from paddock.perception.vision.tracks import SpotTrack, SpotTracker

HUE_BAND = 12  # tolerance of the hue, of 180
LEAST_SATURATION, LEAST_VALUE = 70, 40  # of 255: paler or darker pixels have no hue
BITS = 12  # length of a word
APART = 4  # minimum number of bits in which two words differ, in any rotation
PHASES = 8  # number of tried phases of a bit
PLACE_ERROR = 0.004  # [m]: standard deviation of a patch's centre
LEAST_SPEED = 0.02  # [m/s]; the heading of a slower robot is unknown
AROUND = 1.2  # half width of the window with the LEDs' light, in radii
WORDS_KEPT = 2  # words of a blink code for which brightness samples are kept


class ColourPatch(NamedTuple):
    """A coloured patch."""

    x: float  # centre [m]
    y: float
    area: float  # [m²]
    roundness: float  # 1: a disc


def find_patches(
    picture: Pixels8, color: str, camera: CameraModel, height: float, *, radius: float, tolerance: float = 0.45
) -> list[ColourPatch]:
    """Find patches of a colour with about the area of a disc, the largest first.

    Args:
        picture: uint8 (row, column, rgb).
        color: such as `#4c9f70`; it must have a hue.
        camera: the calibrated camera.
        height: height of the plane of the patches [m].
        radius: radius of the disc [m].
        tolerance: allowed deviation of the area, as a share.
    """
    cv2 = import_opencv("finding coloured patches")
    if not is_color(color):
        raise PaddockError(f"color {color!r}: expected a colour such as '#3366cc' or 'orange'")
    hue, saturation, _ = cv2.cvtColor(np.array([[rgb(color)]], np.uint8), cv2.COLOR_RGB2HSV)[0, 0].tolist()
    if saturation < LEAST_SATURATION:
        raise PaddockError(f"color {color!r}: expected a colour with a hue, not a grey")
    if not radius > 0:
        raise PaddockError(f"radius: expected metres > 0, got {radius!r}")
    pixels = np.ascontiguousarray(picture).view(np.ndarray)
    check_colours(pixels)
    soft = cv2.GaussianBlur(pixels, (0, 0), 1.0)
    hsv = cv2.cvtColor(soft, cv2.COLOR_RGB2HSV).astype(np.int16)
    off = np.abs((hsv[..., 0] - hue + 90) % 180 - 90)
    mask = (off <= HUE_BAND) & (hsv[..., 1] >= LEAST_SATURATION) & (hsv[..., 2] >= LEAST_VALUE)
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    wanted = math.pi * radius**2
    patches = []
    for contour in contours:
        if len(contour) < 8:
            continue
        try:
            points = camera.locate(contour.reshape(-1, 2).astype(float), height).astype(np.float32)
        except SpecError:  # it lies above the horizon
            continue
        area, around = cv2.contourArea(points), cv2.arcLength(points, True)
        if abs(area / wanted - 1) > tolerance:
            continue
        moments = cv2.moments(points)
        x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
        patches.append(ColourPatch(float(x), float(y), float(area), float(4 * math.pi * area / around**2)))
    return sorted(patches, key=lambda patch: -patch.area)


def blink_codes(count: int, *, bits: int = BITS, apart: int = APART) -> tuple[int, ...]:
    """Return words that differ from each other in at least `apart` bits, and from their own rotations in at least 2."""
    if count < 1:
        raise PaddockError(f"blink codes: expected at least 1 robot, got {count}")
    words: list[int] = []
    for word in range(1, 1 << bits):
        turned = _rotations(word, bits)
        if word != min(turned) or not 3 <= word.bit_count() <= bits - 3:
            continue
        if min((word ^ other).bit_count() for other in turned[1:]) < 2:
            continue
        if all((word ^ other).bit_count() >= apart for kept in words for other in _rotations(kept, bits)):
            words.append(word)
            if len(words) == count:
                return tuple(words)
    raise PaddockError(f"blink codes: expected at most {len(words)} robots with words of {bits} bits, got {count}")


@dataclass(frozen=True, slots=True)
class BlinkCode:
    """A robot's word, and the duration of its bits."""

    word: int
    bit: float = 0.25  # [s]; must be longer than two pictures
    bits: int = BITS

    def is_on(self, time: float) -> bool:
        """Whether the LED is on at a time [s]."""
        place = int(time / self.bit) % self.bits
        return bool(self.word >> (self.bits - 1 - place) & 1)


def read_blinks(samples: Sequence[tuple[float, float]], codes: Sequence[BlinkCode], *, wrong: int = 1) -> int | None:
    """Return the index of the code that an LED blinks; None if none matches, or if it was not seen for long enough.

    Args:
        samples: time [s] and brightness of the LED, in any unit.
        codes: codes with equal duration and number of bits.
        wrong: number of tolerated wrong bits.
    """
    if not samples or not codes:
        return None
    bit, bits = codes[0].bit, codes[0].bits
    times, levels = (np.array(values, float) for values in zip(*samples, strict=True))
    if times[-1] - times[0] < bit * bits or np.ptp(levels) <= 0:
        return None
    middle = (levels.max() + levels.min()) / 2
    best: tuple[int, int] | None = None
    for phase in range(PHASES):
        word = _read_word(times, levels > middle, times[-1] - bit * bits, bit, bits, phase / PHASES)
        for number, code in enumerate(codes):
            off = min((word ^ turned).bit_count() for turned in _rotations(code.word, bits))
            if best is None or off < best[0]:
                best = off, number
    return best[1] if best is not None and best[0] <= wrong else None


def _read_word(times: Floats, lit: NDArray[np.bool_], start: float, bit: float, bits: int, phase: float) -> int:
    """Return the word, each bit by majority of its samples."""
    word = 0
    places = np.floor((times - start) / bit + phase).astype(int) % bits
    recent = times >= start
    for place in range(bits):
        votes = lit[recent & (places == place)]
        word = word << 1 | int(len(votes) > 0 and votes.mean() > 0.5)
    return word


def _rotations(word: int, bits: int) -> list[int]:
    mask = (1 << bits) - 1
    return [(word << turn | word >> (bits - turn)) & mask for turn in range(bits)]


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
