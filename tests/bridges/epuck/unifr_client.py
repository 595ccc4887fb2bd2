"""Run the client `unifr-api-epuck`, with stubs for torch and OpenCV, in its own process: `unifr_client.py PORT`."""

from __future__ import annotations

import json
import socket
import sys
import types
from typing import Any


class Anything(types.ModuleType):
    """A stub module that has every attribute."""

    __path__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(
            name, (), {"__init__": lambda self, *args, **more: None, "__call__": lambda self, function: function}
        )


for name in ("torch", "torch.nn", "torch.nn.functional", "torch.cuda", "torchvision", "cv2", "smbus2"):
    sys.modules[name] = Anything(name)
for name in list(sys.modules):
    parent, _, child = name.rpartition(".")
    if parent in ("torch", "torch.nn"):
        setattr(sys.modules[parent], child, sys.modules[name])

real_connect = socket.socket.connect


def redirected(self: socket.socket, address: Any) -> None:
    real_connect(self, ("127.0.0.1", int(sys.argv[1])) if address[1] == 1000 else address)


socket.socket.connect = redirected  # type: ignore[assignment, method-assign]

from unifr_api_epuck.epuck.epuck_wifi import WifiEpuck  # noqa: E402

robot = WifiEpuck("127.0.0.1")
robot.init_sensors()
robot.set_speed(1, -1)
robot.enable_led(0)
robot.enable_led(1, 10, 20, 30)
robot.enable_front_led()
assert robot.go_on()
sys.stdout.write("DRIVING\n")
sys.stdout.flush()
input()
assert robot.go_on()
told = {
    "proximity": robot.get_prox(),
    "ground": robot.get_ground(),
    "accelerometer": robot.get_accelerometer_axes(),
    "gyroscope": robot.get_gyro_axes(),
    "distance": robot.get_tof(),
    "microphones": robot.get_microphones(),  # front, right, back, left
    "steps": robot.get_motors_steps(),
    "battery": robot.get_battery_level(),
    "temperature": robot.get_temperature(),
    "inclination": robot.get_inclination(),
}
robot.disable_sensors()
robot.init_camera(".")
assert robot.go_on()
told["image"] = [
    [int(part[row, column]) for part in robot.get_camera()] for row, column in ((0, 0), (60, 80), (119, 159))
]
sys.stdout.write(f"TOLD {json.dumps(told)}\n")
