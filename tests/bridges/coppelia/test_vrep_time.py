"""Time over V-REP's API: synchronous programs are bit-identical, and a client cannot stop the time of others."""

from __future__ import annotations

import socket
import struct
import threading

import numpy as np
import pytest

import paddock
from bridges.coppelia.vrep_fixtures import ROOM, NativeClient, connect, find_handle, native, number, served
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia.legacy.messages import STREAMING, ask_for
from paddock.bridges.coppelia.legacy_bridge import open_vrep
from paddock.bridges.coppelia.legacy_link.client import VrepClient
from paddock.core.errors import PaddockError, Refused, SimulationError
from paddock.network.server import Server, Settings

STEPS, BASE, TURN = 20, 2.0, 3.0
SYNCHRONOUS, FREE, TRIGGER, JOINT_POSITION, TARGET_VELOCITY, PROXIMITY = 0x1, 0x2, 0x3, 0x1001, 0x1008, 0x1009
CREATE_DUMMY, LOAD_MODEL = 0x9, 0x3003
START, STOP = (0x1007, number(0)), (0x1007, number(2))
RADIUS = 0.195 / 2


def speeds_for(ahead: float) -> tuple[float, float]:
    """Return wheel speeds that steer away from near objects; `ahead` is a float32, infinity for no detection."""
    return (BASE, BASE) if ahead > 0.7 else (BASE, BASE - TURN * (1 - ahead))


def run_native(bridge: VrepServer, *, streamed: bool, drives: str = "oneshot") -> str:
    """Run a program in V-REP's synchronous mode and return the resulting state."""
    with native(bridge) as client:
        vrep = client.vrep
        left = client.get("GetObjectHandle", "Pioneer_p3dx_leftMotor")
        right = client.get("GetObjectHandle", "Pioneer_p3dx_rightMotor")
        sensor = client.get("GetObjectHandle", "Pioneer_p3dx_ultrasonicSensor4")
        client("StopSimulation")
        assert vrep.simxSynchronous(client.id, True) == 0
        assert client("StartSimulation") == 0
        mode = vrep.simx_opmode_oneshot_wait
        if streamed:
            client("ReadProximitySensor", sensor, mode=vrep.simx_opmode_streaming)
            mode = vrep.simx_opmode_buffer
        for _ in range(STEPS):
            assert vrep.simxSynchronousTrigger(client.id) == 0
            _, seen, point, _, _ = client("ReadProximitySensor", sensor, mode=mode)
            speeds = speeds_for(point[2] if seen else np.inf)
            for motor, speed in zip((left, right), speeds, strict=True):
                client("SetJointTargetVelocity", motor, speed, mode=getattr(vrep, f"simx_opmode_{drives}"))
        vrep.simxGetPingTime(client.id)
        return bridge.arena.digest()


def run_own() -> str:
    """Run the same program with Paddock's own handles and the float32 precision of the wire."""
    arena = paddock.open(ROOM, seed=5)
    robot = arena["pioneer"]
    robot.sonar.enable()
    for _ in range(STEPS):
        arena.step(5)
        distance = float(robot.sonar.read()[3])
        speeds = speeds_for(float(np.float32(distance)) if distance < 1 else np.inf)
        robot.wheels.set(*(float(np.float32(speed)) * RADIUS for speed in speeds))
    return arena.digest()


def test_synchronous_program_is_bit_identical_to_the_paddock_api() -> None:
    own = run_own()
    with served() as bridge:
        for streamed in (False, True, False):
            assert run_native(bridge, streamed=streamed) == own
    with served(stopped=False) as bridge:  # it ran freely before
        assert run_native(bridge, streamed=True) == own


def test_streamed_command_takes_effect_in_the_next_step() -> None:
    with served() as bridge:
        assert run_native(bridge, streamed=True, drives="streaming") == run_own()


def drive(client: VrepClient, robot: str, speed: float) -> None:
    name, mark, number_of_copy = robot.partition("#")
    joints = [find_handle(client, f"{name}_{side}Motor{mark}{number_of_copy}") for side in ("left", "right")]
    client.call_all([ask_for(TARGET_VELOCITY, number(joint), struct.pack("<f", speed)) for joint in joints])


