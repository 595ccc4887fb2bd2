"""Requests of viewers: the scene, and frames with the poses of robots."""

from __future__ import annotations

from msgspec.structs import replace

from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client, FrameStream
from paddock.network.server.core.service import Service, handles
from paddock.network.server.core.visibility import hide_scene
from paddock.network.server.core.world_view import bodies


class ViewRequests(Service):
    """Sends the scene and frames."""

    @handles(m.GetScene)
    def look(self, client: Client, request: m.GetScene) -> Message:
        return replace(hide_scene(self.session.scene, client.grant), id=request.id)

    @handles(m.Frames, done=True)
    def frames(self, client: Client, request: m.Frames) -> None:
        client.stop_frames()
        if request.rate:
            client.frames = FrameStream(1 / request.rate)
            self._stream(client)
            for service in self.session.services:
                service.on_watch(client)

    @handles(m.FrameAck)
    def confirm_frame(self, client: Client, request: m.FrameAck) -> None:
        if client.frames is not None:
            client.frames.confirmed = max(client.frames.confirmed, min(request.frame, client.frames.sent))

    def _stream(self, client: Client) -> None:
        """Send the newest frame if the previous one was confirmed and anything changed; schedule the next call."""
        stream, shares = client.frames, self.session.shares
        if stream is None:
            return
        stream.timer = self.session.loop.call_later(stream.period, self._stream, client)
        if stream.confirmed < stream.sent or client.share.held:
            return
        shares.charge(client.share, self._send_frame, client, stream)
        shares.is_over(client.share)

    def _send_frame(self, client: Client, stream: FrameStream) -> None:
        """Send poses and LEDs if anything changed; only the tick if nothing is visible to the client."""
        session = self.session
        session.look_for_changes()
        places, leds = b"", b""
        if client.grant.shows != "nothing":
            places, leds = bodies(session.arena, None if client.grant.shows == "all" else client.grant.sees)
        state = (session.arena.tick, session.ownership.changes, places, leds)
        if state == stream.last:
            return
        stream.last, stream.sent = state, stream.sent + 1
        session.send_changes(client)
        client.send(m.FrameData(frame=stream.sent, tick=session.arena.tick, bodies=places, lamps=leds))
