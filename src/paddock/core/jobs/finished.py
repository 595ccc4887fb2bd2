"""FinishedJobs: results of jobs by key, appended to a file line by line, so that a killed process loses none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.files import append_text, write_text
from paddock.core.reason import explain_os_error

HEAD = '{"jobs of": '  # beginning of every file


class FinishedJobs(Mapping[str, Any]):
    """Results of jobs by key, as JSON values. The key must contain everything that determines the result.

    An incomplete line of a killed process is dropped. A power failure may lose the results of about the last second.

    Args:
        path: the file, created with the first result; None: nothing is written.
        owner: name of the owner of the jobs; a file of another owner is refused.
        private: whether only this user may read the file.
    """

    def __init__(self, path: Path | None, owner: str, *, private: bool = False) -> None:
        self._path, self._owner, self._private = path, owner, private
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise PaddockError(f"{path}: cannot be read: {explain_os_error(error)}") from None
        rows = text.removesuffix("\n").split("\n")  # strings may contain other line separators
        lines = [line for line in map(_read_line, rows) if line is not None]
        if not lines and not text.startswith(HEAD[: len(text)]):
            raise PaddockError(f"{path}: this file contains no results of jobs: choose another folder")
        owner = lines[0].get("jobs of") if lines else self._owner
        if owner != self._owner:
            raise PaddockError(
                f"{path}: this file contains results of {owner!r}, not of {self._owner!r}: choose another folder"
            )
        self._results = {
            line["key"]: line["result"] for line in lines if isinstance(line.get("key"), str) and "result" in line
        }
        if len(lines) < len(rows) or not text.endswith("\n"):
            write_text(path, "".join(map(_format_line, lines or [{"jobs of": self._owner}])), private=self._private)

    def add(self, results: Mapping[str, Any]) -> None:
        """Store some results, either all of them or none."""
        if self._path is not None:
            head = [] if self._path.exists() else [{"jobs of": self._owner}]
            lines = [*head, *({"key": key, "result": result} for key, result in results.items())]
            append_text(self._path, "".join(map(_format_line, lines)), private=self._private)
        self._results |= results

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


def _format_line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def _read_line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None
