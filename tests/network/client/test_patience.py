"""Pauses, Ctrl-C during a step, and the release of clients that block the clock."""

from __future__ import annotations

import signal
import threading

import pytest

from network.client.served import TIMEOUT, join, serving
from paddock.network.server import Server
from paddock.testing import wait_for


def test_step_waits_on_paused_clock_beyond_timeout() -> None:
    with serving() as server, join(server) as arena, join(server, lock_step=False) as lecturer:
        arena.dialogue.wire.timeout = 0.4
        lecturer.pause()
        done = threading.Event()
        thread = threading.Thread(target=lambda: (arena.step(5), done.set()))
        thread.start()
        assert not done.wait(1.5)  # much longer than the timeout
        lecturer.play()
        assert done.wait(TIMEOUT)
        thread.join()
        assert arena.tick == 5
        assert arena.running


def interrupt_step(server: Server) -> threading.Thread:
    """Send SIGINT as soon as the server has started a step."""
    main = threading.main_thread().ident
    assert main is not None
    begin = server.arena.tick

    def interrupt() -> None:
        wait_for(lambda: any(member.waiting for member in server.session.clock.members))
        wait_for(lambda: server.arena.tick > begin + 2)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


def test_ctrl_c_during_long_step_leaves_working_arena() -> None:
    with serving(speed=1.0) as server, join(server) as arena:
        arena["red"].enable("ground")
        interrupting = interrupt_step(server)
        with pytest.raises(KeyboardInterrupt):
            arena.step(100_000)
        interrupting.join()
        assert arena["red"].ground.read().shape == (3,)
        arena.set_speed(None)
        arena.step()
        assert 2 <= arena.tick < 100_000
        tick = arena.tick
        arena.step(3)
        assert arena.tick == tick + 3


def test_ctrl_c_during_step_of_free_clock_leaves_working_arena() -> None:
    with serving(speed=1.0, lock_step=False) as server, join(server) as arena:
        interrupting = interrupt_step(server)
        with pytest.raises(KeyboardInterrupt):
            arena.step(5000)
        interrupting.join()
        assert arena.digest()
        arena.set_speed(None)
        arena.step(2)  # waits for the first one
        assert arena.tick >= 5002


def test_client_that_blocks_clock_is_released_and_rejoins_with_next_step() -> None:
    with serving() as server, join(server, timeout=0.3) as slow, join(server) as quick:
        slow["red"].enable("ground")
        slow["red"].wheels.set(0.1, 0.1)
        slow.step(0)
        assert slow["red"].pose.x == 0.5
        quick.step(50)  # waits for the other's timeout once
        assert quick.tick == 50
        seen = slow["red"].sense()
        assert (slow.held, seen.time) == (False, pytest.approx(1.0))  # not what it saw when it was released
        both = [threading.Thread(target=arena.step) for arena in (slow, quick)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join(TIMEOUT)
        assert slow.held
        assert (quick.tick, slow.tick) in ((51, 51), (51, 52))  # the quick one may step before the other is back
