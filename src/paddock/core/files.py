"""The one way to write files: whoever looks, and whenever a process dies, finds the old file or the new one, whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paddock.core.errors import PaddockError
from paddock.core.reason import explain, explain_os_error

if TYPE_CHECKING:
    from PIL.Image import Image


@contextmanager
def whole_file(
    path: str | Path, mode: str = "w", *, sync: bool = True, private: bool = False, **how: Any
) -> Iterator[IO[Any]]:
    """Write a temporary file beside the one of that name, and put it in its place when all of it is on the disk.

    Without `sync` that is faster, and safe when a process is killed, but not when the power fails. A `private` file is
    for its owner only, from its first byte on.
    """
    part = Path(f"{path}.part")
    if "b" not in mode:
        how = {"encoding": "utf-8", **how}
    if private:
        part.unlink(missing_ok=True)  # one that others may read
        how["opener"] = partial(os.open, mode=0o600)
    try:
        with open(part, mode, **how) as file:  # noqa: PTH123 (a path's own takes no opener)
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(part, path)  # noqa: PTH105 (what is named here is that it is atomic)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_text(path: str | Path, text: str, *, sync: bool = True, private: bool = False) -> None:
    """Replace a text file."""
    with whole_file(path, sync=sync, private=private) as file:
        file.write(text)


def append_text(path: str | Path, text: str, *, sync: bool = False) -> None:
    """Add to the end of a text file: all of the text, or nothing. With `sync` it is on the disk then."""
    data = text.encode()
    try:
        with Path(path).open("ab", buffering=0) as file:
            end, done = file.tell(), 0
            try:
                done = file.write(data)
                while done < len(data):  # the disk had room for a part of it: the next call tells why
                    done += file.write(data[done:])
            finally:
                if done < len(data):
                    with suppress(OSError):
                        file.truncate(end)
            if sync:
                os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(path, error) from None


def stamp_of(path: Path) -> object:
    """What is another when a file was changed; None: there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def save_image(image: Image, path: str | Path) -> None:
    """Replace a picture; the ending of its name tells the format."""
    from PIL import Image as Pillow

    kind = Pillow.registered_extensions()[Path(path).suffix.lower()]
    with whole_file(path, "wb") as file:
        image.save(file, format=kind)


def _unwritable(path: str | Path, error: OSError) -> PaddockError:
    return PaddockError(explain("{file}: cannot be written: {why}", file=path, why=explain_os_error(error)))
