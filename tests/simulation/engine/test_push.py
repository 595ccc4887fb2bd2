"""Things that robots push: where they go, how many a robot can move, and that nothing ever overlaps."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import paddock
from paddock.arena import Arena
from paddock.arena.metrics import StallTime
from paddock.control.policies.braitenberg import explorer
from paddock.core.errors import SimulationError, SpecError
from paddock.core.geometry import overlap, place_shape
from paddock.report.recordings import Recording
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import Cylinder, RobotPlacement, ThingSpec, Wall, WorldSpec
from paddock.simulation.worlds.solids import solids
from scenes import alone, crate, puck, random_world, world

ALLOWED = 1e-4  # [m]
NOSE = crate(outline=((-0.05, -0.05), (0.0, -0.05), (0.05, 0.0), (0.0, 0.05), (-0.05, 0.05)))


def place(name: str, kind, x: float, y: float = 0.0, heading_deg: float = 0.0) -> RobotPlacement:
    return RobotPlacement(name=name, type=kind, at=(x, y), heading_deg=heading_deg, noise=False)


def thing(name: str = "box", at=(0.2, 0.0), mass: float = 0.02, **parts) -> ThingSpec:
    return ThingSpec(name=name, at=at, mass=mass, **parts)


def push(pusher, pushed: ThingSpec, distance: float, x: float, y: float, dt: float = 0.02) -> Arena:
    """Push a thing straight on, at 5 cm/s."""
    arena = paddock.open(world(place("one", pusher, x, y), things=(pushed,)), dt=dt)
    arena["one"].drive(0.05, 0.0)
    arena.step(round(distance / 0.05 / dt))
    return arena


def follow_limit_surface(pushed: ThingSpec, touch, distance: float, pieces: int = 5000):
    """Integrate the motion of a thing whose sticking contact moves along x (Lynch, Maekawa and Tanie 1992).

    `touch` returns the point of contact from the distance pushed so far, and the pose of the thing.
    """
    (x, y, heading), c2, step = pushed.pose, pushed.lever**2, distance / pieces
    for k in range(pieces):
        px, py = touch(k * step, x, y, heading)
        px, py = px - x, py - y
        along = (c2 + px * px) * step / (c2 + px * px + py * py)
        across = px * py * step / (c2 + px * px + py * py)
        x, y, heading = x + along, y + across, heading + (px * across - py * along) / c2
    return x, y, heading


@pytest.mark.parametrize("offset", [0.01, 0.03])
@pytest.mark.parametrize(
    "size", [{"size": (0.1, 0.2)}, {"outline": ((-0.05, -0.1), (0.06, -0.03), (0.06, 0.03), (-0.05, 0.1))}]
)
def test_a_point_pushes_a_box_off_its_centre_as_the_limit_surface_says(offset, size):
    pushed = thing(contact_friction=10.0, **size)
    left = min(x for x, _ in pushed.shape) + 0.2
    arena = push(NOSE, pushed, 0.06, left - 0.05, offset)
    moved = arena["one"].pose.x + 0.05 - left
    expected = follow_limit_surface(pushed, lambda way, *_: (left + way, offset), moved)
    assert arena.things["box"].pose == pytest.approx(expected, rel=0.01, abs=1e-4)


@pytest.mark.parametrize("offset", [0.01, 0.03])
@pytest.mark.parametrize("kind", ["box", "disc"])
@pytest.mark.heavy
def test_a_round_robot_rolls_along_the_thing_that_it_pushes(kind, offset):
    radius = 0.05
    pushed = thing(contact_friction=10.0, **({"size": (0.1, 0.2)} if kind == "box" else {"radius": radius}))
    start = 0.2 - (0.1 if kind == "box" else math.sqrt((2 * radius) ** 2 - offset**2))
    arena = push(puck(), pushed, 0.1, start, offset)

    def touch(way, x, y, heading):
        direction = heading if kind == "box" else math.atan2(y - offset, x - start - way)
        return start + way + 0.05 * math.cos(direction), offset + 0.05 * math.sin(direction)

    expected = follow_limit_surface(pushed, touch, arena["one"].pose.x - start)
    assert arena.things["box"].pose == pytest.approx(expected, rel=0.01, abs=1e-4)


@pytest.mark.parametrize(("size", "lever"), [((1.0, 1.0), 0.3826), ((2.0, 1.0), 0.5932), ((4.0, 1.0), 1.0608)])
def test_the_moment_of_friction_is_that_of_even_pressure(size, lever):
    (a, b) = size
    box = thing(size=size)
    corners = ((-a / 2, -b / 2), (a / 2, -b / 2), (a / 2, b / 2), (-a / 2, b / 2))
    assert box.lever == pytest.approx(lever, abs=5e-5)
    assert thing(outline=tuple((x + 3, y - 1) for x, y in corners)).lever == pytest.approx(box.lever)
    assert thing(radius=0.3).lever == pytest.approx(0.2)


@pytest.mark.parametrize(("count", "moves"), [(1, True), (17, True), (18, False), (30, False)])
@pytest.mark.heavy
def test_an_epuck_moves_17_pucks_of_20_g_in_a_row_but_not_18(count, moves):
    row = tuple(thing(f"puck{i}", at=(0.0575 + 0.0401 * i, 0.0), radius=0.02) for i in range(count))
    arena = paddock.open(world(place("one", "e-puck", 0.0), bounds=(-1, -1, 3, 1), things=row))
    arena["one"].drive(0.1, 0.0)
    arena.step(100)
    first, last = arena.things["puck0"].pose.x - 0.0575, arena.things[f"puck{count - 1}"].pose.x - row[-1].at[0]
    assert (first == pytest.approx(0.1994, abs=1e-4)) if moves else (0 < first < 0.002)
    assert (last == pytest.approx(0.1994 - 0.0001 * count, abs=2e-4)) if moves else (last < 0.001)
    assert arena["one"].contacts == pytest.approx((0.0,))
    assert arena.things["puck0"].speed == pytest.approx(0.1 if moves else 0.0, abs=1e-3)


@pytest.mark.parametrize(("robots", "moves"), [(1, False), (2, True), (3, True)])
@pytest.mark.heavy
def test_robots_push_together_what_none_can_push_alone(robots, moves):
    box = thing(at=(0.3, 0.0), size=(0.2, 0.4), mass=0.5)  # 1.5 N; an e-puck has 1.0 N
    around = [place(f"r{i}", "e-puck", 0.15, 0.08 * (i - (robots - 1) / 2)) for i in range(robots)]
    arena = paddock.open(world(*around, things=(box,)))
    for robot in arena.robots.values():
        robot.drive(0.1, 0.0)
    arena.step(100)
    assert (arena.things["box"].pose.x > 0.4) == moves


def test_a_thing_stops_with_the_robot_that_pushes_it():
    arena = push(puck(), thing(radius=0.03), 0.2, 0.0, 0.0)
    assert arena.things["box"].speed == pytest.approx(0.05)
    arena["one"].stop()
    arena.step(2)
    before = arena.things["box"].pose
    arena.step(50)
    assert arena.things["box"].pose == before
    assert arena.things["box"].speed == arena.things["box"].turn_rate == 0.0


def test_a_robot_stands_in_front_of_a_thing_that_a_wall_holds():
    wall = Wall(points=((0.5, -1.0), (0.5, 1.0)), thickness=0.0)
    arena = paddock.open(
        world(place("one", crate(), 0.0), things=(thing(at=(0.4, 0.0), size=(0.1, 0.3)),), walls=(wall,))
    )
    arena["one"].drive(0.2, 0.0)
    episode = arena.run(4.0, metrics=[StallTime()])
    assert arena.things["box"].pose == pytest.approx((0.45, 0.0, 0.0), abs=1e-3)
    assert arena["one"].pose.x == pytest.approx(0.32, abs=2e-3)
    assert len(arena["one"].contacts) > 0
    assert episode.robots["one"].metrics["stall_time"] == pytest.approx(4.0 - 0.32 / 0.2, abs=0.1)


def test_a_round_robot_turns_and_slides_along_a_thing_that_is_too_heavy():
    arena, robot = alone(robot=load_robot("e-puck"), things=(thing(at=(0.2, 0.0), size=(0.2, 2.0), mass=100.0),))
    robot.drive(0.1, 1.0)
    arena.step(100)
    assert arena.things["box"].pose == pytest.approx((0.2, 0.0, 0.0), abs=1e-4)
    assert robot.pose.heading == pytest.approx(2.0, rel=0.01)
    assert robot.pose.y > 0.05


def test_a_turning_robot_pushes_a_light_thing_with_its_corner_but_not_a_heavy_one():
    light, heavy = (thing(at=(0.03, 0.081), radius=0.02, mass=mass) for mass in (0.05, 50.0))
    body = crate(outline=((-0.04, -0.06), (0.06, -0.06), (0.06, 0.06), (-0.04, 0.06)))
    strong = replace(body, body=replace(body.body, mass=1.0))
    turned = []
    for pushed in (light, heavy):
        arena = paddock.open(world(place("one", strong, 0.0), things=(pushed,)))
        arena["one"].drive(0.0, 1.0)
        arena.step(50)
        turned.append((arena["one"].pose, arena.things["box"].pose.x))
    assert turned[0][0] == pytest.approx((0.0, 0.0, 1.0))
    assert turned[0][1] < 0.02
    assert turned[1][0].y < -0.002  # it slides along
    assert turned[1][1] == pytest.approx(0.03, abs=2e-3)


def list_overlaps(arena: Arena) -> list[float]:
    """Return how deep robots, things and walls overlap, by slow and obvious geometry."""
    robots = [place_shape(kind.body.shape, *pose) for kind, pose in zip(arena.built.robots, arena.poses, strict=True)]
    bodies = robots + [place_shape(each.spec.shape, *each.pose) for each in arena.things.values()]
    fixed = [solid.shape for solid in solids(arena.world)]
    return [overlap(a, b) for a, b in combinations(bodies, 2)] + [overlap(a, b) for a in bodies for b in fixed]


def crowded_world(seed: int) -> WorldSpec:
    kinds = [puck(), crate(), load_robot("e-puck"), load_robot("khepera"), load_robot("bubble-rob"), NOSE]
    return random_world(np.random.default_rng(seed), kinds, things=40)


def drive_at_random(arena: Arena, seconds: float, seed: int) -> list[float]:
    """Let robots drive and turn; return the deepest overlap after each half of a second."""
    rng = np.random.default_rng(seed)
    deepest = []
    for _ in range(round(2 * seconds)):
        for robot in arena.robots.values():
            robot.drive(*rng.uniform((-0.05, -1.5), (0.12, 1.5)).tolist())
        arena.step(25)
        deepest.append(max(list_overlaps(arena)))
    return deepest


@pytest.mark.parametrize(
    ("seeds", "seconds"),
    [
        *((range(k, k + 1), 4) for k in range(3)),
        *(pytest.param(range(10 * k, 10 * k + 10), 20, marks=pytest.mark.long) for k in range(1, 4)),
        *(pytest.param(range(50 * k, 50 * k + 50), 60, marks=[pytest.mark.long, pytest.mark.soak]) for k in range(20)),
    ],
)
@pytest.mark.heavy
def test_nothing_overlaps_leaves_the_world_or_appears(seeds, seconds):
    for seed in seeds:
        arena = paddock.open(crowded_world(seed), seed=seed)
        before = [(name, each.spec) for name, each in arena.things.items()]
        assert max(drive_at_random(arena, seconds, seed)) < ALLOWED
        assert [(name, each.spec) for name, each in arena.things.items()] == before
        poses = np.array([each.pose for each in arena.things.values()])
        assert np.abs(poses[:, :2]).max() < 1.0


@pytest.mark.parametrize("dt", [0.02, 0.1])
@pytest.mark.heavy
def test_nothing_tunnels_through_a_thin_wall_or_a_fast_robot(dt):
    wall = Wall(points=((0.5, -1.0), (0.5, 1.0)), thickness=0.0)
    thin = thing(at=(0.3, 0.0), size=(0.004, 0.3), mass=0.001)
    arena = paddock.open(world(place("one", puck(max_speed=2.0), 0.0), things=(thin,), walls=(wall,)), dt=dt)
    arena["one"].drive(2.0, 0.0)
    arena.step(round(2 / dt))
    robot, pushed = arena["one"].pose.x, arena.things["box"].pose
    assert robot + 0.05 <= pushed.x + 0.002 < 0.5 + ALLOWED
    assert max(list_overlaps(arena)) < ALLOWED


@pytest.mark.heavy
def test_many_robots_among_pucks_never_overlap_and_say_how_long_they_stalled():
    rng = np.random.default_rng(1)
    spots = [(0.1 * i + 0.1, 0.1 * j + 0.1) for i in range(12) for j in range(12)]
    rng.shuffle(spots)
    robots = [place(f"r{i}", "e-puck", *spots[i], heading_deg=float(rng.uniform(-180, 180))) for i in range(15)]
    pucks = tuple(thing(f"puck{i}", at=tuple(at), radius=0.025) for i, at in enumerate(spots[15:]))
    arena = paddock.open(world(*robots, bounds=(0.0, 0.0, 1.3, 1.3), things=pucks))
    for robot in arena.robots.values():
        robot.enable("proximity")
        robot.wheels.set(0.1, 0.1)
    episode = arena.run(10.0, metrics=[StallTime()])
    assert max(list_overlaps(arena)) < ALLOWED
    stalled = [found.metrics["stall_time"] for found in episode.robots.values()]
    assert 0 < sum(stalled) < 150


# ---- sensing


def test_sensors_and_cameras_see_a_thing_like_an_obstacle():
    readings, pictures = [], []
    for parts in (
        {"things": (thing(at=(0.07, 0.02), radius=0.02, height=0.06, color="#336699"),)},
        {"cylinders": (Cylinder(at=(0.07, 0.02), radius=0.02, height=0.06, color="#336699"),)},
    ):
        _, robot = alone(robot=load_robot("e-puck"), **parts)
        seen = robot.sense()
        readings.append(seen.proximity)
        pictures.append(seen.camera)
    assert readings[0] == pytest.approx(readings[1], abs=1e-12)
    assert readings[0].min() < 0.04
    assert np.array_equal(*pictures)


def test_a_thing_hides_what_is_behind_it():
    arena, robot = alone(robot=load_robot("pioneer-p3dx"), things=(thing(at=(1.0, 0.0), size=(0.1, 0.5), height=0.5),))
    robot.enable("laser")
    before = robot.laser.read()
    arena.things["box"].set_pose(1.5, 0.0)
    after = robot.laser.read()
    middle = len(before) // 2
    assert after[middle] - before[middle] == pytest.approx(0.5, abs=0.1)


# ---- repeatability


def digest_after(arena: Arena, ticks: int) -> str:
    arena.step(ticks)
    return arena.digest()


def driven_arena(seed: int = 3) -> Arena:
    arena = paddock.open(crowded_world(seed), seed=seed)
    for robot in arena.robots.values():
        robot.wheels.set(0.1, 0.08)
    return arena


@pytest.mark.heavy
def test_reading_sensors_does_not_change_the_future():
    silent, read = driven_arena(), driven_arena()
    for robot in read.robots.values():
        robot.enable()
    for _ in range(100):
        silent.step()
        for robot in read.robots.values():
            robot.sense()
        read.step()
    assert silent.digest() == read.digest()


@pytest.mark.heavy
def test_a_restored_snapshot_has_the_same_future():
    arena = driven_arena()
    arena.step(100)
    saved = arena.snapshot()
    first = digest_after(arena, 150)
    arena.restore(saved)
    assert digest_after(arena, 150) == first
    other = driven_arena()
    other.restore(saved)
    assert digest_after(other, 150) == first


@pytest.mark.heavy
def test_a_reset_puts_things_back():
    arena = driven_arena()
    start = arena.digest()
    arena.step(200)
    assert any(each.pose != each.spec.pose for each in arena.things.values())
    for robot in arena.robots.values():
        robot.stop()
    arena.reset()
    for robot in arena.robots.values():
        robot.wheels.set(0.1, 0.08)
    assert arena.digest() == start


def pucks_world() -> WorldSpec:
    pucks = tuple(thing(f"puck{i}", at=(0.3 + 0.1 * (i % 6), 0.3 + 0.1 * (i // 6)), radius=0.02) for i in range(30))
    boxes = (thing("box", at=(0.5, 0.95), size=(0.1, 0.2), heading_deg=20),)
    around = (
        place("a", "e-puck", 0.1, 0.3),
        place("b", "e-puck", 1.0, 0.6, 180.0),
        place("c", "e-puck", 0.5, 0.1, 90.0),
    )
    return world(*around, bounds=(0, 0, 1.2, 1.2), things=(*pucks, *boxes))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.heavy
def test_a_batch_equals_single_arenas(threads):
    worlds = paddock.batch(pucks_world(), 4, seed=5, threads=threads)
    worlds.commands[..., :2] = 0.1, 0.09
    worlds.run(4.0, {"b": explorer()}, metrics=[StallTime()])
    assert worlds.poses.shape == (4, 3, 3)
    for k in range(4):
        arena = paddock.open(pucks_world(), seed=5 + k)
        for robot in arena.robots.values():
            robot.wheels.set(0.1, 0.09)
        arena["b"].enable("proximity")
        arena.run(4.0, {"b": explorer()})
        assert worlds.digest(k) == arena.digest()
        assert np.array_equal(worlds.poses[k], arena.poses)
        again = worlds.arena(k)
        assert [each.pose for each in again.things.values()] == [each.pose for each in arena.things.values()]
    assert any(each.pose != each.spec.pose for each in arena.things.values())


@pytest.mark.heavy
def test_a_recording_replays_pushed_things(tmp_path):
    arena = paddock.open(pucks_world(), seed=2)
    poses = {}
    with paddock.record(arena, tmp_path / "push.mcap"):
        for step in range(20):
            for robot in arena.robots.values():
                robot.drive(0.1, 0.3 * (step % 3 - 1))
            arena.step(10)
            poses[arena.tick] = [each.pose for each in arena.things.values()]
    with Recording(tmp_path / "push.mcap").replay() as replayed:
        for tick in (200, 50, 130):
            replayed.seek(tick)
            assert [each.pose for each in replayed.things.values()] == poses[tick]
        replayed.seek(200)
        assert replayed.digest() == arena.digest()


# ---- by hand, and mistakes


def test_a_thing_is_moved_by_hand_to_a_free_place():
    arena = paddock.open(pucks_world())
    box = arena.things["box"]
    box.set_pose(0.2, 1.0, 1.0)
    assert box.pose == pytest.approx((0.2, 1.0, 1.0))
    with pytest.raises(SimulationError, match=r"thing 'box' cannot be moved to \(0\.1, 0\.3\): it overlaps robot 'a'"):
        box.set_pose(0.1, 0.3)
    with pytest.raises(SimulationError, match="finite"):
        box.set_pose(math.nan, 0.3)
    with pytest.raises(paddock.PaddockError, match=r"'boxx'.*did you mean 'box'"):
        arena.things["boxx"]


def test_things_stay_where_they_are_when_robots_come_and_go():
    arena = paddock.open(pucks_world(), seed=1)
    for robot in arena.robots.values():
        robot.drive(0.1, 0.0)
    arena.step(100)
    before = [each.pose for each in arena.things.values()]
    arena.spawn("new", "e-puck")
    assert [each.pose for each in arena.things.values()] == before
    arena.remove("a")
    assert [each.pose for each in arena.things.values()] == before
    arena.step(10)
    assert max(list_overlaps(arena)) < ALLOWED


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "radius: expected one of radius, size and outline, got none of them"),
        ({"radius": 0.1, "size": (0.1, 0.1)}, "size: expected one of radius, size and outline, got radius and size"),
        ({"radius": -1.0}, "radius: expected metres"),
        ({"radius": 0.1, "mass": 0.0}, "mass: expected kilograms > 0"),
        ({"radius": 0.1, "friction": 0.0}, "friction: expected a coefficient of friction > 0"),
        ({"outline": ((0, 0), (1, 0), (0.2, 0.2), (0, 1))}, "outline: expected a convex polygon"),
    ],
)
def test_a_wrong_thing_is_refused_with_the_place(parts, message):
    with pytest.raises(SpecError, match="things\\[0\\]." + message.replace("[", "\\[")):
        WorldSpec.from_table(
            {"name": "w", "bounds": [0, 0, 1, 1], "things": [{"name": "box", "at": [0.5, 0.5], "mass": 1.0, **parts}]}
        )


def test_things_must_be_free_of_walls_robots_and_each_other():
    for things, problem in (
        ((thing("a", at=(1.99, 0.0), radius=0.1),), "thing 'a' sticks 90.0 mm out of the bounds"),
        ((thing("a", at=(0, 0), radius=0.1), thing("b", at=(0.1, 0), radius=0.1)), "thing 'b' overlaps thing 'a'"),
        ((thing("a", at=(1.0, 1.0), radius=0.1),), "robot 'one' overlaps thing 'a'"),
    ):
        with pytest.raises(SpecError, match=problem):
            paddock.open(world(place("one", puck(), 1.0, 1.0), things=things))
