"""What ``<server>`` on the command line means; nothing is started or asked here."""

from mcpgen.endpoint.overrides import Given
from mcpgen.endpoint.resolve import resolve
from mcpgen.endpoint.target import Http, InProcess, Offline, Stdio, Target

__all__ = ["Given", "Http", "InProcess", "Offline", "Stdio", "Target", "resolve"]
