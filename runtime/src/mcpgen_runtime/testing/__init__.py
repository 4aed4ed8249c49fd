"""Base classes of fake clients, imported on first use."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .factory import FakeFactory as FakeFactory
    from .fake import Fake as Fake
    from .fake import SyncFake as SyncFake
else:
    from ..lazy import attach

    __getattr__, __dir__, __all__ = attach(
        __name__, {".factory": "FakeFactory", ".fake": "Fake SyncFake"}
    )
