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

    def __getattr__(self, name: str) -> float:
        if name not in self.names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return float(self[self.names.index(name)])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names]

    def __repr__(self) -> str:
        if self.shape != (len(self.names),):
            return repr(np.asarray(self))
        return f"{type(self).__name__}({', '.join(f'{n}={v:g}' for n, v in zip(self.names, self, strict=True))})"


class Acceleration(Named):
    """Along x (forward), y (left) and z (up), gravity included [m/s²]."""

    names = ("x", "y", "z")


class TurnRates(Named):
    """About x (forward), y (left) and z (up) [rad/s]."""

    names = ("x", "y", "z")


class Travel(Named):
    """How far the rims have rolled [m]."""

    names = ("left", "right")


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """A picture: uint8 [row, column, rgb], upright. OpenCV takes it as it is (its colours are blue, green, red)."""

    def to_pil(self) -> Image:
        """The same for Pillow."""
        from PIL import Image

        return Image.fromarray(np.asarray(self))


def as_picture(pixels: NDArray[np.uint8]) -> Picture:
    """An array as a picture, not copied."""
    return cast(Picture, pixels.view(Picture))
