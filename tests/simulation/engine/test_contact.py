"""Contact: no penetration over 1 mm, no tunnelling, and sliding along walls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.arena import Arena
from paddock.core.geometry import Disc, bounding_radius, compute_bounds, overlap, place_shape
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import Arc, Box, Cylinder, RobotPlacement, Wall
from scenes import alone, crate, puck, random_world, world

MILLIMETRE = 1e-3
seeds = st.integers(0, 2**32 - 1)
LONG = ((-0.15, -0.04), (0.15, -0.04), (0.15, 0.04), (-0.15, 0.04))
WEDGE = ((-0.05, -0.06), (0.1, 0.0), (-0.05, 0.06))


class Watch:
    """Check after every step that no body penetrates anything or leaves the bounds."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.solids = solids(arena.world)
        boxes = np.array([compute_bounds(solid.shape) for solid in self.solids]).reshape(-1, 4)
        self.middles, self.sizes = (boxes[:, :2] + boxes[:, 2:]) / 2, np.hypot(*(boxes[:, 2:] - boxes[:, :2]).T) / 2
        self.radii = [bounding_radius(kind.body.shape) for kind in arena.built.robots]

    def check(self) -> None:
        poses = self.arena.poses
        assert np.isfinite(poses).all()
        shapes = [
            place_shape(kind.body.shape, *pose)
            for kind, pose in zip(self.arena.built.robots, poses.tolist(), strict=True)
        ]
        x0, y0, x1, y1 = self.arena.world.bounds
        for shape, pose, radius in zip(shapes, poses, self.radii, strict=True):
            if not self.arena.world.open:
                left, bottom, right, top = compute_bounds(shape)
                assert max(x0 - left, y0 - bottom, right - x1, top - y1) <= MILLIMETRE
            near = np.hypot(*(self.middles - pose[:2]).T) <= self.sizes + radius
            for k in np.flatnonzero(near):
                solid = self.solids[k]
                assert overlap(shape, solid.shape) <= MILLIMETRE, solid
                for edge in solid.edges:
                    deep = (
                        naive.circle_depth(shape, edge) if isinstance(shape, Disc) else naive.polygon_depth(shape, edge)
                    )
                    assert deep <= MILLIMETRE, solid
        for (i, a), (j, b) in itertools.combinations(enumerate(shapes), 2):
            if math.dist(poses[i, :2], poses[j, :2]) <= self.radii[i] + self.radii[j]:
                assert overlap(a, b) <= MILLIMETRE, (i, j)
                assert naive_overlap(a, b) <= MILLIMETRE, (i, j)


def naive_overlap(a, b) -> float:
    if isinstance(a, Disc) and isinstance(b, Disc):
        return a.radius + b.radius - math.dist(a[:2], b[:2])
    if isinstance(a, Disc):
        return naive.polygon_in_circle(b, a)
    return naive.polygon_in_circle(a, b) if isinstance(b, Disc) else naive.polygons_depth(a, b)


def drive_wildly(arena: Arena, rng: np.random.Generator, ticks: int) -> None:
    """Drive at full speed with many turns, and check for penetration after every step."""
    watch = Watch(arena)
    watch.check()
    for tick in range(ticks):
        for name in arena.robots:
            if tick == 0 or rng.random() < 0.08:
                arena[name].drive(*(rng.choice([-1, 0.3, 1, 1]) * 9, rng.choice([0, 0, -1, 1]) * rng.uniform(0, 30)))
        arena.step()
        watch.check()


def cast(rng: np.random.Generator) -> list:
    """Return a few different robots, some very fast for their size."""
    kinds = []
    for _ in range(int(rng.integers(1, 6))):
        speed = float(rng.choice([0.13, 0.5, 2.0]))
        shape = int(rng.integers(0, 5))
        if shape < 2:
            kinds.append(puck(radius=float(rng.choice([0.02, 0.05, 0.12])), max_speed=speed))
        else:
            kinds.append(
                crate(
                    outline=(((-0.04, -0.05), (0.08, -0.05), (0.08, 0.05), (-0.04, 0.05)), LONG, WEDGE)[shape - 2],
                    max_speed=speed,
                )
            )
    return kinds


