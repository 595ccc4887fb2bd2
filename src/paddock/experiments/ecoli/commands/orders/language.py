"""Language of the host program. English texts are in the code, other languages in .po files in `cli/locale`."""

from __future__ import annotations

import ast
import locale
import os
import re
from collections.abc import Mapping
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.reason import Reason

CATALOGUES = Path(__file__).parents[1] / "locale"
ENGLISH = "en"
LANGUAGES = (ENGLISH, *sorted(path.stem for path in CATALOGUES.glob("*.po")))
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


def choose_language(name: str) -> str:
    """Set the language, "auto" for that of the user's system, and return its name."""
    global _catalogue
    if name == "auto":
        name = find_system_language()
    if name not in LANGUAGES:
        raise UnknownName("language", name, LANGUAGES)
    _catalogue = {} if name == ENGLISH else load_catalogue(CATALOGUES / f"{name}.po")
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
    texts = read_po(path.read_text(encoding="utf-8"), str(path))
    return {text: translation for text, translation in texts.items() if text and translation}


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
        current[0] += ast.literal_eval(first or more)
    return {key: parts[0] for key, parts in found.items()}
