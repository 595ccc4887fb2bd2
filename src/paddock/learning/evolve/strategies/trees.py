"""Expression trees: random creation, crossover, mutation and compilation for `policies/program.py`.

A tree is the list of its nodes in prefix order: each node comes before its branches.
"""

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
    SET,
    SQUASH,
    SUBTRACT,
    WHEELS,
    WHERE,
)
from paddock.learning.evolve.strategies.strategy import Floats

Node = tuple[int, float]
"""An operation and its number: the value of SET, or the register of READ."""

Tree = list[Node]

READ = -1  # reads an input, or a wheel of the previous tick
BRANCHES = {
    READ: 0, SET: 0, SQUASH: 1, MAGNITUDE: 1, ADD: 2, SUBTRACT: 2, MULTIPLY: 2, DIVIDE: 2, LEAST: 2, MOST: 2, WHERE: 3,
}  # fmt: skip
FUNCTIONS = (ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST, WHERE, SQUASH, MAGNITUDE)


def grow_tree(rng: np.random.Generator, registers: int, depth: int, *, full: bool) -> Tree:
    """Return a random tree of at most this depth; with `full`, all branches have exactly this depth."""
    if depth == 0 or (not full and rng.random() < 0.3):
        if rng.random() < 0.7:
            return [(READ, float(rng.integers(registers)))]
        return [(SET, float(rng.normal(0.0, 1.0)))]
    operation = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
    tree: Tree = [(operation, 0.0)]
    for _ in range(BRANCHES[operation]):
        tree += grow_tree(rng, registers, depth - 1, full=full)
    return tree


def find_end(tree: Tree, start: int) -> int:
    """Return the end index of the branch that starts at a node."""
    open_branches = 1
    while open_branches:
        open_branches += BRANCHES[tree[start][0]] - 1
        start += 1
    return start


def graft(tree: Tree, at: int, branch: Tree) -> Tree:
    """Return the tree with the branch that starts at a node replaced by another branch."""
    return tree[:at] + branch + tree[find_end(tree, at) :]


def cross(rng: np.random.Generator, mother: Tree, father: Tree) -> Tree:
    """Return the mother with a random branch replaced by a random branch of the father."""
    at, from_ = int(rng.integers(len(mother))), int(rng.integers(len(father)))
    return graft(mother, at, father[from_ : find_end(father, from_)])


def mutate(rng: np.random.Generator, tree: Tree, registers: int) -> Tree:
    """Return the tree with a new branch, one of its branches alone, or the tree with changed constants."""
    kind, at = rng.random(), int(rng.integers(len(tree)))
    if kind < 0.4:
        return graft(tree, at, grow_tree(rng, registers, int(rng.integers(1, 4)), full=False))
    if kind < 0.5:
        return tree[at : find_end(tree, at)]
    return [
        (operation, number + float(rng.normal(0.0, 0.3))) if operation == SET else (operation, number)
        for operation, number in tree
    ]


def count_instructions(tree: Tree) -> int:
    """Return the number of instructions of a compiled tree."""
    return sum(0 if operation == READ else 2 if operation == WHERE else 1 for operation, _ in tree)


def compile_trees(trees: tuple[Tree, Tree], inputs: int, length: int) -> Floats:
    """Compile the trees of the left and right wheel to one individual of a Program."""
    code: list[tuple[float, ...]] = []
    free = inputs + WHEELS

    def place() -> int:
        nonlocal free
        free += 1
        return free - 1

    def emit(tree: Tree, at: int) -> tuple[int, int]:
        """Emit the code of a branch; return the register of its value and its end index."""
        operation, number = tree[at]
        at += 1
        if operation == READ:
            return int(number), at
        values = []
        for _ in range(BRANCHES[operation]):
            value, at = emit(tree, at)
            values.append(value)
        target = place()
        if operation == SET:
            code.append((SET, target, 0, 0, number))
        elif operation == WHERE:
            code.append((COPY, target, values[2], 0, 0.0))
            code.append((WHERE, target, values[0], values[1], 0.0))
        else:
            code.append((operation, target, values[0], values[-1], 0.0))
        return target, at

    results = [emit(tree, 0)[0] for tree in trees]
    # Both trees may read the previous wheel values, so these change last. A tree may even return the register of the
    # other wheel, so the results are copied first.
    held = [place() for _ in results]
    code += [(COPY, hold, result, 0, 0.0) for hold, result in zip(held, results, strict=True)]
    code += [(COPY, inputs + wheel, hold, 0, 0.0) for wheel, hold in enumerate(held)]
    row = np.zeros(COUNT + INSTRUCTION_COLUMNS * length)
    row[0] = len(code)
    row[COUNT : COUNT + INSTRUCTION_COLUMNS * len(code)] = np.array(code).ravel()
    return row


OVERHEAD = 2 * WHEELS  # instructions of a program in addition to those of its trees
