"""MetricChoice: a metric by name and options, as stored in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.metric_registry import METRICS
from paddock.core.errors import PaddockError, SimulationError, SpecError, format_value, suggestion
from paddock.core.spec import Spec


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
