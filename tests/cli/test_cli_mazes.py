"""Tests of `paddock world maze` and `paddock world import`."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from cli.test_cli import width
from command_line import paddock
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.mazes import make_maze, read_maze, solve_maze

PLANS = Path(__file__).parents[1] / "simulation" / "worlds" / "plans"


def test_maze_is_written_drawn_and_runs(tmp_path: Path) -> None:
    options = ("--size", "6x5", "--seed", "3", "--kind", "wilson", "--loops", "0.3", "--corridor", "0.2")
    done = paddock("world", "maze", *options, "-o", "my.toml", "--picture", "my.png", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "wrote my.toml (6 × 5 cells, 6 walls, 10 cells from start to exit)",
        "wrote my.png",
    ]
    world = load_world(tmp_path / "my.toml")
    assert (world.name, world.title) == ("my", "Maze of 6 × 5 cells: wilson, seed 3, loops 0.3")
    assert read_maze(world) == make_maze(6, 5, kind="wilson", seed=3, loops=0.3)
    run = paddock("run", "my.toml", "--seconds", "2", "--headless", folder=tmp_path)
    assert (run.returncode, "my: 2 s simulated" in run.stdout) == (0, True)
    shown = paddock("world", "show", "my.toml", "-o", "again.png", folder=tmp_path)
    assert shown.returncode == 0
    with Image.open(tmp_path / "my.png") as a, Image.open(tmp_path / "again.png") as b:
        assert a.tobytes() == b.tobytes()


def test_maze_picture_can_be_named_and_show_the_solution(tmp_path: Path) -> None:
    for options in (("--picture", "plain.png"), ("--picture", "solved.png", "--solution")):
        assert paddock("world", "maze", "--size", "4x4", *options, folder=tmp_path).returncode == 0
    assert width(tmp_path / "solved.png") == width(tmp_path / "plain.png")
    assert (tmp_path / "solved.png").read_bytes() != (tmp_path / "plain.png").read_bytes()


def test_maze_is_printed_without_an_output_file() -> None:
    maze = make_maze(5, 4, kind="rooms", seed=2, start=(1, 0), exit=(0, 3))
    options = ("world", "maze", "--size", "5×4", "--kind", "rooms", "--seed", "2", "--start", "1,0", "--exit", "0,3")
    assert str(maze) in paddock(*options).stdout
    assert maze.to_text(solve_maze(maze)) in paddock(*options, "--solution").stdout


def test_files_are_overwritten_only_with_force(tmp_path: Path) -> None:
    assert paddock("world", "maze", "-o", "my.toml", folder=tmp_path).returncode == 0
    before = (tmp_path / "my.toml").read_text()
    refused = paddock("world", "maze", "--seed", "9", "-o", "my.toml", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == ("paddock: my.toml already exists: choose another name, or overwrite it with --force\n")
    assert (tmp_path / "my.toml").read_text() == before
    assert paddock("world", "maze", "--seed", "9", "-o", "my.toml", "--force", folder=tmp_path).returncode == 0
    assert (tmp_path / "my.toml").read_text() != before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--size", "8"), "--size: expected columns and rows such as 8x8, got '8'"),
        (("--size", "0x8"), "columns: expected a whole number from 1 to 200, got 0"),
        (("--size", "8x-1"), "--size: expected columns and rows such as 8x8, got '8x-1'"),
        (("--kind", "kruskall"), "no kind of maze called 'kruskall' (did you mean 'kruskal'?)"),
        (("--start", "1"), "--start: expected column and row such as 0,0, got '1'"),
        (("--exit", "8,8"), "exit: expected a cell from [0, 0] to [7, 7], got [8, 8]"),
        (("--loops", "2"), "loops: expected a share of the dead ends from 0 to 1, got 2"),
        (("--corridor", "0.05"), "corridor: expected metres > 0.1, so that the scout can turn, got 0.05"),
        (("--robot", "epuck"), "robots[0].type: no robot called 'epuck' (did you mean 'e-puck'?)"),
        (("-o", "my.txt"), "my.txt: expected a file name ending in .toml"),
        (("-o", "no/my.toml"), "no/my.toml: no such folder"),
        (("--picture", "my.txt"), "my.txt: expected a file name ending in .png, .svg, .pdf, .jpg, .jpeg, .webp"),
    ],
)
def test_invalid_maze_options_are_refused_in_one_line(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    done = paddock("world", "maze", *options, folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"paddock: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_plan_is_imported_and_runs(tmp_path: Path) -> None:
    done = paddock("world", "import", str(PLANS / "workshop.txt"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wrote workshop.toml (3.059 × 2.145 m, 8 obstacles, a robot)\nleft out: 1 × doorway:")
    assert load_world(tmp_path / "workshop.toml") == load_world(PLANS / "workshop.toml")
    assert paddock("run", "workshop.toml", "--seconds", "2", "--headless", folder=tmp_path).returncode == 0


def test_picture_is_imported_with_scale_and_robot(tmp_path: Path) -> None:
    picture = Image.new("L", (40, 30), 255)
    picture.paste(0, (10, 10, 12, 30))
    picture.save(tmp_path / "map.pgm")
    options = ("--scale", "0.05", "--threshold", "0.3", "--height", "0.2", "--robot", "e-puck")
    done = paddock(
        *("world", "import", "map.pgm", "-o", "w.toml", *options, "--at", "1.5,0.5", "--heading", "90"), folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    world = load_world(tmp_path / "w.toml")
    assert world.name == "w"  # as its file, not as the picture
    assert world.bounds == (0.0, 0.0, 2.0, 1.5)
    (box,) = world.boxes
    assert (box.at, box.size, box.height) == ((0.55, 0.5), (0.1, 1.0), 0.2)
    (robot,) = world.robots
    assert (robot.type, robot.at, robot.heading_deg) == ("e-puck", (1.5, 0.5), 90.0)
    assert paddock("world", "import", "map.pgm", "--robot", "none", folder=tmp_path).returncode == 0
    assert load_world(tmp_path / "map.toml").robots == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.txt",), "none.txt: no such file"),
        (("plan.txt",), "plan.txt: line 2: unknown keyword 'wal' (did you mean 'wall'?)"),
        (("plan.txt", "--scale", "2"), "scale: expected none: plan.txt is not a picture, and only pictures have it"),
        (("plan.txt", "--at", "here"), "--at: expected x,y in metres such as 0.5,1.2, got 'here'"),
        (("plan.txt", "-o", "plan.txt"), "plan.txt: expected a file name ending in .toml"),
        (
            ("plan.txt", "-o", "old.toml"),
            "old.toml already exists: choose another name, or overwrite it with --force",
        ),
    ],
)
def test_invalid_imports_are_refused_in_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "plan.txt").write_text("units: meters;\nwal a { }\n")
    (tmp_path / "old.toml").write_text("")
    done = paddock("world", "import", *arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"paddock: {message}\n")
