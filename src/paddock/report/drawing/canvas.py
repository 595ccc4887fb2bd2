"""Canvas: an anti-aliased image with coordinates in pixels or metres, and labels that do not overlap."""

from __future__ import annotations

import functools
import importlib.util
import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from pathlib import Path
from typing import Literal, TypeVar

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Point, Shape
from paddock.core.spec import rgb
from paddock.report.drawing.colours import INK, PAPER, SHADOW, WHITE, Rgba, blend, tint

FINER = 3  # supersampling factor, for anti-aliasing
HUGE = 100_000  # radius of a disc [pixels], much larger than any picture
SMALLEST, LARGEST = 20, 8000  # limits of the width of a picture [pixels]; with anti-aliasing, 8000 take 2 GB
Rect = tuple[float, float, float, float]
E = TypeVar("E")
Anchor = Literal["left", "middle", "right"]

FONT = "mpl-data/fonts/ttf/DejaVuSans.ttf"  # in matplotlib, whose charts use it, too
FONT_SCALE = 0.9  # this font is wide
ALPHABETS = 0x0530  # letters below this code are in the font: Latin, Greek, Cyrillic
SYMBOLS = set("–—→“”’…≈≤≥−√·°±×²µ")


def printable(text: str) -> str:
    """Replace the characters that the font cannot draw."""
    letters = []
    for letter in text:
        if ord(letter) < ALPHABETS or letter in SYMBOLS:
            letters.append(letter)
        else:
            letters.append(unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?")
    return "".join(letters)


def check_picture_size(size: int) -> None:
    """Refuse a width of a picture [pixels] that is too small for texts or too large for the memory."""
    if not isinstance(size, Integral) or not SMALLEST <= size <= LARGEST:
        raise PaddockError(f"size: expected a whole number of pixels from {SMALLEST} to {LARGEST}, got {size!r}")


def round_length(limit: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20 … (or 0.5, 0.2 …) that is not above `limit`."""
    power = 10.0 ** math.floor(math.log10(limit) + 1e-9)
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= limit * (1 + 1e-9))


class Canvas:
    """An image of `width` × `height` pixels. `view` maps metres to a part of it."""

    def __init__(self, width: int, height: int, *, paper: str = PAPER) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * FINER, height * FINER), rgb(paper))
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.taken: list[Rect] = []  # areas of texts, and areas that texts must not cover [pixels]
        self.view(0.0, 0.0, 0.0, 0.0, 1.0)

    def view(self, x: float, y: float, left: float, bottom: float, scale: float) -> None:
        """Map the point (x, y) [m] to the pixel (left, bottom), with `scale` pixels per metre."""
        self.x, self.y, self.left, self.bottom, self.scale = x, y, left, bottom, scale

    def at(self, point: Point) -> Point:
        """Return the pixel of a point [m]."""
        return self.left + (point[0] - self.x) * self.scale, self.bottom - (point[1] - self.y) * self.scale

    def to_image(self) -> Image.Image:
        """Return the image at its final size."""
        return self.image.reduce(FINER)

    # Shapes in metres

    def polygon(self, points: Iterable[Point], fill: Rgba) -> None:
        self.fill([self.at(p) for p in points], fill)

    def line(self, points: Iterable[Point], color: Rgba, width: float) -> None:
        """Draw a line [m] that is `width` pixels wide."""
        self.stroke([self.at(p) for p in points], color, width)

    def disc(self, at: Point, radius: float, fill: Rgba) -> None:
        """Draw a disc with a radius in metres."""
        self.dot(self.at(at), radius * self.scale, fill)

    def shape(self, shape: Shape, fill: str, edge: str, width: float) -> None:
        """Draw a filled shape [m] with an outline of `width` pixels."""
        if isinstance(shape, Disc):
            self.disc((shape.x, shape.y), shape.radius + width / 2 / self.scale, tint(edge))
            self.disc((shape.x, shape.y), max(0.0, shape.radius - width / 2 / self.scale), tint(fill))
        else:
            self.polygon(shape, tint(fill))
            self.line([*shape, shape[0], shape[1]], tint(edge), width)

    # Shapes in pixels

    def fill(self, pixels: Iterable[Point], fill: Rgba) -> None:
        """Draw a filled polygon."""
        self.draw.polygon(self._fine(pixels), fill=fill)

    def stroke(self, pixels: Sequence[Point], color: Rgba, width: float) -> None:
        self.draw.line(self._fine(pixels), fill=color, width=max(1, round(width * FINER)), joint="curve")

    def dot(self, pixel: Point, radius: float, fill: Rgba) -> None:
        fill_disc(self.draw, pixel[0] * FINER, pixel[1] * FINER, radius * FINER, fill)

    def ring(self, pixel: Point, radius: float, color: Rgba, width: float) -> None:
        x, y, r = pixel[0] * FINER, pixel[1] * FINER, radius * FINER
        self.draw.ellipse((x - r, y - r, x + r, y + r), outline=color, width=max(1, round(width * FINER)))

    def block(self, rect: Rect, fill: Rgba, *, radius: float = 0.0) -> None:
        """Draw a filled rectangle (left, top, right, bottom)."""
        self.draw.rounded_rectangle([part * FINER for part in rect], radius=radius * FINER, fill=fill)

    def paste(self, picture: Image.Image, rect: Rect) -> None:
        """Draw an image in a rectangle."""
        left, top, right, bottom = (round(part * FINER) for part in rect)
        size = max(1, right - left), max(1, bottom - top)
        same = picture.size == size
        self.image.paste(picture if same else picture.resize(size, Image.Resampling.BILINEAR), (left, top))

    def shadows(self, shapes: Sequence[Shape], within: Rect, offset: float) -> None:
        """Draw soft shadows of shapes [m], `offset` pixels to the lower right."""
        left, top, right, bottom = (round(part) for part in within)
        mask = Image.new("L", (max(1, right - left), max(1, bottom - top)), 0)
        draw = ImageDraw.Draw(mask)
        for shape in shapes:
            if isinstance(shape, Disc):
                x, y = self.at((shape.x, shape.y))
                fill_disc(draw, x - left + offset, y - top + offset, shape.radius * self.scale, 70)
            else:
                corners = [self.at(p) for p in shape]
                draw.polygon([(x - left + offset, y - top + offset) for x, y in corners], fill=70)
        mask = mask.filter(ImageFilter.GaussianBlur(offset * 0.8))
        mask = mask.resize((mask.width * FINER, mask.height * FINER), Image.Resampling.BILINEAR)
        self.image.paste(rgb(SHADOW), (left * FINER, top * FINER), mask)

    # Texts

    @staticmethod
    def measure(text: str, size: float) -> tuple[float, float]:
        """Return the width and height of a text [pixels]."""
        font = _font(round(size * FINER))
        return font.getlength(printable(text)) / FINER, size * 1.2

    def fitting(self, text: str, size: float, most: float) -> float:
        """Return the font size at which a text is at most `most` pixels wide."""
        width, _ = self.measure(text, size)
        return size if width <= most else max(5.0, size * most / width * 0.99)

    @classmethod
    def shorten(cls, text: str, size: float, room: float) -> str:
        """Shorten a text to fit into a width [pixels]."""
        if cls.measure(text, size)[0] <= room:
            return text
        kept = text[:400]
        while kept and cls.measure(kept + "…", size)[0] > room:
            kept = kept[:-1]
        return kept.rstrip() + "…"

    def text(
        self, pixel: Point, text: str, size: float, *, color: str = INK, anchor: Anchor = "left", halo: bool = False
    ) -> Rect:
        """Write a text, vertically centred at the pixel, and reserve its area."""
        width, height = self.measure(text, size)
        left = pixel[0] - width * {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor]
        top = pixel[1] - height / 2
        around = {"stroke_width": 2 * FINER, "stroke_fill": (255, 255, 255, 200)} if halo else {}
        self.draw.text(
            (left * FINER, pixel[1] * FINER),
            printable(text),
            fill=rgb(color),
            font=_font(round(size * FINER)),
            anchor="lm",
            **around,  # type: ignore[arg-type]
        )
        rect = (left, top, left + width, top + height)
        self.taken.append(rect)
        return rect

    def label(self, pixel: Point, away: float, text: str, size: float, within: Rect, *, color: str = INK) -> None:
        """Write a label next to a pixel, at least `away` from it, in the nearest free area inside `within`."""
        width, height = self.measure(text, size)
        for further in range(12):
            reach = away + further * height
            for dx, dy in ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1)):
                x = pixel[0] + dx * (reach + width / 2)
                y = pixel[1] + dy * (reach + height / 2)
                if self.is_free((x - width / 2, y - height / 2, x + width / 2, y + height / 2), within):
                    self.text((x, y), text, size, color=color, anchor="middle", halo=True)
                    return

    def reserve(self, pixel: Point, radius: float) -> None:
        """Reserve the square around a disc, so that no text covers it."""
        self.taken.append((pixel[0] - radius, pixel[1] - radius, pixel[0] + radius, pixel[1] + radius))

    def is_free(self, rect: Rect, within: Rect) -> bool:
        """Whether a rectangle lies inside another and covers no reserved area."""
        left, top, right, bottom = rect
        if left < within[0] or top < within[1] or right > within[2] or bottom > within[3]:
            return False
        return all(right <= r[0] or left >= r[2] or bottom <= r[1] or top >= r[3] for r in self.taken)

    def scale_bar(self, pixel: Point, length: float, text: str, zoom: float) -> None:
        """Draw a scale bar of a length [m] with its right end at the pixel and its text on the left."""
        right, y = pixel
        left = right - length * self.scale
        self.block((left, y - 3 * zoom, right, y + 3 * zoom), tint(INK))
        self.block(((left + right) / 2, y - 2 * zoom, right - zoom, y + 2 * zoom), tint(blend(INK, WHITE, 0.95)))
        self.text((left - 9 * zoom, y), text, 14 * zoom, anchor="right")

    def _fine(self, pixels: Iterable[Point]) -> list[Point]:
        return [(x * FINER, y * FINER) for x, y in pixels]


def fill_disc(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, fill: Rgba | int) -> None:
    """Draw a disc. Of a huge one only the sector that may be visible, because Pillow's time grows with the radius."""
    if radius <= HUGE:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
        return
    width, height = draw.im.size
    reach, away = math.hypot(width, height), math.hypot(width / 2 - x, height / 2 - y)
    if away + reach < radius:
        draw.rectangle((0, 0, width, height), fill=fill)
        return
    middle, half = math.atan2(height / 2 - y, width / 2 - x), 2 * reach / radius
    angles = [middle + half * (i / 32 - 1) for i in range(65)]
    draw.polygon([(x, y), *((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles)], fill=fill)


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    matplotlib = importlib.util.find_spec("matplotlib")  # found, but not imported, because that takes long
    if matplotlib is None or matplotlib.origin is None:  # as in the client that a class hands out
        raise PaddockError("drawing needs the package matplotlib: pip install matplotlib")
    return ImageFont.truetype(Path(matplotlib.origin).parent / FONT, FONT_SCALE * size)


def fill_rows(key: Sequence[E], text_of: Callable[[E], str], room: float, zoom: float) -> list[list[E]]:
    """Arrange the entries of a legend in rows that fit into `room` pixels."""
    rows: list[list[E]] = [[]]
    used = 0.0
    for entry in key:
        wide = 44 * zoom + Canvas.measure(text_of(entry), 14 * zoom)[0]
        if rows[-1] and used + wide > room:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += wide
    return rows