@pytest.mark.heavy
@settings(max_examples=12)
@given(seeds, st.sampled_from([0.01, 0.02, 0.05, 0.1, 0.2]))
def test_robot_never_ends_a_step_inside_a_solid(seed, dt):
    rng = np.random.default_rng(seed)
    arena = paddock.open(random_world(rng, cast(rng)), dt=dt)
    drive_wildly(arena, rng, 150)


@pytest.mark.heavy
@pytest.mark.parametrize(("seed", "dt"), [(1034, 0.2), (1001, 0.5), (1062, 0.5), (1075, 0.5)])
def test_robot_that_turns_far_in_one_tick_collides_along_its_arc(seed, dt):
    rng = np.random.default_rng(seed)
    rng.choice(5)
    arena = paddock.open(random_world(rng, cast(rng) + cast(rng)), dt=dt)
    drive_wildly(arena, rng, 250)


def test_loop_within_one_tick_is_stopped_by_a_wall_it_crosses():
    arena, robot = alone(robot=puck(radius=0.05, max_speed=20.0), at=(1.9, 0.0), heading_deg=-90, dt=0.2)
    robot.drive(0.3 * 10 * math.pi, 10 * math.pi)  # once around a circle of 0.3 m that reaches 0.5 m behind the wall
    arena.step()
    Watch(arena).check()
    assert math.hypot(robot.pose.x - 1.9, robot.pose.y) > 0.05, "the way back through the wall is barred"


@settings(max_examples=5)
@given(seeds, st.sampled_from([0.02, 0.2]))
def test_robot_never_ends_a_step_inside_a_solid_in_a_few_worlds(seed, dt):
    rng = np.random.default_rng(seed)
    arena = paddock.open(random_world(rng, cast(rng)[:3], arcs=False), dt=dt)
    drive_wildly(arena, rng, 25)


@pytest.mark.heavy
@settings(max_examples=15)
@given(seeds, st.sampled_from([0.02, 0.1]))
def test_robot_that_cannot_move_reports_a_contact(seed, dt):
    rng = np.random.default_rng(seed)
    arena = paddock.open(random_world(rng, cast(rng), arcs=False), dt=dt)
    for tick in range(150):
        for name in arena.robots:
            if tick % 20 == 0:
                arena[name].drive(float(rng.choice([-9, 9])), float(rng.uniform(-9, 9)))
        before = arena.poses
        arena.step()
        for name, moved in zip(arena.robots, np.abs(arena.poses - before).max(axis=1), strict=True):
            assert moved > 1e-9 or arena[name].contacts, (name, tick)


@pytest.mark.heavy
@settings(max_examples=12)
@given(seeds, st.sampled_from([0.02, 0.1, 0.2]), st.sampled_from([0.0, 0.004]), st.booleans())
def test_robot_never_leaves_a_pen_of_thin_walls(seed, dt, thickness, cornered):
    rng = np.random.default_rng(seed)
    corners = [
        (math.cos(a), math.sin(a)) for a in sorted([*rng.uniform(-math.pi, math.pi, 2).tolist(), -2.8, -0.5, 1.5])
    ]
    kind = crate(max_speed=2.0) if cornered else puck(radius=0.03, max_speed=2.0)
    arena = paddock.open(
        world(
            RobotPlacement(name="in", type=kind, at=(0, 0)),
            RobotPlacement(name="out", type=kind, at=(1.5, 1.5)),
            walls=(Wall(points=tuple(corners), closed=True, thickness=thickness),),
        ),
        dt=dt,
    )
    for tick in range(400):
        for name in arena.robots:
            if tick % 15 == 0:
                arena[name].drive(2.0, float(rng.uniform(-6, 6)))
        arena.step()
        inside = naive.depth_inside(arena.poses[:, :2], corners)
        assert inside[0] > 0 > inside[1]


