"""Mapper module: receives readings, sends pose and map, and resumes after it was killed."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace

import numpy as np

from paddock.arena.localisation import make_travel_sensors
from paddock.arena.mapping import make_motion_noise, make_range_reader
from paddock.control.navigation.costmap import seen_states
from paddock.core.errors import SpecError
from paddock.core.geometry import ORIGIN
from paddock.core.spec import Metres, Spec
from paddock.network.nodes.bus import Bus
from paddock.network.nodes.config import Duration, ModulesSpec, Options, OptionTable, name_unknown_option
from paddock.network.nodes.journal import Journal
from paddock.network.nodes.node import Module
from paddock.network.nodes.node_messages import MapMessage, ModuleMessage, PoseMessage, RoundMessage
from paddock.network.nodes.readings import ObservationBuilder, SensorMessage
from paddock.perception.mapping import Mapper


@dataclass(frozen=True, kw_only=True, slots=True)
class MapperOptions(Spec):
    """Options of the mapper module."""

    method: str = "odometry"  # of `MAPPING_METHODS`
    device: str | None = None  # the range sensor; None: the best one of the robot
    resolution: Metres = 0.05  # side of a cell
    map_period: Duration = 1.0  # simulated, between two maps
    snapshot_period: Duration = 60.0  # simulated, between two snapshots
    options: Options = field(default_factory=OptionTable)  # of the method


class MapperModule(Module):
    """Builds the map. It writes readings to its journal before it sends results, so it resumes exactly after a kill."""

    upstream = ("SENSOR",)
    options_class = MapperOptions

    def __init__(self, name: str, spec: ModulesSpec, options: MapperOptions, bus: Bus) -> None:
        super().__init__(name, spec, options, bus)
        robot = spec.robot_spec
        travel = make_travel_sensors(robot, ORIGIN, make_motion_noise(robot))
        if travel.gyroscope not in spec.enabled_devices:
            travel = replace(travel, gyroscope=None)  # the encoders suffice
        with name_unknown_option("mapper", options.options):
            self.mapper = Mapper(
                travel,
                make_range_reader(robot, options.device),
                method=options.method,
                resolution=options.resolution,
                seed=spec.seed,
                **options.options,
            )
        sensors = self.mapper.reader.device, travel.encoders, travel.gyroscope
        self.devices = [name for name in sensors if name is not None]  # travel and scan, read at the same time
        for name in self.devices:
            if name not in spec.enabled_devices:
                raise SpecError(f"missing: {name!r}, which the mapper needs", path="devices")
        self.builder = ObservationBuilder(robot)
        header = {"robot": robot.name, "seed": spec.seed, "method": options.method, "resolution": options.resolution}
        header |= {"device": options.device, "options": dict(options.options)}
        self.journal = Journal(spec.file("mapper"), header)
        self.latest_round = RoundMessage(number=0)  # the newest
        self.resumed = 0  # rounds restored from the journal

    def handle(self, message: ModuleMessage) -> None:
        if isinstance(message, SensorMessage | RoundMessage) and message.source == "SENSOR":
            self.journal.add(message)
            if isinstance(message, RoundMessage):
                self.latest_round = message
            self.builder.take(message)

    def on_round(self, number: int) -> None:
        self.update()
        self.journal.write()
        if self.is_multiple(number, self.options.snapshot_period):
            self.journal.snapshot(number, (self.latest_round, self.mapper, self.builder.readings))
        self.send_results()

    def update(self) -> None:
        """Update the map if all required devices were read in this round."""
        if self.builder.find_oldest(self.devices) >= self.latest_round.time:
            self.mapper.update(self.builder.observe(self.latest_round.time))

    def send_results(self) -> None:
        """Send the pose, and periodically the map."""
        estimate = self.mapper.estimate
        x, y, theta = map(float, estimate.pose)
        covariance = np.asarray(estimate.covariance, float).reshape(-1).tolist()
        self.send(PoseMessage(time=self.time, x=x, y=y, theta=theta, covariance=covariance))
        if (
            self.latest_round.last or self.is_multiple(self.round, self.options.map_period)
        ) and self.mapper.grid.frame.rows:
            self.send(make_map(self.mapper, self.time))

    def is_multiple(self, number: int, period: float) -> bool:
        """Return whether a period ends with a round."""
        return number % max(1, round(period / self.spec.period)) == 0

    def discard_state(self) -> None:
        self.journal.clear()

    def on_resume(self) -> None:
        """Resume from the journal of a killed mapper, and repeat its last messages, which may not have been sent."""
        if (state := self.journal.restore()) is not None:
            self.round, (self.latest_round, self.mapper, self.builder.readings) = state
            self.time = self.latest_round.time
        for message in self.journal.messages(after=self.round):
            self.time = max(self.time, message.time)
            if isinstance(message, RoundMessage):
                self.round, self.latest_round = message.number, message
                self.update()
                self.resumed += 1
            else:
                self.builder.take(message)
        if self.round >= 0:
            self.send_results()
            self.finish_round(self.latest_round)

    def status(self) -> str:
        grid = self.mapper.grid
        resumed = f", resumed {self.resumed}" if self.resumed else ""
        return f"{self.mapper.scans} scans, {grid.frame.rows} × {grid.frame.columns} cells{resumed}"


def make_map(mapper: Mapper, time: float) -> MapMessage:
    """Create the message with a mapper's map."""
    grid = mapper.grid
    frame = grid.frame
    cells = zlib.compress(seen_states(grid).tobytes(), 1)
    return MapMessage(
        time=time, x=frame.x, y=frame.y, resolution=frame.resolution, rows=frame.rows, columns=frame.columns,
        cells=cells, digest=grid.digest(),
    )  # fmt: skip
