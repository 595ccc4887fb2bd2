"""Discovery of robots: list serial devices, and find those at which a robot answers orders."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from paddock.bridges.epuck.driver.streams import (
    ADDRESS,
    CHANNEL,
    PAGING,
    PYSERIAL,
    ByteStream,
    SerialOpener,
    SerialStream,
    open_bluetooth,
    read_bluetooth_address,
)
from paddock.core.errors import LinkError, Timeout
from paddock.core.reason import Reason
from paddock.experiments.ecoli.waypoint_robots.frames import FrameReader, read_checked, write_checked_text, write_frame
from paddock.experiments.ecoli.waypoint_robots.texts import UNKNOWN, Reply, read_reply

AGAIN = 0.5  # [s] after which the request is repeated without an answer
PROBE = write_checked_text(0, "i")  # not a valid request: robots with checked mode answer that there is no session
LISTING = 2.0  # [s] for the system's list of paired devices
PAIRED = re.compile(r"^Device ((?:[0-9A-F]{2}:){5}[0-9A-F]{2}) (.+)$", re.MULTILINE)
GRACE = 1.0  # [s] in addition to the time for the answer, for a device that opens slowly

DeviceState = Literal["robot", "silent", "something else", "closed"]


class SerialFinding(NamedTuple):
    """A serial device, and whether a robot is connected to it."""

    device: str
    state: DeviceState
    text: str = ""  # why it cannot be opened
    mode: str = ""  # of a robot: "checked" if it supports that mode, else "legacy"; empty if it did not answer in time


def list_serial_devices() -> dict[str, str]:
    """Return the serial devices of this machine, including Bluetooth, each with its address or description."""
    try:
        from serial.tools import list_ports
    except ImportError:
        raise LinkError(PYSERIAL) from None
    found = {port.device: "" if port.description == "n/a" else port.description for port in list_ports.comports()}
    found.update({str(path): "Bluetooth" for path in sorted(Path("/dev").glob("rfcomm[0-9]*"))})
    return {device: read_bluetooth_address(device) or text for device, text in found.items()}


def list_paired_devices() -> dict[str, str]:
    """Return the friendly names of paired Bluetooth devices by address; empty if the system has no `bluetoothctl`."""
    for question in (("devices", "Paired"), ("paired-devices",)):  # of BlueZ since 5.65, and before
        try:
            answer = subprocess.run(
                ["bluetoothctl", *question], capture_output=True, text=True, errors="replace", timeout=LISTING
            )
        except (OSError, subprocess.TimeoutExpired):  # it waits for a service that does not run
            return {}
        if found := PAIRED.findall(answer.stdout):
            return {address: name.strip() for address, name in found}
    return {}


def find_order_robots(devices: Iterable[str], seconds: float = 2.0) -> list[SerialFinding]:
    """Check devices and Bluetooth addresses in parallel for a robot; an open one has the given seconds to answer."""
    devices = list(dict.fromkeys(devices))
    answers: dict[str, SerialFinding] = {}

    def ask(device: str) -> None:
        answers[device] = ask_device(device, seconds)

    threads = [threading.Thread(target=ask, args=(device,), daemon=True) for device in devices]
    for thread in threads:
        thread.start()
    searching = PAGING if any(map(ADDRESS.fullmatch, devices)) else 0.0
    end = time.monotonic() + searching + seconds + GRACE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return [answers.get(device, SerialFinding(device, "silent")) for device in devices]


def ask_device(device: str, seconds: float) -> SerialFinding:
    """Check whether a robot answers at a device, and then whether it supports checked mode."""
    try:
        stream: ByteStream = (
            open_bluetooth(device, CHANNEL, PAGING) if ADDRESS.fullmatch(device) else SerialStream(SerialOpener(device))
        )
    except LinkError as error:
        return SerialFinding(device, "closed", _why(error))
    end, reader = time.monotonic() + seconds, FrameReader()
    state: DeviceState = "silent"
    question = "i"
    try:
        while time.monotonic() < end:
            again = min(end, time.monotonic() + AGAIN)
            stream.send(write_frame(question), again)
            try:
                while True:
                    for text in reader.feed(stream.receive(again)):
                        if mode := _read_mode(text):
                            return SerialFinding(device, "robot", mode=mode)
                        if read_reply(text) == Reply("i"):
                            state, question, again = "robot", PROBE, 0.0  # send the next request immediately
                    state = "something else" if state == "silent" else state
            except Timeout:
                continue
    except LinkError as error:
        return SerialFinding(device, "closed", _why(error))
    finally:
        stream.close()
    return SerialFinding(device, state)


def _read_mode(text: str) -> str:
    """Return the mode that a reply shows. A robot still in checked mode answers even an `i` with a checked frame."""
    if read_checked(text) is not None:
        return "checked"
    return "legacy" if read_reply(text) == Reply(UNKNOWN, (len(PROBE),)) else ""


def _why(error: LinkError) -> str:
    reason = error.args[0]
    return reason.values.get("why", reason) if isinstance(reason, Reason) else str(error)
