"""Observations and commands of a controller."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.core.observation import Slot, WheelSpeeds, acting
from paddock.simulation.worlds.world_spec import RobotPlacement

PICTURE = np.zeros((2, 3, 3), np.uint8)


def all_values(values: Any) -> Any:
    return values


def first_value(values: Any) -> float:
    return float(values[0])


def touched(values: Any) -> Any:
    return values > 0.5


def seen() -> paddock.Observation:
    slots = {"ground": Slot(0, 3, all_values), "compass": Slot(3, 4, first_value)}
    return paddock.Observation(1.25, np.array([0.1, 0.2, 0.3, 1.5]), slots, {"camera": PICTURE})


def test_observation_has_an_attribute_for_each_read_device() -> None:
    assert seen().ground.tolist() == [0.1, 0.2, 0.3]
    assert seen().compass == 1.5
    assert seen().camera.base is PICTURE
    assert seen().time == 1.25


def test_observation_lists_its_devices() -> None:
    assert list(seen()) == ["ground", "compass", "camera"]


def test_a_printed_observation_shows_its_readings_in_one_line() -> None:
    assert str(seen()) == (
        "Observation(time=1.250, ground=[0.1, 0.2, 0.3], compass=1.5, camera="
        f"<image of {PICTURE.shape[1]} x {PICTURE.shape[0]} pixels>)"
    )
    slots = {"laser": Slot(0, 180, all_values), "bumper": Slot(180, 182, touched)}
    many = paddock.Observation(0.0, np.arange(182.0), slots)
    assert str(many) == ("Observation(time=0.000, laser=[0, 1, 2, …, 177, 178, 179] (180 values), bumper=[True, True])")


def test_unread_device_error_suggests_a_read_one() -> None:
    with pytest.raises(paddock.UnknownName) as caught:
        _ = seen().grond
    assert str(caught.value) == "no enabled device called 'grond' (did you mean 'ground'?)"


def test_device_not_enabled_error_names_the_fix() -> None:
    with pytest.raises(paddock.UnknownName) as caught:
        _ = seen().only([]).proximity
    assert str(caught.value) == (
        "no enabled device called 'proximity' (there are none): "
        'if the robot has it, enable it with robot.enable("proximity") before arena.run() or robot.sense()'
    )


def test_hasattr_is_true_only_for_read_devices() -> None:
    assert hasattr(seen(), "camera")
    assert not hasattr(seen(), "sonar")
    assert getattr(seen(), "sonar", None) is None


def test_observation_is_read_only() -> None:
    with pytest.raises(AttributeError):
        seen().sonar = 3


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_observation_can_be_copied_and_pickled(duplicate: Any) -> None:
    assert duplicate(seen()).ground.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("name", ["e-puck", "pioneer-p3dx"])
def test_sensed_observation_can_be_pickled(name: str) -> None:
    robot = RobotPlacement(name="it", type=name, at=(2, 2))
    it = paddock.open(paddock.WorldSpec(name="w", bounds=(0, 0, 4, 4), robots=(robot,)))["it"]
    it.enable()
    here = it.sense()
    there = pickle.loads(pickle.dumps(here))
    assert list(there) == list(here)
    for device in here:
        assert np.array_equal(getattr(there, device), getattr(here, device))


def test_observation_devices_are_in_dir() -> None:
    assert {"ground", "compass", "camera", "time"} <= set(dir(seen()))


def test_empty_command_changes_nothing() -> None:
    command = paddock.Command()
    assert (command.wheels, command.pans, command.leds, command.tone) == (None, {}, {}, None)


def test_command_is_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        paddock.Command().wheels = (1.0, 1.0)  # type: ignore[misc]


def test_wheel_speeds_are_a_pair() -> None:
    left, right = WheelSpeeds(0.1, 0.2)
    assert (left, right) == (0.1, 0.2)


class Still:
    def act(self, observation: paddock.Observation) -> None:
        return None


def test_functions_and_objects_with_act_are_controllers() -> None:
    still = Still()
    assert acting(still)(seen()) is None
    assert acting(lambda observation: observation.time)(seen()) == 1.25


def test_file_as_a_controller_is_refused_with_the_fix() -> None:
    with pytest.raises(paddock.PaddockError, match=r"method; RunSpec\(drivers=…\) takes the name of a file"):
        acting("mine.py")


@pytest.mark.parametrize("thing", [None, 3, (0.1, 0.1)])
def test_other_objects_are_refused_as_controllers(thing: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        acting(thing)
    assert str(caught.value) == (
        f"{thing!r} is not a controller: expected a function act(observation) or an object with such a method"
    )


def test_class_instead_of_an_instance_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"Still is a class: expected an object, Still\(\)"):
        acting(Still)


def test_an_object_without_act_is_described_by_its_class_and_methods() -> None:
    class Stepper:
        def step(self, observation: paddock.Observation) -> None: ...

    with pytest.raises(paddock.PaddockError) as caught:
        acting(Stepper())
    assert str(caught.value) == (
        "the object of class Stepper (its methods: step) is not a controller: "
        "expected a function act(observation) or an object with such a method"
    )
