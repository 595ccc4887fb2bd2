"""`paddock goal`: send a goal to a robot of a running server."""

from __future__ import annotations

from typing import Annotated

import typer


def goal(
    url: Annotated[str, typer.Argument(help="The server's address, or a join link.")],
    robot: Annotated[str, typer.Argument(help="Name of the robot.")],
    x: Annotated[float, typer.Argument(help="x of the goal, in metres, in the frame of its controller's map.")],
    y: Annotated[float, typer.Argument(help="y of the goal, in metres.")],
) -> None:
    """Send a goal to a robot whose controller accepts goals; a click on the page does the same.

    paddock goal http://127.0.0.1:8642/ rover 2.5 1.0
    paddock goal http://127.0.0.1:8642/ rover -1.0 0.5
    """
    import paddock
    from paddock.core.errors import PaddockError
    from paddock.network.client.remote import RemoteArena

    with paddock.connect(url, lock_step=False) as arena:
        if not isinstance(arena, RemoteArena):
            raise PaddockError(f"{url}: expected the address of a Paddock server, such as http://127.0.0.1:8642/")
        arena.send_goal(robot, x, y)
    typer.echo(f"{robot} drives to ({x:g}, {y:g})")
