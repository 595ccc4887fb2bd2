"""Objects that programs for other scenes look up: scanners, line tracers, goals and aliases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bridges.coppelia import coppelia_fixtures, vrep_fixtures
from bridges.coppelia.coppelia_fixtures import new_client
from bridges.coppelia.vrep_fixtures import LOOP, ROOM, native
from paddock.core.errors import SpecError
from paddock.simulation.worlds import Alias, RobotPlacement, load_world
from paddock.simulation.worlds.world_spec import Floor, Start, Stroke, WorldSpec

SCENE = replace(
    ROOM,
    name="scene",
    starts=(Start(name="Target", at=(4.0, 3.0), heading_deg=90),),
    aliases=(
        Alias(name="cam1", object="Vision_sensor"),
        Alias(name="cam1#0", object="Vision_sensor#0"),
        Alias(name="Disc", object="/Cylinder"),
        Alias(name="Rover", object="/PioneerP3DX[1]"),
        Alias(name="Nothing", object="/Elsewhere"),
    ),
)
LINE = WorldSpec(
    name="line",
    bounds=(-1, -1, 1, 1),
    floor=Floor(
        color="#ffffff",
        strokes=(Stroke(points=((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)), closed=True, smooth=True),),
    ),
    robots=(RobotPlacement(name="tracer", type="line-tracer", at=(0.0, -0.6)),),
)


def read_scanner(sim: Any, path: str) -> list[list[float]]:
    """Return x, y [m] of all points in the scanner's frame, computed as programs for the fastHokuyo do."""
    base, points = sim.getObject(path), []
    for half in (sim.getObject(f"{path}/sensor{i}") for i in (1, 2)):
        _, _, packet = sim.readVisionSensor(half)
        inverse = sim.getMatrixInverse(sim.getObjectMatrix(base))
        matrix = sim.multiplyMatrices(inverse, sim.getObjectMatrix(half))
        columns, rows = int(packet[0]), int(packet[1])
        corners = np.reshape(packet[2:], (columns * rows, 4))
        points += np.reshape(sim.multiplyVector(matrix, corners[:, :3].reshape(-1).tolist()), (-1, 3))[:, :2].tolist()
    return points


def test_fast_hokuyo_matches_the_robot_laser() -> None:
    with coppelia_fixtures.served(SCENE) as bridge:
        sim = new_client(bridge).require("sim")
        points = np.array(read_scanner(sim, "/PioneerP3DX/fastHokuyo"))
        assert len(points) == 684
        angles, distances = np.arctan2(points[:, 1], points[:, 0]), np.hypot(*points.T)
        assert np.allclose(angles, np.radians((np.arange(684) + 0.5) * 240 / 684 - 120))
        laser = bridge.arena["pioneer"].device("laser")
        laser.enable()
        ahead = np.abs(angles) < math.pi / 2
        seen = np.interp(angles[ahead], laser.spec.angles, np.minimum(laser.read(), 5.0))
        assert np.median(np.abs(distances[ahead] - seen)) < 0.01
        assert np.allclose(distances[np.abs(angles) > 1.6], 5.0)  # it looks ahead only
        assert sim.getVisionSensorRes(sim.getObject("/fastHokuyo_sensor1")) == [342, 1]
        depths = np.frombuffer(sim.getVisionSensorDepth(sim.getObject("/fastHokuyo_sensor2"), 1)[0], np.float32)
        assert depths.max() <= 5.0


def test_legacy_api_reads_both_packets_of_a_fast_hokuyo() -> None:
    with vrep_fixtures.served(SCENE) as bridge, native(bridge) as client:
        for name in ("fastHokuyo_sensor1", "fastHokuyo_sensor2#0"):
            code, _, packets = client("ReadVisionSensor", client.get("GetObjectHandle", name))
            assert (code, len(packets), len(packets[0]), len(packets[1])) == (0, 2, 15, 2 + 4 * 342)
            assert packets[1][:2] == [342, 1]


def test_ranges_and_angles_of_a_fast_hokuyo_are_signals() -> None:
    with coppelia_fixtures.served(SCENE) as bridge:
        sim = new_client(bridge).require("sim")
        ranges, angles = (
            sim.unpackFloatTable(sim.getStringSignal(f"hokuyo_{kind}_data")) for kind in ("range", "angle")
        )
        points = np.array(read_scanner(sim, "/PioneerP3DX/fastHokuyo"))
        assert np.allclose(
            np.array(ranges)[:, None] * np.column_stack((np.cos(angles), np.sin(angles))), points, atol=1e-5
        )
        assert sim.getBufferProperty(sim.handle_scene, "signal.hokuyo_range_data") == sim.packFloatTable(ranges)
    with vrep_fixtures.served(replace(ROOM, robots=ROOM.robots[2:])) as bridge, native(bridge) as client:
        assert client("GetStringSignal", "hokuyo_range_data")[0] == client.vrep.simx_return_remote_error_flag


