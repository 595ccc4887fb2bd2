"""All messages between a server and its clients in one namespace: `m.Step`, `m.Observed`, …

Lengths are in metres, angles in radians, times in seconds.
"""

from paddock.protocol.answers import *  # noqa: F403
from paddock.protocol.base import *  # noqa: F403
from paddock.protocol.class_answers import *  # noqa: F403
from paddock.protocol.class_requests import *  # noqa: F403
from paddock.protocol.parts import *  # noqa: F403
from paddock.protocol.requests import *  # noqa: F403
