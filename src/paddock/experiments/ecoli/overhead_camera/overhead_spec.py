"""OverheadSpec: the description of a camera above a world: mount, lens, sensor, network and markers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from paddock.core.errors import SpecError
from paddock.core.spec import (
    AnyPort,
    Degrees,
    Description,
    Metres,
    MetresOrZero,
    Name,
    Number,
    Point,
    Seconds,
    Share,
    Spec,
    refuse_duplicates,
    spec_from_table,
)
from paddock.core.toml import TomlName, read_toml_file
from paddock.perception.vision.calibration import MARKERS
from paddock.perception.vision.camera_model import Angles, Coefficient, PixelLength, Pixels

FLOOR_MARKERS = (46, 47, 48, 49)  # the last of the dictionary: lower left, lower right, upper right, upper left
MAX_ROBOTS = MARKERS - len(FLOOR_MARKERS)
Blur = Annotated[float, Number("pixels", low=0, high=20)]


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraMount(Spec):
    """Position and orientation of the camera."""

    at: Point | None = None  # None: above the middle of the world
    height: Metres | None = None  # None: 0.8 times the world's longer side, and at least 1.6 m
    tilt_deg: Angles = (0.8, -0.6)
    turn_deg: Degrees = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraOptics(Spec):
    """The lens."""

    focal: PixelLength | None = None  # None: fits the whole world
    k1: Coefficient = -0.28
    k2: Coefficient = 0.09
    p1: Coefficient = 6e-4
    p2: Coefficient = -4e-4
    blur: Blur = 0.6  # standard deviation of the point spread function
    vignetting: Share = 0.2  # light loss in the corners


@dataclass(frozen=True, kw_only=True, slots=True)
class ImageSensor(Spec):
    """Image sensor: noise, exposure, frame rate and compression."""

    noise: Annotated[float, Number("grey levels", low=0, high=60)] = 4.0  # standard deviation
    exposure: Annotated[float, Number("seconds", low=0, high=1)] = 0.008
    fps: Annotated[float, Number("pictures per second", low=0.1, high=120)] = 10.0
    jpeg_quality: Annotated[int, Number("a quality", low=5, high=95)] = 85


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraNetwork(Spec):
    """Network between the sensor and the clients."""

    latency: Seconds = 0.08  # from the middle of the exposure
    jitter: Seconds = 0.02  # maximum additional latency
    dropped: Share = 0.0  # share of pictures that are not sent
    cut: Share = 0.0  # share of pictures of which only the first half is sent
    port: AnyPort = 8081  # 0: any free port
    user: str = ""  # empty: no authentication
    password: str = field(default="", repr=False)
    authentication: Literal["digest", "basic"] = "digest"
    clients: Annotated[int, Number("clients", low=1, high=1000)] = 8  # simultaneously

    def check(self) -> None:
        if bool(self.user) != bool(self.password):
            missing = "user" if self.password else "password"
            raise SpecError("missing: a user needs a password, and a password a user", path=missing)
        if ":" in self.user or '"' in self.user:
            raise SpecError("expected a name without ':' and '\"'", path="user")


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkerLayout(Spec):
    """The markers on robots and on the floor."""

    robots: tuple[Name, ...] | None = None  # robots with markers 0, 1, 2 …; None: all, in the world's order
    size: Metres | None = None  # size of robots' markers; None: the largest that fits, in whole millimetres
    rise: MetresOrZero = 0.0075  # height of a marker above the body: 5.5 cm above the floor on an e-puck
    floor_size: Metres | None = None  # None: 4 % of the world's longer side, and at least 8 cm
    floor_inset: Metres | None = None  # distance of a marker's centre from the world's bounds; None: 0.9 × its size
    floor: bool = True

    def check(self) -> None:
        refuse_duplicates(self.robots or (), "robots[{}]")
        if self.robots and len(self.robots) > MAX_ROBOTS:
            raise SpecError(f"expected at most {MAX_ROBOTS} names, got {len(self.robots)}", path="robots")


@dataclass(frozen=True, kw_only=True, slots=True)
class OverheadSpec(Spec):
    """A camera above a world."""

    size: Annotated[tuple[Pixels, Pixels], Description("[width, height] in pixels")] = (1280, 960)
    mount: CameraMount = CameraMount()
    optics: CameraOptics = CameraOptics()
    sensor: ImageSensor = ImageSensor()
    network: CameraNetwork = CameraNetwork()
    markers: MarkerLayout = MarkerLayout()


def load_overhead_camera(path: str | Path) -> OverheadSpec:
    """Load a camera's TOML file."""
    file = Path(path)
    return spec_from_table(OverheadSpec, read_toml_file(file), file=TomlName(file))
