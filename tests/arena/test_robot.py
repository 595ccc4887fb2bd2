"""A robot's handle: wheels, devices, LEDs, speaker, pose."""

from __future__ import annotations

import ast
import inspect
import math
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Arena, Robot
from paddock.arena.robot import USUAL_NAMES
from paddock.core.geometry import Pose
from paddock.simulation.robots import load_robot, robot_names
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.position import PositionSpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Box, RobotPlacement

KIND = load_robot("e-puck")
FULL = replace(
    KIND,
    sensors=(
        *(KIND.sensor(name) for name in ("proximity", "ground", "camera")),
        SonarSpec(name="sonar", range=1, cone_deg=20, pivot={"min_deg": -90, "max_deg": 90}),  # type: ignore[arg-type]
        PositionSpec(name="position"),
        BumperSpec(name="bumper", width_deg=180, mounts=((0, 0, 0, 0), (0, 0, 0, 180))),
        EncodersSpec(name="encoders", scale=1000),
        CompassSpec(name="north"),
    ),
)
NAMES = [sensor.name for sensor in FULL.sensors]
MOST = KIND.drive.max_speed


@pytest.fixture
def arena() -> Arena:
    return paddock.open(
        paddock.WorldSpec(
            name="yard",
            bounds=(0, 0, 2, 2),
            boxes=(Box(at=(1.5, 0.5), size=(0.2, 0.2)),),
            robots=(
                RobotPlacement(name="red", type=FULL, at=(0.5, 0.5), noise=False),
                RobotPlacement(name="blue", type="e-puck", at=(1.5, 1.5), noise=False),
            ),
        )
    )


@pytest.fixture
def red(arena: Arena) -> Robot:
    return arena["red"]


# Wheels.


def test_wheel_command_takes_effect_with_the_next_step(arena: Arena, red: Robot) -> None:
    red.wheels.set(0.1, 0.1)
    assert red.wheels.speeds == (0, 0)
    assert red.pose == (0.5, 0.5, 0)
    arena.step(50)
    assert red.wheels.speeds == pytest.approx((0.1, 0.1), abs=1e-3)
    assert red.pose == pytest.approx((0.6, 0.5, 0), abs=2e-3)


def test_faster_right_wheel_turns_counter_clockwise(arena: Arena, red: Robot) -> None:
    red.wheels.set(0.0, 0.05)
    arena.step(20)
    assert red.pose.heading > 0  # counter-clockwise


def test_each_wheel_speed_is_capped_at_the_maximum(arena: Arena, red: Robot) -> None:
    red.wheels.set(9.0, -9.0)
    arena.step()
    assert red.wheels.speeds == pytest.approx((MOST, -MOST), abs=1e-3)
    red.wheels.set(9.0, 0.05)
    arena.step()
    assert red.wheels.speeds == pytest.approx((MOST, 0.05), abs=1e-3)


@pytest.mark.parametrize("speed", [math.nan, math.inf, -math.inf])
def test_non_finite_wheel_speeds_are_refused_without_effect(arena: Arena, red: Robot, speed: float) -> None:
    red.wheels.set(0.05, 0.05)
    for pair in ((speed, 0.1), (0.1, speed)):
        with pytest.raises(paddock.PaddockError) as caught:
            red.wheels.set(*pair)
        assert str(caught.value) == f"red.wheels.set({pair[0]}, {pair[1]}): expected two finite speeds in m/s"
    arena.step()
    assert red.wheels.speeds == pytest.approx((0.05, 0.05), abs=1e-3)


@pytest.mark.parametrize("speed", ["fast", None, [0.1]])
def test_non_numeric_wheel_speeds_are_refused(red: Robot, speed: Any) -> None:
    with pytest.raises(paddock.PaddockError, match=r"red\.wheels\.set\(.*\): expected two finite speeds in m/s"):
        red.wheels.set(speed, 0.1)


def test_wheel_speeds_are_set_and_read_in_radians_per_second(arena: Arena, red: Robot) -> None:
    red.wheels.set_rad_s(2.0, -1.0)
    arena.step(5)
    radius = red.spec.drive.wheel_diameter / 2
    assert red.wheels.commanded == pytest.approx((2.0 * radius, -1.0 * radius))
    assert red.wheels.speeds_rad_s == pytest.approx((2.0, -1.0), abs=0.01)
    with pytest.raises(paddock.PaddockError, match=r"red\.wheels\.set_rad_s\(nan, 1\): expected .* in rad/s"):
        red.wheels.set_rad_s(math.nan, 1)


