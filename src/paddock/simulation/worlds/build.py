"""Compile a world's spec into a Model and start poses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from paddock.core.errors import PaddockWarning, SpecError, format_value
from paddock.core.geometry import Disc, Shape, bounding_radius, inner_radius
from paddock.core.spec import rgb
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.contact import PUSH
from paddock.simulation.engine.model import ITEM_RADIUS, Floats, Ints, Model, table
from paddock.simulation.engine.state import PANS, pan_count, ticks_kept
from paddock.simulation.engine.step import MAX_PIECES
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.chemical import ChemicalSpec
from paddock.simulation.sensors.inertial import InertialSpec
from paddock.simulation.sensors.sensor_registry import MEASURE
from paddock.simulation.sensors.sensor_spec import Mount, Pivot, RangeSensorSpec, SensorSpec
from paddock.simulation.worlds.floor import draw_floor, field_picture
from paddock.simulation.worlds.placement import check_placement, robot_types, start_pose
from paddock.simulation.worlds.solids import Solid, solids
from paddock.simulation.worlds.thing_spec import ThingSpec
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

SHORT_REACH = 0.6  # devices with at most this reach use the near grid [m]
MAX_SIGMAS = 9  # upper bound of the absolute value of normal random numbers
MAX_HISTORY = 50_000_000  # maximum size of the stored past motion, for devices with a period or a delay


@dataclass(frozen=True)
class BuiltWorld:
    """A world that is ready to run."""

    spec: WorldSpec
    model: Model
    poses: Floats  # start poses of the robots and the things: x, y [m], heading [rad], shape (N, 3)
    robots: tuple[RobotSpec, ...]  # the type of each robot
    led_count: int  # maximum number of LEDs of a robot
    values: int  # maximum length of a robot's row of readings

    @property
    def sensor_kinds(self) -> frozenset[type[SensorSpec]]:
        """The kinds of all sensors of all robots."""
        types = {id(robot): robot for robot in self.robots}.values()
        return frozenset(type(sensor) for robot in types for sensor in robot.sensors)

    def thing_row(self, number: int) -> int:
        """Return the row of a thing in tables of bodies."""
        return len(self.robots) + number


def build(spec: WorldSpec, *, dt: float | None = None, like: BuiltWorld | None = None) -> BuiltWorld:
    """Compile a world; raise a SpecError with the path of an invalid part.

    Args:
        spec: the world.
        dt: length of a tick [s]; None for the world's own.
        like: the same world with other robots, built before; its floor is reused.
    """
    if not isinstance(spec, WorldSpec):
        raise SpecError(
            f"expected a WorldSpec, as paddock.simulation.worlds.load_world(name) returns it, got {format_value(spec)}"
        )
    specs = robot_types(spec)
    check_placement(spec, specs)
    tick = spec.dt if dt is None else dt
    types = list(dict.fromkeys(specs))
    if like is None:
        warn_about_missing_fields(spec, types)
    number = {kind: i for i, kind in enumerate(types)}
    variants: dict[tuple[float, ...], int] = {}  # equal robots share a row, which then stays in the cache
    rows = [_robot_row(robot, kind, number[kind]) for robot, kind in zip(spec.robots, specs, strict=True)]
    outlines = {thing.shape: len(types) + i for i, thing in enumerate(spec.things)}
    rows += [_thing_row(thing, outlines[thing.shape]) for thing in spec.things]
    variant_of_body = [variants.setdefault(tuple(row), len(variants)) for row in rows]
    robots = table(list(variants), m.ROBOT_COLUMNS)
    _refuse_too_fast(spec, robots[variant_of_body[: len(specs)]], tick)
    lit = _diagonal(spec) if spec.lights else 0.0
    constants = Constants()
    kinds, devices, stages = _type_tables(types, [thing.shape for thing in spec.things], tick, lit, constants)
    items = _items(solids(spec))
    floor, floor_row = draw_floor(spec) if like is None else (like.model.floor, like.model.grids[m.FLOOR])
    grids, cells = build_grids(
        spec,
        items,
        bodies=robots[variant_of_body, m.RADIUS],
        travel=float(_fastest(robots[variant_of_body[: len(specs)]]).max(initial=0.0)) * tick + PUSH,
        short_reach=max((r for r in stages[:, m.REACH] if r <= SHORT_REACH), default=0.0),
    )
    model = Model(
        dt=tick,
        items=items,
        grids=np.ascontiguousarray(np.vstack([grids, floor_row])),
        cells=cells,
        floor=floor,
        sources=_sources(spec, constants),
        robots=robots,
        robot_variant=np.array(variant_of_body, np.int64),
        types=kinds,
        devices=devices,
        stages=stages,
        constants=np.array(constants.numbers),
    )
    _refuse_long_memory(spec, model)
    poses = table([start_pose(spec, robot) for robot in spec.robots] + [thing.pose for thing in spec.things], 3)
    led_count = max((len(kind.leds) for kind in types), default=0)
    values = max((sum(s.channels for s in kind.sensors) for kind in types), default=0)
    return BuiltWorld(spec, model, poses, tuple(specs), led_count, values)


def warn_about_missing_fields(spec: WorldSpec, types: Iterable[RobotSpec]) -> None:
    """Warn of sensors that always read 0 in a world with fields, because it has no field with their number."""
    numbered = ", ".join(f"{i} {field.name}" for i, field in enumerate(spec.fields))
    for kind in types:
        for sensor in kind.sensors:
            if spec.fields and isinstance(sensor, ChemicalSpec) and sensor.field >= len(spec.fields):
                warnings.warn(
                    f"{spec.name}: {kind.name}.{sensor.name} always reads 0: there is no field {sensor.field} "
                    f"(there are: {numbered})",
                    PaddockWarning,
                    stacklevel=2,
                )


class Constants:
    """Builder of the model's array of constants."""

    def __init__(self) -> None:
        self.numbers: list[float] = []

    def add(self, numbers: Iterable[float]) -> int:
        """Append numbers and return the index of the first."""
        first = len(self.numbers)
        self.numbers += numbers
        return first


