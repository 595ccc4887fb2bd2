"""RunKeeper: what a run has recorded so far is on the disk, so that one that is killed loses only its last seconds."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Protocol

import typer

from paddock.arena.base import BaseArena
from paddock.core.errors import PaddockError
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.episodes import Episode
from paddock.episodes.recorder import TraceRecorder
from paddock.episodes.trace_files import append_rows
from paddock.report import fresh_folder
from paddock.report.files import make_base, name_trace

PERIOD = 2.0  # wall seconds between two parts


class RunFiles(Protocol):
    """Files of a run besides its traces."""

    def keep(self, folder: Path) -> None:
        """Write what must not be lost, while the run goes on."""

    def write(self, episode: Episode, folder: Path) -> None:
        """Write all, at its end."""


class RunKeeper:
    """Adds to the traces in a run's folder now and then. When the run is over, whole files replace them.

    Args:
        out: where runs have their folders.
        name: of the world.
        inputs: files that the run is made from. They are read now: people edit them while it goes on.
        files: more that belongs into the folder.
    """

    def __init__(self, out: Path, name: str, inputs: Iterable[Path] = (), files: RunFiles | None = None) -> None:
        make_base(out)  # what cannot be written had better be told now
        self._inputs = read_inputs(inputs)
        self._out, self._name, self.files = out, name, files
        self._next, self._complaint = time.monotonic() + PERIOD, ""
        self._kept: dict[str, tuple[TraceRecorder, int, tuple[str, ...]]] = {}  # recorder, its rows and devices

    @cached_property
    def folder(self) -> Path:
        """Of the run; made when it is needed."""
        return fresh_folder(self._out, self._name)

    def keep(self, arena: BaseArena) -> None:
        """A tick has passed."""
        if time.monotonic() < self._next:
            return
        try:
            if not self._kept:
                self.write_provenance(arena)
            for name, recorder in arena.recorders.items():
                self._keep_trace(recorder, self.folder / name_trace(name, alone=len(arena.recorders) == 1))
            if self.files is not None:
                self.files.keep(self.folder)
        except PaddockError as error:  # the run is worth more than a copy of what there is of it
            if str(error) != self._complaint:
                typer.echo(f"could not keep what was recorded so far: {error}", err=True)
            self._complaint = str(error)
        self._next = time.monotonic() + PERIOD

    def write_provenance(self, arena: BaseArena) -> None:
        """What the run was made from."""
        write_provenance(self.folder, collect(seed=arena.seed), self._inputs)

    def _keep_trace(self, recorder: TraceRecorder, path: Path) -> None:
        former, rows, devices = self._kept.get(recorder.robot, (None, 0, ()))
        part = recorder.trace(first=rows if former is recorder else 0)
        if former is recorder and devices == tuple(part.readings):
            append_rows(part, path)
        else:  # the first part, or one of a run that was begun again, or with a device that was not there before
            recorder.trace().save(path)
        self._kept[recorder.robot] = recorder, len(recorder), tuple(part.readings)
