"""The page `/install`, and the wheels from which students install exactly the version that this server runs.

Anybody may load them: they contain nothing but the program. They are built when they are first wanted, in a thread, so
that the clock does not wait, and kept on the disk until the server ends.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, unquote

from paddock.core.packages import install_command, install_without_index, name_wheel
from paddock.core.version import VERSION
from paddock.core.wheels import Wheel, own_wheel, wheels_for_clients
from paddock.network.server.core.downloads import Download
from paddock.network.server.core.service import Service
from paddock.network.server.core.session import Session

HTML = "text/html; charset=utf-8"
PAGE, CLIENT_FILES = "/install", "/install/client/"


class InstallFiles(Service):
    """Serves the page, the wheel of this version, the client's wheel, and those of the packages that a client needs."""

    def __init__(self) -> None:
        self.address = ""  # of this server as others reach it; empty: as each browser has reached it
        self._announced = False  # that the wheels for clients will be wanted

    def attach(self, session: Session) -> None:
        """Prepare the folder of the wheels; nothing is built yet."""
        super().attach(session)
        self._folder = TemporaryDirectory(prefix="paddock-wheels-", ignore_cleanup_errors=True)
        self._builder = ThreadPoolExecutor(1, "paddock-wheels")  # one wheel at a time

    def close(self) -> None:
        """Stop building, and remove the wheels."""
        self._builder.shutdown(wait=False, cancel_futures=True)
        self._folder.cleanup()

    def find_file(self, path: str, host: str) -> Download | None:
        """Return the page, a list of wheels that pip reads, or a wheel."""
        path = unquote(path)
        if path in (PAGE, f"{PAGE}/"):
            describe = partial(self._describe, self.address or f"http://{host}", "" if path == PAGE else "../")
            return Download(HTML, self._run(None, describe))
        if path == CLIENT_FILES:
            return Download(HTML, self._run(None, self._list_client_files))
        if path == f"{PAGE}/{name_wheel()}":
            return Download("application/zip", self._run(self._builder, lambda: self._write(own_wheel())))
        if path.startswith(CLIENT_FILES):
            build = partial(self._write_client_wheel, path.removeprefix(CLIENT_FILES))
            return Download("application/zip", self._run(self._builder, build))
        return None

    def _run(
        self, executor: Executor | None, work: Callable[[], bytes | Path | None]
    ) -> asyncio.Future[bytes | Path | None]:
        return self.session.loop.run_in_executor(executor, work)

    # ---- in threads

    def _write(self, wheel: Wheel) -> Path:
        """Write a wheel, unless it was written before."""
        file = Path(self._folder.name) / wheel.name
        if not file.exists():
            begun = file.with_suffix(".begun")
            wheel.write(begun)
            begun.replace(file)
        return file

    @cached_property
    def _client(self) -> tuple[dict[str, Wheel], list[str]]:
        """The wheels for clients by file name, and the packages without."""
        found, missing = wheels_for_clients()
        return {wheel.name: wheel for wheel in found}, missing

    def _write_client_wheel(self, name: str) -> Path | None:
        wheel = self._client[0].get(name)
        return None if wheel is None else self._write(wheel)

    def _list_client_files(self) -> bytes:
        """Return a page of links, as `pip install --find-links` reads it; all the wheels will be wanted next."""
        wheels = self._client[0]
        if not self._announced:
            self._announced = True
            for wheel in wheels.values():
                self._builder.submit(self._write, wheel)
        links = "".join(f'<a href="{quote(name)}">{name}</a><br>\n' for name in wheels)
        return f"<!doctype html>\n<title>Wheels for clients of Paddock {VERSION}</title>\n{links}".encode()

    def _describe(self, address: str, root: str) -> bytes:
        """Return the page for students; `root` leads from it to the files of the server's page."""
        from paddock.report.document import render_template

        systems = (("Linux", False), ("macOS", False), ("Windows, in PowerShell", True))
        here = {"Darwin": "macOS"}.get(platform.system(), platform.system())
        page = render_template(
            "install.html",
            root=root,
            version=VERSION,
            address=address,
            whole=[(name, install_command(address, windows=windows)) for name, windows in systems],
            client=[(name, install_command(address, client=True, windows=windows)) for name, windows in systems],
            alone=install_without_index(address, windows=here == "Windows"),
            here=f"{here} ({platform.machine()}) with Python {'.'.join(platform.python_version_tuple()[:2])}",
            missing=self._client[1],
            wheels=[name_wheel(), CLIENT_FILES.removeprefix(f"{PAGE}/") + quote(name_wheel(client=True))],
        )
        return page.encode()
