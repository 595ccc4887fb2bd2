"""The page of a run: its address is printed, and a browser opens if there is a screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from paddock.arena import Arena
from paddock.core.terminal.console import Console

if TYPE_CHECKING:
    from paddock.network.server.show import Show

BROWSER_STARTS = 10.0  # seconds


def show_page(
    arena: Arena,
    *,
    console: Console,
    speed: float | None,
    port: int | None,
    needs_viewer: bool = False,
    devices: Iterable[str] | None = None,
) -> Show:
    """Show an arena on a page, or only some devices of its robots; speed None is real time, 0 as fast as possible.

    With `needs_viewer`, wait until the page is open; otherwise wait only for a browser that this function started.
    """
    from paddock.network.server.show import open_browser, show

    page = show(arena, speed=1.0 if speed is None else speed or None, port=port, open_page=False, devices=devices)
    try:
        hint = f"(--headless runs without a page{page.server.port_remark})"
        console.print(f"watch it at {page.url}   {hint}", highlight=False, soft_wrap=True)
        opened = open_browser(page.url)
        if needs_viewer:
            console.print("the run starts when the page is open in a browser; Ctrl-C stops it", highlight=False)
        if needs_viewer or opened:
            page.wait_for_viewer(math.inf if needs_viewer else BROWSER_STARTS)
    except BaseException:
        page.close()
        raise
    return page


def offer_to_run_again(page: Show, console: Console, reason: str, *, failed: bool = False) -> bool:
    """Show on the page that the run has ended; if it has viewers, wait until one restarts the run, or until Ctrl-C.

    After a failure the page also stays open for a user who has not opened it yet: the error may come in the first tick.

    Returns:
        Whether to run again from the start; the arena is then reset.
    """
    try:
        watched = page.watched or (failed and _will_be_watched(page))
        page.end(reason, failed=failed, again=watched)
        if not watched:
            return False
        style = "bold red" if failed else "bold"
        console.print(Text.assemble(("the run has ended: ", style), reason), soft_wrap=True)
        how = f"the page stays open at {page.url}: press Run again there, or Ctrl-C here to stop"
        console.print(how, highlight=False)
        page.wait_for_run_again()
    except KeyboardInterrupt:
        return False
    console.print(f"running again with seed {page.arena.seed}", highlight=False)
    return True


def _will_be_watched(page: Show) -> bool:
    """Return whether a user is there who may open the page: at a terminal, or with a browser that is just starting."""
    if sys.stdin is not None and sys.stdin.isatty():
        return True
    from paddock.network.server.show import has_screen

    if has_screen():
        page.wait_for_viewer(BROWSER_STARTS)
    return page.watched
