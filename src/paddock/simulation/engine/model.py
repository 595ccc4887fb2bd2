"""Model: the constants of a world, as a few tables.

Columns have names, so that kernels read `robots[r, WHEEL_SEPARATION]`. There are only a few tables, because every array
that a kernel takes costs time in each call and in compilation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

# Columns of `items`, the walls and obstacles: a segment from point 0 to point 1, or a disc around point 0.
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

# Rows of `grids`: items within reach of each cell, items in each cell, bodies in each cell, pixels of the floor.
NEAR, FAR, CROWD, FLOOR = range(4)
# Columns of `grids`.
(
    GRID_X,  # origin [m]; for the floor, its upper left corner
    GRID_Y,
    GRID_SCALE,  # cells per metre
    GRID_COLUMNS,
    GRID_ROWS,
    GRID_STARTS,  # index in `cells` of the cells' start indices, plus one for the end
    GRID_SPANS,  # index in `cells` of the items' first and last columns and rows
    GRID_REACH,  # near: maximum distance of items from a cell; crowd: maximum travel of a body in a tick [m]
    GRID_BODY,  # the largest body's radius [m]
    GRID_ENTRIES,
) = range(10)

# Columns of `sources`: lights, sounds and scalar fields.
(
    SOURCE_KIND,
    SOURCE_X,  # position [m]; for an image, its upper left corner
    SOURCE_Y,
    SOURCE_Z,
    SOURCE_STRENGTH,  # intensity [W/m² at 1 m], amplitude at 1 m, or peak
    SOURCE_EXTENT,  # of a field [m]
    SOURCE_PIXELS,  # index in `constants` of an image's brightness
    SOURCE_ROWS,
    SOURCE_WIDTH,
    SOURCE_SCALE,  # pixels per metre
    SOURCE_COLUMNS,
) = range(11)
LIGHT, SOUND, RADIAL, GAUSSIAN, IMAGE = range(5)  # kinds of sources; those from RADIAL on are fields

# Columns of `robots`. A thing is a robot without wheels: its wheel separation is 0.
(
    TYPE,  # row in `types`
    RADIUS,  # radius of the body's bounding circle around the axle's centre [m]
    THICKNESS,  # twice the distance that the body may move at once without skipping a thin wall [m]
    TOP,  # height of the body above the floor [m]
    WHEEL_SEPARATION,  # true distance between the wheels [m]
    LEFT_FACTOR,  # true diameter of the left wheel divided by the nominal diameter
    RIGHT_FACTOR,
    MAX_SPEED,  # maximum speed of the wheels of a side [m/s]
    MAX_ACCELERATION,  # maximum acceleration at the rim [m/s²]; inf without a limit
    SPEED_STEP,  # commands are rounded to multiples of it [m/s]; 0 for no rounding
    SLIP,  # standard deviation of a wheel's travel in a tick, relative
    NOISE,  # 1 if the robot's sensors and wheels are noisy, else 0
    DRIFT_DISTANCE,  # inertial navigation: relative error of travel; negative without such a sensor
    DRIFT_HEADING,  # … heading random walk [rad per square root of a second]
    DRIFT_BIAS,  # … constant error of the turn rate [rad/s], drawn once per robot
    COLOR,
    FORCE,  # largest force of the wheels together; of a thing, its friction with the floor [N]
    LEVER,  # of a thing: mean distance of its footprint from its centre [m]
    GRIP,  # of a thing: coefficient of friction with what touches it
    DRIVE,  # kind of drive, see DIFFERENTIAL …
    THIRD,  # number of the drive's third command among the pan angles, -1 for none
    CAR_SPEED,  # of a car: maximum speed [m/s]; its outer wheels are faster
    WHEELBASE,  # … distance between the axles [m]
    MAX_STEERING,  # … largest steering angle [rad]
    STEERING_RATE,  # … and its largest rate [rad/s]
    ROBOT_COLUMNS,
) = range(26)
DIFFERENTIAL, OMNI, ACKERMANN = range(3)  # two sides; two sides and sideways; speed and steering angle

# Columns of `types`: range in `constants` of the outline's corners x, y (empty for a circle), and range of its devices.
FIRST_CORNER, END_OF_CORNERS, FIRST_DEVICE, END_OF_DEVICES, TYPE_COLUMNS = range(5)

# Columns of `devices` (whole numbers) and `stages` (numbers), one row per device of a robot type.
(
    KIND,
    CHANNELS,  # number of values in a reading
    FIRST_MOUNT,  # index in `constants` of its mounts, MOUNT_COLUMNS numbers each
    FIRST_PARAMETER,  # … of the parameters of its kind
    FIRST_RESPONSE,  # … of its response rows: ideal value, hardware value, relative noise
    RESPONSES,  # number of response rows; 0 for none
    FIRST_VALUE,  # index of its first value in the robot's row of readings
    PAN,  # number of its pan angle, -1 if it cannot turn
    PERIOD,  # ticks between two samples, at least 1
    DELAY,  # ticks until a sample is available
    FIRST_NOISE_FACTOR,  # index in `constants` of a factor of the noise for each channel; -1 for equal noise
    DEVICE_COLUMNS,
) = range(12)
(
    REACH,  # maximum sensing distance from the axle's centre [m]; 0 if it does not depend on geometry
    SIGMA,  # standard deviation of the noise, in hardware units, or SI units without a response
    SIGMA_RELATIVE,  # … and relative to the value
    RESOLUTION,  # values are rounded to multiples of it; 0 for no rounding
    NOTHING,  # reading if nothing is detected, in SI units
    NOTHING_RAW,  # … in hardware units
    SCALE,  # hardware units per SI unit, without a response table; 0 for none
    WRAP,  # hardware values wrap around at ± this; 0 for never
    FIRST_ANGLE,  # channels from this one on are angles
    MIXED,  # fraction of values at a depth edge that lie between both surfaces
    LOWEST,  # lowest value, without a response table
    BIAS,  # standard deviation of a constant error, drawn once per robot and channel, in SI units
    BIAS_WALK,  # … of its random walk, per square root of a second
    STAGE_COLUMNS,
) = range(14)

# Columns of a mount: position on the robot [m], height [m], cosine and sine of its heading, heading [rad].
MOUNT_X, MOUNT_Y, MOUNT_Z, MOUNT_COS, MOUNT_SIN, MOUNT_HEADING, MOUNT_COLUMNS = range(7)
RESPONSE_COLUMNS = 3


class Model(NamedTuple):
    """The constants of a world with N bodies: the robots, then the things."""

    dt: float  # length of a tick [s]
    items: Floats  # walls and obstacles, see ITEM_X0 …
    grids: Floats  # see NEAR …, GRID_X …, shape (4, GRID_ENTRIES)
    cells: Ints  # lists of items by cell, see GRID_STARTS
    floor: Bytes  # image of the floor, row 0 at the top, shape (rows, columns, 3)
    sources: Floats  # see SOURCE_KIND …
    robots: Floats  # see TYPE …; bodies with equal parameters share a row
    robot_variant: Ints  # the row of every body in `robots`, shape (N)
    types: Ints  # see FIRST_CORNER …
    devices: Ints  # see KIND …
    stages: Floats  # see REACH …
    constants: Floats  # outlines, mounts, parameters, responses and field images, concatenated


def table(rows: Any, columns: int, kind: type = np.float64) -> NDArray[Any]:
    """Return a contiguous array of shape (·, columns), even if it is empty."""
    return np.ascontiguousarray(rows, dtype=kind).reshape(-1, columns)
