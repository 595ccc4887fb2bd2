"""Estimation of a robot's pose and wheels from its own sensors and from external cameras."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.perception.estimation.consistency import (
        Band,
        Innovation,
        chi_square_quantile,
        consistency_band,
        innovation_share,
        normalised_error,
        normalised_errors,
    )
    from paddock.perception.estimation.ekf import EKF
    from paddock.perception.estimation.estimates import EllipseAxes, Estimate, Localiser, PoseFix, ellipse_axes
    from paddock.perception.estimation.measurements import CompassModel, FixModel, Measurement, RangeModel, SensorModel
    from paddock.perception.estimation.odometry import (
        AngleUnwrapper,
        MotionNoise,
        Odometry,
        OdometryForm,
        TravelSensors,
        WheelTravel,
        compass_bearing,
    )
    from paddock.perception.estimation.particle_filter import ParticleFilter
    from paddock.perception.estimation.wheel_calibration import (
        FreeRun,
        Umbmark,
        WheelCalibration,
        WheelFit,
        evaluate_squares,
        fit_wheels,
    )

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

__getattr__ = import_on_demand(__name__)
