"""The tape records every command change once, at the tick from which it holds."""

from __future__ import annotations

import numpy as np

import paddock
from paddock.core.seeds import draw_uniform
from paddock.simulation.engine.input_layout import InputLayout

TICKS = 60


def test_commands_are_restored_from_the_tape() -> None:
    arena = paddock.open("line-crossing")
    layout = InputLayout(arena.commands[0], arena.motion)
    tape = layout.new_tape(arena.commands[0], arena.motion, TICKS)
    arena.scratch = arena.scratch._replace(tape=tape)
    known = layout.values(arena.commands[0], arena.motion)
    told, changes = [], 0
    for tick in range(TICKS):
        for name, robot in arena.robots.items():
            if draw_uniform(1, tick, name) < 0.3:
                robot.wheels.set(0.1 * draw_uniform(2, tick, name), 0.05)
            if draw_uniform(3, tick, name) < 0.1:
                robot.leds.set("led3", draw_uniform(4, tick, name))
                robot.speaker.play(440.0 + tick)
        told.append(layout.values(arena.commands[0], arena.motion))
        changes += int((told[-1] != (told[-2] if tick else known)).sum())
        tape[0, 1] = 1.0  # LEDs and speakers may have changed
        arena.step()
    keys, values = layout.take_entries(tape)
    assert len(keys) == changes
    ticks, numbers = np.divmod(keys.astype(int), layout.count)
    commands, motion = np.zeros_like(arena.commands[0]), np.zeros_like(arena.motion)
    for tick in range(TICKS):
        layout.apply(numbers[ticks == tick], values[ticks == tick], commands, motion)
        assert np.array_equal(layout.values(commands, motion), told[tick])
    assert len(layout.take_entries(tape)[0]) == 0


def test_full_tape_is_not_overrun() -> None:
    arena = paddock.open("line-crossing")
    layout = InputLayout(arena.commands[0], arena.motion)
    tape = layout.new_tape(arena.commands[0], arena.motion, 1)
    longer = np.concatenate([tape, np.zeros((TICKS * layout.count, 2))])
    arena.scratch = arena.scratch._replace(tape=longer[: len(tape)])
    for tick in range(TICKS):
        for robot in arena.robots.values():
            robot.wheels.set(0.001 * (tick + 1), 0.05)
        arena.step()
    assert not longer[len(tape) :].any()
    assert longer[0, 0] > layout.count  # it can be seen that some are missing
