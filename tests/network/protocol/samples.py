"""One message of every type, as stored in tests/golden/protocol; running this file writes them.

After a release, write them only together with a new VERSION: existing clients rely on these files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from paddock.core.observation import Command
from paddock.network.protocol import MessageDecoder, encode, messages
from paddock.network.protocol.frames import pack, pack_leds, pack_poses
from paddock.network.protocol.messages import ANSWERS, REQUESTS, Message

GOLDEN = Path(__file__).parents[2] / "golden" / "protocol"
KNOWN = REQUESTS | ANSWERS
decode = MessageDecoder(KNOWN).decode

TURRET = {"kind": "sonar", "name": "eye", "mounts": [[0.0, 0.0, 0.1, 0.0]], "range": 3.0, "pivot": {"min_deg": -90}}
ROBOT = {
    "name": "sweeper",
    "body": {"radius": 0.1, "height": 0.15},
    "drive": {"wheel_separation": 0.16, "wheel_diameter": 0.06, "max_speed": 0.4},
    "sensors": [TURRET],
}
COMMAND = Command(wheels=(0.1, -0.05), pans={"eye": 0.5}, leds={"ring": 1.0}, tone=(440.0, 0.25))
RAW = messages.PictureData(width=2, height=1, data=bytes([255, 0, 0, 0, 0, 255]))
SEEN = messages.RobotReadings(
    wheels=(0.1, -0.05),
    readings={"proximity": np.array([0.04, np.nan, 0.02]), "ground": np.array([0.5])},
    pictures={"camera": RAW},
    pans={"eye": 0.5},
    truth=messages.Truth(pose=(0.25, 0.5, 1.5), contacts=(-0.125,)),
)
BODIES = pack(
    poses=np.array([[0.25, 0.5, 1.5], [1.0, 0.75, -3.0]]),
    wheels=np.array([[0.1, -0.05], [0.0, 0.0]]),
    contacts=np.array([1.0, 0.0]),
    bearings=np.array([-np.pi / 2, 0.0]),
)
LAMPS = pack_leds(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))

GRID = messages.GridData(
    x=-0.5, y=0.25, resolution=0.05, rows=1, columns=2, cells=bytes.fromhex("780163f80f0001010100"), version=7
)
MAP = messages.MapData(
    grid=GRID,
    frontiers=np.array([1.0, 0.5]),
    plan=np.array([0.0, 0.0, 0.5, 0.25]),
    scan=np.array([0.75, 0.5]),
    goal=np.array([0.5, 0.25]),
    task="to a frontier of 1.2 m, 3 known",
    refusal="(0.50, 0.25) is in an obstacle",
)

SAMPLES: tuple[Message, ...] = (
    messages.Hello(id=1, version=1, name="Ada's laptop", token="s3cret", minor=1, events=True),
    messages.GetScene(id=2),
    messages.Claim(id=3, robot="red", force=True),
    messages.Spawn(id=4, robot="mine", kind=ROBOT, at=(0.5, 0.25), heading=1.5, color="#3366cc"),
    messages.Remove(id=4, robot="mine"),
    messages.ReleaseRobot(id=5, robot="mine"),
    messages.Enable(id=6, robot="red", devices=("proximity", "ground"), on=False),
    messages.PollOnly(id=7, robot="mine", device="eye", on=False),
    messages.Step(id=8, ticks=5, commands={"red": COMMAND}),
    messages.Sense(id=9, robot="red", commands={"red": Command(wheels=(0.0, 0.0))}),
    messages.Read(id=10, robot="red", device="proximity", raw=True, commands={"red": Command(pans={"eye": -0.5})}),
    messages.Subscribe(id=11, robot="red", devices=("camera",), period=0.1, jpeg=True, stream="eyes"),
    messages.Unsubscribe(id=12, robot="red", stream="eyes"),
    messages.Frames(id=13, rate=30.0),
    messages.Lock(id=14, on=False, timeout=2.5),
    messages.Play(id=15),
    messages.Pause(id=16),
    messages.Advance(id=17, ticks=50),
    messages.SetSpeed(id=18, speed=0.5),
    messages.Reset(id=19, seed=2**63 - 1),
    messages.SetPose(id=20, robot="red", x=0.25, y=-0.5, heading=-3.0),
    messages.Digest(id=21),
    messages.TakeSnapshot(id=22),
    messages.Restore(id=23, snapshot=3),
    messages.GetHistory(id=24, robot="red"),
    messages.RunAgain(id=25, seed=3),
    messages.SendGoal(id=26, robot="red", x=1.5, y=-0.25),
    messages.Seek(id=27, tick=615),
    messages.GoLive(id=28),
    messages.SendCommands(commands={"red": Command(wheels=(0.1, 0.1)), "blue": Command(leds={"body": 0.0})}),
    messages.FrameAck(frame=7),
    messages.Shown(
        robot="red",
        pose=(0.25, 0.5, 1.5),
        covariance=np.diag([0.01, 0.01, 0.04]).reshape(-1),
        particles=np.array([0.25, 0.5]),
        map=MAP,
    ),
    messages.GoalAnswer(number=4, refusal="(1.50, -0.25) is in an obstacle"),
    messages.OpenWorld(id=29, world="line-track", exercise="line-following", seed=3),
    messages.Release(id=30, client="Ada"),
    messages.Disconnect(id=31, client="Ada-2"),
    messages.LockOut(id=32, student="Zoë M.", on=False),
    messages.SetHeat(id=33, action="prepare"),
    messages.Visit(id=36, copy="zoe-m"),
    messages.Restart(id=37, student="Zoë M."),
    messages.Park(id=38, student="Zoë M.", on=False),
    messages.Tell(id=39, student="Zoë M.", text="Look at line 4"),
    messages.Submit(id=34, exercise="line-following", file="drive.py", data=b"import paddock\n"),
    messages.AskExercise(id=35),
    messages.ProgramEnded(text="ZeroDivisionError: division by zero", location="drive.py line 4"),
    messages.Welcome(
        id=1,
        version=1,
        server="paddock 0.1.0",
        client="Ada's laptop",
        role="controller",
        world={"name": "box", "bounds": [0.0, 0.0, 1.0, 1.0], "title": "Kiste für Übungen"},
        dt=0.02,
        lock_step=True,
        minor=1,
        copy="ada",
        clock=True,
    ),
    messages.SceneData(
        id=2,
        title="A box",
        bounds=(0.0, 0.0, 1.0, 1.0),
        floor=b"\x89PNG\r\n\x1a\n",
        floor_bounds=(0.0, 0.0, 1.0, 1.0),
        solids=(
            messages.SolidShape(corners=((0.0, 0.0), (1.0, 0.0), (0.5, 0.25)), height=0.1, color="gray"),
            messages.SolidShape(corners=((0.5, 0.5),), radius=0.05, height=0.2, color="#aa5500"),
        ),
        marks=(messages.Mark(kind="lamp", name="sun", at=(0.9, 0.9), extent=0.1),),
        things=(messages.SolidShape(corners=((0.0, 0.0),), radius=0.02, height=0.05, color="#c05640"),),
    ),
    messages.Done(id=3),
    messages.Answer(id=21, value="9f86d081"),
    messages.Refusal(id=3, error="UnknownName", message="no robot called 'rde' (did you mean 'red'?)"),
    messages.Observed(id=8, tick=5, robots={"red": SEEN}),
    messages.Reading(id=10, tick=5, values=np.array([1024.0, 0.0])),
    messages.Sensed(robot="red", tick=5, seen=msgspec.structs.replace(SEEN, pictures={}, truth=None), stream="ears"),
    messages.FrameData(frame=7, tick=250, bodies=BODIES, lamps=LAMPS, things=pack_poses(np.array([[0.5, 0.25, 1.5]]))),
    messages.ClockState(tick=250, seed=7, running=True, speed=0.0, lock=("Ada's laptop",)),
    messages.RobotList(
        kinds=(ROBOT,),
        robots=(
            messages.RobotInfo(name="red", kind=0, color="red"),
            messages.RobotInfo(name="mine", kind=0, color="#3366cc", owner="Ada's laptop", spawned=True, yours=True),
        ),
    ),
    messages.Released(client="Ben's laptop", robots=("blue",), reason="no step within 10 s while others waited"),
    messages.EventUpdate(kind="teleport", robot="red", text="Ben moved red", tick=250),
    messages.History(
        id=24,
        ticks=np.array([0.0, 12.0]),
        paths=np.array([[[0.1, 0.2]], [[np.nan, np.nan]]], "<f4").tobytes(),
        wheels=np.array([0.0, 0.0, 0.1, -0.1]),
        readings={"ground": np.array([0.5, 1.0])},
    ),
    messages.RunStatus(
        state="failed", reason="t = 4.2 s, red: drive.py line 4: IndexError", again=True, intervention="reset at 1.5 s"
    ),
    messages.Timeline(
        first=0,
        last=3000,
        offset=250,
        name="run.mcap",
        marks=(messages.TimelineMark(tick=250, kind="reset", text="reset with seed 3"),),
    ),
    messages.Scores(scores=(messages.Score(robot="red", score=12.5, note="two rounds"),)),
    messages.MapUpdate(robot="red", map=MAP),
    messages.ShowRequested(robot="red", cells=True),
    messages.GoalRequested(robot="red", x=1.5, y=-0.25, number=4),
    messages.ClassState(
        title="Robotics 101",
        exercise="line-following",
        world="line-track",
        now=1760000000.5,
        students=(
            messages.StudentState(
                name="Zoë M.",
                robot="zoe-m",
                state="crashed",
                since=1760000000.0,
                detail="drive.py line 4: ZeroDivisionError",
                score=2.5,
                best=4.5,
                place=1,
                fouls=1,
                connections=2,
                submissions=3,
                submitted="2026-01-31T10:15:00+01:00",
                cpu_share=0.125,
                in_lock=True,
            ),
        ),
        log=("10:15:00 Zoë M. joined",),
        worlds=("line-track",),
        exercises=("line-following",),
    ),
    messages.WorldUpdate(
        world={"name": "box", "bounds": [0.0, 0.0, 1.0, 1.0]},
        dt=0.02,
        exercise="line-following",
        title="Follow the line",
        shows="own",
    ),
    messages.Told(text="Look at line 4", sender="lecturer's page"),
    messages.HeatState(state="running", number=2, seconds_left=42.5, text="two laps"),
    messages.ReceiptAnswer(id=34, number=3, time="2026-01-02T10:15:00+01:00", sha256="9f86d081", text="received"),
    messages.ExerciseText(
        id=35,
        name="line-following",
        title="Follow the line",
        text="# Follow the line\n",
        starter="import paddock\n",
        devices=("ground",),
        submissions=(
            messages.SubmissionData(number=3, time="2026-01-02T10:15:00+01:00", file="drive.py", sha256="9f86d081"),
        ),
    ),
    messages.OrderStates(
        robots=(
            messages.OrderState(
                robot="red", mode="checked", connected=True, order="O39.;95.", done=7, moving_time=12.5, detections=2
            ),
        )
    ),
)


def same(one: Any, other: Any) -> bool:
    """Whether two messages, or parts of them, are equal; NaN in arrays equals NaN."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    if isinstance(one, msgspec.Struct) and type(one) is type(other):
        names = [field.name for field in msgspec.structs.fields(one)]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def write_golden_files() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for message in SAMPLES:
        (GOLDEN / f"{message.type}.msgpack").write_bytes(encode(message, "msgpack"))
        (GOLDEN / f"{message.type}.json").write_bytes(encode(message, "json"))


if __name__ == "__main__":
    write_golden_files()
