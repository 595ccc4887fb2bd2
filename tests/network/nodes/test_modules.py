"""Tests of modules that drive a robot together, as threads of one process."""

from __future__ import annotations

import csv
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from network.nodes.rooms import MAPPING, SMALLEST, configure
from paddock.core.errors import PaddockError, SpecError, Timeout, UnknownName
from paddock.core.observation import WheelSpeeds
from paddock.network.nodes import Bus, ModulesSpec, ModuleThreads, load_modules, open_bus, read_recording, run_together
from paddock.network.nodes.coordinator import CoordinatorModule, CoordinatorOptions
from paddock.network.nodes.faulty_bus import FaultyBus, LinkFaults
from paddock.network.nodes.mapper import MapperModule, MapperOptions
from paddock.network.nodes.monitor import MonitorModule
from paddock.network.nodes.motor import MotorModule, MotorOptions
from paddock.network.nodes.node_messages import (
    ClearMessage,
    DriveMessage,
    HealthMessage,
    MapMessage,
    ModuleMessage,
    MotorMessage,
    RangeScannerMessage,
    ReadingsMessage,
    ReflexStateMessage,
    RefusedMessage,
    ResetMessage,
    RoundMessage,
    SonarMessage,
    StopMessage,
    TeleopMessage,
)
from paddock.network.nodes.planner import PlannerModule, PlannerOptions
from paddock.network.nodes.reflex import ReflexModule, ReflexOptions
from paddock.network.nodes.remote_map import MapListener, read_map
from paddock.simulation.robots import load_robot, robot_names
from paddock.testing import serve

pytestmark = pytest.mark.heavy
LONG = 60.0  # [s] timeout; nothing waits that long unless it is broken


def wait_for(bus: Bus, is_it: Callable[[ModuleMessage], bool]) -> ModuleMessage:
    while (message := bus.receive(LONG)) is not None:
        if is_it(message):
            return message
    raise AssertionError("nothing came")


def test_lock_step_runs_and_maps_are_bit_identical(tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING, lock_step=True, seconds=12.0, state="state")
    digests = []
    for _ in range(2):
        modules = run_together(spec)
        coordinator, mapper = modules["coordinator"], modules["mapper"]
        assert isinstance(coordinator, CoordinatorModule)
        assert isinstance(mapper, MapperModule)
        assert coordinator.round == mapper.round == 120
        assert coordinator.contacts == 0
        assert coordinator.robot.pose.x != 1.5
        digests.append((coordinator.arena.digest(), mapper.mapper.grid.digest()))
    assert digests[0] == digests[1]


def test_shipped_explorer_uses_the_map_of_the_mapper_module() -> None:
    modules = run_together(replace(load_modules("explore"), lock_step=True, seconds=6.0))
    coordinator, planner = modules["coordinator"], modules["planner"]
    assert isinstance(coordinator, CoordinatorModule)
    assert isinstance(planner, PlannerModule)
    assert planner.odometry.distance > 0.1
    assert coordinator.contacts == 0


def test_killed_mapper_resumes_from_snapshot_and_journal(tmp_path: Path) -> None:
    options = {"mapper": {"snapshot_period": 2.0}}
    spec = configure(
        tmp_path, *MAPPING, lock_step=True, seconds=5.0, state="state", record="run.jsonl", options=options
    )
    before = run_together(spec)["mapper"]
    assert isinstance(before, MapperModule)
    with open_bus(spec.bus, "MAPPER") as bus:
        again = MapperModule("MAPPER", spec, before.options, bus)
        again.on_resume()
    assert (again.round, again.resumed) == (50, 10)  # a snapshot after 4 s, and ten rounds since
    assert again.mapper.grid.digest() == before.mapper.grid.digest()
    maps = [message.digest for message in read_recording(tmp_path / "run.jsonl") if isinstance(message, MapMessage)]
    assert maps[-1] == before.mapper.grid.digest()


