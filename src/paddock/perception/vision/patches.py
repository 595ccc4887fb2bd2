"""Find robots without a marker as coloured patches in the plane of their lids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, SpecError
from paddock.core.rules import is_color, rgb
from paddock.perception.vision.camera_model import CameraModel
from paddock.perception.vision.lens import Floats
from paddock.perception.vision.markers import Pixels8, check_colours
from paddock.perception.vision.opencv import import_opencv

HUE_BAND = 12  # tolerance of the hue, of 180
LEAST_SATURATION, LEAST_VALUE = 70, 40  # of 255: paler or darker pixels have no hue


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


BITS = 12  # length of a word
APART = 4  # minimum number of bits in which two words differ, in any rotation
PHASES = 8  # number of tried phases of a bit


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
