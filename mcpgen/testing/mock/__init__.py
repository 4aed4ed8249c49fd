"""Serves a contract without code, with results that its schemas allow."""

from mcpgen.testing.mock.contract_server import servable, server
from mcpgen.testing.mock.results import MODERN
from mcpgen.testing.mock.tasks import runs_tasks
from mcpgen.testing.mock.transports import listen, serve_http, serve_stdio

__all__ = [
    "MODERN",
    "listen",
    "runs_tasks",
    "servable",
    "serve_http",
    "serve_stdio",
    "server",
]
