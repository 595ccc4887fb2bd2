"""A law that knows geometry: distance and angle of the wall from neighbouring sonars, corners handled apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from paddock.control.wall.base import CLEARANCE, MAX_SPEED, Follow, Side, capped, follow_with
from paddock.control.wall.belief import AHEAD, BESIDE, REVERSED_RING, RING, Belief

FAR = 2.0  # what is farther ahead need not be known yet [m]
STEP = 0.09  # where a wall goes on nearer or farther by less than this, it is the same wall [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class GeometryLaw:
    """Believes in a curve (distance, angle, curvature) from sonars and odometry, and steers along it.

    An inside corner is a flat wall in two neighbouring front sonars: the law brakes, takes it for its wall and turns.
    An outside corner is the end of what the oblique sonars should see: the law brakes, and circles around the edge
    until a wall is beside it again.
    """

    speed: float = 1.15  # on a straight wall [m/s]
    inside_speed: float = 0.30  # in inside corners [m/s]
    outside_speed: float = 0.50  # around outside corners [m/s]
    rough_speed: float = 0.30  # along walls with steps or gaps [m/s]
    rough_way: float = 1.0  # from the last of them on [m]
    clearance: float = CLEARANCE  # between the nearest sonar and the wall [m]
    turn_radius: float = 0.15  # of inside corners [m]
    turn_lead: float = 0.06  # how much before that to begin with them, because wheels need time [m]
    edge_lead: float = 0.08  # how much before an edge to begin to circle around it [m]
    edge_slant: float = 0.06  # heading towards an edge while circling, so that the sonar beside keeps it in view [rad]
    approach: float = 3.0  # heading towards the wall for each metre too far [rad/m]
    approach_most: float = 0.35  # [rad]
    steer: float = 5.0  # turn rate for each radian off [1/s]
    turn_most: float = 2.5  # [rad/s]
    brake: float = 0.6  # planned deceleration before corners [m/s²]
    acceleration: float = 1.0  # of the wheels [m/s²]; assumed of the robot
    max_speed: float = MAX_SPEED  # of the wheels [m/s]
    wheel_separation: float = 0.33  # [m]
    half_cone: float = math.radians(15)  # of the sonars
    noise: float = 0.003  # believed of the sonars [m]

    def at(self, speed: float) -> GeometryLaw:
        """The same law for another speed [m/s]; slow robots turn more sharply."""
        inside, outside = min(speed, self.inside_speed), min(speed, self.outside_speed)
        rough = min(speed, self.rough_speed)
        sharper = (inside / self.inside_speed) ** 2  # the same sideways acceleration
        return replace(
            self,
            speed=speed,
            inside_speed=inside,
            outside_speed=outside,
            rough_speed=rough,
            turn_radius=self.turn_radius * sharper,
            turn_lead=self.turn_lead * sharper,
        )

    def begin(self, side: Side, reverse: bool = False) -> Follow:
        """A walk with its own belief about the wall."""
        belief = Belief(REVERSED_RING if reverse else RING, self.half_cone, self.noise)
        return follow_with(Walk(self, belief).cycle, side, reverse)


@dataclass(slots=True)
class Walk:
    """One robot on its way along a wall on its left."""

    law: GeometryLaw
    wall: Belief
    wheels: list[float] = field(default_factory=lambda: [0.0, 0.0])  # as fast as they can be by now [m/s]
    begun: bool = False
    odd: int = 0  # for so many cycles, the sonar beside has told of a step in the wall
    uneven: int = 0  # for so many cycles, the wall has been nearer or farther for the one that looks farthest
    oblique: list[float] = field(default_factory=list)  # how far the wall recedes for oblique sonars [m]
    corner: float = math.inf  # way to the next inside corner, as far as a flat wall ahead tells [m]
    rough: float = 0.0  # how far to go slowly, because the wall is rough [m]

    @property
    def wanted(self) -> float:
        """Distance of the axle's centre from the wall [m]."""
        return self.law.clearance + self.wall.ring[BESIDE].y

    @property
    def speed(self) -> float:
        return sum(self.wheels) / 2

    def cycle(self, seen: Sequence[float], dt: float, rims: tuple[float, float] | None) -> tuple[float, float]:
        """One decision: where is the wall, what comes next, how fast may the wheels turn."""
        if self.begun:
            left, right = self.wheels if rims is None else rims
            self.wall.roll(left * dt, right * dt, self.law.wheel_separation)
            self.wall.look(seen)
            self.watch_beside(seen, dt)
            self.watch_roughness(seen, dt)
        elif not self.find_wall(seen):
            return self.drive(0.0, -self.law.turn_most / 2, dt)
        if self.wall.edge_near:
            self.leave_edge(seen)
        else:
            self.watch_edge(seen, dt)
        self.watch_ahead(seen)
        return self.drive(*self.wanted_motion(seen, dt), dt)

    def find_wall(self, seen: Sequence[float]) -> bool:
        """At the beginning, the nearest thing is the wall; turn on the spot until it is on the left."""
        nearest = min(range(8), key=lambda number: seen[number])
        tail = seen[15] < seen[nearest] - 0.1  # it is beside the tail alone: it has ended before the sonar at the front
        if nearest > 1 and not tail:
            return False
        sonar = self.wall.ring[-1 if tail else nearest]
        self.wall.adopt(seen[sonar.number] + sonar.reach(sonar.heading), math.pi / 2 - sonar.heading, 0.3)
        if tail:
            self.wall.ends = (sonar.x + self.wall.ring[BESIDE].x) / 2
        self.begun = True
        return True

    def watch_beside(self, seen: Sequence[float], dt: float) -> None:
        """A wall may have a step: then the sonar beside it is surprised twice, and the next one ahead agrees."""
        wall, sonar = self.wall, self.wall.ring[BESIDE]
        guess = None if wall.edge_near or abs(wall.angle) > 0.25 else wall.wall_reading(sonar)
        off = 0.0 if guess is None else seen[sonar.number] - guess[0]
        agreed = abs(wall.recedes(1, seen[wall.ring[1].number]) - off) < 0.03
        self.odd = self.odd + 1 if agreed and 0.02 < abs(off) < STEP else 0
        if abs(off) > 0.02 and self.rough:  # not yet past it
            self.rough = max(self.rough, 0.3 * self.law.rough_way)
        if self.odd > 1:
            wall.step(off, sonar.x - 2 * self.speed * dt)
            self.odd, self.rough = 0, 2 * self.law.rough_way

    def watch_roughness(self, seen: Sequence[float], dt: float) -> None:
        """Where oblique sonars see the wall go on a little nearer or farther than it is here, it pays to be slow."""
        wall = self.wall
        self.rough = max(0.0, self.rough - self.speed * dt)
        wall.rough = self.rough > 0
        sure = wall.spread[3] < 0.05**2  # of the angle [rad²]
        if wall.edge_near or not sure or abs(wall.angle) > 0.25 or seen[4] < 1.4 * seen[3]:
            self.oblique, self.uneven = [], 0
            return
        before, self.oblique = self.oblique, [wall.recedes(k, seen[wall.ring[k].number]) for k in (1, 2, 3)]
        self.uneven = self.uneven + 1 if -STEP < self.oblique[2] < -0.04 and abs(wall.curvature) < 0.3 else 0
        bend = abs(wall.curvature)
        for k, was, now in zip((1, 2, 3), before, self.oblique, strict=False):
            small = abs(now - was) < 0.025 or max(abs(was), abs(now)) > STEP + 0.02
            if self.uneven > 1 or (not small and abs(now - was) > 0.025 + bend * wall.straight_on(k)[1] ** 2):
                self.rough = max(self.rough, self.law.rough_way)

    def watch_edge(self, seen: Sequence[float], dt: float) -> None:
        """Where an oblique sonar should see the wall and does not, it has ended."""
        wall = self.wall
        if abs(wall.angle) > 0.25:
            return
        for k in (3, 2, 1, BESIDE):
            reading, (expected, place) = seen[wall.ring[k].number], wall.straight_on(k)
            if expected > 1.5:  # too slanted to tell
                continue
            receding = wall.recedes(k, reading)
            if receding > STEP + abs(wall.curvature) * place * place:
                wall.ends = min(wall.ends, place - self.speed * dt / 2)  # it passed between two cycles
            elif receding > -STEP:
                wall.ends = math.inf if k == 3 else max(wall.ends, place)
                if k in (1, 2):  # what is missing nearer by is a gap, too narrow to enter
                    break
        if wall.ends < self.law.edge_lead:
            wall.adopt_edge(wall.ends + wall.distance * math.sin(wall.angle), wall.distance * math.cos(wall.angle))

    def leave_edge(self, seen: Sequence[float]) -> None:
        """Circle around the edge until a wall is beside the robot again."""
        wall, beside = self.wall, self.wall.ring[BESIDE]
        reading = seen[beside.number]
        if reading < wall.edge_from(beside)[0] - 0.012:  # another edge behind it, as at the end of a wall
            turned = wall.turned
            wall.adopt_edge(beside.x, beside.y + reading)
            wall.turned = turned
        expected, oblique = wall.straight_on(BESIDE)[0], wall.straight_on(1)[0]
        found = abs(reading - expected) < 0.06 and abs(seen[1] - oblique) < 0.15 * oblique
        if wall.turned > 0.3 and found:
            wall.adopt(reading + beside.y, 0.0, 0.15)
            wall.begins = 0.0
            return
        flat = wall.flat_wall(BESIDE, seen) if wall.turned > 0.6 else None
        if flat is not None and abs(math.pi / 2 - flat[1]) < 0.3 and flat[0] < self.wanted + 0.2:
            third = wall.ring[2]  # the wall has to go on, lest it be another edge
            aside = max(0.0, flat[1] - third.heading - wall.half_cone)
            if abs((flat[0] - third.reach(flat[1])) / math.cos(aside) / seen[third.number] - 1) < 0.1:
                wall.adopt(flat[0], math.pi / 2 - flat[1], 0.15)
                wall.begins = 0.0

    def watch_ahead(self, seen: Sequence[float]) -> None:
        """A wall ahead that is near enough becomes the wall."""
        law, wall = self.law, self.wall
        self.corner = math.inf
        turning = max(0.0, self.wheels[1] - self.wheels[0]) / 4 / law.acceleration if wall.edge_near else 0.0  # [s]
        if abs(wall.angle) > 0.5:
            return
        slanted = False
        for k in (3, 2, 1, 4, 5):
            if not wall.edge_near and not (self.news(k, seen) and self.news(k + 1, seen)):
                continue
            if not wall.edge_near and wall.recedes(k + 1, seen[wall.ring[k + 1].number]) > -STEP:
                continue  # no more than a step
            flat = wall.flat_wall(k, seen)
            if flat is not None:
                distance, turn = flat[0], math.pi / 2 - flat[1]
                if turn - wall.angle > 0.4:
                    slanted |= abs(turn - math.pi / 2) > 0.35
                    arc = law.turn_radius * (1 - math.cos(turn))
                    slope = math.sin(min(turn, math.pi / 2))
                    way = distance - self.wanted - arc - law.turn_lead * slope
                    self.corner = min(self.corner, way)
                    if way < (0.05 + turning) * self.speed * slope:
                        wall.adopt(distance, turn, 0.15)
                        return
        for k in (3, AHEAD):  # something straight ahead, or whose angle no pair can tell, or too near to ask
            reading = seen[wall.ring[k].number]
            near = reading + wall.ring[k].x - self.wanted < (-0.06 if slanted else 0.06)
            if near and reading < 0.75 * wall.straight_on(k)[0]:
                wall.adopt(reading + wall.ring[k].x, math.pi / 2, 0.3)
                return

    def news(self, k: int, seen: Sequence[float]) -> bool:
        """Whether sonar k sees something nearer than the wall, and near enough to matter."""
        reading = seen[self.wall.ring[k].number]
        return reading < FAR and reading < 0.95 * self.wall.bent_on(k)

    def wanted_motion(self, seen: Sequence[float], dt: float) -> tuple[float, float]:
        """Speed [m/s] and turn rate [rad/s] that the wall asks for."""
        law, wall = self.law, self.wall
        slant = law.edge_slant if wall.edge_near else 0.0
        heading = capped(law.approach * (wall.distance - self.wanted) + slant, law.approach_most)
        turn = wall.curvature * self.speed * math.cos(wall.angle) + law.steer * (heading - wall.angle)
        if wall.edge_near:
            speed = min(law.outside_speed, self.speed_before(law.inside_speed, self.corner, dt))
        else:
            ahead = seen[4] + wall.ring[AHEAD].x - self.wanted - law.turn_radius - law.turn_lead
            speed = min(
                law.speed,
                self.speed_before(law.outside_speed, wall.ends - law.edge_lead, dt),
                self.speed_before(law.inside_speed, min(ahead, self.corner), dt),
                law.inside_speed if abs(wall.angle) > 0.3 else law.speed,
                max(law.rough_speed, self.speed - 0.045) if self.rough else law.speed,  # no brake that spoils a turn
            )
        return min(speed, 4 * max(0.0, min(seen[2:5]) - 0.1)), capped(turn, law.turn_most)

    def speed_before(self, speed: float, way: float, dt: float) -> float:
        """How fast it may be now, to be at a speed [m/s] after some way [m] from the next cycle on."""
        return math.sqrt(speed**2 + 2 * self.law.brake * max(0.0, way - self.speed * dt))

    def drive(self, speed: float, turn: float, dt: float) -> tuple[float, float]:
        """Rim speeds that the wheels can follow, so that braking never spoils a turn, nor the reverse."""
        law, most = self.law, self.law.acceleration * dt
        half, had = turn * law.wheel_separation / 2, (self.wheels[1] - self.wheels[0]) / 2
        if speed < self.speed - 0.05:
            half = had + capped(half - had, most / 2)
        spare = max(0.1 * most, most - abs(half - had))
        speed = self.speed + capped(min(speed, law.max_speed - abs(half)) - self.speed, spare)
        asked = (speed - half, speed + half)
        self.wheels = [now + capped(want - now, most) for now, want in zip(self.wheels, asked, strict=True)]
        return asked
