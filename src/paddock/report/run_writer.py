"""RunWriter: writes recorded data during a run, so that a killed run loses only its last seconds."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Protocol

import typer

from paddock.arena.base_arena import BaseArena
from paddock.arena.episodes import Episode
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.arena.episodes.trace_files import append_rows
from paddock.core.errors import PaddockError
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.report import fresh_folder
from paddock.report.report_files import make_base, name_trace

PERIOD = 2.0  # wall time between two writes [s]


class RunFiles(Protocol):
    """Files of a run in addition to its traces."""

    def keep(self, folder: Path) -> None:
        """Write the most important data during the run."""

    def write(self, episode: Episode, folder: Path) -> None:
        """Write all files at the end of the run."""


class RunWriter:
    """Appends to the traces in a run's folder periodically. At the end of the run, complete files replace them.

    Args:
        out: base folder of all runs.
        name: name of the world.
        inputs: input files of the run. They are read immediately, because the user may edit them during the run.
        files: further files of the folder.
    """

    def __init__(self, out: Path, name: str, inputs: Iterable[Path] = (), files: RunFiles | None = None) -> None:
        make_base(out)  # fail early if the folder is not writable
        self._inputs = read_inputs(inputs)
        self._out, self._name, self.files = out, name, files
        self._next, self._last_error = time.monotonic() + PERIOD, ""
        self._kept: dict[str, tuple[TraceRecorder, int, tuple[str, ...]]] = {}  # recorder, its rows and devices

    @cached_property
    def folder(self) -> Path:
        """Folder of the run, created on first use."""
        return fresh_folder(self._out, self._name)

    def keep(self, arena: BaseArena) -> None:
        """Write the new rows of every trace if the period has elapsed; call once per tick."""
        if time.monotonic() < self._next:
            return
        try:
            if not self._kept:
                self.write_provenance(arena)
            for name, recorder in arena.recorders.items():
                self._keep_trace(recorder, self.folder / name_trace(name, alone=len(arena.recorders) == 1))
            if self.files is not None:
                self.files.keep(self.folder)
        except PaddockError as error:  # a failed write must not end the run
            if str(error) != self._last_error:
                typer.echo(f"could not save the data recorded so far: {error}", err=True)
            self._last_error = str(error)
        self._next = time.monotonic() + PERIOD

    def write_provenance(self, arena: BaseArena) -> None:
        """Write the provenance of the run: seed, versions and input files."""
        write_provenance(self.folder, "run", collect(seed=arena.seed), self._inputs)

    def _keep_trace(self, recorder: TraceRecorder, path: Path) -> None:
        former, rows, devices = self._kept.get(recorder.robot, (None, 0, ()))
        part = recorder.trace(first=rows if former is recorder else 0)
        if former is recorder and devices == tuple(part.readings):
            append_rows(part, path)
        else:  # the first part, a restarted run, or a newly enabled device
            recorder.trace().save(path)
        self._kept[recorder.robot] = recorder, len(recorder), tuple(part.readings)
