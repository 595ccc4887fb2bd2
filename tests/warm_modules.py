"""Modules that most commands of Paddock load, imported once in the process from which the others are forked."""

import paddock.cli.run
import paddock.cli.serve
import paddock.network.client.remote
from command_line import paddock as command

command("worlds")
with paddock.open("line-crossing") as arena:
    for name in arena:
        arena[name].enable()
        arena[name].sense()
    arena.step()
