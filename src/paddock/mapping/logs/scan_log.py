"""What a log holds for mapping: scans, and where odometry had the robot at each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.mapping.scan import Scan

SEEN_NOTHING = 50.0  # scanners say 50 to 82 m where nothing came back [m]
SATURATED = 0.002  # share of beams at the largest range of a log from which on it means: nothing came back


@dataclass(frozen=True)
class ScanLog:
    """A drive: scans in the order of their times, each with the pose by odometry."""

    name: str
    scans: Sequence[Scan] = field(repr=False)
    odometry: Sequence[Pose] = field(repr=False)
    logger_times: Sequence[float] = field(repr=False)  # of the program that wrote the log [s]; often from its start
    skipped: Mapping[str, int] = field(default_factory=dict)  # lines of kinds that mapping does not need
    problems: Sequence[str] = ()  # broken lines, with their numbers

    def __post_init__(self) -> None:
        if not self.scans:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.skipped.items())) or "nothing else"
            broken = f"; broken: {self.problems[0]}" if self.problems else ""
            raise PaddockError(
                f"{self.name}: no laser scans: expected lines FLASER, ROBOTLASER1 or RAWLASER1 (the last with ODOM), "
                f"or VERTEX_SE2 followed by ROBOTLASER1; found {kinds}{broken}"
            )
        if not any(scan.hits.any() for scan in self.scans):
            raise PaddockError(
                f"{self.name}: no beam of its {len(self.scans)} scans met anything: nothing can be mapped"
            )

    @property
    def duration(self) -> float:
        """From the first scan to the last [s]; what the clock was set back is no time."""
        return float(np.diff([scan.time for scan in self.scans]).clip(0).sum())

    @property
    def length(self) -> float:
        """Of the way by odometry [m]."""
        places = np.array([pose[:2] for pose in self.odometry])
        return float(np.hypot(*np.diff(places, axis=0).T).sum())


def usable_range(ranges: Sequence[np.ndarray]) -> float:
    """From which range on [m] a reading of this log means that nothing came back, whatever its lines state."""
    limit = SEEN_NOTHING
    every = np.concatenate(list(ranges)) if ranges else np.empty(0)
    every = every[np.isfinite(every)]
    if len(every) and (largest := every.max()) <= limit and (every >= 0.995 * largest).mean() > SATURATED:
        return float(0.995 * largest)
    return float(limit)
