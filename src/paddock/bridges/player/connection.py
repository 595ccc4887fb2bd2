"""A client of Player's protocol, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeVar

from paddock.bridges.common.connection import MessageConnection
from paddock.bridges.player.devices import DeviceTable, PlayerDevice, name_device
from paddock.bridges.player.wire import (
    MessageType,
    PlayerAddress,
    PlayerInterface,
    PlayerMessage,
    PlayerSplitter,
    pack_banner,
)
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import PaddockError, Refused

if TYPE_CHECKING:
    from paddock.bridges.player.bridge import PlayerServer

VERSION = "3.1.0"  # version of Player that defines the payloads
DRIVER = b"paddock"
QUICK = getattr(socket, "TCP_QUICKACK", None)
"""Acknowledge packets immediately. Otherwise a client that sends a command and then requests data waits for the
delayed acknowledgement of the command (Nagle's algorithm), unless it sets TCP_NODELAY."""
Handler = TypeVar("Handler")


class PlayerConnection(MessageConnection[PlayerMessage]):
    """A client: its subscriptions and its data mode.

    In pull mode the client requests each data message, and the server sends it as soon as newer data are available. If
    the server is stepped, time waits for this request, so a program produces the same run every time.
    """

    kind = "player"
    greeting = 60.0
    most_waiting = 1 << 14  # large, because commands have no answer to wait for
    server: PlayerServer

    def __init__(self, server: PlayerServer, loop: asyncio.AbstractEventLoop, table: DeviceTable, robot: int) -> None:
        super().__init__(server, loop, PlayerSplitter())
        self._table, self._robot = table, robot
        self._host = 0
        self._devices: dict[tuple[int, int], PlayerDevice] = {}  # subscribed devices
        self._pull, self._asked = False, False  # the data mode; whether data was requested
        self._unsent: list[bytes] = []  # packed messages that are not sent yet
        self._waiting = False  # whether a callback for the next data message is scheduled
        self._last = server.arena.tick  # tick of the last data message
        self._answers: dict[int, Callable[[bytes], bytes]] = {
            1: self._list_devices,
            2: self._name_driver,
            4: self._ask_for_data,
            5: self._set_mode,
            7: lambda data: b"",  # authentication: no key is needed
            8: lambda data: b"",  # name service: there is one server without a name
            10: lambda data: b"",  # replacement rules: there are no queues
        }

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._host = int(ip_address(self.transport.get_extra_info("sockname")[0])) & 0xFFFFFFFF
        self.transport.write(pack_banner(VERSION))

    def data_received(self, data: bytes) -> None:
        if QUICK is not None:  # Linux resets this option, so set it each time
            self.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, QUICK, 1)
        super().data_received(data)

    def leave(self) -> None:
        for device in self._devices.values():
            device.forget(self)
        self._devices.clear()

    # ---- messages

    def carry_out(self, message: PlayerMessage) -> Iterator[None]:
        if message.type == MessageType.REQUEST:
            self._unsent.append(self._answer(message).pack())
        elif message.type == MessageType.COMMAND:
            self._execute(message)
        self._schedule()
        self._flush()
        yield

    def _flush(self) -> None:
        """Send the pending messages. An answer and the requested data share a packet if both are available."""
        if self._unsent:
            self.transport.write(b"".join(self._unsent))
            self._unsent.clear()

    def _answer(self, message: PlayerMessage) -> PlayerMessage:
        try:
            if message.address.interface == PlayerInterface.PLAYER:
                if message.subtype == 3:
                    return self._subscribe(message)
                return self._reply(message, find_handler(self._answers, message.subtype)(message.payload))
            answer = find_handler(self._find(message.address).requests, message.subtype)
            return self._reply(message, answer(message.payload))
        except PaddockError as error:
            self._note(message, error)
            return self._reply(message, b"", MessageType.NACK)

    def _execute(self, message: PlayerMessage) -> None:
        try:
            find_handler(self._find(message.address).commands, message.subtype)(message.payload)
        except PaddockError as error:  # commands have no answer
            self._note(message, error)

    def _note(self, message: PlayerMessage, error: PaddockError) -> None:
        device = name_device(message.address.interface, message.address.number)
        self.log.info("%s: %s, type %d.%d: %s", self.name, device, message.type, message.subtype, error)

    def _reply(self, to: PlayerMessage, payload: bytes, type: MessageType = MessageType.ACK) -> PlayerMessage:
        return to._replace(type=type, time=self.server.arena.time, payload=payload)

    def _find(self, address: PlayerAddress) -> PlayerDevice:
        device = self._devices.get((address.interface, address.number))
        if device is None or device.gone:
            raise Refused("expected a subscription first")
        return device

    # ---- the server as a device

    def _address(self, interface: int, number: int) -> PlayerAddress:
        return PlayerAddress(self._host, self._robot, interface, number)

    def _list_devices(self, data: bytes) -> bytes:
        return layout.DEVICES.pack([self._address(*place) for place in self._table.list()])

    def _name_driver(self, data: bytes) -> bytes:
        ((_, _, *place),) = layout.ADDRESS.unpack(data)
        self._table.find(*place)
        return layout.DRIVER.pack(self._address(*place), DRIVER)

    def _subscribe(self, message: PlayerMessage) -> PlayerMessage:
        (_, _, interface, number), access = layout.ADDRESS_AND_ACCESS.unpack(message.payload)
        address, place = self._address(interface, number), (interface, number)
        try:
            device = self._table.find(*place)
        except Refused as error:
            self._note(message, error)
            return self._reply(message, layout.SUBSCRIPTION.pack(address, layout.ERROR, b""), MessageType.NACK)
        if access == layout.OPEN:
            self._devices[place] = device
        elif access == layout.CLOSE and place in self._devices:
            self._devices.pop(place).forget(self)
        else:
            access = layout.ERROR
        return self._reply(message, layout.SUBSCRIPTION.pack(address, access, DRIVER))

    # ---- data

    def _set_mode(self, data: bytes) -> bytes:
        (mode,) = layout.NUMBER.unpack(data)
        if mode not in (layout.PUSH, layout.PULL):
            raise Refused(f"expected mode {layout.PUSH} (push) or {layout.PULL} (pull), got {mode}")
        self._pull = mode == layout.PULL
        if not self._pull:
            self.member.lock(False)
        return b""

    def _ask_for_data(self, data: bytes) -> bytes:
        self._asked = True
        return b""

    def _schedule(self) -> None:
        """Schedule the next data message if the client needs one."""
        if self.server.stepped and self._pull and self._asked:
            with suppress(Refused):  # beside clients with tokens, time does not wait
                self.member.lock(True)  # join again if it was released after its timeout; may send pending data
        if self._waiting or not (self._asked if self._pull else self._devices):
            return
        tick, interval = self.server.arena.tick, self.server.interval
        self._waiting = True
        passed = tick - self._last if tick >= self._last else interval  # the world may have been reset
        self.member.ask(max(0, interval - passed), self._send_data)

    def _send_data(self) -> None:
        """Send a data message; called when newer data are available."""
        self._waiting = False
        if self._pull and not self._asked:  # the client has changed from push to pull mode in the meantime
            return
        try:
            if self.transport.is_closing():
                return
            if self._pull or not self.deaf:  # answer every request; skip push data for a slow client
                with self.server.arena.mutex:  # no robot can be removed in between
                    self._unsent += self._pack_data()
                self._flush()
        except Exception:
            self.log.exception("%s: data could not be sent", self.name)
            self.disconnect("data could not be sent")
        self._asked, self._last = False, self.server.arena.tick
        if not self._pull:
            self.loop.call_soon(self._schedule)  # not now: this runs within a tick of the clock

    def _pack_data(self) -> Iterator[bytes]:
        time = self.server.arena.time
        for place, device in self._devices.items():
            if not device.gone:
                for subtype, payload in device.publish():
                    yield PlayerMessage(self._address(*place), MessageType.DATA, subtype, time, 0, payload).pack()
        if self._pull:
            yield PlayerMessage(self._address(PlayerInterface.PLAYER, 0), MessageType.SYNCH, 1, time).pack()


def find_handler(handlers: dict[int, Handler], subtype: int) -> Handler:
    """Return the handler for messages of a subtype."""
    if subtype not in handlers:
        raise Refused(f"unknown message; expected a subtype of {', '.join(map(str, sorted(handlers)))}")
    return handlers[subtype]
