"""Matplotlib figures without global state: axes in Paddock's style, and reproducible files."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.report.drawing.colours import FAINT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from PIL.Image import Image


BOXES = "last resort"  # in the name of a font with a placeholder box for every character
UNKNOWN = "?"
DPI = 125
WIDTH, HEIGHT = 8.0, 3.7  # inches; 1000 pixels wide
TITLE, SUBTITLE, TEXT = 14.0, 9.0, 9.0  # sizes of texts [points]
# Metadata to omit from each file type: dates and versions, which would make files differ.
METADATA: Mapping[str, Mapping[str, None]] = MappingProxyType(
    {
        ".png": {"Software": None},
        ".svg": {"Date": None, "Creator": None},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
)


@cache
def find_family(letter: str) -> str | None:
    """Return the family of an installed font with a character: matplotlib's default, else a regular one, or None."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    usual = FontProperties()
    if get_font(findfont(usual)).get_char_index(ord(letter)) or letter < " ":
        return usual.get_family()[0]
    plain = {(font.name, font.fname) for font in fontManager.ttflist if (font.style, font.weight) == ("normal", 400)}
    for name, file in sorted(plain, key=lambda font: ("Sans" not in font[0], *font)):
        if BOXES not in name.lower() and get_font(file).get_char_index(ord(letter)):
            return name
    return None


def can_write(text: str) -> bool:
    """Whether there are fonts for all characters of a text."""
    return all(map(find_family, text))


def replace_unknown(text: str) -> str:
    """Replace every character without a font by a question mark."""
    return "".join(letter if find_family(letter) else UNKNOWN for letter in text)


def list_families(text: str) -> list[str]:
    """Return the font families that a text needs, the default one first."""
    return list(dict.fromkeys(filter(None, map(find_family, f" {text}"))))


def choose_fonts(figure: Figure | SubFigure) -> None:
    """Set the fonts that the texts of a figure need."""
    from matplotlib.text import Text

    texts: Iterator[Text] = (text for text in figure.findobj(Text) if not text.get_text().isascii())
    for text in texts:
        text.set_text(replace_unknown(text.get_text()))
        text.set_fontfamily([*text.get_fontfamily(), *list_families(text.get_text())[1:]])


def new_axes(*, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Create empty axes in a new figure of a size [inches]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained", facecolor=PAPER)
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)  # type: ignore[union-attr, call-arg]
    ax = figure.add_subplot()
    ax.set_facecolor(PAPER)
    return ax


def take_axes(ax: Axes | None, *, width: float = WIDTH, height: float = HEIGHT) -> tuple[Axes, bool]:
    """Return the given axes, or new ones of a size [inches], and whether they are new."""
    return (new_axes(width=width, height=height), True) if ax is None else (ax, False)


def save_figure(picture: Axes | Image, path: str | Path) -> None:
    """Write a chart as PNG, SVG or PDF, by file name extension, or a Pillow image as PNG, with reproducible bytes."""
    path = Path(path)
    ending = path.suffix.lower()
    is_chart = not hasattr(picture, "getbbox")
    allowed = tuple(METADATA) if is_chart else (".png",)
    if ending not in allowed:
        raise PaddockError(f"{path}: cannot write such a file: expected a name that ends with {', '.join(allowed)}")
    with whole_file(path, "wb") as file:
        if is_chart:
            _save_chart(picture, file, ending)
        else:
            picture.save(file, "PNG")  # type: ignore[union-attr]


def _save_chart(ax: Any, file: Any, ending: str) -> None:
    import matplotlib

    choose_fonts(ax.figure)
    with matplotlib.rc_context({"svg.hashsalt": "paddock"}):
        ax.figure.savefig(file, format=ending[1:], dpi=DPI, metadata=dict(METADATA[ending]))


def style_axes(
    ax: Axes, *, title: str, about: str, x_name: str, y_name: str, above: float = 0.0, left_space: float = 0.0
) -> None:
    """Set titles, axis labels, a faint grid, and no frame except the two axes.

    Args:
        ax: axes to style.
        title: title of the chart.
        about: subtitle.
        x_name: label of the x axis, with its unit: "time [s]".
        y_name: label of the y axis.
        above: space between the plot and the titles [points].
        left_space: space for unusually wide labels on the left [points].
    """
    room = axes_width(ax) - left_space
    lift = above + 6.0
    if about:
        text = shorten(about, SUBTITLE, room)
        place: Any = {"xytext": (0.0, lift), "textcoords": "offset points", "va": "bottom"}
        ax.annotate(text, (0.0, 1.0), xycoords="axes fraction", fontsize=SUBTITLE, color=FAINT, **place)
        lift += 1.7 * SUBTITLE
    if title:
        ax.set_title(shorten(title, TITLE, room), loc="left", fontsize=TITLE, color=INK, pad=lift)
    ax.set_xlabel(shorten(x_name, TEXT, room), fontsize=TEXT, color=INK)
    ax.set_ylabel(shorten(y_name, TEXT, 72 * HEIGHT * 0.7), fontsize=TEXT, color=INK)
    ax.tick_params(labelsize=TEXT, colors=FAINT, labelcolor=INK)
    ax.grid(visible=True, color=INK, alpha=0.08, linewidth=0.8)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)


def axes_width(ax: Axes) -> float:
    """Return the approximate width of axes [points], before their labels are laid out."""
    figure: Any = ax.figure
    return float(ax.get_position().width * figure.bbox.width / figure.dpi * 72)


def text_width(text: str, size: float) -> float:
    """Return the width of a text of a font size; both in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list_families(text), size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def shorten(text: str, size: float, room: float) -> str:
    """Shorten a text to a width [points], replace characters without a font, and escape `$`."""
    kept = text = replace_unknown(text)
    if text_width(text, size) > room:
        fitting = bisect_right(range(len(text)), room, key=lambda end: text_width(text[:end] + "…", size))
        kept = text[: max(fitting - 1, 0)].rstrip() + "…"
    return kept.replace("$", r"\$")
