"""Refusals: what a client is told when something was not done."""

from __future__ import annotations

from paddock.core.errors import PaddockError, SimulationError
from paddock.protocol.messages import Refusal

LONGEST_TEXT = 2000  # letters


def refusal(error: PaddockError, id: int | None) -> Refusal:
    """An error as it is told to a client."""
    text = str(error)
    return Refusal(
        id=id, error=type(error).__name__, message=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    )


def failure(what: str, id: int | None) -> Refusal:
    """What a client is told of a mistake of the server's own; the log has the rest."""
    return refusal(SimulationError(f"{what}: the server failed; see its log"), id)
