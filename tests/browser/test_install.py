"""The page from which students install Paddock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser.stage import DESKTOP, PHONE, Served, Visit, expect
from paddock.core.packages import install_command
from paddock.network.client.remote import RemoteArena


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_lines_can_be_read_and_copied(
    clutter: tuple[Served, RemoteArena], visit: Callable[..., Visit], size: tuple[int, int]
) -> None:
    address = clutter[0].url.rstrip("/")
    visitor = visit(f"{address}/install", size=size, live=False)
    page = visitor.page
    expect(page.get_by_role("heading", name="Install Paddock 0.1.0")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("void (document.execCommand = () => (window.copied = document.activeElement.value, true))")
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("copied") == install_command(address)
