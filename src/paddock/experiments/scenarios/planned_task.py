"""Planned tasks: a task's name and its parameters, fixed or drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from paddock.control.behaviours.tasks import TASKS, SensorRequirement, TaskSpec, find_task
from paddock.core.errors import PaddockError, SpecError, suggestion
from paddock.core.seeds import draw_uniform
from paddock.core.spec import Spec, hints
from paddock.experiments.scenarios.draws import Draw


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnTask:
    """Parameters of a task in one run."""

    spec: TaskSpec
    chosen: Mapping[str, Any]  # drawn parameters

    def table(self) -> dict[str, Any]:
        """Return all given and drawn parameters, including drawn values that equal the default."""
        return {**self.spec.to_table(), **self.chosen}


class Parameters(dict[str, Any]):
    """Keys and values of one task, as in the file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTask(Spec):
    """One task of a scenario: `{task = "turn", degrees = {random = [-180, 180]}}`."""

    task: str
    parameters: Parameters = field(default_factory=Parameters)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Create a planned task; all keys except `task` are parameters."""
        if "task" not in table:
            raise SpecError(f"missing: the name of a task{suggestion('', TASKS)}", path="task")
        return cls(task=table["task"], parameters=Parameters({k: v for k, v in table.items() if k != "task"}))

    def to_table(self) -> dict[str, Any]:
        return {"task": self.task, **self.parameters}

    def check(self) -> None:
        try:
            find_task(self.task)
        except PaddockError as error:
            raise SpecError(str(error), path="task") from None
        for _ in self.extremes():
            pass

    def draw(self, seed: int, *number: object) -> DrawnTask:
        """Draw the parameters of one run; they depend only on the seed, the task's number and the parameter's name."""
        chosen = {key: draw.draw(draw_uniform(seed, *number, key)) for key, draw in self._draws().items()}
        spec = find_task(self.task).parameters.from_table({**self.parameters, **chosen})
        return DrawnTask(spec=spec, chosen=chosen)

    def extremes(self) -> Iterator[tuple[TaskSpec, str]]:
        """Yield specs that contain every end of every range and every choice once, each with the path of the value."""
        kind, draws = find_task(self.task).parameters, self._draws()
        first = {key: draw.values[0] for key, draw in draws.items()}
        trials: list[tuple[str, str, Any]] = [
            (key, f"{key}.{'random' if draw.between else 'choice'}[{i}]", value)
            for key, draw in draws.items()
            for i, value in enumerate(draw.values)
        ]
        for key, path, value in trials or [("", "", None)]:
            table = {**self.parameters, **first, **({key: value} if key else {})}
            try:
                tried = kind.from_table(table)
            except SpecError as error:
                raise SpecError(error.problem, path=path if error.path == key else error.path) from None
            yield tried, path

    def list_needs(self) -> tuple[SensorRequirement, ...]:
        """Return all sensors that the task needs, for any drawn values."""
        kind = find_task(self.task)
        return tuple(dict.fromkeys(need for spec, _ in self.extremes() for need in kind.list_needs(spec)))

    def _draws(self) -> dict[str, Draw]:
        known = hints(find_task(self.task).parameters)
        found = {key: Draw.of(value, known.get(key), key) for key, value in self.parameters.items()}
        return {key: draw for key, draw in found.items() if draw is not None}


def task(name: str, **parameters: Any) -> PlannedTask:
    """Return a planned task, for scenarios that are built in Python."""
    return PlannedTask.from_table({"task": name, **parameters})
