"""Language of the host program. English texts are in the code, other languages in .po files in `cli/locale`."""

from __future__ import annotations

import ast
import gettext
import io
import locale
import os
import re
import struct
from collections.abc import Mapping
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.reason import Reason

CATALOGUES = Path(__file__).parents[1] / "locale"
ENGLISH = "en"
LANGUAGES = (ENGLISH, *sorted(path.stem for path in CATALOGUES.glob("*.po")))
MO_MAGIC = 0x950412DE
ENTRY = re.compile(r'^(msgid|msgstr)\s+(".*")$|^(".*")$')

_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def _(text: str) -> str:
    """Return a text in the language of the user."""
    return _catalogue.gettext(text)


def translate(message: object) -> str:
    """Return an error or a reason in the language of the user, if its texts have translations."""
    if isinstance(message, PaddockError) and message.args:
        message = message.args[0]
    if not isinstance(message, Reason):
        return str(message)
    values = {key: translate(value) if isinstance(value, Reason) else value for key, value in message.values.items()}
    return _catalogue.gettext(message.template).format(**values)


def choose_language(name: str) -> str:
    """Set the language, "auto" for that of the user's system, and return its name."""
    global _catalogue
    if name == "auto":
        name = find_system_language()
    if name not in LANGUAGES:
        raise UnknownName("language", name, LANGUAGES)
    _catalogue = gettext.NullTranslations() if name == ENGLISH else load_catalogue(CATALOGUES / f"{name}.po")
    return name


def find_system_language() -> str:
    """Return the language of the environment if there is a catalogue for it, else English."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for language in os.environ.get(variable, "").split(":"):
            short = locale.normalize(language).partition("_")[0].partition(".")[0].lower()
            if language and short in LANGUAGES:
                return short
    return ENGLISH


def load_catalogue(path: Path) -> gettext.GNUTranslations:
    """Load the translations of a .po file."""
    return gettext.GNUTranslations(io.BytesIO(compile_catalogue(read_po(path.read_text(encoding="utf-8"), str(path)))))


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


def compile_catalogue(translations: Mapping[str, str]) -> bytes:
    """Return translations in the binary format of gettext (a .mo file)."""
    pairs = sorted((key.encode(), value.encode()) for key, value in translations.items() if value)
    texts = [key for key, _ in pairs] + [value for _, value in pairs]
    table, first = 7 * 4, 7 * 4 + 8 * len(texts)
    out, places = b"", []
    for text in texts:
        places.append(struct.pack("<II", len(text), first + len(out)))
        out += text + b"\0"
    head = struct.pack("<7I", MO_MAGIC, 0, len(pairs), table, table + 8 * len(pairs), 0, 0)
    return head + b"".join(places) + out
