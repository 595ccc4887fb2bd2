"""The console of all commands."""

from __future__ import annotations

from typing import Any

import rich.console


class Console(rich.console.Console):
    """A console of `rich` that prints texts such as `:robot:` as they are, not as emoji."""

    def __init__(self, **options: Any) -> None:
        super().__init__(emoji=False, **options)
