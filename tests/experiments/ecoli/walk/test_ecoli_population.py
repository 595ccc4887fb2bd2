"""Tests of populations, waypoints and their commands."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from command_line import paddock as command
from paddock.cli.app import app
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.jobs import FinishedJobs, run_jobs
from paddock.experiments.ecoli.walk.claims import check_walks
from paddock.experiments.ecoli.walk.population import find_mann_whitney_p, isolate_walker, run_population
from paddock.experiments.ecoli.walk.tumble_rates import LEVELS, TRIALS
from paddock.experiments.ecoli.walk.walk_report import density_chart, distance_chart, tabulate_walks
from paddock.experiments.ecoli.walk.walks import DISHES, run_walks
from paddock.experiments.ecoli.walk.waypoints import walk_way_points
from paddock.experiments.ecoli.waypoint_robots import format_waypoints
from paddock.report import save_figure
from paddock.simulation.worlds import load_world

pytestmark = pytest.mark.long


def test_mann_whitney_p_matches_scipy() -> None:
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(1)
    for shift in (0.0, 0.5, 2.0):
        a, b = rng.normal(0, 1, 40).round(1), rng.normal(shift, 1, 50).round(1)
        expected = mannwhitneyu(a, b, method="asymptotic").pvalue
        assert find_mann_whitney_p(a, b) == pytest.approx(expected, rel=1e-6)
    assert find_mann_whitney_p([1.0, 1.0], [1.0, 1.0]) == 1.0


def test_isolated_walker_has_nose_at_requested_position() -> None:
    front, centre = isolate_walker("petri-dish-gauss"), isolate_walker("petri-dish-gauss", nose="centre")
    assert [robot.name for robot in front.robots] == [robot.name for robot in centre.robots] == ["e-puck_2478"]
    mounts = [sensor.mounts for sensor in centre.robots[0].type.sensors if sensor.name == "nose"]  # type: ignore[union-attr]
    assert mounts == [((0.0, 0.0, 0.03, 0.0),)]
    with pytest.raises(PaddockError, match="clutter: a walker needs a field to sense"):
        isolate_walker("clutter")
    with pytest.raises(UnknownName, match="did you mean 'centre'"):
        isolate_walker(nose="center")


def test_both_dishes_differ_only_in_food() -> None:
    cone, hill = load_world("petri-dish"), load_world("petri-dish-gauss")
    assert (cone.bounds, cone.border, cone.robots) == (hill.bounds, hill.border, hill.robots)
    assert (hill.fields[0].shape, hill.fields[0].radius) == ("gaussian", 0.25)


@pytest.mark.heavy
def test_population_figures_are_drawn(tmp_path: Path) -> None:
    population = run_population(walkers=20, seconds=10.0, every=1.0)
    assert population.positions.shape == (20, 11, 2)
    assert np.isfinite(population.positions).all()
    for name, chart in {
        "density": density_chart(population, (1.0, 0.5)),
        "distance": distance_chart({"normal": population}, (1.0, 0.5)),
    }.items():
        save_figure(chart, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


@pytest.mark.heavy
def test_every_population_has_a_row_and_every_claim_a_number(tmp_path: Path) -> None:
    run_all = partial(run_jobs, workers=1, finished=FinishedJobs(tmp_path / "finished.jsonl", "walks"))
    walks = run_walks((1,), walkers=12, seconds=40.0, run_all=run_all)
    counts: list[tuple[int, int]] = []
    again = run_walks(
        (1,), walkers=12, seconds=40.0, run_all=partial(run_all, progress=lambda done, of: counts.append((done, of)))
    )
    assert all(done == of for done, of in counts)  # nothing was computed again
    assert np.array_equal(again.populations[DISHES[0]][0].positions, walks.populations[DISHES[0]][0].positions)
    assert [row[:4] for row in tabulate_walks(walks).rows] == [tuple(dish) for dish in DISHES]
    assert len(walks.methylation.table.rows) == len(TRIALS)
    claims = list(check_walks(walks))
    assert {"walk, Gaussian, nose between the wheels, worst of 1 populations"} <= {claim.row for claim in claims}
    assert sum("methylation held at" in claim.row for claim in claims) == 2 * len(LEVELS)


@pytest.mark.heavy
def test_waypoints_are_inside_the_dish_and_deterministic() -> None:
    points = walk_way_points("petri-dish", orders=5, seed=3)
    assert [point.robot for point in points] == [f"e-puck_{n}" for n in (2478, 2479, 2481) for _ in range(5)]
    assert all(0 < point.x < 2 and 0 < point.y < 1 for point in points)
    assert points == walk_way_points("petri-dish", orders=5, seed=3)
    assert points != walk_way_points("petri-dish", orders=5, seed=4)
    assert re.fullmatch(r"e-puck_2478;\d+\.0;\d+\.0\n", format_waypoints(points[:1]))


@pytest.mark.heavy
def test_waypoints_and_runs_use_the_chosen_network_and_policy(tmp_path: Path) -> None:
    usual, other = (
        command("ecoli", "waypoints", "--robots", "e-puck_2479", "--orders", "3", *network)
        for network in ((), ("--network", "ecoli-chemotaxis"))
    )
    assert len(usual.stdout.splitlines()) == len(other.stdout.splitlines()) == 3
    assert usual.stdout != other.stdout
    walk = command("run", "petri-dish", "--policy", "run-and-tumble", "--headless", "--seconds", "5", "-o", "runs",
                   folder=tmp_path)  # fmt: skip
    assert walk.returncode == 0, walk
    assert "built-in" not in walk.stdout
    refused = command("run", "clutter", "--policy", "run-and-tumble", "--headless")
    assert "run-and-tumble: this policy was made for a robot with nose, proximity; red (e-puck) has" in refused.stderr
    unknown = command("run", "clutter", "--policy", "run-and-jump", "--headless")
    assert "no policy called 'run-and-jump': expected a file such as champion.npz, or run-and-tumble" in unknown.stderr


@pytest.mark.heavy
def test_ecoli_commands_write_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    done = run.invoke(
        app, ["ecoli", "waypoints", "petri-dish", "-o", "walk.txt", "--robots", "e-puck_2479", "--orders", "4"]
    )
    assert done.exit_code == 0, done.output
    lines = Path("walk.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert all(line.startswith("e-puck_2479;") for line in lines)
    done = run.invoke(app, ["ecoli", "network", "-o", "figures", "--seconds", "6"])
    assert done.exit_code == 0, done.output
    assert "conserved: RI + RA" in done.output
    assert {path.name for path in Path("figures").iterdir()} == {
        "ecoli-chemotaxis-network.png",
        "ecoli-chemotaxis-pools.png",
    }
    done = run.invoke(app, ["ecoli", "population", "--walkers", "4", "--seconds", "4", "--json"])
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["walker"] for line in done.output.splitlines() if line.startswith("{")] == [
        "none",
        "normal",
    ]
    assert "oscillator" in run.invoke(app, ["ecoli", "network", "--list"]).output


@pytest.mark.heavy
def test_population_of_an_own_network_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cell = 'name = "mine"\ninput = "L"\noutput = "Y"\npools = [{ name = "L", start = 1.0, held = true }, %s]\n'
    Path("mine.toml").write_text(cell % '{ name = "Y", start = 3.0, supply = 3.0, loss = 1.0 }', encoding="utf-8")
    arguments = ["ecoli", "population", "--walkers", "4", "--seconds", "4", "--json", "--network"]
    done, shipped = (CliRunner().invoke(app, [*arguments, name]).stdout for name in ("mine.toml", "ecoli-chemotaxis"))
    assert [json.loads(line)["walker"] for line in done.splitlines()] == ["none", "normal"]
    assert done != shipped
    failed = CliRunner().invoke(app, [*arguments, "mine.toml", "--kinds", "no-methylation"])
    assert "no pool of mine called 'M'" in str(failed.exception)


def test_ecoli_commands_refuse_unknown_names() -> None:
    run = CliRunner()
    for arguments, message in (
        (["network", "ecoly-chemotaxis"], "did you mean 'ecoli-chemotaxis'"),
        (["population", "--kinds", "normal,lazy"], "no kind of walker called 'lazy'"),
    ):
        assert message in str(run.invoke(app, ["ecoli", *arguments]).exception)
