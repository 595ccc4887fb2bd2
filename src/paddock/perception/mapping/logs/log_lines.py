"""Lines of text from a plain or compressed log file, and the numbers in them."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from paddock.core.errors import PaddockError

MAX_PROBLEMS = 100  # stored per file
MAX_KINDS, LONGEST_KIND = 20, 32  # types of skipped lines that are counted by name, and their characters


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a plain or .gz file, or of the only text file in a .zip file."""
    try:
        if zipfile.is_zipfile(path):
            yield from _lines_of_archive(path)
            return
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if is_packed else path.open("rb") as file:
            yield from _decode(file)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:  # the last: encrypted file
        raise PaddockError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _lines_of_archive(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        names = [
            entry.filename
            for entry in archive.infolist()
            if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
        ]
        if len(names) != 1:
            raise PaddockError(f"{path}: expected an archive with one log, got {len(names)} files: {', '.join(names)}")
        with archive.open(names[0]) as file:
            yield from _decode(file)


def _decode(file: Iterable[bytes]) -> Iterator[str]:
    for line in file:
        yield line.decode("utf-8", "replace").removeprefix("\ufeff")  # editors of Windows write this mark first


class LogWords:
    """Reads the words of a line after the first from left to right; errors name the missing words."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words, self.place = words, 1

    @property
    def kind(self) -> str:
        """First word of the line."""
        return self.words[0]

    def take(self, count: int, what: str) -> Sequence[str]:
        """Return the next words."""
        if count < 0 or self.place + count > len(self.words):
            raise ValueError(f"expected {count} words for {what}, got {len(self.words) - self.place}")
        self.place += count
        return self.words[self.place - count : self.place]

    def numbers(self, count: int, what: str) -> list[float]:
        """Return the next numbers."""
        taken = self.take(count, what)
        try:
            return [float(word) for word in taken]
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None

    def count(self, what: str) -> int:
        """Return the next integer."""
        (word,) = self.take(1, what)
        try:
            return int(word)
        except ValueError:
            raise ValueError(f"{what}: expected a whole number, got {word!r}") from None


class LogNotes:
    """Records what a log reader skips: counts of lines of other types, and invalid lines with their numbers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.skipped: Counter[str] = Counter()
        self.problems: list[str] = []

    def read(self, lines: Iterable[str]) -> Iterator[tuple[int, LogWords]]:
        """Yield the lines that are neither empty nor comments, with their numbers."""
        for number, line in enumerate(lines, 1):
            if (words := line.split()) and not words[0].startswith("#"):
                yield number, LogWords(words)

    def skip(self, kind: str) -> None:
        """Count a line of another type. A file that is not a log has many types, which are counted together."""
        is_name = kind.isascii() and kind.isprintable() and len(kind) <= LONGEST_KIND
        known = kind in self.skipped or (is_name and len(self.skipped) < MAX_KINDS)
        self.skipped[kind if known else "other lines"] += 1

    @contextmanager
    def leave_out_broken(self, number: int, kind: str) -> Iterator[None]:
        """Skip and record a line that cannot be parsed."""
        try:
            yield
        except ValueError as error:
            self.skipped[f"broken {kind}"] += 1
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(f"line {number}: {kind}: {error}")
