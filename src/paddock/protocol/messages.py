"""Every message that travels between a server and its clients, under one roof: `m.Step`, `m.Observed`, …

Lengths are metres, angles radians, times seconds, as everywhere.
"""

from paddock.protocol.answers import *  # noqa: F403
from paddock.protocol.base import *  # noqa: F403
from paddock.protocol.class_answers import *  # noqa: F403
from paddock.protocol.class_requests import *  # noqa: F403
from paddock.protocol.parts import *  # noqa: F403
from paddock.protocol.requests import *  # noqa: F403
