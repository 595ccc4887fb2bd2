"""Observers of a robot in the same process, called on changes by the thread that steps."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Arena, Robot
from paddock.arena.observers import Schedule
from paddock.simulation.worlds.world_spec import RobotPlacement

WORLD = paddock.WorldSpec(
    name="yard",
    bounds=(0, 0, 2, 2),
    robots=(
        RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5)),
        RobotPlacement(name="blue", type="e-puck", at=(1.5, 1.5)),
    ),
)


@pytest.fixture
def arena() -> Arena:
    return paddock.open(WORLD, seed=1)


@pytest.fixture
def red(arena: Arena) -> Robot:
    robot = arena["red"]
    robot.enable("proximity", "ground", "encoders")
    return robot


class Diary:
    """An observer that records its observations."""

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def __call__(self, told: Any) -> None:
        self.entries.append(told)

    @property
    def ticks(self) -> list[int]:
        return [round(entry.time / 0.02) for entry in self.entries]

    @property
    def devices(self) -> list[list[str]]:
        return [list(entry) for entry in self.entries]


# When.


def test_observer_without_a_watch_is_called_every_tick(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    assert diary.entries == []
    arena.step(5)
    arena.step()
    assert diary.ticks == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("period", "ticks"), [(0.1, [1, 6, 11, 16]), (0.0, range(1, 21)), (0.05, range(1, 21, 2))])
def test_watch_sets_the_period(arena: Arena, red: Robot, period: float, ticks: Any) -> None:
    diary = Diary()
    red.watch(period)
    red.on_sense(diary)
    arena.step(20)
    assert diary.ticks == list(ticks)


def test_watch_period_can_be_changed(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    arena.step(2)
    red.watch(0.1)
    arena.step(8)
    assert diary.ticks == [1, 2, 3, 8]


def test_observers_are_called_during_a_run(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.watch(0.1)
    red.on_sense(diary)
    arena.run(0.4, {"red": lambda seen: (0.1, 0.1)})
    assert diary.ticks == [1, 6, 11, 16]


@pytest.mark.parametrize("period", [-1, float("nan"), float("inf"), "often", None])
def test_invalid_period_is_refused(red: Robot, period: Any) -> None:
    for call in (red.watch, lambda period: (red.camera.enable(), red.camera.on_image(print, period))):
        with pytest.raises(paddock.SimulationError) as caught:
            call(period)
        assert str(caught.value) == f"period: expected seconds >= 0, got {period!r}"


def test_reset_restarts_the_period(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.watch(0.1)
    red.on_sense(diary)
    arena.step(8)
    arena.reset()
    arena.step(8)
    assert diary.ticks == [1, 6, 1, 6]


def test_restore_restarts_the_period(arena: Arena, red: Robot) -> None:
    diary = Diary()
    arena.step(3)
    moment = arena.snapshot()
    red.watch(0.1)
    red.on_sense(diary)
    arena.step(8)
    arena.restore(moment)
    arena.step(8)
    assert diary.ticks == [4, 9, 4, 9]


def test_schedule_keeps_its_grid_after_a_late_call() -> None:
    schedule = Schedule(0.1, 0.02)
    assert [tick for tick in (0, 1, 5, 7, 9, 10, 11, 12, 15, 40, 44, 45) if schedule.due(tick)] == [
        0,
        5,
        10,
        15,
        40,
        45,
    ]


# What.


def test_first_observation_has_all_devices_and_later_ones_changes(arena: Arena, red: Robot) -> None:
    diary = Diary()
    quiet = WORLD.with_robots(RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5), noise=False))
    with paddock.open(quiet) as still:
        robot = still["red"]
        robot.enable("proximity", "ground", "encoders")
        robot.on_sense(diary)
        still.step(3)
        assert diary.devices == [["proximity", "ground", "encoders"]]
        robot.wheels.set(0.05, 0.05)
        still.step(2)
    assert diary.devices[1:] == [["encoders"], ["encoders"]]
    assert diary.entries[2].encoders[0] > diary.entries[1].encoders[0] > 0


def test_observation_matches_the_device_readings(arena: Arena, red: Robot) -> None:
    def compare(seen: paddock.Observation) -> None:
        assert seen.time == arena.time
        for name in seen:
            assert np.array_equal(getattr(seen, name), red.device(name).read())
        compared.append(len(list(seen)))

    compared: list[int] = []
    red.on_sense(compare)
    red.wheels.set(0.1, 0.05)
    arena.step(10)
    assert len(compared) == 10
    assert compared[0] == 3


def test_observer_can_select_devices(arena: Arena, red: Robot) -> None:
    ground, others, everything = Diary(), Diary(), Diary()
    red.on_sense(ground, "ground")
    red.on_sense(others, "proximity", "encoders")
    red.on_sense(everything)
    red.wheels.set(0.1, 0.1)
    arena.step(3)
    assert ground.devices == [["ground"]] * 3
    assert others.devices[0] == ["proximity", "encoders"]
    assert all("encoders" in devices and "ground" not in devices for devices in others.devices)
    assert everything.devices[0] == ["proximity", "ground", "encoders"]


def test_late_observer_receives_all_devices_first(arena: Arena) -> None:
    with paddock.open(
        WORLD.with_robots(RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5), noise=False))
    ) as still:
        robot = still["red"]
        robot.enable("ground")
        first, second = Diary(), Diary()
        robot.on_sense(first)
        still.step(2)
        robot.on_sense(second)
        still.step(2)
    assert first.ticks == [1]
    assert second.ticks == [3]


def test_disabled_device_is_not_observed_until_enabled(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary, "ground", "microphones")
    arena.step()
    red.ground.disable()
    arena.step()
    red.enable("microphones", "ground")
    arena.step()
    assert diary.devices == [["ground"], ["ground", "microphones"]]


def test_polled_device_is_not_observed(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.proximity.poll_only()
    red.on_sense(diary)
    arena.step(3)
    assert all("proximity" not in devices for devices in diary.devices)


def test_sensing_and_reading_do_not_consume_observations(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    red.wheels.set(0.1, 0.1)
    for _ in range(5):
        red.sense()
        arena.step()
        red.ground.read()
    assert len(diary.entries) == 5


def test_observation_does_not_change_the_simulation(arena: Arena, red: Robot) -> None:
    with paddock.open(WORLD, seed=1) as other:
        for one in (arena, other):
            one["red"].wheels.set(0.1, 0.08)
        red.watch(0.1)
        red.on_sense(Diary())
        red.camera.enable()
        red.camera.on_image(Diary())
        arena.step(30)
        other.step(30)
        assert arena.digest() == other.digest()


# Cameras.


def test_images_have_their_own_period(arena: Arena, red: Robot) -> None:
    diary = Diary()
    pictures: list[int] = []
    red.camera.enable()
    red.watch(0.04)
    red.on_sense(diary)
    red.camera.on_image(lambda picture: pictures.append(arena.tick), period=0.2)
    red.drive(0.0, 1.0)
    arena.step(21)
    assert diary.ticks == list(range(1, 22, 2))
    assert pictures == [1, 11, 21]


def test_image_observer_must_be_callable(red: Robot) -> None:
    red.camera.enable()
    with pytest.raises(
        paddock.PaddockError, match=r"red\.camera\.on_image: expected a function that takes a picture, got 3"
    ):
        red.camera.on_image(3)


def test_each_image_observer_has_its_own_period(arena: Arena, red: Robot) -> None:
    often: list[int] = []
    seldom: list[int] = []
    red.camera.enable()
    red.camera.on_image(lambda picture: seldom.append(arena.tick), period=0.2)
    end = red.camera.on_image(lambda picture: often.append(arena.tick), period=0.1)
    red.drive(0.0, 1.0)
    arena.step(11)
    end()
    arena.step(10)
    assert often == [1, 6, 11]
    assert seldom == [1, 11, 21]


def test_observed_images_match_the_camera(arena: Arena, red: Robot) -> None:
    red.camera.enable()
    red.camera.on_image(lambda picture: shown.append(np.array_equal(picture, red.camera.read())))
    shown: list[bool] = []
    arena.step()
    assert shown == [True]


def test_image_observer_is_called_only_when_the_image_has_changed() -> None:
    still = paddock.open(WORLD.with_robots(RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5), noise=False)))
    red, pictures = still["red"], list[int]()
    red.camera.enable()
    red.camera.on_image(lambda picture: pictures.append(still.tick), period=0.1)
    still.step(11)
    assert pictures == [1]
    red.drive(0.0, 1.0)
    still.step(10)
    assert pictures == [1, 16, 21]


def test_disabled_camera_cannot_be_observed_and_disabling_pauses_images(arena: Arena, red: Robot) -> None:
    with pytest.raises(paddock.DeviceNotEnabled):
        red.camera.on_image(print)
    diary = Diary()
    red.camera.enable()
    red.camera.on_image(diary, 0.0)
    red.drive(0.0, 1.0)
    arena.step(2)
    red.camera.disable()
    arena.step(2)
    red.camera.enable()
    arena.step(2)
    assert len(diary.entries) == 4


# Ending.


def test_removed_observer_does_not_affect_the_others(arena: Arena, red: Robot) -> None:
    first, second = Diary(), Diary()
    end = red.on_sense(first)
    red.on_sense(second)
    arena.step()
    end()
    end()  # twice does not hurt
    arena.step()
    assert first.ticks == [1]
    assert second.ticks == [1, 2]


def test_function_registered_twice_is_removed_once_per_handle(arena: Arena, red: Robot) -> None:
    diary, pictures = Diary(), Diary()
    red.camera.enable()
    ends = [red.on_sense(diary), red.camera.on_image(pictures, 0)]
    red.on_sense(diary)
    red.camera.on_image(pictures, 0)
    red.drive(0.0, 1.0)
    arena.step()
    for end in ends:
        end()
        end()
    arena.step()
    assert diary.ticks == [1, 1, 2]
    assert len(pictures.entries) == 3


def test_observer_can_remove_itself_and_others(arena: Arena, red: Robot) -> None:
    def once(seen: paddock.Observation) -> None:
        calls.append(arena.tick)
        for end in ends:
            end()

    calls: list[int] = []
    other = Diary()
    ends = [red.on_sense(once), red.on_sense(other)]
    arena.step(3)
    assert calls == [1]
    assert other.ticks == [1]  # it was its turn already


def test_removed_robot_is_no_longer_observed(arena: Arena, red: Robot) -> None:
    diary = Diary()
    green = arena.spawn("green", "e-puck")
    green.enable("ground")
    end = green.on_sense(diary)
    arena.step(2)
    arena.remove("green")
    arena.step(2)
    assert diary.ticks == [1, 2]
    end()
    arena.step()
    for call in (lambda: green.on_sense(diary), green.watch):
        with pytest.raises(paddock.SimulationError, match="robot 'green' has left the arena"):
            call()
    arena.step()
    assert len(diary.entries) == 2


def test_observer_can_remove_any_robot_including_its_own(arena: Arena, red: Robot) -> None:
    diary = Diary()
    arena["blue"].enable("ground")
    red.on_sense(lambda seen: arena.remove("red") if "red" in arena else None)
    red.on_sense(diary)
    arena["blue"].on_sense(diary)
    arena.step(3)
    assert "red" not in arena
    assert diary.ticks == [1, 1, 2, 3]


def test_observers_survive_spawns_and_removals_of_other_robots(arena: Arena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    arena.step()
    arena.spawn("green", "e-puck")
    arena.step()
    arena.remove("blue")
    arena.step()
    assert diary.ticks == [1, 2, 3]


# Observers that raise, call back, and step.


def test_observer_exception_propagates_after_all_observers_were_called(arena: Arena, red: Robot) -> None:
    first, last, pictures = Diary(), Diary(), Diary()
    red.camera.enable()
    red.on_sense(first)
    end = red.on_sense(lambda seen: 1 / 0)
    red.on_sense(last)
    red.camera.on_image(pictures, 0)
    with pytest.raises(ZeroDivisionError):
        arena.step(10)
    assert arena.tick == 1  # the step ended there, and nothing is broken
    assert first.ticks == last.ticks == [1]
    assert len(pictures.entries) == 1
    with pytest.raises(ZeroDivisionError):
        arena.step()  # it is still an observer
    end()
    arena.step(3)
    assert first.ticks == last.ticks == [1, 2, 3, 4, 5]


def test_several_observer_exceptions_are_grouped(arena: Arena, red: Robot) -> None:
    def broken(seen: paddock.Observation) -> None:
        raise KeyError("missing")

    red.on_sense(lambda seen: 1 / 0)
    red.on_sense(broken)
    with pytest.raises(ExceptionGroup, match="2 observers of 'red' failed") as caught:
        arena.step()
    assert [type(error) for error in caught.value.exceptions] == [ZeroDivisionError, KeyError]


def test_observer_can_send_commands(arena: Arena, red: Robot) -> None:
    def act(seen: paddock.Observation) -> None:
        red.wheels.set(0.1, 0.1)
        red.leds.set(0)
        seen_there.append(red.sense().time)

    seen_there: list[float] = []
    red.on_sense(act)
    arena.step(20)
    assert red.pose.x > 0.52
    assert len(seen_there) == 20


def test_observer_that_steps_is_not_called_recursively(arena: Arena, red: Robot) -> None:
    diary = Diary()

    def hurry(seen: paddock.Observation) -> None:
        diary(seen)
        arena.step(3)

    red.on_sense(hurry)
    arena.step()
    assert arena.tick == 4
    arena.step()
    assert arena.tick == 8
    assert diary.ticks == [1, 5]


def test_observer_can_wait_for_other_threads_that_use_the_robot(arena: Arena, red: Robot) -> None:
    def ask_elsewhere(seen: paddock.Observation) -> None:
        thread = threading.Thread(target=lambda: poses.append(red.pose))
        thread.start()
        thread.join(60)
        assert not thread.is_alive()

    poses: list[paddock.Pose] = []
    red.on_sense(ask_elsewhere)
    arena.step(3)
    assert len(poses) == 3


def test_observer_is_called_by_the_stepping_thread(arena: Arena, red: Robot) -> None:
    callers: list[int] = []
    red.on_sense(lambda seen: callers.append(threading.get_ident()))
    thread = threading.Thread(target=arena.step)
    thread.start()
    thread.join()
    arena.step()
    assert callers == [thread.ident, threading.get_ident()]


def test_robots_have_independent_observers(arena: Arena, red: Robot) -> None:
    blue = arena["blue"]
    blue.enable("ground")
    of_red, of_blue = Diary(), Diary()
    red.watch(0.1)
    red.on_sense(of_red)
    blue.on_sense(of_blue)
    arena.step(6)
    assert of_red.ticks == [1, 6]
    assert of_blue.ticks == [1, 2, 3, 4, 5, 6]
