"""A robot that a client with a token has claimed: clients of bridges neither drive, move nor remove it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import paddock
from bridges.player.player_fixtures import NACK, POSITION, ROOM, SIMULATION, PlayerProgram, named
from bridges.ros2.ros2_fixtures import RosbridgeProgram
from network.server.parties import Peer
from paddock.bridges import Bridge
from paddock.bridges.player import PlayerServer
from paddock.bridges.ros2 import RosbridgeServer
from paddock.bridges.usarsim import UsarSimServer
from paddock.network.server import Server, Settings
from paddock.network.server.core.access import Grant, Role


@contextmanager
def claimed(open_bridge: Callable[[Any], Bridge]) -> Iterator[tuple[Any, Peer]]:
    """Serve a room with a bridge, where Ada has claimed r0 by her token."""
    arena = paddock.open(ROOM, seed=3)
    server = Server(arena, Settings(port=0, speed=1.0))
    with open_bridge(arena) as bridge, server.in_background():
        token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"r0"}), "Ada"))
        with Peer(server, token=token) as ada:
            assert ada.ask("claim", robot="r0")["type"] == "done"
            yield bridge, ada


def test_ros_nodes_cannot_use_a_claimed_robot_until_it_is_released() -> None:
    with claimed(lambda arena: RosbridgeServer(arena, 0)) as (bridge, ada), RosbridgeProgram(bridge) as program:
        pose = {"position": {"x": 2.0, "y": 2.0}, "orientation": {"w": 1.0}}
        moving = {"entity": "r0", "state": {"pose": pose}, "set_pose": True}

        def results() -> list[bool]:
            services = (("/set_entity_state", moving), ("/set_simulation_state", {"state": {"state": 2}}))
            return [program.call(name, **args)["values"]["result"]["result"] == 1 for name, args in services]

        program.drive("/r0/cmd_vel", 0.2)
        assert "robot 'r0' is driven by Ada" in program.wait_for("status")["msg"]
        assert results() == [False, False]
        assert "is driven by Ada" in program.call("/delete_entity", entity="r0")["values"]["result"]["error_message"]
        assert bridge.arena["r0"].body.command == (0, 0)
        assert bridge.arena["r0"].pose[:2] == (1.0, 2.0)
        ada.ask("release_robot", robot="r0")
        program.drive("/r0/cmd_vel", 0.2)
        assert results() == [True, True]
        assert program.call("/delete_entity", entity="r0")["values"]["result"]["result"] == 1


def test_player_client_cannot_drive_or_move_a_claimed_robot() -> None:
    with claimed(lambda arena: PlayerServer(arena, 0)) as (bridge, _):
        program = PlayerProgram(bridge.addresses[0])
        program.subscribe(POSITION, 0)
        program.subscribe(SIMULATION, 0)
        program.drive(0.3, 0.0)
        moved = program.ask(SIMULATION, 0, 2, named("r0") + struct.pack(">3d", 2.0, 2.0, 0.0))
        assert moved.type == NACK
        assert bridge.arena["r0"].body.command == (0, 0)
        assert bridge.arena["r0"].pose[:2] == (1.0, 2.0)
        program.close()


def test_usarsim_client_gets_another_robot_than_a_claimed_one() -> None:
    with (
        claimed(lambda arena: UsarSimServer(arena, 0)) as (bridge, _),
        socket.create_connection(bridge.address) as line,
        line.makefile("r", newline="\r\n") as lines,
    ):
        line.sendall(b"INIT {ClassName USARBot.P3DX} {Name R1}\r\nDRIVE {Left 1} {Right 1}\r\nGETSTARTPOSES\r\n")
        assert next(text for text in lines if "StartPoses" in text)
        assert "R1" in bridge.arena.robots
        assert bridge.arena["r0"].body.command == (0, 0)