@pytest.mark.parametrize("kind", ["bubble-rob", "dr20"])
def test_robots_of_tutorials_avoid_walls_with_their_own_names(kind: str) -> None:
    """The program of the tutorial: drive, and reverse on an arc while something is in front."""
    room = replace(LOOP, robots=(RobotPlacement(name="rover", type=kind, at=(3.0, 2.0)),))
    parts = {
        "bubble-rob": ("bubbleRob", "bubbleRob_leftMotor", "bubbleRob_rightMotor", "bubbleRob_sensingNose"),
        "dr20": ("dr20", "dr20_leftWheelJoint_", "dr20_rightWheelJoint_", "dr20_infraredSensor6_"),
    }[kind]
    with vrep_fixtures.served(room) as bridge, native(bridge) as client:
        base, left, right, nose = (client.get("GetObjectHandle", name) for name in parts)
        client.vrep.simxSynchronous(client.id, True)
        client("StartSimulation")
        back, seen = 0, 0
        for _ in range(200):
            code, detected, *_ = client("ReadProximitySensor", nose)
            assert code == 0
            back, seen = 40 if detected else back - 1, seen + detected
            for joint, speed in ((left, -4.0 if back > 0 else 5.0), (right, -1.0 if back > 0 else 5.0)):
                client("SetJointTargetVelocity", joint, speed)
            client.vrep.simxSynchronousTrigger(client.id)
            client.vrep.simxGetPingTime(client.id)
        assert seen
        assert not bridge.arena["rover"].contacts
        assert client("GetObjectPosition", base, -1)[1][0] != pytest.approx(3.0, abs=0.1)
    with coppelia_fixtures.served(room) as bridge:
        sim = new_client(bridge).require("sim")
        name = parts[0]
        assert sim.getObject(f"/{name}/{parts[1].removeprefix(name)[1:]}") == sim.getObject(f"/{parts[1]}")
        assert sim.getObjectType(sim.getObject(f"/{parts[3]}")) == sim.sceneobject_proximitysensor
        if kind == "bubble-rob":
            assert sim.getObject("/remoteApiControlledBubbleRobLeftMotor") == sim.getObject("/bubbleRob/leftMotor")


def test_line_tracer_follows_its_line_over_coppeliasims_api() -> None:
    with coppelia_fixtures.served(LINE) as bridge:
        sim = new_client(bridge).require("sim")
        sensors = [sim.getObject(f"/LineTracer/{side}Sensor") for side in ("Left", "Right")]
        joints = [sim.getObject(f"/Dynamic{side}Joint") for side in ("Left", "Right")]
        tracer = sim.getObject("/LineTracer")
        sim.setStepping(True)
        sim.startSimulation()
        swept, last = 0.0, -math.pi / 2
        while swept < 2 * math.pi and sim.getSimulationTime() < 120:
            for sensor, joint in zip(sensors, joints, strict=True):
                _, data = sim.readVisionSensor(sensor)
                sim.setJointTargetVelocity(joint, 4.0 if data[10] > 0.5 else 0.4)  # the mean intensity
            sim.step()
            x, y, _ = sim.getObjectPosition(tracer)
            swept, last = swept + math.remainder(math.atan2(y, x) - last, 2 * math.pi), math.atan2(y, x)
            assert 0.3 < math.hypot(x, y) < 0.9
        assert swept >= 2 * math.pi


def test_line_tracer_sensors_detect_bright_ground_over_the_legacy_api() -> None:
    with vrep_fixtures.served(LINE) as bridge, native(bridge) as client:
        middle = client.get("GetObjectHandle", "MiddleSensor")
        assert client("GetVisionSensorImage", middle, 1)[1] == [1, 1]
        tracer, told = bridge.arena["tracer"], set()
        tracer.line.enable()
        for y in np.linspace(-0.7, -0.4, 61):
            tracer.set_pose(0.0, y, 0.0)
            bright = tracer.line.read()[1] > 0.5
            assert client("ReadVisionSensor", middle)[:2] == (0, bright)
            told.add(bool(bright))
        assert told == {True, False}
        for name in ("LineTracer", "LineTracerBase", "LeftJoint", "DynamicRightJoint"):
            assert client("GetObjectHandle", name)[0] == 0
        assert client("SetJointTargetVelocity", client.get("GetObjectHandle", "LeftJoint"), 1.0) == 0


