"""Visibility: the parts of the world that clients may see; an exercise may restrict them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from paddock.core.version import VERSION as PADDOCK_VERSION
from paddock.network.protocol import MINOR, VERSION
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.client import Client
from paddock.simulation.robots import robot_names
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.network.server.core.session import Session

PLAIN_KEYS = ("name", "title", "bounds")  # visible keys of a hidden world
BLANK = bytes.fromhex(  # a PNG file of one grey pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6378f7ee1d00059802cb297b1db4"
    "0000000049454e44ae426082"
)


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What clients are told about the occasion on which an arena is served; a service may replace it."""

    title: str = ""  # of the occasion
    lesson: str = ""  # title of the current lesson
    exercise: str = ""  # name of the current exercise
    pages_of: str = ""  # to whom web pages of tokens without a name belong; empty: pages have no special names
    hides_seed: bool = False  # from all but supervisors: hidden parts of an exercise could be computed from it


def world_table(world: WorldSpec, grant: Grant) -> dict[str, Any]:
    """Return a world's spec as a table, without its robots."""
    table = world.with_robots().to_table()
    return {key: table[key] for key in PLAIN_KEYS if key in table} if grant.shows == "nothing" else table


def make_welcome(session: Session, client: Client, id: int) -> m.Welcome:
    """Return the welcome message of a client."""
    arena, occasion = session.arena, session.occasion
    return m.Welcome(
        id=id,
        version=VERSION,
        server=f"paddock {PADDOCK_VERSION}",
        client=client.name,
        role=str(client.grant.role),
        world=world_table(arena.world, client.grant),
        dt=arena.dt,
        lock_step=session.clock.lock_step and session.supervision.may_join_lock(client),
        minor=MINOR,
        real=arena.is_real,
        title=occasion.title,
        exercise=occasion.exercise,
        shows=client.grant.shows,
        waits=session.ownership.explain_wait(client.grant),
        copy=session.name,
        clock=may_control_clock(session, client.grant),
        robot_types=tuple(robot_names()) if client.grant.role is Role.SUPERVISOR and not arena.is_real else (),
    )


def make_world_news(session: Session, client: Client) -> m.WorldUpdate:
    """Return the message about a changed world."""
    arena, occasion = session.arena, session.occasion
    return m.WorldUpdate(
        world=world_table(arena.world, client.grant),
        dt=arena.dt,
        exercise=occasion.exercise,
        title=occasion.lesson,
        shows=client.grant.shows,
        copy=session.name,
        clock=may_control_clock(session, client.grant),
    )


def may_control_clock(session: Session, grant: Grant) -> bool:
    """Whether a client may pause and reset time: a supervisor, or in a private copy any controller."""
    return grant.role >= (Role.CONTROLLER if session.is_private else Role.SUPERVISOR)


def knows_seed(session: Session, grant: Grant) -> bool:
    """Whether a client receives the seed; in a private copy also if its student has set it."""
    return not session.occasion.hides_seed or session.knows_seed or grant.role is Role.SUPERVISOR


def hide_scene(scene: m.SceneData, grant: Grant) -> m.SceneData:
    """Return the visible part of the scene."""
    if grant.shows != "nothing":
        return scene
    return replace(scene, floor=BLANK, floor_bounds=scene.bounds, solids=(), marks=())


def switch_off_hidden(client: Client) -> None:
    """Disable devices that a client may no longer read."""
    for handle in client.handles.values():
        for device in handle.devices.values():
            if device.enabled and not client.grant.allows(device.name):
                device.disable()
    for subscription in client.subscriptions.values():
        subscription.choose(client.grant)
