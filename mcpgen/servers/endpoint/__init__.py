"""Resolves ``<server>`` on the command line. No server is started or contacted here."""

from mcpgen.servers.endpoint.overrides import Overrides
from mcpgen.servers.endpoint.resolve import resolve
from mcpgen.servers.endpoint.target import Http, InProcess, Offline, Stdio, Target

__all__ = ["Http", "InProcess", "Offline", "Overrides", "Stdio", "Target", "resolve"]
