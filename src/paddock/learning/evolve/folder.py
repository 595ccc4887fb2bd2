"""Folder of an evolution: champion, learning curve, history, config, worlds, provenance and checkpoint."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from paddock.control.policies.program import Program
from paddock.core.errors import PaddockError, format_value
from paddock.core.files import append_text, save_image, write_text
from paddock.core.provenance import FILE as PROVENANCE
from paddock.core.provenance import collect, name_copies, read_copies, refuse_other_kind, write_provenance
from paddock.core.user_code import find_source, is_path
from paddock.learning.evolve.champion_picture import draw_champion
from paddock.learning.evolve.charts import save_elites_map, save_learning_curve
from paddock.learning.evolve.checkpoint import load_checkpoint, save_checkpoint
from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.program_text import format_program
from paddock.learning.evolve.strategies.map_elites import MapElites
from paddock.simulation.worlds import WorldSpec, load_world, save_world
from paddock.simulation.worlds.placement import source_files
from paddock.simulation.worlds.world_files import fingerprint_world

CHECKPOINT, CHAMPION, CURVE, DRIVES = "checkpoint.npz", "champion.npz", "learning-curve.png", "champion.png"
CONFIG, HISTORY, SUMMARY = "config.json", "history.csv", "summary.json"
KIND = "evolution"  # of run, in the provenance
SYNC_PERIOD = 1.0  # [s] wall time between syncs: a sync to disk may take longer than a generation
FORMULAS, ELITES, ELITES_MAP = "champion.txt", "elites.npz", "elites.png"


class EvolutionExists(PaddockError):
    """The folder of a new evolution already contains an evolution."""


class EvolutionFolder:
    """Folder with the results of an evolution."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._saved: tuple[float, float] | None = None  # solved share and fitness of the champion on disk
        self._synced = -SYNC_PERIOD  # time of the last checkpoint that was synced to disk

    def refuse_second(self) -> None:
        """Raise an error if the folder already contains an evolution, or another kind of run."""
        refuse_other_kind(self.path, KIND)
        if (self.path / CHECKPOINT).exists():
            raise EvolutionExists(f"{self.path}: there is an evolution already: choose another folder, or resume it")

    def create(self, evolution: Evolution) -> None:
        """Create the folder, and write the files that never change."""
        self.refuse_second()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PaddockError(f"{self.path}: cannot create the folder: {error.strerror or error}") from None
        names = name_copies(_input_files(evolution))
        write_provenance(self.path, KIND, self._collect(evolution), read_copies(names))
        copies = {file: self.path / name for file, name in names.items()}
        for path, world in self._worlds(evolution):
            save_world(world, path, copies)
        self.write_json(CONFIG, evolution.config.as_table())
        self._write_history(evolution)
        self._save(evolution, {})

    def load_config(self, expected: Mapping[str, Any], generations: int | None = None) -> EvolutionConfig:
        """Load the config of this folder's evolution, check the expected options, and set the number of generations."""
        config = EvolutionConfig.from_table(load_checkpoint(self.path / CHECKPOINT)["config"])
        task = expected.get("task", config.task)
        if task != config.task:
            raise PaddockError(
                f"the task: the evolution to resume has {format_value(config.task)}, not {format_value(task)}: "
                "leave it out, or choose another folder"
            )
        extended = config.extend(expected, generations)
        for key, name in config.as_table().items():
            if is_path(name) and expected.get(key) != name:
                raise PaddockError(
                    f"{self.path}: its {key} is code, {format_value(name)}: give it again to run this code, because a "
                    "folder may come from somebody else"
                )
        return extended

    def restore(self, evolution: Evolution, *, ignore_versions: bool = False) -> dict[str, float]:
        """Restore an evolution in the same worlds from the checkpoint; return the time spent until then [s]."""
        next_path = self.path / f"world-{len(evolution.task.worlds)}.toml", None
        for path, world in [*self._worlds(evolution), next_path]:
            expected = None if world is None else fingerprint_world(world)
            if (fingerprint_world(load_world(path)) if path.exists() else None) != expected:
                raise PaddockError(
                    f"{path}: the task's world is not the one that this evolution began with: "
                    "start again in another folder"
                )
        state = load_checkpoint(self.path / CHECKPOINT)
        evolution.restore(state, ignore_versions=ignore_versions)
        if not evolution.done:
            self.write_json(CONFIG, evolution.config.as_table())
            table = self._read_json(PROVENANCE)
            self.write_json(PROVENANCE, {**table, "resumed": [*table.get("resumed", []), self._collect(evolution)]})
        self._write_history(evolution)
        return dict(state["spent"])

    def save_generation(self, evolution: Evolution, spent: Mapping[str, float]) -> None:
        """Save a generation and the time spent [s]; a killed process loses nothing that was saved."""
        self._save(evolution, spent)
        append_text(self.path / HISTORY, _format_rows(evolution.history[-1:]))
        best = evolution.history[-1].solved, evolution.history[-1].champion
        if best != self._saved:
            self._saved = best
            evolution.champion.save(self.path / CHAMPION)

    def finish(self, evolution: Evolution, summary: Mapping[str, Any], spent: Mapping[str, float]) -> list[Path]:
        """Write the result files: history, summary, champion and elites; and the time spent [s].

        Returns:
            all files of the folder, including those written at the start; the worlds come last.
        """
        self._synced = -SYNC_PERIOD
        self._save(evolution, spent)
        self._write_history(evolution)  # complete, even after an interruption
        self.write_json(SUMMARY, summary)
        names = [CHECKPOINT, CONFIG, HISTORY, PROVENANCE, SUMMARY]
        if evolution.history:
            champion, strategy, about = evolution.champion, evolution.strategy, describe(evolution)
            champion.save(self.path / CHAMPION)
            save_learning_curve(evolution, self.path / CURVE, about=about)
            save_image(draw_champion(evolution, about=about), self.path / DRIVES)
            names += [CHAMPION, CURVE, DRIVES]
            if isinstance(champion, Program):
                write_text(self.path / FORMULAS, format_program(champion))
                names.append(FORMULAS)
            if isinstance(strategy, MapElites):
                strategy.save_elites(self.path / ELITES)
                save_elites_map(strategy, evolution.task, self.path / ELITES_MAP, about=about)
                names += [ELITES, ELITES_MAP]
        return [*(self.path / name for name in sorted(names)), *(path for path, _ in self._worlds(evolution))]

    def read_test(self) -> dict[str, Any]:
        """Return the test results of the champion from the last summary."""
        return {name: value for name, value in self._read_json(SUMMARY).items() if name.startswith("test_")}

    def write_json(self, name: str, table: Mapping[str, Any]) -> None:
        """Write a table as indented JSON."""
        write_text(self.path / name, json.dumps(table, indent=2, ensure_ascii=False) + "\n")

    def _read_json(self, name: str) -> dict[str, Any]:
        path = self.path / name
        try:
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
        except ValueError as error:
            raise PaddockError(f"{path}: this file is damaged: {error}") from None

    def _worlds(self, evolution: Evolution) -> list[tuple[Path, WorldSpec]]:
        names = ["world.toml", *(f"world-{i}.toml" for i in range(1, len(evolution.task.worlds)))]
        return [(self.path / name, world) for name, world in zip(names, evolution.task.worlds, strict=True)]

    def _save(self, evolution: Evolution, spent: Mapping[str, float]) -> None:
        now = time.monotonic()
        sync = now - self._synced >= SYNC_PERIOD
        save_checkpoint(self.path / CHECKPOINT, {**evolution.state(), "spent": dict(spent)}, sync=sync)
        self._synced = now if sync else self._synced

    def _collect(self, evolution: Evolution) -> dict[str, Any]:
        package = evolution.strategy.package
        return collect(seed=evolution.config.seed, packages=() if package is None else (package,))

    def _write_history(self, evolution: Evolution) -> None:
        head = ",".join(field.name for field in fields(Generation)) + "\r\n"
        write_text(self.path / HISTORY, head + _format_rows(evolution.history))


def _input_files(evolution: Evolution) -> list[Path]:
    """Return the input files of an evolution: worlds, robots, and the user's code."""
    worlds = dict.fromkeys(file for world in evolution.task.worlds for file in source_files(world))
    names = (evolution.config.task, evolution.config.strategy)
    return [*worlds, *(file for name in names if (file := find_source(name)) is not None)]


def _format_rows(history: Sequence[Generation]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(astuple(generation) for generation in history)
    return text.getvalue()


def describe(evolution: Evolution) -> str:
    """Return strategy, population, seed and number of worlds in one line."""
    config = evolution.config
    worlds = len(evolution.task.worlds)
    places = f", {worlds} worlds" if worlds > 1 else ""
    return f"{config.strategy}, population {config.population}, seed {config.seed}{places}"
