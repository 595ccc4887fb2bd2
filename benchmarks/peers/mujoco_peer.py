"""MuJoCo (PyPI mujoco): 3D robots with a free body, two driven wheels and two castors.

Deviations: full 3D dynamics at 5 ms, so a control step is 10 substeps (S3: 20); the rangefinders
are evaluated only in the last of them.
"""

import math
from collections.abc import Sequence

import mujoco
from scenario import (
    DT,
    DT_LASER,
    IR_ANGLES,
    IR_RANGE,
    LASER_RANGE,
    OBSTACLE_RADIUS,
    PIONEER_RADIUS,
    PIONEER_SEPARATION,
    PIONEER_WHEEL,
    RADIUS,
    ROOM_CENTRE,
    WHEEL,
    WHEEL_SEPARATION,
    Pose,
    Segment,
    Simulation,
    arena,
    avoid,
    avoid_laser,
    beam_angles,
    main,
    room,
)

PHYSICS_DT = 0.005
NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
DENSITY = 40  # of a robot seen from above [kg/m2]


def swarm(robots: int) -> Simulation:
    scene = arena(robots)
    fixed = "".join(wall_xml(w, height=0.05) for w in scene.walls)
    fixed += "".join(
        f'<geom type="cylinder" size="{OBSTACLE_RADIUS} .05" pos="{x} {y} .05"/>' for x, y in scene.obstacles
    )
    model = load(
        fixed,
        [
            robot_xml(i, pose, RADIUS, WHEEL_SEPARATION, WHEEL, IR_ANGLES, IR_RANGE)
            for i, pose in enumerate(scene.poses)
        ],
    )
    data = mujoco.MjData(model)

    def step() -> None:
        seen = data.sensordata.copy()
        seen[seen < 0] = IR_RANGE  # a rangefinder that hits nothing says -1
        readings = seen.reshape(robots, len(IR_ANGLES)).tolist()
        data.ctrl[:] = [speed / WHEEL for distances in readings for speed in avoid(distances)]
        advance(model, data, DT)

    return Simulation(step, lambda: data.qpos[:2].tolist())


def laser(_robots: int) -> Simulation:
    robot = robot_xml(0, ROOM_CENTRE, PIONEER_RADIUS, PIONEER_SEPARATION, PIONEER_WHEEL, beam_angles(), LASER_RANGE)
    model = load("".join(wall_xml(w, height=0.4) for w in room()), [robot])
    data = mujoco.MjData(model)

    def step() -> None:
        hits = data.sensordata[data.sensordata >= 0]
        nearest = PIONEER_RADIUS + (hits.min() if hits.size else LASER_RANGE)
        data.ctrl[:] = [speed / PIONEER_WHEEL for speed in avoid_laser(nearest)]
        advance(model, data, DT_LASER)

    return Simulation(step, lambda: data.qpos[:2].tolist())


def advance(model: mujoco.MjModel, data: mujoco.MjData, dt: float) -> None:
    """One control step."""
    model.opt.disableflags |= NO_SENSORS
    mujoco.mj_step(model, data, round(dt / PHYSICS_DT) - 1)
    model.opt.disableflags &= ~NO_SENSORS
    mujoco.mj_step(model, data)


def load(fixed: str, robots: list[tuple[str, str, str]]) -> mujoco.MjModel:
    bodies, actuators, sensors = map("".join, zip(*robots, strict=True))
    return mujoco.MjModel.from_xml_string(f"""
        <mujoco>
          <compiler angle="degree"/>
          <option timestep="{PHYSICS_DT}" integrator="implicitfast" cone="pyramidal"/>
          <size memory="{max(16, 2 * len(robots))}M"/>
          <worldbody><geom type="plane" size="50 50 1"/>{fixed}{bodies}</worldbody>
          <actuator>{actuators}</actuator>
          <sensor>{sensors}</sensor>
        </mujoco>""")


def robot_xml(
    index: int,
    pose: Pose,
    radius: float,
    axle: float,
    wheel: float,
    ray_angles: Sequence[float],
    reach: float,
) -> tuple[str, str, str]:
    """MJCF of one robot: body, actuators, sensors."""
    x, y, heading = pose
    mass = DENSITY * math.pi * radius**2
    rim = 1.02 * radius  # rays start just outside the body
    sites = "".join(
        f'<site name="ray{index}_{k}" size=".001" zaxis="{math.cos(a)} {math.sin(a)} 0"'
        f' pos="{rim * math.cos(a)} {rim * math.sin(a)} {wheel}"/>'
        for k, a in enumerate(ray_angles)
    )
    wheels = "".join(
        f'<body pos="0 {y_wheel} 0">'
        f'<joint name="{side}{index}" axis="0 1 0" damping="1e-6"/>'
        f'<geom type="cylinder" size="{wheel} {wheel / 10}" euler="90 0 0"'
        f' mass="{mass / 20}" friction="1.2"/></body>'
        for side, y_wheel in (("left", axle / 2), ("right", -axle / 2))
    )
    castors = "".join(
        f'<geom type="sphere" size="{wheel / 4}" pos="{x_castor} 0 {-0.74 * wheel}"'
        f' mass=".001" friction=".01" priority="1"/>'
        for x_castor in (0.7 * radius, -0.7 * radius)
    )
    body = (
        f'<body pos="{x} {y} {wheel}" euler="0 0 {math.degrees(heading)}"><freejoint/>'
        f'<geom type="cylinder" size="{radius} {0.9 * wheel}" pos="0 0 {0.7 * wheel}"'
        f' mass="{mass}"/>{sites}{castors}{wheels}</body>'
    )
    actuators = "".join(f'<velocity joint="{side}{index}" kv="{0.5 * mass * wheel}"/>' for side in ("left", "right"))
    sensors = "".join(f'<rangefinder site="ray{index}_{k}" cutoff="{reach}"/>' for k in range(len(ray_angles)))
    return body, actuators, sensors


def wall_xml(segment: Segment, height: float) -> str:
    x1, y1, x2, y2 = segment
    length, angle = math.hypot(x2 - x1, y2 - y1), math.degrees(math.atan2(y2 - y1, x2 - x1))
    return (
        f'<geom type="box" size="{length / 2} .005 {height}" euler="0 0 {angle}"'
        f' pos="{(x1 + x2) / 2} {(y1 + y2) / 2} {height}"/>'
    )


main("mujoco", {"S1": swarm, "S2": swarm, "S3": laser}, package="mujoco")
