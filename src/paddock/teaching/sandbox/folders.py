"""Measure and remove the private folder of a program, whatever the program has written there."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from itertools import islice
from pathlib import Path

MAX_FILES = 1000  # files and folders
MAX_DEPTH = 16  # nested folders
LONGEST = 2000  # characters of a path


def measure_folder(folder: Path) -> tuple[int, str]:
    """Return the size of a folder [bytes] and which limit it exceeds, or an empty text; stop at the first excess."""
    size, count, left = 0, 0, [(str(folder), 0)]
    while left:
        path, depth = left.pop()
        try:
            with os.scandir(path) as entries:
                found = list(islice(entries, MAX_FILES + 1))
            count += len(found)
            folders = [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]
            size += sum(entry.stat(follow_symlinks=False).st_size for entry in found)
        except PermissionError:
            return size, "unreadable folders"
        except OSError:  # the program has deleted it, or replaced it by a file
            continue
        if count > MAX_FILES:
            return size, f"more than {MAX_FILES} files and folders"
        if folders and (depth == MAX_DEPTH or max(map(len, folders)) > LONGEST):
            return size, f"more than {MAX_DEPTH} nested folders or too long names"
        left += [(inner, depth + 1) for inner in folders]
    return size, ""


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its contents, even if they are deeply nested or unreadable."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and os.name == "posix":
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, "--", folder], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
