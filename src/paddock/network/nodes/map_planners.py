"""Planners that use the mapper's map."""

from __future__ import annotations

from typing import Any

from paddock.control.navigation import Explorer, Navigator
from paddock.network.nodes.remote_map import RemoteMapper
from paddock.simulation.robots import RobotSpec


def make_explorer(spec: RobotSpec, feed: list[Any], **options: Any) -> Explorer:
    """Create a planner that explores all reachable space."""
    return Explorer(_join(spec, feed), spec, **options)


def make_navigator(spec: RobotSpec, feed: list[Any], **options: Any) -> Navigator:
    """Create a planner that drives to goals from messages."""
    return Navigator(_join(spec, feed), spec, **options)


def _join(spec: RobotSpec, feed: list[Any]) -> RemoteMapper:
    mapper = RemoteMapper(spec)
    feed.append(mapper.take)
    return mapper
