"""Arrays with a description in `.npz` files. Writes are atomic, and pickled objects are not allowed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.files import find_unpacked_limit, refuse_special_file, whole_file


def write_npz(
    path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, sync: bool = True
) -> None:
    """Write arrays and their description, which must have a `format`; an old file is replaced atomically."""
    with whole_file(path, "wb", sync=sync) as file:
        np.savez(file, allow_pickle=False, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)


def read_npz(path: str | Path, what: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a file of `write_npz`; return the description and the arrays. Error messages name `what` was expected."""
    refuse_special_file(path)
    try:
        _check_size(path)
        with zipfile.ZipFile(path) as archive, np.load(path, allow_pickle=False) as file:
            if "about.npy" not in archive.namelist():
                raise ValueError("the file was not written by Paddock")
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
        if not isinstance(about, dict) or "format" not in about:
            raise ValueError("the file's description names no format")
    except FileNotFoundError:
        raise PaddockError(f"{path}: no such file") from None
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror or error}") from None
    except zipfile.BadZipFile:
        raise PaddockError(f"{path}: expected {what}: this is not an .npz file, or it is damaged") from None
    except Exception as error:
        raise PaddockError(f"{path}: expected {what}: {str(error).partition(' when ')[0]}") from None
    return about, arrays


def _check_size(path: str | Path) -> None:
    """Refuse a small file that would fill the memory."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise ValueError("its compression is not one that NumPy writes")  # unpacked without any limit
    size = sum(entry.file_size for entry in entries)
    if size > find_unpacked_limit(Path(path).stat().st_size):
        raise ValueError(f"unpacked, the file would have {size >> 20} MB, which is more than its data can have")
