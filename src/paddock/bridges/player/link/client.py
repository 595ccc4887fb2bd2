"""PlayerClient: a client of Player's protocol in pull mode, without threads."""

from __future__ import annotations

from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.bridges.player.wire import MessageType, PlayerAddress, PlayerInterface, PlayerMessage, PlayerSplitter
from paddock.bridges.player.wire import interfaces as layout
from paddock.bridges.player.wire.messages import BANNER_BYTES, LARGEST_DATA
from paddock.core.errors import DeviceRefused, LinkError, Refused

DEVICES, SUBSCRIBE, DATA, DATA_MODE = 1, 3, 4, 5  # requests to the server itself
STATE = 1  # the subtype of a device's main data
VALUES = {
    PlayerInterface.RANGER: (layout.RANGER_RANGES, 0),
    PlayerInterface.SONAR: (layout.RANGES, 0),
    PlayerInterface.LASER: (layout.SCAN, 4),
    PlayerInterface.BUMPER: (layout.BUMPS, 0),
}
"""Layout of the data of sensors, and the index of the field with the values."""
Place = tuple[int, int]
"""Address of a device: its interface and its index."""


class PlayerClient(SimulatorClient):
    """Sends one request at a time and waits for the answer. Threads may share it."""

    def __init__(self, host: str, port: int, *, timeout: float = 10.0) -> None:
        """Connect. `timeout` is the maximum time for an answer [s]."""
        super().__init__("player", host, port, timeout)
        self._splitter, self._received = PlayerSplitter(LARGEST_DATA), list[PlayerMessage]()
        self._number = 0
        self._data: dict[tuple[int, int, int], bytes] = {}  # the newest, by interface, number and subtype
        try:
            self._greet()
            self.ask((PlayerInterface.PLAYER, 0), DATA_MODE, layout.NUMBER.pack(layout.PULL))
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        banner = b""
        while len(banner) < BANNER_BYTES:
            banner += self._receive()
        if not banner.startswith(b"Player v."):
            raise LinkError(f"{self.name}: expected Player's banner, got {banner[:BANNER_BYTES]!r}")
        self._received += self._splitter.feed(banner[BANNER_BYTES:])

    def list_devices(self) -> list[Place]:
        """Return all devices at this port."""
        (devices,) = layout.DEVICES.unpack(self.ask((PlayerInterface.PLAYER, 0), DEVICES))
        return [(interface, number) for _, _, interface, number in devices]

    def subscribe(self, place: Place) -> None:
        """Subscribe to the data of a device. This also enables commands to it."""
        payload = layout.SUBSCRIPTION.pack((0, 0, *place), layout.OPEN, b"")
        answer = self.ask((PlayerInterface.PLAYER, 0), SUBSCRIBE, payload)
        _, access = layout.ADDRESS_AND_ACCESS.unpack(answer)
        if access != layout.OPEN:
            raise Refused(f"{self.name}: there is no access to device {place[0]}:{place[1]}")

    def ask(self, place: Place, subtype: int, payload: bytes = b"") -> bytes:
        """Send a request and return the answer. Raise `Refused` if the server rejects it."""
        with self._turn:
            return self._ask(place, subtype, payload)

    def _ask(self, place: Place, subtype: int, payload: bytes = b"") -> bytes:
        number = self._write(MessageType.REQUEST, place, subtype, payload)
        while True:
            message = self._next()
            if message.type in (MessageType.ACK, MessageType.NACK) and message.sequence == number:
                if message.type == MessageType.NACK:
                    raise Refused(f"{self.name}: device {place[0]}:{place[1]} refused request {subtype}")
                return message.payload

    def command(self, place: Place, subtype: int, payload: bytes = b"") -> None:
        """Send a command. There is no answer."""
        with self._turn:
            self._write(MessageType.COMMAND, place, subtype, payload)

    def read(self) -> None:
        """Wait for the next round of data and store it for `get` and `time`."""
        with self._turn:
            self._ask((PlayerInterface.PLAYER, 0), DATA)
            while self._next().type != MessageType.SYNCH:
                pass

    def has_data(self, place: Place) -> bool:
        """Whether a device has sent its state or its ranges."""
        return (*place, STATE) in self._data

    def get(self, place: Place) -> bytes:
        """Return the newest state or ranges of a device, without other data such as intensities."""
        if not self.has_data(place):
            raise DeviceRefused(f"{self.name}: device {place[0]}:{place[1]} has sent no data")
        return self._data[*place, STATE]

    def get_values(self, place: Place) -> list[float]:
        """Return the newest values of a sensor."""
        form, field = VALUES[PlayerInterface(place[0])]
        return [float(value) for value in form.unpack(self.get(place))[field]]

    def _write(self, type: MessageType, place: Place, subtype: int, payload: bytes) -> int:
        self._number = (self._number + 1) & 0xFFFF
        self._send(PlayerMessage(PlayerAddress(0, 0, *place), type, subtype, 0.0, self._number, payload).pack())
        return self._number

    def _next(self) -> PlayerMessage:
        while not self._received:
            self._received += self._receive_parsed(self._splitter.feed)
        message = self._received.pop(0)
        if message.type == MessageType.DATA:
            self._data[message.address.interface, message.address.number, message.subtype] = message.payload
            self.time = message.time
        return message

    def close(self) -> None:
        self._socket.close()


def pack_command(place: Place, subtype: int, payload: bytes) -> bytes:
    """Return the bytes of a command; commands need no sequence number."""
    return PlayerMessage(PlayerAddress(0, 0, *place), MessageType.COMMAND, subtype, 0.0, 0, payload).pack()
