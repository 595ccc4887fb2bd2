"""Journal: what a module must not lose when it is killed: a snapshot of its state, and the messages since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from paddock.core.files import append_text
from paddock.modules.messages import ModuleMessage, RoundMessage
from paddock.modules.recording import read_recording
from paddock.modules.snapshot import load_snapshot, save_snapshot
from paddock.modules.wire import encode_message


class Journal:
    """Two files of a name, with the endings .npz and .jsonl; without a name nothing is kept.

    A killed process leaves whole rounds. A power cut may cost the last ones.

    Args:
        path: the name.
        header: what the state is of; a snapshot with another one is refused.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self._path, self._header = path, header
        self._waiting: list[str] = []

    def add(self, message: ModuleMessage) -> None:
        """A message of the present round."""
        if self._path is not None:
            self._waiting.append(encode_message(message).decode() + "\n")

    def write(self) -> None:
        """The round is complete."""
        if self._path is not None:
            append_text(self._lines, "".join(self._waiting))
            self._waiting.clear()

    def snapshot(self, number: int, state: Any) -> None:
        """Keep a state, that of the end of a round; messages of before are not needed any more."""
        if self._path is not None:
            save_snapshot(self._snapshot, self._header, (number, state))
            self._lines.unlink(missing_ok=True)

    def restore(self) -> tuple[int, Any] | None:
        """The number of a round and the state at its end, if there is one."""
        if self._path is None or not self._snapshot.is_file():
            return None
        number, state = load_snapshot(self._snapshot, self._header)
        return number, state

    def messages(self, *, after: int) -> Iterator[ModuleMessage]:
        """The messages of all whole rounds after a number."""
        if self._path is None or not self._lines.is_file():
            return
        waiting: list[ModuleMessage] = []
        for message in read_recording(self._lines):
            waiting.append(message)
            if isinstance(message, RoundMessage):
                if message.number > after:
                    yield from waiting
                waiting.clear()

    def clear(self) -> None:
        """Begin anew."""
        if self._path is not None:
            self._snapshot.unlink(missing_ok=True)
            self._lines.unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def _snapshot(self) -> Path:
        return Path(f"{self._path}.npz")

    @property
    def _lines(self) -> Path:
        return Path(f"{self._path}.jsonl")
