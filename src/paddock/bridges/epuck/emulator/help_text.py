"""The help text of the emulated firmware, in our own wording."""

from __future__ import annotations

COMMANDS = (
    ("A", "Accelerometer"),
    ("B,#", "Body LED: 0 off, 1 on, 2 toggle"),
    ("b", "Battery"),
    ("C", "Position of the selector"),
    ("D,#,#", "Drive: steps per second, left and right"),
    ("E", "Speeds as commanded"),
    ("F,#", "Front LED: 0 off, 1 on, 2 toggle"),
    ("G", "Infrared remote control"),
    ("g", "Gyroscope"),
    ("H", "This help"),
    ("I", "Settings of the camera"),
    ("J,#,#,#,#,#,#", "Set the camera: mode, width, height, zoom, x, y"),
    ("K", "Calibrate the proximity sensors"),
    ("L,#,#", "Ring LED 0 to 7, 8 for all: 0 off, 1 on, 2 toggle"),
    ("M", "Ground sensors"),
    ("N", "Proximity sensors"),
    ("O", "Ambient light"),
    ("P,#,#", "Set the step counters"),
    ("Q", "Step counters"),
    ("R", "Restart"),
    ("S", "Stop, LEDs off"),
    ("T,#", "Sound 1 to 5, else silence"),
    ("U", "Microphones"),
    ("V", "Version"),
    ("W,#,#,#", "Write to the I2C bus"),
    ("Y,#,#", "Read from the I2C bus"),
)


def write_help() -> bytes:
    """Return the help text, with a line for every text command."""
    return b"\n" + b"".join(f'"{form}"'.ljust(18).encode() + f"{what}\r\n".encode() for form, what in COMMANDS)
