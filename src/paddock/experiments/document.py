"""A report as one list of parts, written as Markdown with pictures beside it and as one page of HTML."""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PIL import Image

from paddock.core.errors import PaddockError
from paddock.core.provenance import collect, describe
from paddock.experiments import Outcome
from paddock.experiments.rows import Sheet, claims
from paddock.report.page import STYLE, table


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph; `code` is set as code."""

    text: str


@dataclass(frozen=True, slots=True)
class Aside:
    """A line in a fainter colour: where a report comes from."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, the name of its file, and what it shows."""

    name: str
    caption: str
    image: Image.Image


Part = Heading | Words | Aside | Sheet | Picture


def opening(outcome: Outcome, about: str) -> Iterator[Part]:
    """How reports begin: where they come from, what they are about, and which claims hold."""
    yield Aside(describe(collect(), outcome.seeds))
    if outcome.quick_look:
        yield Words(f"This is {outcome.quick_look}.")
    yield Words(about)
    yield Heading("What holds")
    yield Words(f"{sum(row.holds for row in outcome.rows)} of {len(outcome.rows)} claims hold.")
    yield claims(outcome.rows)


def checked_folder(folder: Path) -> Path:
    """A folder that a report can be written to, before anything is computed; it is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        way = next((part for part in (folder, *folder.parents) if part.is_file()), folder)
        raise PaddockError(f"{folder}: {way} is a file: give a folder for the report, --out DIR") from error
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


def write_document(title: str, parts: Sequence[Part], folder: Path) -> list[Path]:
    """Write `report.md`, `report.html` and all pictures into a folder; those of an earlier report are replaced."""
    pictures = [part for part in parts if isinstance(part, Picture)]
    texts = {"report.md": markdown(title, parts)}
    checked_folder(folder)
    try:
        for picture in pictures:
            picture.image.save(folder / f"{picture.name}.png")
        texts["report.html"] = html(title, parts, folder)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error
    return [folder / name for name in (*texts, *(f"{picture.name}.png" for picture in pictures))]


def markdown(title: str, parts: Sequence[Part]) -> str:
    """The report as Markdown; pictures are links to files beside it."""
    blocks = [f"# {title}"]
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"## {part.text}")
        elif isinstance(part, Words):
            blocks.append(part.text)
        elif isinstance(part, Aside):
            blocks.append(f"*{part.text}*")
        elif isinstance(part, Picture):
            blocks.append(f"![{part.caption}]({part.name}.png)\n\n*{part.caption}*")
        else:
            rows = [part.heads, tuple("--:" if flush else "---" for flush in part.numeric), *part.rows]
            blocks.append("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows))
    return "\n\n".join(blocks) + "\n"


def html(title: str, parts: Sequence[Part], folder: Path) -> str:
    """The report as a page that needs no other file; pictures are taken from the folder."""
    blocks = [f"<h1>{escape(title)}</h1>"]
    for part in parts:
        if isinstance(part, Heading):
            blocks.append(f"<h2>{escape(part.text)}</h2>")
        elif isinstance(part, Words):
            blocks.append(f"<p>{_with_code(part.text)}</p>")
        elif isinstance(part, Aside):
            blocks.append(f'<p class="about">{_with_code(part.text)}</p>')
        elif isinstance(part, Picture):
            source = base64.b64encode((folder / f"{part.name}.png").read_bytes()).decode("ascii")
            words = escape(part.caption)
            blocks.append(
                f'<figure class="card"><img alt="{words}" src="data:image/png;base64,{source}"/>'
                f"<figcaption>{words}</figcaption></figure>"
            )
        else:
            blocks.append(table(part.heads, part.rows, numeric=part.numeric))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(blocks)
        + "\n</main>\n</body>\n</html>\n"
    )


def _with_code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _unwritable(folder: Path, error: OSError) -> PaddockError:
    what = error.strerror or str(error)
    return PaddockError(f"{folder}: cannot write the report there: {what}; choose a folder that you may write to")
