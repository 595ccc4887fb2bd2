"""`paddock demo` and `paddock run`: a world, a scenario or a robot with controllers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from paddock.cli import options
from paddock.core.terminal.shared_options import FILES, Force, Seed, file_option, out_option
from paddock.core.user_code import check_file

# Modes of `paddock run` that replace a world, each with the options that it uses.
MODES = {
    "scenario": ("robot", "seed", "speed", "out", "report", "headless", "port", "traceback"),
    "robot": (
        *(
            "scenario",
            "controller",
            "policy",
            "seconds",
            "trace",
            "out",
            "report",
            "take_over",
            "headless",
            "traceback",
        ),
    ),
}

DEMO_SPEED = 3.0  # simulated seconds per second
DEFAULT_SECONDS = 30.0  # simulated time of a run in a world


Scenario = Annotated[
    str | None,
    typer.Option(
        help="Scenario instead of a world, or a TOML file.",
        autocompletion=options.complete(options.list_scenarios),
    ),
]
RobotAddress = Annotated[str | None, typer.Option(help="Address of a robot instead, such as epuck:///dev/rfcomm0.")]
TakeOver = Annotated[bool, typer.Option("--take-over", help="Take the robot over from its driver.")]
RunSeconds = Annotated[float | None, typer.Option(help="Default: 30; with --robot, until Ctrl-C.")]
OptionalSeed = Annotated[int | None, typer.Option(help="Seed of all noise. Default: 0, or the scenario's.")]
Traceback = Annotated[
    bool, typer.Option("--traceback", rich_help_panel=options.CONTROL, help="Print full tracebacks of errors.")
]
RunFolder = Annotated[
    Path | None,
    out_option("Folder for log, traces, summary and pictures."),
]
Report = Annotated[
    bool, typer.Option("--report", rich_help_panel=FILES, help="Also write an HTML report; default folder: runs.")
]
TraceFile = Annotated[Path | None, file_option("With --robot: its trace, .csv, .npz or .parquet.")]


def demo(
    seconds: options.Seconds = 60.0,
    seed: Seed = 1,
    picture: options.Picture = None,
    speed: Annotated[
        float | None,
        typer.Option(min=0, rich_help_panel=options.PAGE, help="Times real time; 0: flat out. Default: 3."),
    ] = None,
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Watch two e-pucks meet on a line with obstacles, and pass each other.

    Opens the page, prints its address, and starts when a browser shows it. At
    the end it prints a summary. The page stays open for another run until
    Ctrl-C.

      paddock demo
      paddock demo --headless --seconds 20 --picture trails.png
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.run_world import run_world

    speed = DEMO_SPEED if speed is None else speed
    how: dict[str, Any] = {"seconds": seconds, "speed": speed, "seed": seed, "picture": picture}
    run_world("line-crossing", None, headless=headless, port=port, needs_viewer=True, **how)


def run(
    context: typer.Context,
    world: options.OptionalWorld = None,
    scenario: Scenario = None,
    robot: RobotAddress = None,
    take_over: TakeOver = False,
    seconds: RunSeconds = None,
    seed: OptionalSeed = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    traceback: Traceback = False,
    referee: options.RefereeName = None,
    speed: options.Speed = None,
    headless: options.Headless = False,
    port: options.Port = None,
    out: RunFolder = None,
    report: Report = False,
    picture: options.Picture = None,
    trace: TraceFile = None,
    record: options.Record = None,
    force: Force = False,
) -> None:
    """Run a world with your own or a built-in controller.

    A controller is a Python file with a function for every tick and robot:

      def act(observation):
          left, middle, right = observation.ground
          return 0.10, 0.05 if right < 0.5 else 0.10   # wheel speeds in m/s

      paddock run line-track -c my_controller.py --referee laps
      paddock run clutter --seconds 120 --out runs --report
      paddock run runs/maze/world.toml --policy runs/maze/champion.npz
      paddock run --scenario paper-loop --seed 3 --out runs --report
      paddock run -c my_controller.py --robot epuck:///dev/rfcomm0
    """
    check_choices(context, world, scenario, robot)
    out = Path("runs") if report and out is None else out
    how: dict[str, Any] = {"headless": headless, "traceback": traceback, "out": out}
    if scenario is not None:
        from paddock.cli.run_scenario import run_scenario_file

        if not run_scenario_file(scenario, seed=seed, report=report, robot=robot, speed=speed, port=port, **how):
            raise typer.Exit(1)
    elif robot is not None:
        from paddock.cli.run_robot import run_robot

        run_robot(
            robot, controller, policy=policy, take_over=take_over, seconds=seconds, trace=trace, html=report, **how
        )
    elif world is not None:
        from paddock.cli.run_world import run_world

        how |= {"seconds": DEFAULT_SECONDS if seconds is None else seconds, "speed": speed, "port": port}
        how |= {"record": record, "picture": picture, "html": report}
        if referee is not None:
            from paddock.cli.referee import choose_referee

            how["referee"] = choose_referee(referee)
        run_world(world, controller, policy=policy, seed=seed or 0, **how)


def refuse_old_recording(options: Mapping[str, Any]) -> None:
    """Raise an error if the recording already exists and --force is not set."""
    if options["record"] is not None:
        from paddock.core.terminal.output_files import check_new

        check_new(options["record"], force=options["force"])


def check_choices(context: typer.Context, world: str | None, scenario: str | None, robot: str | None) -> None:
    """Check that exactly one of world, scenario and robot is given, and no option that it does not use."""
    if (world is None) == (scenario is None and robot is None):
        raise typer.BadParameter("expected either a world or --scenario or --robot")
    if robot is not None and "://" not in robot:
        raise typer.BadParameter(
            f"--robot: expected the address of a robot, such as epuck2://192.168.1.20, got {robot!r}"
            + explain_address(robot)
        )
    mode = next((mode for mode in MODES if context.params[mode] is not None), None)
    if mode is not None:
        refuse_unused(context, mode, MODES[mode])
    if robot is None and (context.params["trace"] is not None or context.params["take_over"]):
        raise typer.BadParameter("--trace and --take-over need --robot; --out writes the traces of a world")
    without_page = context.params["headless"] or robot is not None
    options.refuse_page_options(without_page, speed=context.params["speed"], port=context.params["port"])
    refuse_old_recording(context.params)
    controller, policy = context.params["controller"], context.params["policy"]
    refuse_both(controller, policy)
    if controller is not None:
        check_file(controller, str(controller))  # before a page is opened or a robot is connected
    if mode == "robot" and controller is None and policy is None:
        raise typer.BadParameter("--robot: expected --controller or --policy to drive it")


def explain_address(robot: str) -> str:
    """Return what a user probably meant by an address without `://`: a type of robot, or an incomplete URL."""
    from paddock.network.client import suggest_url
    from paddock.simulation.robots import robot_names

    if robot in robot_names() or robot.endswith(".toml"):
        return ": types of robots (see: paddock robot list) belong into worlds"
    return suggest_url("", robot)


def refuse_unused(context: typer.Context, mode: str, used: Iterable[str]) -> None:
    """Raise an error for given options that a mode would ignore."""
    written = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in (mode, *used) and source is not None and source.name != "DEFAULT":
            others = ", ".join(written[option] for option in used if written[option].startswith("-"))
            raise typer.BadParameter(f"{written[name]} cannot be used with {written[mode]}, which takes {others}")


def refuse_both(controller: Path | None, policy: Path | None) -> None:
    """Raise an error if both a controller and a policy are given."""
    if controller is not None and policy is not None:
        raise typer.BadParameter("expected either --controller or --policy")
