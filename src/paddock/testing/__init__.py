"""For tests, also those of other packages: servers in this process and in others, and waiting for what they do."""

from paddock.server.process import PaddockProcess
from paddock.testing.servers import serve, wait_for

__all__ = ["PaddockProcess", "serve", "wait_for"]
