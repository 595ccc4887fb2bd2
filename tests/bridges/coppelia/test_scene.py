"""A world and its robots as a tree of objects with names, paths and frames."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from bridges.coppelia.scene_fixtures import make_scene
from bridges.coppelia.vrep_fixtures import ROOM
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.coppelia.legacy import LegacySimulator
from paddock.bridges.coppelia.scene import (
    CoppeliaScene,
    EPuckSignals,
    ScriptData,
    Signals,
    StockSignals,
    call_script_function,
    detect,
)
from paddock.bridges.coppelia.scene.frames import (
    Frame,
    combine,
    compute_heading,
    from_euler,
    from_matrix,
    make_matrix,
    relate,
    rotate,
    to_euler,
)
from paddock.bridges.coppelia.scene.objects import PARENT
from paddock.bridges.coppelia.scene.parameters import bounding_box
from paddock.bridges.coppelia.scene.paths import find_path, make_object_path
from paddock.bridges.coppelia.scene.surfaces import collides, measure_distance
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.simulation.worlds.world_spec import Arc, Border, Box, Start, Wall, WorldSpec

angles = st.tuples(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1))
places = st.tuples(*[st.floats(-5, 5)] * 3)


@given(angles, places, angles, places)
def test_frames_round_trip_through_every_representation(a: tuple, b: tuple, c: tuple, d: tuple) -> None:
    outer, inner = Frame(b, from_euler(a)), Frame(d, from_euler(c))
    assert to_euler(outer.rotation) == pytest.approx(a, abs=1e-6)
    seen = combine(outer, inner)
    back = relate(outer, seen)
    assert back.position == pytest.approx(inner.position, abs=1e-9)
    again = from_matrix(make_matrix(seen))
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        assert rotate(again.rotation, axis) == pytest.approx(rotate(seen.rotation, axis), abs=1e-9)


def test_every_object_is_found_by_name_and_path() -> None:
    _, scene = make_scene()
    for found in scene.walk():
        assert scene.find(found.name) is found
        assert scene.find(make_object_path(scene, found)) is found
        assert scene.get(found.handle) is found
    second = scene.find("Pioneer_p3dx#0")
    assert scene.find("other") is second
    assert scene.find("/PioneerP3DX{1}") is second
    assert scene.find("/Pioneer*[1]") is second
    assert scene.find("/PioneerP3DX/ultrasonicSensor[3]").name == "Pioneer_p3dx_ultrasonicSensor4"
    for name in ("/leftMotor", "leftMotor", "./PioneerP3DX/leftMotor"):  # levels may be left out
        assert scene.find(name).name == "Pioneer_p3dx_leftMotor"
    assert scene.find("Vision_sensor").name == "Pioneer_p3dx_camera"
    assert find_path(scene, "./leftMotor", second) is scene.find("Pioneer_p3dx_leftMotor#0")
    with pytest.raises(UnknownName, match="did you mean 'Pioneer_p3dx'"):
        scene.find("Pioneer_p4dx")
    with pytest.raises(PaddockError, match="object 4711 does not exist"):
        scene.get(4711)


def test_sensors_are_mounted_as_in_the_robot_spec_and_face_along_z() -> None:
    arena, scene = make_scene()
    robot = arena["other"]
    for number, (x, y, z, heading) in enumerate(robot.spec.sensor("sonar").mounts, 1):
        sensor = scene.find(f"Pioneer_p3dx_ultrasonicSensor{number}#0")
        assert scene.frame(sensor, scene.find("other").handle).position == pytest.approx((x, y, z - 0.1388))
        ahead = rotate(scene.frame(sensor).rotation, (0.0, 0.0, 1.0))
        angle = robot.pose.heading + math.radians(heading)
        assert ahead == pytest.approx((math.cos(angle), math.sin(angle), 0.0), abs=1e-9)
        assert rotate(scene.frame(sensor).rotation, (0.0, 1.0, 0.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)


def test_detected_object_is_a_wall_or_another_robot() -> None:
    arena, scene = make_scene()
    sensor = scene.find("Pioneer_p3dx_ultrasonicSensor4")
    found = detect(scene, sensor)
    assert found is not None
    assert found.handle == scene.find("Cuboid").handle
    arena["other"].set_pose(2.8, 3.0, math.pi)
    arena["pioneer"].set_pose(2.0, 3.0, 0.0)
    scene.begin()
    found = detect(scene, sensor)
    assert found is not None
    assert found.handle == scene.find("other").handle
    with pytest.raises(PaddockError, match="is not a proximity sensor"):
        detect(scene, scene.find("ePuck"))


def test_robots_and_dummies_can_be_moved_and_walls_cannot() -> None:
    arena, scene = make_scene()
    base = scene.find("pioneer")
    scene.place(base, Frame((2.5, 3.0, 9.0), from_euler((0.0, 0.0, 0.5))))
    assert arena["pioneer"].pose == pytest.approx((2.5, 3.0, 0.5))
    assert compute_heading(scene.frame(base).rotation) == pytest.approx(0.5)
    for name, message in (("Cuboid", "cannot be moved"), ("Pioneer_p3dx_leftMotor", "only robots as a whole")):
        with pytest.raises(PaddockError, match=message):
            scene.place(scene.find(name), Frame((1.0, 1.0, 0.0)))
    with pytest.raises(PaddockError, match="cannot point straight up or down"):
        scene.place(base, Frame((2.5, 3.0, 0.0), from_euler((0.0, math.pi / 2, 0.0))))
    dummy = scene.add_dummy(base)
    scene.place(dummy, Frame((0.0, 1.0, 0.0)), PARENT)
    assert scene.frame(dummy).position == pytest.approx((2.5 - math.sin(0.5), 3.0 + math.cos(0.5), 0.1388))
    scene.set_parent(dummy, None)
    with pytest.raises(PaddockError, match="only dummies"):
        scene.set_parent(base, None)


def test_separate_position_and_orientation_calls_may_pass_through_a_wall(caplog: pytest.LogCaptureFixture) -> None:
    arena, scene = make_scene()
    robot, base = arena["pioneer"], scene.find("pioneer")
    narrow = next(
        Pose(x, 2.0, heading)
        for x in np.arange(0.2, 0.4, 0.005)
        for heading in (0.0, math.pi / 2)
        if not fits(arena, Pose(x, 2.0, heading)) and fits(arena, Pose(x, 2.0, heading + math.pi / 2))
    )
    robot.set_pose(1.0, 2.0, narrow.heading)
    scene.begin()
    scene.place(base, Frame((narrow.x, 2.0, 0.0), scene.frame(base).rotation), half=True)
    assert scene.frame(base).position[0] == pytest.approx(narrow.x)
    assert robot.pose.x == 1.0
    heading = narrow.heading + math.pi / 2
    scene.place(base, Frame(scene.frame(base).position, from_euler((0.0, 0.0, heading))), half=True)
    assert robot.pose == pytest.approx((narrow.x, 2.0, heading))
    robot.set_pose(1.0, 2.0)
    with pytest.raises(PaddockError, match="cannot be moved to"):  # a whole pose
        scene.place(base, Frame((-9.0, 2.0, 0.0)))
    scene.place(base, Frame((-9.0, 2.0, 0.0)), half=True)
    arena.step()
    scene.begin()
    assert scene.frame(base).position[0] == 1.0
    assert "stays where it is: there is no room for it at (-9, 2)" in caplog.text


def fits(arena: paddock.Arena, pose: Pose) -> bool:
    return not arena.room(without=["pioneer"]).problem(arena["pioneer"].spec, pose)


def test_script_function_returns_all_distances_of_a_robot() -> None:
    _, scene = make_scene()
    told = call_script_function(scene, "Pioneer_p3dx", "getProxSensorsForRemote", ScriptData()).floats
    assert len(told) == 16
    for number, distance in enumerate(told, 1):
        found = detect(scene, scene.find(f"Pioneer_p3dx_ultrasonicSensor{number}"))
        assert distance == (1.0 if found is None else pytest.approx(found.distance))
    assert min(told) < 1


def test_stop_restores_the_scene_of_the_simulation_start() -> None:
    arena = paddock.open(ROOM, seed=5)
    simulator = LegacySimulator(ArenaWorld(arena))
    scene = simulator.scene
    before, below = scene.add_dummy(), scene.add_dummy()  # while it was stopped
    scene.set_parent(below, before)
    robots = list(arena.numbers)
    simulator.begin_run()
    handles = set(scene.objects)
    scene.place(before, Frame((1.0, 2.0, 3.0)))
    scene.add_dummy(below)
    scene.add_dummy()
    scene.remove(before)
    scene.load_model("khepera")
    simulator.begin_run()  # nothing new
    simulator.forget()
    assert set(scene.objects) == handles
    assert list(arena.numbers) == robots
    assert before.children == [below]
    assert scene.frame(before).position == (0.0, 0.0, 0.0)
    assert scene.find(before.name) is before


def test_signals_and_dummies_are_limited_per_client() -> None:
    arena = paddock.open(ROOM, seed=5)
    live = ArenaWorld(arena)
    simulator = LegacySimulator(live)
    greedy, modest = object(), object()
    for client in (greedy, *[object() for _ in range(3)]):
        live.client = client
        for number in range(10_000):
            simulator.signals.set(int, f"{id(client)} {number}", number)
        with pytest.raises(PaddockError, match="you have 10000 signals already"):
            simulator.signals.set(int, "more", 1)
    live.client = greedy
    for _ in range(1000):
        simulator.scene.add_dummy()
    with pytest.raises(PaddockError, match="you have 1000 dummies already"):
        simulator.scene.add_dummy()
    live.client = modest
    with pytest.raises(PaddockError, match="there are 40000 signals of all clients already"):
        simulator.signals.set(int, "mine", 1)
    simulator.release(greedy)
    simulator.signals.set(int, "mine", 1)
    assert simulator.signals.get(int, "mine") == 1
    assert simulator.signals.get(int, f"{id(greedy)} 0") is None  # the oldest of those that nobody owns
    assert simulator.scene.add_dummy().handle in simulator.scene.objects


def test_object_depth_is_limited_and_wildcard_paths_stay_fast() -> None:
    _, scene = make_scene()
    chain = [scene.add_dummy()]
    for _ in range(31):
        chain.append(scene.add_dummy(chain[-1]))
    with pytest.raises(PaddockError, match="expected at most 32 levels of objects"):
        scene.add_dummy(chain[-1])
    top = scene.add_dummy()
    with pytest.raises(PaddockError, match="expected at most 32"):
        scene.set_parent(chain[0], top)
    assert scene.find("/*" * 32) is chain[-1]
    assert find_path(scene, "/*" * 16 + "/nobody") is None  # without end, if every way through the chain is tried


def test_handles_are_not_reused_after_spawns_and_removals() -> None:
    arena, scene = make_scene()
    gone = scene.find("other")
    arena.remove("other")
    arena.spawn("third", "pioneer-p3dx", at=(5.0, 3.0))
    scene.begin()
    with pytest.raises(PaddockError):
        scene.get(gone.handle)
    assert scene.find("third").name == "Pioneer_p3dx#0"
    assert scene.find("third").handle > gone.handle
    copied = scene.copy(scene.find("ePuck"))
    scene.remember(("float", copied.handle, 4000), 1.0)
    scene.remove(copied)
    assert ("float", copied.handle, 4000) not in scene.settings
    with pytest.raises(PaddockError, match="cannot be removed"):
        scene.remove(scene.find("border"))


def test_every_straight_obstacle_has_its_own_pose_and_size() -> None:
    """Programs read these to make a map of the obstacles."""
    world = WorldSpec(
        name="obstacles",
        bounds=(0, 0, 6, 4),
        border=Border(height=0.5, thickness=0.1),
        walls=(Wall(points=((1.0, 1.0), (3.0, 1.0), (3.0, 2.0)), height=0.4, thickness=0.1),),
        arcs=(Arc(at=(5.0, 3.0), radius=0.5, from_deg=0, to_deg=90),),
        boxes=(Box(at=(4.0, 1.0), size=(0.8, 0.2), heading_deg=30.0, height=0.3),),
        starts=(Start(name="wall", at=(0.5, 0.5)),),
    )
    scene = CoppeliaScene(ArenaWorld(paddock.open(world)))

    def measure(name: str) -> tuple[float, ...]:
        found = scene.find(name)
        x0, y0, z0, x1, y1, z1 = bounding_box(found)
        assert (x0 + x1, y0 + y1, z0 + z1) == pytest.approx((0.0, 0.0, 0.0))
        x, y, z = found.frame.position
        assert z == pytest.approx((z1 - z0) / 2)
        return x, y, math.degrees(compute_heading(found.frame.rotation)), x1 - x0, y1 - y0

    assert measure("Cuboid") == pytest.approx((4.0, 1.0, 30.0, 0.8, 0.2))
    assert measure("border") == pytest.approx((3.0, -0.05, 0.0, 6.2, 0.1))
    assert measure("border#0") == pytest.approx((6.05, 2.0, 90.0, 4.2, 0.1))
    assert measure("wall#0") == pytest.approx((2.025, 1.0, 0.0, 2.05, 0.1))
    assert measure("wall#1") == pytest.approx((3.0, 1.475, 90.0, 1.05, 0.1))
    assert len(scene.find("wall#2").pieces) > 10
    assert scene.find("wall").part == "dummy"


def test_distances_and_collisions_use_the_robot_bodies() -> None:
    arena, scene = make_scene()
    red, cylinder = scene.find("red").handle, scene.find("Cylinder").handle
    distance, _, _ = measure_distance(scene, red, cylinder)
    assert distance == pytest.approx(math.hypot(0.0, 2.3) - 0.1 - 0.037)
    assert not collides(scene, red, -2)
    arena["red"].set_pose(1.0, 3.3 - 0.1 - 0.0371)
    assert collides(scene, red, cylinder)
    assert collides(scene, red, -2)
    with pytest.raises(PaddockError, match="has no body"):
        measure_distance(scene, red, scene.find("DefaultCamera").handle)


def test_signals_are_set_appended_and_cleared() -> None:
    _, scene = make_scene()
    signals = Signals(EPuckSignals(scene))
    signals.set(int, "x", 1)
    signals.set(float, "x", 2.0)
    signals.append("x", b"a")
    signals.append("x", b"b")
    assert (signals.get(int, "x"), signals.get(float, "x"), signals.get(bytes, "x")) == (1, 2.0, b"ab")
    signals.clear("x", bytes)
    assert signals.get(bytes, "x") is None
    signals.clear("x", int)
    assert signals.get(int, "x") is None
    assert len(signals.get(bytes, "ePuck#0_allSens") or b"") == 96
    assert signals.get(bytes, "EPUCK_proxSens#0") == (signals.get(bytes, "blue_allSens") or b"")[:32]
    with pytest.raises(PaddockError, match="expected two float32 numbers"):
        signals.set(bytes, "red_velocities", b"123")


def test_stock_models_provide_their_signals() -> None:
    arena, scene = make_scene()
    signals = Signals(EPuckSignals(scene), StockSignals(scene))
    arena.step(7)
    assert signals.get(float, "CurrentTime") == pytest.approx(0.07)
    points = np.frombuffer(signals.get(bytes, "measuredDataAtThisTime") or b"", "<f4").reshape(-1, 3)
    ahead = points[np.abs(points[:, 1]) < 0.05, 0]
    assert ahead == pytest.approx(2.9 - 2.0 - 0.021, abs=0.02)  # the box, from the scanner
    ground = arena.robots.new_handle("red").ground
    ground.enable()
    floor = [signals.get(float, f"EPUCK_mylightSens_{k}") for k in range(3)]
    assert floor == pytest.approx(ground.read())
    for wish, lit in ((1, 1.0), (2, 0.0), (2, 1.0), (0, 0.0)):
        signals.set(bytes, "EPUCK_LED", np.array([3, wish], "<i4").tobytes())
        assert arena["red"].leds.read()["led2"] == lit
    with pytest.raises(PaddockError, match="expected an LED from 1 to 10"):
        signals.set(bytes, "EPUCK_LED", np.array([11, 1], "<i4").tobytes())


def test_script_function_errors_name_the_expected_arguments() -> None:
    _, scene = make_scene()
    with pytest.raises(UnknownName, match="did you mean 'getPoseForRemote'"):
        call_script_function(scene, "ePuck", "getPosForRemote", ScriptData())
    with pytest.raises(PaddockError, match="is not a robot"):
        call_script_function(scene, "Cuboid", "getPoseForRemote", ScriptData())
    with pytest.raises(PaddockError, match="expected two velocities"):
        call_script_function(scene, "ePuck", "setVelocitiesForRemote", ScriptData(floats=[1.0]))
    with pytest.raises(PaddockError, match="no device"):
        call_script_function(scene, "Pioneer_p3dx", "getGroundSensorForRemote", ScriptData())
    call_script_function(scene, "ePuck", "setLEDForRemote", ScriptData(ints=[2, 1]))
    assert scene.find("red").robot.read_leds()["led2"] == 1.0  # type: ignore[union-attr]
