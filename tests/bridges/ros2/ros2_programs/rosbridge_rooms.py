"""A program that uses only roslibpy: it drives a Pioneer through rooms with /odom and checks /scan."""

import math
import sys
import threading

import roslibpy


class Driver:
    def __init__(self, port: int, way: list[tuple[float, float]]) -> None:
        self.way, self.done, self.ahead, self.frames = way, threading.Event(), math.inf, set()
        self.client = roslibpy.Ros("127.0.0.1", port)
        self.client.run(timeout=60)
        self.command = roslibpy.Topic(self.client, "/cmd_vel", "geometry_msgs/Twist")
        self.command.advertise()
        for name, kind, take, rate in (
            ("/tf", "tf2_msgs/TFMessage", self.take_frames, 100),
            ("/scan", "sensor_msgs/LaserScan", self.take_scan, 0),
            ("/odom", "nav_msgs/Odometry", self.take_odometry, 0),
        ):
            roslibpy.Topic(self.client, name, kind, throttle_rate=rate).subscribe(take)

    def take_frames(self, message: dict) -> None:
        self.frames |= {frame["child_frame_id"] for frame in message["transforms"]}

    def take_scan(self, scan: dict) -> None:
        angles = [scan["angle_min"] + i * scan["angle_increment"] for i in range(len(scan["ranges"]))]
        pairs = zip(angles, scan["ranges"], strict=True)
        self.ahead = min(math.inf if r is None else r for a, r in pairs if abs(a) < 0.3)

    def take_odometry(self, message: dict) -> None:
        pose = message["pose"]["pose"]
        x, y = pose["position"]["x"], pose["position"]["y"]
        heading = 2 * math.atan2(pose["orientation"]["z"], pose["orientation"]["w"])
        while self.way and math.hypot(self.way[0][0] - x, self.way[0][1] - y) < 0.15:
            report("at", *self.way.pop(0))
        if not self.way:
            self.drive(0.0, 0.0)
            self.done.set()
            return
        off = math.remainder(math.atan2(self.way[0][1] - y, self.way[0][0] - x) - heading, 2 * math.pi)
        self.drive(0.5 if abs(off) < 0.5 and self.ahead > 0.4 else 0.0, max(-1.5, min(1.5, 3 * off)))

    def drive(self, linear: float, angular: float) -> None:
        twist = {"linear": {"x": linear, "y": 0.0, "z": 0.0}, "angular": {"x": 0.0, "y": 0.0, "z": angular}}
        self.command.publish(roslibpy.Message(twist))


def report(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    driver = Driver(int(sys.argv[1]), [tuple(map(float, point.split(","))) for point in sys.argv[2:]])
    driver.done.wait()
    report(*sorted(driver.frames), "/scan" in driver.client.get_topics())
    driver.client.terminate()
