"""Modules that most commands of Paddock load, imported once in the process from which the others are forked."""

import paddock.cli.run_world
import paddock.cli.serve_world
import paddock.network.client.remote
from command_line import paddock as command

command("world", "list")
with paddock.open("line-crossing") as arena:
    for name in arena:
        arena[name].enable()
        arena[name].sense()
    arena.step()
