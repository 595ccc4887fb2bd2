"""Reproductions of published experiments: one folder for each, with access by name."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from paddock.core.errors import PaddockError
from paddock.core.jobs import FinishedJobs, Workers
from paddock.core.provenance import collect, describe
from paddock.core.registry import Registry
from paddock.experiments.reproductions.rows import Row, claims, summarise
from paddock.report.tables import Table

Progress = Callable[[int, int], None]
"""Callback with the number of finished runs and the total number of runs."""


class Outcome(ABC):
    """The result of a reproduction.

    The module `report` in the folder of a derived class defines TITLE, ABOUT and `list_parts(outcome)`, which yields
    the parts after the claims.
    """

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """All claims, each with the paper's number and ours."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """All measurements, with their spread."""

    @property
    @abstractmethod
    def seeds(self) -> int:
        """Number of seeds of the experiment with the most repetitions."""

    @property
    @abstractmethod
    def required_seeds(self) -> int:
        """Number of seeds that the claims require."""

    @property
    def quick_look(self) -> str:
        """Notice that there are fewer seeds than the claims require; empty otherwise."""
        wanted = self.required_seeds
        if self.seeds >= wanted:
            return ""
        return f"a quick look with {self.seeds} of {wanted} seeds; the claims are made for all {wanted}"

    def write(self, folder: Path) -> list[Path]:
        """Write the report (Markdown, HTML and pictures) and return its files."""
        from paddock.report.document import Heading, Paragraph, Part, Remark, write_document

        report = importlib.import_module(f"{type(self).__module__.rpartition('.')[0]}.report")
        parts: list[Part] = [Remark(describe(collect(), self.seeds))]
        if self.quick_look:
            parts.append(Paragraph(f"This is {self.quick_look}."))
        parts += [Paragraph(report.ABOUT), Heading("Claims"), Paragraph(f"{summarise(self.rows)}."), claims(self.rows)]
        return write_document(report.TITLE, [*parts, *report.list_parts(self)], folder)


class Reproduction(Protocol):
    """A function that runs the whole experiment; the number of workers affects only its duration."""

    def __call__(
        self,
        *,
        seeds: int | None = None,
        workers: Workers = None,
        progress: Progress | None = None,
        finished: FinishedJobs | None = None,
    ) -> Outcome:
        """Run the experiment.

        Args:
            seeds: number of seeds of each repeated part; None: as many as the claims require.
            workers: number of processes; None: one per core; or "ray" for a cluster.
            progress: called after every run.
            finished: results of an earlier, interrupted call; they are not computed again, and new ones are added.
        """


def check_seeds(seeds: int | None) -> None:
    """Raise an error if the number of seeds is less than 1."""
    if seeds is not None and seeds < 1:
        raise PaddockError(f"seeds: expected at least 1, got {seeds}")


HERE = "paddock.experiments.reproductions"
REPRODUCTIONS: Registry[Reproduction] = Registry(
    "reproduction",
    group="paddock.reproductions",
    builtin={
        "wall-follower": f"{HERE}.wall_follower.reproduce:reproduce",
        "epuck-framework": f"{HERE}.epuck_framework.reproduce:reproduce",
        "rossum": f"{HERE}.rossum.reproduce:reproduce",
        "ap2dx": f"{HERE}.ap2dx.reproduce:reproduce",
    },
)


def reproduction_called(name: str) -> Reproduction:
    """Return the reproduction with a name."""
    return REPRODUCTIONS.get(name)


__all__ = ["REPRODUCTIONS", "Outcome", "Progress", "Reproduction", "Row", "Table", "reproduction_called"]
