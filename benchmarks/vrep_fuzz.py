"""Send damaged packets to a port of V-REP's API: the server must not fail, and another client must not be disturbed.

python benchmarks/vrep_fuzz.py --packets 100000
"""

from __future__ import annotations

import struct
from functools import partial

import numpy as np

import paddock
from fuzz import Fuzz, attack, read_count
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia.legacy import CALLS, PacketJoiner, split_packets
from paddock.bridges.coppelia.legacy.messages import ask_for, build_request
from paddock.bridges.coppelia.legacy_link import VrepClient
from paddock.network.server import Server, Settings

GET_HANDLE, GET_POSITION, TARGET_VELOCITY = 0x3001, 0x1001, 0x1008
NOT_MEANT = {TARGET_VELOCITY, 0x1007, 0x1028, 0x1037, 0x102E, 0x101A, 0x101B, 0x1801, 0x1024, 0x3003, 0x3002, 0x0005}
NOT_MEANT |= {0x3013, 0x3014, 0x3015, 0x3016, 0x3401, 0x0001, 0x200A, 0x1005, 0x1006}
"""Commands that change the world, which are excluded because valid ones would be executed."""


def draw_message(rng: np.random.Generator) -> tuple[bytes, bool]:
    """Draw a message of a few commands with random contents, as packets. All are answered."""
    blocks = []
    for command in rng.choice(sorted(set(CALLS) - NOT_MEANT), int(rng.integers(1, 5))):
        key, data = rng.bytes(int(rng.integers(0, 13))), rng.bytes(int(rng.integers(0, 64)))
        if rng.random() < 0.5:
            key = struct.pack("<i", int(rng.integers(-3, 80))) + key[:4]
        blocks.append(ask_for(int(command), key, data, mode=int(rng.integers(8)) << 16, delay=int(rng.integers(300))))
    return split_packets(build_request(int(rng.integers(1 << 31)), blocks)), True


def main() -> None:
    packets = read_count(__doc__, "packets")
    arena = paddock.open("clutter", seed=1)
    arena.step(10)
    server = Server(arena, Settings(port=0, speed=None, lock_step=True))
    with VrepServer(arena, 0) as bridge, server.in_background(), VrepClient(*bridge.addresses[0], timeout=60) as other:
        name, tick = f"{bridge.simulator.scene.list_bases()[0].name}\0".encode(), arena.tick
        handle = other.call(GET_HANDLE, name)
        fuzz = Fuzz("vrep", packets, 100)
        fuzz.run(
            partial(attack, bridge.addresses[0], draw_message, PacketJoiner),
            lambda: other.call(GET_HANDLE, name) == handle,
        )
        fuzz.finish(stood=arena.tick == tick)  # no client triggered a step


if __name__ == "__main__":
    main()
