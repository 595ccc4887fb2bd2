"""Sweeps: worlds × robots × controllers × parameters × seeds, as one table with confidence intervals."""

from paddock.arena.metrics.metric_registry import MetricChoice
from paddock.experiments.sweeps.intervals import MeanInterval, estimate_mean, estimate_share
from paddock.experiments.sweeps.sweep_result import FailedRun, Sweep
from paddock.experiments.sweeps.sweep_spec import SweepSpec, load_sweep
from paddock.experiments.sweeps.sweep_study import sweep

__all__ = [
    "FailedRun",
    "MeanInterval",
    "MetricChoice",
    "Sweep",
    "SweepSpec",
    "estimate_mean",
    "estimate_share",
    "load_sweep",
    "sweep",
]
