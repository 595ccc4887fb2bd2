"""Model: everything about a world that never changes while it runs, as a handful of tables.

Columns have names, so that kernels read `robots[r, AXLE]`. Few tables, because every array that a kernel
takes costs time in each call and in compilation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

# Columns of `items`, the walls and obstacles: a segment from 0 to 1, or a disc around 0.
(
    ITEM_X0,
    ITEM_Y0,
    ITEM_X1,
    ITEM_Y1,
    ITEM_RADIUS,  # 0 for a segment [m]
    ITEM_TOP,  # height [m]
    ITEM_COLOR,  # red · 65536 + green · 256 + blue
    ITEM_COLUMNS,
) = range(8)

# Rows of `grids`: items by cell with all that is in reach, items by cell, robots by cell, the floor's pixels.
NEAR, FAR, CROWD, FLOOR = range(4)
# Columns of `grids`.
(
    GRID_X,  # origin [m]; of the floor, its upper left corner
    GRID_Y,
    GRID_SCALE,  # cells per metre
    GRID_COLUMNS,
    GRID_ROWS,
    GRID_STARTS,  # where in `cells` the cells' starts lie, and one more
    GRID_SPANS,  # where in `cells` the items' first and last columns and rows lie
    GRID_REACH,  # near: how far around a cell its items may be; crowd: the farthest that a robot gets in a tick [m]
    GRID_BODY,  # the largest robot's radius [m]
    GRID_ENTRIES,
) = range(10)

# Columns of `sources`: lamps, sounds and scalar fields.
(
    SOURCE_KIND,
    SOURCE_X,  # of an image, its upper left corner [m]
    SOURCE_Y,
    SOURCE_Z,
    SOURCE_STRENGTH,  # intensity [W/m² at 1 m], amplitude at 1 m, or peak
    SOURCE_EXTENT,  # of a field [m]
    SOURCE_PIXELS,  # where in `constants` an image's brightness lies
    SOURCE_ROWS,
    SOURCE_WIDTH,
    SOURCE_SCALE,  # pixels per metre
    SOURCE_COLUMNS,
) = range(11)
LIGHT, SOUND, RADIAL, GAUSSIAN, IMAGE = range(5)  # kinds of sources; fields are those from RADIAL on

# Columns of `robots`.
(
    TYPE,  # row in `types`
    RADIUS,  # of the body's circle around the axle's centre, also around a polygon [m]
    THICKNESS,  # how far the body may move at once without jumping over a thin wall, twice [m]
    TOP,  # height of the body above the floor [m]
    AXLE,  # true distance between the wheels [m]
    LEFT_FACTOR,  # true by nominal diameter of the left wheel
    RIGHT_FACTOR,
    MAX_SPEED,  # at the rim [m/s]
    MAX_ACCELERATION,  # at the rim [m/s²]; inf when there is no limit
    SPEED_STEP,  # commands are rounded to multiples of it [m/s]; 0 for none
    SLIP,  # standard deviation of a wheel's travel in a tick, relative
    NOISE,  # 1 when the robot's sensors and wheels are noisy, else 0
    DRIFT_DISTANCE,  # inertial navigation: relative error of travel; negative for none on board
    DRIFT_HEADING,  # … heading random walk [rad per square root of a second]
    DRIFT_BIAS,  # … constant error of the turn rate [rad/s], drawn once per robot
    COLOR,
    ROBOT_COLUMNS,
) = range(17)

# Columns of `types`: where in `constants` the outline's corners x, y lie (none for a circle), and its devices.
FIRST_CORNER, END_OF_CORNERS, FIRST_DEVICE, END_OF_DEVICES, TYPE_COLUMNS = range(5)

# Columns of `devices` (whole numbers) and `stages` (numbers), one row per device of a robot type.
(
    KIND,
    CHANNELS,  # how many values a reading has
    FIRST_MOUNT,  # where in `constants` its mounts lie, MOUNT_COLUMNS numbers each
    FIRST_PARAMETER,  # … whatever its kind wants to know
    FIRST_RESPONSE,  # … rows of ideal value, hardware value, relative noise
    RESPONSES,  # how many rows; 0 for none
    FIRST_VALUE,  # where its values lie in the robot's row of readings
    PAN,  # number of its pan angle, -1 if it cannot turn
    PERIOD,  # ticks between two samples, at least 1
    DELAY,  # ticks between a sample and its arrival
    DEVICE_COLUMNS,
) = range(11)
(
    REACH,  # how far from the axle's centre it may see [m]; 0 when it sees no geometry
    SIGMA,  # noise, standard deviation, in the unit that the response gives
    SIGMA_RELATIVE,  # … and relative to the value
    RESOLUTION,  # values are rounded to multiples of it; 0 for none
    NOTHING,  # what it reads when there is nothing to see, SI
    NOTHING_RAW,  # … in hardware units
    SCALE,  # hardware units per SI unit, where there is no response table; 0 for none
    WRAP,  # hardware numbers wrap around at ± this; 0 for never
    FIRST_ANGLE,  # channels from this one on are angles
    MIXED,  # share of values at a depth edge that lie between both surfaces
    STAGE_COLUMNS,
) = range(11)

# A mount: place on the robot [m], height [m], direction as cosine and sine, heading [rad].
MOUNT_X, MOUNT_Y, MOUNT_Z, MOUNT_COS, MOUNT_SIN, MOUNT_HEADING, MOUNT_COLUMNS = range(7)
RESPONSE_COLUMNS = 3


class Model(NamedTuple):
    """The constants of a world with N robots."""

    dt: float  # length of a tick [s]
    items: Floats  # walls and obstacles, see ITEM_X0 …
    grids: Floats  # see NEAR …, GRID_X …, shape (4, GRID_ENTRIES)
    cells: Ints  # lists of items by cell, see GRID_STARTS
    floor: Bytes  # picture of the floor, row 0 at the top, shape (rows, columns, 3)
    sources: Floats  # see SOURCE_KIND …
    robots: Floats  # see TYPE …; robots that are alike to the last number share a row
    robot_variant: Ints  # the row of every robot in `robots`, shape (N)
    types: Ints  # see FIRST_CORNER …
    devices: Ints  # see KIND …
    stages: Floats  # see REACH …
    constants: Floats  # outlines, mounts, parameters, responses, field pictures, one after the other


def table(rows: Any, columns: int, kind: type = np.float64) -> NDArray[Any]:
    """A contiguous array of shape (·, columns), even when empty."""
    return np.ascontiguousarray(rows, dtype=kind).reshape(-1, columns)
