"""Programs for Player control robots of a served world: every interface, in both data modes."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import paddock
from bridges.player.player_fixtures import (
    ACK,
    BUMPER,
    CAMERA,
    COMMAND,
    DATA,
    FIDUCIAL,
    IR,
    LASER,
    NACK,
    PLAYER,
    POSITION,
    RANGER,
    REQUEST,
    ROOM,
    SIMULATION,
    SONAR,
    SYNCH,
    PlayerProgram,
    named,
    pose_in,
    served,
)
from paddock.bridges.player import PlayerServer
from paddock.testing import wait_for

NO_DEVICE = struct.pack(">7I", 0, 0, 7, 0, 1, 0, 0)


@pytest.fixture(scope="module")
def bridge() -> Iterator[PlayerServer]:
    with served() as bridge:
        yield bridge


@pytest.fixture
def program(bridge: PlayerServer) -> Iterator[PlayerProgram]:
    with PlayerProgram(bridge.addresses[0]) as program:
        yield program
    wait_for(lambda: not bridge.connections)  # robots stand when it has gone


def doubles(data: bytes, count: int, at: int = 0) -> tuple[float, ...]:
    return struct.unpack_from(f">{count}d", data, at)


def test_client_receives_the_device_list(program: PlayerProgram, bridge: PlayerServer) -> None:
    assert program.banner == b"Player v.3.1.0".ljust(32, b"\0")
    data = program.get(PLAYER, 0, 1)
    count, again = struct.unpack_from(">2I", data)
    devices = [struct.unpack_from(">4I", data, 8 + 16 * k) for k in range(count)]
    assert again == count
    assert {robot for _, robot, _, _ in devices} == {bridge.addresses[0][1]}
    assert [(interface, index) for _, _, interface, index in devices] == [
        (SIMULATION, 0),
        (POSITION, 0), (RANGER, 0), (SONAR, 0), (RANGER, 1), (LASER, 0), (BUMPER, 0), (CAMERA, 0), (FIDUCIAL, 0),
        (POSITION, 1), (RANGER, 2), (IR, 0), (RANGER, 3), (IR, 1), (BUMPER, 1), (FIDUCIAL, 1),
        (POSITION, 2), (RANGER, 4), (IR, 2), (CAMERA, 1), (FIDUCIAL, 2),
    ]  # fmt: skip
    driver = program.get(PLAYER, 0, 2, struct.pack(">6I", 0, 0, POSITION, 0, 0, 0))
    assert driver[16:] == named("paddock")


def test_client_subscribes_and_unsubscribes(program: PlayerProgram) -> None:
    program.open()
    opened = program.subscribe(POSITION, 1)
    assert opened.type == ACK
    assert struct.unpack_from(">3I", opened.payload, 8) == (POSITION, 1, 1)
    assert list(program.read()) == [(POSITION, 1)]
    closed = program.subscribe(POSITION, 1, access=2)
    assert struct.unpack_from(">3I", closed.payload, 8) == (POSITION, 1, 2)
    assert program.read() == {}
    again = program.subscribe(POSITION, 1, access=2)
    assert struct.unpack_from(">I", again.payload, 16) == (3,)
    missing = program.ask(PLAYER, 0, 3, NO_DEVICE)
    assert missing.type == NACK
    assert struct.unpack_from(">3I", missing.payload, 8) == (7, 0, 3)


def test_unsupported_requests_are_refused_without_side_effects(program: PlayerProgram) -> None:
    for request in (
        (PLAYER, 0, 2, struct.pack(">6I", 0, 0, 7, 0, 0, 0)),
        (PLAYER, 0, 5, struct.pack(">I", 9)),
        (PLAYER, 0, 99, b""),
        (PLAYER, 0, 3, b"\0\0"),
        (POSITION, 0, 1, b""),  # nobody subscribed to it
        (7, 0, 1, b""),
    ):
        assert program.ask(*request).type == NACK
    program.open(POSITION, RANGER, SIMULATION)
    for interface, subtype, payload in (
        (POSITION, 5, b"\0" * 23),
        (POSITION, 5, struct.pack(">3d", math.nan, 0, 0)),
        (POSITION, 7, struct.pack(">3f", 1, 2, 3)),
        (RANGER, 3, struct.pack(">I", 1)),
        (SIMULATION, 1, named("nobody") + bytes(24)),
        (SIMULATION, 2, named("r0") + struct.pack(">3d", 100, 0, 0)),
        (SIMULATION, 5, named("r0") + named("color")),
        (POSITION, 255, struct.pack(">2I", 3, 99)),
    ):
        assert program.ask(interface, 0, subtype, payload).type == NACK
    for subtype in (1, 2, 3, 4, 99):
        program.send(COMMAND, POSITION, 0, subtype, b"\0" * 4)
    program.drive(math.nan, 0.0)
    assert program.ask(PLAYER, 0, 7, named("key")).type == ACK
    assert program.ask(PLAYER, 0, 8, named("r0")).type == ACK
    assert program.ask(PLAYER, 0, 10, struct.pack(">5i", -1, -1, 1, -1, 1)).type == ACK
    assert program.ask(POSITION, 0, 255, struct.pack(">2I", 2, 1)).type == ACK


def test_robot_drives_and_reports_its_odometry(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(POSITION, index=1)
    x, y, heading, *_ = pose_in(program.read()[POSITION, 1])
    assert (x, y, heading) == (0, 0, 0)
    program.drive(0.1, 0.5, index=1)
    for _ in range(10):
        data = program.read()[POSITION, 1]
    x, y, heading, speed, _, turn_rate, stalled = pose_in(data)
    assert (speed, turn_rate, stalled) == (pytest.approx(0.1), pytest.approx(0.5), 0)
    assert 0.08 < x < 0.1
    truth = bridge.arena["r1"].pose
    assert (truth.x, truth.y) == (pytest.approx(5 - y), pytest.approx(2 + x))
    assert data.time == pytest.approx(bridge.arena.time)
    program.send(COMMAND, POSITION, 1, 3, struct.pack(">2d", 0.0, -0.5))
    for _ in range(3):
        *_, turn_rate, _ = pose_in(program.read()[POSITION, 1])
    assert turn_rate == pytest.approx(-0.5)
    program.get(POSITION, 1, 2, struct.pack(">I", 0))
    program.read()
    assert pose_in(program.read()[POSITION, 1])[3:6] == (0, 0, 0)


def test_odometry_is_set_and_reset(program: PlayerProgram) -> None:
    program.open(POSITION)
    program.get(POSITION, 0, 5, struct.pack(">3d", 1.0, 2.0, 0.5))
    assert pose_in(program.read()[POSITION, 0])[:3] == pytest.approx((1.0, 2.0, 0.5))
    program.get(POSITION, 0, 6)
    assert pose_in(program.read()[POSITION, 0])[:3] == pytest.approx((0, 0, 0))


def test_robot_reaches_a_goal_and_holds_a_heading(program: PlayerProgram) -> None:
    program.open(POSITION)
    program.get(POSITION, 0, 4, struct.pack(">I", 1))
    program.get(POSITION, 0, 6)
    program.send(COMMAND, POSITION, 0, 2, struct.pack(">6dI", 0.3, 0.3, math.pi / 2, 0, 0, 0, 1))
    for _ in range(100):
        x, y, heading, *_ = pose_in(program.read()[POSITION, 0])
    assert (x, y) == (pytest.approx(0.3, abs=0.03), pytest.approx(0.3, abs=0.03))
    assert heading == pytest.approx(math.pi / 2, abs=0.02)
    program.send(COMMAND, POSITION, 0, 4, struct.pack(">2d", 0.0, 0.0))
    for _ in range(60):
        _, _, heading, *_ = pose_in(program.read()[POSITION, 0])
    assert heading == pytest.approx(0, abs=0.02)


def test_robot_that_hits_a_wall_is_stalled(program: PlayerProgram) -> None:
    program.open(POSITION, index=1)
    assert program.subscribe(BUMPER, 1).type == ACK
    program.subscribe(SIMULATION, 0)
    program.get(SIMULATION, 0, 2, named("r1") + struct.pack(">3d", 5.7, 1.0, 0.0))
    program.drive(0.3, 0.0, index=1)
    for _ in range(15):
        data = program.read()
    assert pose_in(data[POSITION, 1])[6] == 1
    assert data[BUMPER, 1].payload == struct.pack(">2I", 2, 2) + b"\1\0\0\0"
    geometry = program.get(BUMPER, 1, 1)
    assert struct.unpack_from(">2I", geometry) == (2, 2)
    assert len(geometry) == 8 + 2 * 56
    program.get(SIMULATION, 0, 2, named("r1") + struct.pack(">3d", 5.0, 2.0, math.pi / 2))


def test_geometry_matches_the_body(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(POSITION)
    *pose, width, length, height = doubles(program.get(POSITION, 0, 1), 9)
    assert pose[2:] == [0, 0, 0, 0]
    assert 0.3 < width < length < 0.6
    assert height == bridge.arena["r0"].spec.body.height


def test_sonar_is_available_as_sonar_and_as_ranger(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(SONAR, RANGER)
    data = program.read()
    floats = np.frombuffer(data[SONAR, 0].payload, ">f4", offset=8)
    numbers = np.frombuffer(data[RANGER, 0].payload, ">f8", offset=8)
    robot = bridge.arena["r0"]
    robot.sonar.enable()
    expected = np.minimum(robot.sonar.read(), robot.sonar.spec.range)
    assert struct.unpack_from(">2I", data[SONAR, 0].payload) == (16, 16)
    assert numbers == pytest.approx(expected)
    assert floats == pytest.approx(expected, rel=1e-6)
    poses = program.get(SONAR, 0, 1)
    x, y, _, heading = robot.sonar.spec.mounts[0]
    assert doubles(poses, 6, 8)[::5] == pytest.approx((x, math.radians(heading)))
    geometry = program.get(RANGER, 0, 1)
    assert len(geometry) == 72 + 8 + 16 * 48 + 8 + 16 * 24
    assert doubles(geometry, 6, 80)[1] == y
    settings = doubles(program.get(RANGER, 0, 5), 7)
    assert settings[4] == robot.sonar.spec.range
    for subtype in (2, 3):
        assert program.get(RANGER, 0, subtype, struct.pack(">I", 0)) == b""
    assert program.get(SONAR, 0, 2, struct.pack(">I", 1)) == b""


def test_laser_is_available_as_laser_and_as_ranger(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(LASER)
    program.subscribe(RANGER, 1)
    data = program.read()
    scan, ranger = data[LASER, 0].payload, np.frombuffer(data[RANGER, 1].payload, ">f8", offset=8)
    robot = bridge.arena["r0"]
    low, high, step, longest, count, again = struct.unpack_from(">4f2I", scan)
    assert (low, high, step) == pytest.approx((-math.pi / 2, math.pi / 2, math.pi / 179))
    assert (longest, count, again) == (robot.laser.spec.range, 180, 180)
    assert np.frombuffer(scan, ">f4", 180, 24) == pytest.approx(ranger, rel=1e-6)
    assert struct.unpack_from(">2I", scan, 24 + 180 * 4) == (0, 0)
    robot.laser.enable()
    assert ranger == pytest.approx(np.minimum(robot.laser.read(), longest))
    assert len(program.get(LASER, 0, 1)) == 72
    config = struct.pack(">5fIf", -1, 1, 0.1, 4, 0.01, 0, 10)
    assert program.get(LASER, 0, 2, config) == program.get(LASER, 0, 3)  # it stays as it is
    assert struct.unpack(">5fIf", program.get(LASER, 0, 3))[3] == longest
    assert program.get(LASER, 0, 4, struct.pack(">I", 1)) == b""
    assert program.get(LASER, 0, 5) == struct.pack(">I", 0)
    geometry = program.get(RANGER, 1, 1)
    assert struct.unpack_from(">2I", geometry, 72) == (1, 1)
    low, high, step, _, farthest, _, _ = doubles(program.get(RANGER, 1, 5), 7)
    assert (low + 179 * step, farthest) == (pytest.approx(high), longest)


def test_epuck_infrared_and_camera_data(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(IR, index=2)
    program.subscribe(CAMERA, 1)
    data = program.read()
    count, _ = struct.unpack_from(">2I", data[IR, 2].payload)
    ranges = np.frombuffer(data[IR, 2].payload, ">f4", 8, 8 + 4 * count + 8)
    assert (count, len(ranges)) == (8, 8)
    assert (ranges > 0).all()
    assert len(program.get(IR, 2, 1)) == 8 + 8 * 48
    picture = data[CAMERA, 1].payload
    width, height, bits, format, _, compression, size, _ = struct.unpack_from(">8I", picture)
    assert (bits, format, compression, size) == (24, 5, 0, 3 * width * height)
    camera = bridge.arena["red"].camera
    camera.enable()
    assert picture[32 : 32 + size] == camera.read().tobytes()


def test_fiducials_report_robots_not_occluded_by_obstacles(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(FIDUCIAL, SIMULATION)
    data = program.read()[FIDUCIAL, 0].payload
    items = {found[0]: found[1:4] for found in struct.iter_unpack(">i12d", data[8:])}
    here, there = bridge.arena["r0"].pose, bridge.arena["r1"].pose
    assert list(items) == [2, 3]
    assert math.hypot(*items[2][:2]) == pytest.approx(math.dist(here[:2], there[:2]))
    program.get(SIMULATION, 0, 2, named("r0") + struct.pack(">3d", 1.0, 3.5, 0.0))  # the box is in between
    data = program.read()[FIDUCIAL, 0].payload
    assert [found[0] for found in struct.iter_unpack(">i12d", data[8:])] == [2]
    assert program.get(FIDUCIAL, 0, 7) == struct.pack(">I", 1)
    assert program.get(FIDUCIAL, 0, 8, struct.pack(">I", 77)) == struct.pack(">I", 77)
    assert program.get(FIDUCIAL, 0, 7) == struct.pack(">I", 77)
    view = struct.pack(">3f", 0.0, 1.0, 3.0)
    assert program.get(FIDUCIAL, 0, 3, view) == program.get(FIDUCIAL, 0, 2) == view
    assert program.read()[FIDUCIAL, 0].payload == bytes(8)
    assert program.ask(FIDUCIAL, 0, 3, struct.pack(">3f", 2.0, 1.0, 3.0)).type == NACK
    assert len(program.get(FIDUCIAL, 0, 1)) == 72 + 16


def test_simulation_interface_gets_and_sets_poses_by_name(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(SIMULATION)
    program.get(SIMULATION, 0, 2, named("r0") + struct.pack(">3d", 1.5, 1.0, 0.25))
    assert bridge.arena["r0"].pose == pytest.approx((1.5, 1.0, 0.25))
    answer = program.get(SIMULATION, 0, 1, named("r0\0") + bytes(24))
    assert doubles(answer, 3, len(answer) - 24) == pytest.approx((1.5, 1.0, 0.25))
    program.get(SIMULATION, 0, 4, named("r0") + struct.pack(">7d", 1.0, 2.0, 0, 0, 0, 0.5, 0))
    answer = program.get(SIMULATION, 0, 3, named("r0") + bytes(56))
    assert doubles(answer, 7, len(answer) - 56) == pytest.approx((1.0, 2.0, 0, 0, 0, 0.5, bridge.arena.time))


def test_program_pauses_and_resets_the_world(program: PlayerProgram, bridge: PlayerServer) -> None:
    program.open(POSITION, SIMULATION)
    program.drive(0.2, 0.0)
    program.read()
    program.send(COMMAND, SIMULATION, 0, 1)
    program.send(1, PLAYER, 0, 4)  # what no client sends changes nothing
    assert program.ask(PLAYER, 0, 7).type == ACK
    assert bridge.time.state == "paused"
    program.send(COMMAND, SIMULATION, 0, 1)
    program.send(COMMAND, SIMULATION, 0, 2)
    data = program.read()[POSITION, 0]
    assert (data.time, pose_in(data)[0]) == (0, 0)


@pytest.mark.parametrize(
    ("subtype", "payload"),
    [(2, struct.pack(">6dI", 3.0, 0, 0, 0, 0, 0, 1)), (4, struct.pack(">2d", 0.2, 0.0))],
    ids=["goal", "heading"],
)
def test_reset_cancels_position_and_heading_goals(program: PlayerProgram, subtype: int, payload: bytes) -> None:
    program.open(POSITION, SIMULATION)
    program.send(COMMAND, POSITION, 0, subtype, payload)
    for _ in range(3):
        data = program.read()[POSITION, 0]
    assert pose_in(data)[3] > 0
    program.send(COMMAND, SIMULATION, 0, 2)
    for _ in range(3):
        data = program.read()[POSITION, 0]
    assert pose_in(data)[:6] == (0, 0, 0, 0, 0, 0)


def test_reset_cancels_a_command_sent_before_the_first_tick(program: PlayerProgram) -> None:
    program.open(POSITION, SIMULATION)
    program.send(COMMAND, SIMULATION, 0, 2)
    program.send(COMMAND, POSITION, 0, 4, struct.pack(">2d", 0.0, 0.0))  # it has that heading already
    program.send(COMMAND, SIMULATION, 0, 2)
    program.get(SIMULATION, 0, 2, named("r0") + struct.pack(">3d", 1.0, 2.0, 1.0))
    for _ in range(3):
        data = program.read()[POSITION, 0]
    assert pose_in(data)[2] == pytest.approx(1.0)
    program.get(SIMULATION, 0, 2, named("r0") + struct.pack(">3d", 1.0, 2.0, 0.0))


def test_only_clients_of_the_driving_host_can_reset_a_driven_robot() -> None:
    with served(stepped=False, lock_step=False) as bridge, PlayerProgram(bridge.addresses[0]) as driver:
        driver.open(POSITION)
        driver.drive(0.0, 0.2)
        driver.read()
        with PlayerProgram(bridge.addresses[0], host="127.0.0.2") as other:
            other.open(SIMULATION)
            other.send(COMMAND, SIMULATION, 0, 2)
            other.get(PLAYER, 0, 1)
            assert bridge.arena["r0"].body.command != (0, 0)
        driver.subscribe(SIMULATION, 0)
        driver.send(COMMAND, SIMULATION, 0, 2)
        driver.get(PLAYER, 0, 1)
        assert bridge.arena["r0"].body.command == (0, 0)


def test_pause_ends_when_its_client_disconnects() -> None:
    with served(stepped=False, lock_step=False) as bridge:
        with PlayerProgram(bridge.addresses[0]) as program:
            program.open(SIMULATION)
            program.send(COMMAND, SIMULATION, 0, 1)
            program.get(PLAYER, 0, 1)
            assert bridge.time.state != "running"
        wait_for(lambda: not bridge.connections)
        assert bridge.time.state == "running"


def test_push_mode_sends_data_unrequested() -> None:
    with served(stepped=False, lock_step=False) as bridge, PlayerProgram(bridge.addresses[0]) as program:
        program.subscribe(POSITION, 0)
        messages = [program.read_message() for _ in range(5)]
        assert [(m.type, m.interface) for m in messages] == [(DATA, POSITION)] * 5
        steps = np.diff([message.time for message in messages])
        assert (steps >= 0.1 - 1e-9).all()
        program.open()
        program.ask(PLAYER, 0, 7)
        assert list(program.read()) == [(POSITION, 0)]


def test_switch_from_push_to_pull_mode_sends_no_unrequested_data() -> None:
    with (
        served() as bridge,
        PlayerProgram(bridge.addresses[0]) as program,
        PlayerProgram(bridge.addresses[0]) as other,
    ):
        program.subscribe(POSITION, 0)  # time stands: it will have data with the next round
        program.open()
        other.open(POSITION)
        for _ in range(3):
            other.read()
        sequence = program.send(REQUEST, PLAYER, 0, 7)
        assert program.read_message()[2:6:3] == (ACK, sequence)


def test_client_that_subscribes_before_pull_mode_receives_data() -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as program:
        program.subscribe(POSITION, 0)  # in push mode, in which no time passes here
        program.open()
        assert [program.read()[POSITION, 0].time for _ in range(2)] == pytest.approx([0.1, 0.2])


def test_time_does_not_wait_for_a_client_back_in_push_mode() -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as first, PlayerProgram(bridge.addresses[0]) as other:
        for program in (first, other):
            program.open()
        first.send(REQUEST, PLAYER, 0, 4)
        other.read()
        assert [first.read_message().type for _ in range(2)] == [ACK, SYNCH]
        first.ask(PLAYER, 0, 5, struct.pack(">I", 1))
        assert other.read() == {}


def test_each_robot_can_have_its_own_port() -> None:
    with served(ports=2, in_world=True) as bridge:
        with PlayerProgram(bridge.addresses[0]) as first:
            first.open(POSITION)
            assert first.subscribe(POSITION, 1).type == NACK
            assert pose_in(first.read()[POSITION, 0])[:3] == (1.0, 2.0, 0.0)
        with PlayerProgram(bridge.addresses[1]) as second:
            second.open(POSITION)
            assert pose_in(second.read()[POSITION, 0])[:3] == pytest.approx((5.0, 2.0, math.pi / 2))
            assert second.subscribe(POSITION, 1).type == ACK
    with pytest.raises(paddock.PaddockError, match="4 ports for 3 robots"), served(ports=4):
        pass


def test_device_indices_are_not_reused_after_removal() -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as program:
        program.open(POSITION)
        program.subscribe(POSITION, 1)
        bridge.arena.remove("r0")
        assert list(program.read()) == [(POSITION, 1)]
        assert program.ask(POSITION, 0, 1).type == NACK
        bridge.arena.spawn("new", "scout", at=(1.0, 1.0))
        assert program.subscribe(POSITION, 3).type == ACK
        assert list(program.read()) == [(POSITION, 1), (POSITION, 3)]
        bridge.arena.remove("new")
        bridge.arena.spawn("new", "scout", at=(1.0, 1.0))
        assert program.subscribe(POSITION, 3).type == NACK
        assert program.subscribe(POSITION, 4).type == ACK
        assert list(program.read()) == [(POSITION, 1), (POSITION, 4)]


def follow_wall(program: PlayerProgram, rounds: int) -> None:
    """Drive forward, and turn away from obstacles ahead."""
    program.open(POSITION, RANGER)
    for _ in range(rounds):
        ranges = np.frombuffer(program.read()[RANGER, 0].payload, ">f8", offset=8)
        program.drive(0.3, 0.0) if ranges[2:6].min() > 0.8 else program.drive(0.05, 0.8)


def test_program_run_is_deterministic() -> None:
    digests = []
    for _ in range(2):
        with served("wall-loop") as bridge, PlayerProgram(bridge.addresses[0]) as program:
            follow_wall(program, 60)
            program.read()  # the last command has come
            digests.append(bridge.arena.digest())
    assert digests[0] == digests[1]


def test_program_run_is_bit_identical_to_the_paddock_api() -> None:
    with served(ROOM) as bridge, PlayerProgram(bridge.addresses[0]) as program:
        follow_wall(program, 60)
        program.read()
        arena = paddock.open(ROOM, seed=3)
        robot = arena["r0"]
        robot.sonar.enable()
        for _ in range(60):
            arena.step(bridge.interval)
            robot.drive(0.3, 0.0) if robot.sonar.read()[2:6].min() > 0.8 else robot.drive(0.05, 0.8)
        arena.step(bridge.interval)
        assert bridge.arena.digest() == arena.digest()


def test_pull_mode_clients_advance_time_together() -> None:
    with served() as bridge, ThreadPoolExecutor(2) as pool:
        programs = [PlayerProgram(bridge.addresses[0]) for _ in range(2)]
        for index, program in enumerate(programs):
            program.open(POSITION, index=index)
        list(pool.map(PlayerProgram.read, programs))  # from here on time waits for both
        for k in range(10):
            for index, program in enumerate(programs):
                program.drive(0.1, 0.01 * k, index=index)
            times = {message.time for data in pool.map(PlayerProgram.read, programs) for message in data.values()}
            assert len(times) == 1
        for program in programs:
            program.close()
