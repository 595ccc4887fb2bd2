"""Locks between processes, so that only one process changes a folder at a time. They end with their process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.reason import explain_os_error

PAUSE = 0.01  # between two attempts [s]
FILE = ".lock"
BUSY = "another process is using this folder; wait for it to finish, or stop it"


@contextmanager
def lock_folder(folder: Path, *, timeout: float = 10.0, file_name: str = FILE, busy: str = "") -> Iterator[None]:
    """Hold the lock of a folder.

    Args:
        folder: the folder to lock. The lock is a small file in it, which is not deleted.
        timeout: how long to wait for another holder [s] before raising a PaddockError.
        file_name: name of the lock file; different names are independent locks.
        busy: text of the error; empty for the default text.
    """
    try:
        file = os.open(folder / file_name, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise PaddockError(f"{folder}: cannot be changed: {explain_os_error(error)}") from None
    try:
        deadline = time.monotonic() + timeout
        while not _take(file):
            if time.monotonic() >= deadline:
                raise PaddockError(busy or f"{folder}: {BUSY}")
            time.sleep(PAUSE)
        yield
    finally:
        os.close(file)  # releases the lock


def _take(file: int) -> bool:
    with suppress(BlockingIOError, PermissionError):  # Windows raises PermissionError
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