def test_mapper_killed_after_its_snapshot_repeats_the_round(tmp_path: Path) -> None:
    options = {"mapper": {"snapshot_period": 2.0}}
    spec = configure(tmp_path, *MAPPING, lock_step=True, seconds=2.0, state="state", options=options)
    before = run_together(spec)["mapper"]
    with open_bus(spec.bus, "MAPPER") as bus, open_bus(spec.bus, "PLANNER") as planner:
        MapperModule("MAPPER", spec, before.options, bus).on_resume()
        said = wait_for(planner, lambda message: isinstance(message, RoundMessage))
    assert (said.source, said.number, said.last) == ("MAPPER", 20, True)  # type: ignore[attr-defined]


def test_mapper_does_not_pair_scan_with_travel_of_another_time(tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING)
    with open_bus(spec.bus, "SENSOR") as sensor, open_bus(spec.bus, "MAPPER") as line:
        mapper = MapperModule("MAPPER", spec, MapperOptions(), line)

        def send_readings(number: int) -> None:
            sensor.send(RangeScannerMessage(time=number, values=[3.0] * 181, fov=3.14, resolution=0.0175))
            sensor.send(ReadingsMessage(time=number, device="encoders", values=[0.1 * number] * 2))
            sensor.send(RoundMessage(time=number, number=number))

        def handle(message: ModuleMessage | None) -> None:
            assert message is not None
            mapper.handle(message)
            if isinstance(message, RoundMessage):
                mapper.on_round(message.number)

        send_readings(1)
        handle(wait_for(line, lambda message: isinstance(message, RangeScannerMessage)))
        send_readings(2)  # its encoders replace those of the first, which are still waiting
        handle(line.receive(LONG))
        assert (mapper.latest_round.number, mapper.mapper.scans) == (1, 0)
        for _ in range(3):
            handle(line.receive(LONG))
        assert (mapper.latest_round.number, mapper.mapper.scans) == (2, 1)


def test_reflex_overrides_teleop_and_reports_why(tmp_path: Path) -> None:
    spec = configure(tmp_path, *SMALLEST, "teleop", lock_step=True, seconds=300.0)
    with ModuleThreads(spec) as threads, open_bus(spec.bus, "PERSON", hears=["SENSOR", "REFLEX", "TELEOP"]) as person:
        refused: list[str] = []
        while len(refused) < 3:
            message = person.receive(LONG)
            assert message is not None
            if isinstance(message, RoundMessage) and message.source == "SENSOR":
                person.send(TeleopMessage(destination="TELEOP", linear=0.5, angular=0.0))
            if isinstance(message, RefusedMessage | StopMessage) and "contact" in message.reason:
                refused.append(message.reason)
        coordinator = threads.modules["coordinator"]
        assert isinstance(coordinator, CoordinatorModule)
        assert coordinator.contacts == 0
        assert coordinator.robot.pose.x > 3.0  # near the wall that it was driven to
    assert all("to stop" in reason for reason in refused)


def drive_reflex(spec: ModulesSpec, *messages: ModuleMessage) -> tuple[ReflexModule, list[ModuleMessage]]:
    """Return a reflex that handled the messages, and what it sent."""
    with open_bus(spec.bus, "REFLEX") as line, open_bus(spec.bus, "MOTOR") as motor:
        reflex = ReflexModule("REFLEX", spec, ReflexOptions(), line)
        reflex.reflex.epoch = 7
        for message in messages:
            reflex.handle(message)
        return reflex, list(iter(lambda: motor.receive(0), None))


def sense_nothing(*devices: str) -> list[ModuleMessage]:
    """Return readings without hits and the planner's handshake."""
    readings = [
        SonarMessage(source="SENSOR", values=[None] * 8, max_range=5.0),
        RangeScannerMessage(source="SENSOR", values=[None] * 181, fov=3.14, resolution=0.0175),
    ]
    return [
        *(message for message in readings if message.device in devices),
        RoundMessage(source="SENSOR", number=1),
        ResetMessage(source="PLANNER", epoch=7),
        ClearMessage(source="PLANNER", epoch=7),
    ]


