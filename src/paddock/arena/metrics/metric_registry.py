"""All metrics by name. To add one, write a class with its kernel, and add one line here.

A metric of another package needs no line; it is found through the entry-point group `paddock.metrics`.
"""

from __future__ import annotations

import inspect

from paddock.arena.metrics.metric import Metric
from paddock.core.dispatch import Dispatch
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel
from paddock.core.registry import Registry

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    group="paddock.metrics",
    base=Metric,
    builtin={
        "distance": "paddock.arena.metrics.motion:Distance",
        "contact-time": "paddock.arena.metrics.motion:ContactTime",
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
