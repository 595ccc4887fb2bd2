"""ParticleFilter: Monte Carlo localisation with global localisation and recovery of a kidnapped robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from paddock.core.argument_checks import all_finite, check_seed
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation.ekf import MEMORY
from paddock.perception.estimation.estimates import Estimate, check_covariance, check_memory
from paddock.perception.estimation.measurements import (
    OUTLIERS,
    SAME_TIME,
    Measurement,
    SensorModel,
    gather_measurements,
    log_likelihood,
)
from paddock.perception.estimation.odometry import Floats, TravelSensors, wrap_angles
from paddock.perception.estimation.particle_cloud import (
    Pick,
    carry_along,
    draw_systematically,
    effective_count,
    find_cells,
    move_particles,
    normalise,
    particles_needed,
    summarise,
)

KLD_ERROR, KLD_SIGMAS = 0.05, 2.33
ROUGHENING = (0.001, 0.01)  # [m, rad]
SLOW, FAST = 0.02, 0.2  # rates of the averages of likelihood; a lower one than usual means that the robot is lost
USUAL = 0.8 * math.exp(-0.5)  # approximate likelihood of a value with errors as in its model
LEAST_EFFECTIVE = 0.1  # minimum effective share of particles; a measurement that would leave fewer is tempered


class ParticleFilter:
    """Particles with their poses of the last second; a late measurement weights them by their poses at its time."""

    def __init__(
        self,
        travel: TravelSensors,
        models: Sequence[SensorModel] = (),
        *,
        seed: int = 0,
        covariance: Floats | None = None,
        area: tuple[float, float, float, float] | None = None,
        particles: tuple[int, int] = (100, 2000),
        pick: Pick = "robust",
        roughening: tuple[float, float] = ROUGHENING,
        outliers: float = OUTLIERS,
        memory: float = MEMORY,
    ) -> None:
        """Start at the odometry's pose, or anywhere.

        Args:
            travel: encoders and gyroscope.
            models: measurement models: compass, ranges to walls, external fixes.
            seed: seed of all random numbers.
            covariance: of the start pose, shape (3, 3); None: anywhere in the area, or exactly there without an area.
            area: x0, y0, x1, y1 [m] of possible positions, for random particles; None: random particles only at fixes.
            particles: minimum and maximum number; KLD sampling sets the number.
            pick: pose reported as the estimate.
            roughening: standard deviation of noise added to resampled particles [m, rad]. Motion noise hardly spreads
                them sideways, so a cloud that is too narrow would not recover.
            outliers: likelihood of an outlier, relative to a perfect fit.
            memory: maximum delay of a measurement [s].
        """
        check_memory("ParticleFilter", memory)
        _check_numbers("particles", particles, "1 <= fewest <= most", lambda fewest, most: 1 <= fewest <= most)
        _check_numbers("roughening", roughening, "metres and radians >= 0", lambda off, turn: off >= 0 and turn >= 0)
        if area is not None:
            _check_numbers("area", area, "x0 < x1 and y0 < y1", lambda x0, y0, x1, y1: x0 < x1 and y0 < y1)
        fewest, most = map(int, particles)
        if pick not in get_args(Pick):
            raise UnknownName("pick of a particle filter", pick, get_args(Pick))
        self.travel, self.models, self.area, self.outliers, self.memory = travel, models, area, outliers, memory
        self.seed, self.fewest, self.most, self.pick = check_seed(seed), fewest, most, pick
        self.roughening = np.array([roughening[0], roughening[0], roughening[1]])
        self._first = None if covariance is None else check_covariance("ParticleFilter", covariance)
        self.reset(travel.odometry.pose)

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Restart at a pose; without a covariance, use that of the first start."""
        self.too_late = 0  # measurements older than the memory
        self.too_early = 0  # measurements with a time in the future
        self.not_finite = 0  # measurements with NaN or infinity
        self.travel.reset()
        self.travel.odometry.reset(pose)
        self._random = np.random.default_rng(self.seed)
        self._likelihood: dict[str, tuple[float, float]] = {}  # slow and fast averages of the likelihood, by source
        spread = self._first if covariance is None else check_covariance("ParticleFilter", covariance)
        if spread is not None:
            self.poses = self._random.multivariate_normal(pose, spread, self.most, method="eigh")
        elif self.area is not None:
            self.poses = self._draw_anywhere(self.most)
        else:
            self.poses = np.tile(np.array(pose), (self.most, 1))
        self._log_weights = np.zeros(len(self.poses))
        self._past: list[tuple[float, Floats, Pose]] = []  # time, all particles and odometry then, the oldest first
        self._summarise()

    @property
    def estimate(self) -> Estimate:
        """Current estimate."""
        return self._estimate

    @property
    def weights(self) -> Floats:
        """Weights of all particles; their sum is 1."""
        return normalise(self._log_weights)

    def update(self, observation: Observation, time: float) -> Estimate:
        """Process an observation at a time [s] that never decreases."""
        self._move(observation, time)
        lost = 0.0
        fix: Measurement | None = None
        gathered = gather_measurements(self.models, observation, time)
        self.not_finite += gathered.not_finite
        self.too_early += gathered.too_early
        for measurement in gathered.usable:
            lost = max(lost, self._weigh(measurement))
            fix = measurement if measurement.is_fix else fix
        self._summarise()
        weights = self.weights
        if effective_count(weights) < len(weights) / 2 or lost > 0:
            self._resample(weights, lost, fix)
        return self._estimate

    def _move(self, observation: Observation, time: float) -> None:
        left, right, covariance = self.travel.read(observation, time)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        noise = self._random.standard_normal((len(self.poses), 3)) @ root.T
        poses = self.poses.copy()
        move_particles(poses, left, right, noise, self.travel.odometry.wheel_separation)
        self.poses = poses
        self._past.append((time, poses, self.travel.odometry.pose))
        while len(self._past) > 1 and self._past[1][0] <= time - self.memory:
            self._past.pop(0)

    def _weigh(self, measurement: Measurement) -> float:
        """Weight all particles by a measurement; return how likely the robot is lost, 0 … 1."""
        poses = self._poses_at(measurement.time)
        if poses is None:
            self.too_late += 1
            return 0.0
        logs = log_likelihood(measurement, poses, self.outliers)
        self._log_weights = self._log_weights + temper(self._log_weights, logs) * logs
        average = float(self.weights @ np.exp(logs / len(measurement.value)))  # per value, by the updated weights
        slow, fast = self._likelihood.get(measurement.source, (average, average))
        slow, fast = slow + SLOW * (average - slow), fast + FAST * (average - fast)
        self._likelihood[measurement.source] = slow, fast
        return max(0.0, 1 - fast / max(slow, USUAL))

    def _poses_at(self, time: float) -> Floats | None:
        """Return the pose of each particle at a time; None if it is no longer stored."""
        if time < self._past[0][0] - SAME_TIME:
            return None
        after = next(i for i, entry in enumerate(self._past) if entry[0] >= time - SAME_TIME)
        late, poses, _ = self._past[after]
        if late <= time + SAME_TIME or after == 0:
            return poses
        early, before, _ = self._past[after - 1]
        off = poses - before
        off[:, 2] = wrap_angles(off[:, 2])
        between: Floats = before + off * ((time - early) / (late - early))
        return between

    def _summarise(self) -> None:
        weights = self.weights
        pose, covariance = summarise(self.poses, weights, self.pick)
        self._estimate = Estimate(pose, covariance, np.column_stack([self.poses, weights]))

    def _resample(self, weights: Floats, lost: float, fix: Measurement | None) -> None:
        """Resample as many particles as needed, by their weights; add random ones if the robot may be lost."""
        survivors = np.empty(len(weights), np.int64)
        draw_systematically(weights, self._random.random(), survivors)
        needed = particles_needed(find_cells(self.poses[survivors])[0], KLD_ERROR, KLD_SIGMAS)
        new = self._draw_lost(round(lost * self.most / 2), fix)
        count = int(min(self.most - len(new), max(self.fewest, needed)))
        chosen = np.empty(count, np.int64)
        draw_systematically(weights, self._random.random(), chosen)
        now, rough = self._past[-1][2], self._random.standard_normal((count, 3)) * self.roughening

        def redraw(poses: Floats, there: Pose) -> Floats:
            stay: Floats = poses[chosen] + rough
            return np.concatenate([stay, carry_along(new, now, there)]) if len(new) else stay

        self._past = [(time, redraw(poses, there), there) for time, poses, there in self._past]
        self.poses = self._past[-1][1]
        self._log_weights = np.zeros(len(self.poses))

    def _draw_lost(self, count: int, fix: Measurement | None) -> Floats:
        """Draw current poses for a lost robot: around the fix, or anywhere in the area."""
        if fix is not None and self._past[0][0] <= fix.time:
            seen = self._random.multivariate_normal(fix.value, fix.covariance, count, method="eigh")
            if len(fix.value) == 2:  # without a heading
                seen = np.column_stack([seen, self._random.uniform(-np.pi, np.pi, count)])
            then = next(pose for time, _, pose in reversed(self._past) if time <= fix.time + SAME_TIME)
            return carry_along(seen, then, self._past[-1][2])
        return self._draw_anywhere(count) if self.area is not None else np.empty((0, 3))

    def _draw_anywhere(self, count: int) -> Floats:
        assert self.area is not None
        x0, y0, x1, y1 = self.area
        drawn: Floats = self._random.uniform([x0, y0, -np.pi], [x1, y1, np.pi], (count, 3))
        return drawn


def _check_numbers(name: str, numbers: Any, expected: str, is_valid: Callable[..., bool]) -> None:
    """Refuse a setting of several numbers unless all are finite and valid."""
    try:
        valid = all_finite(*numbers) and is_valid(*numbers)
    except TypeError:  # not a sequence, or of another length
        valid = False
    if not valid:
        raise PaddockError(f"ParticleFilter: {name}: expected {expected}, got {numbers!r}")


def temper(log_weights: Floats, logs: Floats) -> float:
    """Return the exponent 0 … 1 for a measurement's likelihood that leaves enough effective particles."""
    least = LEAST_EFFECTIVE * len(logs)
    if effective_count(normalise(log_weights + logs)) >= least:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        enough = effective_count(normalise(log_weights + middle * logs)) >= least
        low, high = (middle, high) if enough else (low, middle)
    return low