def test_commanded_wheel_speeds_are_those_after_capping(arena: Arena, red: Robot) -> None:
    red.wheels.set(0.05, 1.2 * red.wheels.max_speed)
    assert red.wheels.commanded == pytest.approx((0.05, red.wheels.max_speed))
    assert red.wheels.speeds == (0.0, 0.0)  # no time has passed


def test_arena_of_this_process_is_connected(arena: Arena) -> None:
    assert arena.connected


def test_drive_converts_a_twist_into_wheel_speeds(arena: Arena, red: Robot) -> None:
    red.drive(0.05, 1.0)
    arena.step()
    half = KIND.drive.wheel_separation / 2
    assert red.wheels.speeds == pytest.approx((0.05 - half, 0.05 + half), abs=1e-3)


def test_drive_scales_both_wheels_to_keep_the_curvature(arena: Arena, red: Robot) -> None:
    red.drive(1.0, 4.0)
    arena.step()
    left, right = red.wheels.speeds
    half = KIND.drive.wheel_separation / 2
    assert right == pytest.approx(MOST, abs=1e-3)
    assert left / right == pytest.approx((1 - 4 * half) / (1 + 4 * half), abs=2e-3)


@pytest.mark.parametrize(("ahead", "turn"), [(math.nan, 0), (0, math.inf), (math.inf, 0), ("fast", 0), (0, None)])
def test_invalid_twist_is_refused(red: Robot, ahead: Any, turn: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        red.drive(ahead, turn)
    assert str(caught.value) == (
        f"red.drive({ahead!r}, {turn!r}): expected finite linear and angular speeds in m/s and rad/s"
    )


def test_stop_stops_both_wheels(arena: Arena, red: Robot) -> None:
    red.drive(0.1, 0.5)
    arena.step(5)
    red.stop()
    arena.step()
    assert red.wheels.speeds == (0, 0)
    place = red.pose
    arena.step(5)
    assert red.pose == place


def test_wheel_commands_affect_only_their_robot(arena: Arena, red: Robot) -> None:
    red.wheels.set(0.1, 0.1)
    arena.step(10)
    assert arena["blue"].pose == (1.5, 1.5, 0)


# Devices.


def test_every_sensor_of_the_spec_is_a_named_device(red: Robot) -> None:
    assert list(red.devices) == NAMES
    for name in NAMES:
        assert getattr(red, name) is red.devices[name] is red.device(name)
        assert getattr(red, name).name == name
    assert set(NAMES) <= set(dir(red))


@pytest.mark.parametrize("name", NAMES)
def test_device_must_be_enabled_before_reading(red: Robot, name: str) -> None:
    device = red.device(name)
    with pytest.raises(paddock.DeviceNotEnabled) as caught:
        device.read()
    assert str(caught.value) == (
        f"red.{name} is not enabled: call red.{name}.enable() (or red.enable() for all devices) before reading it"
    )
    device.enable()
    device.read()
    device.disable()
    with pytest.raises(paddock.DeviceNotEnabled):
        device.read()


def test_raw_values_need_an_enabled_device(red: Robot) -> None:
    with pytest.raises(paddock.DeviceNotEnabled):
        red.proximity.raw()


def test_one_several_or_all_devices_can_be_enabled(red: Robot) -> None:
    red.ground.enable()
    assert list(red.sense()) == ["ground"]
    red.enable("proximity", "north")
    assert set(red.sense()) == {"proximity", "ground", "north"}
    red.enable()
    assert set(red.sense()) == set(NAMES)
    red.disable("camera", "sonar")
    assert set(red.sense()) == set(NAMES) - {"camera", "sonar"}
    red.disable()
    assert list(red.sense()) == []


def test_single_sensors_of_a_ring_can_be_enabled(red: Robot) -> None:
    red.proximity.enable()
    whole, raw = red.proximity.read(), red.proximity.raw()
    red.proximity.enable(0, 7)
    for values, known in ((red.proximity.read(), whole), (red.sense().proximity, whole), (red.proximity.raw(), raw)):
        assert np.isnan(values).tolist() == [False, *[True] * 6, False]
        assert values[[0, 7]].tolist() == known[[0, 7]].tolist()
    assert red.proximity.read(7) == whole[7]
    with pytest.raises(paddock.DeviceNotEnabled) as caught:
        red.proximity.read(3)
    assert str(caught.value) == (
        "sensor 3 of red.proximity is not enabled: call red.proximity.enable(3) "
        "(or red.proximity.enable() for the whole ring) before reading it"
    )
    red.enable("proximity")
    assert red.proximity.read().tolist() == whole.tolist()
    red.proximity.disable()
    with pytest.raises(paddock.DeviceNotEnabled, match=r"red\.proximity is not enabled"):
        red.proximity.read(7)


def test_disabled_sensors_of_a_ring_cause_no_notification(arena: Arena, red: Robot) -> None:
    red.proximity.enable(0)
    told: list[Any] = []
    red.on_sense(told.append, "proximity")
    arena.step(3)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("device", "sensor", "message"),
    [
        ("proximity", 8, "red.proximity: expected sensors from 0 to 7, got 8"),
        ("proximity", "left", "red.proximity: expected sensors from 0 to 7, got 'left'"),
        ("proximity", True, "red.proximity: expected sensors from 0 to 7, got True"),
        ("north", 0, "red.north is not a ring of sensors: it is one compass"),
        ("camera", 3, "red.camera is not a ring of sensors: it is one camera"),
    ],
)
def test_unknown_sensor_index_is_refused(red: Robot, device: str, sensor: Any, message: str) -> None:
    for call in (red.device(device).enable, red.device(device).read):
        with pytest.raises(paddock.DeviceRefused) as caught:
            call(sensor)
        assert str(caught.value) == message
    assert not red.device(device).enabled