@pytest.mark.heavy
@settings(max_examples=2)
@given(seeds)
def test_dense_crowd_never_overlaps(seed):
    rng = np.random.default_rng(seed)
    spots = [(x, y) for x in np.arange(-0.4, 0.45, 0.125) for y in np.arange(-0.4, 0.45, 0.125)]
    kinds = [
        puck(radius=0.05, max_speed=1.0)
        if rng.integers(3)
        else crate(outline=((-0.05, -0.03), (0.05, -0.03), (0.05, 0.03), (-0.05, 0.03)))
        for _ in spots
    ]
    robots = [RobotPlacement(name=f"r{i}", type=k, at=at) for i, (at, k) in enumerate(zip(spots, kinds, strict=True))]
    arena = paddock.open(world(*robots, bounds=(-0.5, -0.5, 0.5, 0.5)), dt=0.05)
    drive_wildly(arena, rng, 60)


@pytest.mark.parametrize("kind", [puck(), crate()], ids=["round", "cornered"])
def test_robot_pressed_against_a_wall_stops_and_reports_the_contact(kind):
    arena, robot = alone(robot=kind, at=(1.5, 0.3))
    assert robot.contacts == ()
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    front = 0.05 if kind.body.outline is None else 0.08
    assert robot.pose.x == pytest.approx(2.0 - front, abs=1e-4)
    assert robot.pose.y == pytest.approx(0.3, abs=1e-9)
    assert robot.contacts
    assert all(abs(bearing) < 1e-6 for bearing in robot.contacts)
    robot.stop()
    arena.step(10)
    assert robot.contacts, "a robot that stands at a wall still touches it"
    robot.wheels.set(-0.5, -0.5)
    arena.step(2)
    assert robot.contacts == ()


@pytest.mark.parametrize("bearing", [0, 40, -75, 130, 180])
def test_contacts_report_the_bearing(bearing):
    heading = math.radians(bearing)
    arena, robot = alone(
        robot=puck(), cylinders=(Cylinder(at=(0.15 * math.cos(heading), 0.15 * math.sin(heading)), radius=0.1),)
    )
    arena.step()
    assert robot.contacts == pytest.approx((heading,), abs=1e-6)


@given(st.floats(5, 85), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40)
@example(45.0, 0.02)
def test_round_robot_at_a_wall_keeps_the_tangential_speed(angle, dt):
    arena, robot = alone(robot=puck(), bounds=(-60, -1, 60, 1), at=(0, 0.95), heading_deg=angle, dt=dt)
    robot.wheels.set(0.8, 0.8)
    before = robot.pose.x
    arena.step(20)
    assert (robot.pose.x - before) / (20 * dt) == pytest.approx(0.8 * math.cos(math.radians(angle)), rel=1e-6)
    assert robot.pose.y == pytest.approx(0.95, abs=1e-4)
    assert robot.pose.heading == pytest.approx(math.radians(angle))


def test_box_driven_obliquely_into_a_wall_slides_along_it():
    arena, robot = alone(robot=crate(), bounds=(-60, -1, 60, 1), at=(0, 0.8), heading_deg=30, dt=0.02)
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    start = robot.pose.x
    arena.step(100)
    assert (robot.pose.x - start) / 2 == pytest.approx(0.5 * math.cos(math.radians(30)), rel=1e-6)


@pytest.mark.parametrize("kinds", [*itertools.product([puck(), crate()], repeat=2)])
def test_robots_block_each_other_head_on(kinds):
    fronts = [0.05 if kind.body.outline is None else 0.08 for kind in kinds]
    arena = paddock.open(
        world(
            RobotPlacement(name="a", type=kinds[0], at=(-0.5, 0)),
            RobotPlacement(name="b", type=kinds[1], at=(0.5, 0), heading_deg=180),
        )
    )
    for name in "ab":
        arena[name].wheels.set(0.6, 0.6)
    arena.step(60)
    assert arena["b"].pose.x - arena["a"].pose.x == pytest.approx(sum(fronts), abs=2e-4)
    for name in "ab":
        assert arena[name].contacts
        assert abs(arena[name].contacts[0]) < 1e-3
        assert arena[name].pose.y == pytest.approx(0, abs=1e-4)


