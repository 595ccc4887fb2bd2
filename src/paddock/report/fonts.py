"""Fonts for characters that matplotlib's default font lacks, such as names in other scripts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

BOXES = "last resort"  # in the name of a font with a placeholder box for every character
UNKNOWN = "?"


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
