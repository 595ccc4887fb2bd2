"""Serves the files of the page over HTTP."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import resources

from websockets.datastructures import Headers
from websockets.http11 import Response
from websockets.server import ServerProtocol

POLICY = "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors "
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
}


@functools.cache
def page_files() -> dict[str, bytes]:
    """Return all files of the page by path; other paths do not exist."""
    folder = resources.files("paddock.network.server") / "page"
    return {f"/{file.name}": file.read_bytes() for file in folder.iterdir() if file.is_file()}


def respond_with_file(protocol: ServerProtocol, path: str, framed_by: Sequence[str] = ()) -> Response:
    """Return the file at a path, or 404; only the sites `framed_by` may embed the page in a frame."""
    name = path.partition("?")[0]
    name = "/index.html" if name == "/" else name
    body = page_files().get(name)
    if body is None:
        return protocol.reject(404, f"no file {name[:100]}; the page is at /\n")
    protocol.reject(200, "")  # ends the WebSocket handshake of the protocol
    return Response(200, "OK", make_headers(TYPES[name[name.rfind(".") :]], len(body), framed_by), body)


def make_headers(kind: str, size: int, framed_by: Sequence[str] = ()) -> Headers:
    """Return the headers of a file with a content type and a number of bytes."""
    return Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(size),
            "Content-Security-Policy": POLICY + (" ".join(framed_by) or "'none'"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
            "Connection": "close",
        }
    )
