"""Documents: a report as a list of parts, and its rendering to HTML with Jinja2."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from paddock.core.files import describe_folder_error, ensure_folder, write_text
from paddock.report.chart_style import save_figure
from paddock.report.quantities import branches, format_value, is_tree
from paddock.report.tables import Table

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.axes import Axes
    from PIL.Image import Image


MAX_LINES = 400  # maximum number of log lines on a page


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text; parts in backquotes are formatted as code."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A line in a fainter colour, such as the origin of a report."""

    kind: ClassVar[str] = "remark"
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A highlighted line: the reason why a run failed."""

    kind: ClassVar[str] = "failure"
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture or a chart, with its file name and caption."""

    kind: ClassVar[str] = "figure"
    name: str
    caption: str
    picture: Image | Axes

    @property
    def is_chart(self) -> bool:
        """Whether it is a chart, whose colours may be inverted in a dark theme."""
        return not hasattr(self.picture, "getbbox")


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """Settings as a nested table."""

    kind: ClassVar[str] = "settings"
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LogText:
    """A collapsible log. The page contains its first 400 lines."""

    kind: ClassVar[str] = "log"
    lines: tuple[str, ...]
    file: str = "run.log"

    @property
    def count(self) -> int:
        """Total number of lines."""
        return len(self.lines)

    @property
    def text(self) -> str:
        """Text shown on the page."""
        more = len(self.lines) - MAX_LINES
        end = f"\n… and {more} more lines in {self.file}" if more > 0 else ""
        return "\n".join(self.lines[:MAX_LINES]) + end


Part = Heading | Paragraph | Remark | Failure | Figure | SettingsTable | LogText | Table


def render_html(
    title: str, parts: Sequence[Part], folder: Path, links: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Render a self-contained page. The pictures of figures are read from PNG files in the folder.

    Args:
        title: title of the page.
        parts: contents of the page.
        folder: folder of the pictures.
        links: URLs by the names of table rows.
    """
    figures = [part for part in parts if isinstance(part, Figure)]
    images = {part.name: base64.b64encode((folder / f"{part.name}.png").read_bytes()).decode() for part in figures}
    return render_template("page.html", title=title, parts=parts, images=images, links=links)


def render_template(name: str, **values: Any) -> str:
    """Render a template with some values."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("paddock.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_strip_control,
        keep_trailing_newline=True,
    )
    environment.globals |= {"branches": branches, "is_tree": is_tree, "format_value": format_value}
    environment.filters["code"] = _mark_code
    return environment


def _strip_control(value: Any) -> Any:
    """Remove control characters, which are not allowed in HTML."""
    if isinstance(value, str) and any(letter < " " and letter not in "\n\t" for letter in value):
        return type(value)("".join(letter for letter in value if letter >= " " or letter in "\n\t"))
    return value


def _mark_code(text: str) -> Any:
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def write_document(title: str, parts: Sequence[Part], folder: Path) -> list[Path]:
    """Write `report.md`, `report.html` and all pictures to a folder. An earlier report is replaced."""
    figures = [part for part in parts if isinstance(part, Figure)]
    texts = {"report.md": render_markdown(title, parts)}
    ensure_folder(folder)
    try:
        for figure in figures:
            save_figure(figure.picture, folder / f"{figure.name}.png")
        texts["report.html"] = render_html(title, parts, folder)
        for name, text in texts.items():
            write_text(folder / name, text)
    except OSError as error:
        raise describe_folder_error(folder, "report", error) from error
    return [folder / name for name in (*texts, *(f"{figure.name}.png" for figure in figures))]


def render_markdown(title: str, parts: Sequence[Part]) -> str:
    """Render the report as Markdown, with links to picture files in the same folder."""
    blocks = [f"# {title}"]
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"## {part.text}")
        elif isinstance(part, Paragraph):
            blocks.append(part.text)
        elif isinstance(part, Failure):
            blocks.append(f"**{part.text}**")
        elif isinstance(part, Remark):
            blocks.append(f"*{part.text}*")
        elif isinstance(part, Figure):
            blocks.append(f"![{part.caption}]({part.name}.png)\n\n*{part.caption}*")
        elif isinstance(part, Table):
            rows = [part.heads, tuple("--:" if flush else "---" for flush in part.numeric), *part.rows]
            blocks.append("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows))
    return "\n\n".join(blocks) + "\n"
