"""Small arrays with named components, such as `x`, `y`, `z`; images; and numbers of users as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, format_value

if TYPE_CHECKING:
    from PIL.Image import Image


class Named(np.ndarray[Any, np.dtype[np.float64]]):
    """An array whose components are also attributes."""

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
    """Acceleration along x (forward), y (left) and z (up), gravity included [m/s²]."""

    names = ("x", "y", "z")


class TurnRates(Named):
    """Turn rates about x (forward), y (left) and z (up) [rad/s]."""

    names = ("x", "y", "z")


class Travel(Named):
    """Travel of the left and right wheel, at the rim [m]."""

    names = ("left", "right")


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """An upright image: uint8 [row, column, rgb]. OpenCV accepts it, but expects blue, green, red."""

    def to_pil(self) -> Image:
        """Convert to a Pillow image."""
        from PIL import Image

        return Image.fromarray(np.asarray(self))


def as_picture(pixels: NDArray[np.uint8]) -> Picture:
    """Return a view of an array as an image, without copying."""
    return cast(Picture, pixels.view(Picture))


def as_floats(what: str, value: Any, ndmin: int = 0) -> NDArray[np.float64]:
    """Return a copy of numbers as an array, or raise an error that names them by `what`."""
    try:
        return np.array(value, np.float64, ndmin=ndmin)
    except (TypeError, ValueError):
        raise PaddockError(f"{what}: expected numbers, got {format_value(value)}") from None
