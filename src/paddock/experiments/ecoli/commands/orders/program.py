"""HostProgram: the configuration, terminal and log that all commands of the host program share."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from paddock.core.errors import LinkError, PaddockError, nearest
from paddock.core.files import append_text
from paddock.core.reason import explain
from paddock.core.terminal.console import Console
from paddock.core.terminal_text import visible
from paddock.experiments.ecoli.commands.orders.language import _, choose_language, translate
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderRobotSpec, load_host_config
from paddock.experiments.ecoli.waypoint_robots.link import OrdersRobot, connect_orders

if TYPE_CHECKING:
    from paddock.perception.vision.camera_poses import CameraPoses

CONFIG = Path("orders.toml")
FILE_WIDTH = 120  # width of a table that is written to a file [characters]
TIMEOUT = 10.0  # timeout for the answer to a single order, in addition to its driving time [s]


class PipeSafeConsole(Console):
    """Console that continues after a closed pipe (`paddock ecoli host walk … | head`), because robots are driving."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class HostProgram:
    """A run of the host program."""

    def __init__(
        self, *, config: Path | None = None, language: str | None = None, log: Path | None = None, as_json: bool = False
    ) -> None:
        """
        Args:
            config: configuration file; None: `orders.toml` in this folder.
            language: language of all texts, or a .po file with them; None: that of the configuration.
            log: file to which all lines are appended.
            as_json: print JSON lines instead of texts.
        """
        self.path, self.as_json = config or CONFIG, as_json
        self.has_config = config is not None or CONFIG.exists()
        self._log = log
        if log is not None:
            append_text(log, "")  # fail early if the log is not writable
        wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else FILE_WIDTH
        self.console = PipeSafeConsole(highlight=False, width=wide)
        choose_language(language or "auto")
        if language is None and self.path.exists():
            choose_language(self.config.language, self.path.parent)

    @property
    def config(self) -> HostConfig:
        """Configuration, read from the file at each access."""
        if not self.path.exists():
            message = _("{file}: no such file; write one with: paddock ecoli host init").format(file=self.path)
            raise PaddockError(message)
        return load_host_config(self.path)

    # ---- output

    def print_line(self, text: str, style: str = "") -> None:
        """Print a line, and write it to the log."""
        if not self.as_json:
            self.console.print(Text(visible(text), style=style), soft_wrap=True)
        self.note(text)

    def note(self, text: str) -> None:
        """Write a line only to the log."""
        if self._log is None:
            return
        try:
            append_text(self._log, f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {visible(text)}\n")
        except PaddockError as error:  # robots are driving, so the walk continues without a log
            self._log = None
            self.print_line(translate(error), "bold red")

    def print(self, what: Any) -> None:
        """Print a table, but not in JSON mode."""
        if not self.as_json:
            self.console.print(what)

    def print_json(self, **values: Any) -> None:
        """Print a JSON line in JSON mode."""
        if self.as_json:
            self.console.out(json.dumps(values, ensure_ascii=False))

    def ask(self, question: str) -> str:
        """Ask the user a question and return the answer; EOFError at the end of the input."""
        console = Console(stderr=True) if self.as_json else self.console
        console.print(Text(question + " "), end="")
        wait_for_line()
        return console.input().strip()

    # ---- robots

    def open_camera(self) -> CameraPoses:
        """Connect to the camera of the configuration."""
        from paddock.perception.vision.camera_poses import CameraPoses

        config, folder = self.config, self.path.parent
        for key in ("camera", "camera_lens", "camera_site"):
            if not getattr(config, key):
                raise PaddockError(
                    explain("{key}: missing in the configuration; measuring with a camera needs it", key=key)
                )
        return CameraPoses(config.camera, folder / config.camera_lens, folder / config.camera_site)

    @contextmanager
    def connect(self, robot: OrderRobotSpec) -> Iterator[OrdersRobot]:
        """Connect to a robot for single orders; stop it at the end."""
        mode = self.config.mode
        link = connect_orders(f"orders://{robot.path}", name=robot.name, timeout=TIMEOUT, checked=mode != "legacy")
        with link:
            if mode == "checked" and link.mode != mode:
                message = _("{robot}: does not support checked mode, which {file} requires")
                raise LinkError(message.format(robot=robot.name, file=self.path))
            try:
                yield link
            except KeyboardInterrupt:
                if link.mode == "legacy":
                    self.print_line(
                        _("{robot}: cannot be stopped while it drives; it completes its order").format(robot=robot.name)
                    )
                raise


def find_robot(config: HostConfig, name: str, *, place: str = "") -> OrderRobotSpec:
    """Return the robot with this name; `place` is the location of the name for the error message."""
    robots = {robot.name: robot for robot in config.robots}
    if name in robots:
        return robots[name]
    near = nearest(name, robots)
    message = _("no robot called {name!r} (did you mean {near!r}?)") if near else _("no robot called {name!r}: {names}")
    raise PaddockError(place + message.format(name=name, near=near, names=", ".join(robots)))


def wait_for_line() -> None:
    """Return when `input` has a line to read, or raise KeyboardInterrupt.

    `input` alone misses a Ctrl-C that is typed just before it starts to read: Python stores the signal, then waits for
    the next line. Here each signal also writes a byte into a pipe, which ends the wait.
    """
    if os.name != "posix" or not sys.stdin.isatty():
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, reader], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
