"""Time over CoppeliaSim's API: stepping programs are bit-identical, and clients share one clock."""

from __future__ import annotations

import socket
import threading
from typing import Any

import numpy as np
import pytest

import paddock
from bridges.coppelia.coppelia_fixtures import ROOM, load_old_client, new_client, served
from paddock.bridges.common.ports import open_port
from paddock.bridges.coppelia import CoppeliaServer
from paddock.core.errors import LinkError, PaddockError, SimulationError

STEPS, BASE, TURN = 40, 2.0, 3.0
RADIUS = 0.195 / 2


def speeds_for(ahead: float) -> tuple[float, float]:
    """Return wheel speeds that steer away from near objects; infinity means no detection."""
    return (BASE, BASE) if ahead > 0.7 else (BASE, BASE - TURN * (1 - ahead))


def run_stepped(bridge: CoppeliaServer, sim: Any, step: Any) -> str:
    """Run a program in stepping mode and return the resulting state."""
    left, right = (sim.getObject(f"/PioneerP3DX/{side}Motor") for side in ("left", "right"))
    sensor = sim.getObject("/PioneerP3DX/ultrasonicSensor[3]")
    sim.startSimulation()
    for _ in range(STEPS):
        step()
        seen, distance, *_ = sim.readProximitySensor(sensor)
        for motor, speed in zip((left, right), speeds_for(distance if seen else np.inf), strict=True):
            sim.setJointTargetVelocity(motor, speed)
    digest = bridge.arena.digest()
    sim.stopSimulation()
    return digest


def run_own() -> str:
    """Run the same program with Paddock's own handles."""
    arena = paddock.open(ROOM, seed=5)
    robot = arena["pioneer"]
    robot.sonar.enable()
    for _ in range(STEPS):
        arena.step(5)
        distance = float(robot.sonar.read()[3])
        robot.wheels.set(*(speed * RADIUS for speed in speeds_for(distance if distance < 1 else np.inf)))
    return arena.digest()


def test_stepping_program_is_bit_identical_to_the_paddock_api() -> None:
    own = run_own()
    with served() as bridge:
        client = new_client(bridge)
        sim = client.require("sim")
        for set_stepping, step in ((sim.setStepping, sim.step), (client.setStepping, client.step)):
            set_stepping(True)
            assert run_stepped(bridge, sim, step) == own
    with served(stopped=False) as bridge:  # it ran freely before
        sim = new_client(bridge).require("sim")
        sim.stopSimulation()
        sim.setStepping(True)
        assert run_stepped(bridge, sim, sim.step) == own


def test_stepping_program_of_protocol_1_is_bit_identical() -> None:
    module = load_old_client()
    with served() as bridge:
        client = new_client(bridge, module)
        sim = client.getObject("sim")
        for _ in range(2):
            client.setStepping(True)
            assert run_stepped(bridge, sim, client.step) == run_own()
        with pytest.raises(Exception, match=r"no object called '/none'.*\(in function 'sim\.getObject'\)"):
            sim.getObject("/none")
        client.setStepping(False)
        sim.startSimulation()
        assert sim.wait(0.2) == pytest.approx(0.0, abs=0.06)
        sim.setInt32Signal("ready", 1)
        assert sim.waitForSignal("ready")


