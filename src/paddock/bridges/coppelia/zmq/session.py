"""RemoteSession: a client of the ZeroMQ remote API. Replies to calls that take simulated time are sent later."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from types import GeneratorType
from typing import Any

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.coppelia.calls.caller import RemoteCaller
from paddock.bridges.coppelia.calls.constants import CONSTANTS
from paddock.bridges.coppelia.calls.table import CALLS, carry_out, name_error
from paddock.bridges.coppelia.zmq.messages import END, EXECUTED, WAIT, RemoteRequest, list_results
from paddock.core.errors import PaddockError

Reply = Mapping[str, Any]
SendReply = Callable[[Reply], None]

log = get_client_log("coppelia")


def describe_module(name: str) -> dict[str, Any]:
    """Return the result of `zmqRemoteApi.info`: functions and constants."""
    if name.partition("-")[0] != "sim":
        raise PaddockError(f"module '{name[:100]}' not found: only 'sim' is available")
    known: dict[str, Any] = {function.removeprefix("sim."): {"func": {}} for function in CALLS}
    return known | {constant: {"const": value} for constant, value in CONSTANTS.items()}


class RemoteSession:
    """A client. One request at a time is answered; the reply to a call that takes steps is delayed.

    `await_step(then, soon)` calls `then` after a step of the simulation, or after a short time if the simulation is not
    running. After the first step of a call, `then` is called directly. After later steps (`soon`), it is scheduled in
    the event loop, so that long waits do not block other clients.
    """

    def __init__(self, caller: RemoteCaller, await_step: Callable[[Callable[[], None], bool], None]) -> None:
        self.caller, self.version = caller, 2
        self.ended = False  # whether the client has ended the session
        self._await_step = await_step
        self._steps: Generator[None, None, Any] | None = None  # the current call, if it takes simulated time
        self._function = ""  # name of the current call
        self._send: SendReply | None = None  # sends the reply; None: the client does not wait for one
        self._ready: Reply | None = None  # a completed reply that the client does not wait for yet

    def handle(self, request: RemoteRequest, send: SendReply) -> None:
        """Process a request; the reply may be sent later."""
        self.version = 1 if request.client is None else 2
        if request.function == EXECUTED:
            self._go_on(send)
            return
        self.cancel()
        self._send, self._function = send, request.function
        try:
            result = self._carry_out(request)
        except PaddockError as error:
            self._finish({"err": str(error)})
        except Exception:  # an internal error must not affect other clients
            self._fail()
        else:
            if isinstance(result, GeneratorType):
                self._steps = result
                self._advance(result, soon=False)
            else:
                self._finish({} if self.ended else {"ret": list_results(result)})

    def hold_out(self) -> None:
        """Ask the client to request the reply again, because the call takes long."""
        if self._steps is None or self._send is None:
            return
        send, self._send = self._send, None
        send(WAIT if self.version == 2 else {"ret": []})

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
        """Switch stepping on or off in version 1, which has no levels."""
        if on := bool(arguments and arguments[0]):
            self.caller.control.require_publishing()
        self.caller.level = int(on)
        self.caller.hold_time()

    def _step(self) -> Generator[None, None, None]:
        """Step in version 1, where the client waits for the published number of the step."""
        try:
            if self.caller.control.state == "running":
                yield
        finally:
            self.caller.control.publish_step()

    def _go_on(self, send: SendReply) -> None:
        """Send the reply to the current call as soon as it is complete; the client waits for it again."""
        self._send = send
        if self._ready is not None:
            self._finish(self._ready)
        elif self._steps is None:
            self._finish({"ret": []})

    def _advance(self, steps: Generator[None, None, Any], *, soon: bool) -> None:
        if self._steps is not steps:
            return
        try:
            self.caller.scene.begin()
            next(steps)
        except StopIteration as done:
            self._steps = None
            self._finish({"ret": list_results(done.value)})
        except PaddockError as error:
            self._steps = None
            self._finish({"err": str(name_error(error, self._function))})
        except Exception:
            self._steps = None
            self._fail()
        else:
            self._await_step(partial(self._advance, steps, soon=True), soon)

    def _fail(self) -> None:
        """Log the current exception and reply that the call failed."""
        name = self._function[:100]
        log.exception("%s could not be executed", name)
        self._finish({"err": f"internal error (in function '{name}')"})

    def _finish(self, reply: Reply) -> None:
        if self._send is None:
            self._ready = reply
            return
        send, self._send, self._ready = self._send, None, None
        send(reply)

    def cancel(self) -> None:
        """Cancel the current call and discard its reply."""
        steps, self._steps, self._ready, self._send = self._steps, None, None, None
        if steps is not None:
            steps.close()