def test_robot_does_not_push_a_standing_robot():
    arena = paddock.open(
        world(RobotPlacement(name="a", type=puck(), at=(-0.5, 0)), RobotPlacement(name="b", type=puck(), at=(0.5, 0)))
    )
    arena["a"].wheels.set(0.6, 0.6)
    arena.step(300)
    assert arena["b"].pose == (0.5, 0.0, 0.0)
    assert arena["a"].pose.x == pytest.approx(0.4, abs=1e-4)


def test_encoders_of_a_blocked_robot_keep_counting():
    arena, robot = alone(EncodersSpec(name="encoders", scale=1000, resolution=1), at=(1.9, 0))
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    assert robot.pose.x == pytest.approx(1.95, abs=1e-4)
    assert robot.encoders.raw().tolist() == [1000, 1000]


def test_blocked_round_robot_can_still_turn():
    arena, robot = alone(robot=puck(), at=(1.95, 0))
    robot.wheels.set(0.2, 0.6)
    arena.step(25)
    assert robot.pose.heading == pytest.approx(0.4 / 0.1 * 0.5, abs=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("degrees", [4, 15, 30, 60, 90])
@pytest.mark.parametrize("kind", [puck(radius=0.03, max_speed=2.0), crate(max_speed=2.0)], ids=["round", "cornered"])
def test_robot_in_a_wedge_of_thin_walls_stays_on_its_side(degrees, kind):
    half = math.radians(degrees / 2)
    tip, ends = (1.5, 0.0), [(1.5 - 3 * math.cos(half), sign * 3 * math.sin(half)) for sign in (1, -1)]
    walls = (Wall(points=(ends[0], tip, ends[1]), thickness=0.0),)
    arena, robot = alone(robot=kind, bounds=(-4, -4, 4, 4), at=(-1.35, 0), dt=0.2, walls=walls)
    watch = Watch(arena)
    for tick in range(60):
        robot.drive(2.0, 2.0 * math.sin(tick))
        arena.step()
        watch.check()
        assert robot.pose.x < 1.5
        if robot.pose.x > -1.4:
            assert abs(robot.pose.y) < (1.5 - robot.pose.x) * math.tan(half)


@pytest.mark.heavy
def test_fast_robot_does_not_tunnel_through_thin_obstacles():
    for obstacle in (
        {"walls": (Wall(points=((1.0, -1.9), (1.0, 1.9)), thickness=0.0),)},
        {"boxes": (Box(at=(1.0, 0.0), size=(0.001, 3.8)),)},
        {"cylinders": (Cylinder(at=(1.0, 0.0), radius=0.001),)},
        {"arcs": (Arc(at=(0.0, 0.0), radius=1.0, thickness=0.002),)},
    ):
        arena, robot = alone(robot=puck(radius=0.02, max_speed=9.0), dt=0.2, **obstacle)
        robot.wheels.set(9, 9)
        arena.step(1)
        assert robot.pose.x < 1.0, obstacle
        arena.step(4)
        assert robot.pose.x < 1.0, obstacle


@pytest.mark.heavy
def test_box_turning_in_a_narrow_lane_is_stopped_by_its_walls():
    arena, robot = alone(
        robot=crate(outline=LONG), bounds=(-2, -2, 2, 2), dt=0.1,
        walls=(Wall(points=((-2, 0.1), (2, 0.1)), thickness=0.0), Wall(points=((-2, -0.1), (2, -0.1)), thickness=0.0)),
    )  # fmt: skip
    watch = Watch(arena)
    robot.drive(0.0, 8.0)
    for _ in range(100):
        arena.step()
        watch.check()
    assert abs(robot.pose.heading) < math.pi / 4
    assert robot.contacts
