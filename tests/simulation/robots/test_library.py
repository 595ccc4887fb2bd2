"""Every shipped robot loads, has working sensors, and matches its data sheet."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.core.geometry import Disc
from paddock.simulation.robots import RobotSpec, load_robot, robot_names
from paddock.simulation.worlds.world_spec import Border, RobotPlacement, WorldSpec
from paddock.testing import check_robot, furnished_room

LIBRARY = Path(paddock.__file__).parent / "simulation/robots/library"
PAGE = Path(__file__).parents[3] / "docs" / "simulation/robots.md"


def at_rest(robot: str | RobotSpec, **where: float | bool) -> paddock.Arena:
    """Return an arena with all devices of its single robot enabled."""
    arena = paddock.open(furnished_room(robot, **where), seed=3)  # type: ignore[arg-type]
    arena["it"].enable()
    return arena


@pytest.fixture(scope="module", params=robot_names())
def driven(request: pytest.FixtureRequest) -> paddock.Arena:
    """Each shipped robot, after one second on a curve."""
    arena = at_rest(request.param)
    arena["it"].drive(0.1, 0.5)
    arena.step(50)
    return arena


@pytest.mark.parametrize("name", robot_names())
def test_robot_name_matches_its_file(name: str) -> None:
    assert load_robot(name).name == name
    assert load_robot(name).title


@pytest.mark.parametrize("name", robot_names())
def test_robot_passes_the_common_checks(name: str) -> None:
    check_robot(name)


@pytest.mark.parametrize("name", robot_names())
def test_robot_file_cites_its_sources(name: str) -> None:
    text = (LIBRARY / f"{name}.toml").read_text(encoding="utf-8")
    assert "assumed" in text
    cited = re.findall(r"^#   ([a-z-]+) {2,}\S", text, flags=re.MULTILINE)
    assert all(text.count(source) > 1 for source in cited)
    assert cited or "fictitious" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("name", robot_names())
def test_all_sensors_but_bumpers_are_inside_the_body(name: str) -> None:
    robot = load_robot(name)
    shape = robot.body.shape
    for sensor in robot.sensors:
        for x, y, z, _ in sensor.mounts if sensor.kind != "bumper" else ():
            if isinstance(shape, Disc):
                assert math.hypot(x, y) <= shape.radius, sensor.name
            else:
                for (ax, ay), (bx, by) in zip(shape, shape[1:] + shape[:1], strict=True):
                    assert (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0, sensor.name
            assert z >= 0, sensor.name


def test_sense_matches_read_except_for_polled_devices(driven: paddock.Arena) -> None:
    seen = driven["it"].sense()
    assert set(seen) == {name for name, device in driven["it"].devices.items() if not device.polled}
    for name in seen:
        np.testing.assert_array_equal(getattr(seen, name), driven["it"].device(name).read(), err_msg=name)


def test_raw_values_are_integers_where_available(driven: paddock.Arena) -> None:
    for sensor in driven["it"].spec.sensors:
        device = driven["it"].device(sensor.name)
        if not sensor.response and sensor.scale is None:
            with pytest.raises(paddock.DeviceRefused):
                device.raw()
            continue
        raw = np.atleast_1d(device.raw())
        assert raw.shape == (sensor.channels,)
        np.testing.assert_array_equal(raw, device.raw(), err_msg=sensor.name)
        if sensor.response:
            lowest, highest = sorted((sensor.response[0][1], sensor.response[-1][1]))
            assert ((raw >= min(lowest, sensor.nothing_raw)) & (raw <= highest)).all(), sensor.name
        # A table may end between two whole numbers; all others are whole.
        ends = [row[1] for row in sensor.response]
        inner = raw[~np.isin(raw, ends)]
        np.testing.assert_array_equal(inner, np.round(inner), err_msg=sensor.name)


def test_every_robot_reaches_but_does_not_exceed_its_top_speed(driven: paddock.Arena) -> None:
    arena = at_rest(driven["it"].spec.name)
    robot, drive = arena["it"], driven["it"].spec.drive
    robot.wheels.set(99, 99)
    gain = math.inf if drive.max_acceleration is None else drive.max_acceleration * arena.dt
    arena.step(max(1, math.ceil(drive.max_speed / gain)))
    assert robot.wheels.speeds.left == pytest.approx(drive.max_speed, rel=1e-6)
    assert robot.wheels.speeds.left <= drive.max_speed


# --- e-puck -------------------------------------------------------------------------------------------------


def test_thousand_e_puck_steps_are_one_wheel_turn() -> None:
    arena = at_rest("e-puck", x=0.5)
    arena["it"].wheels.set(1, 1)  # capped at 1000 steps/s
    arena.step(50)  # one second
    assert arena.time == pytest.approx(1.0)
    np.testing.assert_array_equal(arena["it"].encoders.raw(), [1000, 1000])
    assert arena["it"].pose.x - 0.5 == pytest.approx(math.pi * 0.041, abs=1e-6)


def test_e_puck_counters_wrap_around_at_16_bits() -> None:
    arena = at_rest("e-puck")
    arena["it"].wheels.set(1, -1)
    arena.step(50 * 33)
    np.testing.assert_array_equal(arena["it"].encoders.raw(), [33000 - 65536, 65536 - 33000])
    assert arena["it"].encoders.read()[0] == pytest.approx(33 * math.pi * 0.041, abs=1e-4)


@pytest.mark.parametrize("robot", ["e-puck", "e-puck2"])
@pytest.mark.parametrize(("distance", "counts", "noise"), [(0.005, 2133.33, 0.003), (0.02, 383.84, 0.01472)])
def test_e_puck_proximity_follows_its_calibration(robot: str, distance: float, counts: float, noise: float) -> None:
    # Sensor 1 stands out most: turned to the wall, it comes nearer than 5 mm before the body touches.
    x, y, _, heading = load_robot(robot).sensor("proximity").mounts[1]
    angle = math.radians(heading)
    from_centre = x * math.cos(angle) + y * math.sin(angle) + distance
    arena = at_rest(robot, x=3 - from_centre, heading_deg=-heading)
    raw = arena["it"].proximity.raw()[1]
    assert raw == pytest.approx(counts, abs=5 * noise * counts + 2)
    assert arena["it"].proximity.read()[1] == pytest.approx(distance, abs=0.001)
    still = at_rest(robot, x=3 - from_centre, heading_deg=-heading, noise=False)
    assert still["it"].proximity.raw()[1] == pytest.approx(counts, abs=2)


def test_distant_lamp_does_not_affect_e_puck_proximity() -> None:
    arena = at_rest("e-puck")  # the lamp of 1 W/m² is 1.4 m away
    np.testing.assert_array_equal(arena["it"].proximity.raw(), np.zeros(8))
    assert arena["it"].light.read().max() > 0.05


def test_e_puck_at_rest_measures_1_g() -> None:
    arena = at_rest("e-puck", noise=False)
    np.testing.assert_array_equal(arena["it"].accelerometer.raw(), [0, 0, 768])


def test_e_puck_ground_order_is_left_middle_right() -> None:
    mounts = load_robot("e-puck").sensor("ground").mounts
    assert [y > 0 for _, y, _, _ in mounts] == [True, False, False]
    assert mounts[1][1] == 0.0


def test_e_puck_has_the_leds_and_devices_of_the_real_robot() -> None:
    arena = at_rest("e-puck")
    assert arena["it"].leds.names == (*(f"led{i}" for i in range(8)), "body", "front")
    assert arena["it"].camera.read().shape == (64, 64, 3)
    arena["it"].speaker.play(440)


def test_e_puck2_gyroscope_saturates() -> None:
    arena = at_rest("e-puck2", noise=False)
    arena["it"].wheels.set(-1, 1)
    arena.step(2)
    assert math.degrees(arena["it"].gyroscope.read()[2]) == pytest.approx(250, abs=0.01)
    assert arena["it"].gyroscope.raw()[2] == 32768


def test_e_puck2_time_of_flight_follows_its_calibration() -> None:
    arena = at_rest("e-puck2", x=3 - 0.034 - 0.5, noise=False)
    assert arena["it"].tof.raw() == pytest.approx(531.9, abs=1)
    assert arena["it"].tof.read() == pytest.approx(0.5, abs=0.001)


# --- Pioneers -----------------------------------------------------------------------------------------------


def test_p3dx_sonar_3_reads_9_cm_at_wall_contact() -> None:
    arena = at_rest("pioneer-p3dx", x=2.3)
    robot = arena["it"]
    robot.wheels.set(0.3, 0.3)
    arena.step(150)  # against the wall by now, and pushing
    assert robot.contacts
    assert robot.pose.x == pytest.approx(3 - 0.256, abs=0.001)
    assert robot.sonar.read()[3] == pytest.approx(0.09, abs=0.01)
    assert robot.sonar.read()[4] == pytest.approx(0.09, abs=0.01)
    assert robot.bumper.read()[:5].any()
    assert not robot.bumper.read()[5:].any()


def test_p3dx_sonars_are_symmetric() -> None:
    mounts = load_robot("pioneer-p3dx").sensor("sonar").mounts
    for left, right in zip(mounts[:8], mounts[7::-1], strict=True):
        assert left == (right[0], -right[1], right[2], -right[3])
    for right, left in zip(mounts[8:], mounts[:7:-1], strict=True):
        assert right == (left[0], -left[1], left[2], -left[3])


def test_pioneer_sonars_miss_low_walls() -> None:
    low = paddock.open(
        WorldSpec(
            name="low",
            bounds=(0, 0, 2, 2),
            border=Border(height=0.2),
            robots=(RobotPlacement(name="it", type="pioneer-p3dx", at=(1, 1)),),
        )
    )
    low["it"].sonar.enable()
    np.testing.assert_array_equal(low["it"].sonar.read(), np.full(16, 5.0))


def test_p2dx_laser_has_181_beams_from_right_to_left() -> None:
    arena = at_rest("pioneer-p2dx", x=1.0, noise=False)
    scan = arena["it"].laser.read()
    assert scan.shape == (181,)
    assert scan[90] == pytest.approx(3 - 1.017, abs=0.001)
    assert scan[0] == pytest.approx(1.008, abs=0.001)  # the scanner sits 8 mm to the left
    assert scan[180] == pytest.approx(0.992, abs=0.001)


def test_p2dx_camera_pans() -> None:
    arena = at_rest("pioneer-p2dx")
    ahead = arena["it"].camera.read()
    arena["it"].camera.pan(math.radians(90))
    arena.step(round(90 / 9.74 / arena.dt) + 1)
    assert arena["it"].camera.pan_angle == pytest.approx(math.radians(90))
    assert (arena["it"].camera.read() != ahead).any()


# --- Scout --------------------------------------------------------------------------------------------------


def test_scout_measures_left_front_and_right() -> None:
    arena = at_rest("scout", x=2.0, noise=False)
    assert arena["it"].range.read() == pytest.approx([0.95, 0.95, 0.95], abs=0.001)


def test_scout_turret_measures_in_its_pan_direction() -> None:
    arena = at_rest("scout", x=2.4, noise=False)
    scout = arena["it"]
    assert scout.turret.read() == pytest.approx(0.6, abs=0.001)
    scout.turret.pan(math.radians(-90))
    arena.step(50)
    assert scout.turret.read() == pytest.approx(1.0, abs=0.001)
    assert "turret" not in list(scout.sense())
    with pytest.raises(paddock.DeviceRefused):
        scout.range.pan(0.1)
    with pytest.raises(paddock.DeviceRefused):
        scout.turret.pan(math.radians(170))


# --- docs/simulation/robots.md --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", robot_names())
def test_robots_page_documents_each_robot_and_all_devices(name: str) -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")
    section = rest.partition("\n## ")[0]
    assert section, f"{PAGE.name}: expected a section '## {name}'"
    for sensor in load_robot(name).sensors:
        assert f"`{sensor.name}`" in section, sensor.name


def test_example_robot_of_the_page_loads_and_moves(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert example
    file = tmp_path / "beetle.toml"
    file.write_text(example[1], encoding="utf-8")
    arena = at_rest(load_robot(file))
    arena["it"].drive(0.1, 0)
    arena.step(50)
    assert arena["it"].pose.x > 1.55
    assert set(arena["it"].sense()) == {sensor.name for sensor in arena["it"].spec.sensors}