def _items(pieces: Sequence[Solid]) -> Floats:
    walls = [(*a, *b, 0.0, piece.height, _pack_color(piece.color)) for piece in pieces for a, b in piece.edges]
    discs = [
        (d.x, d.y, d.x, d.y, d.radius, piece.height, _pack_color(piece.color))
        for piece in pieces
        if isinstance(d := piece.shape, Disc)
    ]
    return table(walls + discs, m.ITEM_COLUMNS)


def _pack_color(color: str) -> int:
    red, green, blue = rgb(color)
    return red << 16 | green << 8 | blue


def _robot_row(robot: RobotPlacement, kind: RobotSpec, number: int) -> list[float]:
    drive, shape = kind.drive, kind.body.shape
    drift = next((s.drift for s in kind.sensors if isinstance(s, InertialSpec)), (-1.0, 0.0, 0.0))
    left, right = robot.wheel_diameter_error
    wheels = drive.measured
    separation = drive.wheel_separation if wheels is None else wheels.wheel_separation
    return [
        number,
        bounding_radius(shape),
        shape.radius if isinstance(shape, Disc) else inner_radius(shape),
        kind.body.height,
        separation * (1 + robot.wheel_separation_error),
        (1 + left) * (1.0 if wheels is None else wheels.left_diameter / drive.wheel_diameter),
        (1 + right) * (1.0 if wheels is None else wheels.right_diameter / drive.wheel_diameter),
        drive.max_side_speed,
        math.inf if drive.max_acceleration is None else drive.max_acceleration,
        drive.speed_step,
        drive.slip_noise if robot.slip_noise is None else robot.slip_noise,
        robot.noise * robot.noise_factor,
        *drift,
        _pack_color(robot.color or kind.body.color),
        kind.pushing_force,
        0.0,
        0.0,
        drive.kinematics,
        _count_pivots(kind) if drive.third else -1,
        *drive.list_parameters(),
    ]


def _count_pivots(kind: RobotSpec) -> int:
    return sum(isinstance(sensor, RangeSensorSpec) and sensor.pivot is not None for sensor in kind.sensors)


def _thing_row(thing: ThingSpec, number: int) -> list[float]:
    row, shape = [0.0] * m.ROBOT_COLUMNS, thing.shape
    row[m.TYPE], row[m.RADIUS], row[m.TOP] = number, bounding_radius(shape), thing.height
    row[m.THICKNESS] = shape.radius if isinstance(shape, Disc) else inner_radius(shape)
    row[m.DRIFT_DISTANCE], row[m.THIRD], row[m.COLOR] = -1.0, -1.0, _pack_color(thing.color)
    row[m.FORCE], row[m.LEVER], row[m.GRIP] = thing.sliding_force, thing.lever, thing.contact_friction
    return row


