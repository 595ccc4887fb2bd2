"""All metrics by name. To add one, write a class with its kernel, and add one line here.

A metric of another package needs no line; it is found through the entry-point group `paddock.metrics`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from paddock.arena.metrics.metric import Metric
from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError, SimulationError, SpecError, format_value, suggestion
from paddock.core.jit import Kernel
from paddock.core.registry import Registry
from paddock.core.spec import Spec

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    group="paddock.metrics",
    base=Metric,
    builtin={
        "distance": "paddock.arena.metrics.motion:Distance",
        "contact-time": "paddock.arena.metrics.motion:ContactTime",
        "stall-time": "paddock.arena.metrics.motion:StallTime",
        "goal": "paddock.arena.metrics.goal:Goal",
        "path-progress": "paddock.arena.metrics.goal:PathProgress",
        "coverage": "paddock.arena.metrics.coverage:Coverage",
        "closeness": "paddock.arena.metrics.sensing:Closeness",
        "avoidance": "paddock.arena.metrics.sensing:Avoidance",
        "line": "paddock.arena.metrics.sensing:Line",
        "mean-reading": "paddock.arena.metrics.means:MeanReading",
        "mean-distance": "paddock.arena.metrics.means:MeanDistance",
    },
)


def _get_motion_kernel(metric: type[Metric]) -> Kernel | None:
    return None if _sees_readings(metric) else metric.kernel


def _get_readings_kernel(metric: type[Metric]) -> Kernel | None:
    return metric.kernel if _sees_readings(metric) else None


def _sees_readings(metric: type[Metric]) -> bool:
    return "readings" in inspect.signature(metric.kernel.function).parameters


NOTE_MOTION = Dispatch(
    name="note_motion",
    arguments=("number", "numbers", "robots", "robot", "robot_state", "tick", "dt", "sums", "marks"),
    about="Look at a robot after a tick: 1 when it reached a goal in this tick, else 0.",
    registry=METRICS,
    get_kernel=_get_motion_kernel,
    gives_number=True,
)
NOTE_READINGS = Dispatch(
    name="note_readings",
    arguments=("number", "numbers", "readings", "first", "count", "robot_state", "sums"),
    about="Look at what a robot senses before it acts.",
    registry=METRICS,
    get_kernel=_get_readings_kernel,
)


def get_metric_number(metric: Metric) -> int:
    """Return the number of a metric in kernels."""
    if metric.of_world and _sees_readings(type(metric)):
        raise PaddockError(
            f"{type(metric).__name__}: of_world: a figure of the whole world cannot be computed from the readings of "
            "one robot: use the parameters robots, robot, tick and dt, or of_world = False"
        )
    NOTE_READINGS.number(type(metric))
    return NOTE_MOTION.number(type(metric))


class MetricOptions(dict[str, Any]):
    """Options of a metric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricChoice(Spec):
    """A metric and its options: `{metric = "goal", at = [0.9, 0.9], radius = 0.1}`."""

    metric: str
    options: MetricOptions = field(default_factory=MetricOptions)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a choice from a table; all keys except `metric` are options."""
        if "metric" not in table:
            raise SpecError(f"missing: the name of a metric{suggestion('', METRICS)}", path="metric")
        options = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items() if key != "metric"}
        return cls(metric=table["metric"], options=MetricOptions(options))

    def to_table(self) -> dict[str, Any]:
        return {"metric": self.metric, **self.options}


def make_metric(choice: str | MetricChoice, *, folder: str | None, path: str, file: str) -> Metric:
    """Create a metric. User-defined metrics are searched in a folder. Errors are reported with path and file."""
    chosen = choice if isinstance(choice, MetricChoice) else MetricChoice(metric=choice)
    try:
        return METRICS.get(chosen.metric, folder=folder)(**chosen.options)
    except (PaddockError, TypeError) as error:
        raise SpecError(str(error), path=path, file=file) from None


def make_metrics(metrics: Iterable[Metric | str], call: str) -> tuple[Metric, ...]:
    """Return metrics, of which some are given by name. Raise if two figures have the same name.

    Args:
        metrics: objects such as Distance(), or names such as "distance" and "my_file.py:Mine".
        call: the function that received them, for error messages.
    """
    if isinstance(metrics, Metric | str) or not isinstance(metrics, Iterable):
        raise SimulationError(f"{call}: metrics: expected a list such as [Distance()], got {format_value(metrics)}")
    made: list[Metric] = []
    names: set[str] = set()
    for k, each in enumerate(metrics):
        path = f"metrics[{k}]"
        metric = make_metric(each, folder=None, path=path, file=call) if isinstance(each, str) else each
        if not isinstance(metric, Metric):
            raise PaddockError(f"{path}: expected a metric such as Distance(), got {metric!r}")
        for name in metric.names():
            if name in names:
                raise PaddockError(f"two metrics are called {name!r}: give one of them another name")
            names.add(name)
        made.append(metric)
    return tuple(made)
