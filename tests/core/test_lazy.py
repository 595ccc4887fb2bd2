"""Names that are imported on first access."""

from __future__ import annotations

import subprocess
import sys

import pytest

import paddock.bridges
import paddock.learning.evolve
import paddock.perception.mapping


def test_server_start_does_not_import_bridges_and_mapping() -> None:
    unused = "{'paddock.bridges.coppelia', 'paddock.bridges.player', 'paddock.perception.mapping.graph_slam'}"
    program = f"import sys, paddock.cli.serve_world; print({unused} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "set()"


SENSING = """
arena = paddock.open("clutter")
arena["red"].enable("proximity")
arena["red"].sense()
"""


def test_a_program_that_only_senses_loads_less_than_a_hundred_modules() -> None:
    loaded = _list_loaded(SENSING)
    assert len(loaded) < 100
    rooms = {".".join(module.split(".")[:3]) for module in loaded}
    assert not rooms & {"paddock.perception", "paddock.control", "paddock.arena.batches", "paddock.arena.metrics"}


RUNNING = """
from paddock.cli import main
sys.argv = ["paddock", "run", "clutter", "--seconds", "0", "--headless"]
try:
    main()
except SystemExit:
    print()
"""


def test_a_run_without_a_page_loads_no_server_no_class_and_no_pictures() -> None:
    loaded = _list_loaded(RUNNING)
    assert len(loaded) < 180
    rooms = {".".join(module.split(".")[:3]) for module in loaded}
    assert not rooms & {"paddock.network", "paddock.teaching", "paddock.report.drawing", "paddock.arena.referees"}


def _list_loaded(program: str) -> list[str]:
    """Return the modules of the package that a program has loaded at its end."""
    listing = "print(*(name for name in sys.modules if name.partition('.')[0] == 'paddock'), sep='\\n')"
    command = [sys.executable, "-c", f"import sys, paddock\n{program}\n{listing}"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [word for word in printed if word.partition(".")[0] == "paddock"]


@pytest.mark.parametrize("room", [paddock.bridges, paddock.learning.evolve, paddock.perception.mapping])
def test_every_public_name_of_a_lazy_package_resolves(room: object) -> None:
    name = room.__name__  # type: ignore[attr-defined]
    assert all(getattr(room, public) is not None for public in room.__all__)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = room.nothing  # type: ignore[attr-defined]
