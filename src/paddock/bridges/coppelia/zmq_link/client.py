"""SimClient: a client of CoppeliaSim's ZeroMQ remote API, without threads and without the ZeroMQ library."""

from __future__ import annotations

import contextlib
import uuid
from typing import Any

from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.bridges.coppelia.zmq.zmtp import ZmtpPeer, pack_message
from paddock.core.errors import BadMessage, LinkError, Refused
from paddock.core.packages import import_package

VERSION = 2  # of the protocol
WAIT, EXECUTED, END = "_*wait*_", "_*executed*_", "_*end*_"


class SimClient(SimulatorClient):
    """Calls one function at a time and waits for the result. Threads may share it."""

    def __init__(self, host: str, port: int, *, timeout: float = 10.0) -> None:
        """Connect. `timeout` is the maximum time for an answer [s]."""
        self._cbor = import_package("cbor2", "coppelia", extra="coppelia", error=LinkError)
        super().__init__("coppelia", host, port, timeout)
        self._peer = ZmtpPeer("REQ")
        self._second: SimClient | None = None
        self._about = {"uuid": str(uuid.uuid4()), "ver": VERSION, "lang": "python"}
        try:
            self._send(self._peer.greeting)
            while not self._peer.ready:
                self._receive_messages()
        except BaseException:
            self._socket.close()
            raise

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of `sim`. Return None, one value, or a list of several. Raise `Refused` if it fails."""
        with self._turn:
            reply = self._ask(f"sim.{function}", list(arguments))
            while "func" in reply:
                if reply["func"] != WAIT:
                    raise LinkError(f"{self.name}: the server requested an unknown callback: {reply['func']}")
                reply = self._ask(EXECUTED, [])
        if "err" in reply or "ret" not in reply:
            raise Refused(f"{self.name}: {reply.get('err', 'no result')}")
        results = reply["ret"]
        return None if not results else results[0] if len(results) == 1 else results

    def open_second(self) -> SimClient:
        """Open another connection to the same simulator. It is closed with this one."""
        self._second = SimClient(self.host, self.port, timeout=self.timeout)
        return self._second

    def build_call(self, function: str, *arguments: Any) -> bytes:
        """Return the bytes of a call of a function of `sim`."""
        return self._pack(f"sim.{function}", list(arguments))

    def _pack(self, function: str, arguments: list[Any]) -> bytes:
        request = {"func": function, "args": arguments, "argsL": len(arguments), **self._about}
        return pack_message([b"", self._cbor.dumps(request)])

    def _ask(self, function: str, arguments: list[Any]) -> dict[str, Any]:
        self._send(self._pack(function, arguments))
        while True:
            for frames in self._receive_messages():
                try:
                    reply = self._cbor.loads(frames[-1])
                except Exception:
                    reply = None
                if not isinstance(reply, dict):
                    raise BadMessage(f"{self.name}: expected a map as CBOR")
                return reply

    def _receive_messages(self) -> list[list[bytes]]:
        messages = self._receive_parsed(self._peer.feed)
        if self._peer.replies:
            self._send(self._peer.replies)
            self._peer.replies = b""
        return messages

    def close(self) -> None:
        with contextlib.suppress(LinkError), self._turn:  # the connection may be lost already
            self._ask(END, [])
        self._socket.close()
        if self._second is not None:
            self._second._socket.close()
