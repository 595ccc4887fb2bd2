"""The page beside a run: its address is printed, and a browser opens where there is a screen."""

from __future__ import annotations

from rich.console import Console

from paddock.arena import Arena
from paddock.server.server import PORT
from paddock.server.show import Show, open_browser, show


def show_page(arena: Arena, *, console: Console, speed: float | None, port: int | None) -> Show:
    """Show an arena; speed None is real time, 0 is flat out."""
    page = show(arena, speed=1.0 if speed is None else speed or None, port=port, open_page=False)
    moved = f"; port {PORT} is in use" if port is None and page.server.port != PORT else ""
    console.print(f"watch it at {page.url}   (--headless runs without a page{moved})", highlight=False, soft_wrap=True)
    open_browser(page.url)
    return page
