"""Fixtures of the browser tests: one browser for all tests, a fresh page for each, and servers to open."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from browser.stage import Served, Visit, missing, until, visiting
from paddock.cli.bench.page import browser as system_browser
from paddock.network.client.remote import RemoteArena

AT_START = """paddock.session.clock.tick === 0 && paddock.session.clock.seed === 0
    && !paddock.session.clock.running && paddock.session.clock.speed === 1
    && paddock.robots().length === poses.length
    && paddock.robots().every(({ x, y, heading }, i) =>
        Math.hypot(x - poses[i][0], y - poses[i][1], Math.sin((heading - poses[i][2]) / 2)) < 1e-5)"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/browser/"):  # of eight thousand: no paths are taken apart
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """The system's Chromium, closed after this folder because Playwright keeps an event loop in this thread."""
    problem = missing()
    if problem and os.environ.get("PADDOCK_REQUIRE_BROWSER"):
        pytest.fail(f"the browser tests have to run here, but {problem}", pytrace=False)
    if problem:
        pytest.skip(problem)
    with system_browser() as started:
        yield started


@pytest.fixture(scope="package")
def shared_servers(chromium: Any) -> Iterator[dict[str, Served]]:
    """Servers of shipped worlds, started on first use."""
    servers: dict[str, Served] = {}
    yield servers
    for server in servers.values():
        server.stop()


@pytest.fixture
def stage(shared_servers: dict[str, Served]) -> Iterator[Callable[[str], tuple[Served, RemoteArena]]]:
    """A shipped world, paused at its start and without drivers, and a supervisor connection to it."""
    with ExitStack() as stack:

        @functools.cache
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
    """One e-puck called red among ten obstacles on 1.5 × 1.5 m."""
    return stage("clutter")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Open the page: `visit(url)`; at the end there must be no errors and no request to another host."""
    with ExitStack() as stack:

        def opened(url: str, *, live: bool = True, **options: Any) -> Visit:
            return stack.enter_context(visiting(chromium, **options)).open(url, live=live)

        yield opened


@pytest.fixture(scope="module")
def open_pages(chromium: Any) -> Iterator[dict[str, Visit]]:
    """Pages that the tests of a file share, by their address."""
    pages: dict[str, Visit] = {}
    yield pages
    for page in pages.values():
        page.close()


@pytest.fixture
def shared_visit(
    chromium: Any, open_pages: dict[str, Visit], request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Visit]]:
    """`shared_visit(url)` is like `visit(url)`, but reuses a page that is already open.

    A page stays open after a test that passed. A test undoes its changes, except those that `Visit.tidy` resets.
    """
    failures = request.session.testsfailed
    used: dict[str, Visit] = {}
    with ExitStack() as stack:

        def opened(url: str) -> Visit:
            page = open_pages.pop(url, None)
            page = page.reuse() if page else Visit(chromium).open(url)
            used[url] = stack.enter_context(closing(page))
            return page

        yield opened
        for page in used.values():
            page.check()
        if request.session.testsfailed == failures:
            for page in used.values():
                page.tidy()
            open_pages.update(used)
            stack.pop_all()


@pytest.fixture
def shared_stage(
    stage: Callable[[str], tuple[Served, RemoteArena]], shared_visit: Callable[[str], Visit]
) -> Callable[[str], tuple[Visit, RemoteArena]]:
    """A shared page of a shipped world at its start, and a supervisor connection to the same server."""

    def opened(world: str) -> tuple[Visit, RemoteArena]:
        server, arena = stage(world)
        page = shared_visit(server.url)
        page.until(AT_START, poses=[[*robot.pose] for robot in arena.robots.values()])
        return page, arena

    return opened


@pytest.fixture
def page(shared_stage: Callable[[str], tuple[Visit, RemoteArena]]) -> Visit:
    """The page of `clutter`, which the tests of a file share."""
    return shared_stage("clutter")[0]
