"""Base classes of generated clients, imported on first use."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..models.results import ResourceResult as ResourceResult
    from ..models.results import ToolResult as ToolResult
    from .base import McpClient as McpClient
    from .completion import Completion as Completion
    from .sync import SyncClient as SyncClient
    from .sync import SyncView as SyncView
    from .sync import blocking as blocking
    from .views import PromptsView as PromptsView
    from .views import ResourcesView as ResourcesView
else:
    from ..lazy import attach

    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            ".base": "McpClient",
            ".completion": "Completion",
            ".sync": "SyncClient SyncView blocking",
            ".views": "PromptsView ResourcesView",
            "..models.results": "ResourceResult ToolResult",
        },
    )
