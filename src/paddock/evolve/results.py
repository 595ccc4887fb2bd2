"""The folder of an evolution: champion, learning curve, history, config, worlds and checkpoint."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paddock.core.errors import PaddockError, shown
from paddock.core.files import whole_file
from paddock.evolve.champion_picture import champion_picture
from paddock.evolve.checkpoint import load_checkpoint, save_checkpoint
from paddock.evolve.config import Config
from paddock.evolve.elites_map import draw_elites, save_elites
from paddock.evolve.evolution import Evolution, Generation
from paddock.evolve.formulas import formulas
from paddock.evolve.strategies.elites import MapElites
from paddock.policies.program import Program
from paddock.report.evolution_charts import learning_curve
from paddock.report.figures import save_figure
from paddock.worlds import WorldSpec, load_world, save_world

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHECKPOINT, CHAMPION, CURVE, DRIVES = "checkpoint.npz", "champion.npz", "learning-curve.png", "champion.png"
CONFIG, HISTORY, SUMMARY = "config.json", "history.csv", "summary.json"


class Folder:
    """Where an evolution keeps what it finds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: tuple[float, float] | None = None  # how often and how well the champion on disk did its task

    def refuse_second(self) -> None:
        """No evolution takes another one's place."""
        if (self.path / CHECKPOINT).exists():
            raise PaddockError(
                f"{self.path}: there is an evolution already: go on with --resume, or choose another folder"
            )

    def begin(self, evolution: Evolution) -> None:
        """Make the folder, and write what never changes."""
        self.refuse_second()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for path, world in self._worlds(evolution):
                save_world(world, path)
        except OSError as error:
            raise PaddockError(f"{self.path}: cannot write there: {error.strerror or error}") from None
        self.write_json(CONFIG, evolution.config.as_table())
        self._write_history(evolution)
        self._save(evolution, {})

    def resumed_config(self, expected: Mapping[str, Any], generations: int | None = None) -> Config:
        """The config of the evolution that is here, which has what is expected; perhaps with more generations."""
        config = Config.from_table(load_checkpoint(self.path / CHECKPOINT)["config"])
        task = expected.get("task", config.task)
        if task != config.task:
            raise PaddockError(
                f"the task: the evolution to resume has {shown(config.task)}, not {shown(task)}: "
                "leave it out, or choose another folder"
            )
        return config.continued(expected, generations)

    def resume(self, evolution: Evolution) -> dict[str, float]:
        """Bring an evolution to where it was, if it is in the same worlds; and tell what was spent until then [s]."""
        one_more = self.path / f"world-{len(evolution.task.worlds)}.toml", None
        for path, world in [*self._worlds(evolution), one_more]:
            if (load_world(path) if path.exists() else None) != world:
                raise PaddockError(
                    f"{path}: the task's world is not the one that this evolution began with: "
                    "begin anew in another folder"
                )
        state = load_checkpoint(self.path / CHECKPOINT)
        evolution.restore(state)
        if not evolution.done:
            self.write_json(CONFIG, evolution.config.as_table())
        self._write_history(evolution)
        return dict(state["spent"])

    def _worlds(self, evolution: Evolution) -> list[tuple[Path, WorldSpec]]:
        names = ["world.toml", *(f"world-{i}.toml" for i in range(1, len(evolution.task.worlds)))]
        return [(self.path / name, world) for name, world in zip(names, evolution.task.worlds, strict=True)]

    def keep(self, evolution: Evolution, spent: Mapping[str, float]) -> None:
        """After a generation, with the time spent [s]: a killed process loses nothing that was kept."""
        self._save(evolution, spent)
        with (self.path / HISTORY).open("a", newline="", encoding="utf-8") as file:
            _rows(file, evolution.history[-1:])
        best = evolution.history[-1].solved, evolution.history[-1].champion
        if best != self._kept:
            self._kept = best
            evolution.champion.save(self.path / CHAMPION)

    def _save(self, evolution: Evolution, spent: Mapping[str, float]) -> None:
        save_checkpoint(self.path / CHECKPOINT, {**evolution.state(), "spent": dict(spent)})

    def finish(self, evolution: Evolution, summary: Mapping[str, Any]) -> list[Path]:
        """Write what people look at: history, summary, and all that there is of champion and elites.

        Returns:
            the files that were written, and those that were there from the beginning; the worlds last.
        """
        self._write_history(evolution)  # whole, whenever it was interrupted
        self.write_json(SUMMARY, summary)
        names = [CHECKPOINT, CONFIG, HISTORY, SUMMARY]
        if evolution.history:
            champion, strategy = evolution.champion, evolution.strategy
            champion.save(self.path / CHAMPION)
            save_figure(draw_history(evolution.history, evolution.task.name, about(evolution)), self.path / CURVE)
            champion_picture(evolution, about=about(evolution)).save(self.path / DRIVES)
            names += [CHAMPION, CURVE, DRIVES]
            if isinstance(champion, Program):
                (self.path / "champion.txt").write_text(formulas(champion), encoding="utf-8")
                names.append("champion.txt")
            if isinstance(strategy, MapElites):
                save_elites(strategy, self.path / "elites.npz")
                save_figure(draw_elites(strategy, evolution.task, about(evolution)), self.path / "elites.png")
                names += ["elites.npz", "elites.png"]
        return [*(self.path / name for name in sorted(names)), *(path for path, _ in self._worlds(evolution))]

    def tested(self) -> dict[str, Any]:
        """What the last summary says about a test of the champion."""
        path = self.path / SUMMARY
        table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {name: value for name, value in table.items() if name.startswith("test_")}

    def _write_history(self, evolution: Evolution) -> None:
        with whole_file(self.path / HISTORY, newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(field.name for field in fields(Generation))
            _rows(file, evolution.history)

    def write_json(self, name: str, table: Mapping[str, Any]) -> None:
        """A small table for people and programs."""
        with whole_file(self.path / name, encoding="utf-8") as file:
            file.write(json.dumps(table, indent=2) + "\n")


def _rows(file: IO[str], history: Sequence[Generation]) -> None:
    csv.writer(file).writerows(astuple(one) for one in history)


def about(evolution: Evolution) -> str:
    """How it was evolved, in one line."""
    config = evolution.config
    worlds = len(evolution.task.worlds)
    places = f", {worlds} worlds" if worlds > 1 else ""
    return f"{config.strategy}, population {config.population}, seed {config.seed}{places}"


def draw_history(history: Sequence[Generation], title: str, about: str = "") -> Axes:
    """The learning curve of an evolution, with the generation that first solved its task."""
    columns = {field.name: [getattr(entry, field.name) for entry in history] for field in fields(Generation)}
    solved_in = next((entry.number for entry in history if entry.solved >= 1.0), None)
    return learning_curve(columns, solved_in=solved_in, title=f"Learning curve: {title}", about=about)
