"""Programs as readable text: formulas of genetic programming, and units of NEAT networks."""

from __future__ import annotations

import numpy as np

from paddock.control.policies.program import (
    ADD,
    COPY,
    COUNT,
    DIVIDE,
    INSTRUCTION_COLUMNS,
    LEAST,
    MAGNITUDE,
    MOST,
    MULTIPLY,
    RECTIFY,
    SET,
    SQUASH,
    SUBTRACT,
    SWITCH,
    WEIGH,
    WHERE,
    Program,
)

WRITTEN = {
    ADD: "({a} + {b})", SUBTRACT: "({a} - {b})", MULTIPLY: "({a} · {b})", DIVIDE: "({a} / {b})",
    LEAST: "min({a}, {b})", MOST: "max({a}, {b})", MAGNITUDE: "|{a}|", SQUASH: "tanh({a})", SWITCH: "sigmoid({a})",
    RECTIFY: "max(0, {a})", COPY: "{a}", WHERE: "({a} > 0 ? {b} : {before})",
}  # fmt: skip


def format_program(program: Program) -> str:
    """Format the computation of a program's first individual in a tick, with a line for each unit and each wheel."""
    inputs = program.values
    names = [f"x{i}" for i in range(inputs)] + ["left before", "right before"]
    names += [f"u{i} before" for i in range(program.length)]
    lines, units = [], 0
    for operation, target, a, b, number in list_instructions(program):
        if operation == SET:
            names[target] = f"{number:.4g}"
        elif operation == WEIGH:
            names[target] = f"{names[a]} {'-' if number < 0 else '+'} {abs(number):.4g} · {names[b]}"
        else:
            names[target] = WRITTEN[operation].format(a=names[a], b=names[b], before=names[target])
        if operation == SQUASH and target == a:  # a unit of a NEAT network; other units may read it
            lines.append(f"u{units} = {names[target]}")
            names[target], units = f"u{units}", units + 1
    lines += [f"{wheel} = {names[inputs + i]}" for i, wheel in enumerate(("left", "right"))]
    division = ["# a / b is a if b is nearly zero"] if any(" / " in line for line in lines) else []
    return "\n".join([*describe_inputs(program), *division, "", *lines]) + "\n"


def list_instructions(program: Program) -> list[tuple[int, int, int, int, float]]:
    """Return operation, target, both sources and number of each instruction of the first individual."""
    row = program.weights[0]
    table = row[COUNT : COUNT + INSTRUCTION_COLUMNS * int(row[0])].reshape(-1, INSTRUCTION_COLUMNS)
    return [(*(int(value) for value in line[:-1]), float(line[-1])) for line in np.asarray(table)]  # type: ignore[misc]


def describe_inputs(program: Program) -> list[str]:
    """Return comment lines that explain the names of inputs and wheels."""
    lines, first = [], 0
    for part in program.inputs:
        last = first + part.values - 1
        names = f"x{first}" if first == last else f"x{first} … x{last}"
        seen = "change of the reading" if part.change else f"(reading - {part.zero:g})"
        lines.append(f"# {names}: {part.device}, {part.gain:g} · {seen}, clipped to -1 … 1")
        first = last + 1
    lines.append(f"# wheel speed: {program.speed:g} m/s · left and right, clipped to -1 … 1; before: previous tick")
    return lines
