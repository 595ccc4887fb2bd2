"""Reproductions of published experiments: one folder for each, found by name."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from paddock.core.errors import PaddockError, UnknownName
from paddock.experiments.rows import Row
from paddock.jobs import Workers
from paddock.report.sheets import Sheet

Progress = Callable[[int, int], None]
"""Told how many runs are done, and how many there are."""


class Outcome(ABC):
    """What came of a reproduction.

    The module `report` beside that of a derived class has a TITLE and `list_parts(outcome)`.
    """

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Every claim, with the paper's number and ours."""

    @property
    @abstractmethod
    def sheet(self) -> Sheet:
        """All that was measured, with its spread."""

    @property
    @abstractmethod
    def seeds(self) -> int:
        """How many there were of what is repeated most."""

    @property
    @abstractmethod
    def wanted_seeds(self) -> int:
        """How many the claims are made for."""

    @property
    def quick_look(self) -> str:
        """That these are fewer seeds than the claims are made for, in words; empty if they are not."""
        wanted = self.wanted_seeds
        if self.seeds >= wanted:
            return ""
        return f"a quick look with {self.seeds} of {wanted} seeds; the claims are made for all {wanted}"

    def write(self, folder: Path) -> list[Path]:
        """Write the report, Markdown, HTML and pictures, and tell which files there are."""
        from paddock.report.document_files import write_document

        report = importlib.import_module(f"{type(self).__module__.rpartition('.')[0]}.report")
        return write_document(report.TITLE, list(report.list_parts(self)), folder)


class Reproduction(Protocol):
    """Runs the whole experiment; the number of workers changes how long it takes, and nothing else."""

    def __call__(
        self, *, seeds: int | None = None, workers: Workers = None, progress: Progress | None = None
    ) -> Outcome:
        """Run it.

        Args:
            seeds: how many for everything that is repeated; None: as many as the claims ask for.
            workers: who does the runs: so many processes, None: one for every core; or "ray", a cluster.
            progress: told after every run.
        """


def check_seeds(seeds: int | None) -> None:
    """Refuse a reproduction without seeds."""
    if seeds is not None and seeds < 1:
        raise PaddockError(f"seeds: expected at least 1, got {seeds}")


# Modules with a function `reproduce`; imported when they are asked for.
REPRODUCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "wall-follower": "paddock.experiments.wall_follower.reproduce",
        "epuck-framework": "paddock.experiments.epuck_framework.reproduce",
        "rossum": "paddock.experiments.rossum.reproduce",
        "ecoli-walk": "paddock.experiments.ecoli_walk.reproduce",
        "ap2dx": "paddock.experiments.ap2dx.reproduce",
    }
)


def reproduction_called(name: str) -> Reproduction:
    """The reproduction of that name."""
    if name not in REPRODUCTIONS:
        raise UnknownName("reproduction", name, REPRODUCTIONS)
    return cast(Reproduction, importlib.import_module(REPRODUCTIONS[name]).reproduce)


__all__ = ["REPRODUCTIONS", "Outcome", "Progress", "Reproduction", "Row", "Sheet", "reproduction_called"]
