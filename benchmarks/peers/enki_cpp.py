"""Enki from C++ (Debian libenki-dev and g++): builds enki_cpp.cpp once and feeds it the scenario.

Deviation: 3 rays of 12 cm per proximity sensor.
"""

import argparse
import os
import subprocess
from pathlib import Path

from scenario import arena

SOURCE = Path(__file__).with_suffix(".cpp")


def build(root: Path) -> Path:
    """The program under root, compiled if it is missing or older than its source."""
    binary = root / "enki_cpp" / "enki_cpp"
    if not binary.exists() or binary.stat().st_mtime < SOURCE.stat().st_mtime:
        binary.parent.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-O2", str(SOURCE), "-o", str(binary), "-lenki"]
        subprocess.run(command, check=True, capture_output=True)
    return binary


def main() -> None:
    parser = argparse.ArgumentParser(description="time Enki (C++) on a scenario")
    parser.add_argument("scenario", choices=["S1", "S2"])
    parser.add_argument("robots", type=int)
    parser.add_argument("steps", type=int)
    chosen = parser.parse_args()

    binary = build(Path(os.environ.get("PEERS_ROOT", ".peers")))
    scene = arena(chosen.robots)
    lines = [f"r {x} {y} {heading}" for x, y, heading in scene.poses]
    lines += [f"o {x} {y}" for x, y in scene.obstacles]
    command = [str(binary), chosen.scenario, str(chosen.steps), str(scene.side)]
    subprocess.run(command, input="\n".join(lines), text=True, check=True)


if __name__ == "__main__":
    main()
