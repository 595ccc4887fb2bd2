"""E. coli on e-pucks (Valencia and Aberdeen, 2012): the biased random walk, and improvements of it."""

from paddock.experiments.ecoli.walk.avoidance_scenes import SCENES, AvoidanceScene, build_scene
from paddock.experiments.ecoli.walk.avoidance_table import AvoidanceTable, run_table
from paddock.experiments.ecoli.walk.detection_trials import DetectionTrial, confuse
from paddock.experiments.ecoli.walk.detections import count_detections
from paddock.experiments.ecoli.walk.lit_dish import build_lit_dish

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
