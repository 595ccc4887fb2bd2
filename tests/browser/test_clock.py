"""The clock controls of the page control the server's clock."""

from __future__ import annotations

import pytest

import paddock
from browser.stage import expect, find_tick, until


def test_play_and_pause(clutter, page):
    _, arena = clutter
    expect(page.find("play")).to_have_attribute("aria-label", "Play")
    page.find("play").click()
    expect(page.find("play")).to_have_attribute("aria-label", "Pause")
    page.until("paddock.session.clock.tick > 5")
    page.find("play").click()
    expect(page.find("play")).to_have_attribute("aria-label", "Play")
    before = find_tick(arena)
    assert before > 5
    assert not arena.running
    page.pictures(20)
    assert find_tick(arena) == before
    page.until("paddock.session.clock.tick === before", before=before)
    expect(page.find("time")).to_have_text(f"{before * arena.dt:.2f} s")


def test_step_advances_one_tick(clutter, page):
    _, arena = clutter
    for tick in (1, 2, 3):
        page.find("step").click()
        page.until("paddock.session.clock.tick === tick", tick=tick)
        assert find_tick(arena) == tick
    page.page.keyboard.press(".")
    page.until("paddock.session.clock.tick === 4")
    page.pictures(10)
    assert find_tick(arena) == 4


def test_step_pauses_running_clock(clutter, page):
    _, arena = clutter
    page.page.keyboard.press(" ")
    page.until("paddock.session.clock.running")
    page.find("step").click()
    page.until("!paddock.session.clock.running")
    expect(page.find("play")).to_have_attribute("aria-label", "Play")
    find_tick(arena)
    assert not arena.running


def test_speed_and_maximum_speed(page):
    page.find("speed").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.find("speed-shown")).to_have_text("2×")
    page.until("paddock.session.clock.speed === 2")
    page.page.keyboard.press("End")
    expect(page.find("speed-shown")).to_have_text("max")
    page.until("paddock.session.clock.speed === 0")
    page.find("play").click()
    page.until("paddock.session.clock.tick > 2000")
    page.until("/^runs [\\d.,  ]+×/.test(document.getElementById('pace').textContent)")
    page.find("play").click()
    page.page.keyboard.press("[")
    expect(page.find("speed-shown")).to_have_text("500×")


def test_speed_set_by_program_is_shown(clutter, page):
    _, arena = clutter
    arena.set_speed(10)
    expect(page.find("speed-shown")).to_have_text("10×")
    arena.set_speed(None)
    expect(page.find("speed-shown")).to_have_text("max")


def test_reset_restores_initial_state(clutter, page):
    _, arena = clutter
    start = arena.digest()
    arena["red"].wheels.set(0.1, 0.05)
    page.find("play").click()
    until(arena, lambda: arena["red"].pose.y > 0.92)
    page.find("play").click()
    page.until("!paddock.session.clock.running")
    page.find("reset").click()
    page.until("paddock.session.clock.tick === 0")
    expect(page.find("time")).to_have_text("0.00 s")
    arena["red"].stop()
    assert find_tick(arena) == 0
    assert tuple(arena["red"].pose) == pytest.approx((0.75, 0.9, 1.5708), abs=1e-4)
    assert arena.digest() == start


def test_seed_set_on_page_gives_same_run_as_local_arena(clutter, page):
    _, arena = clutter
    page.find("seed").fill("1234")
    page.find("reset").click()
    page.until("paddock.session.clock.seed === 1234")
    for tick in (1, 2):
        page.find("step").click()
        page.until("paddock.session.clock.tick === tick", tick=tick)
    assert find_tick(arena) == 2
    assert arena.seed == 1234
    with paddock.open("clutter", seed=1234) as twin:
        twin.step(2)
        assert arena.digest() == twin.digest()


def test_invalid_seed_is_refused_with_reason(clutter, page):
    _, arena = clutter
    for wrong in ("-1", "1.5", "seven", "9223372036854775808"):
        page.find("seed").fill(wrong)
        page.find("seed").press("Enter")
        page.find("toast").click()  # it has come, and goes
        expect(page.find("toast")).to_have_count(0)
    find_tick(arena)
    assert arena.seed == 0


def test_largest_seed_is_exact(clutter, page):
    _, arena = clutter
    page.find("seed").fill("9223372036854775807")
    page.find("seed").press("Enter")
    page.until("String(paddock.session.clock.seed) === '9223372036854775807'")
    find_tick(arena)
    assert arena.seed == 2**63 - 1
    expect(page.find("seed")).to_have_value("9223372036854775807")


def test_clock_blocked_by_lock_names_the_clients(clutter, page):
    server, arena = clutter
    with server.connect(name="Ada", lock_step=True), server.connect(name="Bo", lock_step=True):
        arena.play()
        expect(page.find("pace")).to_have_text("waits for Ada or Bo")
        expect(page.find("pace")).to_have_attribute("title", "The clock waits for all programs in the lock: Ada, Bo")
    page.until("paddock.session.clock.lock.length === 0")
    page.until("document.getElementById('pace').textContent.startsWith('runs')")