def test_too_fast_motion_is_slowed_on_the_same_curve_and_reported(tmp_path: Path) -> None:
    motion = DriveMessage(source="PLANNER", left=0.4, right=0.2, epoch=7)
    _, said = drive_reflex(configure(tmp_path), *sense_nothing("sonar", "laser"), motion)
    passed = [(message.left, message.right) for message in said if isinstance(message, DriveMessage)]
    assert passed == [pytest.approx((0.16, 0.08))]
    refused = [message.reason for message in said if isinstance(message, RefusedMessage)]
    assert refused == ["0.40 m/s: limited to 0.16 m/s to stop within 0.3 s"]


def test_speed_limited_by_planner_is_not_refused_by_rounding(tmp_path: Path) -> None:
    spec = configure(tmp_path)
    limited = [spec.stop_times.limit(WheelSpeeds(0.3 + 0.01 * k, 0.1)) for k in range(50)]
    motions = [DriveMessage(source="PLANNER", left=left, right=right, epoch=7) for left, right in limited]
    _, said = drive_reflex(spec, *sense_nothing("sonar", "laser"), *motions)
    assert not [message.reason for message in said if isinstance(message, RefusedMessage)]


def test_monitor_has_the_health_of_all_modules(tmp_path: Path) -> None:
    modules = run_together(configure(tmp_path, *SMALLEST, "monitor", lock_step=True, seconds=2.0))
    monitor = modules["monitor"]
    assert isinstance(monitor, MonitorModule)
    assert {name for name, row in monitor.health_monitor.modules.items() if row.report} >= {*map(str.upper, SMALLEST)}


@pytest.mark.parametrize(("devices", "passes"), [((), False), (("sonar",), False), (("sonar", "laser"), True)], ids=str)
def test_motion_is_relayed_only_after_readings_of_all_range_sensors(
    devices: tuple[str, ...], passes: bool, tmp_path: Path
) -> None:
    motion = DriveMessage(source="PLANNER", left=0.1, right=0.1, epoch=7)
    _, said = drive_reflex(configure(tmp_path), *sense_nothing(*devices), motion)
    assert any(isinstance(message, DriveMessage) for message in said) is passes


def test_motion_from_before_a_stop_is_refused_after_reset(tmp_path: Path) -> None:
    late = DriveMessage(source="PLANNER", left=0.1, right=0.1, epoch=6)
    reflex, said = drive_reflex(configure(tmp_path), *sense_nothing("sonar", "laser"), late)
    assert reflex.reflex.gate.value == "watching"
    assert not any(isinstance(message, DriveMessage) for message in said)
    refused = [message.reason for message in said if isinstance(message, RefusedMessage)]
    assert refused == ["epoch 6 is outdated: the newest is 7"]


def test_planner_with_another_clock_is_refused_and_reflex_keeps_its_time(tmp_path: Path) -> None:
    spec = configure(tmp_path)
    with open_bus(spec.bus, "REFLEX") as line, open_bus(spec.bus, "PLANNER") as planner:
        reflex = ReflexModule("REFLEX", spec, ReflexOptions(), line)
        reflex.time = 12.0
        reflex._take(DriveMessage(source="PLANNER", time=1.7e9, left=0.1, right=0.1))
        assert reflex.time == 12.0
        said = wait_for(planner, lambda message: isinstance(message, RefusedMessage))
    assert said.reason == "time 1.7e+09 s: expected the time of the newest readings, 12 s"  # type: ignore[attr-defined]


