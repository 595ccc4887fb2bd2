"""Serial devices that vanish, and paths that are given to another device meanwhile."""

from __future__ import annotations

import os
import pty
import select
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from experiments.ecoli.waypoint_robots.order_fixtures import open_room, plan_square, running
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.driver.streams import SerialOpener
from paddock.core.errors import LinkError
from paddock.experiments.ecoli.waypoint_robots import Host, HostTiming, OrderEvent, OrderRobots
from paddock.experiments.ecoli.waypoint_robots.port import SerialDevice
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")

ANOTHER = "this path belongs to another device now"


class Terminal:
    """A pseudo terminal of somebody else."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.device = os.ttyname(self.theirs)
        self._settings = termios.tcgetattr(self.theirs)

    @property
    def untouched(self) -> bool:
        """Whether nobody has written to it or changed its settings."""
        return not select.select([self.ours], [], [], 0)[0] and termios.tcgetattr(self.theirs) == self._settings

    def close(self) -> None:
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def other() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.fixture
def give_path(tmp_path: Path) -> Callable[[str], str]:
    """Give a path, the same every time, to a device."""

    def give(device: str) -> str:
        (tmp_path / "new").symlink_to(device)
        return str((tmp_path / "new").rename(tmp_path / "robot"))

    return give


@pytest.mark.parametrize("call", ["tcgetattr", "tcsetattr", "tcflush"])
def test_device_that_vanishes_while_it_is_opened_is_named(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    device, real = os.ttyname(theirs), getattr(termios, call)
    os.close(theirs)

    def vanish_first(*arguments: Any) -> Any:
        monkeypatch.setattr(termios, call, real)
        os.close(ours)
        return real(*arguments)

    monkeypatch.setattr(termios, call, vanish_first)
    with pytest.raises(LinkError, match=rf"^{device}: cannot open it: .*Input/output error.*; is the robot on"):
        SerialDevice(device).open()


def test_terminal_that_got_the_number_of_a_lost_device_is_left_alone() -> None:
    while True:  # until no other program takes the number
        with ExitStack() as stack:
            lost = Terminal()
            opener = SerialOpener(lost.device)
            opener.open().close()
            wait_until_later_than(lost.device)
            lost.close()
            for _ in range(100):
                terminal = Terminal()
                stack.callback(terminal.close)
                if terminal.device == lost.device:
                    with pytest.raises(LinkError, match=f"^{lost.device}: {ANOTHER}"):
                        opener.open()
                    assert terminal.untouched
                    return


def wait_until_later_than(device: str) -> None:
    """Wait until a new terminal gets a later time of creation: the clock of the file system has coarse steps."""

    def create() -> int:
        terminal = Terminal()
        created = Path(terminal.device).stat().st_ctime_ns
        terminal.close()
        return created

    before = Path(device).stat().st_ctime_ns
    wait_for(lambda: create() > before)


def test_handle_of_a_lost_robot_sends_nothing_to_another_device_at_its_path(
    give_path: Callable[[str], str], other: Terminal
) -> None:
    with EPuckEmulators(bench(), serial=["red"]) as emulators:
        robot = paddock.connect(f"epuck://{give_path(emulators.devices['red'])}?silence=inf", timeout=60)
        robot.enable("proximity")
        robot.wheels.set(0.05, 0.05)
    give_path(other.device)
    with pytest.raises(LinkError, match="the connection was lost"):
        robot.proximity.raw()
    for call in (robot.proximity.raw, robot.reconnect):
        with pytest.raises(LinkError, match=ANOTHER):
            call()
    robot.close()
    assert other.untouched


@pytest.mark.heavy
def test_host_of_a_lost_robot_sends_nothing_to_another_device_at_its_path(
    give_path: Callable[[str], str], other: Terminal
) -> None:
    arena = open_room(1)
    with OrderRobots(arena, {"r0": True}) as robots, running(arena):

        def replace_robot(event: OrderEvent) -> None:
            if event.kind == "connected":
                robots.close()
                give_path(other.device)

        path, timing = give_path(robots.devices["r0"]), HostTiming(greeting=0.2, round_trip=0.1, silence=1.0)
        (session,) = Host([(plan_square(0), path)], timing=timing, on_event=replace_robot).run().values()
    assert ANOTHER in session.result.lost
    assert other.untouched


@pytest.mark.parametrize(("numbers", "opens"), [(("E42", "E42"), True), (("E42", "E43"), False)])
def test_usb_device_that_was_plugged_in_again_is_opened_if_it_is_the_same(
    give_path: Callable[[str], str], other: Terminal, monkeypatch: pytest.MonkeyPatch, numbers: list[str], opens: bool
) -> None:
    from serial.tools import list_ports, list_ports_common

    def plug_in(number: str, device: str) -> str:
        port = list_ports_common.ListPortInfo(device)
        port.vid, port.pid, port.serial_number = 0x0483, 0x5740, number
        monkeypatch.setattr(list_ports, "comports", lambda: [port])
        return give_path(device)

    first = Terminal()
    opener = SerialOpener(plug_in(numbers[0], first.device))
    opener.open().close()
    plug_in(numbers[1], other.device)
    first.close()
    if opens:
        opener.open().close()
    else:
        with pytest.raises(LinkError, match=ANOTHER):
            opener.open()
        assert other.untouched
