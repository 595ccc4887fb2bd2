"""Serial devices that vanish while they are opened."""

from __future__ import annotations

import os
import pty
import termios
from typing import Any

import pytest

from paddock.core.errors import LinkError
from paddock.experiments.ecoli.waypoint_robots.port import SerialDevice


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
