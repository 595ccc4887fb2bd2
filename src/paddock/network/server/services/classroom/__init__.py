"""The class of a served class folder: access, lessons, starts, submissions and the report to supervisors."""

from paddock.network.server.services.classroom.classroom import Classroom

__all__ = ["Classroom"]
