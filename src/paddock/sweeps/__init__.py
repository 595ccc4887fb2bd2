"""Sweeps: worlds × robots × controllers × parameters × seeds, as one table with confidence intervals."""

from paddock.metrics.choice import MetricChoice
from paddock.sweeps.intervals import MeanInterval, estimate_mean, estimate_share
from paddock.sweeps.result import FailedRun, Sweep
from paddock.sweeps.spec import SweepSpec, load_sweep
from paddock.sweeps.study import sweep

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
