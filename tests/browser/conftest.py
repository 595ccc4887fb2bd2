"""A browser for all tests of this folder, a fresh visit for each, and servers to visit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from browser.stage import Served, Visit, missing, until, visiting
from paddock.bench.page import browser as system_browser
from paddock.links.remote import RemoteArena


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/browser/"):  # of eight thousand: no paths are taken apart
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """The system's Chromium. It ends with this folder: Playwright keeps an event loop in this thread."""
    problem = missing()
    if problem and os.environ.get("PADDOCK_REQUIRE_BROWSER"):
        pytest.fail(f"the browser tests have to run here, but {problem}", pytrace=False)
    if problem:
        pytest.skip(problem)
    with system_browser() as started:
        yield started


@pytest.fixture(scope="package")
def shared_servers(chromium: Any) -> Iterator[dict[str, Served]]:
    """Servers of shipped worlds, started when first asked for."""
    servers: dict[str, Served] = {}
    yield servers
    for server in servers.values():
        server.stop()


@pytest.fixture
def stage(shared_servers: dict[str, Served]) -> Iterator[Callable[[str], tuple[Served, RemoteArena]]]:
    """A shipped world, paused at its start and with nobody at the wheels; and a supervisor's program that sees it."""
    with ExitStack() as stack:

        def opened(world: str) -> tuple[Served, RemoteArena]:
            server = shared_servers.get(world)
            if server is None:
                server = shared_servers[world] = Served(world)
            arena = stack.enter_context(server.connect(name="truth"))
            arena.play()
            until(arena, lambda: all(not arena.owner(name) for name in arena))  # the last visitor has left
            arena.pause()
            arena.set_speed(1.0)
            arena.reset(seed=0)
            return server, arena

        yield opened


@pytest.fixture
def clutter(stage: Callable[[str], tuple[Served, RemoteArena]]) -> tuple[Served, RemoteArena]:
    """One e-puck, called red, among ten obstacles on 1.5 × 1.5 m."""
    return stage("clutter")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Open the page: `visit(url)`. At the end there must have been no complaint and no request to anyone else."""
    with ExitStack() as stack:

        def opened(url: str, *, live: bool = True, **options: Any) -> Visit:
            return stack.enter_context(visiting(chromium, **options)).open(url, live=live)

        yield opened
