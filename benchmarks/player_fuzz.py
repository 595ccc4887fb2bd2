"""Send damaged messages to a Player port: the server must not fail, and another client must not be disturbed.

python benchmarks/player_fuzz.py --packets 100000
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import paddock
from fuzz import Fuzz, attack, read_count
from paddock.bridges.player import PlayerServer
from paddock.bridges.player.link import PlayerClient
from paddock.bridges.player.wire import MessageType, PlayerAddress, PlayerInterface, PlayerMessage, PlayerSplitter
from paddock.bridges.player.wire import interfaces as layout
from paddock.bridges.player.wire.messages import BANNER_BYTES, LARGEST_DATA
from paddock.network.server import Server, Settings

DEVICES = [device for device in PlayerInterface if device not in (PlayerInterface.PLAYER, PlayerInterface.SIMULATION)]
"""Without the simulation interface, because valid messages would pause and restart the simulation."""
SUBSCRIBE, DATA = 3, 4


def draw_message(rng: np.random.Generator) -> tuple[bytes, bool]:
    """Draw a request or a command with random contents; sometimes a subscription, so that devices are reachable."""
    device = int(rng.choice(DEVICES))
    payload = rng.bytes(int(rng.integers(0, 20)) * 4)
    type = int(rng.choice([MessageType.REQUEST, MessageType.COMMAND]))
    subtype = int(rng.choice([*range(11), layout.CAPABILITY]))
    if rng.random() < 0.3:
        device, type = int(PlayerInterface.PLAYER), int(MessageType.REQUEST)
        subtype = int(rng.choice([number for number in range(11) if number != DATA]))  # DATA would advance time
        if subtype == SUBSCRIBE:
            payload = layout.SUBSCRIPTION.pack((0, 0, int(rng.choice(DEVICES)), 0), int(rng.integers(1, 4)), b"")
    address = PlayerAddress(0, 0, device, int(rng.integers(2)))
    message = PlayerMessage(address, type, subtype, 0.0, int(rng.integers(1 << 31)), payload)
    return message.pack(), type == MessageType.REQUEST


class AfterBanner(PlayerSplitter):
    """Skips the banner."""

    def __init__(self) -> None:
        super().__init__(LARGEST_DATA)
        self._left = BANNER_BYTES

    def feed(self, data: bytes) -> Iterator[PlayerMessage]:
        banner, self._left = self._left, max(0, self._left - len(data))
        return super().feed(data[banner:])


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
        fuzz.run(
            partial(attack, bridge.addresses[0], draw_message, AfterBanner), lambda: other.list_devices() == devices
        )
        fuzz.finish(stood=arena.tick == 0)


if __name__ == "__main__":
    main()