def test_commands_of_other_modules_are_ignored(tmp_path: Path) -> None:
    spec = configure(tmp_path)
    forged = DriveMessage(source="GUEST", left=0.1, right=0.1)
    _, said = drive_reflex(spec, *sense_nothing("sonar", "laser"), forged)
    assert not any(isinstance(message, DriveMessage) for message in said)
    with open_bus(spec.bus, "PLANNER") as line:
        planner = PlannerModule("PLANNER", spec, PlannerOptions(), line)
        planner.handle(StopMessage(source="GUEST", epoch=2**53))
        planner.handle(StopMessage(source="REFLEX", epoch=7))
        assert planner.epoch == 7
    with open_bus(spec.bus, "COORDINATOR") as line:
        coordinator = CoordinatorModule("COORDINATOR", spec, CoordinatorOptions(), line)
        coordinator.handle(MotorMessage(source="GUEST", left=0.5, right=0.5, normalized=False))
        assert coordinator.robot.body.command == (0.0, 0.0)
        coordinator.close()


def test_old_or_out_of_order_commands_are_refused_by_the_motor(tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", "reflex", "motor")
    with (
        open_bus(spec.bus, "MOTOR") as line,
        open_bus(spec.bus, "COORDINATOR", hears=["MOTOR"]) as body,
        open_bus(spec.bus, "REFLEX") as reflex,
    ):
        motor = MotorModule("MOTOR", spec, MotorOptions(), line)
        motor.time = 10.0

        def tell(message: ModuleMessage) -> str:
            """Send as the reflex; return why the motor refuses it."""
            reflex.send(message)
            got = wait_for(line, lambda message: message.source == "REFLEX" and not hasattr(message, "present"))
            motor.handle(got)
            answer = wait_for(body, lambda message: isinstance(message, MotorMessage | RefusedMessage))
            return answer.reason if isinstance(answer, RefusedMessage) else ""

        def drive(epoch: int, time: float = 10.0) -> DriveMessage:
            return DriveMessage(destination="MOTOR", left=0.5, right=0.5, epoch=epoch, time=time)

        assert "has not received an epoch" in tell(drive(1))
        assert tell(StopMessage(destination="MOTOR", epoch=5)) == ""
        assert "epoch 4 is outdated" in tell(drive(4))
        assert tell(drive(5)) == ""
        assert motor.gate.wheels == (0.5, 0.5)
        assert "s old" in tell(drive(5, time=9.7))
        motor.time = 10.31  # nothing valid for more than 0.3 s
        motor.turn_wheels()
        assert motor.gate.wheels == (0.0, 0.0)


def test_coordinator_stops_the_robot_when_motor_is_silent(tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", seconds=30.0)
    with ModuleThreads(spec) as threads, open_bus(spec.bus, "MOTOR") as motor:
        coordinator = threads.modules["coordinator"]
        assert isinstance(coordinator, CoordinatorModule)
        motor.send(MotorMessage(destination="COORDINATOR", left=0.5, right=0.5, normalized=False))
        wait_for(motor, lambda _: any(coordinator.robot.wheels.speeds))
        asked = coordinator.arena.time
        wait_for(motor, lambda _: coordinator.stops == 1)
        assert coordinator.robot.body.command == (0.0, 0.0)
        assert coordinator.arena.time - asked < 1.0


def test_wheels_stop_within_the_promised_time(tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", seconds=30.0)
    fastest = spec.stop_times.max_speed
    with open_bus(spec.bus, "COORDINATOR") as line:
        coordinator = CoordinatorModule("COORDINATOR", spec, CoordinatorOptions(), line)
        command = MotorMessage(source="MOTOR", left=fastest, right=-fastest, normalized=False)
        for _ in range(50):
            coordinator.handle(msgspec.structs.replace(command, time=coordinator.arena.time))
            coordinator.watch_commands()
            coordinator.step(1)
        measured_at = coordinator.measured_at
        assert coordinator.robot.wheels.speeds == pytest.approx((fastest, -fastest))
        while any(coordinator.robot.wheels.speeds):
            coordinator.handle(msgspec.structs.replace(command, time=measured_at))  # late, or said again
            coordinator.watch_commands()
            coordinator.step(1)
        assert 0.28 - 1e-6 < coordinator.arena.time - measured_at < spec.stop_within + 1e-6
        assert coordinator.stops == 1
        coordinator.handle(msgspec.structs.replace(command, time=0.0, sent=1.0))  # rests on the very first look
        assert coordinator.robot.body.command == (0.0, 0.0)
        coordinator.close()


@pytest.mark.parametrize("wrong", [{"resolution": 0.0}, {"rows": 3}, {"cells": b"x"}], ids=str)
def test_invalid_map_is_ignored(wrong: dict[str, Any]) -> None:
    good = {"x": 0.0, "y": 0.0, "resolution": 0.05, "rows": 2, "columns": 2, "cells": zlib.compress(bytes(4))}
    assert read_map(MapMessage(**good)) is not None
    assert read_map(MapMessage(**good | wrong)) is None


def test_map_is_saved_later_after_a_failed_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.nodes.remote_map.PERIOD", 0.0)
    spec, kept = configure(tmp_path), threading.Event()
    tries: list[int] = []

    def keep(listener: MapListener) -> None:
        tries.append(len(listener.growth))
        if len(tries) == 1:
            raise PaddockError("the disk is full")
        kept.set()

    with open_bus(spec.bus, "MAPPER") as mapper, MapListener(spec.bus, keep):
        mapper.send(MapMessage(x=0, y=0, resolution=1, rows=1, columns=2, cells=zlib.compress(b"\0\1"), digest=""))
        assert kept.wait(60)


@pytest.mark.parametrize("victim", ["sensor", "planner", "motor"])
def test_robot_stops_in_time_when_a_link_becomes_slow(victim: str, tmp_path: Path) -> None:
    options = {victim: {"faults": "unused"}, "coordinator": {"trace": "trace.csv"}}
    spec = configure(tmp_path, seconds=60.0, options=options)
    with ModuleThreads(spec) as threads, open_bus(spec.bus, "WATCHER", hears=["COORDINATOR"]) as watcher:
        coordinator, link = threads.modules["coordinator"], threads.modules[victim].bus
        assert isinstance(coordinator, CoordinatorModule)
        assert isinstance(link, FaultyBus)
        wait_for(watcher, lambda _: max(coordinator.robot.wheels.speeds) > 0.1)
        link.begin(LinkFaults(delay=0.25, lasts=60.0))
        slow_from = coordinator.arena.time
        wait_for(watcher, lambda _: coordinator.arena.time > slow_from + 1.0)
        assert not any(coordinator.robot.wheels.speeds)
    with (tmp_path / "trace.csv").open(encoding="utf-8") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    ages = [row["time"] - row["measured"] for row in rows if abs(row["left"]) + abs(row["right"]) > 1e-6]
    assert 0.0 < max(ages) < spec.stop_within - 1e-6  # a tick later they are at rest


def test_message_flood_does_not_block_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = configure(tmp_path, "coordinator", seconds=0.2)
    with open_bus(spec.bus, "COORDINATOR") as line:
        monkeypatch.setattr(line, "receive", lambda _: HealthMessage(source="GUEST"))
        coordinator = CoordinatorModule("COORDINATOR", spec, CoordinatorOptions(), line)
        coordinator.run()
        assert coordinator.arena.time == pytest.approx(0.2)
        coordinator.close()


def test_modules_restart_after_arena_reset(tmp_path: Path) -> None:
    with ModuleThreads(configure(tmp_path, seconds=60.0)) as threads:
        coordinator, reflex = threads.modules["coordinator"], threads.modules["reflex"]
        assert isinstance(coordinator, CoordinatorModule)
        assert isinstance(reflex, ReflexModule)
        with open_bus(threads.spec.bus, "PERSON", hears=["MOTOR", "REFLEX"]) as person:
            wait_for(person, lambda message: isinstance(message, RoundMessage) and message.time > 1.5)
            epoch = reflex.reflex.epoch
            coordinator.arena.reset()
            wait_for(person, lambda message: isinstance(message, StopMessage) and message.epoch > epoch)
            wait_for(
                person, lambda message: isinstance(message, DriveMessage | ReflexStateMessage) and message.time < 1.0
            )
            wait_for(person, lambda _: any(coordinator.robot.body.command))


def test_lock_step_run_is_unchanged_by_message_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.nodes.node.ASK_AGAIN", 0.02)
    digests = []
    for faults in ({}, {"faults": "unused"}):
        options = dict.fromkeys(("sensor", "reflex"), faults)
        spec = configure(tmp_path, lock_step=True, seconds=3.0, options=options)
        with ModuleThreads(spec) as threads:
            for module in threads.modules.values():
                if isinstance(module.bus, FaultyBus):
                    module.bus.begin(LinkFaults(loss=0.1, lasts=60.0))
            threads.wait()
        coordinator = threads.modules["coordinator"]
        assert isinstance(coordinator, CoordinatorModule)
        digests.append(coordinator.arena.digest())
    assert digests[0] == digests[1]


def test_modules_drive_a_robot_of_a_server(tmp_path: Path) -> None:
    hall = tmp_path / "hall.toml"
    configure(tmp_path)  # writes it
    with serve(hall) as server:
        spec = configure(
            tmp_path, lock_step=True, seconds=3.0, url=server.url(scheme="ws"), robot="pioneer", kind="pioneer-p2dx"
        )
        coordinator = run_together(spec)["coordinator"]
    assert isinstance(coordinator, CoordinatorModule)
    here = run_together(configure(tmp_path, lock_step=True, seconds=3.0))["coordinator"]
    assert isinstance(here, CoordinatorModule)
    assert coordinator.final_pose == here.final_pose != (1.5, 2.0, 0.0)


def test_missing_module_in_lock_step_is_reported_after_timeout(tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", "sensor", lock_step=True, timeout=0.2)
    with pytest.raises(Timeout, match=r"round 0: the motor has not finished it for 0.2 s"):
        run_together(spec)


def test_configuration_errors_name_the_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[modules]]\nname = "planer"\n', encoding="utf-8")
    with pytest.raises(UnknownName, match=r"no module called 'planer' .did you mean 'planner'"):
        run_together(load_modules(path))
    path.write_text('[[modules]]\nname = "reflex"\nmargn = 1\n', encoding="utf-8")
    with pytest.raises(SpecError, match=r"modules.reflex.margn: unknown key .did you mean 'margin'"):
        run_together(load_modules(path))
    path.write_text('lockstep = true\n[[modules]]\nname = "reflex"\n', encoding="utf-8")
    with pytest.raises(SpecError, match=r"mine.toml: lockstep: unknown key .did you mean 'lock_step'"):
        load_modules(path)
    path.write_text('period = 0.3\n[[modules]]\nname = "reflex"\n', encoding="utf-8")
    with pytest.raises(SpecError, match=r"mine.toml: stop_within: expected at least 0.36 s"):
        load_modules(path)
    path.write_text('[[modules]]\nname = "planner"\noptions = 3\n', encoding="utf-8")
    with pytest.raises(SpecError, match=r"modules.planner.options: expected a table of options, got 3"):
        run_together(load_modules(path))
    with pytest.raises(UnknownName, match=r"no configuration called 'explor'.*explore"):
        load_modules("explor")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[modules]]\nname = "planner"\noptions.speeed = 1',
            r"modules.planner.options.speeed: there is no such option",
        ),
        (
            '[[modules]]\nname = "planner"\ncontroller = "explore"\noptions.speeed = 1',
            r"modules.planner.options.speeed: there is no such option",
        ),
        ('[[modules]]\nname = "mapper"\noptions.way = 1', r"modules.mapper.options.way: there is no such option"),
        ('devices = ["laser"]\n[[modules]]\nname = "mapper"', r"devices: missing: 'encoders', which the mapper needs"),
        ('[[modules]]\nname = "motor"\n[[modules]]\nname = "Motor"', r"modules: there are two modules 'motor'"),
        ('[[modules]]\nname = "my-module"', r"modules\[0\].name: expected at most 32 letters.*got 'my-module'"),
        (
            'kind = "scout"\n[[modules]]\nname = "coordinator"',
            r"kind: expected the type of the robot pioneer, but it has no 'range', unlike a scout",
        ),
        (
            'kind = "scout"\ndevices = ["laser"]\n[[modules]]\nname = "coordinator"',
            r"kind: expected the type of the robot pioneer, but a scout has no 'laser'",
        ),
        (
            'kind = "scout"\n[[modules]]\nname = "reflex"\nrule = "ap2dx"',
            r"modules.reflex.rule: 'ap2dx' needs at least 7 sonars.*this robot has 0",
        ),
    ],
)
def test_configuration_that_cannot_drive_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"seconds = 1.0\n{text}\n", encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        run_together(load_modules(path))


