"""The simulation itself: Player's simulation interface."""

from __future__ import annotations

from paddock.bridges.common.connection import MessageConnection
from paddock.bridges.common.ports import PortBridge
from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.player.devices import PlayerDevice, flat_pose
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import UnknownName
from paddock.core.geometry import Pose


class SimulationDevice(PlayerDevice):
    """Gets and sets poses of robots by name. Commands pause, resume and reset the simulation."""

    interface = PlayerInterface.SIMULATION

    def __init__(self, server: PortBridge) -> None:
        super().__init__()
        self._server = server
        self._paused_by: object = None
        self.requests |= {
            1: self._pack_pose,
            2: lambda data: self._set_pose(*layout.NAMED_POSE.unpack(data)),
            3: self._pack_pose_3d,
            4: self._set_pose_3d,
        }
        self.commands |= {1: self._pause, 2: self._reset}

    def forget(self, client: object) -> None:
        if client is self._paused_by:
            self._run()

    def _find(self, name: bytes) -> ArenaRobot:
        robots = {robot.name: robot for robot in self._server.live.list_robots()}
        text = name.partition(b"\0")[0].decode(errors="replace")
        if text not in robots:
            raise UnknownName("robot", text, robots)
        return robots[text]

    def _pack_pose(self, data: bytes) -> bytes:
        (name,) = layout.NAME.unpack(data)
        return layout.NAMED_POSE.pack(name, self._find(name).pose)

    def _pack_pose_3d(self, data: bytes) -> bytes:
        (name,) = layout.NAME.unpack(data)
        return layout.NAMED_POSE_3D.pack(name, flat_pose(*self._find(name).pose), self._server.arena.time)

    def _set_pose(self, name: bytes, pose: tuple[float, float, float]) -> bytes:
        self._find(name).set_pose(Pose(*pose))
        return b""

    def _set_pose_3d(self, data: bytes) -> bytes:
        name, (x, y, _, _, _, yaw), _ = layout.NAMED_POSE_3D.unpack(data)
        return self._set_pose(name, (x, y, yaw))

    def _pause(self, data: bytes) -> None:
        if self._server.time.state != "running":
            self._run()
            return
        self._server.time.pause()
        self._paused_by = self._server.live.client

    def _reset(self, data: bytes) -> None:
        client = self._server.live.client
        assert isinstance(client, MessageConnection)
        self._server.stop_time(client.host)
        self._run()

    def _run(self) -> None:
        self._server.time.run()
        self._paused_by = None
