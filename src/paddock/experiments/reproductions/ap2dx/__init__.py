"""AP2DX: a distributed controller that explores and maps an arena (University of Amsterdam, 2011)."""

from paddock.experiments.reproductions.ap2dx.behaviours import (
    CONSTANTS,
    FINAL,
    REPORT,
    Ap2dxBehaviours,
    BehaviourConstants,
)

__all__ = ["CONSTANTS", "FINAL", "REPORT", "Ap2dxBehaviours", "BehaviourConstants"]
