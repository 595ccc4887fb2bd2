"""Architecture 2, layers: each layer uses only the layer below it, and observers pass sensor data upwards."""

import paddock

SPEEDS = {"ahead": (0.08, 0.08), "left": (-0.04, 0.04), "right": (0.04, -0.04)}  # left and right wheel [m/s]


class Perception:
    """Lowest layer: converts readings to facts. The robot calls it when readings have changed."""

    def __init__(self, robot):
        self.blocked, self.open_side, self.updates = False, "left", 0
        robot.watch(0.1)  # ten times per second of simulated time
        self.unsubscribe = robot.on_sense(self.update, "proximity")

    def update(self, seen):
        near = seen.proximity
        self.blocked = min(near[0], near[1], near[6], near[7]) < 0.05
        self.open_side = "left" if near[5:8].sum() > near[0:3].sum() else "right"
        self.updates += 1


class Navigation:
    """Middle layer: converts facts to a manoeuvre, and keeps it until the way ahead is free."""

    def __init__(self, perception):
        self.perception, self.manoeuvre, self.turns = perception, "ahead", 0

    def decide(self):
        if not self.perception.blocked:
            self.manoeuvre = "ahead"
        elif self.manoeuvre == "ahead":  # a turn in progress keeps its direction
            self.manoeuvre = self.perception.open_side
            self.turns += 1
        return self.manoeuvre


class Motion:
    """Top layer: converts manoeuvres to wheel speeds. No other layer sets the wheels."""

    def __init__(self, robot, navigation):
        self.robot, self.navigation = robot, navigation

    def go(self):
        self.robot.wheels.set(*SPEEDS[self.navigation.decide()])


with paddock.open("clutter", seed=2) as arena:
    robot = arena["red"]
    robot.enable("proximity")
    perception = Perception(robot)
    navigation = Navigation(perception)
    motion = Motion(robot, navigation)
    contact_ticks, cells = 0, set()
    while arena.time < 120:
        motion.go()
        arena.step()
        contact_ticks += bool(robot.contacts)
        cells.add((int(robot.pose.x / 0.2), int(robot.pose.y / 0.2)))
    perception.unsubscribe()
    before = perception.updates
    arena.run(1.0)

contact = contact_ticks * arena.dt
print(f"{perception.updates} updates, {navigation.turns} turns, {len(cells)} cells visited, {contact:.1f} s in contact")
assert perception.updates == before  # after `unsubscribe` the observer is not called
assert navigation.turns >= 5
assert len(cells) > 15
assert contact < 2
