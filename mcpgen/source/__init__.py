"""What ``<server>`` on the command line means; nothing is started or asked here."""

from mcpgen.source.given import Given
from mcpgen.source.resolve import resolve
from mcpgen.source.target import Http, InProcess, Offline, Stdio, Target

__all__ = ["Given", "Http", "InProcess", "Offline", "Stdio", "Target", "resolve"]
