"""What ``<server>`` on the command line means; nothing is started or asked here."""

from mcpgen.endpoint.overrides import Overrides
from mcpgen.endpoint.resolve import resolve
from mcpgen.endpoint.target import Http, InProcess, Offline, Stdio, Target

__all__ = ["Http", "InProcess", "Offline", "Overrides", "Stdio", "Target", "resolve"]
