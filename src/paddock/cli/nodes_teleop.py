"""`paddock nodes teleop`: keyboard control of a robot."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

from rich.live import Live
from rich.text import Text

from paddock.core.terminal.console import Console
from paddock.core.terminal_text import visible
from paddock.network.nodes import ModuleEntry, ModulesSpec, start_module
from paddock.network.nodes.teleop import TeleopModule

PERIOD = 0.1  # period of keyboard polls [s]
ARROWS = {"\x1b[A": "w", "\x1b[B": "s", "\x1b[C": "d", "\x1b[D": "a"}
TWISTS = {"w": (1.0, 0.0), "s": (-1.0, 0.0), "a": (0.0, 1.0), "d": (0.0, -1.0), " ": (0.0, 0.0)}


def drive_by_keys(spec: ModulesSpec, keys: Iterator[str], *, speed: float, turn: float) -> None:
    """Drive until `q` or the end of the keys. An empty key means that the poll period has elapsed."""
    if "TELEOP" not in spec.names:
        spec = replace(spec, modules=(*spec.modules, ModuleEntry(name="teleop")))
    module = start_module("teleop", spec)
    assert isinstance(module, TeleopModule)
    thread = threading.Thread(target=module.run, name="teleop", daemon=True)
    thread.start()
    try:
        with Live(console=Console(), refresh_per_second=10) as live:
            for key in keys:
                if key == "q" or module.ended.is_set():
                    break
                if key in TWISTS:
                    linear, angular = TWISTS[key]
                    module.take(linear * speed, angular * turn)
                live.update(describe(module))
    except KeyboardInterrupt:
        pass
    finally:
        module.ended.set()
        thread.join()
        module.bus.close()


def describe(module: TeleopModule) -> Text:
    """Return the time, the state of the reflex, and the reason if it refuses a motion."""
    text = Text(f"t {module.time:.1f} s  reflex {module.gate}  ")
    if module.refusal:
        text.append(f"refused: {visible(module.refusal)}", style="yellow")
    return text


def read_keys() -> Iterator[str]:
    """Yield the keys of the terminal, arrows as letters, and an empty key after each idle period."""
    import termios
    import tty

    line = sys.stdin.fileno()
    before = termios.tcgetattr(line) if os.isatty(line) else None
    if before is not None:
        tty.setcbreak(line)
    try:
        while True:
            ready, _, _ = select.select([line], [], [], PERIOD)
            if not ready:
                yield ""
                continue
            text = os.read(line, 64).decode(errors="replace")
            if not text:
                return
            yield from [ARROWS[text]] if text in ARROWS else text.lower()
    finally:
        if before is not None:
            termios.tcsetattr(line, termios.TCSADRAIN, before)
