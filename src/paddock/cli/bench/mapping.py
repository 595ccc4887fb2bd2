"""Benchmarks of mapping: a step is a scan of 181 beams in a map with cells of 5 cm."""

from __future__ import annotations

from itertools import cycle
from typing import NamedTuple

import numpy as np

import paddock
from paddock.arena import make_range_reader
from paddock.cli.bench.local import Bench
from paddock.core.geometry import Pose, relative
from paddock.perception.mapping import (
    LikelihoodField,
    MapSetup,
    MotionStep,
    OccupancyGrid,
    ParticleSlam,
    Scan,
    SearchWindow,
    match_scan,
)

SCANS = 100
PERIOD = 0.2  # of the laser [s]
CIRCLE = (0.25, 0.35)  # wheel speeds [m/s] that keep the robot in its room
SPREAD = np.diag([0.002, 0.002, 0.005]) ** 2


class ScanStep(NamedTuple):
    """A scan, its pose, and the motion since the previous scan."""

    scan: Scan
    pose: Pose
    step: MotionStep


def take_scans() -> list[ScanStep]:
    """Return the scans of a Pioneer that drives on a circle in `yellow-rooms`."""
    arena = paddock.open("yellow-rooms")
    robot = arena["pioneer"]
    robot.enable("laser")
    reader = make_range_reader(robot.spec)
    robot.wheels.set(*CIRCLE)
    taken: list[ScanStep] = []
    before = robot.pose
    while len(taken) < SCANS:
        scan = reader.read(robot.sense(), arena.time)
        if scan is not None:
            taken.append(ScanStep(scan, robot.pose, MotionStep(relative(before, robot.pose), SPREAD)))
            before = robot.pose
        arena.step(round(PERIOD / arena.dt))
    return taken


def scan_insert() -> Bench:
    """Insertion of scans into an occupancy grid."""
    taken, grid = cycle(take_scans()), OccupancyGrid()

    def work(steps: int) -> None:
        for _ in range(steps):
            scan, pose, _ = next(taken)
            grid.add_scan(scan, pose)

    return Bench(1, PERIOD, work, 3_000)


def scan_match() -> Bench:
    """Scan matching with a map, ± 0.15 m and ± 7° around a guess that is 5 cm and 3° off, with the covariance."""
    scans, grid = take_scans(), OccupancyGrid()
    for scan, pose, _ in scans:
        grid.add_scan(scan, pose)
    field = LikelihoodField.from_points(grid.surface_points(), grid.resolution, 0.07)
    taken = cycle(scans)

    def work(steps: int) -> None:
        for _ in range(steps):
            scan, pose, _ = next(taken)
            guess = Pose(pose.x + 0.05, pose.y - 0.05, pose.heading + 0.05)
            match_scan(scan.points(), field, guess, SearchWindow(0.15, 0.12))

    return Bench(1, PERIOD, work, 300)


def particles() -> Bench:
    """Particle SLAM with 30 particles, each with its own map; every scan is used."""
    slam, taken = ParticleSlam(MapSetup(), particles=30, min_motion=0.0), cycle(take_scans())

    def work(steps: int) -> None:
        for _ in range(steps):
            scan, _, step = next(taken)
            slam.add(scan, step)

    return Bench(1, PERIOD, work, 60)


BENCHES = {"scan-insert": scan_insert, "scan-match": scan_match, "particles": particles}
