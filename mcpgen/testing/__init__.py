"""Contract tests: checks that a live server behaves as it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcpgen.testing.in_pytest import contract_tests

__all__ = ["contract_tests"]


def __getattr__(name: str) -> object:
    """Load ``contract_tests`` on first use, because other modules work without pytest."""
    if name != "contract_tests":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mcpgen.testing.in_pytest import contract_tests

    return contract_tests
