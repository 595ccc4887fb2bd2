"""Tests that a network trained in `Avoid` drives in arenas, over the network and on an emulated robot."""

from __future__ import annotations

from pathlib import Path

import pytest

import paddock
from paddock.arena.metrics import ContactTime, Distance
from paddock.bridges.epuck import EPuckEmulators
from paddock.control.policies import Network
from paddock.network.server import Server, Settings
from paddock.testing import serve

TRAINED = Path(__file__).parents[3] / "examples" / "learning" / "avoid.npz"
METRICS = (Distance(), ContactTime())


def test_trained_network_avoids_obstacles_locally_and_over_the_network() -> None:
    network = Network.load(TRAINED)
    with paddock.open("clutter", seed=1) as arena:
        arena["red"].enable("proximity")
        here = arena.run(20, {"red": network}, metrics=METRICS)
    assert here.metrics["distance"] > 2.0
    assert here.metrics["contacts"] == 0
    with serve("clutter", seed=1) as server, paddock.connect(server.url(scheme="ws"), lock_step=True) as arena:
        arena["red"].enable("proximity")
        there = arena.run(20, {"red": network}, metrics=METRICS)
    assert there.metrics["distance"] == here.metrics["distance"]
    assert there.digest == here.digest


def test_trained_network_drives_an_emulated_epuck_over_serial() -> None:
    pytest.importorskip("serial", reason="pip install pyserial")
    pytest.importorskip("pty", reason="no pseudo terminals here")
    server = Server(paddock.open("clutter", seed=1), Settings(port=0))
    with server.in_background(), EPuckEmulators(server.arena, serial=["red"]) as emulators:
        with paddock.connect(f"epuck://{emulators.devices['red']}", name="red", timeout=60) as robot:
            robot.enable("proximity", "encoders")
            episode = robot.run(2.0, Network.load(TRAINED))
        assert episode.reason == "2 s elapsed"
        assert episode.trace.commands.max() > 0.05
