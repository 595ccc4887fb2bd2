"""Microphones: the world's sounds and other robots' speakers."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.simulation.sensors.microphone import MicrophoneSpec
from paddock.simulation.worlds.world_spec import RobotPlacement, Sound
from scenes import alone, puck, world

EARS = MicrophoneSpec(name="ears", mounts=((0, 0.1, 0.1, 0), (0, -0.1, 0.1, 0)))
EAR = MicrophoneSpec(name="ear", mounts=((0, 0, 0.1, 0),))


def test_sound_falls_with_distance_and_is_louder_on_its_side():
    _arena, robot = alone(EARS, sounds=(Sound(at=(0, 1.0), height=0.1, amplitude=2.0),))
    assert robot.ears.read().tolist() == pytest.approx([2 / 0.9, 2 / 1.1])


def test_independent_sounds_add_their_powers():
    _arena, robot = alone(EAR, sounds=(Sound(at=(1, 0), amplitude=3.0), Sound(at=(0, 1), amplitude=4.0)))
    assert robot.ear.read() == pytest.approx(5.0)


def pair() -> paddock.Arena:
    kind = puck(EAR, speaker=True)
    arena = paddock.open(
        world(RobotPlacement(name="a", type=kind, at=(0, 0)), RobotPlacement(name="b", type=kind, at=(0.5, 0)))
    )
    arena["a"].enable()
    arena["b"].enable()
    return arena


def test_microphone_measures_another_robots_speaker_until_it_stops():
    arena = pair()
    assert arena["a"].ear.read() == 0.0
    arena["b"].speaker.play(440, 0.2)
    arena.step()
    assert arena["a"].ear.read() == pytest.approx(0.2 / 0.5)
    arena["b"].speaker.stop()
    arena.step()
    assert arena["a"].ear.read() == 0.0


def test_microphone_ignores_the_robots_own_speaker():
    arena = pair()
    arena["b"].speaker.play(440, 0.2)
    arena.step()
    assert arena["b"].ear.read() == 0.0


def test_source_at_the_microphone_is_loud_but_finite():
    _arena, robot = alone(EAR, sounds=(Sound(at=(0, 0), height=0.1),))
    assert math.isfinite(robot.ear.read())
    assert robot.ear.read() > 10
