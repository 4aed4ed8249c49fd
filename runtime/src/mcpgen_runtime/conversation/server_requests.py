"""The caller's callbacks for requests of the server: elicitation, sampling and roots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging

    from .questions import Elicit
    from .roots import Roots
    from .sampler import Sampler


@dataclass(frozen=True)
class Answering:
    """The caller's callbacks for requests of the server, each None if not set."""

    elicit: Elicit | None = None
    sampling: Sampler | None = None
    roots: Roots | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the given options of ``connect``."""
        values = {"elicit": self.elicit, "sampling": self.sampling, "roots": self.roots}
        return tuple(name for name, value in values.items() if value is not None)

    def sdk_callbacks(self, server: str, logger: logging.Logger) -> dict[str, Any]:
        """Return arguments of the SDK's client, which declares the matching capabilities."""
        callbacks: dict[str, Any] = {}
        if self.elicit is not None:
            from .questions import elicitation

            callbacks["elicitation_callback"] = elicitation(self.elicit, server, logger)
        if self.sampling is not None:
            callbacks.update(self.sampling.of_sdk(server, logger))
        if self.roots is not None:
            from .roots import listing

            callbacks["list_roots_callback"] = listing(self.roots, logger)
        return callbacks
