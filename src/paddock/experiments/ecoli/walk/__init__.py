"""E. coli on e-pucks (Valencia and Aberdeen, 2012): the biased random walk, and improvements of it."""

from paddock.experiments.ecoli.walk.avoidance_table import (
    SCENES,
    AvoidanceScene,
    AvoidanceTable,
    build_scene,
    run_table,
)
from paddock.experiments.ecoli.walk.detection_trials import DetectionTrial, build_lit_dish, confuse
from paddock.experiments.ecoli.walk.detections import count_detections

__all__ = [
    "SCENES",
    "AvoidanceScene",
    "AvoidanceTable",
    "DetectionTrial",
    "build_lit_dish",
    "build_scene",
    "confuse",
    "count_detections",
    "run_table",
]
