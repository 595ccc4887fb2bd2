"""Run a controller locally and over the network. In lock-step the two runs are equal to the last bit."""

import subprocess
import sys

import paddock


def act(seen):
    """Drive straight, and turn left in front of obstacles."""
    near = seen.proximity
    return (0.08, 0.08) if min(near[0], near[1], near[6], near[7]) > 0.05 else (-0.05, 0.05)


def drive(arena):
    """Drive for a minute and return the digest of the final state."""
    arena["red"].enable("proximity")
    arena.run(60, {"red": act})
    return arena.digest()


with paddock.open("clutter", seed=3) as arena:
    local = drive(arena)

# `paddock serve` usually runs in another terminal, or on the lecturer's machine.
command = [sys.executable, "-m", "paddock", "serve", "clutter", "--seed", "3", "--lock-step", "--port", "0"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
    try:
        url = server.stdout.readline().split(" at ")[1].split()[0]
        with paddock.connect(url, name="me") as arena:
            remote = drive(arena)
            guest = arena.spawn("guest", "khepera")  # add a robot, which is removed when the client disconnects
            guest.enable("proximity")
            print(f"{url}: {sorted(arena)}; the guest's nearest obstacle is {guest.proximity.read().min():.3f} m away")
            assert "guest" in arena
    finally:
        server.terminate()

print(f"local {local[:12]}, remote {remote[:12]}")
assert local == remote
