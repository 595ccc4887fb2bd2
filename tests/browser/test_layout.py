"""The page fits the screen, has two themes, and works with a keyboard and a screen reader."""

from __future__ import annotations

import pytest

from browser.stage import PHONE, expect

# What sticks out of the screen, but for what may be scrolled by itself.
TOO_WIDE = """[...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
    .filter((one) => !one.closest("pre, .toasts, .rows, .arena"))
    .map((one) => one.outerHTML.slice(0, 100))"""

# What has no name for a screen reader: [tag, text] of every visible control.
NAMELESS = """[...document.querySelectorAll("button, input, select, textarea, canvas, [role], [tabindex]")]
    .filter((one) => one.checkVisibility() && !one.closest("[aria-hidden=true]") && one.role !== "none")
    .filter((one) => {
        const label = one.ariaLabel || one.getAttribute("aria-labelledby") || one.labels?.[0]?.textContent
            || (one.matches("button, pre, tr, [role=option], [role=switch]") ? one.textContent : "")
            || (one.matches("[role=status], [role=alert]") ? "speaks for itself" : "");
        return !label.trim();
    })
    .map((one) => one.outerHTML.slice(0, 120))"""

# Texts of the bar that are cut off.
CUT_TEXTS = """[...document.querySelectorAll("#title, #about, #time, #pace, .pill, #speed-shown, .bar label > span")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline")
    .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
    .map((one) => one.textContent)"""

# What a notice covers, among everything that may be seen or used.
COVERED = """[...document.querySelectorAll("canvas, button, input, h1, h2, p, .scale-bar, .row")]
    .filter((one) => one.checkVisibility() && !one.closest(".toasts"))
    .filter((one) => [...document.querySelectorAll("[data-testid=toast]")].some((toast) => {
        const [a, b] = [one, toast].map((each) => each.getBoundingClientRect());
        return a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1;
    }))
    .map((one) => one.outerHTML.slice(0, 100))"""


def test_no_element_is_wider_than_screen(page):
    page.choose("red")
    page.until("document.querySelector('[data-testid=picture-camera]')?.dataset.pictures > 0")
    for wide, high in (PHONE, (320, 640), (490, 640), (768, 1024), (1280, 800), (844, 390)):
        page.page.set_viewport_size({"width": wide, "height": high})
        page.until("innerWidth === wide", wide=wide)
        page.pictures(2)
        assert page.ask("document.documentElement.scrollWidth") <= wide
        assert page.ask(TOO_WIDE) == [], wide
        for control in ("play", "step", "arena"):
            expect(page.find(control)).to_be_visible()
        for label in (".speed > span", ".seed > span"):
            expect(page.page.locator(label)).to_be_visible()


def test_light_and_dark_themes(clutter, visit):
    server, _ = clutter
    paper = "getComputedStyle(document.querySelector('header.bar')).backgroundColor"
    page = visit(server.url, color_scheme="dark")
    dark = page.ask(paper)
    assert brightness(dark) < 80
    page.page.emulate_media(color_scheme="light")
    page.until("document.documentElement.dataset.theme === 'light'")
    assert brightness(page.ask(paper)) > 200
    page.find("theme").click()
    page.until("document.documentElement.dataset.theme === 'dark'")
    assert page.ask(paper) == dark
    page.page.reload()  # it is remembered
    page.until("document.documentElement.dataset.theme === 'dark' && window.paddock?.frames > 0")
    page.page.keyboard.press("l")
    page.until("document.documentElement.dataset.theme === 'light'")


def brightness(color: str) -> float:
    """The brightness of a CSS colour, 0 … 255."""
    red, green, blue = (float(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")[:3])
    return 0.3 * red + 0.6 * green + 0.1 * blue


def test_every_control_has_accessible_name(page):
    page.drive("red")
    page.until("document.querySelector('[data-testid=picture-camera]')?.dataset.pictures > 0")
    assert page.ask(NAMELESS) == []
    for button in page.page.get_by_role("button").all():
        name = button.get_attribute("aria-label") or (button.text_content() or "").strip()
        assert name, button.evaluate("(one) => one.outerHTML")
    for name in ("Play", "Advance by one tick", "Reset", "Light or dark", "Keyboard shortcuts", "Zoom in", "Zoom out"):
        expect(page.page.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(page.page.get_by_role("slider", name="Speed", exact=True)).to_be_visible()
    expect(page.page.get_by_role("switch", name="Drive", exact=True)).to_be_checked()
    expect(page.page.get_by_role("listbox", name="Robots")).to_be_visible()


def test_tab_key_reaches_every_control_with_visible_focus(page):
    page.choose("red")
    wanted = page.ask(
        """[...document.querySelectorAll("button, input")]
            .filter((one) => one.checkVisibility() && !one.disabled).length"""
    )
    reached = set()
    page.page.locator("body").focus()
    for _ in range(3 * wanted):
        page.page.keyboard.press("Tab")
        focused = page.ask(
            """(() => {
                const one = document.activeElement;
                if (!one.matches("button, input")) return null;
                const { outlineStyle, boxShadow } = getComputedStyle(one);
                const name = one.dataset.testid || one.id || one.ariaLabel || one.title;
                return [name, outlineStyle !== "none" || boxShadow !== "none"];
            })()"""
        )
        if focused is not None:
            reached.add(focused[0])
            assert focused[1], f"nothing shows that {focused[0]} has the focus"
    assert len(reached) == wanted
    assert {
        "play",
        "step",
        "speed",
        "seed",
        "reset",
        "theme",
        "help",
        "fit",
        "follow",
        "rays",
        "trails",
        "drive",
    } <= reached


def test_help_lists_keys_and_closes(page):
    page.find("help").click()
    expect(page.find("help-dialog")).to_be_visible()
    expect(page.find("help-dialog")).to_contain_text("play or pause")
    page.page.keyboard.press("Escape")
    expect(page.find("help-dialog")).to_be_hidden()


def test_rays_and_trails_can_be_hidden(page):
    for pressed in ("true", "false"):
        for button in ("rays", "trails"):
            expect(page.find(button)).to_have_attribute("aria-pressed", pressed)
            page.find(button).click()
        page.until("document.getElementById('layer-trails').hidden === hidden", hidden=pressed == "true")


def test_empty_panels_are_hidden(page):
    for panel in ("timeline", "orders", "scores"):
        expect(page.find(panel)).to_be_hidden()


@pytest.mark.parametrize("wide", [1366, 1024])
def test_title_and_status_are_shown_in_full_on_laptops(page, wide):
    page.page.set_viewport_size({"width": wide, "height": 768})
    titles = ("Ten obstacles on a table", "Braitenberg's explorer: avoid obstacles")
    for title in titles:
        page.ask(f"document.getElementById('title').textContent = {title!r}")
        for pace in ("runs 0.89× · in lock", "waits for Katherine Johnson or 12 others", "paused · tick 123456"):
            page.ask(f"document.getElementById('pace').textContent = {pace!r}")
            assert page.ask(CUT_TEXTS) == []
    page.ask("document.getElementById('title').textContent = 'Ten obstacles on a table'")


@pytest.mark.parametrize("size", [(1366, 768), (1024, 768)])
def test_notices_cover_nothing(page, size):
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.choose("red")
    page.ask("paddock.session.emit('notice', 'red: (0.40, 0.80) is in an obstacle.', 'refused')")
    page.ask("paddock.session.emit('notice', 'Your program was released from the lock. '.repeat(5), 'urgent')")
    expect(page.find("toast")).to_have_count(2)
    page.pictures(3)
    assert page.ask(COVERED) == []
