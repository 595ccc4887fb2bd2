"""NEAT genomes: settings of neat-python, and compilation to instructions of `policies/program.py`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from paddock.control.policies.program import COPY, COUNT, INSTRUCTION_COLUMNS, SET, SQUASH, WEIGH, WHEELS
from paddock.learning.evolve.strategies.strategy import Floats

STEEP = 2.5  # neat-python's activation is tanh(2.5 x)

SETTINGS = Path(__file__).with_name("neat.ini").read_text(encoding="utf-8")  # settings of neat-python


def compile_genome(genome: Any, genes: Any, inputs: int, length: int, *, recurrent: bool) -> Floats:
    """Compile a genome to one individual of a Program; it has no instructions if the genome is too large."""
    from neat.nn import FeedForwardNetwork, RecurrentNetwork

    wires = read_nodes(FeedForwardNetwork if not recurrent else RecurrentNetwork, genome, genes)
    at = {key: i for i, key in enumerate(genes.input_keys)}
    first = inputs + WHEELS
    for i, (node, *_) in enumerate(wires):
        at[node] = first + i
    code: list[tuple[float, ...]] = []
    for i, (node, bias, response, links) in enumerate(wires):
        # Recurrent units change at the same time: compute them in other registers from the values of the previous tick.
        target = first + len(wires) + i if recurrent else at[node]
        code.append((SET, target, 0, 0, STEEP * bias))
        code += [(WEIGH, target, target, at[key], STEEP * response * weight) for key, weight in links if key in at]
        code.append((SQUASH, target, target, 0, 0.0))
    if recurrent:
        code += [(COPY, first + i, first + len(wires) + i, 0, 0.0) for i in range(len(wires))]
    for wheel, node in enumerate(genes.output_keys):
        code.append((COPY, inputs + wheel, at[node], 0, 0.0) if node in at else (SET, inputs + wheel, 0, 0, 0.0))
    row = np.zeros(COUNT + INSTRUCTION_COLUMNS * length)
    if len(code) <= length and 2 * len(wires) <= length:
        row[0] = len(code)
        row[COUNT : COUNT + INSTRUCTION_COLUMNS * len(code)] = np.array(code).ravel()
    return row


def read_nodes(kind: Any, genome: Any, genes: Any) -> list[tuple[Any, float, float, list[tuple[Any, float]]]]:
    """Return the nodes in evaluation order, each with bias, response and links, in the format of neat-python."""

    network = kind.create(genome, SimpleNamespace(genome_config=genes))
    return [(node, bias, response, links) for node, _, _, bias, response, links in network.node_evals]
