"""`paddock ecoli host init`: write an initial configuration with comments, also for the robots of a served world."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import paddock
from paddock.core.errors import LinkError, PaddockError
from paddock.core.files import write_text
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.terminal.output_files import check_new
from paddock.core.toml import toml_text
from paddock.experiments.ecoli.waypoint_robots import HostConfig
from paddock.experiments.ecoli.waypoint_robots.texts import CM

ROBOT_LINE = re.compile(r"^(?P<name>.+): takes orders(?: without checked mode)? at (?P<device>\S+)", re.MULTILINE)
SERVER_LINE = re.compile(r"^serving .+ at (?P<url>http\S+)", re.MULTILINE)
COLORS = ("#d1495b", "#3d6fb4", "#e09f3e", "#39a275", "#8e5ea2")

HEAD = """\
# Robots that execute orders, for `paddock ecoli host`. Lengths are in centimetres.

mode = "auto"        # auto: checked if the robot supports it; legacy: as in 2012; checked: reject robots without it
language = "auto"    # auto, en, es, de, or a file of your own; see: paddock ecoli host texts
waypoints = ""       # default file of the menu; a line name;x;y for each way-point
world = ""           # name or file of a world with the walls of the floor, to classify detections
camera = ""          # address of a camera above the arena, http://HOST/stream.mjpg, for --camera
camera_lens = ""     # file of its lens; see: paddock camera lens
camera_site = ""     # file of the markers on floor and robots; see: paddock camera locate
timeout_s = 30.0     # seconds without an answer after which a robot counts as lost
"""
COMMENTS = {
    "name": "as in the file of way-points",
    "device": "/dev/rfcomm0, COM5, 10:00:E8:AD:77:BB …; see: paddock ecoli host find",
    "at_cm": "its position at the start",
    "heading_deg": "0: along x; counter-clockwise",
    "near": "proximity threshold for avoidance; measure it with: paddock ecoli host thresholds",
}
EXAMPLE = {"e-puck_2478": "/dev/rfcomm0", "e-puck_2479": "/dev/rfcomm1", "e-puck_2481": "/dev/rfcomm2"}


def write_example(path: Path, *, served: Path | None, force: bool) -> int:
    """Write a configuration, and return the number of its robots.

    Args:
        path: path of the new file.
        served: file with the output of `paddock serve … --bridge orders=…`; `-` for stdin. None: an example.
        force: overwrite an existing file.
    """
    check_new(path, force=force)
    devices = dict(EXAMPLE)
    poses: Mapping[str, Pose] = {}
    if served is not None:
        text = read_printed(served)
        devices = {match["name"]: match["device"] for match in ROBOT_LINE.finditer(text)}
        if not devices:
            raise PaddockError(f"{served}: expected lines such as 'red: takes orders at /dev/pts/3', found none")
        if found := SERVER_LINE.search(text):
            poses = find_poses(found["url"])
    text = HEAD + "".join(
        write_robot(name, device, poses.get(name, ORIGIN), COLORS[i % len(COLORS)])
        for i, (name, device) in enumerate(devices.items())
    )
    HostConfig.from_toml(text, file=str(path))
    write_text(path, text)
    return len(devices)


def read_printed(served: Path) -> str:
    """Read the output of a server."""
    try:
        return sys.stdin.read() if str(served) == "-" else served.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PaddockError(f"{served}: cannot be read: {error.strerror}") from None


def find_poses(url: str) -> Mapping[str, Pose]:
    """Return the poses of the robots of a served world; empty if the server refuses."""
    try:
        with paddock.connect(url, lock_step=False) as arena:
            arena.step(0)
            return {name: robot.pose for name, robot in arena.robots.items()}
    except LinkError:
        return {}


def write_robot(name: str, device: str, pose: Pose, color: str) -> str:
    """Return a robot's table in TOML, with comments."""
    table = {
        "name": name,
        "device": device,
        "at_cm": [round(pose.x / CM, 2), round(pose.y / CM, 2)],
        "heading_deg": round(math.degrees(pose.heading), 2),
        "near": 600,
        "color": color,
    }
    lines = []
    for line in toml_text(table).splitlines():
        comment = COMMENTS.get(line.partition(" ")[0], "")
        lines.append(f"{line:<28}  # {comment}" if comment else line)
    return "\n[[robots]]\n" + "\n".join(lines) + "\n"
