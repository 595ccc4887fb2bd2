"""`paddock demo` and `paddock run`: their options and help texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from paddock.cli import options
from paddock.core.user_code import check_file

# Modes of `paddock run` that replace a world, each with the options that it uses.
MODES = {
    "scenario": ("robot", "seed", "speed", "out", "report", "headless", "port", "traceback"),
    "robot": (
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
}

DEMO_SPEED = 3.0  # simulated seconds per second
DEFAULT_SECONDS = 30.0  # simulated time of a run in a world


def demo(
    seconds: options.Seconds = 60.0,
    speed: Annotated[
        float | None, typer.Option(min=0, help="Simulated seconds per second; 0: as fast as possible. Default: 3.")
    ] = None,
    seed: options.Seed = 1,
    picture: options.Picture = Path("demo.png"),
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Run the demo: two e-pucks drive towards each other on a line with obstacles, and pass each other.

    Opens the page, prints its address, and starts when a browser shows it. At the end it prints a summary and saves a
    picture of the trails, which replaces an older one. The page stays open for another run until Ctrl-C.

      paddock demo
      paddock demo --headless --seconds 20
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.run import run_world

    run_world(
        "line-crossing",
        None,
        seconds=seconds,
        speed=DEMO_SPEED if speed is None else speed,
        seed=seed,
        picture=picture,
        headless=headless,
        port=port,
        needs_viewer=True,
    )


def run(
    context: typer.Context,
    world: options.OptionalWorld = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    scenario: options.Scenario = None,
    robot: options.RobotAddress = None,
    seconds: options.RunSeconds = None,
    speed: options.Speed = None,
    seed: options.OptionalSeed = None,
    picture: options.Picture = None,
    out: options.RunFolder = None,
    report: options.Report = False,
    trace: options.TraceFile = None,
    take_over: options.TakeOver = False,
    record: options.Record = None,
    force: options.Force = False,
    referee: options.RefereeName = None,
    traceback: options.Traceback = False,
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Run a world with your own or a built-in controller. The page closes with the run unless a browser shows it.

    A controller is a Python file with a function that is called once per tick for every robot:

      def act(observation):
          left, middle, right = observation.ground
          return 0.10, 0.05 if right < 0.5 else 0.10     # wheel speeds in m/s

      paddock run clutter --seconds 120 --picture trails.png
      paddock run line-track -c my_controller.py --speed 1
      paddock run clutter --out runs --report
      paddock run clutter --record run.mcap
      paddock run line-track -c my_controller.py --seconds 120 --referee laps
      paddock run runs/maze/world.toml --policy runs/maze/champion.npz
      paddock run --scenario paper-loop --seed 3 --out runs --report
      paddock run -c my_controller.py --robot epuck:///dev/rfcomm0
    """
    check_choices(context, world, scenario, robot)
    out = Path("runs") if report and out is None else out
    if scenario is not None:
        from paddock.cli.scenario import run_scenario_file

        shown: dict[str, Any] = {"headless": headless, "port": port, "speed": speed, "traceback": traceback}
        if not run_scenario_file(scenario, seed=seed, out=out, report=report, robot=robot, **shown):
            raise typer.Exit(1)
    elif robot is not None:
        from paddock.cli.run_robot import run_robot

        drive: dict[str, Any] = {"seconds": seconds, "headless": headless, "trace": trace, "traceback": traceback}
        run_robot(robot, controller, policy=policy, take_over=take_over, out=out, html=report, **drive)
    elif world is not None:
        from paddock.cli.referee import choose_referee
        from paddock.cli.run import run_world

        how: dict[str, Any] = {"seconds": DEFAULT_SECONDS if seconds is None else seconds, "speed": speed}
        how |= {"headless": headless, "port": port, "traceback": traceback}
        how |= {"record": record, "picture": picture, "out": out, "html": report}
        run_world(world, controller, policy=policy, seed=seed or 0, referee=choose_referee(referee), **how)


def refuse_old_recording(options: Mapping[str, Any]) -> None:
    """Raise an error if the recording already exists and --force is not set."""
    if options["record"] is not None:
        from paddock.cli.files import check_new

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
        return ": types of robots (see: paddock robots) belong into worlds"
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