def has_mapping_sensors(name: str) -> bool:
    kinds = {sensor.kind for sensor in load_robot(name).sensors}
    return "encoders" in kinds and bool(kinds & {"laser", "sonar", "proximity"})


@pytest.mark.parametrize("kind", [name for name in robot_names() if has_mapping_sensors(name)])
def test_every_shipped_robot_with_encoders_and_range_sensors_maps(kind: str, tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING, lock_step=True, seconds=0.5)
    world = tmp_path / "hall.toml"
    world.write_text(world.read_text(encoding="utf-8").replace("pioneer-p2dx", kind), encoding="utf-8")
    modules = run_together(spec)
    assert int(modules["mapper"].status().split()[0]) >= 3  # scans; some lasers need 0.2 s for each


def test_a_mapper_does_without_a_gyroscope_that_is_not_among_the_devices(tmp_path: Path) -> None:
    spec = configure(tmp_path, *MAPPING, lock_step=True, seconds=0.5, devices=("laser", "encoders"))
    world = tmp_path / "hall.toml"
    world.write_text(world.read_text(encoding="utf-8").replace("pioneer-p2dx", "pioneer-p3dx"), encoding="utf-8")
    assert run_together(spec)["mapper"].status().startswith("6 scans")


PLANNER = """from paddock.core.observation import WheelSpeeds

def short(robot): ...

class Short:
    def __init__(self, robot): ...

def fails(spec, feed):
    return lambda seen: WheelSpeeds(1 / 0, 0.0)

def word(spec, feed):
    return lambda seen: "fast"

def curve(spec, feed, *, speed=0.1):
    return lambda seen: WheelSpeeds(speed, speed / 2)
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("short", r"^mine.py line 3: expected short\(spec, feed, \*\*options\).*: too many positional arguments$"),
        ("Short", r"^mine.py:Short: expected Short\(spec, feed, \*\*options\).*: too many positional arguments$"),
        ("fails", r"^mine.py line 9: ZeroDivisionError: division by zero$"),
        ("word", r"^the controller mine.py:word returned 'fast': expected the speeds of both wheels"),
    ],
)
def test_a_mistake_in_a_planner_of_a_user_is_told_in_one_line_with_its_place(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(PLANNER, encoding="utf-8")
    options = {"planner": {"controller": f"mine.py:{name}"}}
    with pytest.raises(PaddockError, match=message):
        run_together(configure(tmp_path, lock_step=True, seconds=1.0, options=options))


def test_a_planner_of_a_user_drives_with_its_options(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLANNER, encoding="utf-8")
    options = {"planner": {"controller": "mine.py:curve", "options": {"speed": 0.12}}}
    modules = run_together(configure(tmp_path, lock_step=True, seconds=2.0, options=options))
    assert modules["motor"].status().startswith("0.12 0.06 m/s")
