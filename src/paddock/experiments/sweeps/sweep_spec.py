"""SweepSpec: the specification of a sweep over worlds, robots, controllers or scenarios, parameters and seeds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Self

from paddock.arena.controller_choice import BUILT_IN
from paddock.arena.metrics import Metric
from paddock.arena.metrics.metric_registry import MetricChoice, make_metric, make_metrics
from paddock.control.behaviours.tasks.task import Duration
from paddock.core.errors import SpecError, UnknownName, format_value
from paddock.core.seeds import MAX_RUNS, Seed, expand_seeds
from paddock.core.spec import Count, Description, Name, Number, Spec, spec_from_table
from paddock.core.toml import TomlName, read_toml_file
from paddock.report.summary import METRICS as USUAL_METRICS
from paddock.simulation.worlds.starts import StartRule

ABOUT = ("run", "seed", "name", "ended", "digest")  # columns that are neither an axis nor a figure
COLUMNS = (*ABOUT, "world", "robot", "controller", "scenario", "seconds", "tasks_done", "complete")  # not for metrics
TARGETS = ("controller", "world", "robot", "scenario")  # first parts of parameter paths


class Choices(dict[str, tuple[Any, ...]]):
    """Values of each parameter, by its path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepSpec(Spec):
    """Specification of a sweep: the combinations to run, and the metrics."""

    name: Name
    title: str = ""
    worlds: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()  # instead of worlds: runs, exercises or contests with their own settings
    robots: tuple[str, ...] = ()  # replace the robots of the worlds
    controllers: Annotated[tuple[str, ...], Count(1, "controller")] = (BUILT_IN,)
    scenarios: tuple[str, ...] = ()  # instead of controllers
    parameters: Choices = field(default_factory=Choices)
    seeds: Annotated[tuple[Seed, ...], Count(1, "seed")] = tuple(range(10))
    seconds: Duration = 60.0  # simulated time of a run
    starts: StartRule = "placed"  # rule of the start poses
    metrics: tuple[Annotated[str | MetricChoice, Description("a metric's name, or a table with one")], ...] = ()
    confidence: Annotated[float, Number("a share", above=0.5, high=0.9999)] = 0.95  # confidence level of the intervals
    folder: str = field(default="", compare=False, repr=False)  # base folder of relative file names
    file: str = field(default="", compare=False, repr=False)  # file name for error messages

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Create the spec from a table; `seeds = 10` stands for 0 … 9, and tables of parameters may be nested."""
        table = expand_seeds(table)
        if "parameters" in table:
            table = {**table, "parameters": Choices(_flatten(table["parameters"], ""))}
        return super(SweepSpec, cls).from_table(table)

    def check(self) -> None:
        if not self.worlds and not self.scenarios and not self.runs:
            raise SpecError("missing: at least 1 world, 1 run or 1 scenario", path="worlds")
        if self.runs and (self.worlds or self.scenarios):
            raise SpecError("runs have their own worlds and robots: leave worlds and scenarios out", path="runs")
        if self.runs and self.starts != "placed":
            raise SpecError("runs have their own start poses: leave starts out", path="starts")
        for path, values in self.parameters.items():
            target = path.partition(".")[0]
            if target not in TARGETS or target == path:
                raise SpecError(f"expected a path that begins with {', '.join(TARGETS)}", path=f"parameters.{path}")
            if target == ("controller" if self.scenarios else "scenario"):
                kind = "scenarios have tasks, not controllers" if self.scenarios else "this sweep has no scenarios"
                raise SpecError(f"{kind}: leave this parameter out", path=f"parameters.{path}")
            if len(set(map(repr, values))) < len(values):
                raise SpecError(f"expected different values, got {format_value(values)}", path=f"parameters.{path}")
        for name in ("worlds", "runs", "robots", "controllers", "scenarios", "seeds"):
            listed = getattr(self, name)
            if len(set(listed)) < len(listed):
                raise SpecError(f"expected different entries, got {format_value(listed)}", path=name)
        if self.scenarios and self.starts != "placed":
            raise SpecError("scenarios define the start poses of robots: leave starts out", path="starts")

    @property
    def run_count(self) -> int:
        """Number of runs: all combinations with all seeds."""
        drivers = self.scenarios or self.controllers
        choices = (self.worlds or self.runs, self.robots, drivers, self.seeds, *self.parameters.values())
        return math.prod(max(1, len(listed)) for listed in choices)

    def make_metrics(self) -> tuple[Metric, ...]:
        """Return the metrics of each robot; by default the usual ones, for runs none in addition to their own."""
        made = (
            make_metric(each, folder=self.folder or None, path=f"metrics[{i}]", file=self.file)
            for i, each in enumerate(self.metrics)
        )
        metrics = make_metrics(made, self.file or "sweep") or (() if self.runs else USUAL_METRICS)
        for i, metric in enumerate(metrics):
            for name in metric.names():
                if name in COLUMNS:
                    problem = f"a figure called {name!r} would replace the column of this name: give it another name"
                    raise SpecError(problem, path=f"metrics[{i}]", file=self.file)
        return metrics


def load_sweep(source: str | Path | Mapping[str, Any] | SweepSpec) -> SweepSpec:
    """Load a sweep from a TOML file, or from a table with the same keys."""
    if isinstance(source, SweepSpec):
        return source
    if isinstance(source, Mapping):
        return SweepSpec.from_table(source)
    if not isinstance(source, str | Path) or Path(source).suffix != ".toml":
        raise UnknownName("sweep", str(source), (), expected="the path of a TOML file")
    path = Path(source)
    spec = spec_from_table(SweepSpec, read_toml_file(path), file=TomlName(path))
    return replace(spec, folder=str(path.parent), file=TomlName(path))


def _flatten(table: Any, path: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the paths in nested tables, each with its list of values."""
    if not isinstance(table, Mapping):
        raise SpecError(f"expected tables of lists of values, got {format_value(table)}", path=path or "parameters")
    for key, value in table.items():
        own = f"{path}.{key}" if path else str(key)
        if isinstance(value, (list, tuple)):
            if not 1 <= len(value) <= MAX_RUNS:
                raise SpecError("expected a list of at least 1 value", path=f"parameters.{own}")
            yield own, tuple(value)
        elif isinstance(value, Mapping):
            yield from _flatten(value, own)
        else:
            raise SpecError(f"expected a list of values, got {format_value(value)}", path=f"parameters.{own}")
