"""Show: the page for a local arena. The program keeps stepping it; viewers may pause it, change its speed and drive."""

from __future__ import annotations

import html
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from paddock.arena import Arena
from paddock.arena.referees import Officiating
from paddock.core.closing import Closing
from paddock.core.errors import LinkError, SimulationError, format_value
from paddock.network.protocol import messages as m
from paddock.network.server.core.clock import Member
from paddock.network.server.core.core_server import Settings
from paddock.network.server.server import Server

LONGEST_REASON = 2000  # characters
# Origins of notebooks on this machine: Jupyter on any port, and VS Code.
HERE = ("localhost", "127.0.0.1")
NOTEBOOKS = (*(f"{scheme}://{host}:*" for scheme in ("http", "https") for host in HERE), "vscode-webview:")
HEIGHT = 620  # pixels


def show(
    arena: Arena,
    *,
    speed: float | None = 1.0,
    port: int | None = None,
    open_page: bool = True,
    devices: Iterable[str] | None = None,
) -> Show:
    """Show a local arena in the browser, while your program continues to step it.

    Args:
        arena: an arena from `paddock.open`.
        speed: initial speed in simulated seconds per second; None for as fast as possible. The page can change it.
        port: port of the page; None for 8642, or any free port if that is in use.
        open_page: open a browser, unless this machine is headless, and print the address. In a notebook, embed the page
            in the cell; an existing page of this arena is shown again.
        devices: devices of the robots that the page shows; None: all.
    """
    if not isinstance(arena, Arena):
        raise SimulationError(f"show: expected a local arena, got {format_value(arena)}")
    cell = open_page and in_notebook()
    before = getattr(arena.gate, "__self__", None)
    if cell and isinstance(before, Show):  # a cell was run again
        show_in_cell(before.url, arena.world.name)
        return before
    settings = Settings(
        speed=speed,
        lock_step=True,
        port=port,
        framed_by=NOTEBOOKS if cell else (),
        devices=None if devices is None else frozenset(devices),
    )
    page = Show(arena, settings, open_page=open_page and not cell)
    if cell:
        show_in_cell(page.url, arena.world.name)
    elif open_page:
        sys.stdout.write(f"{arena.world.name} is shown at {page.url}\n")
        sys.stdout.flush()
    return page


class Show(Closing):
    """Shows an arena on a page until it is closed. `arena.step` and `arena.run` wait for the page's clock."""

    def __init__(self, arena: Arena, settings: Settings, *, open_page: bool = False) -> None:
        if arena.gate is not None:
            raise SimulationError("show: this arena is shown already")
        self.arena = arena
        self._member = Member("program", timeout=math.inf)  # the clock waits for a program at a breakpoint
        self._exit = ExitStack()
        self.server = self._exit.enter_context(Server(arena, settings).in_background())
        self.url = self.server.url(token=self.server.supervisor)
        self._call(self._begin)
        arena.gate = self._gate
        if open_page:
            open_browser(self.url)

    def _begin(self) -> None:
        self.server.program_run.set_status(m.RunStatus(state="running"))
        self.server.session.clock.join(self._member, True)

    def _gate(self, ticks: int) -> None:
        clock = self.server.session.clock
        self._call(lambda passed: clock.ask(self._member, ticks, passed), answered=True)

    def _call(self, function: Callable[..., Any], *, answered: bool = False) -> None:
        """Call a function in the server's thread and wait until it has returned, or has called back."""
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
        while not event.wait(min(1.0, max(0.0, end - time.monotonic()))):  # detects Ctrl-C and a stopped server
            if not self.server.alive:
                raise LinkError("show: the page's server has stopped")
            if time.monotonic() >= end:
                return

    # ---- a run and its viewers

    def show_game(self, game: Officiating) -> None:
        """Show the scores of a game that a referee scores."""
        self.server.scoreboard.game = game

    def wait_for_viewer(self, seconds: float = math.inf) -> None:
        """Wait until a viewer has opened the page, at most `seconds`."""
        self._wait_for(self.server.program_run.viewed, seconds)

    def end(self, reason: str, *, failed: bool = False, again: bool = False) -> None:
        """Show a banner with the reason why the run has ended, and stop the clock.

        Args:
            reason: one or two sentences for display, such as "60 s elapsed" or the line of an error.
            failed: whether it ended because of an error.
            again: offer to run again; then call `wait_for_run_again`.
        """
        status = m.RunStatus(state="failed" if failed else "ended", reason=reason[:LONGEST_REASON], again=again)
        self._call(lambda: self.server.program_run.set_status(status))

    def wait_for_run_again(self) -> None:
        """After `end(…, again=True)`: wait until a viewer restarts the run. This resets the arena."""
        self._wait_for(self.server.program_run.restarted)

    def close(self) -> None:
        """Close the page; the program then steps the arena without it."""
        self.server.goodbye = f"the run ended after {self.arena.time:g} s"
        self.arena.gate = None
        self._exit.close()

    @property
    def watched(self) -> bool:
        """Whether the page is open in a browser."""
        return bool(self.server.session.viewers)

    def __repr__(self) -> str:
        return f"<Show {self.arena.world.name} at {self.url}>"


def has_screen() -> bool:
    """Whether this machine has a display, so that a browser can be opened."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(url: str) -> bool:
    """Open a page in a browser, unless this machine is headless; return whether a browser was started."""
    if not has_screen():
        return False
    import webbrowser

    return webbrowser.open(url)


# ---- the page in a cell of a notebook


def in_notebook() -> bool:
    """Whether this program is the kernel of a notebook, whose cells can show web pages."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def frame_html(url: str, name: str) -> str:
    """Return HTML that embeds a page, with instructions for a kernel on another machine."""
    address, label, port = html.escape(url), html.escape(name), urlsplit(url).port
    look = f'width="100%" height="{HEIGHT}" style="border: 1px solid #8886; border-radius: 6px"'
    return (
        f'<iframe src="{address}" title="{label}" {look}></iframe><div style="font-size: 12px; opacity: 0.7">'
        f'{label}, live at <a href="{address}" target="_blank">{address}</a>. If it stays empty, the kernel runs on '
        f"another machine: <code>ssh -L {port}:127.0.0.1:{port} THAT-MACHINE</code> forwards it. If you "
        "cannot log in there (Colab, Binder), <code>arena</code> as the last line of a cell shows a picture.</div>"
    )


def show_in_cell(url: str, name: str) -> None:
    """Embed a page in the cell that is being run."""
    display: Any = sys.modules["IPython"].display  # a notebook has it
    display.display(display.HTML(frame_html(url, name)))
