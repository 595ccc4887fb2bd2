"""Write documents to files: Markdown with separate pictures, and one HTML page."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.report.document import Failure, Figure, Heading, Paragraph, Part, Remark, render_html
from paddock.report.figures import save_figure
from paddock.report.report_files import describe_write_error
from paddock.report.sheets import Sheet


def ensure_folder(folder: Path) -> Path:
    """Create the folder of a report if necessary, and check that it is writable, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        way = next((part for part in (folder, *folder.parents) if part.is_file()), folder)
        raise PaddockError(f"{folder}: {way} is a file: give a folder for the report") from error
    except OSError as error:
        raise describe_write_error(folder, "report", error) from error
    return folder


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
        raise describe_write_error(folder, "report", error) from error
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
        elif isinstance(part, Sheet):
            rows = [part.heads, tuple("--:" if flush else "---" for flush in part.numeric), *part.rows]
            blocks.append("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows))
    return "\n\n".join(blocks) + "\n"
