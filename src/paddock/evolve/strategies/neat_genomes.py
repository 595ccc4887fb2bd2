"""Genomes of NEAT: the settings of the package, and genomes as instructions for `policies/register_machine.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from paddock.evolve.strategies.base import Floats
from paddock.policies.register_machine import COPY, COUNT, INSTRUCTION_COLUMNS, SET, SQUASH, WEIGH, WHEELS

STEEP = 2.5  # neat-python's tanh is steeper than others: tanh(2.5 x)

SETTINGS = """
[NEAT]
fitness_criterion = max
fitness_threshold = 0
no_fitness_termination = True
pop_size = {population}
reset_on_extinction = True

[DefaultGenome]
num_inputs = {inputs}
num_outputs = 2
num_hidden = 0
feed_forward = {feed_forward}
initial_connection = full_direct
activation_default = tanh
activation_mutate_rate = 0.0
activation_options = tanh
aggregation_default = sum
aggregation_mutate_rate = 0.0
aggregation_options = sum
bias_init_type = gaussian
bias_init_mean = 0.0
bias_init_stdev = 1.0
bias_max_value = 10.0
bias_min_value = -10.0
bias_mutate_power = 0.4
bias_mutate_rate = 0.7
bias_replace_rate = 0.1
response_init_type = gaussian
response_init_mean = 1.0
response_init_stdev = 0.0
response_max_value = 10.0
response_min_value = -10.0
response_mutate_power = 0.0
response_mutate_rate = 0.0
response_replace_rate = 0.0
weight_init_type = gaussian
weight_init_mean = 0.0
weight_init_stdev = 1.0
weight_max_value = 10.0
weight_min_value = -10.0
weight_mutate_power = 0.5
weight_mutate_rate = 0.8
weight_replace_rate = 0.1
time_constant_init_type = gaussian
time_constant_init_mean = 1.0
time_constant_init_stdev = 0.0
time_constant_max_value = 10.0
time_constant_min_value = 0.1
time_constant_mutate_power = 0.0
time_constant_mutate_rate = 0.0
time_constant_replace_rate = 0.0
enabled_default = True
enabled_mutate_rate = 0.01
enabled_rate_to_true_add = 0.0
enabled_rate_to_false_add = 0.0
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
compatibility_excess_coefficient = auto
compatibility_include_node_genes = True
compatibility_enable_penalty = 1.0
conn_add_prob = 0.3
conn_delete_prob = 0.1
node_add_prob = 0.2
node_delete_prob = 0.1
single_structural_mutation = false
structural_mutation_surer = default

[DefaultSpeciesSet]
compatibility_threshold = 3.0

[DefaultStagnation]
species_fitness_func = max
max_stagnation = 20
species_elitism = 2

[DefaultReproduction]
elitism = 2
survival_threshold = 0.3
min_species_size = 2
"""


def compile_genome(genome: Any, genes: Any, inputs: int, length: int, *, recurrent: bool) -> Floats:
    """A genome as one individual of a Program: no instructions at all if there are too many."""
    from neat.nn import FeedForwardNetwork, RecurrentNetwork

    wires = read_nodes(FeedForwardNetwork if not recurrent else RecurrentNetwork, genome, genes)
    at = {key: i for i, key in enumerate(genes.input_keys)}
    first = inputs + WHEELS
    for i, (node, *_) in enumerate(wires):
        at[node] = first + i
    code: list[tuple[float, ...]] = []
    for i, (node, bias, response, links) in enumerate(wires):
        # With memory, all units change at once: they are computed aside from what all were a tick ago.
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
    """Nodes in the order in which they are computed, each with bias, response and links, as the package has them."""

    network = kind.create(genome, SimpleNamespace(genome_config=genes))
    return [(node, bias, response, links) for node, _, _, bias, response, links in network.node_evals]
