"""Menu entry 4: send orders that the user types."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.experiments.ecoli.commands.orders.language import _, translate
from paddock.experiments.ecoli.commands.orders.program import HostProgram, find_robot
from paddock.experiments.ecoli.waypoint_robots.driving import TRIES, allow_seconds, estimate_seconds
from paddock.experiments.ecoli.waypoint_robots.link import OrdersRobot
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS
from paddock.experiments.ecoli.waypoint_robots.texts import CM, DRIVING, Order, read_order, write_reply


def send(program: HostProgram, name: str, texts: Sequence[str]) -> bool:
    """Send orders to a robot up to the first that fails; return whether all were executed."""
    orders = [read_order(text) for text in texts]  # nothing is sent if one of them is invalid
    with program.connect(find_robot(program.config, name)) as link:
        return all(send_order(program, link, order, text) for order, text in zip(orders, texts, strict=True))


def send_in_turn(program: HostProgram, name: str) -> None:
    """Ask the user for orders and send them, until an empty line."""
    with program.connect(find_robot(program.config, name)) as link:
        while text := program.ask(_("order for {robot}, such as D or O39.00;95.00 (Enter ends):").format(robot=name)):
            try:
                send_order(program, link, read_order(text), text)
            except PaddockError as error:
                program.print_line(translate(error), "red")


def send_order(program: HostProgram, link: OrdersRobot, order: Order, text: str) -> bool:
    """Send an order, and print the reply; return whether the robot executed it."""
    expected, allowed = estimate_order(order, link.pose) if order.letter in DRIVING else (0.0, 0.0)
    reply = link.port.ask(order, allowed, expected=expected)
    reply_text = write_reply(reply.kind, *reply.numbers)
    done = reply.kind in (order.letter, "q")
    program.print_line(f"{link.name}: {text} → {reply_text}", "" if done else "yellow")
    program.print_json(robot=link.name, order=text, reply=reply_text, done=done)
    return done


def estimate_order(order: Order, pose: Pose) -> tuple[float, float]:
    """Return the expected and the maximum duration of an order [s]."""
    numbers = order.numbers
    if order.letter in "GO":
        expected = estimate_seconds(pose, (numbers[0] * CM, numbers[1] * CM))
        return expected, allow_seconds(expected, TRIES)
    if order.letter == "c":
        seconds = CONSTANTS.drive_seconds(math.dist((numbers[0] * CM, numbers[1] * CM), pose[:2]))
    else:
        seconds = CONSTANTS.turn_seconds(wrap(numbers[0] - pose.heading) if order.letter == "a" else numbers[0])
    return seconds, seconds
