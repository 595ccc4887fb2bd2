"""The Wi-Fi firmware of an emulated e-puck2: takes commands of 21 bytes, returns requested and unrequested packets."""

from __future__ import annotations

from paddock.bridges.epuck.emulator.emulated_robot import EmulatedEPuck
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.pixels import RGB565, encode_pixels
from paddock.bridges.epuck.wire.sercom import CameraSettings

WHOLE_VIEW = CameraSettings(RGB565, packets.WIDTH, packets.HEIGHT, 4)


class WifiFirmware:
    """Answers each command with an image, the sensors, both, or an empty packet.

    Like a public copy of the firmware, it also sends its sensors unrequested, and keeps driving when its client
    disconnects. With `kind`, it sends only on request, and stops when its client disconnects.
    """

    def __init__(self, robot: EmulatedEPuck, *, kind: bool = False) -> None:
        self.robot, self.kind = robot, kind
        self._waiting = bytearray()

    def welcome(self) -> bytes:
        """Return no greeting."""
        return b""

    def pack_unrequested(self) -> bytes:
        """Return the packet that is sent periodically without a request."""
        with self.robot.hardware.hold_clock():
            return b"" if self.kind else bytes([packets.SENSORS]) + self.robot.read_packet().pack()

    def receive(self, data: bytes) -> bytes:
        """Process bytes of the client and return the answers."""
        self._waiting += data
        out = bytearray()
        while self._waiting:
            if self._waiting[0] != packets.COMMAND:
                del self._waiting[0]
            elif len(self._waiting) < packets.COMMAND_BYTES:
                break
            else:
                command = bytes(self._waiting[: packets.COMMAND_BYTES])
                del self._waiting[: packets.COMMAND_BYTES]
                with self.robot.hardware.hold_clock():
                    out += self._answer(command[1], packets.Actuators.unpack(command[2:]))
        return bytes(out)

    def disconnect(self) -> None:
        """Handle the disconnection of the client. Stop the robot if `kind` is set."""
        self._waiting.clear()
        if self.kind:
            self.robot.hardware.set_speeds(0, 0)

    def _answer(self, request: int, actuators: packets.Actuators) -> bytes:
        self.robot.apply_packet(actuators)
        out = b""
        if request & packets.WANT_IMAGE:
            out += bytes([packets.IMAGE]) + encode_pixels(self.robot.read_window(WHOLE_VIEW))
        if request & packets.WANT_SENSORS:
            out += bytes([packets.SENSORS]) + self.robot.read_packet().pack()
        return out or bytes([packets.NOTHING])