def _fastest(robots: Floats) -> Floats:
    """Return the maximum true speed of any point of each robot, including wheel errors and slip [m/s]."""
    fastest: Floats = _fastest_wheels(robots) * (
        1 + 2 * robots[:, m.RADIUS] / robots[:, m.WHEEL_SEPARATION]
    )  # including rotation
    return fastest


def _fastest_wheels(robots: Floats) -> Floats:
    wheels = np.maximum(robots[:, m.LEFT_FACTOR], robots[:, m.RIGHT_FACTOR])
    fastest: Floats = robots[:, m.MAX_SPEED] * wheels * (1 + MAX_SIGMAS * robots[:, m.SLIP] * robots[:, m.NOISE])
    return fastest


def _refuse_too_fast(spec: WorldSpec, robots: Floats, dt: float) -> None:
    """Refuse robots that could travel farther in a tick than the engine checks for obstacles."""
    allowed = 0.5 * MAX_PIECES * robots[:, m.THICKNESS]
    is_round = robots[:, m.RADIUS] == robots[:, m.THICKNESS]  # the area of a disc does not change when it turns
    way = np.where(is_round, _fastest_wheels(robots), _fastest(robots)) * dt
    for i in np.flatnonzero(way > allowed)[:1]:
        raise SpecError(
            f"robot {spec.robots[i].name!r} may sweep {way[i]:.3g} m in a tick of {dt:g} s; expected at most "
            f"{allowed[i]:.3g} m for a body of this size: lower its max_speed (or slip_noise) to "
            f"{allowed[i] / way[i]:.2g} of its value, or shorten dt",
            path=f"robots[{i}].type",
            file=spec.file,
        )


def _refuse_long_memory(spec: WorldSpec, model: Model) -> None:
    """Refuse sensors whose period or delay needs too much memory for past motion."""
    ticks, robots = ticks_kept(model), len(model.robot_variant)
    most = MAX_HISTORY // max(1, robots * (PANS + pan_count(model)))
    if ticks > most:
        raise SpecError(
            f"expected periods and delays of sensors of at most {most} ticks ({most * model.dt:.3g} s) "
            f"for {robots} robots, got {ticks}: shorten them, or lengthen dt",
            path="robots",
            file=spec.file,
        )


def _type_tables(
    types: list[RobotSpec], things: list[Shape], dt: float, lit: float, constants: Constants
) -> tuple[Ints, Ints, Floats]:
    """Return the rows of all types, devices and stages; `lit` is the maximum distance of lights, 0 without any [m]."""
    kinds: list[list[int]] = []
    devices: list[list[int]] = []
    stages: list[list[float]] = []
    for kind in types:
        corner = constants.add(number for point in kind.body.outline or () for number in point)
        first, value, pans = len(devices), 0, 0
        end_of_corners = len(constants.numbers)
        for sensor in kind.sensors:
            pivot = sensor.pivot if isinstance(sensor, RangeSensorSpec) else None
            devices.append(
                [
                    MEASURE.number(type(sensor)),
                    sensor.channels,
                    constants.add(number for mount in sensor.mounts for number in _mount_row(mount)),
                    constants.add([*_pan_limits(pivot), *sensor.parameters()]),
                    constants.add(number for row in sensor.response for number in (*row, 0.0)[: m.RESPONSE_COLUMNS]),
                    len(sensor.response),
                    value,
                    -1 if pivot is None else pans,
                    max(1, round(sensor.period / dt)),
                    round(sensor.delay / dt),
                    constants.add(sensor.noise_factors) if sensor.noise_factors else -1,
                ]
            )
            stages.append(_stage_row(sensor, lit))
            value += sensor.channels
            pans += pivot is not None
        kinds.append([corner, end_of_corners, first, len(devices)])
    for shape in things:
        corner = constants.add(() if isinstance(shape, Disc) else (number for point in shape for number in point))
        kinds.append([corner, len(constants.numbers), len(devices), len(devices)])
    return (
        table(kinds, m.TYPE_COLUMNS, np.int64),
        table(devices, m.DEVICE_COLUMNS, np.int64),
        table(stages, m.STAGE_COLUMNS),
    )


def _mount_row(mount: Mount) -> list[float]:
    x, y, z, heading = mount
    angle = math.radians(heading)
    return [x, y, z, math.cos(angle), math.sin(angle), angle]


