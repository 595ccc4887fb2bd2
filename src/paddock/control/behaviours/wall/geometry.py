"""A wall follower that estimates the wall from neighbouring sonars and handles corners separately."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from paddock.control.behaviours.wall.estimate import AHEAD, BESIDE, REVERSED_RING, RING, WallEstimate
from paddock.control.behaviours.wall.wall_follower import MAX_SPEED, WallFollower, check_positive, clamp

FAR = 2.0  # obstacles farther ahead are ignored [m]
STEP = 0.09  # a wall that continues nearer or farther by less than this is the same wall [m]


@dataclass(kw_only=True)
class GeometryFollower(WallFollower):
    """Estimates the wall as a curve (distance, angle, curvature) from sonars and odometry, and steers along it.

    An inside corner is a flat wall in the readings of two neighbouring front sonars. The robot brakes, follows that
    wall from then on and turns. At an outside corner, the oblique sonars no longer detect the expected wall. The robot
    brakes and circles around the edge until a wall is at its side again.
    """

    clearance: float  # target distance between the nearest sonar and the wall [m]
    speed: float = 1.15  # on a straight wall [m/s]
    inside_speed: float = 0.30  # in inside corners [m/s]
    outside_speed: float = 0.50  # around outside corners [m/s]
    rough_speed: float = 0.30  # along walls with steps or gaps [m/s]
    rough_way: float = 1.0  # distance at that speed after the last step or gap [m]
    turn_radius: float = 0.15  # of inside corners [m]
    turn_lead: float = 0.06  # additional distance before inside corners at which the turn begins: wheels need time [m]
    edge_lead: float = 0.08  # distance before an edge at which circling begins [m]
    edge_slant: float = 0.06  # heading towards an edge while circling, so that the side sonar keeps detecting it [rad]
    approach: float = 3.0  # heading towards the wall per metre of distance error [rad/m]
    approach_most: float = 0.35  # [rad]
    steer: float = 5.0  # turn rate per radian of heading error [1/s]
    turn_most: float = 2.5  # [rad/s]
    brake: float = 0.6  # planned deceleration before corners [m/s²]
    acceleration: float = 1.0  # assumed acceleration of the wheels [m/s²]
    max_speed: float = MAX_SPEED  # of the wheels [m/s]
    wheel_separation: float = 0.33  # [m]
    half_cone: float = math.radians(15)  # of the sonars
    noise: float = 0.003  # assumed standard deviation of the sonars [m]

    def __post_init__(self) -> None:
        check_positive(self, "inside_speed", "acceleration", "wheel_separation", "noise")

    def at_speed(self, speed: float) -> Self:
        """Return a copy for another speed [m/s]; slow robots turn more sharply."""
        inside, outside = min(speed, self.inside_speed), min(speed, self.outside_speed)
        rough = min(speed, self.rough_speed)
        sharper = (inside / self.inside_speed) ** 2  # the same lateral acceleration
        return replace(
            self,
            speed=speed,
            inside_speed=inside,
            outside_speed=outside,
            rough_speed=rough,
            turn_radius=self.turn_radius * sharper,
            turn_lead=self.turn_lead * sharper,
        )

    def start(self, *, reverse: bool = False) -> None:
        """Restart without an estimate of the wall."""
        if self.ring is not None:
            wall = WallEstimate(self.ring.sonars, self.ring.cone, self.noise)
        else:
            wall = WallEstimate(REVERSED_RING if reverse else RING, self.half_cone, self.noise)
        self._drive = GeometryDrive(self, wall)

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return wheel speeds [m/s], left and right, for a wall on the left."""
        return self._drive.update(ranges, dt, wheel_speeds)


@dataclass(kw_only=True)
class SlowGeometryFollower(GeometryFollower):
    """`GeometryFollower` at 0.15 m/s: the defaults are those of `at_speed(0.15)`."""

    speed: float = 0.15
    inside_speed: float = 0.15
    outside_speed: float = 0.15
    rough_speed: float = 0.15
    turn_radius: float = 0.0375
    turn_lead: float = 0.015


