"""A report as one list of parts, written as Markdown with pictures beside it and as one page of HTML."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PIL import Image

from paddock.core.errors import PaddockError
from paddock.experiments.rows import Row, Sheet, claims
from paddock.report.page import STYLE


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, the name of its file, and what it shows."""

    name: str
    caption: str
    image: Image.Image


Part = Heading | Words | Sheet | Picture


def what_holds(rows: Sequence[Row]) -> Iterator[Part]:
    """How many claims hold, and the table of them."""
    yield Heading("What holds")
    yield Words(f"{sum(row.holds for row in rows)} of {len(rows)} claims hold.")
    yield claims(rows)


def write_document(title: str, parts: Sequence[Part], folder: Path) -> list[Path]:
    """Write `report.md`, `report.html` and all pictures into a folder; those of an earlier report are replaced."""
    pictures = [part for part in parts if isinstance(part, Picture)]
    texts = {"report.md": markdown(title, parts)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            picture.image.save(folder / f"{picture.name}.png")
        texts["report.html"] = html(title, parts, folder)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        what = error.strerror or str(error)
        raise PaddockError(f"{folder}: cannot write the report there: {what}; choose another folder") from error
    return [folder / name for name in (*texts, *(f"{picture.name}.png" for picture in pictures))]


def markdown(title: str, parts: Sequence[Part]) -> str:
    """The report as Markdown; pictures are links to files beside it."""
    blocks = [f"# {title}"]
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"## {part.text}")
        elif isinstance(part, Words):
            blocks.append(part.text)
        elif isinstance(part, Picture):
            blocks.append(f"![{part.caption}]({part.name}.png)\n\n*{part.caption}*")
        else:
            rows = [part.heads, ("---",) * len(part.heads), *part.rows]
            blocks.append("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows))
    return "\n\n".join(blocks) + "\n"


def html(title: str, parts: Sequence[Part], folder: Path) -> str:
    """The report as a page that needs no other file; pictures are taken from the folder."""
    blocks = [f"<h1>{escape(title)}</h1>"]
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"<h2>{escape(part.text)}</h2>")
        elif isinstance(part, Words):
            blocks.append(f"<p>{escape(part.text)}</p>")
        elif isinstance(part, Picture):
            source = base64.b64encode((folder / f"{part.name}.png").read_bytes()).decode("ascii")
            words = escape(part.caption)
            blocks.append(
                f'<figure class="card"><img alt="{words}" src="data:image/png;base64,{source}"/>'
                f"<figcaption>{words}</figcaption></figure>"
            )
        else:
            blocks.append(_table(part))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(blocks)
        + "\n</main>\n</body>\n</html>\n"
    )


def _table(sheet: Sheet) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in sheet.heads)
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>\n"
        for row in sheet.rows
    )
    return f'<div class="card"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