@pytest.mark.parametrize(
    ("part", "instead"), [("wheels", "set(left, right)"), ("leds", "set(name, brightness)"), ("ground", "read()")]
)
def test_parts_of_a_robot_cannot_be_assigned(red: Robot, part: str, instead: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        setattr(red, part, (0.1, 0.1))
    assert str(caught.value) == f"red.{part} cannot be replaced: call red.{part}.{instead}"


def test_enable_is_idempotent(red: Robot) -> None:
    red.ground.enable()
    red.ground.enable()
    assert red.ground.enabled
    red.ground.disable()
    assert not red.ground.enabled


def test_unknown_device_is_refused_with_a_suggestion_and_no_effect(red: Robot) -> None:
    for call in (red.enable, red.disable, red.device):
        with pytest.raises(paddock.UnknownName) as caught:
            call("grond")
        assert str(caught.value) == "no device of red called 'grond' (did you mean 'ground'?)"
    for wrong in ("sonra", 3, ["ground"]):
        with pytest.raises(paddock.UnknownName):
            red.enable("ground", wrong)  # type: ignore[arg-type]
    assert not red.ground.enabled


def test_unknown_attribute_error_suggests_a_device(red: Robot) -> None:
    with pytest.raises(paddock.UnknownName, match=r"no device of red called 'grond' \(did you mean 'ground'\?\)"):
        _ = red.grond
    assert not hasattr(red, "grond")


def test_misspelt_attribute_error_suggests_the_attribute(red: Robot) -> None:
    for wrong, right in (("weels", "wheels"), ("ledz", "leds"), ("posse", "pose"), ("drve", "drive")):
        with pytest.raises(paddock.UnknownName, match=f"did you mean '{right}'"):
            getattr(red, wrong)
    with pytest.raises(paddock.UnknownName, match="there are: bumper, camera, "):
        _ = red.zzz


def test_common_foreign_attribute_names_get_a_hint(red: Robot) -> None:
    for wrong, right in (("speed", "wheels.speeds"), ("set_speed", "wheels.set(left, right)"), ("x", "pose.x")):
        with pytest.raises(paddock.UnknownName) as caught:
            getattr(red, wrong)
        assert str(caught.value) == f"no device of red called {wrong!r}: expected red.{right}"


def test_every_hinted_attribute_exists(red: Robot) -> None:
    for answer in USUAL_NAMES.values():
        assert attrgetter(answer.partition("(")[0])(red) is not None


@pytest.mark.parametrize("owner", [Robot, paddock.Observation])
def test_editors_complete_the_devices_of_all_shipped_robots(owner: type) -> None:
    block = next(node for node in ast.walk(ast.parse(inspect.getsource(owner))) if isinstance(node, ast.If))
    declared = [line.target.id for line in block.body if isinstance(line, ast.AnnAssign)]  # type: ignore[union-attr]
    assert declared == sorted({sensor.name for name in robot_names() for sensor in load_robot(name).sensors})


def test_robots_of_one_type_have_independent_devices(arena: Arena) -> None:
    arena["red"].ground.enable()
    assert not arena["blue"].ground.enabled


def test_repeated_reads_in_a_tick_are_identical(arena: Arena) -> None:
    noisy = paddock.open("clutter", seed=5)["red"]
    noisy.enable()
    first, second = noisy.sense(), noisy.sense()
    for name in first:
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert np.array_equal(noisy.proximity.read(), first.proximity)


def test_readings_are_copies(arena: Arena, red: Robot) -> None:
    red.enable()
    first = red.sense()
    first.ground[:] = -1.0
    assert (red.sense().ground >= 0).all()
    kept = red.sense()
    before = kept.position
    red.wheels.set(0.1, 0.1)
    arena.step(20)
    assert kept.position == before
    assert kept.time == 0.0
    assert red.sense().time == pytest.approx(0.4)


def test_readings_have_the_right_type_and_shape(arena: Arena, red: Robot) -> None:
    red.enable()
    seen = red.sense()
    assert seen.proximity.shape == (8,)
    assert seen.ground.shape == (3,)
    assert isinstance(seen.north, float)
    assert isinstance(seen.sonar, float)
    assert isinstance(seen.position, Pose)
    assert seen.position == pytest.approx(red.pose)
    assert seen.bumper.dtype == bool
    assert seen.camera.dtype == np.uint8
    assert seen.camera.shape[2] == 3


def test_observation_without_enabled_devices_has_only_the_time(arena: Arena, red: Robot) -> None:
    arena.step(5)
    seen = red.sense()
    assert list(seen) == []
    assert seen.time == pytest.approx(0.1)


def test_raw_values_are_in_the_hardware_range(red: Robot) -> None:
    red.enable()
    assert (red.proximity.raw() >= 0).all()
    assert (red.proximity.raw() <= 4095).all()
    assert (red.ground.raw() > 100).all()  # bright floor, 0 … about 1000


@pytest.mark.parametrize("name", ["camera", "position", "sonar"])
def test_device_without_raw_values_is_reported(red: Robot, name: str) -> None:
    red.enable()
    with pytest.raises(paddock.DeviceRefused) as caught:
        red.device(name).raw()
    assert str(caught.value) == f"red.{name} has no raw values: use read()"


def test_single_raw_value_is_a_float() -> None:
    scaled = replace(KIND, sensors=(CompassSpec(name="north", scale=100),))
    robot = RobotPlacement(name="red", type=scaled, at=(1, 1))
    red = paddock.open(paddock.WorldSpec(name="w", bounds=(0, 0, 2, 2), robots=(robot,)))["red"]
    red.enable()
    assert isinstance(red.north.read(), float)
    assert isinstance(red.north.raw(), float)


def test_polled_device_is_read_only_directly(red: Robot) -> None:
    red.enable()
    red.sonar.poll_only()
    assert "sonar" not in list(red.sense())
    assert red.sonar.read() > 0
    red.sonar.poll_only(False)
    assert "sonar" in list(red.sense())
    with pytest.raises(paddock.DeviceRefused, match=r"red\.ground cannot be polled only"):
        red.ground.poll_only()


def test_pivoting_device_pans_and_a_fixed_one_refuses(arena: Arena, red: Robot) -> None:
    red.sonar.pan(1.0)
    assert red.sonar.pan_angle == 0.0
    arena.step(50)
    assert red.sonar.pan_angle == pytest.approx(1.0)
    for angle in (2.0, -2.0, math.nan, "left"):
        with pytest.raises(paddock.DeviceRefused, match=r"red\.sonar pivots between -1\.571 and 1\.571 rad, not to"):
            red.sonar.pan(angle)  # type: ignore[arg-type]
    with pytest.raises(paddock.DeviceRefused) as caught:
        red.proximity.pan(0.5)
    assert str(caught.value) == "red.proximity cannot pivot: its spec has no 'pivot'"
    assert red.proximity.pan_angle == 0.0


def test_command_pans_devices(arena: Arena, red: Robot) -> None:
    arena.run(1.0, {"red": lambda _: paddock.Command(pans={"sonar": -0.5})})
    assert red.sonar.pan_angle == pytest.approx(-0.5)
    with pytest.raises(paddock.UnknownName, match="no device of red called 'sonr'"):
        red.apply(paddock.Command(pans={"sonr": 0.0}))


def test_camera_images_are_copies(red: Robot) -> None:
    red.camera.enable()
    first, second = red.camera.read(), red.camera.read()
    assert first is not second
    assert np.array_equal(first, second)
    assert red.camera.depth().shape == first.shape[:2]


# LEDs and speaker.


def test_leds_are_set_by_name_or_index(arena: Arena, red: Robot) -> None:
    assert set(red.leds.read().values()) == {0.0}
    red.leds.set("led3", 0.5)
    red.leds.set(0)
    arena.step()
    lit = {name: value for name, value in red.leds.read().items() if value}
    assert lit == {"led0": 1.0, "led3": 0.5}
    assert set(arena["blue"].leds.read().values()) == {0.0}


def test_robot_without_leds_refuses_led_commands() -> None:
    with paddock.open("maze") as arena, pytest.raises(paddock.DeviceRefused, match="leds: this robot has no LEDs"):
        next(iter(arena.robots.values())).leds.set(0)


@pytest.mark.parametrize("brightness", [-0.1, 1.1, math.nan, "on"])
def test_led_brightness_outside_0_to_1_is_refused(red: Robot, brightness: Any) -> None:
    with pytest.raises(paddock.DeviceRefused) as caught:
        red.leds.set("led0", brightness)
    assert str(caught.value) == f"red.leds: expected a brightness from 0 to 1, got {brightness!r}"


def test_unknown_led_is_refused(red: Robot) -> None:
    with pytest.raises(paddock.UnknownName, match="no LED of red called 'led33'"):
        red.leds.set("led33")
    for number in (-1, 99, 1.5, None):
        with pytest.raises(
            paddock.DeviceRefused, match=f"red.leds: expected the name of an LED or a number from 0 to .*, got {number}"
        ):
            red.leds.set(number)  # type: ignore[arg-type]


def test_speaker_plays_until_stopped(arena: Arena, red: Robot) -> None:
    assert red.speaker.read() == (0, 0)
    red.speaker.play(440, 0.3)
    arena.step()
    assert red.speaker.read() == (440, 0.3)
    red.speaker.stop()
    arena.step()
    assert red.speaker.read() == (0, 0)


@pytest.mark.parametrize(
    "tone", [(0, 1), (-440, 1), (440, -1), (math.nan, 1), (440, math.inf), (math.inf, 1), ("a", 1)]
)
def test_invalid_tone_is_refused(red: Robot, tone: Any) -> None:
    with pytest.raises(paddock.DeviceRefused, match=r"red\.speaker: expected hertz > 0 and an amplitude >= 0"):
        red.speaker.play(*tone)


def test_missing_speaker_and_leds_are_reported_as_unknown_names() -> None:
    mute = replace(KIND, speaker=False, leds=())
    robot = RobotPlacement(name="red", type=mute, at=(1, 1))
    red = paddock.open(paddock.WorldSpec(name="w", bounds=(0, 0, 2, 2), robots=(robot,)))["red"]
    with pytest.raises(paddock.UnknownName, match="no device of red called 'speaker'"):
        red.speaker.play(440)
    with pytest.raises(paddock.UnknownName, match="no device of red called 'speaker'"):
        red.apply(paddock.Command(tone=(440, 1)))
    with pytest.raises(paddock.UnknownName, match="no LED of red called 'led0'"):
        red.leds.set("led0")


# Place, pose, contacts.


def test_robot_continues_from_a_set_pose(arena: Arena, red: Robot) -> None:
    red.set_pose(1.0, 1.0, math.pi / 2)
    assert red.pose == (1.0, 1.0, math.pi / 2)
    red.enable("position")
    assert red.position.read() == pytest.approx((1.0, 1.0, math.pi / 2))
    red.wheels.set(0.1, 0.1)
    arena.step(50)
    assert red.pose == pytest.approx((1.0, 1.1, math.pi / 2), abs=2e-3)


@pytest.mark.parametrize(
    ("x", "y", "problem"),
    [
        (1.5, 0.5, "overlaps boxes[0] by 137.0 mm: move it at least that far away"),
        (1.5, 1.5, "overlaps robot 'blue' by 74.0 mm: move it at least that far away"),
        (2.0, 1.0, "sticks 37.0 mm out of the bounds [0, 0, 2, 2]: move it further inside"),
    ],
)
def test_set_pose_without_free_space_is_refused(red: Robot, x: float, y: float, problem: str) -> None:
    with pytest.raises(paddock.SimulationError) as caught:
        red.set_pose(x, y)
    assert str(caught.value) == f"robot 'red' cannot be moved to ({x:g}, {y:g}): it {problem}"
    assert red.pose == (0.5, 0.5, 0)


def test_set_pose_may_overlap_the_robots_own_position(red: Robot) -> None:
    red.set_pose(0.5, 0.5, 1.0)
    assert red.pose == (0.5, 0.5, 1.0)


def test_heading_is_wrapped(red: Robot) -> None:
    red.set_pose(0.5, 0.5, 3 * math.pi / 2)
    assert red.pose.heading == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize("pose", [(math.nan, 1.0), (1.0, math.inf), (1.0, 1.0, math.nan), ("here", 1.0)])
def test_non_finite_pose_is_refused(red: Robot, pose: Any) -> None:
    with pytest.raises(paddock.SimulationError, match="expected finite numbers"):
        red.set_pose(*pose)


def test_set_pose_among_many_robots_is_detected_immediately() -> None:
    robots = tuple(
        RobotPlacement(name=f"r{i}", type="e-puck", at=(0.5 + i % 10, 0.5 + i // 10), noise=False) for i in range(100)
    )
    arena = paddock.open(paddock.WorldSpec(name="w", bounds=(0, 0, 10, 10), robots=robots))
    last, first = arena["r99"], arena["r0"]
    last.enable("proximity")
    first.set_pose(9.5 + 2 * 0.037 + 0.01, 9.5)
    assert last.proximity.read().min() < 0.03


def test_set_pose_is_detected_immediately(arena: Arena, red: Robot) -> None:
    blue = arena["blue"]
    blue.enable("proximity")
    red.set_pose(1.5 + 2 * 0.037 + 0.01, 1.5)
    assert blue.proximity.read().min() < 0.03


def test_set_pose_is_detected_after_a_step(arena: Arena, red: Robot) -> None:
    blue = arena["blue"]
    blue.enable("proximity")
    red.set_pose(1.5 + 2 * 0.037 + 0.01, 1.5)
    arena.step()
    assert blue.proximity.read().min() < 0.03


def test_pose_is_read_only(red: Robot) -> None:
    with pytest.raises(AttributeError):
        red.pose = Pose(1, 1, 0)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        red.pose.x = 1.0  # type: ignore[misc]


def test_contacts_are_reported_while_touching(arena: Arena, red: Robot) -> None:
    assert red.contacts == ()
    red.enable("bumper")
    red.set_pose(1.4 - 0.037 - 0.01, 0.5)
    red.wheels.set(0.1, 0.1)
    arena.step(20)
    assert red.contacts == pytest.approx((0.0,), abs=0.05)
    assert red.bumper.read().tolist() == [True, False]
    assert red.pose.x <= 1.4 - 0.037 + 1e-3
    red.wheels.set(-0.1, -0.1)
    arena.step(5)
    assert red.contacts == ()
    assert red.bumper.read().tolist() == [False, False]


def test_device_may_have_any_unused_python_name() -> None:
    sensors = tuple(CompassSpec(name=name) for name in ("read", "x", "keys", "world", "dt"))
    robot = RobotPlacement(name="red", type=replace(KIND, sensors=sensors), at=(1, 1), heading_deg=90)
    red = paddock.open(paddock.WorldSpec(name="w", bounds=(0, 0, 2, 2), robots=(robot,)))["red"]
    red.enable()
    seen = red.sense()
    for sensor in sensors:
        assert getattr(seen, sensor.name) == getattr(red, sensor.name).read()
