"""The commands as a whole: short helps, one way to say each thing, quick starts, completion."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from command_line import paddock
from command_lines import list_paths
from paddock.core import registry

SCREEN, TWO_SCREENS = 40, 60  # lines of 80 columns
PATHS = {path: command for path, command in list_paths() if path}
NOUNS = {path for path, command in PATHS.items() if hasattr(command, "commands")}
VERBS = {path: command for path, command in PATHS.items() if path not in NOUNS}


def test_help_of_all_commands_fits_the_screen() -> None:
    shown = paddock("--help", columns=80).stdout
    assert len(shown.splitlines()) <= SCREEN
    top = {path[0] for path in PATHS}
    assert top == {
        *("demo", "run", "serve", "doctor", "bench"),
        *("world", "robot", "map", "study", "class", "exercise", "record", "nodes", "ecoli", "camera"),
    }
    assert all(f"│ {word} " in shown for word in top)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_of_a_command_is_at_most_two_screens_long(path: tuple[str, ...]) -> None:
    done = paddock(*path, "--help", columns=80)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= TWO_SCREENS
    assert "<bool>" not in done.stdout
    assert all(len(line) <= 80 for line in lines)
    summary = PATHS[path].help.split("\n\n")[0]
    assert summary.endswith(".")
    assert summary in " ".join(done.stdout.split())


def test_examples_of_a_help_are_not_wrapped() -> None:
    for path, command in VERBS.items():
        for line in command.help.splitlines():
            assert len(line.strip()) <= 76 or not line.strip().startswith("paddock "), " ".join(path)


def test_no_verb_is_said_twice() -> None:
    """Commands with the same summary, or the same function, would be one thing under two names."""
    summaries, functions = defaultdict(list), defaultdict(list)
    for path, command in VERBS.items():
        summaries[command.help.split("\n\n")[0]].append(path)
        functions[command.callback.__wrapped__ if hasattr(command.callback, "__wrapped__") else path].append(path)
    assert [paths for named in (summaries, functions) for paths in named.values() if len(paths) > 1] == []
    assert {path[-1] for path in VERBS} & {path[-1] for path in NOUNS} == set()


def test_output_files_have_one_option() -> None:
    options = {name for command in VERBS.values() for parameter in command.params for name in parameter.opts}
    assert "--output" not in options
    for path, command in VERBS.items():
        for parameter in command.params:
            assert ("--out" in parameter.opts) == ("-o" in parameter.opts), " ".join(path)


@pytest.mark.parametrize("arguments", [("--help",), ("world", "list"), ("run", "--help"), ("serve", "--help")])
def test_a_quick_command_loads_neither_the_compiler_nor_the_server(arguments: tuple[str, ...]) -> None:
    program = (
        "import contextlib, sys\nfrom paddock.cli import main\nsys.argv[0] = 'paddock'\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "loaded = {'numba', 'paddock.network.server', 'paddock.arena', 'matplotlib'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_listing_worlds_does_not_load_other_commands() -> None:
    program = (
        "import contextlib, sys\nfrom paddock.cli import main\nsys.argv[:] = ['paddock', 'world', 'list']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "assert 'paddock.cli.world' in sys.modules\n"
        "assert not {'paddock.cli.study', 'paddock.experiments.ecoli.commands.ecoli'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("word", ["worlds", "explore", "grade", "modules", "orders"])
def test_unknown_command_is_refused_in_a_message(word: str) -> None:
    done = paddock(word)
    assert done.returncode == 2
    assert f"No such command '{word}'" in done.stderr


def test_misspelt_command_gives_a_suggestion() -> None:
    assert "Did you mean 'world'?" in paddock("worlds").stderr
    assert "Did you mean 'explore'?" in paddock("map", "explor").stderr


def test_bridges_are_listed_with_their_values() -> None:
    listed = paddock("serve", "--bridges").stdout
    names = [name for provided in [registry.read_provided()] for name in provided["paddock.bridges"]]
    assert len(names) > 8
    for name in names:
        assert any(line.startswith(f"{name}=") for line in listed.splitlines()), name
    assert "usarsim=PORT[,camera=PORT][,scan=clockwise]" in listed


def test_unknown_bridge_is_refused_with_a_list_of_bridges() -> None:
    done = paddock("serve", "empty", "--bridge", "usarsimm=3000")
    assert done.returncode == 2
    assert "no bridge called 'usarsimm'" in done.stderr
    assert "usarsim=PORT[,camera=PORT]" in done.stderr


def test_bridge_of_a_file_is_listed_by_its_own_docstring(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        from paddock.bridges.common import bridge

        def open_mine(*_: object) -> None:
            """Open something else."""

        patch.setattr(bridge.BRIDGES, "load_all", lambda: {"mine": open_mine})
        assert list(bridge.describe_bridges()) == [("mine=…", "Open something else.")]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("paddock ser", ["serve"]),
        ("paddock world sh", ["show"]),
        ("paddock run clut", ["clutter"]),
        ("paddock run --scenario turn", ["turn-and-go"]),
        ("paddock robot show e-puck2", ["e-puck2"]),
        ("paddock exercise try line", ["line-following"]),
        ("paddock study reproduce ross", ["rossum"]),
        ("paddock serve empty --bridge usar", ["usarsim="]),
    ],
)
def test_the_shell_completes_commands_and_names(
    line: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    monkeypatch.setenv("_PADDOCK_COMPLETE", "complete_bash")
    assert paddock().stdout.split() == completed
