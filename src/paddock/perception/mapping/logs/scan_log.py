"""ScanLog: the scans of a log and the pose by odometry at each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping.scan import Scan

SEEN_NOTHING = 50.0  # scanners report 50 to 82 m without a return [m]
SATURATED = 0.002  # share of beams at the largest range of a log above which this range means no return


@dataclass(frozen=True)
class ScanLog:
    """A recorded drive: scans in the order of their times, each with the pose by odometry."""

    name: str
    scans: Sequence[Scan] = field(repr=False)
    odometry: Sequence[Pose] = field(repr=False)
    logger_times: Sequence[float] = field(repr=False)  # times of writing [s]; often since the start of the logger
    skipped: Mapping[str, int] = field(default_factory=dict)  # counts of lines of other types
    problems: Sequence[str] = ()  # invalid lines, with their numbers

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
                f"{self.name}: no beam of its {len(self.scans)} scans has a valid range: nothing can be mapped"
            )

    @property
    def duration(self) -> float:
        """Time from the first scan to the last [s], without steps of a clock that was set back."""
        return float(np.diff([scan.time for scan in self.scans]).clip(0).sum())

    @property
    def length(self) -> float:
        """Path length by odometry [m]."""
        places = np.array([pose[:2] for pose in self.odometry])
        return float(np.hypot(*np.diff(places, axis=0).T).sum())


def usable_range(ranges: Sequence[np.ndarray]) -> float:
    """Return the range [m] from which a reading of this log means no return, independent of the stated maximum."""
    limit = SEEN_NOTHING
    every = np.concatenate(list(ranges)) if ranges else np.empty(0)
    every = every[np.isfinite(every)]
    if len(every) and 0 < (largest := every.max()) <= limit and (every >= 0.995 * largest).mean() > SATURATED:
        return float(0.995 * largest)
    return float(limit)
