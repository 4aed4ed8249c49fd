"""A server without code: it offers what a contract says, and answers what its schemas allow."""

from mcpgen.mock.contract_server import PAGE, Mock, servable, server
from mcpgen.mock.results import MODERN
from mcpgen.mock.tasks import runs_tasks
from mcpgen.mock.transports import listen, serve_http, serve_stdio

__all__ = [
    "MODERN",
    "PAGE",
    "Mock",
    "listen",
    "runs_tasks",
    "servable",
    "serve_http",
    "serve_stdio",
    "server",
]
