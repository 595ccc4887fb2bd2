"""FrameStream: frames with the poses of robots; each is sent after the client has confirmed the previous one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.network.protocol import messages as m
from paddock.network.server.world_view import bodies

if TYPE_CHECKING:
    from paddock.network.server.client import Client
    from paddock.network.server.session import Session


@dataclass
class FrameStream:
    """Frame stream of one client."""

    period: float  # wall seconds
    sent: int = 0
    got: int = 0
    last: tuple[int, int, bytes, bytes] | None = None  # tick, changes of owners, bodies, LEDs
    timer: asyncio.TimerHandle | None = None  # until the next frame


def stream_frames(session: Session, client: Client) -> None:
    """Send the newest frame if the previous one was confirmed and anything changed; schedule the next call."""
    stream = client.frames
    if stream is None:
        return
    stream.timer = asyncio.get_running_loop().call_later(stream.period, stream_frames, session, client)
    if stream.got < stream.sent or client.share.held:
        return
    before = session.shares.switch(client.share)
    send_frame(session, client, stream)
    session.shares.is_over(client.share)
    session.shares.switch(before)


def send_frame(session: Session, client: Client, stream: FrameStream) -> None:
    """Send poses and LEDs if anything changed; only the tick if nothing is visible to the client."""
    session.look_for_changes()
    arena = session.arena
    places, leds = b"", b""
    if client.grant.shows != "nothing":
        places, leds = bodies(arena, None if client.grant.shows == "all" else client.grant.sees)
    state = (arena.tick, session.ownership.changes, places, leds)
    if state == stream.last:
        return
    stream.last, stream.sent = state, stream.sent + 1
    session.send_changes(client)
    client.send(m.FrameData(frame=stream.sent, tick=arena.tick, bodies=places, lamps=leds))
