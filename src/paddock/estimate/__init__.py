"""Estimation of a robot's pose and wheels from its own sensors and from external cameras."""

from paddock.estimate.chi_square import chi_square_quantile
from paddock.estimate.consistency import (
    Band,
    Innovation,
    consistency_band,
    innovation_share,
    normalised_error,
    normalised_errors,
)
from paddock.estimate.ekf import EKF
from paddock.estimate.estimates import EllipseAxes, Estimate, Localiser, PoseFix, ellipse_axes
from paddock.estimate.measurements import CompassModel, FixModel, Measurement, RangeModel, SensorModel
from paddock.estimate.motion_model import MotionNoise
from paddock.estimate.odometry import AngleUnwrapper, Odometry, OdometryForm, compass_bearing
from paddock.estimate.particle_filter import ParticleFilter
from paddock.estimate.travel import TravelSensors, WheelTravel
from paddock.estimate.umbmark import Umbmark, evaluate_squares
from paddock.estimate.wheel_calibration import WheelCalibration
from paddock.estimate.wheel_fit import FreeRun, WheelFit, fit_wheels

__all__ = [
    "EKF",
    "AngleUnwrapper",
    "Band",
    "CompassModel",
    "EllipseAxes",
    "Estimate",
    "FixModel",
    "FreeRun",
    "Innovation",
    "Localiser",
    "Measurement",
    "MotionNoise",
    "Odometry",
    "OdometryForm",
    "ParticleFilter",
    "PoseFix",
    "RangeModel",
    "SensorModel",
    "TravelSensors",
    "Umbmark",
    "WheelCalibration",
    "WheelFit",
    "WheelTravel",
    "chi_square_quantile",
    "compass_bearing",
    "consistency_band",
    "ellipse_axes",
    "evaluate_squares",
    "fit_wheels",
    "innovation_share",
    "normalised_error",
    "normalised_errors",
]
