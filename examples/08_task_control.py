"""Architecture 3, task control: a plan of tasks, one after the other, and a monitor that can interrupt it."""

import math

import paddock
from paddock.arena.metrics import ContactTime
from paddock.control.behaviours import wrap
from paddock.report import draw_paths
from paddock.simulation.worlds import Cylinder, RobotPlacement, WorldSpec


def move(distance):
    """Drive straight by a distance [m]. A task is a generator that receives observations and yields wheel speeds."""
    seen = yield
    goal = seen.encoders.mean() + distance
    while seen.encoders.mean() < goal:
        seen = yield 0.08, 0.08


def turn(angle, wheel_separation=0.053):
    """Turn left by an angle [rad], measured by the wheel encoders."""
    seen = yield
    goal = seen.encoders[1] - seen.encoders[0] + angle * wheel_separation
    side = math.copysign(0.03, angle)
    while (goal - (seen.encoders[1] - seen.encoders[0])) * side > 0:
        seen = yield -side, side


def run_sequence(*tasks):
    """Run tasks in sequence. The sequence is a task itself, so that a plan is a tree."""
    for task in tasks:
        yield from task


def side(length):
    return run_sequence(move(length), turn(math.pi / 2))


class TaskControl:
    """Runs the plan. When the monitor detects an obstacle, it inserts a detour before the rest of the plan."""

    def __init__(self, plan):
        self.stack, self.log = [("plan", plan)], []
        next(plan)

    def act(self, seen):
        if self.stack[-1][0] == "plan" and min(seen.proximity[0], seen.proximity[7]) < 0.04:
            away, back, ahead = -1.2, 1.2, 0.13  # [rad], [rad], [m]
            legs = (turn(away), move(ahead), turn(back), move(ahead), turn(back), move(ahead), turn(away))
            self.stack.append(("detour", run_sequence(*legs)))
            next(self.stack[-1][1])
        while self.stack:
            name, task = self.stack[-1]
            if not self.log or self.log[-1] != name:
                self.log.append(name)
            try:
                return task.send(seen) or (0.0, 0.0)
            except StopIteration:
                self.stack.pop()
        return 0.0, 0.0


world = WorldSpec(
    name="yard",
    bounds=(0, 0, 1.5, 1.5),
    cylinders=(Cylinder(at=(0.8, 0.4), radius=0.04),),  # on the first side of the square
    robots=(RobotPlacement(name="red", type="e-puck", at=(0.4, 0.4)),),
)
with paddock.open(world, seed=1) as arena:
    robot = arena["red"]
    robot.enable("encoders", "proximity")
    control = TaskControl(run_sequence(side(0.7), side(0.5), side(0.7), side(0.5)))
    episode = arena.run(120, control, until=lambda arena: not control.stack, metrics=[ContactTime()])
    pose = robot.pose

draw_paths([episode.trace], world).save("08_task_control.png")
print(
    f"{' > '.join(control.log)}; home at ({pose.x:.2f}, {pose.y:.2f}) after {arena.time:.0f} s: see 08_task_control.png"
)
assert control.log == ["plan", "detour", "plan"]
assert not control.stack  # all tasks are done
assert episode.metrics["contacts"] == 0
assert abs(wrap(pose.heading)) < 0.2  # four quarter turns, and a detour with a net turn of zero
