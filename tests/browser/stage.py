"""Test helpers: `paddock serve` as a process, and the page in the system's Chromium.

The page's security policy forbids `wait_for_function` of Playwright, so `Visit.until` waits inside the page.
Python programs read the true state through `paddock.connect`.
"""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self
from urllib.parse import urlsplit

import paddock
from paddock.cli.bench.page import why_no_browser
from paddock.network.client.remote import RemoteArena
from paddock.testing import PaddockProcess

LONG = 60.0  # seconds after which a test gives up; nothing here is measured by it

try:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

    expect.set_options(timeout=1000 * LONG)
except ImportError:  # all tests here are skipped
    expect = None  # type: ignore[assignment]

DESKTOP = (1280, 800)
PHONE = (390, 844)

# No dialog, no notice, no key or field in use, nothing chosen or driven, the whole world in view.
TIDY = """() => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.getElementById("toasts").replaceChildren();
    document.activeElement.blur();
    document.getElementById("fit").click();
    paddock.session.select("");
}"""


def missing() -> str:
    """Why there is no browser for these tests; an empty text if there is one."""
    return why_no_browser()


# ---- servers


class Served(PaddockProcess):
    """`paddock serve …`, or another command with a page, as a separate process."""

    def __init__(self, *arguments: str, port: int = 0, command: str = "serve") -> None:
        super().__init__(*command.split(), *arguments, port=port)

    def connect(self, **arguments: Any) -> RemoteArena:
        """Connect a program; as a supervisor unless there is a token."""
        arguments = {"lock_step": False, "timeout": LONG, **arguments}
        arena = paddock.connect(self.url, **arguments)
        assert isinstance(arena, RemoteArena)
        return arena

    def end_politely(self) -> None:
        """Stop it with SIGINT, as Ctrl-C does, so that it closes its connections."""
        self.process.send_signal(signal.SIGINT)
        _ = self.log


