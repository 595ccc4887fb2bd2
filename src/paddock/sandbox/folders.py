"""The folder of a program: how much is in it, and an end to it, whatever the program has made there."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from itertools import islice
from pathlib import Path

MAX_FILES = 1000  # files and folders
MAX_DEPTH = 16  # folders in each other
LONGEST = 2000  # letters of a path


def measure_folder(folder: Path) -> tuple[int, str]:
    """The bytes in it; and what there is too much of, if so: it is not looked at any further then."""
    size, count, left = 0, 0, [(str(folder), 0)]
    while left:
        path, depth = left.pop()
        try:
            with os.scandir(path) as entries:
                found = list(islice(entries, MAX_FILES + 1))
            count += len(found)
            folders = [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]
            size += sum(entry.stat(follow_symlinks=False).st_size for entry in found)
        except FileNotFoundError:  # it is gone, or some of it
            continue
        except PermissionError:
            return size, "folders that nobody may read"
        if count > MAX_FILES:
            return size, f"more than {MAX_FILES} files and folders"
        if folders and (depth == MAX_DEPTH or max(map(len, folders)) > LONGEST):
            return size, f"more than {MAX_DEPTH} folders in each other, or too long names,"
        left += [(inner, depth + 1) for inner in folders]
    return size, ""


def remove_folder(folder: Path) -> None:
    """Remove it with all that is in it, however deep or hidden that is."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and os.name == "posix":
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, "--", folder], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
