"""Benchmarks of the page: frames per second of headless Chromium with many driving robots."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import paddock
from paddock.arena.base_arena import BaseArena
from paddock.cli.bench.local import Bench, swarm_world
from paddock.core.errors import PaddockError
from paddock.network.server.process import PaddockProcess
from paddock.simulation.worlds import save_world

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The first one found is used. The headless shell needs half of Chromium's CPU time to open a page.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WINDOW = (1280, 800)  # pixels
TICK = 0.02  # [s]

SHOWN = """() => new Promise((done) => {
  const look = () => (window.paddock?.frames > 2 ? done() : requestAnimationFrame(look));
  look();
})"""
# Resolves to [seconds, frames from the server] after so many displayed frames.
SHOW_PICTURES = """(wanted) => new Promise((done) => {
  let first = 0, shown = 0, before = 0;
  const look = (now) => {
    if (!shown) [first, before] = [now, paddock.frames];
    if (shown++ < wanted) requestAnimationFrame(look);
    else done([(now - first) / 1000, paddock.frames - before]);
  };
  requestAnimationFrame(look);
})"""


def page_200() -> Bench:
    """The page with 200 driving e-pucks in headless Chromium at 1280 × 800, drawn by the CPU: frames per second."""
    return _page(200)


def page_1000() -> Bench:
    """The page with 1,000 driving e-pucks, as `page-200`: frames per second."""
    return _page(1_000)


def why_no_browser() -> str:
    """Return the missing requirement for opening the page from Python, with its installation; empty if none."""
    if importlib.util.find_spec("playwright") is None:
        return "the package playwright is missing: pip install playwright"
    if _chromium() is None:
        return f"Chromium is missing: apt-get install {NAMES[0]} (or any of {', '.join(NAMES[1:])} in the PATH)"
    return ""


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the system's Chromium in headless mode. Playwright's own browsers are not used."""
    problem = why_no_browser()
    if problem:
        raise PaddockError(f"a browser is required, but {problem}")
    from playwright.sync_api import sync_playwright

    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"] if as_root else [])
        yield chromium
        chromium.close()


def _chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _page(robots: int) -> Bench:
    stack = ExitStack()
    try:
        arena, show = _open_page(stack, robots)
    except BaseException:
        stack.close()
        raise
    rates: list[float] = []
    updates: list[float] = []

    def work(pictures: int) -> None:
        seconds, frames = show(pictures)
        rates.append(pictures / seconds)
        updates.append(frames / seconds)

    def measure_more() -> dict[str, float]:
        measured = rates[1:] or rates  # the first one warms up
        return {
            "frames_per_s": round(statistics.median(measured), 1),
            "least_frames_per_s": round(min(measured), 1),
            "updates_per_s": round(statistics.median(updates[1:] or updates), 1),  # from the server, at most 30
        }

    return Bench(len(arena.robots), arena.dt, work, 120, close=stack.close, measure_more=measure_more)


def _open_page(stack: ExitStack, robots: int) -> tuple[BaseArena, Callable[[int], tuple[float, int]]]:
    """Open an arena with driving robots and its page. Return the arena, and a function that waits for some frames."""
    chromium = stack.enter_context(browser())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    save_world(replace(swarm_world(robots), dt=TICK), folder / "swarm.toml")
    url = stack.enter_context(PaddockProcess("run", str(folder / "swarm.toml"), "--seconds", "1e6")).url
    arena = stack.enter_context(paddock.connect(url, lock_step=False, timeout=60.0))
    page = chromium.new_page(viewport={"width": WINDOW[0], "height": WINDOW[1]})
    page.goto(url)
    page.evaluate(SHOWN)
    return arena, lambda pictures: tuple(page.evaluate(SHOW_PICTURES, pictures))
