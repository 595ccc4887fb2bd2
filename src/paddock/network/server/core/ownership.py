"""Ownership: which client drives which robot, spawned robots, and the commands of drivers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace as replace_fields
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.core.errors import PaddockError, Refused, UnknownName
from paddock.core.observation import Command
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.uploads import uploaded_robot
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.appearance import add_appearances

MAX_ROBOTS, MAX_SPAWNED = 5000, 32  # in the world; by one client


class Ownership:
    """The robots of a served arena and their drivers."""

    def __init__(self, arena: Arena, people: Mapping[str, str]) -> None:
        self.arena, self.people = arena, people  # full names of students in a class, by robot
        self.owners: dict[str, Client] = {}  # by robot
        self.spawned: set[str] = set()
        self.parked: set[str] = set()  # their commands are ignored
        self.entrants: frozenset[str] | None = None  # only these may be driven; None: all
        self.why_wait = ""  # for tokens without an entrant
        self.changes = 0  # number of changes of robots or drivers so far
        self._layout, self._goal_takers = arena.layout, arena.monitor.goal_takers
        self._listed = (-1, -1)  # layout and changes for which the next three are valid
        self._kinds: dict[frozenset[str] | None, tuple[dict[str, Any], ...]] = {}  # by the visible devices
        self._numbers: list[int] = []  # index of each robot's kind
        self._robots: list[m.RobotInfo] = []
        self._held: dict[str, NDArray[np.float64]] = {}  # commands that a program in this process must not override

    def catch_up(self, clients: Iterable[Client]) -> None:
        """Forget robots that a program in this process has removed; detect added ones, and who takes goals."""
        if self._goal_takers != self.arena.monitor.goal_takers:
            self._goal_takers = self.arena.monitor.goal_takers
            self.changes += 1
        if self._layout == self.arena.layout:
            return
        self._layout = self.arena.layout
        self.changes += 1
        there = self.arena.numbers
        for client in clients:
            for name in {*client.handles, *client.driven, *(robot for robot, _ in client.subscriptions)} - set(there):
                client.forget(name)
        self.owners = {name: owner for name, owner in self.owners.items() if name in there}
        self._held = {name: command for name, command in self._held.items() if name in there}
        self.spawned &= set(there)

    def check_known(self, client: Client, name: str) -> None:
        """Refuse an unknown robot; the error lists the robots that the client may see."""
        if name not in self.arena:
            raise UnknownName("robot", name, filter(client.grant.sees, self.arena.robots))

    def claim(self, client: Client, name: str, *, force: bool = False, asked: bool = False) -> None:
        """Make a client the driver of a robot, or refuse; `show_request`: by a `claim`, not only by a command."""
        owner = self.owners.get(name)
        if owner is client:
            return
        self.check_known(client, name)
        self.arena.check_live(f"robot {name!r}")
        client.grant.check(Role.CONTROLLER, f"robot {name!r}")
        client.grant.check_robot(name, "claim")
        if why := self.explain_wait(client.grant):
            raise Refused(why)
        if owner is not None:
            self._check_take_over(client, owner, name, force=force, asked=asked)
            owner.driven.remove(name)
            self.halt(name)
        self.owners[name] = client
        client.driven.append(name)
        self.changes += 1

    def admit_only(self, robots: frozenset[str] | None, why: str = "") -> None:
        """Let only these robots be driven, with the reason for all others; None: all robots."""
        self.entrants, self.why_wait = robots, why

    def explain_wait(self, grant: Grant) -> str:
        """Return why a token has to wait until its robots may be driven; empty if they may."""
        if self.entrants is None or grant.robots is None:
            return ""
        return "" if any(robot in self.arena for robot in self.entrants & grant.robots) else self.why_wait

    def check_may_drive(self, client: Client, name: str, what: str) -> None:
        """Refuse clients that could not claim a robot, even by force."""
        self.check_known(client, name)
        client.grant.check(Role.CONTROLLER, what)
        client.grant.check_robot(name, what)
        owner = self.owners.get(name)
        if owner is not None and owner is not client:
            self._check_take_over(client, owner, name, force=client.grant.role is Role.SUPERVISOR, asked=True)

    def _check_take_over(self, client: Client, owner: Client, name: str, *, force: bool, asked: bool) -> None:
        """Refuse to take a robot, except for a supervisor by force, or from another connection of the same token."""
        if force:
            client.grant.check(Role.SUPERVISOR, "claim by force")
            return
        own = bool(client.grant.name) and owner.grant is client.grant
        if own and (asked or owner.silent):
            return
        if own:
            fix = f"arena.claim({name!r}) takes it from your other connection"
        elif client.grant.role is Role.SUPERVISOR:
            fix = f"arena.claim({name!r}, force=True) takes it"
        else:
            fix = f"arena.release_robot({name!r}) in that program releases it, or a supervisor can take it"
        raise Refused(f"robot {name!r} is driven by {owner.name}: {fix}")

    def spawn(self, client: Client, request: m.Spawn) -> None:
        """Add a robot of a client to the world."""
        client.grant.check(Role.CONTROLLER, "spawn")
        client.grant.check_robot(request.robot, "spawn")
        if request.stays:
            client.grant.check(Role.SUPERVISOR, "spawn.stays")
        if client.grant.devices is not None:  # a spawned robot might have any device, with any name
            raise Refused(f"spawn: {client.grant.source} allows only the robot that you have")
        if len(self.arena.robots) >= MAX_ROBOTS:
            raise Refused(f"spawn: there are {MAX_ROBOTS} robots already")
        if sum(name in self.spawned for name in client.driven) >= MAX_SPAWNED:
            raise Refused(f"spawn: you have already spawned {MAX_SPAWNED} robots; remove one first")
        spec = uploaded_robot(request.kind)
        self.arena.spawn(request.robot, spec, at=request.at, heading=request.heading, color=request.color)
        self._layout = self.arena.layout
        self.changes += 1
        if not request.stays:
            self.spawned.add(request.robot)
            self.owners[request.robot] = client
            client.driven.append(request.robot)

    def remove(self, client: Client, name: str, clients: Iterable[Client]) -> None:
        """Remove a robot from the world, whoever drives it."""
        self.check_known(client, name)
        if name in self.people:
            raise Refused(f"remove: {name!r} is the robot of {self.people[name]}")
        self.arena.remove(name)
        self.catch_up(clients)

    def list_client_robots(self) -> set[str]:
        """Return the robots that clients other than supervisors spawned."""
        return {
            name for name in self.spawned if name in self.owners and self.owners[name].grant.role is not Role.SUPERVISOR
        }

    def give_up(self, robots: Iterable[str], clients: Iterable[Client]) -> None:
        """Stop robots and remove their driver; remove spawned robots from the world."""
        for name in list(robots):
            self.halt(name)
            self.owners.pop(name).driven.remove(name)  # its subscriptions and enabled devices stay
            self.changes += 1
            if name in self.spawned:
                self.spawned.discard(name)
                for client in clients:
                    client.forget(name)
                self.arena.remove(name)
                self._layout = self.arena.layout

    def halt(self, name: str) -> None:
        """Stop a robot and its speaker."""
        self._held.pop(name, None)
        robot = self.arena[name]
        robot.stop()
        if robot.spec.speaker:
            robot.speaker.stop()

    def command(self, client: Client, commands: Mapping[str, Command]) -> None:
        """Apply all commands of a client, or refuse all."""
        if len(commands) == 1 and self._steer_one(client, commands):
            return
        owned = len(client.driven)
        try:
            for name in commands:
                self.claim(client, name)
            self._apply(client, commands)
        except PaddockError:
            for name in client.driven[owned:]:  # claimed by these commands only
                del self.owners[name]
            del client.driven[owned:]
            raise

    def _steer_one(self, client: Client, commands: Mapping[str, Command]) -> bool:
        """Apply wheel speeds for one owned robot, the most common command; return False for any other command."""
        ((name, command),) = commands.items()
        if self.parked:
            return False
        wheels = command.wheels
        plain = not command.pans and not command.leds and command.tone is None
        if wheels is None or not plain or self.owners.get(name) is not client or self.arena.gate is not None:
            return False
        client.handle(self.arena, name).wheels.set(*wheels, command.third)  # type: ignore[misc]
        return True

    def _apply(self, client: Client, commands: Mapping[str, Command]) -> None:
        rows = [self.arena.numbers[name] for name in commands]
        before = self.arena.commands[0, rows], self.arena.motion[rows]  # copies
        try:
            for name, command in commands.items():
                if name not in self.parked:
                    client.handle(self.arena, name).apply(command)
        except PaddockError:
            self.arena.commands[0, rows], self.arena.motion[rows] = before
            raise
        if self.arena.gate is not None:
            self._held |= {name: self.arena.commands[0, row].copy() for name, row in zip(commands, rows, strict=True)}

    def forget_commands(self) -> None:
        """Discard the stored commands after a jump in time."""
        self._held.clear()

    def repeat_commands(self) -> None:
        """Apply the last commands of drivers again, because a program in this process may have overwritten them."""
        for name, command in self._held.items():
            self.arena.commands[0, self.arena.numbers[name]] = command

    def robot_list(self, client: Client) -> m.RobotList:
        """Return the list of robots that a client may see."""
        if self._listed != (self.arena.layout, self.changes):
            self._list_robots()
        grant = client.grant
        robots, kinds = [robot for robot in self._robots if grant.sees(robot.name)], self._describe_kinds(grant)
        if len(robots) < len(self._robots):
            seen = sorted({robot.kind for robot in robots})
            kinds = tuple(kinds[number] for number in seen)
            robots = [replace(robot, kind=seen.index(robot.kind)) for robot in robots]
        if grant.role >= Role.CONTROLLER:
            for i, robot in enumerate(robots):
                if grant.covers(robot.name) and self.owners.get(robot.name, client) is client:
                    robots[i] = replace(robot, yours=True)
        return m.RobotList(kinds=kinds, robots=tuple(robots))

    def _describe_kinds(self, grant: Grant) -> tuple[dict[str, Any], ...]:
        """Return the specs of all kinds as tables, with the devices that may be read."""
        known = self._kinds.get(grant.devices)
        if known is None:
            known = self._kinds[grant.devices] = tuple(
                describe_kind(kind, grant) for kind in dict.fromkeys(self.arena.built.robots)
            )
        return known

    def _list_robots(self) -> None:
        """Cache the part of the list that is equal for all clients."""
        if self._listed[0] != self.arena.layout:
            built = self.arena.built.robots
            kinds = {kind: i for i, kind in enumerate(dict.fromkeys(built))}
            self._numbers = [kinds[kind] for kind in built]
            self._kinds.clear()
        self._listed = self.arena.layout, self.changes
        self._robots = [
            m.RobotInfo(
                name=robot.name,
                kind=number,
                color=robot.color or kind.body.color,
                owner=self.owners[robot.name].name if robot.name in self.owners else "",
                spawned=robot.name in self.spawned,
                yours=False,
                person=self.people.get(robot.name, ""),
                goals=robot.name in self._goal_takers,
            )
            for robot, kind, number in zip(self.arena.world.robots, self.arena.built.robots, self._numbers, strict=True)
        ]


def describe_kind(kind: RobotSpec, grant: Grant) -> dict[str, Any]:
    """Return a robot spec as a table, with the devices that may be read and their appearance."""
    allowed = tuple(sensor for sensor in kind.sensors if grant.allows(sensor.name))
    return add_appearances(replace_fields(kind, sensors=allowed).to_table(), allowed)
