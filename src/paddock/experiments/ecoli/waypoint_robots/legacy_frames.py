"""Plain frames: STX, a text, ETX. A reader with the quirks of the robots of 2012, and one without."""

from __future__ import annotations

STX, ETX = 2, 3
LONGEST_TEXT = 256  # characters; longer than any order or reply
MAX_WAITING = 1 << 12  # maximum bytes of an unfinished message; the real robot has no limit, and crashes


def write_frame(text: str) -> bytes:
    """Return the bytes of a frame with a text."""
    return bytes([STX]) + text.encode("latin-1") + bytes([ETX])


class LegacyReader:
    """Reads frames like the robots of 2012.

    STX and ETX are dropped everywhere. A message ends if the last received byte is ETX and no more bytes are waiting.
    Therefore two messages sent back to back become one. Bytes before an STX belong to the message.
    """

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, waiting: bytes) -> str | None:
        """Add all waiting bytes. Return the message if they complete it, else None."""
        self._text += waiting.translate(None, bytes([STX, ETX]))
        del self._text[:-MAX_WAITING]
        if not waiting or waiting[-1] != ETX:
            return None
        text = self._text.decode("latin-1")
        self._text.clear()
        return text


class FrameReader:
    """Reads messages one by one. STX starts a message, ETX ends it. Messages that are too long are dropped."""

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Add bytes. Return the non-empty texts that they complete."""
        texts = []
        for byte in data:
            if byte == ETX:
                if 0 < len(self._text) <= LONGEST_TEXT:
                    texts.append(self._text.decode("latin-1"))
                self._text.clear()
            elif byte == STX:
                self._text.clear()
            elif len(self._text) <= LONGEST_TEXT:
                self._text.append(byte)
        return texts
