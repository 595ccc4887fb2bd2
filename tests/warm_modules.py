"""What most commands of Paddock load: imported once, by the process that theirs are forked from."""

import paddock.cli.run
import paddock.cli.serve
import paddock.links.remote
from command_line import paddock as command

command("worlds")
with paddock.open("line-crossing") as arena:
    for name in arena:
        arena[name].enable()
        arena[name].sense()
    arena.step()
