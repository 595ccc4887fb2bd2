"""UnguardedGuest: a controller in this very process, for systems that cannot fork: nothing holds it there."""

from __future__ import annotations

from typing import NoReturn

from paddock.sandbox import messages
from paddock.sandbox.failure import FailureKind, SubmissionFailure
from paddock.sandbox.folders import remove_folder
from paddock.sandbox.guest import GuestJob, GuestProgram


class UnguardedGuest:
    """What GuestProcess does, without a process: students check their own programs on Windows, too."""

    output, cpu_seconds = "", 0.0

    def __init__(self, job: GuestJob) -> None:
        self._folder = job.folder
        self._guest = GuestProgram(job, job.folder / job.file)
        self._read(self._guest.load())

    def tell(self, message: bytes) -> None:
        """Give it a message."""
        self._guest.answer(message[messages.LENGTH.size :])

    def ask(self, message: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Its answer: a letter, and the rest. It may take as long as it likes."""
        return self._read(self._guest.answer(message[messages.LENGTH.size :]))

    def _read(self, frame: bytes) -> tuple[bytes, bytes]:
        letter, data = frame[4:5], frame[5:]
        if letter == messages.FAILED:
            told = messages.decode_failure(data)
            self.fail(told.kind, told.place, told.text)
        return letter, data

    def fail(self, kind: FailureKind, place: str, text: str) -> NoReturn:
        """End with a verdict."""
        self.close()
        raise SubmissionFailure(kind, place.removeprefix(f"{self._folder.resolve()}/"), text)

    def close(self) -> None:
        """Remove its files."""
        remove_folder(self._folder)
