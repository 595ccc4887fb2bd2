"""Service: a part of a served arena that owns some messages. A session knows its services by their hooks only."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from paddock.arena.episodes.events import Kind
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.downloads import Download

if TYPE_CHECKING:
    from paddock.network.server.core.client import Client
    from paddock.network.server.core.session import Session

Handler = Callable[["Client", Any], Message | None]
News = dict[str, Callable[["Client"], Message | None]]
F = TypeVar("F", bound=Callable[..., object])


class Handling(NamedTuple):
    """How a method handles a message."""

    message: type[Message]
    role: Role = Role.VIEWER  # that a client needs
    done: bool = False  # whether to answer with `done`
    in_copy: Role | None = None  # that a client needs in a private copy; None: the same
    before: bool = False  # called before the handler of a message that another service owns


class Route(NamedTuple):
    """The handler of a message."""

    role: Role  # that a client needs
    handler: Handler


def handles(
    message: type[Message], role: Role = Role.VIEWER, *, done: bool = False, in_copy: Role | None = None
) -> Callable[[F], F]:
    """Mark a method `(client, request) → answer` as the handler of a message, for clients that have the role.

    `in_copy` is the role that they need in a private copy of the world, if it differs.
    """
    return _mark(Handling(message, role, done, in_copy))


def before(message: type[Message]) -> Callable[[F], F]:
    """Mark a method `(client, request)` as called before the handler of a message. It may refuse the request.

    If it returns an answer, the request is not handled further.
    """
    return _mark(Handling(message, before=True))


def _mark(handling: Handling) -> Callable[[F], F]:
    def mark(function: F) -> F:
        function.__dict__.setdefault("handlings", []).append(handling)
        return function

    return mark


class Service:
    """A part of a session. It handles messages, sends news, and overrides the hooks that it needs."""

    session: Session
    due: float = 0  # first tick at which `before_ticks` and `after_ticks` are called

    def attach(self, session: Session) -> None:
        """Begin to serve; called in the thread of the event loop, before clients connect."""
        self.session = session

    def close(self) -> None:
        """Stop all timers, and store what has to be kept."""

    def list_news(self) -> News:
        """Return what clients are told when they join and when it is marked as stale; None: nothing."""
        return {}

    def find_file(self, path: str, host: str) -> Download | None:
        """Return the file at a path of an HTTP request to a host, or None. Anybody may ask, without a token."""
        return None

    def on_join(self, client: Client) -> None:
        """Called when a client has been accepted."""

    def on_leave(self, client: Client) -> None:
        """Called when a client has disconnected; it still drives its robots."""

    def on_enter(self, client: Client) -> None:
        """Called when a client is in this session, accepted or moved from another one."""

    def on_exit(self, client: Client) -> None:
        """Called when a client is no longer in this session, disconnected or moved to another one."""

    def on_watch(self, client: Client) -> None:
        """Called when a client begins to receive frames."""

    def on_refusal(self, name: str, text: str, about: str) -> None:
        """Called when a request of a user, or a connection from an address (`about`), was refused."""

    def on_intervention(self, client: Client, kind: Kind, text: str, in_full: str) -> None:
        """Called when a client changed the clock or the robots of others; `in_full` with the seed and the client."""

    def on_reset(self) -> None:
        """Called when the arena was reset, before clients are told."""

    def on_jump(self) -> None:
        """Called when the clock of the arena was set to another time, or another world was opened."""

    def on_teleport(self, robots: Iterable[str]) -> None:
        """Called when robots were moved by hand."""

    def before_ticks(self) -> None:
        """Called before the arena advances, once `due` is reached."""

    def after_ticks(self) -> None:
        """Called after the arena has advanced, once `due` is reached."""


class Publisher(Service):
    """A service that sends messages to viewers once per period, as long as there are any."""

    period: ClassVar[float]  # wall seconds
    _timer: asyncio.Handle | None = None

    def close(self) -> None:
        """Stop publishing."""
        if self._timer is not None:
            self._timer.cancel()

    def on_watch(self, client: Client) -> None:
        if self._timer is None:
            self._timer = self.session.loop.call_soon(self._tick)

    def _tick(self) -> None:
        viewers = self.session.viewers
        self._timer = self.session.loop.call_later(self.period, self._tick) if viewers else None
        self.publish(viewers)

    @abstractmethod
    def publish(self, viewers: Sequence[Client]) -> None:
        """Send messages; called a last time when there are no viewers any more."""


def list_handlings(service: Service) -> Iterator[tuple[Handling, Handler]]:
    """Yield what the methods of a service handle."""
    for name in dir(type(service)):
        for handling in getattr(getattr(type(service), name), "handlings", ()):
            yield handling, getattr(service, name)


def build_routes(
    services: Iterable[Service], guests: Iterable[Service] = (), *, private: bool = False
) -> dict[type[Message], Route]:
    """Return the handler of every message; of two services that handle the same message, the last one owns it.

    Guests only handle messages that no service handles. `private`: for a private copy, with the roles of its owner.
    """
    borrowed = [pair for service in guests for pair in list_handlings(service) if not pair[0].before]
    every = borrowed + [pair for service in services for pair in list_handlings(service)]
    guards: dict[type[Message], list[Handler]] = {}
    for handling, function in every:
        if handling.before:
            guards.setdefault(handling.message, []).append(function)
    return {
        handling.message: Route(
            _find_role(handling, private=private), _chain(handling, guards.get(handling.message, ()), function)
        )
        for handling, function in every
        if not handling.before
    }


def _find_role(handling: Handling, *, private: bool) -> Role:
    return handling.in_copy if private and handling.in_copy is not None else handling.role


def _chain(handling: Handling, guards: Iterable[Handler], function: Handler) -> Handler:
    """Return a handler that calls the guards first, and answers with `done` if the message wants that."""
    if not (handling.done or guards):
        return function

    def handle(client: Client, request: Any) -> Message | None:
        for guard in guards:
            if (answer := guard(client, request)) is not None:
                return answer
        answer = function(client, request)
        return m.Done(id=request.id) if handling.done else answer

    return handle


def find_overriding(services: Iterable[Service], hook: Callable[..., None]) -> tuple[Service, ...]:
    """Return the services that override a hook."""
    name = hook.__name__
    return tuple(service for service in services if getattr(type(service), name) is not getattr(Service, name))