def test_goals_and_aliases_are_found_in_both_apis() -> None:
    with coppelia_fixtures.served(SCENE) as bridge:
        sim = new_client(bridge).require("sim")
        target = sim.getObject("/Target")
        assert sim.getObjectPosition(target) == pytest.approx([4.0, 3.0, 0.0])
        assert sim.getObjectOrientation(target)[2] == pytest.approx(math.pi / 2)
        sim.setObjectPosition(target, [1.0, 2.0, 0.0])
        assert sim.getObjectPosition(target)[:2] == [1.0, 2.0]
        assert sim.getObject("/PioneerP3DX/cam1") == sim.getObject("/PioneerP3DX/camera")
        assert sim.getObject("/PioneerP3DX[1]/visionSensor") == sim.getObject("/PioneerP3DX[1]/camera")
        assert sim.getObject("/ePuck/leftJoint/leftRespondableWheel") == sim.getObject("/ePuck/leftJoint/leftWheel")
        assert sim.getObject("/PioneerP3DX[1]/cam1") == sim.getObject("/PioneerP3DX[1]/camera")
        assert sim.getObject("/Rover/leftMotor") == sim.getObject("/PioneerP3DX[1]/leftMotor")
        for path in ("/Nothing", "/PioneerP3DX[2]/leftMotor", "/Pioneer/leftMotor", "/ePuck/cam1", "/Target/leftMotor"):
            with pytest.raises(Exception, match=r"no object called '.*' .*\(in function 'sim.getObject'\)"):
                sim.getObject(path)
    with vrep_fixtures.served(SCENE) as bridge, native(bridge) as client:
        pairs = {
            "Disc": "Cylinder",
            "cam1": "Pioneer_p3dx_camera",
            "/PioneerP3DX[1]/cam1": "Pioneer_p3dx_camera#0",
            "/Rover/Vision_sensor": "Pioneer_p3dx_camera#0",
            "/ePuck[1]/Vision_sensor": "ePuck_camera#0",
            "Rover": "Pioneer_p3dx#0",
        }
        for name, same in pairs.items():
            assert client.get("GetObjectHandle", name) == client.get("GetObjectHandle", same)
        assert client.get("GetObjectPosition", client.get("GetObjectHandle", "Target"), -1)[0] == 4.0
        assert client("GetObjectHandle", "Nothing")[0] == client.vrep.simx_return_remote_error_flag
        assert client("GetCollisionHandle", "Disc")[0] == client.vrep.simx_return_remote_error_flag
        assert client.get("GetCollisionHandle", "Rover") == client.get("GetCollisionHandle", "Collision#0")
        assert client("GetObjectHandle", "ResizableFloor_5_25_element")[0] == 0


@pytest.mark.parametrize(
    "file", ["models/robots/mobile/ePuck.ttm", r"C:\V-REP\models\Pioneer_p3dx.ttm", "line tracer.ttm"]
)
def test_models_are_loaded_by_file_name(file: str) -> None:
    with vrep_fixtures.served(SCENE) as bridge, native(bridge) as client:
        code, base = client("LoadModel", file, 0)
        assert code == 0
        assert client.get("GetObjectPosition", base, -1)[2] > 0


def test_copied_robots_can_be_renamed() -> None:
    with coppelia_fixtures.served(load_world("empty")) as bridge:
        sim = new_client(bridge).require("sim")
        sim.setObjectAlias(sim.getObject("/ePuck"), "ePuck1")
        for i in (2, 3):
            (copy,) = sim.copyPasteObjects([sim.getObject("/ePuck1")], 1)
            sim.setObjectAlias(copy, f"ePuck{i}")
            sim.setObjectPosition(copy, sim.handle_world, [0.3 * i, 0.5, 0.01915])
        joints = [sim.getObject(f"/ePuck{i}/leftJoint") for i in (1, 2, 3)]
        assert len(set(joints)) == 3
        assert [sim.getObjectAlias(sim.getObjectParent(joint)) for joint in joints] == ["ePuck1", "ePuck2", "ePuck3"]
        assert sim.getObjectPosition(sim.getObject("/ePuck3/base"))[:2] == pytest.approx([0.9, 0.5])


def test_wheels_rotate_with_their_joints() -> None:
    with coppelia_fixtures.served(SCENE) as bridge:
        sim = new_client(bridge).require("sim")
        joint, wheel = (sim.getObject(f"/PioneerP3DX/left{part}") for part in ("Motor", "Wheel"))
        sim.setStepping(True)
        sim.startSimulation()
        sim.setJointTargetVelocity(joint, 2.0)
        for _ in range(10):
            sim.step()
        angle = sim.getJointPosition(joint)
        assert angle > 0.5
        assert sim.getObjectOrientation(wheel, joint) == pytest.approx([0, 0, angle])
        assert sim.getObjectPosition(wheel, joint) == pytest.approx([0, 0, 0])


def test_duplicate_alias_name_is_refused() -> None:
    twins = (Alias(name="cam", object="/red/camera"), Alias(name="cam", object="/blue/camera"))
    with pytest.raises(SpecError, match=r"aliases\[1\]\.name"):
        replace(ROOM, aliases=twins)
