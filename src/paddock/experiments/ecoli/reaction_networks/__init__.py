"""Reaction networks: pools of chemicals connected by reaction units, defined as data; also run in compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand
from paddock.experiments.ecoli.reaction_networks.reaction_spec import (
    ConservedSum,
    Flux,
    Matrices,
    ReactionNetwork,
    ReactionPool,
    ReactionUnit,
    SwitchOff,
    build_matrices,
    conserved_sums,
    load_reactions,
    reaction_names,
)
from paddock.experiments.ecoli.reaction_networks.responses import (
    DoseResponse,
    StepResponse,
    find_dose_response,
    find_step_response,
)
from paddock.experiments.ecoli.reaction_networks.simulate import TimeCourse, advance_pools, simulate, start_values

if TYPE_CHECKING:
    from paddock.experiments.ecoli.reaction_networks.reaction_charts import (
        dose_response_chart,
        pools_chart,
        step_response_chart,
    )
    from paddock.experiments.ecoli.reaction_networks.reaction_picture import draw_reactions

__all__ = [
    "ConservedSum",
    "DoseResponse",
    "Flux",
    "Matrices",
    "ReactionNetwork",
    "ReactionPool",
    "ReactionUnit",
    "StepResponse",
    "SwitchOff",
    "TimeCourse",
    "advance_pools",
    "build_matrices",
    "conserved_sums",
    "dose_response_chart",
    "draw_reactions",
    "find_dose_response",
    "find_step_response",
    "load_reactions",
    "pools_chart",
    "reaction_names",
    "simulate",
    "start_values",
    "step_response_chart",
]

__getattr__ = import_on_demand(__name__)
