"""The Wi-Fi side of a simulated e-puck2: a command of 21 bytes comes in, the wanted packets go out."""

from __future__ import annotations

from paddock.bridges.puck import Puck
from paddock.protocol import epuck2
from paddock.protocol.pixels import RGB565, pixels_of
from paddock.protocol.sercom import CameraSettings

WHOLE_VIEW = CameraSettings(RGB565, epuck2.WIDTH, epuck2.HEIGHT, 4)


class WifiFirmware:
    """Answers each command with an image, the sensors, both, or a sign that there is nothing to tell."""

    def __init__(self, puck: Puck) -> None:
        self.puck = puck
        self._waiting = bytearray()

    def welcome(self) -> bytes:
        """It says nothing by itself."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """Take bytes of the client, and give those of the answers."""
        self._waiting += data
        out = bytearray()
        while self._waiting:
            if self._waiting[0] != epuck2.COMMAND:
                del self._waiting[0]
            elif len(self._waiting) < epuck2.COMMAND_BYTES:
                break
            else:
                command = bytes(self._waiting[: epuck2.COMMAND_BYTES])
                del self._waiting[: epuck2.COMMAND_BYTES]
                with self.puck.moment():
                    out += self._answer(command[1], epuck2.Actuators.unpack(command[2:]))
        return bytes(out)

    def hang_up(self) -> None:
        """The client is gone: nobody steers any more."""
        self._waiting.clear()
        self.puck.set_speeds(0, 0)

    def _answer(self, request: int, wanted: epuck2.Actuators) -> bytes:
        self.puck.act(wanted)
        out = b""
        if request & epuck2.WANT_IMAGE:
            out += bytes([epuck2.IMAGE]) + pixels_of(self.puck.window(WHOLE_VIEW))
        if request & epuck2.WANT_SENSORS:
            out += bytes([epuck2.SENSORS]) + self.puck.sensors().pack()
        return out or bytes([epuck2.NOTHING])
