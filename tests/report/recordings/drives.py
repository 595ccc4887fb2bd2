"""A run with everything that a recording must contain; as a program, it runs until it is killed."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import paddock
from paddock import Arena


def open_arena() -> Arena:
    """Two e-pucks, one with all its devices enabled."""
    arena = paddock.open("line-crossing", seed=5)
    arena["red"].enable("proximity", "ground")
    arena["blue"].enable()
    return arena


def drive(arena: Arena, path: Path) -> Iterator[tuple[int, str]]:
    """Record a run with interventions of all kinds; yield the recording's tick and the digest after each step."""
    red, blue = arena["red"], arena["blue"]
    passed = 0

    def steps(count: int) -> Iterator[tuple[int, str]]:
        nonlocal passed
        for _ in range(count):
            passed += 1
            red.wheels.set(0.05 + 0.03 * math.sin(passed / 7), 0.06)
            if "blue" in arena:
                blue.wheels.set(0.03, 0.03 * math.cos(passed / 5))
            arena.step()
            yield passed, arena.digest()

    with paddock.record(arena, path):
        yield from steps(60)
        red.leds.set("led0", 1.0)
        yield from steps(3)
        red.speaker.play(440.0)
        yield from steps(2)
        red.set_pose(red.pose.x, red.pose.y + 0.02, 1.0)
        yield from steps(20)
        before = arena.snapshot()
        yield from steps(10)
        arena.restore(before)
        arena.spawn("green", "e-puck").wheels.set(0.02, 0.05)
        yield from steps(40)
        arena.remove("blue")
        yield from steps(30)
        arena.reset(9)
        yield from steps(20)
        arena.step(7)  # at once
        passed += 7
        yield passed, arena.digest()


def main(path: str) -> None:
    """Print each tick and digest of an endless run."""
    arena = open_arena()
    red, blue = arena["red"], arena["blue"]
    with paddock.record(arena, path):
        for tick in range(1, sys.maxsize):
            red.wheels.set(0.05 + 0.03 * math.sin(tick / 7), 0.06)
            blue.leds.set("led0", float(tick % 50 < 25))
            if tick % 300 == 0:
                red.set_pose(0.5, 0.25, 0.1)
            arena.step()
            sys.stdout.write(f"{arena.tick} {arena.digest()}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