def free_port() -> int:
    """A port that is not in use."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_tick(arena: RemoteArena) -> int:
    """The current tick of the server."""
    arena.step(0)
    return arena.tick


def find_owner(arena: RemoteArena, robot: str) -> str:
    """The current driver of a robot; an empty text if there is none."""
    find_tick(arena)  # reads the news that came meanwhile
    return arena.owner(robot)


def until(arena: RemoteArena, there: Callable[[], bool], *, ticks: int = 2000) -> None:
    """Step the server until a condition holds; the limit is simulated time, not wall time."""
    for _ in range(ticks):
        if there():
            return
        arena.step()
    raise AssertionError(f"not so after {ticks} ticks")


def run(program: str) -> None:
    """Run a program of the page in this process, and close its arenas."""
    names: dict[str, Any] = {}
    try:
        exec(compile(program, "the page's program", "exec"), names)
    finally:
        if "arena" in names:
            names["arena"].close()


# ---- the page


class Visit:
    """The page in its own browser context, with a record of its errors and requests."""

    def __init__(self, browser: Browser, size: tuple[int, int] = DESKTOP, **options: Any) -> None:
        self.size = {"width": size[0], "height": size[1]}
        self.context: BrowserContext = browser.new_context(viewport=self.size, **options)
        self.context.set_default_timeout(1000 * LONG)
        self.context.add_init_script(
            "window.violations = [];"
            "document.addEventListener('securitypolicyviolation',"
            " (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`));"
        )
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda line: self.requests.append(line.url))
        self.page.on("requestfailed", lambda request: self.errors.append(f"failed: {request.url}"))
        self.page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
        self.page.on("console", self._console)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"console.{message.type}: {message.text}")

    def open(self, url: str, *, live: bool = True) -> Self:
        self.page.goto(url)
        if live:
            self.until("window.paddock?.state === 'live' && paddock.frames > 0 && paddock.session.scene !== null")
            self.chosen_at_first = self.ask("paddock.selected")
        return self

    def tidy(self) -> None:
        """Reset the page for the next test; see `reuse`."""
        self.page.set_viewport_size(self.size)
        self.page.evaluate(TIDY)

    def reuse(self) -> Self:
        """Select the robot that the page selects by default."""
        self.page.evaluate("(robot) => paddock.session.select(robot)", self.chosen_at_first)
        return self

    def close(self) -> None:
        self.context.close()

    def check(self) -> None:
        """Check that there were no errors and no requests to other hosts."""
        hosts = {urlsplit(url).netloc for url in self.requests if not url.startswith(("data:", "blob:"))}
        assert len(hosts) <= 1, f"requests to {hosts}"
        assert not self.errors, self.errors
        if not self.page.is_closed():
            assert self.page.evaluate("violations") == []

    def forgive_lost_connections(self) -> None:
        """Ignore the browser's errors about a server that a test stopped on purpose."""
        lost = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "WebSocket connection to", "failed: ")
        self.errors = [text for text in self.errors if not any(word in text for word in lost)]

    # ---- looking

    def until(self, condition: str, **values: Any) -> None:
        """Wait until an expression is true, checked fifty times a second inside the page."""
        names = ", ".join(values)
        try:
            self.page.evaluate(
                f"""({{ {names} }}) => new Promise((done, failed) => {{
                    const end = performance.now() + {1000 * LONG};
                    const look = () => {{
                        let so = false;
                        try {{ so = Boolean({condition}); }} catch (error) {{ return failed(error); }}
                        if (so) done();
                        else if (performance.now() > end) failed(new Error("gave up"));
                        else setTimeout(look, 20);
                    }};
                    look();
                }})""",
                values,
            )
        except Exception as error:
            raise AssertionError(f"never so: {condition} with {values}: {error}") from None

    def ask(self, expression: str) -> Any:
        """Evaluate an expression in the page."""
        return self.page.evaluate(f"() => ({expression})")

    def pictures(self, count: int) -> None:
        """Wait until the page has drawn this many frames."""
        self.page.evaluate(
            """(count) => new Promise((done) => {
                const look = () => (count-- > 0 ? requestAnimationFrame(look) : done());
                look();
            })""",
            count,
        )

    def find(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    # ---- hands

    def choose(self, robot: str) -> None:
        """Click a robot in the list."""
        self.page.locator(f"[data-testid=robot-item][data-robot='{robot}']").click()
        self.until("paddock.selected === robot", robot=robot)

    def robot_at(self, robot: str) -> tuple[float, float]:
        """The position of a robot on the screen [pixels]."""
        x, y = self.ask(f"paddock.pixels({robot!r})")
        return self._on_screen(x, y)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The position of a point of the world [m] on the screen [pixels]."""
        px, py = self.ask(f"paddock.view.pixels({x}, {y})")
        return self._on_screen(px, py)

    def _on_screen(self, px: float, py: float) -> tuple[float, float]:
        box = self.find("arena").bounding_box()
        assert box is not None
        return box["x"] + px, box["y"] + py

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=6)
        mouse.up()

    def drive(self, robot: str) -> None:
        """Select a robot and enable driving."""
        self.choose(robot)
        self.find("drive").click()
        expect(self.find("drive")).to_have_attribute("aria-checked", "true")


class Finger:
    """One or several simulated touch points."""

    def __init__(self, page: Visit) -> None:
        self.devtools = page.context.new_cdp_session(page.page)

    def tap(self, at: tuple[float, float]) -> None:
        self.down(at)
        self.up()

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
        self.down(start)
        for i in range(1, steps + 1):
            self.move((start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps))
        self.up()

    def down(self, *at: tuple[float, float]) -> None:
        self._send("touchStart", at)

    def move(self, *at: tuple[float, float]) -> None:
        self._send("touchMove", at)

    def up(self) -> None:
        self._send("touchEnd", ())

    def _send(self, kind: str, points: Iterable[tuple[float, float]]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


@contextlib.contextmanager
def visiting(browser: Browser, **options: Any) -> Iterator[Visit]:
    """A visit that is checked and closed at its end."""
    visit = Visit(browser, **options)
    try:
        yield visit
        visit.check()
    finally:
        visit.close()
