"""Drive a hundred robots on a hundred pseudo terminals with one host in one thread.

python benchmarks/orders_many.py --robots 100
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from experiments.ecoli.waypoint_robots.order_room import open_room, plan_square, running
from paddock.experiments.ecoli.waypoint_robots import Host, OrderRobots


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=100)
    count = parser.parse_args().robots
    arena = open_room(count)
    with OrderRobots(arena, {f"r{i}": True for i in range(count)}) as robots, running(arena):
        began = time.perf_counter()
        sessions = Host([(plan_square(i), robots.devices[f"r{i}"]) for i in range(count)]).run()
        took = time.perf_counter() - began
    results = [session.result for session in sessions.values()]
    done, lost = sum(result.done for result in results), sum(bool(result.lost) for result in results)
    resends = sum(session.statistics.resends for session in sessions.values())
    print(f"{count} robots: {done} of {4 * count} orders done, {lost} lost, {resends} resends, {took:.1f} s")
    sys.exit(0 if done == 4 * count else 1)


if __name__ == "__main__":
    main()
