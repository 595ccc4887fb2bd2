"""The page's files, and nothing else, over HTTP."""

from __future__ import annotations

import functools
import mimetypes
from collections.abc import Sequence
from importlib import resources

from websockets.datastructures import Headers
from websockets.http11 import Response
from websockets.server import ServerProtocol

POLICY = "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors "
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


@functools.cache
def page_files() -> dict[str, bytes]:
    """All files of the page by their path; they are small, and no other path leads anywhere."""
    folder = resources.files("paddock.server") / "page"
    return {f"/{file.name}": file.read_bytes() for file in folder.iterdir() if file.is_file()}


def respond_with_file(protocol: ServerProtocol, path: str, framed_by: Sequence[str] = ()) -> Response:
    """The file behind a path, or 404; the page may be a part of pages of the sites `framed_by`, and of no other."""
    name = path.partition("?")[0]
    name = "/index.html" if name == "/" else name
    body = page_files().get(name)
    if body is None:
        return protocol.reject(404, f"there is no {name[:100]} here; the page is at /\n")
    suffix = name[name.rfind(".") :]
    kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    headers = Headers(
        {
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": POLICY + (" ".join(framed_by) or "'none'"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache",
            "Connection": "close",
        }
    )
    protocol.reject(200, "")  # tells the protocol that there will be no WebSocket
    return Response(200, "OK", headers, body)
