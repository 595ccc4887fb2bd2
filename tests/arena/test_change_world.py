"""An arena switched to another world: handles, devices and time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import paddock
from paddock.core.errors import SimulationError, UnknownName
from paddock.simulation.worlds import RobotPlacement, load_world


def test_changed_arena_is_bit_identical_to_a_new_one() -> None:
    with paddock.open("clutter", seed=1) as arena, paddock.open("empty", seed=7) as other:
        arena["red"].wheels.set(0.1, 0.05)
        arena.step(50)
        arena.change_world(load_world("empty"), seed=7)
        assert (arena.tick, arena.seed, arena.world.name) == (0, 7, "empty")
        assert arena.digest() == other.digest()
        for each in (arena, other):
            each["red"].wheels.set(0.05, 0.1)
            each.step(100)
        assert arena.digest() == other.digest()


def test_robots_that_others_added_make_runs_unrepeatable_until_another_world_is_opened() -> None:
    with paddock.open("clutter") as arena:
        other = threading.Thread(target=lambda: arena.spawn("green", "e-puck"))
        other.start()
        other.join()
        arena.reset()
        assert arena.nondeterminism == "green was spawned"
        arena.change_world(load_world("clutter"))
        assert arena.nondeterminism == ""


def test_handles_and_enabled_devices_carry_over_by_robot_name() -> None:
    with paddock.open("clutter") as arena:
        red, proximity = arena["red"], arena["red"].proximity
        red.enable("proximity")
        arena.change_world(load_world("empty"))
        assert arena["red"] is red
        assert proximity.read().shape == (8,)
        red.drive(0.1, 0.0)
        x = red.pose.x
        arena.step(50)
        assert red.pose.x > x


def test_robot_of_another_type_refuses_missing_devices() -> None:
    world = load_world("empty")
    other = world.with_robots(RobotPlacement(name="red", type="pioneer-p3dx", at=(1.0, 1.0)))
    with paddock.open("empty") as arena:
        red, ground, encoders = arena["red"], arena["red"].ground, arena["red"].encoders
        red.enable("ground", "encoders", "position", "camera")
        arena.change_world(other)
        assert red.spec.name == "pioneer-p3dx"
        assert red.wheels.max_speed == red.spec.drive.max_speed
        assert not ground.enabled
        for call in (ground.read, ground.enable, lambda: red.ground):
            with pytest.raises(UnknownName, match=r"no device of red.* called 'ground'"):
                call()
        assert encoders.read().shape == (2,)
        assert red.camera.read().shape == (red.camera.height, red.camera.width, 3)
        arena.change_world(world)
        assert red.position.read().x == pytest.approx(red.pose.x)


def test_change_world_drops_absent_robots_and_is_refused_while_recording(tmp_path: Path) -> None:
    with paddock.open("empty") as arena:
        guest = arena.spawn("guest", "e-puck")
        with paddock.record(arena, tmp_path / "run.mcap"):
            arena.step(5)
            with pytest.raises(SimulationError, match="change_world: this arena is being recorded"):
                arena.change_world(load_world("clutter"))
        arena.change_world(load_world("clutter"))
        with pytest.raises(SimulationError, match="'guest' has left"):
            guest.drive(0.1, 0.0)
