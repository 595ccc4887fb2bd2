"""Reaction networks: pools of chemicals connected by reaction units, defined as data; also run in compiled loops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.core import library
from paddock.core.errors import PaddockError, format_value
from paddock.core.lazy import import_on_demand
from paddock.core.spec import read_toml_file, spec_from_table
from paddock.experiments.ecoli.reaction_networks.reaction_spec import (
    Flux,
    ReactionNetwork,
    ReactionPool,
    ReactionUnit,
    SwitchOff,
)
from paddock.experiments.ecoli.reaction_networks.reaction_tables import (
    ConservedSum,
    Matrices,
    conserved_sums,
    matrices_of,
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
    "conserved_sums",
    "dose_response_chart",
    "draw_reactions",
    "find_dose_response",
    "find_step_response",
    "load_reactions",
    "matrices_of",
    "pools_chart",
    "reaction_names",
    "simulate",
    "start_values",
    "step_response_chart",
]

__getattr__ = import_on_demand(__name__)


def reaction_names() -> list[str]:
    """Return the names of the shipped networks."""
    return library.names(__name__)


def load_reactions(network: str | Path | ReactionNetwork) -> ReactionNetwork:
    """Load a shipped network by name or a network from a TOML file; return a ReactionNetwork unchanged."""
    if isinstance(network, ReactionNetwork):
        return network
    if not isinstance(network, str | Path):
        raise PaddockError(
            f"expected a reaction network's name, the path of a TOML file, or a ReactionNetwork, "
            f"got {format_value(network)}"
        )
    path = library.find(__name__, "reaction network", network)
    return spec_from_table(ReactionNetwork, read_toml_file(path), file=path.name)