def _pan_limits(pivot: Pivot | None) -> list[float]:
    if pivot is None:
        return [0.0, 0.0, 0.0]
    return [math.radians(limit) for limit in (pivot.min_deg, pivot.max_deg, pivot.rate_deg_s)]


def _stage_row(sensor: SensorSpec, lit: float) -> list[float]:
    return [
        max(sensor.reach, lit if sensor.sees_lights else 0.0),
        sensor.noise,
        sensor.noise_relative,
        sensor.resolution,
        sensor.nothing,
        sensor.nothing_raw,
        sensor.scale or 0.0,
        sensor.wrap,
        math.inf if sensor.first_angle is None else sensor.first_angle,
        sensor.mixed_share,
        sensor.lowest,
        *sensor.biases,
    ]


def _sources(spec: WorldSpec, constants: Constants) -> Floats:
    rows: list[list[float]] = []
    rows += [[m.LIGHT, *light.at, light.height, light.intensity, 0, 0, 0, 0, 0] for light in spec.lights]
    rows += [[m.SOUND, *sound.at, sound.height, sound.amplitude, 0, 0, 0, 0, 0] for sound in spec.sounds]
    for i, field in enumerate(spec.fields):
        if field.shape == "image":
            picture = field_picture(spec, field, f"fields[{i}].image")
            left, bottom = field.at or spec.bounds[:2]
            top = bottom + picture.shape[0] / field.pixels_per_metre
            pixels = constants.add(picture.ravel().tolist())
            rows.append([m.IMAGE, left, top, 0, field.peak, 0, pixels, *picture.shape, field.pixels_per_metre])
        else:
            assert field.at is not None and field.radius is not None
            shape = m.RADIAL if field.shape == "radial" else m.GAUSSIAN
            rows.append([shape, *field.at, 0, field.peak, field.radius, 0, 0, 0, 0])
    return table(rows, m.SOURCE_COLUMNS)


def _diagonal(spec: WorldSpec) -> float:
    x0, y0, x1, y1 = spec.bounds
    return math.hypot(x1 - x0, y1 - y0) + 1.0


MAX_CELLS = 250_000
MAX_ENTRIES = 10_000_000  # maximum number of entries in the lists of a grid's cells
LARGE_BOX = 4096  # cells; a segment with a larger bounding box is split


def build_grids(
    world: WorldSpec,
    items: Floats,
    *,
    bodies: Floats,
    travel: float,
    short_reach: float,
) -> tuple[Floats, Ints]:
    """Return the near, far and crowd rows of a Model's grids, and its cells.

    Args:
        world: the world whose bounds the grids cover.
        items: all obstacles, see the Model.
        bodies: radii of the robots [m].
        travel: maximum travel of a robot in a tick [m].
        short_reach: maximum reach of all short-range devices [m].
    """
    table = items[:, : ITEM_RADIUS + 1]  # a segment and its radius
    body = float(bodies.max(initial=0.0))
    x0, y0, x1, y1 = world.bounds
    if len(table):
        x0 = min(x0, float((np.minimum(table[:, 0], table[:, 2]) - table[:, 4]).min()))
        y0 = min(y0, float((np.minimum(table[:, 1], table[:, 3]) - table[:, 4]).min()))
        x1 = max(x1, float((np.maximum(table[:, 0], table[:, 2]) + table[:, 4]).max()))
        y1 = max(y1, float((np.maximum(table[:, 1], table[:, 3]) + table[:, 4]).max()))

    reach = max(short_reach, body * 1.25 + 2 * travel + 1e-3)
    near = _Grid(
        x0 - reach,
        y0 - reach,
        x1 + reach,
        y1 + reach,
        max(reach / 2, _coarse(x1 - x0 + 2 * reach, y1 - y0 + 2 * reach, MAX_CELLS)),
    )
    within = map(near.cells_within, table, near.spans(table, reach + near.cell), repeat(reach))
    near_lists = near.lists(_limit(within, world, len(table)))

    pieces_across = min(64, max(1, math.ceil(math.sqrt(len(table)))))
    far = _Grid(x0, y0, x1, y1, max(x1 - x0, y1 - y0) / pieces_across)
    spans = far.spans(table)
    far_lists = far.lists(_limit(map(far.cells_in, spans), world, len(table)))

    wide = reach + body + travel
    crowd = _Grid(x0, y0, x1, y1, max(wide, _coarse(x1 - x0, y1 - y0, 4 * len(bodies) + 64)))
    rows, cells, at = [], [], 0
    for grid, (starts, listed), more in (
        (near, near_lists, np.zeros(0, np.int64)),
        (far, far_lists, spans.ravel()),
    ):
        first = at + len(starts)
        rows.append(grid.row(starts=at, spans=first + len(listed), reach=reach, body=body))
        cells += [starts + first, listed, more]
        at = first + len(listed) + len(more)
    rows.append(crowd.row(starts=0, spans=0, reach=travel, body=body))
    return np.array(rows), np.concatenate(cells)


