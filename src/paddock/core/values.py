"""Small values with names instead of numbers to count: they are arrays all the same, so that arithmetic works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image


class Named(np.ndarray[Any, np.dtype[np.float64]]):
    """A few numbers with names."""

    names: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        if self.shape != (len(self.names),):
            return repr(np.asarray(self))
        return f"{type(self).__name__}({', '.join(f'{n}={v:g}' for n, v in zip(self.names, self, strict=True))})"


class _Axes(Named):
    names = ("x", "y", "z")

    @property
    def x(self) -> float:
        """Forward."""
        return float(self[0])

    @property
    def y(self) -> float:
        """Left."""
        return float(self[1])

    @property
    def z(self) -> float:
        """Up."""
        return float(self[2])


class Acceleration(_Axes):
    """Along x (forward), y (left) and z (up), gravity included [m/s²]."""


class TurnRates(_Axes):
    """About x (forward), y (left) and z (up) [rad/s]."""


class _Sides(Named):
    names = ("left", "right")

    @property
    def left(self) -> float:
        return float(self[0])

    @property
    def right(self) -> float:
        return float(self[1])


class Travel(_Sides):
    """How far the rims have rolled [m]."""


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """A picture: uint8 [row, column, rgb], upright. OpenCV takes it as it is (its colours are blue, green, red)."""

    def to_pil(self) -> Image:
        """The same for Pillow."""
        from PIL import Image

        return Image.fromarray(np.asarray(self))


def as_picture(pixels: NDArray[np.uint8]) -> Picture:
    """An array as a picture, not copied."""
    return cast(Picture, pixels.view(Picture))
