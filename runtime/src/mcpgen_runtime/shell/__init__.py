"""Command line of generated clients, and command-line arguments of a tool."""

TYPE_CHECKING = False  # importing typing's takes longer than the rest of this module

if TYPE_CHECKING:
    from .command import main as main
else:
    from ..lazy import attach

    __getattr__, __dir__, __all__ = attach(__name__, {".command": "main"})
