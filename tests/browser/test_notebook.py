"""The page in a frame: allowed for notebooks on this machine, refused for pages of other sites."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import expect

import paddock
from paddock.network.server import Server, Settings
from paddock.network.server.show import NOTEBOOKS, frame_html


@contextmanager
def hosting(html: str) -> Iterator[str]:
    """A site at another port that serves one page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *about: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{site.server_port}/"
        finally:
            site.shutdown()


@pytest.mark.parametrize("framed_by", [NOTEBOOKS, ()], ids=["of a notebook", "of anybody else"])
def test_only_notebooks_may_embed_page(chromium: Any, framed_by: tuple[str, ...]) -> None:
    settings = Settings(port=0, framed_by=framed_by)
    with (
        Server(paddock.open("clutter"), settings).in_background() as server,
        hosting(f"<!DOCTYPE html><title>notebook</title>{frame_html(server.url(), 'clutter')}") as address,
    ):
        page = chromium.new_page()
        try:
            if framed_by:
                page.goto(address)
                frame = page.frame_locator("iframe")
                expect(frame.get_by_test_id("title")).to_have_text("Ten obstacles on a table")
                expect(frame.locator("canvas").first).to_be_visible()
            else:
                with page.expect_console_message(lambda message: "frame-ancestors 'none'" in message.text):
                    page.goto(address)
        finally:
            page.close()