def test_trigger_needs_synchronous_mode_and_a_running_simulation() -> None:
    with served() as bridge, connect(bridge) as client:
        with pytest.raises(Refused, match="simxSynchronousTrigger: expected simxSynchronous"):
            client.call(TRIGGER)
        client.call(SYNCHRONOUS)
        with pytest.raises(Refused, match="the simulation is stopped"):
            client.call(TRIGGER)
        client.call(*START)
        client.call(TRIGGER)
        assert bridge.arena.tick == 5
        client.call(*STOP)
        assert bridge.arena.tick == 0
        client.call(*START)
        with pytest.raises(Refused, match="expected simxSynchronous"):  # stopping ends the mode
            client.call(TRIGGER)


def test_two_synchronous_clients_advance_time_together() -> None:
    with served(ports=2) as bridge, connect(bridge, 0) as first, connect(bridge, 1) as second:
        clients = [first, second]
        for client in clients:
            client.call(SYNCHRONOUS)
        clients[0].call(*START)

        def step_often(client: VrepClient) -> None:
            for _ in range(30):
                client.call(TRIGGER)

        threads = [threading.Thread(target=step_often, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bridge.arena.tick == 150
        clients[1].call(FREE)  # time waits for the other still
        clients[0].call(TRIGGER)
        assert bridge.arena.tick == 155


def test_steps_of_50_ms_average_out_over_ticks_of_20_ms() -> None:
    with served("wall-loop") as bridge, connect(bridge) as client:
        client.call(SYNCHRONOUS)
        client.call(*START)
        ticks = []
        for _ in range(8):
            client.call(TRIGGER)
            ticks.append(bridge.arena.tick)
        assert ticks == [2, 5, 8, 10, 12, 15, 18, 20]
        with pytest.raises(Refused, match=r"expected a step from 0\.02 s"):
            client.call(0x1024, number(1), struct.pack("<f", 0.01))
        client.call(0x1024, number(1), struct.pack("<f", 0.1))
        client.call(TRIGGER)
        assert bridge.arena.tick == 25
        client.call(*STOP)
        assert struct.unpack("<f", client.call(0x1023, number(1))) == pytest.approx((0.05,))


def test_client_cannot_stop_the_time_of_others() -> None:
    with served() as bridge, connect(bridge) as client:
        client.call(*START)
        other = bridge.time
        joined = threading.Event()
        members = []

        def join() -> None:
            member = other.join("someone", timeout=60)
            member.lock(True)
            members.append(member)
            joined.set()

        other.call(join)
        assert joined.wait(60)
        with pytest.raises(Refused, match="the simulation cannot be stopped: someone"):
            client.call(*STOP)
        left = threading.Event()
        other.call(lambda: (members[0].leave(), left.set()))
        assert left.wait(60)
        client.call(*STOP)
        assert bridge.arena.tick == 0


def test_robots_keep_their_last_command_when_a_client_disconnects() -> None:
    with served(lock_step=True, stopped=False) as bridge, connect(bridge) as watcher:
        leaver, loser = connect(bridge), connect(bridge)
        drive(leaver, "Pioneer_p3dx", 2.0)
        drive(loser, "Pioneer_p3dx#0", 2.0)
        leaver.close()
        loser.disconnect()
        while len(bridge.connections) > 1:
            find_handle(watcher, "Pioneer_p3dx")
        for name in ("pioneer", "other"):
            assert bridge.arena[name].body.command == pytest.approx((2 * RADIUS, 2 * RADIUS))


def test_communication_can_be_paused_and_the_server_state_read() -> None:
    with served() as bridge, native(bridge) as client:
        vrep = client.vrep
        motor = client.get("GetObjectHandle", "Pioneer_p3dx_leftMotor")
        state = vrep.simx_headeroffset_server_state
        assert vrep.simxGetInMessageInfo(client.id, state)[1] == 0
        vrep.simxPauseCommunication(client.id, True)
        for _ in range(2):
            client("SetJointTargetVelocity", motor, 1.0, mode=vrep.simx_opmode_oneshot)
        assert bridge.arena["pioneer"].body.command == (0.0, 0.0)
        vrep.simxPauseCommunication(client.id, False)
        assert vrep.simxGetPingTime(client.id)[0] == 0
        assert bridge.arena["pioneer"].body.command.left == pytest.approx(RADIUS)
        vrep.simxSynchronous(client.id, True)
        client("StartSimulation")
        vrep.simxSynchronousTrigger(client.id)
        client.get("GetJointPosition", motor)
        assert vrep.simxGetLastCmdTime(client.id) == 50
        assert vrep.simxGetInMessageInfo(client.id, state)[1] & 3 == 1
        client("PauseSimulation")
        client.get("GetJointPosition", motor)
        assert vrep.simxGetInMessageInfo(client.id, state)[1] & 3 == 3
        assert vrep.simxGetConnectionId(client.id) >= 0


def test_many_native_clients_work_in_parallel() -> None:
    with served(ports=4, stopped=False, lock_step=True) as bridge:
        clients = [NativeClient(bridge, index) for index in range(4)]
        names = ["Pioneer_p3dx_leftMotor", "Pioneer_p3dx_leftMotor#0", "ePuck_leftJoint", "ePuck_leftJoint#0"]
        joints = [client.get("GetObjectHandle", name) for client, name in zip(clients, names, strict=True)]
        for k, (client, joint) in enumerate(zip(clients, joints, strict=True)):
            assert client("SetJointTargetVelocity", joint, 1.0 + k) == 0
        for client in clients:
            client.close()
        lefts = [bridge.arena[name].body.command.left for name in ("pioneer", "other", "red", "blue")]
        assert lefts == pytest.approx([RADIUS, 2 * RADIUS, 3 * 0.0205, 4 * 0.0205])


def test_server_listens_on_localhost_by_default() -> None:
    with served() as bridge:
        host, port = bridge.addresses[0]
        assert host == "127.0.0.1"
        assert "no token required" not in next(iter(bridge.describe()))
        with pytest.raises(ConnectionRefusedError):  # any address would do that is not this one
            socket.create_connection(("127.0.0.2", port), timeout=60)
    arena = paddock.open(ROOM)
    Server(arena, Settings(port=0))
    with VrepServer(arena, 0, host="0.0.0.0") as bridge:
        assert "no token required" in next(iter(bridge.describe()))


@pytest.mark.parametrize("asked", ["", "x", "70000", "19997;19999", "stopped"])
def test_invalid_ports_are_refused(asked: str) -> None:
    arena = paddock.open(ROOM)
    Server(arena, Settings(port=0))
    with pytest.raises(PaddockError, match="expected comma-separated ports from 0 to 65535"):
        open_vrep(arena, [asked], "127.0.0.1")


def test_unserved_arena_is_refused() -> None:
    with pytest.raises(SimulationError, match="this arena is not served"):
        VrepServer(paddock.open(ROOM), 0)


def test_stream_delays_use_simulated_time_in_synchronous_mode() -> None:
    with served() as bridge, connect(bridge) as client:
        client.call(SYNCHRONOUS)
        client.call(*START)
        sensor = find_handle(client, "Pioneer_p3dx_ultrasonicSensor4")
        client.exchange([ask_for(PROXIMITY, number(sensor), mode=STREAMING, delay=200)])
        came = []
        for _ in range(12):
            _, replies = client.exchange([ask_for(TRIGGER)])
            came.append(any(reply.command == PROXIMITY for reply in replies))
        assert came == [False, False, False, True] * 3


def test_objects_created_during_a_run_are_removed_when_it_stops() -> None:
    with served() as bridge, connect(bridge) as client:
        client.call(CREATE_DUMMY, number(0), struct.pack("<f", 0.1))
        before = set(bridge.simulator.scene.objects)
        client.call(*START)
        client.call(CREATE_DUMMY, number(0), struct.pack("<f", 0.1))
        client.call(LOAD_MODEL, b"pioneer p3dx.ttm\0")
        assert set(bridge.simulator.scene.objects) > before
        client.call(*STOP)
        assert set(bridge.simulator.scene.objects) == before
        assert list(bridge.arena.numbers) == [robot.name for robot in ROOM.robots]