@dataclass(slots=True)
class GeometryDrive:
    """The state of a robot that drives along a wall on its left."""

    follower: GeometryFollower
    wall: WallEstimate
    wheels: list[float] = field(default_factory=lambda: [0.0, 0.0])  # speeds that the motors have reached by now [m/s]
    started: bool = False
    odd: int = 0  # number of cycles in which the side sonar has measured a step in the wall
    uneven: int = 0  # number of cycles in which the farthest oblique sonar has measured the wall nearer
    oblique: list[float] = field(default_factory=list)  # how far the wall recedes for oblique sonars [m]
    corner: float = math.inf  # distance to the next inside corner, from a flat wall ahead [m]
    rough: float = 0.0  # distance to drive slowly because the wall is rough [m]

    @property
    def target_distance(self) -> float:
        """Distance of the axle's centre from the wall [m]."""
        return self.follower.clearance + self.wall.ring[BESIDE].y

    @property
    def speed(self) -> float:
        return sum(self.wheels) / 2

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None
    ) -> tuple[float, float]:
        """Update the estimate of the wall, detect corners and return the wheel speeds."""
        if self.started:
            left, right = self.wheels if wheel_speeds is None else wheel_speeds
            self.wall.predict(left * dt, right * dt, self.follower.wheel_separation)
            self.wall.correct(ranges)
            self.watch_beside(ranges, dt)
            self.watch_roughness(ranges, dt)
        elif not self.find_wall(ranges):
            return self.limit_wheels(0.0, -self.follower.turn_most / 2, dt)
        if self.wall.edge_near:
            self.leave_edge(ranges)
        else:
            self.watch_edge(ranges, dt)
        self.watch_ahead(ranges)
        return self.limit_wheels(*self.choose_twist(ranges, dt), dt)

    def find_wall(self, ranges: Sequence[float]) -> bool:
        """Take the nearest object as the wall; return False until it is on the left, while the robot turns."""
        nearest = min(range(8), key=lambda number: ranges[number])
        looks_back = self.wall.ring[-1].number == 15
        tail = (
            looks_back and ranges[15] < ranges[nearest] - 0.1
        )  # only at the rear: the wall ends before the front side sonar
        if nearest > 1 and not tail:
            return False
        sonar = self.wall.ring[-1 if tail else nearest]
        self.wall.adopt_wall(ranges[sonar.number] + sonar.reach(sonar.heading), math.pi / 2 - sonar.heading, 0.3)
        if tail:
            self.wall.ends = (sonar.x + self.wall.ring[BESIDE].x) / 2
        self.started = True
        return True

    def watch_beside(self, ranges: Sequence[float], dt: float) -> None:
        """Detect a step in the wall: the side sonar deviates twice, and the next sonar ahead agrees."""
        wall, sonar = self.wall, self.wall.ring[BESIDE]
        guess = None if wall.edge_near or abs(wall.angle) > 0.25 else wall.predict_reading(sonar)
        off = 0.0 if guess is None else ranges[sonar.number] - guess[0]
        agreed = abs(wall.measure_step(1, ranges[wall.ring[1].number]) - off) < 0.03
        self.odd = self.odd + 1 if agreed and 0.02 < abs(off) < STEP else 0
        if abs(off) > 0.02 and self.rough:  # the step is not passed yet
            self.rough = max(self.rough, 0.3 * self.follower.rough_way)
        if self.odd > 1:
            wall.shift(off, sonar.x - 2 * self.speed * dt)
            self.odd, self.rough = 0, 2 * self.follower.rough_way

    def watch_roughness(self, ranges: Sequence[float], dt: float) -> None:
        """Drive slowly if oblique sonars detect that the wall continues slightly nearer or farther."""
        wall = self.wall
        self.rough = max(0.0, self.rough - self.speed * dt)
        wall.rough = self.rough > 0
        sure = wall.covariance[3] < 0.05**2  # of the angle [rad²]
        if wall.edge_near or not sure or abs(wall.angle) > 0.25 or ranges[4] < 1.4 * ranges[3]:
            self.oblique, self.uneven = [], 0
            return
        before, self.oblique = self.oblique, [wall.measure_step(k, ranges[wall.ring[k].number]) for k in (1, 2, 3)]
        self.uneven = self.uneven + 1 if -STEP < self.oblique[2] < -0.04 and abs(wall.curvature) < 0.3 else 0
        bend = abs(wall.curvature)
        for k, was, now in zip((1, 2, 3), before, self.oblique, strict=False):
            small = abs(now - was) < 0.025 or max(abs(was), abs(now)) > STEP + 0.02
            if self.uneven > 1 or (not small and abs(now - was) > 0.025 + bend * wall.predict_straight(k)[1] ** 2):
                self.rough = max(self.rough, self.follower.rough_way)

    def watch_edge(self, ranges: Sequence[float], dt: float) -> None:
        """Detect the end of the wall: an oblique sonar does not detect it where expected."""
        wall = self.wall
        if abs(wall.angle) > 0.25:
            return
        for k in (3, 2, 1, BESIDE):
            reading, (expected, place) = ranges[wall.ring[k].number], wall.predict_straight(k)
            if expected > 1.5:  # too slanted to be reliable
                continue
            receding = wall.measure_step(k, reading)
            if receding > STEP + abs(wall.curvature) * place * place:
                wall.ends = min(wall.ends, place - self.speed * dt / 2)  # the end passed between two cycles
            elif receding > -STEP:
                wall.ends = math.inf if k == 3 else max(wall.ends, place)
                if k in (1, 2):  # a nearer missing part is a gap, too narrow to enter
                    break
        if wall.ends < self.follower.edge_lead:
            wall.adopt_edge(wall.ends + wall.distance * math.sin(wall.angle), wall.distance * math.cos(wall.angle))

    def leave_edge(self, ranges: Sequence[float]) -> None:
        """Stop circling around the edge when a wall is at the side of the robot again."""
        wall, beside = self.wall, self.wall.ring[BESIDE]
        reading = ranges[beside.number]
        if reading < wall.locate_edge(beside)[0] - 0.012:  # another edge behind it, as at the end of a wall
            turned = wall.turned
            wall.adopt_edge(beside.x, beside.y + reading)
            wall.turned = turned
        expected, oblique = wall.predict_straight(BESIDE)[0], wall.predict_straight(1)[0]
        found = abs(reading - expected) < 0.06 and abs(ranges[1] - oblique) < 0.15 * oblique
        if wall.turned > 0.3 and found:
            wall.adopt_wall(reading + beside.y, 0.0, 0.15)
            wall.begins = 0.0
            return
        flat = wall.fit_flat_wall(BESIDE, ranges) if wall.turned > 0.6 else None
        if flat is not None and abs(math.pi / 2 - flat[1]) < 0.3 and flat[0] < self.target_distance + 0.2:
            third = wall.ring[2]  # the wall must continue, otherwise it is another edge
            aside = max(0.0, flat[1] - third.heading - wall.half_cone)
            if abs((flat[0] - third.reach(flat[1])) / math.cos(aside) / ranges[third.number] - 1) < 0.1:
                wall.adopt_wall(flat[0], math.pi / 2 - flat[1], 0.15)
                wall.begins = 0.0

    def watch_ahead(self, ranges: Sequence[float]) -> None:
        """Follow a wall ahead from now on if it is near enough."""
        follower, wall = self.follower, self.wall
        self.corner = math.inf
        turning = 0.0  # [s]
        if wall.edge_near:
            turning = max(0.0, self.wheels[1] - self.wheels[0]) / 4 / follower.acceleration
        if abs(wall.angle) > 0.5:
            return
        slanted = False
        for k in (3, 2, 1, 4, 5):
            if not wall.edge_near and not (self.sees_new(k, ranges) and self.sees_new(k + 1, ranges)):
                continue
            if not wall.edge_near and wall.measure_step(k + 1, ranges[wall.ring[k + 1].number]) > -STEP:
                continue  # only a step
            flat = wall.fit_flat_wall(k, ranges)
            if flat is not None:
                distance, turn = flat[0], math.pi / 2 - flat[1]
                if turn - wall.angle > 0.4:
                    slanted |= abs(turn - math.pi / 2) > 0.35
                    arc = follower.turn_radius * (1 - math.cos(turn))
                    slope = math.sin(min(turn, math.pi / 2))
                    way = distance - self.target_distance - arc - follower.turn_lead * slope
                    self.corner = min(self.corner, way)
                    if way < (0.05 + turning) * self.speed * slope:
                        wall.adopt_wall(distance, turn, 0.15)
                        return
        for k in (3, AHEAD):  # an obstacle straight ahead, too near, or without an angle from a pair of sonars
            reading = ranges[wall.ring[k].number]
            near = reading + wall.ring[k].x - self.target_distance < (-0.06 if slanted else 0.06)
            if near and reading < 0.75 * wall.predict_straight(k)[0]:
                wall.adopt_wall(reading + wall.ring[k].x, math.pi / 2, 0.3)
                return

    def sees_new(self, k: int, ranges: Sequence[float]) -> bool:
        """Return whether sonar k detects an object nearer than the wall and nearer than FAR."""
        reading = ranges[self.wall.ring[k].number]
        return reading < FAR and reading < 0.95 * self.wall.predict_curved(k)

    def choose_twist(self, ranges: Sequence[float], dt: float) -> tuple[float, float]:
        """Return linear [m/s] and angular speed [rad/s] along the wall."""
        follower, wall = self.follower, self.wall
        slant = follower.edge_slant if wall.edge_near else 0.0
        heading = clamp(follower.approach * (wall.distance - self.target_distance) + slant, follower.approach_most)
        turn = wall.curvature * self.speed * math.cos(wall.angle) + follower.steer * (heading - wall.angle)
        if wall.edge_near:
            speed = min(follower.outside_speed, self.limit_before(follower.inside_speed, self.corner, dt))
        else:
            ahead = ranges[4] + wall.ring[AHEAD].x - self.target_distance - follower.turn_radius - follower.turn_lead
            speed = min(
                follower.speed,
                self.limit_before(follower.outside_speed, wall.ends - follower.edge_lead, dt),
                self.limit_before(follower.inside_speed, min(ahead, self.corner), dt),
                follower.inside_speed if abs(wall.angle) > 0.3 else follower.speed,
                max(follower.rough_speed, self.speed - 0.045) if self.rough else follower.speed,  # brake gently
            )
        return min(speed, 4 * max(0.0, min(ranges[2:5]) - 0.1)), clamp(turn, follower.turn_most)

    def limit_before(self, speed: float, distance: float, dt: float) -> float:
        """Return the maximum speed now to reach a speed [m/s] after a distance [m], braking from the next cycle on."""
        return math.sqrt(speed**2 + 2 * self.follower.brake * max(0.0, distance - self.speed * dt))

    def limit_wheels(self, speed: float, turn: float, dt: float) -> tuple[float, float]:
        """Return wheel speeds that the motors can follow, so that braking and turning do not disturb each other."""
        follower, most = self.follower, self.follower.acceleration * dt
        half, had = turn * follower.wheel_separation / 2, (self.wheels[1] - self.wheels[0]) / 2
        if speed < self.speed - 0.05:
            half = had + clamp(half - had, most / 2)
        spare = max(0.1 * most, most - abs(half - had))
        speed = self.speed + clamp(min(speed, follower.max_speed - abs(half)) - self.speed, spare)
        command = (speed - half, speed + half)
        self.wheels = [now + clamp(want - now, most) for now, want in zip(self.wheels, command, strict=True)]
        return command