def _limit(lists: Iterator[Ints], world: WorldSpec, items: int) -> list[Ints]:
    """Return all lists of cells; raise a SpecError as soon as their total length is too large."""
    kept, entries = [], 0
    for i, cells in enumerate(lists):
        kept.append(cells)
        entries += len(cells)
        if entries > MAX_ENTRIES:
            raise SpecError(
                f"expected obstacles that cover at most {MAX_ENTRIES} grid cells in total, got {items} pieces "
                f"of which {i + 1} cover more: remove some or make them smaller",
                file=world.file,
            )
    return kept


def _coarse(width: float, height: float, cells: int) -> float:
    """Return the side of a cell [m] such that about `cells` cells cover an area, also if the area is a line."""
    return max(math.sqrt(width * height / cells), max(width, height) / cells)


class _Grid:
    def __init__(self, x0: float, y0: float, x1: float, y1: float, cell: float) -> None:
        self.x, self.y, self.cell = x0, y0, cell
        self.size = (max(1, math.ceil((x1 - x0) / cell)), max(1, math.ceil((y1 - y0) / cell)))

    def row(self, *, starts: int, spans: int, reach: float, body: float) -> list[float]:
        return [self.x, self.y, 1.0 / self.cell, *self.size, starts, spans, reach, body]

    def spans(self, items: Floats, margin: float = 0.0) -> Ints:
        """Return the first column and row and the last ones that each item's bounding box touches, shape (N, 4)."""
        ends, grow = (items[:, :2], items[:, 2:4]), items[:, 4:] + margin
        corners = np.hstack([np.minimum(*ends) - grow, np.maximum(*ends) + grow])
        cells = np.floor((corners - [self.x, self.y] * 2) / self.cell)
        return np.clip(cells, 0, np.array(self.size * 2) - 1).astype(np.int64)

    def cells_in(self, span: Ints) -> Ints:
        columns, rows = np.arange(span[0], span[2] + 1), np.arange(span[1], span[3] + 1)
        return (rows[:, None] * self.size[0] + columns[None, :]).ravel()

    def cells_within(self, item: Floats, span: Ints, reach: float) -> Ints:
        """Return the cells of a span with any point within reach of the item."""
        if item[4] == 0.0 and (span[2] - span[0] + 1) * (span[3] - span[1] + 1) > LARGE_BOX:
            half = np.concatenate([item[:2], (item[:2] + item[2:4]) / 2, item[4:]])
            rest = np.concatenate([half[2:4], item[2:]])
            spans = self.spans(np.array([half, rest]), reach + self.cell)
            return np.union1d(self.cells_within(half, spans[0], reach), self.cells_within(rest, spans[1], reach))
        cells = self.cells_in(span)
        x = self.x + (cells % self.size[0] + 0.5) * self.cell
        y = self.y + (cells // self.size[0] + 0.5) * self.cell
        px, py, qx, qy, radius = item
        ex, ey = qx - px, qy - py
        t = np.clip(((x - px) * ex + (y - py) * ey) / max(ex * ex + ey * ey, 1e-300), 0.0, 1.0)
        away = np.hypot(x - px - t * ex, y - py - t * ey) - radius
        near: Ints = cells[away <= reach + self.cell * 0.7072]
        return near

    def lists(self, cells: list[Ints]) -> tuple[Ints, Ints]:
        """Return the start index of each cell's list of items, and the concatenated lists."""
        count = self.size[0] * self.size[1]
        if not cells:
            return np.zeros(count + 1, np.int64), np.zeros(0, np.int64)
        cell = np.concatenate(cells)
        item = np.repeat(np.arange(len(cells)), [len(c) for c in cells])
        order = np.argsort(cell, kind="stable")
        start = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(cell, minlength=count), out=start[1:])
        return start, item[order].astype(np.int64)
