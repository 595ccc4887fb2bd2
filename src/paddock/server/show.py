"""Show: the page for an arena of this process. The program keeps stepping it; people may pause, slow down and drive."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

from paddock.arena import Arena
from paddock.core.errors import LinkError, SimulationError, format_value
from paddock.protocol import messages as m
from paddock.referees import Officiating
from paddock.server.clock import Member
from paddock.server.notebook import NOTEBOOKS, in_notebook, show_in_cell
from paddock.server.server import PORT, Server, Settings

LONGEST_REASON = 2000  # letters


def show(arena: Arena, *, speed: float | None = 1.0, port: int | None = None, open_page: bool = True) -> Show:
    """Show an arena of this process in the browser, while your program goes on stepping it.

    Args:
        arena: what `paddock.open` gave.
        speed: simulated seconds per second at first; None for flat out. The page can change it.
        port: where the page is; None for 8642, or any free one if that is in use.
        open_page: open a browser, if there is a screen to see it on; and print the address. In a notebook the page is
            put into the cell; one that is there already is shown again.
    """
    if not isinstance(arena, Arena):
        raise SimulationError(f"show: expected an arena of this process, got {format_value(arena)}")
    cell = open_page and in_notebook()
    before = getattr(arena.gate, "__self__", None)
    if cell and isinstance(before, Show):  # cells are run again
        show_in_cell(before.url, arena.world.name)
        return before
    settings = Settings(
        speed=speed,
        lock_step=True,
        port=PORT if port is None else port,
        any_port=port is None,
        framed_by=NOTEBOOKS if cell else (),
    )
    page = Show(arena, settings, open_page=open_page and not cell)
    if cell:
        show_in_cell(page.url, arena.world.name)
    elif open_page:
        sys.stdout.write(f"{arena.world.name} is shown at {page.url}\n")
        sys.stdout.flush()
    return page


class Show:
    """An arena on a page, until it is closed. `arena.step` and `arena.run` then wait for the page's clock."""

    def __init__(self, arena: Arena, settings: Settings, *, open_page: bool = False) -> None:
        if arena.gate is not None:
            raise SimulationError("show: this arena is shown already")
        self.arena = arena
        self._member = Member("program", timeout=math.inf)  # a program at a breakpoint is waited for
        self._exit = ExitStack()
        self.server = self._exit.enter_context(Server(arena, settings).in_background())
        self.url = self.server.url(token=self.server.supervisor)
        self._call(self._begin)
        arena.gate = self._gate
        if open_page:
            open_browser(self.url)

    def _begin(self) -> None:
        self.server.session.set_run(m.RunStatus(state="running"))
        self.server.session.clock.join(self._member, True)

    def _gate(self, ticks: int) -> None:
        clock = self.server.session.clock
        self._call(lambda passed: clock.ask(self._member, ticks, passed), answered=True)

    def _call(self, function: Callable[..., Any], *, answered: bool = False) -> None:
        """Call a function in the server's thread and wait until it is done, or until it has called back."""
        done = threading.Event()
        failed: list[BaseException] = []

        def work() -> None:
            try:
                function(done.set) if answered else function()
            except BaseException as error:
                failed.append(error)
                done.set()
            if not answered:
                done.set()

        self.server.call(work)
        self._wait_for(done)
        if failed:
            raise failed[0]

    def _wait_for(self, event: threading.Event, seconds: float = math.inf) -> None:
        end = time.monotonic() + seconds
        while not event.wait(min(1.0, max(0.0, end - time.monotonic()))):  # Ctrl-C and the server's end are noticed
            if not self.server.alive:
                raise LinkError("show: the page's server has stopped")
            if time.monotonic() >= end:
                return

    # ---- a run and its viewers

    def show_game(self, game: Officiating) -> None:
        """Have viewers see the scores of a game that a referee watches."""
        self.server.session.scoreboard.game = game

    def wait_for_viewer(self, seconds: float = math.inf) -> None:
        """Wait until somebody has opened the page, at most so many seconds."""
        self._wait_for(self.server.session.viewed, seconds)

    def end(self, reason: str, *, failed: bool = False, again: bool = False) -> None:
        """Tell viewers that the run has ended, and why: the page says so in a banner, and time stands still.

        Args:
            reason: one or two sentences for people, such as "60 s are over" or the line of an error.
            failed: whether it ended because of an error.
            again: offer to run again; then call `wait_for_run_again`.
        """
        status = m.RunStatus(state="failed" if failed else "ended", reason=reason[:LONGEST_REASON], again=again)
        self._call(lambda: self.server.session.set_run(status))

    def wait_for_run_again(self) -> None:
        """After `end(…, again=True)`: wait until a viewer starts the run again. The arena is reset then."""
        self._wait_for(self.server.session.restarted)

    def close(self) -> None:
        """The page goes, the arena is all yours again."""
        self.server.goodbye = f"the run is over after {self.arena.time:g} s"
        self.arena.gate = None
        self._exit.close()

    @property
    def watched(self) -> bool:
        """Whether somebody has the page open."""
        return any(client.frames is not None for client in list(self.server.session.clients))

    def __repr__(self) -> str:
        return f"<Show {self.arena.world.name} at {self.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def has_screen() -> bool:
    """Whether this machine has a screen that a browser can open on."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(url: str) -> bool:
    """Open a page, if there is a screen to see it on; whether a browser was started."""
    if not has_screen():
        return False
    import webbrowser

    return webbrowser.open(url)
