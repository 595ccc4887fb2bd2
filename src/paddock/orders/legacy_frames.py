"""Plain frames: STX, a text, ETX. The reader of the robots of 2012 with its quirks, and one without."""

from __future__ import annotations

STX, ETX = 2, 3
LONGEST_TEXT = 256  # characters; no order and no reply is as long
MOST_WAITING = 1 << 12  # bytes that the emulated robot keeps without an end; the real one has no limit, and crashes


def write_frame(text: str) -> bytes:
    """A text as it travels."""
    return bytes([STX]) + text.encode("latin-1") + bytes([ETX])


class LegacyReader:
    """Reads like the robots of 2012.

    STX and ETX are dropped wherever they are. A message ends where the last byte that has come is ETX and no more is
    waiting: two messages sent back to back become one. What came before an STX belongs to the message.
    """

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, waiting: bytes) -> str | None:
        """Take all bytes that are waiting; the message, if they end it."""
        self._text += waiting.translate(None, bytes([STX, ETX]))
        del self._text[:-MOST_WAITING]
        if not waiting or waiting[-1] != ETX:
            return None
        text = self._text.decode("latin-1")
        self._text.clear()
        return text


class FrameReader:
    """Reads messages one by one: STX begins anew, ETX ends; what grows too long is dropped."""

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Take some bytes; the texts that they end, without the empty ones."""
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
