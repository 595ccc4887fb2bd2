"""Journal: persistent state of a module, as a snapshot and the messages received since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from paddock.core.files import append_text
from paddock.network.nodes.node_messages import ModuleMessage, RoundMessage
from paddock.network.nodes.recording import read_recording
from paddock.network.nodes.snapshot import load_snapshot, save_snapshot
from paddock.network.nodes.wire import encode_message


class Journal:
    """A snapshot file (.npz) and a message file (.jsonl) with a common path; without a path nothing is stored.

    A killed process leaves complete rounds. A power failure may lose the last ones.

    Args:
        path: path of both files without suffix.
        header: identifies the state; a snapshot with another header is rejected.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self._path, self._header = path, header
        self._waiting: list[str] = []

    def add(self, message: ModuleMessage) -> None:
        """Add a message of the current round."""
        if self._path is not None:
            self._waiting.append(encode_message(message).decode() + "\n")

    def write(self) -> None:
        """Write the messages of the completed round."""
        if self._path is not None:
            append_text(self._lines, "".join(self._waiting))
            self._waiting.clear()

    def snapshot(self, number: int, state: Any) -> None:
        """Save the state at the end of a round, and delete the earlier messages."""
        if self._path is not None:
            save_snapshot(self._snapshot, self._header, (number, state))
            self._lines.unlink(missing_ok=True)

    def restore(self) -> tuple[int, Any] | None:
        """Return the number of a round and the state at its end; None without a snapshot."""
        if self._path is None or not self._snapshot.is_file():
            return None
        number, state = load_snapshot(self._snapshot, self._header)
        return number, state

    def messages(self, *, after: int) -> Iterator[ModuleMessage]:
        """Yield the messages of all complete rounds after a number."""
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
        """Delete both files."""
        if self._path is not None:
            self._snapshot.unlink(missing_ok=True)
            self._lines.unlink(missing_ok=True)

    @property
    def _snapshot(self) -> Path:
        return Path(f"{self._path}.npz")

    @property
    def _lines(self) -> Path:
        return Path(f"{self._path}.jsonl")
