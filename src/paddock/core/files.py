"""Files: atomic writes, after which readers see the complete old or new file even if a process dies; users' texts."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paddock.core.errors import PaddockError
from paddock.core.reason import explain, explain_os_error

if TYPE_CHECKING:
    from PIL.Image import Image

TOKEN_VARIABLE = "PADDOCK_TOKEN"  # an environment variable, which other users of a machine cannot see

SMALL, DENSEST = 64 << 20, 50  # bytes that always may be unpacked; bytes for each byte of the file


@contextmanager
def whole_file(
    path: str | Path, mode: str = "w", *, sync: bool = True, private: bool = False, **how: Any
) -> Iterator[IO[Any]]:
    """Write a temporary file in the same folder, and replace the file of that name once it is completely written.

    Of several writers of a file, the last to finish determines its content. None waits for another one. Without
    `sync` this is faster. It is then safe if the process is killed, but not if the power fails. A `private` file is
    readable by its owner only, from its first byte on.
    """
    if "b" not in mode:
        how = {"encoding": "utf-8", **how}
    try:
        with _claim_part(path, 0o600 if private else 0o666) as part:
            try:
                with part.open(mode, **how) as file:
                    yield file
                    file.flush()
                    if sync:
                        os.fsync(file.fileno())
                os.replace(part, path)  # noqa: PTH105 (os.replace is documented as atomic)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise _describe_write_error(path, error) from None


@contextmanager
def _claim_part(path: str | Path, permissions: int) -> Iterator[Path]:
    """Create a temporary file that no other thread or process writes; one left over by a killed process is used."""
    for number in itertools.count(1):
        part = Path(f"{path}.part" if number == 1 else f"{path}-{number}.part")
        if os.name == "nt":  # it has no such locks, and does not rename open files
            yield part
            return
        import fcntl

        file = os.open(part, os.O_CREAT | os.O_RDWR, permissions)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:  # not on every network drive
                pass
            if not _is_at(file, part):
                continue
            if os.fstat(file).st_mode & 0o777 & ~permissions:  # left over, and readable by others
                part.unlink()
                continue
            yield part
            return
        finally:
            os.close(file)


def _is_at(file: int, path: Path) -> bool:
    """Whether an open file still has this path; another thread may have renamed it."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def read_user_text(path: str | Path) -> str:
    """Return the text of a user's file in UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PaddockError(explain("{file}: cannot be read: {why}", file=path, why=explain_os_error(error))) from None
    except UnicodeDecodeError:
        raise PaddockError(explain("{file}: expected a text in UTF-8; save it with that encoding", file=path)) from None


def write_text(path: str | Path, text: str, *, sync: bool = True, private: bool = False) -> None:
    """Replace a text file."""
    with whole_file(path, sync=sync, private=private) as file:
        file.write(text)


def append_text(path: str | Path, text: str, *, sync: bool = False, private: bool = False) -> None:
    """Append to a text file, either all of the text or nothing. With `sync`, flush it to the disk.

    A `private` file becomes readable by its owner only.
    """
    data = text.encode()
    try:
        with open(path, "ab", buffering=0, opener=_open_private if private else None) as file:
            end, done = file.tell(), 0
            try:
                done = file.write(data)
                while done < len(data):  # partial write, for example on a full disk: the next call raises the error
                    done += file.write(data[done:])
            finally:
                if done < len(data):
                    with suppress(OSError):
                        file.truncate(end)
            if sync:
                os.fsync(file.fileno())
    except OSError as error:
        raise _describe_write_error(path, error) from None


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, from its first byte on; also one that others could read before."""
    file = os.open(path, flags, 0o600)
    if os.name == "posix" and os.fstat(file).st_mode & 0o077:
        os.fchmod(file, 0o600)
    return file


def refuse_special_file(path: str | Path) -> None:
    """Refuse a pipe, a socket or a device, which could block this program or never end."""
    there = Path(path)
    with suppress(OSError, ValueError):
        if there.exists() and not there.is_file() and not there.is_dir():
            raise PaddockError(f"{path}: cannot be read: expected a file, not a pipe or a device")


def find_unpacked_limit(packed: int) -> int:
    """Return how many bytes the content of a compressed file may have; `packed`: its bytes in the file."""
    return SMALL + DENSEST * packed


def make_new_folder(path: Path) -> None:
    """Create a folder that does not exist yet; an empty one is used as it is."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise PaddockError(f"{path}: already exists and is not empty: choose another name")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PaddockError(f"{path}: cannot be created: {explain_os_error(error)}") from None


def read_stamp(path: Path) -> object:
    """Return a value that differs after a file was changed; None if the file does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def save_image(image: Image, path: str | Path) -> None:
    """Write or replace an image file; the suffix of its name determines the format."""
    from PIL import Image as Pillow

    kind = Pillow.registered_extensions()[Path(path).suffix.lower()]
    with whole_file(path, "wb") as file:
        image.save(file, format=kind)


def _describe_write_error(path: str | Path, error: OSError) -> PaddockError:
    return PaddockError(explain("{file}: cannot be written: {why}", file=path, why=explain_os_error(error)))


def describe_folder_error(folder: Path, what: str, error: OSError) -> PaddockError:
    """Return the error about a folder to which a run or a report cannot be written."""
    why = error.strerror or str(error)
    return PaddockError(f"{folder}: cannot write the {what} there: {why}; choose a folder that you may write to")


def ensure_folder(folder: Path) -> Path:
    """Create the folder of a report if necessary, and check that it is writable, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        way = next((part for part in (folder, *folder.parents) if part.is_file()), folder)
        raise PaddockError(f"{folder}: {way} is a file: give a folder for the report") from error
    except OSError as error:
        raise describe_folder_error(folder, "report", error) from error
    return folder


def read_secret(text: str) -> str:
    """Return a text, or for `@FILE` the first line of that file: other users of a machine see command lines.

    Files that other users can read are refused.
    """
    if not text.startswith("@"):
        return text
    path = Path(text[1:]).expanduser()
    try:
        if os.name == "posix" and path.stat().st_mode & 0o044:
            raise PaddockError(f"{path}: other users of this machine can read this token: chmod 600 {path}")
        first = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except OSError as error:
        raise PaddockError(f"cannot read the token in {path}: {explain_os_error(error)}") from None
    except UnicodeDecodeError:
        raise PaddockError(f"{path}: expected a token in the first line, got other bytes than text") from None
    if not first:
        raise PaddockError(f"{path}: expected a token in the first line, got an empty line")
    return first
