"""Visibility: the parts of the world that clients may see; an exercise may restrict them."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from paddock.network.protocol import MINOR, VERSION
from paddock.network.protocol import messages as m
from paddock.network.server.access import Grant, Role
from paddock.network.server.client import Client
from paddock.network.server.ownership import LATE
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.network.server.session import Session

PLAIN_KEYS = ("name", "title", "bounds")  # visible keys of a hidden world
BLANK = bytes.fromhex(  # a PNG file of one grey pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6378f7ee1d00059802cb297b1db4"
    "0000000049454e44ae426082"
)


def world_table(world: WorldSpec, grant: Grant) -> dict[str, Any]:
    """Return a world's spec as a table, without its robots."""
    table = world.with_robots().to_table()
    return {key: table[key] for key in PLAIN_KEYS if key in table} if grant.shows == "nothing" else table


def welcome_of(session: Session, client: Client, id: int) -> m.Welcome:
    """Return the welcome message of a client."""
    arena, classroom = session.arena, session.classroom
    return m.Welcome(
        id=id,
        version=VERSION,
        server=f"paddock {version('paddock')}",
        client=client.name,
        role=str(client.grant.role),
        world=world_table(arena.world, client.grant),
        dt=arena.dt,
        lock_step=session.clock.lock_step and session.supervision.may_join_lock(client),
        minor=MINOR,
        real=arena.is_real,
        title=classroom.folder.spec.title if classroom is not None else "",
        exercise=classroom.lesson.exercise_name if classroom is not None else "",
        shows=client.grant.shows,
        waits=LATE if session.ownership.waits(client.grant) else "",
    )


def world_news_of(session: Session, client: Client) -> m.WorldNews:
    """Return the message about a changed world."""
    arena, lesson = session.arena, session.classroom.lesson if session.classroom is not None else None
    return m.WorldNews(
        world=world_table(arena.world, client.grant),
        dt=arena.dt,
        exercise=lesson.exercise_name if lesson is not None else "",
        title=lesson.title if lesson is not None else "",
        shows=client.grant.shows,
    )


def knows_seed(session: Session, client: Client) -> bool:
    """Whether a client receives the seed: in a class, hidden parts of an exercise could be computed from it."""
    return session.classroom is None or client.grant.role is Role.SUPERVISOR


def hide_scene(scene: m.SceneData, grant: Grant) -> m.SceneData:
    """Return the visible part of the scene."""
    if grant.shows != "nothing":
        return scene
    return replace(scene, floor=BLANK, floor_bounds=scene.bounds, solids=(), marks=())


def hide_scores(scores: m.Scores, grant: Grant) -> m.Scores:
    """Return the visible part of the scoreboard; with "nothing" visible, only the client's own score."""
    if grant.shows != "nothing":
        return scores
    return replace(scores, scores=tuple(line for line in scores.scores if grant.covers(line.robot)))


def switch_off_hidden(client: Client) -> None:
    """Disable devices that a client may no longer read."""
    for handle in client.handles.values():
        for device in handle.devices.values():
            if device.enabled and not client.grant.allows(device.name):
                device.disable()
    for subscription in client.subscriptions.values():
        subscription.choose(client.grant)
