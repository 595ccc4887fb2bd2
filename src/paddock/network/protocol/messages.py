"""All messages between a server and its clients in one namespace: `m.Step`, `m.Observed`, …

Lengths are in metres, angles in radians, times in seconds.
"""

from paddock.network.protocol.answers import *  # noqa: F403
from paddock.network.protocol.message_base import *  # noqa: F403
from paddock.network.protocol.parts import *  # noqa: F403
from paddock.network.protocol.requests import *  # noqa: F403
