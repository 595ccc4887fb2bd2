"""Numbers with a description in `.npz` files, which are whole at any moment and can never turn into code."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.files import whole_file


def write_npz(
    path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, sync: bool = True
) -> None:
    """Write arrays and their description, which has a `format`; the old file stays until the new one is whole."""
    with whole_file(path, "wb", sync=sync) as file:
        np.savez(file, allow_pickle=False, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)


def read_npz(path: str | Path, what: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `write_npz` wrote: the description and the arrays. `what` was expected, as an error says."""
    try:
        with zipfile.ZipFile(path) as archive, np.load(path, allow_pickle=False) as file:
            if "about.npy" not in archive.namelist():
                raise ValueError("Paddock did not write this one")
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
        if not isinstance(about, dict) or "format" not in about:
            raise ValueError("its description names no format")
    except FileNotFoundError:
        raise PaddockError(f"{path}: there is no such file") from None
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror or error}") from None
    except zipfile.BadZipFile:
        raise PaddockError(f"{path}: expected {what}: this is no .npz file, or it is damaged") from None
    except Exception as error:
        raise PaddockError(f"{path}: expected {what}: {str(error).partition(' when ')[0]}") from None
    return about, arrays
