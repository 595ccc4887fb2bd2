"""RobotUrl: the URL of a robot with its options after the `?`. Errors name the URL, the option and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from paddock.bridges.common.watchdog import SILENCE
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import LinkError, suggestion

SHORTEST_SILENCE = 0.5  # [s], lower limit of the watchdog's timeout


class RobotUrl:
    """A parsed URL. Of several values of an option, the last one counts."""

    def __init__(self, url: str, known: Sequence[str], example: str) -> None:
        """
        Args:
            url: the URL.
            known: names of its options.
            example: a valid URL of this kind.
        """
        self.url, self.example = url, example
        try:
            self.parts = urlsplit(url)
        except ValueError:
            raise self.refuse(f"expected an address such as '{example}'") from None
        self.options = dict(parse_qsl(self.parts.query))
        for key in self.options:
            if key not in known:
                raise self.refuse(f"no option called {key!r}{suggestion(key, known)}")

    def refuse(self, problem: str) -> LinkError:
        """Return the error for a problem of the URL."""
        return LinkError(f"connect: {self.url}: {problem}")

    def read_host(self, port: int) -> tuple[str, int]:
        """Return the host and the port; `port` is the default."""
        try:
            chosen = port if self.parts.port is None else self.parts.port
        except ValueError:
            chosen = 0
        if not self.parts.hostname:
            raise self.refuse(f"expected a host, such as '{self.example}'")
        if not chosen:
            given = self.parts.netloc.rpartition(":")[2]
            raise self.refuse(f"expected a port from 1 to {HIGHEST_PORT}, got {given}: '{self.example}'")
        return self.parts.hostname, chosen

    def read_number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number within bounds."""
        if key not in self.options:
            return default
        value = _to_float(self.options[key])
        if not low <= value <= high:
            raise self.refuse(f"{key}: expected a number from {low:g} to {high:g}, got {self.options[key]!r}")
        return value

    def read_whole(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        text = self.options.get(key, str(default))
        if key in self.options and not (text.isdecimal() and low <= int(text) <= high):
            raise self.refuse(f"{key}: expected a whole number from {low} to {high}, got {text!r}")
        return int(text)

    def read_choice(self, key: str, *choices: str) -> str:
        """Return one of several words; the first is the default."""
        choice = self.options.get(key, choices[0])
        if choice not in choices:
            raise self.refuse(f"{key}: expected {' or '.join(choices)}, got {choice!r}")
        return choice

    def read_silence(self) -> float:
        """Return the time without a call after which the robot is stopped [s]."""
        silence = _to_float(self.options.get("silence", str(SILENCE)))
        if not silence >= SHORTEST_SILENCE:
            expected = f"expected seconds >= {SHORTEST_SILENCE:g}, or inf for never"
            raise self.refuse(f"silence: {expected}, got {self.options['silence']!r}")
        return silence


def _to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
