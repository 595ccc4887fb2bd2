"""Text from outside, made safe for terminals and logs."""

from __future__ import annotations

import unicodedata

UNSEEN = "\N{REPLACEMENT CHARACTER}"
KEPT = "\n\t"


def strip_control(text: str) -> str:
    """The text without what steers a terminal: escape sequences, backspaces, changes of writing direction."""
    return "".join(UNSEEN if unicodedata.category(char) in ("Cc", "Cf") and char not in KEPT else char for char in text)
