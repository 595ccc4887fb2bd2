"""The Wi-Fi firmware of an emulated e-puck2: a command of 21 bytes comes in, the wanted packets go out."""

from __future__ import annotations

from paddock.epuck import packets
from paddock.epuck.emulator.robot import EmulatedEPuck
from paddock.epuck.pixels import RGB565, encode_pixels
from paddock.epuck.sercom import CameraSettings

WHOLE_VIEW = CameraSettings(RGB565, packets.WIDTH, packets.HEIGHT, 4)


class WifiFirmware:
    """Answers each command with an image, the sensors, both, or a sign that there is nothing to tell."""

    def __init__(self, robot: EmulatedEPuck) -> None:
        self.robot = robot
        self._waiting = bytearray()

    def welcome(self) -> bytes:
        """It says nothing by itself."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """Take bytes of the client, and give those of the answers."""
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
                with self.robot.hold_clock():
                    out += self._answer(command[1], packets.Actuators.unpack(command[2:]))
        return bytes(out)

    def hang_up(self) -> None:
        """The client is gone: nobody steers any more."""
        self._waiting.clear()
        self.robot.set_speeds(0, 0)

    def _answer(self, request: int, wanted: packets.Actuators) -> bytes:
        self.robot.apply_packet(wanted)
        out = b""
        if request & packets.WANT_IMAGE:
            out += bytes([packets.IMAGE]) + encode_pixels(self.robot.read_window(WHOLE_VIEW))
        if request & packets.WANT_SENSORS:
            out += bytes([packets.SENSORS]) + self.robot.read_packet().pack()
        return out or bytes([packets.NOTHING])