def test_free_port_has_a_free_port_next_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next port of a free port is often in use by closed connections, for a minute."""
    next_ports: list[int] = []

    def refuse_at_first(name: str, host: str, port: int) -> socket.socket:
        if port:
            next_ports.append(port)
            if len(next_ports) == 1:
                raise LinkError("in use")
        return open_port(name, host, port)

    monkeypatch.setattr("paddock.bridges.coppelia.zmq_bridge.open_port", refuse_at_first)
    with served() as bridge:
        assert "in use" not in "".join(bridge.describe())


def test_stepping_of_protocol_1_without_the_next_port_is_refused() -> None:
    """The client would wait for ever."""
    module = load_old_client()
    with served() as bridge:
        port = bridge.port
    with socket.create_server(("127.0.0.1", port + 1)), served(ROOM, port) as bridge:
        client = new_client(bridge, module)
        with pytest.raises(Exception, match=f"needs port {port + 1}, too, which is in use"):
            client.setStepping(True)
        client.setStepping(False)


def test_stepping_levels_are_counted_and_stop_resets_them() -> None:
    with served() as bridge:
        sim = new_client(bridge).require("sim")
        assert [sim.setStepping(on) for on in (True, True, False, False, False)] == [0, 1, 2, 1, 0]
        sim.step()  # it stands still: nothing to wait for
        assert sim.getSimulationTime() == 0
        sim.setStepping(True)
        sim.startSimulation()
        sim.step()
        assert (bridge.arena.tick, sim.getSimulationState()) == (5, sim.simulation_advancing_running)
        assert sim.wait(0.12) == pytest.approx(0.03)
        assert sim.getSimulationTime() == pytest.approx(0.2)
        sim.pauseSimulation()
        assert sim.getSimulationState() == sim.simulation_paused
        sim.step()
        assert sim.getSimulationTime() == pytest.approx(0.2)
        sim.stopSimulation()
        assert (sim.getSimulationState(), sim.getSimulationTime(), sim.setStepping(True)) == (0, 0.0, 0)


def test_several_stepping_clients_advance_time_together() -> None:
    with served() as bridge:
        clients = [new_client(bridge) for _ in range(3)]
        sims = [client.require("sim") for client in clients]
        for sim in sims[:2]:
            sim.setStepping(True)
        sims[2].startSimulation()  # this one looks on
        threads = [threading.Thread(target=lambda sim=sim: [sim.step() for _ in range(30)]) for sim in sims[:2]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sims[2].getSimulationTime() == pytest.approx(1.5)
        sims[1].setStepping(False)  # time waits for the first only
        sims[0].step()
        assert bridge.arena.tick == 155


def test_client_waits_for_a_signal_set_by_another_client() -> None:
    with served() as bridge:
        first, second = (new_client(bridge).require("sim") for _ in range(2))
        found: list[Any] = []
        first.startSimulation()
        thread = threading.Thread(target=lambda: found.append(first.waitForSignal("go")))
        thread.start()
        second.setStringSignal("go", "now")
        thread.join()
        assert found == [b"now"]


def test_long_wait_is_kept_alive_with_wait_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.bridges.coppelia.zmq_bridge.LONGEST_HOLD", 0.01)
    monkeypatch.setattr("paddock.bridges.coppelia.zmq_bridge.LOOK", 0.01)
    with served() as bridge:
        client, other = new_client(bridge), new_client(bridge)
        sim, held = client.require("sim"), other.require("sim")
        sent: list[str] = []
        send = client._send
        client._send = lambda request: (sent.append(request["func"]), send(request))
        held.setStepping(True)
        sim.setStepping(True)
        sim.startSimulation()
        thread = threading.Thread(target=sim.step)
        thread.start()
        while sent.count("_*executed*_") < 3:
            held.getSimulationTime()
        held.step()
        thread.join()
        assert bridge.arena.tick == 5


def test_disconnected_client_does_not_block_time() -> None:
    with served() as bridge:
        clients = [new_client(bridge) for _ in range(3)]
        sims = [client.require("sim") for client in clients]
        for sim in sims:
            sim.setStepping(True)
        sims[0].startSimulation()
        clients[1].call("_*executed*_", [])
        clients[1]._send({"func": "_*end*_", "args": []})
        assert clients[1]._recv() == {}
        clients[2].socket.close()
        sims[0].step()
        assert bridge.arena.tick == 5
        assert clients[1].call("sim.getSimulationTime", []) == pytest.approx(0.05)  # it may come again


def test_frozen_client_does_not_block_other_clients() -> None:
    with served(silence=0.05) as bridge:
        frozen, sim = (new_client(bridge).require("sim") for _ in range(2))
        for member in (frozen, sim):
            member.setStepping(True)
        sim.startSimulation()
        sim.step()
        assert bridge.arena.tick >= 5
        frozen.step()  # back again


def test_unserved_arena_and_invalid_ports_are_refused() -> None:
    with pytest.raises(SimulationError, match="this arena is not served"):
        CoppeliaServer(paddock.open(ROOM), 0)
    from paddock.bridges.coppelia.zmq_bridge import open_coppelia

    for asked in ("", "23000,23002", "70000", "port"):
        with pytest.raises(PaddockError, match="expected a port from 0 to 65535"):
            open_coppelia(paddock.open(ROOM), [asked], "127.0.0.1")
