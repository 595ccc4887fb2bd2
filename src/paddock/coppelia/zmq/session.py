"""RemoteSession: one client of the ZeroMQ remote API. Requests in, replies out; those that take time come later."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from functools import partial
from types import GeneratorType
from typing import Any

from paddock.coppelia.zmq.caller import RemoteCaller
from paddock.coppelia.zmq.constants import CONSTANTS
from paddock.coppelia.zmq.messages import END, EXECUTED, WAIT, RemoteRequest, list_results
from paddock.coppelia.zmq.table import CALLS, carry_out, name_error
from paddock.core.errors import PaddockError

Reply = Mapping[str, Any]
SendReply = Callable[[Reply], None]

log = logging.getLogger("paddock.coppelia")


def describe_module(name: str) -> dict[str, Any]:
    """What `zmqRemoteApi.info` tells: functions and constants."""
    if name.partition("-")[0] != "sim":
        raise PaddockError(f"module '{name[:100]}' not found: there is 'sim' only")
    known: dict[str, Any] = {function.removeprefix("sim."): {"func": {}} for function in CALLS}
    return known | {constant: {"const": value} for constant, value in CONSTANTS.items()}


class RemoteSession:
    """A client. One request at a time is answered; a call that takes steps holds its reply back.

    `await_step(then, soon)` is asked to call back after a step of the simulation, or after a while if it stands still;
    for the first step of a call at once, later (`soon`) out of the event loop, so that long waits hold up nobody.
    """

    def __init__(self, caller: RemoteCaller, await_step: Callable[[Callable[[], None], bool], None]) -> None:
        self.caller, self.version = caller, 2
        self.ended = False  # it took leave
        self._await_step = await_step
        self._steps: Generator[None, None, Any] | None = None  # a call that takes time
        self._function = ""  # its name
        self._send: SendReply | None = None  # for whom the reply is
        self._ready: Reply | None = None  # the reply to a call, while the client does not wait for one

    def handle(self, request: RemoteRequest, send: SendReply) -> None:
        """Carry out a request; the reply may be sent later."""
        self.version = 1 if request.client is None else 2
        if request.function == EXECUTED:
            self._go_on(send)
            return
        self._drop()
        self._send, self._function = send, request.function
        try:
            result = self._carry_out(request)
        except PaddockError as error:
            self._finish({"err": str(error)})
        except Exception:  # a mistake of this program; one client's trouble, and nobody else's
            log.exception("%s could not be carried out", request.function[:100])
            self._finish({"err": f"internal error (in function '{request.function[:100]}')"})
        else:
            if isinstance(result, GeneratorType):
                self._steps = result
                self._advance(result, soon=False)
            else:
                self._finish({} if self.ended else {"ret": list_results(result)})

    def hold_out(self) -> None:
        """The reply is held back for long: tell the client to ask again."""
        if self._steps is None or self._send is None:
            return
        send, self._send = self._send, None
        send(WAIT if self.version == 2 else {"ret": []})

    def close(self) -> None:
        """The client is gone."""
        self._drop()

    def _carry_out(self, request: RemoteRequest) -> Any:
        name, arguments, caller = request.function, request.arguments, self.caller
        caller.scene.begin()
        if name == END:
            self.ended = True
            caller.end_stepping()
            return None
        if name in ("zmqRemoteApi.info", "zmqRemoteApi.require"):
            module = describe_module(str(arguments[0]) if arguments else "")
            return module if name == "zmqRemoteApi.info" else None
        if request.client is None and name in ("step", "setStepping"):
            return self._step() if name == "step" else self._set_stepping(arguments)
        return carry_out(caller, name, arguments)

    def _set_stepping(self, arguments: list[Any]) -> None:
        """Of version 1: on or off, without levels."""
        self.caller.level = int(bool(arguments and arguments[0]))
        self.caller.hold_time()

    def _step(self) -> Generator[None, None, None]:
        """Of version 1: whoever steps waits for the number of the step, which is published."""
        try:
            if self.caller.control.state == "running":
                yield
        finally:
            self.caller.control.publish_step()

    def _go_on(self, send: SendReply) -> None:
        """The client waits again for the reply to its call."""
        self._send = send
        if self._ready is not None:
            self._finish(self._ready)
        elif self._steps is None:
            self._finish({"ret": []})

    def _advance(self, steps: Generator[None, None, Any], *, soon: bool) -> None:
        if self._steps is not steps:
            return
        self.caller.scene.begin()
        try:
            next(steps)
        except StopIteration as done:
            self._steps = None
            self._finish({"ret": list_results(done.value)})
        except PaddockError as error:
            self._steps = None
            self._finish({"err": str(name_error(error, self._function))})
        else:
            self._await_step(partial(self._advance, steps, soon=True), soon)

    def _finish(self, reply: Reply) -> None:
        if self._send is None:
            self._ready = reply
            return
        send, self._send, self._ready = self._send, None, None
        send(reply)

    def _drop(self) -> None:
        """Forget a call whose reply nobody waits for."""
        steps, self._steps, self._ready, self._send = self._steps, None, None, None
        if steps is not None:
            steps.close()
