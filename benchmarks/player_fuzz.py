"""Send damaged messages to a port of Player: nothing may fail inside, and another client goes on undisturbed.

python benchmarks/player_fuzz.py --packets 100000
"""

from __future__ import annotations

import contextlib
import socket
from functools import partial

import numpy as np

import paddock
from fuzz import Fuzz, mutate, read_count
from paddock.bridges import PlayerServer
from paddock.links.player import PlayerClient
from paddock.player import MessageType, PlayerAddress, PlayerInterface, PlayerMessage, PlayerSplitter
from paddock.player import interfaces as layout
from paddock.player.messages import BANNER_BYTES, LARGEST_DATA
from paddock.server import Server, Settings

DEVICES = [device for device in PlayerInterface if device not in (PlayerInterface.PLAYER, PlayerInterface.SIMULATION)]
"""The simulation is not meant: whole messages would pause it and begin it anew."""
SUBSCRIBE, DATA = 3, 4


def draw_message(rng: np.random.Generator) -> bytes:
    """A request or a command with random contents; now and then a subscription, so that there is something to reach."""
    device = int(rng.choice(DEVICES))
    payload = rng.bytes(int(rng.integers(0, 20)) * 4)
    type = int(rng.choice([MessageType.REQUEST, MessageType.COMMAND]))
    subtype = int(rng.choice([*range(11), layout.CAPABILITY]))
    if rng.random() < 0.3:
        device, type = int(PlayerInterface.PLAYER), int(MessageType.REQUEST)
        subtype = int(rng.choice([number for number in range(11) if number != DATA]))  # nobody lets time pass
        if subtype == SUBSCRIBE:
            payload = layout.SUBSCRIPTION.pack((0, 0, int(rng.choice(DEVICES)), 0), int(rng.integers(1, 4)), b"")
    address = PlayerAddress(0, 0, device, int(rng.integers(2)))
    return PlayerMessage(address, type, subtype, 0.0, int(rng.integers(1 << 31)), payload).pack()


def attack(address: tuple[str, int], rng: np.random.Generator, packets: int) -> int:
    """Send packets on connections of one's own, a new one whenever the server hangs up; how many there were."""
    connections, sent = 0, 0
    while sent < packets:
        connections += 1
        with socket.create_connection(address, timeout=10) as client, contextlib.suppress(OSError):
            client.recv(BANNER_BYTES)
            client.settimeout(0.02)
            splitter = PlayerSplitter(LARGEST_DATA)
            for _ in range(50):
                whole = draw_message(rng)
                damaged = mutate(whole, rng)
                client.sendall(damaged)
                sent += 1
                if damaged == whole and whole[19] == MessageType.REQUEST and not receive(client, splitter):
                    break
    return connections


def receive(client: socket.socket, splitter: PlayerSplitter) -> bool:
    """Wait for an answer; False if there is none."""
    while data := client.recv(1 << 16):
        if list(splitter.feed(data)):
            return True
    return False


def main() -> None:
    packets = read_count(__doc__, "packets")
    arena = paddock.open("clutter", seed=1)
    server = Server(arena, Settings(port=0, speed=None, lock_step=True))
    with (
        PlayerServer(arena, 0, stepped=True) as bridge,
        server.in_background(),
        PlayerClient(*bridge.addresses[0], timeout=60) as other,
    ):
        devices = other.list_devices()
        fuzz = Fuzz("player", packets, 100)
        fuzz.run(partial(attack, bridge.addresses[0]), lambda: other.list_devices() == devices)
        fuzz.finish(stood=arena.tick == 0)


if __name__ == "__main__":
    main()
