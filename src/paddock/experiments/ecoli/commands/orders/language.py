"""Language of the host program. English texts are in the code, other languages in .po files: shipped, or a user's."""

from __future__ import annotations

import ast
import json
import locale
import os
import re
import string
from collections.abc import Mapping
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import read_user_text, write_text
from paddock.core.reason import Reason
from paddock.core.terminal.output_files import check_new

CATALOGUES = Path(__file__).parents[1] / "locale"
SUFFIX = ".po"
ENGLISH = "en"
LANGUAGES = (ENGLISH, *sorted(path.stem for path in CATALOGUES.glob(f"*{SUFFIX}")))
HEAD = "Content-Type: text/plain; charset=UTF-8\n"
ENTRY = re.compile(r'^(msgid|msgstr)\s+(".*")$|^(".*")$')

_catalogue: Mapping[str, str] = {}  # translations of texts; empty for English


def _(text: str) -> str:
    """Return a text in the language of the user."""
    return _catalogue.get(text, text)


def translate(message: object) -> str:
    """Return an error or a reason in the language of the user, if its texts have translations."""
    if isinstance(message, PaddockError) and message.args:
        message = message.args[0]
    if not isinstance(message, Reason):
        return str(message)
    values = {key: translate(value) if isinstance(value, Reason) else value for key, value in message.values.items()}
    return _catalogue.get(message.template, message.template).format(**values)


def choose_language(name: str, folder: Path = Path()) -> str:
    """Set the language, and return its name: "auto" for that of the user's system, or a .po file relative to a folder.

    A text that a user's file leaves empty is shown in English.
    """
    global _catalogue
    if name == "auto":
        name = find_system_language()
    if name.endswith(SUFFIX):
        _catalogue = load_catalogue(folder / name)
    elif name in LANGUAGES:
        _catalogue = {} if name == ENGLISH else load_catalogue(CATALOGUES / f"{name}{SUFFIX}")
    else:
        raise UnknownName("language", name, LANGUAGES, expected=f"{', '.join(LANGUAGES)}, or a file such as ca{SUFFIX}")
    return name


def find_system_language() -> str:
    """Return the language of the environment if there is a catalogue for it, else English."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for language in os.environ.get(variable, "").split(":"):
            short = locale.normalize(language).partition("_")[0].partition(".")[0].lower()
            if language and short in LANGUAGES:
                return short
    return ENGLISH


def load_catalogue(path: Path) -> dict[str, str]:
    """Return the texts of a .po file that have translations."""
    texts = read_po(read_user_text(path), str(path))
    found = {text: translation for text, translation in texts.items() if text and translation}
    for text, translation in found.items():
        if list_placeholders(text) != list_placeholders(translation):
            raise PaddockError(f"{path}: other placeholders than in {text!r}: {translation!r}")
    return found


def list_placeholders(text: str) -> list[tuple[str, str, str]] | None:
    """Return name, format and conversion of each placeholder, in alphabetical order; None if braces do not match."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return None
    return sorted((name, form or "", conversion or "") for _, name, form, conversion in parts if name is not None)


def write_catalogue(texts: Mapping[str, str], catalogue: Mapping[str, str]) -> str:
    """Return a .po file of exactly these texts, in their order, each with its first location in the code."""
    out = f'msgid ""\nmsgstr {quote(catalogue.get("", HEAD))}\n'
    for text, place in texts.items():
        comment = f"#: {place.partition(':')[0]}\n" if place else ""
        out += f"\n{comment}msgid {quote(text)}\nmsgstr {quote(catalogue.get(text, ''))}\n"
    return out


def quote(text: str) -> str:
    """Return a text quoted for a catalogue."""
    return json.dumps(text, ensure_ascii=False)


def write_template(path: Path, *, force: bool = False) -> int:
    """Write a .po file with all texts, to be translated, and return their number."""
    check_new(path, force=force)
    shipped = read_po(read_user_text(next(CATALOGUES.glob(f"*{SUFFIX}"))))  # each has all texts
    texts = dict.fromkeys((text for text in shipped if text), "")
    write_text(path, write_catalogue(texts, {}))
    return len(texts)


def read_po(text: str, file: str = "") -> dict[str, str]:
    """Return texts and their translations. The header of the file is the translation of the empty text."""
    found: dict[str, list[str]] = {}
    key, current = "", [""]
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = ENTRY.match(line)
        if match is None:
            raise PaddockError(f"{file}:{number}: expected msgid, msgstr or a text in quotes, got {line!r}")
        word, first, more = match.groups()
        if word == "msgid":
            current = [""]
        elif word == "msgstr":
            key, current = current[0], [""]
            if key in found:
                raise PaddockError(f"{file}:{number}: {key!r} is translated twice")
            found[key] = current
        try:
            current[0] += ast.literal_eval(first or more)
        except SyntaxError:
            raise PaddockError(f"{file}:{number}: expected a text in quotes, got {line!r}") from None
    return {key: parts[0] for key, parts in found.items()}
