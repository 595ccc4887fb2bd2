"""Goals for the planner of running nodes, sent over their bus."""

from __future__ import annotations

import time

from paddock.network.nodes import node_messages as messages
from paddock.network.nodes.bus import Bus, open_bus

ANSWER = 5.0  # timeout for the planner to accept or refuse a goal [s]


def send_goal_to_planner(bus: str, x: float, y: float) -> str:
    """Send a goal to the planner; return the reason if it is refused, else an empty string."""
    with open_bus(bus, "PERSON", hears=["PLANNER"], timeout=ANSWER) as line:
        if find_message(line, messages.PresenceMessage) is None:
            return f"there is no planner at {bus}"
        line.send(messages.GoalMessage(destination="PLANNER", x=x, y=y))
        answer = find_message(line, messages.AcceptedMessage, messages.RefusedMessage)
    if answer is None:
        return f"the planner at {bus} has not answered for {ANSWER:g} s: it hangs, or does not support goals"
    return answer.reason if isinstance(answer, messages.RefusedMessage) else ""


def find_message(line: Bus, *kinds: type[messages.ModuleMessage]) -> messages.ModuleMessage | None:
    """Return the planner's next message of the given kinds, or None after a timeout."""
    until = time.monotonic() + ANSWER
    while (left := until - time.monotonic()) > 0:
        message = line.receive(left)
        if isinstance(message, kinds) and message.source == "PLANNER":
            return message
    return None
